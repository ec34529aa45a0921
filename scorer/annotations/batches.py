"""Batches: items for annotators as JSON, read strictly by their form, and written.

What an item holds is said by the form, so a batch's format is made of it. Where an item comes from
stands in a second file, ``<batch>.key.json``, that annotators never see (``keys.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorer.annotations import closing, graphs
from scorer.annotations.forms import BATCHES
from scorer.annotations.records import (
    BATCH_NAME,
    GRAPH,
    MOST_TRIPLETS,
    ORIGINS,
    SHA256,
    TRIPLETS,
    Batch,
    Form,
    Item,
    ItemField,
    Topic,
)
from scorer.errors import Problem, counted, excerpt
from scorer.files import sha256
from scorer.reading import strict_json
from scorer.reading.fields import (
    Choice,
    Field,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Record,
    Text,
    YesNo,
    of_node,
    slug,
)
from scorer.reading.strict_yaml import Node
from scorer.records import Edge

FORMAT = "annotation-batch/1"
SUFFIX = ".json"
KEY_SUFFIX = ".key.json"
LONGEST_TEXT = 2000
LONGEST_CONCEPT = 200
_RELATION = Text(60, r"(?:Not)?[A-Z][A-Za-z]*|[a-z]+(?: [a-z]+)*",
                 "a relation such as UsedFor or used for")
_TOPIC = Record((
    Field("key", Text(2, r"[1-9][0-9]?", "a number from 1 to 99"), "What annotators choose."),
    Field("text", Text(300), "The topic."),
), Topic)
_TRIPLET = Record((
    Field("c1", Text(LONGEST_CONCEPT), "The first concept."),
    Field("rel", _RELATION, "The relation."),
    Field("c2", Text(LONGEST_CONCEPT), "The second concept."),
), lambda c1, rel, c2: Edge(c1, rel, c2))


def path_of(annotations: Path, name: str) -> Path:
    """Where a batch lies."""
    return annotations / BATCHES / f"{name}{SUFFIX}"


def names_in(annotations: Path) -> list[str]:
    """The names of the batches in a folder, sorted."""
    return sorted(path.name.removesuffix(SUFFIX) for path in (annotations / BATCHES).glob("*.json")
                  if not path.name.endswith((KEY_SUFFIX, closing.SUFFIX)))


def read(
    path: Path, forms: Mapping[str, Form], shown: str = ""
) -> tuple[Batch | None, list[Problem]]:
    """The batch in a file, closed if its closing lies beside it, or None; and every problem.

    ``shown``: its path in messages.
    """
    shown = shown or str(path)
    try:
        if path.is_symlink() or not path.is_file():
            return None, [_problem(shown, "no regular file", "a batch", "add it")]
        with path.open("rb") as file:
            content = file.read(strict_json.LARGEST + 1)
    except OSError as fault:
        return None, [_problem(shown, f"no file that can be read ({fault.strerror})", "a batch",
                               "mend it")]
    batch, problems = parse(content, forms, shown)
    if batch is None:
        return None, problems
    name = path.name.removesuffix(SUFFIX)
    if batch.name != name:
        return None, [_problem(shown, f"batch {batch.name}", "the file's name", "rename one")]
    closed, problems = closing.read(
        path.with_name(f"{name}{closing.SUFFIX}"), name, batch.sha256,
        f"{shown.removesuffix(SUFFIX)}{closing.SUFFIX}")
    return (None if problems else replace(batch, closing=closed)), problems


def parse(
    content: bytes, forms: Mapping[str, Form], shown: str = "<bytes>"
) -> tuple[Batch | None, list[Problem]]:
    """The batch that some bytes are, or None, and every problem found."""
    root, problems = strict_json.read(content, shown)
    if root is None:
        return None, problems
    kind = root.value.get("kind") if isinstance(root.value, dict) else None
    known = [name for name, form in forms.items() if not form.adjudicates]
    if kind is None or not isinstance(kind.value, str) or kind.value not in known:
        found = ("no kind" if kind is None else f"kind {excerpt(kind.value)}"
                 if isinstance(kind.value, str) else "a kind that is no string")
        return None, [_problem(shown, found, f"one of: {', '.join(known)}", "name a form")]
    form = forms[kind.value]
    document, problems = _document(root, form, shown)
    if document is None:
        return None, problems
    batch = Batch(document["batch"], form.kind, document["guideline"], document["needed"],
                  tuple(document["items"]), sha256(content), tuple(document["topics"]),
                  bool(document["training"]), document["board"], document["licence"],
                  document["key_sha256"])
    problems = [_problem(shown, *fault) for fault in misfits(form, batch)]
    return (None if problems else batch), problems


def _document(root: Node, form: Form, shown: str) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The fields of a batch, items as records."""
    strings = strict_json.mistaken(root, _scalars(form))
    if strings:
        return None, [_problem(shown, f"a number for a string or a string for a number in "
                               f"{', '.join(strings[:5])}", "values of the types that the format "
                               "says", "mend them")]
    assert isinstance(root.value, dict)
    listed = root.value.pop("items", Node([], 1, 1))
    document, problems = of_node(_head(form), root, shown)
    items = []
    if not isinstance(listed.value, list) or not 1 <= len(listed.value) <= form.most_items:
        count = len(listed.value) if isinstance(listed.value, list) else 0
        problems.append(_problem(shown, counted(count, "item"), f"a list of 1 to "
                                 f"{form.most_items} items", "split the batch"))
    else:
        record = _item(form)
        for number, node in enumerate(listed.value, start=1):
            item, faults = of_node(record, node, shown)
            problems += [_problem(shown, f"items[{number}]: {one.found}", one.expected, one.advice)
                         for one in faults]
            items.append(item)
    if problems:
        return None, problems
    return {**document, "items": [_made(form, item) for item in items]}, []


