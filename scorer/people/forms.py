"""Forms of questions: those that come with the program, and a host's own in ``annotations/forms``.

A form is a YAML file that is read strictly, and then checked as a whole: conditions look back, a
kind of answer has what it needs, and no two forms share a name or a folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from scorer.core.errors import Problem, SubmissionError, UsageError, excerpt
from scorer.core.reading.schema import load
from scorer.people.records import (
    CHOICE,
    CHOICES,
    COMMENT,
    GRAPH,
    LABEL,
    NOT_ASKED,
    TEXT,
    TRIPLETS,
    Form,
    Question,
)

SHIPPED = Path(__file__).parent / "forms"
FOLDER = "forms"
"""The folder of a host's own forms in ``annotations/``."""
BATCHES = "batches"
RESERVED = (FOLDER, BATCHES)
"""Folders of ``annotations/`` that hold no answers."""
TAKEN = {"field": frozenset(("id", "nodes", "answer", "why", "constructor")),
         "question": frozenset(("item", COMMENT, "constructor"))}
"""Names that items of batches and files of answers have in any form, and what every object of a
page has."""
RULING = ("unit", "question", "value", "reason")
"""The questions of a form that adjudicates."""
_Misfit = tuple[str, str, str]


def forms_of(annotations: Path | None = None) -> Mapping[str, Form]:
    """Every form by its kind: ours, then those of a host's ``annotations`` folder.

    Raises SubmissionError with every fault of a host's form.
    """
    found = dict(_shipped())
    problems: list[Problem] = []
    folder = annotations / FOLDER if annotations else None
    for path in sorted(folder.glob("*.yaml")) if folder and folder.is_dir() else ():
        form, faults = read(path)
        problems += faults
        if form is None:
            continue
        for other in found.values():
            if other.kind == form.kind or other.folder == form.folder:
                problems.append(Problem(
                    str(path), 1, 1, "META-VALUE", f"the name or folder of form {other.kind}",
                    "a kind and a folder of its own", "rename it"))
                break
        else:
            found[form.kind] = form
    if problems:
        raise SubmissionError(sorted(problems))
    return found


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, Form]:
    return {path.stem: load(Form, path.read_bytes(), str(path))[0]
            for path in sorted(SHIPPED.glob("*.yaml"))}


def find(forms: Mapping[str, Form], kind: str) -> Form:
    """A form by its kind. Raises UsageError that names those there are."""
    if kind not in forms:
        raise UsageError(f"no form {excerpt(kind)}; choose one of: {', '.join(forms)}")
    return forms[kind]


def read(path: Path) -> tuple[Form | None, list[Problem]]:
    """The form in a file, or None, and every problem found."""
    form, problems = load(Form, path.read_bytes(), str(path))
    if form is None:
        return None, problems
    faults = [*_misfits(form)]
    if form.kind != path.stem:
        faults.append((f"kind {form.kind}", f"the file's name {path.stem}", "rename one of them"))
    found = [Problem(str(path), 1, 1, "META-VALUE", *fault) for fault in faults]
    return (None if found else form), found


