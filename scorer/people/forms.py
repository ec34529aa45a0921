"""Forms of questions: those that come with the program, and a host's own in ``annotations/forms``.

A form is a YAML file that is read strictly, and then checked as a whole: conditions look back, a
kind of answer has what it needs, and no two forms share a name or a folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
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
    LONGEST_TEXT,
    NOT_ASKED,
    TEXT,
    TRIPLETS,
    Form,
)

SHIPPED = Path(__file__).parent / "forms"
ROOT = "annotations"
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
    forms = dict(_shipped())
    problems: list[Problem] = []
    folder = annotations / FOLDER if annotations else None
    for path in sorted(folder.glob("*.yaml")) if folder and folder.is_dir() else ():
        form, faults = read(path)
        problems += faults
        if form is None:
            continue
        for other in forms.values():
            if other.kind == form.kind or other.folder == form.folder:
                problems.append(Problem(
                    str(path), 1, 1, "META-VALUE", f"the name or folder of form {other.kind}",
                    "a kind and a folder of its own", "rename it"))
                break
        else:
            forms[form.kind] = form
    if problems:
        raise SubmissionError(sorted(problems))
    return forms


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
    misfits = [Problem(str(path), 1, 1, "META-VALUE", *fault) for fault in faults]
    return (None if misfits else form), misfits


def _misfits(form: Form) -> Iterator[_Misfit]:
    """What does not fit together: what was found, what was expected, what to do."""
    kinds = [field.kind for field in form.item]
    answers = [question.answer for question in form.questions]
    for what, names in (("field", [field.name for field in form.item]),
                        ("question", [question.id for question in form.questions])):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"the {what} {name} {count} times", "different names", "rename one of them"
            if name in TAKEN[what]:
                yield (f"a {what} {name}", "another name",
                       "rename it; batches, files or pages use that name")
    if form.folder in RESERVED:
        yield f"folder {form.folder}", "another name", "rename it; that folder holds other files"
    for where, name, known in _names_used(form):
        if name not in known:
            yield f"{where}: {name}", f"one of: {', '.join(known) or 'none'}", "name one of them"
    if form.adjudicates and tuple(form.by_id) != RULING:
        yield (f"questions {', '.join(form.by_id)}",
               f"{', '.join(RULING)} in a form that adjudicates", "write these")
    if (GRAPH in answers) != (form.graph is not None):
        yield ("a question for a graph without `graph`, or `graph` without such a question",
               "both or none", "add or remove one of them")
    for question in form.questions:
        here = f"question {question.id}"
        choose = question.answer in (CHOICE, CHOICES, TRIPLETS)
        if choose != bool(question.values or question.topics):
            yield (f"{here}: {question.answer} with {len(question.values)} values",
                   "values where something is chosen, and only there", "mend the question")
        if question.answer == TRIPLETS and (TRIPLETS not in kinds or any(
                len(key) > 1 or key == NOT_ASKED for key in question.keys)):
            yield (f"{here}: triplets", "an item with a field of that kind, and values of one "
                   "character", "add the field, or shorten the values")
    for name in (name for made in form.written for name in made.texts.values()):
        if name in form.by_id and form.by_id[name].most > LONGEST_TEXT:
            yield (f"written: {name} of up to {form.by_id[name].most} characters",
                   f"at most {LONGEST_TEXT}, as texts of batches have", "lower its most")
    for caution in form.warnings:
        if not caution.rule.startswith(f"{form.rules}-W-"):
            yield (f"warning {caution.rule}", f"an id that begins with {form.rules}-W-",
                   "rename it")


def _names_used(form: Form) -> Iterator[tuple[str, str, Collection[str]]]:
    """Where a form names a field, a question or a value; the name; and those that it may be."""
    def fields(kind: str) -> list[str]:
        return [field.name for field in form.item if field.kind == kind]

    def questions(answer: str) -> list[str]:
        return [question.id for question in form.questions if question.answer == answer]

    yield from (("before", name, fields(GRAPH)) for name in (form.before,) if name)
    yield from (("label", name, fields(LABEL)) for name in (form.label,) if name)
    for text in form.graph.texts if form.graph else ():
        yield "graph.texts", text.name, fields(TEXT)
    for name, until in form.hidden_until.items():
        yield "hidden_until", name, [field.name for field in form.item]
        yield f"hidden_until {name}", until, form.by_id
    for made in form.written:
        yield from (("written", name, questions(TEXT)) for name in made.texts.values())
    for at, question in enumerate(form.questions):
        earlier = [other.id for other in form.questions[:at]]
        if question.recalls:
            yield f"question {question.id}: recalls", question.recalls, earlier
        when = question.when
        for tests in (when.all, when.any) if when else ():
            yield from _in_tests(form, f"question {question.id}: when", tests, earlier)
    for caution in form.warnings:
        here = f"warning {caution.rule}"
        yield from ((here, name, questions(CHOICE)) for name in caution.later)
        for tests in (caution.all, caution.none):
            yield from _in_tests(form, here, tests, form.by_id)


def _in_tests(form: Form, here: str, tests: Mapping[str, Sequence[str]],
              questions: Collection[str]) -> Iterator[tuple[str, str, Collection[str]]]:
    for name, values in tests.items():
        yield here, name, questions
        question = form.by_id.get(name)
        if question is not None and not question.topics:
            yield from ((f"{here}: {name}", value, question.keys) for value in values)