def _scalars(form: Form) -> frozenset[str]:
    return frozenset({"needed", "training", *(one.name for one in form.item
                                              if one.kind in ("number", "counts"))})


def _head(form: Form) -> Record:
    return Record((
        Field("format", Choice((FORMAT,)), "The format."),
        Field("batch", BATCH_NAME, "The batch's name; equals the file's."),
        Field("kind", Choice((form.kind,)), "The form's name."),
        Field("guideline", Choice((form.guideline,)), "The version of the form's questions."),
        Field("needed", Integer(1, 100), "Annotators that an item needs."),
        Field("board", slug(), "The board whose items they are.", required=False, default=""),
        Field("licence", Text(200), "The licence of answers, to which annotators agree.",
              required=False, default=""),
        Field("key_sha256", SHA256, "The digest of its key.", required=False, default=""),
        Field("training", YesNo(), "Whether annotators learn on it.", required=False,
              default=False),
        Field("topics", ListOf(_TOPIC, 0, 99), "Topics to choose from.", required=False,
              default=()),
    ))


def _item(form: Form) -> Record:
    ids = [question.id for question in form.questions]
    fields = [Field("id", BATCH_NAME, "The item's id; it tells nothing.")]
    for one in form.item:
        fields.append(Field(one.name, _kind(one), one.title, not one.optional))
        if one.kind == TRIPLETS:
            concept = Text(LONGEST_CONCEPT)
            fields.append(Field("nodes", MapOf(Choice(ORIGINS), concept, 0, 2 * MOST_TRIPLETS),
                                "Where concepts come from.", required=False, default={}))
    fields += [Field("answer", MapOf(Text(4000, lines=True), Choice(tuple(ids)), 0, len(ids)),
                     "In training: right answers.", required=False, default={}),
               Field("why", Text(1000), "In training: why.", required=False, default="")]
    return Record(tuple(fields))


def _kind(one: ItemField) -> Kind:
    kinds: dict[str, Kind] = {
        "text": Text(LONGEST_TEXT), GRAPH: Text(LONGEST_TEXT), "number": Integer(1, 99),
        TRIPLETS: ListOf(_TRIPLET, 0, MOST_TRIPLETS), "label": Choice(one.values),
        "counts": MapOf(Integer(0, 1000), Text(30), 0, len(one.values)),
    }
    return kinds[one.kind]


def _made(form: Form, given: Mapping[str, Any]) -> Item:
    texts, counts = {}, {}
    for one in form.item:
        value = given[one.name]
        if value is not None and one.kind == "counts":
            counts[one.name] = value
        elif value is not None and one.kind != TRIPLETS:
            texts[one.name] = str(value)
    triplets = next((given[one.name] for one in form.item if one.kind == TRIPLETS), ())
    return Item(given["id"], texts, tuple(triplets), given.get("nodes", {}), counts,
                given["answer"], given["why"])


