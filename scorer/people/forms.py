"""Forms of questions: those that come with the program, and a host's own in ``annotations/forms``.

A form is a YAML file that is read strictly, and then checked as a whole: conditions look back, a
kind of answer has what it needs, and no two forms share a name or a folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from scorer.core.errors import DataError, Problem, SubmissionError, UsageError, excerpt
from scorer.core.reading.schema import load
from scorer.people.records import (
    CHOICE,
    CHOICES,
    COMMENT,
    GRAPH,
    LABEL,
    MAJORITY,
    NOT_ASKED,
    TEXT,
    TRIPLETS,
    Caution,
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
LONGEST_WRITTEN = 2000
"""Characters of a text that becomes an item of a batch."""
RULING = ("unit", "question", "value", "reason")
"""The questions of a form that adjudicates."""
_Fault = tuple[str, str, str]


def forms_of(annotations: Path | None = None) -> Mapping[str, Form]:
    """Every form by its kind: ours, then those of a host's ``annotations`` folder.

    Raises SubmissionError with every fault of a host's form, DataError for one of ours.
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
    found = {}
    for path in sorted(SHIPPED.glob("*.yaml")):
        form, faults = read(path)
        if form is None:
            raise DataError("\n".join(map(str, faults)))
        found[form.kind] = form
    return found


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
    faults = [*misfits(form)]
    if form.kind != path.stem:
        faults.append((f"kind {form.kind}", f"the file's name {path.stem}", "rename one of them"))
    found = [Problem(str(path), 1, 1, "META-VALUE", *fault) for fault in faults]
    return (None if found else form), found


def misfits(form: Form) -> Iterator[_Fault]:
    """What does not fit together: what was found, what was expected, what to do."""
    names = [one.name for one in form.item]
    ids = [question.id for question in form.questions]
    yield from _name_faults("field", names)
    yield from _name_faults("question", ids)
    if form.folder in RESERVED:
        yield f"folder {form.folder}", "another name", "rename it; that folder holds other files"
    kinds = {one.name: one.kind for one in form.item}
    yield from _field_faults(form)
    if list(kinds.values()).count(TRIPLETS) > 1:
        yield "two fields of triplets", "one", "remove one of them"
    for name, until in form.hidden_until.items():
        if name not in names or until not in ids:
            yield (f"hidden_until {name}: {until}", "a field of the item and a question",
                   "name them as above")
    if form.before and kinds.get(form.before) != GRAPH:
        yield f"before: {form.before}", "a field of kind graph", "name one"
    if form.label and kinds.get(form.label) != "label":
        yield f"label: {form.label}", "a field of kind label", "name one"
    if any(stage.takes == MAJORITY and not stage.keep for stage in form.after):
        yield "after: majority without keep", "the labels with which items go on", "name them"
    yield from _written_faults(form, kinds)
    for question in form.questions:
        if question.most_words is not None and question.answer != TEXT:
            yield f"question {question.id}: most_words", "a question that is answered by a text", (
                "remove it")
    if form.adjudicates and tuple(ids) != RULING:
        yield (f"questions {', '.join(ids)}", f"{', '.join(RULING)} in a form that adjudicates",
               "write these")
    yield from _graph_faults(form)
    earlier: dict[str, Question] = {}
    for question in form.questions:
        yield from _question_faults(form, question, earlier, TRIPLETS in kinds.values())
        earlier[question.id] = question
    for caution in form.warnings:
        yield from _caution_faults(form, caution)


def _name_faults(what: str, names: Sequence[str]) -> Iterator[_Fault]:
    """Of the names of fields or questions."""
    for name, count in Counter(names).items():
        if count > 1:
            yield f"the {what} {name} {count} times", "different names", "rename one of them"
        if name in TAKEN[what]:
            yield f"a {what} {name}", "another name", (
                "rename it; batches, files or pages use that name")


def _field_faults(form: Form) -> Iterator[_Fault]:
    for one in form.item:
        if (one.kind in ("label", "counts")) != bool(one.values):
            yield (f"field {one.name} of kind {one.kind} with {len(one.values)} values",
                   "values for a label and for counts alone", "mend the field")
        if unknown := [label for label in one.says if label not in one.values]:
            yield (f"field {one.name}: says what {', '.join(unknown)} means",
                   f"labels of its values: {', '.join(one.values) or 'it has none'}",
                   "mend the field")


def _written_faults(form: Form, kinds: Mapping[str, str]) -> Iterator[_Fault]:
    asked = {question.id: question.answer for question in form.questions}
    for made in form.written:
        for question_id in made.texts.values():
            if asked.get(question_id) != TEXT:
                yield f"written: {question_id}", "a question that is answered by a text", "name one"
            elif form.by_id[question_id].most > LONGEST_WRITTEN:
                yield (f"written: {question_id} of up to {form.by_id[question_id].most} characters",
                       f"at most {LONGEST_WRITTEN}, as texts of batches have", "lower its most")
        if kinds.get(made.label, LABEL) != LABEL:
            yield f"written: label {made.label}", "a label, or a field of kind label", "name one"


def _graph_faults(form: Form) -> Iterator[_Fault]:
    asked = any(question.answer == GRAPH for question in form.questions)
    if asked != (form.graph is not None):
        yield ("a question for a graph without `graph`, or `graph` without such a question",
               "both or none", "add or remove one of them")
    needed = [one.name for one in form.item if one.kind == TEXT and not one.optional]
    for text in form.graph.texts if form.graph else ():
        if text.name not in needed:
            yield f"graph.texts: {text.name}", "a field of kind text, not optional", "name one"


def _question_faults(form: Form, question: Question, earlier: Mapping[str, Question],
                     triplets: bool) -> Iterator[_Fault]:
    here = f"question {question.id}"
    choose = question.answer in (CHOICE, CHOICES, TRIPLETS)
    if choose != bool(question.values or question.topics):
        yield (f"{here}: {question.answer} with {len(question.values)} values",
               "values where something is chosen, and only there", "mend the question")
    if len(set(question.keys)) < len(question.keys):
        yield f"{here}: a value twice", "different values", "rename one of them"
    if question.topics and question.answer != CHOICE:
        yield f"{here}: topics", "them in a question of kind choice alone", "remove them"
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
        yield from _test_faults(f"{here}: when", tests, earlier)


def _caution_faults(form: Form, caution: Caution) -> Iterator[_Fault]:
    here = f"warning {caution.rule}"
    if not caution.rule.startswith(f"{form.rules}-W-"):
        yield here, f"an id that begins with {form.rules}-W-", "rename it"
    if not (caution.all or caution.none or caution.later):
        yield f"{here} without a condition", "all, none or later", "add one of them"
    yield from _test_faults(here, {**caution.all, **caution.none}, form.by_id)
    for name in caution.later:
        if name not in form.by_id or form.by_id[name].answer != CHOICE:
            yield f"{here}: {name}", "a question with one choice", "name one"


def _test_faults(here: str, tests: Mapping[str, tuple[str, ...]],
                 known: Mapping[str, Question]) -> Iterator[_Fault]:
    for name, values in tests.items():
        if name not in known:
            yield f"{here}: {name}", f"one of: {', '.join(known) or 'no question'}", (
                "name a question that comes earlier")
        elif unknown := [value for value in values
                         if value not in known[name].keys and not known[name].topics]:
            yield (f"{here}: {name} is {', '.join(unknown)}",
                   f"one of: {', '.join(known[name].keys)}", "name a value of that question")
