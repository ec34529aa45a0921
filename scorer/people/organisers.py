"""The organisers' own files below ``annotations``: forms, batches and who may hand in what.

A form is a YAML file, one that comes with the program or a host's in ``forms/``. A batch is
``batches/<batch>.json``, its items. ``<batch>.key.json`` says where they come from: only
validation, aggregation and rounds load it, for annotators must not know whose graph they judge; the
batch names its digest, so a key with one other origin is found. ``<batch>.closed.json`` names the
files of answers that count, by digest and in the order in which they count. A batch is open until
that file lies beside it; its own bytes stay as they are, for answers name their digest.
``annotators.yml`` is there if a host has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from scorer.core.errors import Problem, SubmissionError, excerpt
from scorer.core.files import sha256
from scorer.core.reading import strict
from scorer.core.reading.schema import load, of_node
from scorer.core.reading.values import Items, Slug, YesNo
from scorer.people.answers import check, read_graph
from scorer.people.records import (
    ANSWERS,
    BATCH_NAME,
    CHOSEN,
    COUNTS,
    GRAPH,
    LABEL,
    LOGIN,
    TRIPLETS,
    Batch,
    Closing,
    CountedFile,
    Form,
    Item,
    Key,
    Origin,
)

ROOT = "annotations"
FORMS, BATCHES = "forms", "batches"
"""Folders of ``annotations/`` that hold no answers."""
SHIPPED = Path(__file__).parent / FORMS
SUFFIX, KEY_SUFFIX, CLOSED_SUFFIX = ".json", ".key.json", ".closed.json"
PEOPLE = "annotators.yml"
SIMULATED = "simulated-"
"""What the logins of simulated annotators begin with, so that a copied file still says so."""


# ---- forms -------------------------------------------------------------------------------------


def forms_of(annotations: Path | None = None) -> Mapping[str, Form]:
    """Every form by its kind: ours, then those of a host's ``annotations`` folder.

    Raises SubmissionError with every fault of a host's form.
    """
    forms = dict(_shipped())
    problems: list[Problem] = []
    for path in sorted((annotations / FORMS).glob("*.yaml")) if annotations else ():
        form, faults = read_form(path)
        problems += faults
        if form is None:
            continue
        same = next((other for other in forms.values()
                     if other.kind == form.kind or other.folder == form.folder), None)
        if same is None:
            forms[form.kind] = form
        else:
            problems.append(_problem(str(path), f"the name or folder of form {same.kind}",
                                     "a kind and a folder of its own", "rename it"))
    if problems:
        raise SubmissionError(sorted(problems))
    return forms


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, Form]:
    return {path.stem: load(Form, path.read_bytes(), str(path))[0]
            for path in sorted(SHIPPED.glob("*.yaml"))}


def read_form(path: Path) -> tuple[Form | None, list[Problem]]:
    """The form in a file, or None, and every problem found."""
    form, problems = load(Form, path.read_bytes(), str(path))
    if form is None:
        return None, problems
    uses = [("kind", [form.kind], [path.stem]), *_uses(form)]
    problems = [_problem(str(path), f"{where}: {name}", f"one of: {', '.join(known) or 'none'}",
                         "name one of them")
                for where, names, known in uses for name in names if name and name not in known]
    return (None if problems else form), problems


def _uses(form: Form) -> Iterator[tuple[str, Iterable[str], Collection[str]]]:
    """Where a form names fields, questions or values, or has answers that lack what they need; the
    names; and those that they may be."""
    fields = [field.name for field in form.item]
    yield "before", [form.before], fields
    yield "label", [form.label], fields
    yield "graph.texts", [text.name for text in form.graph.texts] if form.graph else [], fields
    yield "hidden_until", form.hidden_until, fields
    yield "hidden_until", form.hidden_until.values(), form.by_id
    for item in form.written:
        yield "written", item.texts.values(), form.by_id
    for question in form.questions:
        where = f"question {question.id}"
        yield f"{where}: recalls", [question.recalls], form.by_id
        if question.when is not None:
            yield from _tests(f"{where}: when", question.when.all, form)
        if question.answer == GRAPH and form.graph is None:
            yield f"{where}: answer without graph rules", [GRAPH], [
                kind for kind in ANSWERS if kind != GRAPH]
        elif question.answer in CHOSEN and not (question.values or question.topics):
            yield f"{where}: answer without values", [question.answer], [
                kind for kind in ANSWERS if kind not in CHOSEN]
    for caution in form.warnings:
        where = f"warning {caution.rule}"
        yield where, caution.later, form.by_id
        yield from _tests(where, {**caution.all, **caution.none}, form)


def _tests(where: str, tests: Mapping[str, tuple[str, ...]], form: Form,
           ) -> Iterator[tuple[str, Iterable[str], Collection[str]]]:
    yield where, tests, form.by_id
    for name, values in tests.items():
        if name in form.by_id and not form.by_id[name].topics:
            yield where, values, form.by_id[name].keys


# ---- batches -----------------------------------------------------------------------------------


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


def read_batch(annotations: Path, name: str, forms: Mapping[str, Form],
               ) -> tuple[Batch | None, list[Problem]]:
    """A batch, closed if its closing lies beside it, or None; and every problem. Neither if there
    is no such file."""
    path, closed = (path_of(annotations, name, suffix) for suffix in (SUFFIX, CLOSED_SUFFIX))
    if not (is_name(name) and path.is_file()):
        return None, []
    shown = f"{ROOT}/{BATCHES}/{path.name}"
    batch, problems = parse_batch(path.read_bytes(), forms, shown)
    if batch is not None and batch.name != name:
        return None, [_problem(shown, f"batch {batch.name}", "the file's name", "rename one")]
    if batch is None or not closed.is_file():
        return batch, problems
    shown = f"{ROOT}/{BATCHES}/{closed.name}"
    closing, problems = _record(Closing, closed.read_bytes(), shown)
    if closing and (closing.batch, closing.batch_sha256) != (batch.name, batch.sha256):
        problems = [_problem(shown, "the closing of another batch, or of other bytes",
                             f"batch {batch.name} with SHA-256 {batch.sha256[:12]}...",
                             "bring back the batch as it was answered")]
    return (None if problems else replace(batch, closing=closing)), problems


def parse_batch(content: bytes, forms: Mapping[str, Form], shown: str = "<bytes>",
                ) -> tuple[Batch | None, list[Problem]]:
    """The batch that some bytes are, or None, and every problem found."""
    batch, problems = _record(Batch, content, shown)
    if batch is None:
        return None, problems
    known = {kind: form for kind, form in forms.items() if not form.adjudicates}
    if batch.kind not in known:
        return None, [_problem(shown, f"kind {excerpt(batch.kind)}", f"one of: {', '.join(known)}",
                               "name a form")]
    problems = [_problem(shown, *misfit) for misfit in _misfits(known[batch.kind], batch)]
    return (None if problems else replace(batch, sha256=sha256(content))), problems


def _misfits(form: Form, batch: Batch) -> Iterator[tuple[str, str, str]]:
    """What does not fit together in a batch: found, expected, what to do."""
    if batch.guideline != form.guideline:
        yield f"guideline {batch.guideline}", form.guideline, "make the batch again"
    topics = [topic.key for topic in batch.topics]
    for item in batch.items:
        misfits = [*_item_misfits(form, item)]
        yield from misfits
        if batch.training and not misfits and (
                fault := check(form, item, item.answer, topics).fault):
            yield (f"item {item.id}: answer: {fault.text}", "right answers in a training batch",
                   "mend the batch")


def _item_misfits(form: Form, item: Item) -> Iterator[tuple[str, str, str]]:
    """What an item lacks that its form shows, or has of another kind."""
    for field in form.item:
        text = item.texts.get(field.name, "")
        if field.kind == TRIPLETS:
            continue
        if field.name not in (item.counts if field.kind == COUNTS else item.texts):
            if not field.optional:
                yield (f"item {item.id}: no {field.kind} {field.name!r}", "what its form shows",
                       "add it")
        elif field.kind == LABEL and text not in field.values:
            yield (f"item {item.id}: {field.name} {excerpt(text)}",
                   f"one of: {', '.join(field.values)}", "mend it")
        elif field.kind == GRAPH and not read_graph(text)[0]:
            yield f"item {item.id}: {field.name} {excerpt(text)}", "a graph", "mend it"


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


def key_content(origins: Mapping[str, Origin], sampled: Mapping[str, str]) -> bytes:
    """The bytes of a key."""
    return content({"format": Key.format, "sampled": dict(sampled), "items": {
        name: {key: value for key, value in vars(origin).items() if value}
        for name, origin in sorted(origins.items())}})


def closing_content(batch: Batch, answers: Iterable[CountedFile]) -> bytes:
    """The bytes of what closes a batch."""
    return content(asdict(Closing("annotation-closing/1", batch.name, batch.sha256,
                                  tuple(answers))))


def content(document: Mapping[str, Any]) -> bytes:
    """The bytes of a batch, its key or its closing, which others name by their digest."""
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


# ---- people ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """One annotator."""

    active: Annotated[bool, YesNo(), "Whether new files are accepted."] = True
    roles: Annotated[tuple[Annotated[str, BATCH_NAME], ...], Items(), "The kinds of batches that "
                     "they work on."] = ()
    simulated: Annotated[bool, YesNo(), "Whether a program writes the answers: whatever they have "
                         "part in is called simulated, and orders no rows."] = False
    teams: Annotated[tuple[Slug, ...], Items(0, 20), "Teams that they belong to: what they say of "
                     "graphs of these teams' systems is no verdict."] = ()


def read_people(annotations: Path) -> tuple[Mapping[str, Person], list[Problem]]:
    """Annotators by login, none without the file; and everything that is wrong with it."""
    path = annotations / PEOPLE
    if not path.exists():
        return {}, []
    people, problems = load(Annotated[Mapping[Annotated[str, LOGIN], Person], Items(0, 2000)],
                            path.read_bytes(), str(path))
    return people or {}, problems


def may(people: Mapping[str, Person], login: str, kind: str) -> bool:
    """Whether somebody may hand in answers to a kind of batch.

    Who is not active may hand in nothing. A kind that is somebody's role is for those alone who
    have it.

    >>> people = {"ann": Person(roles=("verify",)), "bob": Person()}
    >>> may(people, "ann", "verify"), may(people, "bob", "verify"), may(people, "bob", "csk")
    (True, False, True)
    """
    member = people.get(login, Person())
    held = any(kind in person.roles for person in people.values())
    return member.active and (not held or kind in member.roles)


def may_judge(people: Mapping[str, Person], login: str, system: str) -> bool:
    """Whether somebody's votes are verdicts on a system, ``team/system``: not on their own team's.

    >>> people = {"ann": Person(teams=("one",))}
    >>> may_judge(people, "ann", "one/x"), may_judge(people, "ann", "two/x")
    (False, True)
    """
    return system.partition("/")[0] not in people.get(login, Person()).teams


def simulated(people: Mapping[str, Person], logins: Iterable[str]) -> tuple[str, ...]:
    """Those of some annotators whose answers a program writes, each once, sorted: by the mark, or
    by the name alone.

    >>> people = {"ann": Person(), "hal": Person(simulated=True)}
    >>> simulated(people, ("simulated-1", "ann", "hal", "nobody"))
    ('hal', 'simulated-1')
    """
    return tuple(sorted({login for login in logins if login.startswith(SIMULATED)
                         or people.get(login, Person()).simulated}))
