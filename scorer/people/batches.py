"""Batches: items for annotators as JSON, read strictly by their form, and written.

What an item holds is said by the form, so a batch's format is made of it. Where an item comes from
stands in a second file, ``<batch>.key.json``, that annotators never see (``keys.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from scorer.core.errors import Problem, counted, excerpt
from scorer.core.files import sha256
from scorer.core.reading import strict_json
from scorer.core.reading.schema import of_node
from scorer.core.reading.values import Choice, Integer, Items, Slug, Text, YesNo
from scorer.core.records import Edge
from scorer.people import closing, graphs
from scorer.people.forms import BATCHES
from scorer.people.records import (
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

FORMAT = "annotation-batch/1"
SUFFIX = ".json"
KEY_SUFFIX = ".key.json"
LONGEST_TEXT = 2000
LONGEST_CONCEPT = 200
_Relation = Annotated[str, Text(60, r"(?:Not)?[A-Z][A-Za-z]*|[a-z]+(?: [a-z]+)*",
                                "a relation such as UsedFor or used for")]
_Concept = Annotated[str, Text(LONGEST_CONCEPT)]


@dataclass(frozen=True)
class _Triplet:
    """A triplet as a batch writes it."""

    c1: Annotated[_Concept, "The first concept."]
    rel: Annotated[_Relation, "The relation."]
    c2: Annotated[_Concept, "The second concept."]


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
    batch, problems = parse(path.read_bytes(), forms, shown)
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
    read, problems = of_node(_file_of(form), root, shown)
    if read is None:
        return None, problems
    batch = Batch(read.batch, form.kind, read.guideline, read.needed,
                  tuple(_made(form, one) for one in read.items), sha256(content), read.topics,
                  read.training, read.board, read.licence, read.key_sha256)
    problems = [_problem(shown, *fault) for fault in misfits(form, batch)]
    return (None if problems else batch), problems


def _file_of(form: Form) -> type:
    """The record of a batch's file, which depends on its form."""
    item: Any = _item_of(form)
    return make_dataclass("_BatchFile", [
        ("format", Annotated[str, Choice((FORMAT,)), "The format."]),
        ("batch", Annotated[str, BATCH_NAME, "The batch's name; equals the file's."]),
        ("kind", Annotated[str, Choice((form.kind,)), "The form's name."]),
        ("guideline", Annotated[str, Choice((form.guideline,)), "The version of the form's "
                                "questions."]),
        ("needed", Annotated[int, Integer(1, 100), "Annotators that an item needs."]),
        ("items", Annotated[tuple[item, ...], Items(1, form.most_items, alike=True), "The items."]),
        ("board", Annotated[Slug, "The board whose items they are."], ""),
        ("licence", Annotated[str, Text(200), "The licence of answers, to which annotators "
                              "agree."], ""),
        ("key_sha256", Annotated[str, SHA256, "The digest of its key."], ""),
        ("training", Annotated[bool, YesNo(), "Whether annotators learn on it."], False),
        ("topics", Annotated[tuple[Topic, ...], Items(0, 99), "Topics to choose from."], ()),
    ], frozen=True)


def _item_of(form: Form) -> type:
    """The record of an item; what the form names begins with ``_``, as it may be any word."""
    ids = tuple(question.id for question in form.questions)
    nodes = Mapping[_Concept, Annotated[str, Choice(ORIGINS)]]
    answers = Mapping[Annotated[str, Choice(ids)], Annotated[str, Text(4000, lines=True)]]
    return make_dataclass("_Item", [
        ("id", Annotated[str, BATCH_NAME, "The item's id; it tells nothing."]),
        *((f"_{one.name}", _type_of(one), field(default=None) if one.optional else field())
          for one in form.item),
        *([("nodes", Annotated[nodes, Items(0, 2 * MOST_TRIPLETS), "Where concepts come from."],
            field(default_factory=dict))] if _triplets(form) else ()),
        ("answer", Annotated[answers, Items(0, len(ids)), "In training: right answers."],
         field(default_factory=dict)),
        ("why", Annotated[str, Text(1000), "In training: why."], ""),
    ], frozen=True, kw_only=True)


def _type_of(one: ItemField) -> Any:
    kinds: dict[str, Any] = {
        "text": Annotated[str, Text(LONGEST_TEXT)], GRAPH: Annotated[str, Text(LONGEST_TEXT)],
        "number": Annotated[int, Integer(1, 99)], "label": Annotated[str, Choice(one.values)],
        TRIPLETS: Annotated[tuple[_Triplet, ...], Items(0, MOST_TRIPLETS)],
        "counts": Annotated[Mapping[Annotated[str, Text(30)], Annotated[int, Integer(0, 1000)]],
                            Items(0, len(one.values))],
    }
    return Annotated[kinds[one.kind], Field(alias=one.name), one.title]


def _triplets(form: Form) -> str | None:
    """The field with triplets, if the form has one."""
    return next((one.name for one in form.item if one.kind == TRIPLETS), None)


def _made(form: Form, read: Any) -> Item:
    texts, counts = {}, {}
    for one in form.item:
        value = getattr(read, f"_{one.name}")
        if value is not None and one.kind == "counts":
            counts[one.name] = value
        elif value is not None and one.kind != TRIPLETS:
            texts[one.name] = str(value)
    name = _triplets(form)
    triplets = getattr(read, f"_{name}") or () if name else ()
    return Item(read.id, texts, tuple(Edge(one.c1, one.rel, one.c2) for one in triplets),
                getattr(read, "nodes", {}), counts, read.answer, read.why)


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
        from scorer.people.answers import check

        keys = [topic.key for topic in batch.topics]
        if fault := check(form, item, item.answer, keys).fault:
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