def misfits(form: Form, batch: Batch) -> Iterator[tuple[str, str, str]]:
    """What does not fit together in a batch: found, expected, what to do."""
    for name, count in Counter(item.id for item in batch.items).items():
        if count > 1:
            yield f"item {name} {count} times", "different ids", "remove one"
    for key, count in Counter(topic.key for topic in batch.topics).items():
        if count > 1:
            yield f"topic {key} {count} times", "different keys", "remove one"
    asks = any(question.topics for question in form.questions)
    if asks != bool(batch.topics):
        yield (counted(len(batch.topics), "topic"), "topics if the form asks for one, else none",
               "add or remove them")
    for item in batch.items:
        yield from _item_misfits(form, batch, item)


def _item_misfits(form: Form, batch: Batch, item: Item) -> Iterator[tuple[str, str, str]]:
    here = f"item {item.id}"
    for one in form.item:
        if one.kind == GRAPH and one.name in item.texts:
            facts, fault = graphs.read(item.texts[one.name])
            if fault is not None or not facts:
                said = fault.text if fault else "no facts"
                yield f"{here}: {one.name}: {said}", "a graph", "mend it"
        if one.kind == "counts":
            odd = sorted(set(item.counts.get(one.name, {})) - set(one.values))
            if odd:
                yield (f"{here}: {one.name}: {excerpt(', '.join(odd))}",
                       f"one of: {', '.join(one.values)}", "remove it")
    concepts = {concept for edge in item.triplets for concept in (edge.source, edge.target)}
    if unknown := sorted(set(item.nodes) - concepts):
        yield f"{here}: node {excerpt(unknown[0])}", "a concept of its triplets", "remove it"
    for edge, count in Counter(item.triplets).items():
        if count > 1:
            shown = excerpt("; ".join(edge))
            yield f"{here}: triplet {shown} {count} times", "it once", "remove one"
    if bool(item.answer) != batch.training:
        yield (f"{here}: {counted(len(item.answer), 'answer')}",
               "answers in a training batch, and only there", "mend the batch")
    elif batch.training:
        from scorer.annotations.answers import check

        keys = [topic.key for topic in batch.topics]
        for fault in check(form, item, item.answer, keys).errors:
            yield f"{here}: answer: {fault.text}", "answers that can be given", "mend it"


def document(form: Form, batch: Batch) -> dict[str, Any]:
    """A batch as JSON; its digest is that of the written bytes."""
    head: dict[str, Any] = {
        "format": FORMAT, "batch": batch.name, "kind": batch.kind, "guideline": batch.guideline,
        "needed": batch.needed}
    head |= {name: getattr(batch, name) for name in ("board", "licence", "key_sha256")
             if getattr(batch, name)}
    if batch.training:
        head["training"] = True
    if batch.topics:
        head["topics"] = [{"key": topic.key, "text": topic.text} for topic in batch.topics]
    return head | {"items": [_item_document(form, item) for item in batch.items]}


def _item_document(form: Form, item: Item) -> dict[str, Any]:
    found: dict[str, Any] = {"id": item.id}
    for one in form.item:
        if one.kind == TRIPLETS:
            found[one.name] = [{"c1": edge.source, "rel": edge.relation, "c2": edge.target}
                               for edge in item.triplets]
            if item.nodes:
                found["nodes"] = dict(item.nodes)
        elif one.kind == "counts" and one.name in item.counts:
            found[one.name] = dict(item.counts[one.name])
        elif one.name in item.texts:
            text = item.texts[one.name]
            found[one.name] = int(text) if one.kind == "number" else text
    if item.answer:
        found |= {"answer": dict(item.answer), "why": item.why}
    return found


def _problem(shown: str, found: str, expected: str, advice: str) -> Problem:
    return Problem(shown, 1, 1, "META-VALUE", found, expected, advice)


def is_name(name: str) -> bool:
    """Whether a batch can be called so."""
    return len(name) <= BATCH_NAME.most and re.fullmatch(BATCH_NAME.pattern or "", name) is not None
