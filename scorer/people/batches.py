"""Batches: items for annotators as JSON, each with its key, and with what closes it.

``batches/<batch>.json`` has the items. ``<batch>.key.json`` says where they come from: only
validation, aggregation and rounds load it, for annotators must not know whose graph they judge; the
batch names its digest, so a key with one other origin is found. ``<batch>.closed.json`` names the
files of answers that count, by digest and in the order in which they count. A batch is open until
that file lies beside it; its own bytes stay as they are, for answers name their digest.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from scorer.core.errors import Problem, counted, excerpt
from scorer.core.files import sha256
from scorer.core.reading import strict
from scorer.core.reading.schema import of_node
from scorer.people import graphs
from scorer.people.answers import check
from scorer.people.forms import BATCHES, ROOT
from scorer.people.records import (
    BATCH_NAME,
    COUNTS,
    GRAPH,
    LABEL,
    TRIPLETS,
    Batch,
    Closing,
    CountedFile,
    Form,
    Item,
    Key,
    Origin,
)

SUFFIX, KEY_SUFFIX, CLOSED_SUFFIX = ".json", ".key.json", ".closed.json"
SEED, COUNT, EVERY, MADE_OF = "seed", "items of each system", "every item", "made of"
"""What a key says of a draw: which random order, how many items, whether items that fail a gate
were drawn too, and what the items were made of, in words."""


def path_of(annotations: Path, name: str, suffix: str = SUFFIX) -> Path:
    """Where a batch lies; with another suffix, its key or what closes it."""
    return annotations / BATCHES / f"{name}{suffix}"


def names_in(annotations: Path) -> list[str]:
    """The names of the batches in a folder, sorted."""
    return sorted(path.name.removesuffix(SUFFIX) for path in (annotations / BATCHES).glob("*.json")
                  if not path.name.endswith((KEY_SUFFIX, CLOSED_SUFFIX)))


def is_name(name: str) -> bool:
    """Whether a batch can be called so."""
    return len(name) <= BATCH_NAME.most and re.fullmatch(BATCH_NAME.pattern or "", name) is not None


# ---- reading -----------------------------------------------------------------------------------


def read(annotations: Path, name: str, forms: Mapping[str, Form],
         ) -> tuple[Batch | None, list[Problem]]:
    """A batch, closed if its closing lies beside it, or None; and every problem. Neither if there
    is no such file."""
    path, closed = (path_of(annotations, name, suffix) for suffix in (SUFFIX, CLOSED_SUFFIX))
    if not (is_name(name) and path.is_file()):
        return None, []
    shown = f"{ROOT}/{BATCHES}/{path.name}"
    batch, problems = parse(path.read_bytes(), forms, shown)
    if batch is None:
        return None, problems
    if batch.name != name:
        return None, [_problem(shown, f"batch {batch.name}", "the file's name", "rename one")]
    if not closed.is_file():
        return batch, []
    shown = f"{ROOT}/{BATCHES}/{closed.name}"
    closing, problems = _record(Closing, closed.read_bytes(), shown)
    if closing and (closing.batch, closing.batch_sha256) != (batch.name, batch.sha256):
        problems = [_problem(shown, "the closing of another batch, or of other bytes",
                             f"batch {batch.name} with SHA-256 {batch.sha256[:12]}...",
                             "bring back the batch as it was answered")]
    return (None if problems else replace(batch, closing=closing)), problems


def parse(
    content: bytes, forms: Mapping[str, Form], shown: str = "<bytes>"
) -> tuple[Batch | None, list[Problem]]:
    """The batch that some bytes are, or None, and every problem found."""
    batch, problems = _record(Batch, content, shown)
    if batch is None:
        return None, problems
    form = forms.get(batch.kind)
    if form is None or form.adjudicates:
        known = [name for name, other in forms.items() if not other.adjudicates]
        return None, [_problem(shown, f"kind {excerpt(batch.kind)}", f"one of: {', '.join(known)}",
                               "name a form")]
    problems = [_problem(shown, *misfit) for misfit in _misfits(form, batch)]
    return (None if problems else replace(batch, sha256=sha256(content))), problems


def _misfits(form: Form, batch: Batch) -> Iterator[tuple[str, str, str]]:
    """What does not fit together in a batch: found, expected, what to do."""
    if bool(batch.topics) != any(question.topics for question in form.questions):
        yield (counted(len(batch.topics), "topic"), "topics if the form asks for one, else none",
               "add or remove them")
    if batch.guideline != form.guideline:
        yield f"guideline {batch.guideline}", form.guideline, "make the batch again"
    for name, count in Counter(item.id for item in batch.items).items():
        if count > 1:
            yield f"item {name} {count} times", "different ids", "remove one"
    topics = [topic.key for topic in batch.topics]
    for item in batch.items:
        misfits = [*_item_misfits(form, item)]
        yield from misfits
        if misfits:
            continue
        fault = check(form, item, item.answer, topics).fault if batch.training else None
        if fault is not None or (item.answer and not batch.training):
            yield (f"item {item.id}: answer: {fault.text if fault else 'it is there for all'}",
                   "right answers in a training batch, and only there", "mend the batch")


def _item_misfits(form: Form, item: Item) -> Iterator[tuple[str, str, str]]:
    """What an item has that its form does not show, lacks, or has of another kind."""
    fields = {field.name: field for field in form.item if field.kind != TRIPLETS}
    if unknown := sorted({*item.texts, *item.counts} - {*fields}):
        yield (f"item {item.id}: unknown field {excerpt(unknown[0])}",
               f"one of: {', '.join(field.name for field in form.item)}", "remove it")
    for name, field in fields.items():
        there = item.counts if field.kind == COUNTS else item.texts
        if name not in there:
            if not field.optional or name in {*item.texts, *item.counts}:
                yield f"item {item.id}: no {field.kind} {name!r}", "what its form shows", "add it"
        elif field.kind == LABEL and item.texts[name] not in field.values:
            yield (f"item {item.id}: {name} {excerpt(item.texts[name])}",
                   f"one of: {', '.join(field.values)}", "mend it")
        elif field.kind == GRAPH and not graphs.read(item.texts[name])[0]:
            yield (f"item {item.id}: {name} {excerpt(item.texts[name])}", "a graph", "mend it")


def key_of(annotations: Path, name: str, batch: Batch | None) -> tuple[Key, list[Problem]]:
    """The key of a batch, an empty one if it has none; and everything that is wrong with it."""
    path = path_of(annotations, name, KEY_SUFFIX)
    if not path.is_file():
        return Key(), []
    content = path.read_bytes()
    key, problems = _record(Key, content, str(path))
    if key and batch and sha256(content) != batch.key_sha256:
        expected = (f"the key that was made with the batch, {batch.key_sha256[:12]}..."
                    if batch.key_sha256 else "a batch that names its key_sha256")
        problems = [_problem(str(path), f"a key with SHA-256 {sha256(content)[:12]}...", expected,
                             "bring back the key, or make the batch again")]
    return key or Key(), problems


def _record(kind: Any, content: bytes, shown: str) -> tuple[Any, list[Problem]]:
    root, problems = strict.read_json(content, shown)
    return (None, problems) if root is None else of_node(kind, root, shown)


def _problem(shown: str, actual: str, expected: str, advice: str) -> Problem:
    return Problem(shown, 1, 1, "META-VALUE", actual, expected, advice)


# ---- writing -----------------------------------------------------------------------------------


def document(form: Form, batch: Batch) -> dict[str, Any]:
    """A batch as JSON; its digest is that of the written bytes."""
    head = {"format": batch.format, "batch": batch.name, "kind": batch.kind,
            "guideline": batch.guideline, "needed": batch.needed}
    more = {"board": batch.board, "licence": batch.licence, "key_sha256": batch.key_sha256,
            "training": batch.training, "topics": [asdict(topic) for topic in batch.topics]}
    return {**head, **{name: value for name, value in more.items() if value},
            "items": [_item(form, item) for item in batch.items]}


def _item(form: Form, item: Item) -> dict[str, Any]:
    document: dict[str, Any] = {"id": item.id}
    for field in form.item:
        if field.kind == TRIPLETS:
            document[field.name] = [{"c1": edge.source, "rel": edge.relation, "c2": edge.target}
                                    for edge in item.triplets]
            document |= {"nodes": dict(item.nodes)} if item.nodes else {}
        elif field.name in item.counts:
            document[field.name] = dict(item.counts[field.name])
        elif field.name in item.texts:
            text = item.texts[field.name]
            document[field.name] = int(text) if field.kind == "number" else text
    return document | ({"answer": dict(item.answer), "why": item.why} if item.answer else {})


def key_content(origins: Mapping[str, Origin], sampled: Mapping[str, str]) -> bytes:
    """The bytes of a key."""
    items = {name: {key: list(value) if isinstance(value, tuple) else value
                    for key, value in vars(origin).items() if value}
             for name, origin in sorted(origins.items())}
    return _bytes({"format": Key.format, "sampled": dict(sampled), "items": items})


def closing_content(batch: Batch, answers: Iterable[CountedFile]) -> bytes:
    """The bytes of what closes a batch."""
    return _bytes(asdict(Closing("annotation-closing/1", batch.name, batch.sha256,
                                 tuple(answers))))


def _bytes(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