def _misfits(form: Form) -> Iterator[_Misfit]:
    """What does not fit together: what was found, what was expected, what to do."""
    fields = {one.name: one.kind for one in form.item}
    questions = {one.id: one.answer for one in form.questions}
    yield from _name_misfits("field", [one.name for one in form.item])
    yield from _name_misfits("question", [one.id for one in form.questions])
    if form.folder in RESERVED:
        yield f"folder {form.folder}", "another name", "rename it; that folder holds other files"
    for one in form.item:
        if unknown := [label for label in one.says if label not in one.values]:
            yield (f"field {one.name}: says what {', '.join(unknown)} means",
                   f"labels of its values: {', '.join(one.values) or 'it has none'}",
                   "mend the field")
    for where, name, kind in _fields_named(form):
        if fields.get(name) != kind:
            yield f"{where}: {name}", f"a field of kind {kind}", "name one"
    for where, name, answer in _questions_named(form):
        if questions.get(name) != answer:
            yield f"{where}: {name}", f"a question that is answered by a {answer}", "name one"
    for name, until in form.hidden_until.items():
        if name not in fields or until not in questions:
            yield (f"hidden_until {name}: {until}", "a field of the item and a question",
                   "name them as above")
    if form.adjudicates and tuple(questions) != RULING:
        yield (f"questions {', '.join(questions)}",
               f"{', '.join(RULING)} in a form that adjudicates", "write these")
    if (GRAPH in questions.values()) != (form.graph is not None):
        yield ("a question for a graph without `graph`, or `graph` without such a question",
               "both or none", "add or remove one of them")
    earlier: dict[str, Question] = {}
    for question in form.questions:
        yield from _question_misfits(question, earlier, TRIPLETS in fields.values())
        earlier[question.id] = question
    for caution in form.warnings:
        here = f"warning {caution.rule}"
        if not caution.rule.startswith(f"{form.rules}-W-"):
            yield here, f"an id that begins with {form.rules}-W-", "rename it"
        if not (caution.all or caution.none or caution.later):
            yield f"{here} without a condition", "all, none or later", "add one of them"
        yield from _test_misfits(here, {**caution.all, **caution.none}, form.by_id)


def _name_misfits(what: str, names: Sequence[str]) -> Iterator[_Misfit]:
    """Of the names of fields or questions."""
    for name, count in Counter(names).items():
        if count > 1:
            yield f"the {what} {name} {count} times", "different names", "rename one of them"
        if name in TAKEN[what]:
            yield f"a {what} {name}", "another name", (
                "rename it; batches, files or pages use that name")


def _fields_named(form: Form) -> Iterator[tuple[str, str, str]]:
    """Where a form names a field, the name, and of which kind the field must be."""
    if form.before:
        yield "before", form.before, GRAPH
    if form.label:
        yield "label", form.label, LABEL
    for text in form.graph.texts if form.graph else ():
        yield "graph.texts", text.name, TEXT


def _questions_named(form: Form) -> Iterator[tuple[str, str, str]]:
    """The same of questions."""
    for made in form.written:
        for name in made.texts.values():
            yield "written", name, TEXT
    for caution in form.warnings:
        for name in caution.later:
            yield f"warning {caution.rule}", name, CHOICE


def _question_misfits(question: Question, earlier: Mapping[str, Question], triplets: bool,
                      ) -> Iterator[_Misfit]:
    here = f"question {question.id}"
    choose = question.answer in (CHOICE, CHOICES, TRIPLETS)
    if choose != bool(question.values or question.topics):
        yield (f"{here}: {question.answer} with {len(question.values)} values",
               "values where something is chosen, and only there", "mend the question")
    if question.answer == TRIPLETS:
        if not triplets:
            yield f"{here}: triplets", "an item with a field of that kind", "add the field"
        if any(len(key) > 1 or key == NOT_ASKED for key in question.keys):
            yield (f"{here}: values {', '.join(question.keys)}", "values of one character, for "
                   "files hold a character for each triplet", "shorten them")
    if question.recalls and question.recalls not in earlier:
        yield (f"{here}: recalls {question.recalls}", f"one of: {', '.join(earlier) or 'none'}",
               "name a question that comes earlier")
    if question.when is not None:
        tests = {**question.when.all, **question.when.any}
        if not tests:
            yield f"{here}: when without a test", "all or any", "name questions with answers"
        yield from _test_misfits(f"{here}: when", tests, earlier)


def _test_misfits(here: str, tests: Mapping[str, tuple[str, ...]],
                  known: Mapping[str, Question]) -> Iterator[_Misfit]:
    for name, values in tests.items():
        if name not in known:
            yield f"{here}: {name}", f"one of: {', '.join(known) or 'no question'}", (
                "name a question that comes earlier")
        elif unknown := [value for value in values
                         if value not in known[name].keys and not known[name].topics]:
            yield (f"{here}: {name} is {', '.join(unknown)}",
                   f"one of: {', '.join(known[name].keys)}", "name a value of that question")
