"""Whether annotators' files can be accepted, and what lies in an ``annotations`` folder.

A path says what a file is; its header must agree with the path and with the batch as it is now.
Nothing of a stranger is run, and no link is followed.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from scorer.core import git
from scorer.core.errors import DataError, Problem, UsageError, excerpt
from scorer.core.files import PARTIAL, sha256_file
from scorer.people import disputes, organisers, sheets
from scorer.people.answered import NOWHERE, AnsweredItem
from scorer.people.answers import check
from scorer.people.organisers import CLOSED_SUFFIX, KEY_SUFFIX, SUFFIX, is_name
from scorer.people.records import (
    CLOSED,
    LOGIN,
    Annotation,
    Answers,
    Batch,
    Form,
    Key,
    Origin,
    Ruling,
)
from scorer.people.sheets import MOST_BYTES, Sheet, SheetFaults, comment_of, plain, said

ROOT = organisers.ROOT
MOST_NAMED = 5
"""Items that a warning names."""


@dataclass
class CheckedFile:
    """What was found in one file."""

    faults: SheetFaults
    annotation: Annotation | None = None
    """The sound answers of a file without errors, whether they count or not."""
    rulings: tuple[Ruling, ...] = ()
    problems: Sequence[Problem] = ()
    """Faults of a file that is the host's own: a batch, a form, a key."""


@dataclass
class Workplace:
    """An ``annotations`` folder: its forms, batches, keys, people and answers, each read once."""

    folder: Path
    forms: Mapping[str, Form] = field(init=False)
    _batches: dict[str, tuple[Batch | None, list[Problem]]] = field(default_factory=dict)
    _keys: dict[str, Key] = field(default_factory=dict)
    _annotations: dict[str, list[Annotation]] = field(default_factory=dict)
    _counted: dict[str, list[Path]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the forms. Raises SubmissionError with the faults of a host's."""
        self.forms = organisers.forms_of(self.folder)

    def batch(self, name: str) -> tuple[Batch | None, list[Problem]]:
        """A batch and its problems; neither if there is no such file."""
        if name not in self._batches:
            self._batches[name] = organisers.read_batch(self.folder, name, self.forms)
        return self._batches[name]

    def chosen(self, name: str, *statuses: str) -> Batch:
        """A batch with one of these, not for training. Raises UsageError for another."""
        batch, problems = self.batch(name)
        if batch is None:
            reason = problems[0].found if problems else "no such batch"
            raise UsageError(f"batch {excerpt(name)}: {reason}; name a sound one")
        if batch.training or batch.status not in statuses:
            why = "for training" if batch.training else batch.status
            raise UsageError(f"batch {name} is {why}; name one that is {' or '.join(statuses)}")
        return batch

    def batches(self) -> list[Batch]:
        """Every sound batch, by name."""
        loaded = (self.batch(name)[0] for name in organisers.names_in(self.folder))
        return [batch for batch in loaded if batch is not None]

    @property
    def problems(self) -> list[Problem]:
        """Everything that is wrong with batches."""
        return [problem for name in organisers.names_in(self.folder)
                for problem in self.batch(name)[1]]

    def key(self, batch: str) -> Key:
        """What the key of a batch says. Raises DataError for a faulty one."""
        if batch not in self._keys:
            key, problems = organisers.key_of(self.folder, batch, self.batch(batch)[0])
            if problems:
                raise DataError("\n".join(map(str, problems)))
            self._keys[batch] = key
        return self._keys[batch]

    def origins(self, batch: str) -> Mapping[str, Origin]:
        """Where the items of a batch come from. Raises DataError for a faulty key."""
        return self.key(batch).items

    @cached_property
    def people(self) -> Mapping[str, organisers.Person]:
        """Annotators by login. Raises DataError for a faulty file."""
        annotators, problems = organisers.read_people(self.folder)
        if problems:
            raise DataError("\n".join(map(str, problems)))
        return annotators

    def folder_of(self, batch: Batch) -> Path:
        """Where the annotators' files of a batch lie."""
        return self.folder / self.forms[batch.kind].folder / batch.name

    def files(self, batch: Batch) -> list[Path]:
        """The annotators' files of a batch, by name."""
        return sorted(self.folder_of(batch).glob("*.tsv"))

    def counted(self, batch: Batch) -> list[Path]:
        """The files that may count: of a closed batch those that its closing names, as they were
        then and in its order; of an open one all."""
        if batch.closing is None:
            return self.files(batch)
        if batch.name not in self._counted:
            named = ((self.folder_of(batch) / f"{answer.annotator}.tsv", answer.sha256)
                     for answer in batch.closing.answers)
            self._counted[batch.name] = [path for path, digest in named
                                         if path.is_file() and sha256_file(path) == digest]
        return self._counted[batch.name]

    def annotations(self, batch: Batch) -> list[Annotation]:
        """The sound answers to a batch that count, in the order in which they count; while it is
        open, in the order of the times that they name."""
        if batch.name not in self._annotations:
            checked = (check_file(self, path).annotation for path in self.counted(batch))
            sound = [annotation for annotation in checked if annotation is not None]
            self._annotations[batch.name] = sound if batch.closing else in_order(sound, {})
        return self._annotations[batch.name]

    def items(self, batch: Batch) -> list[AnsweredItem]:
        """The items of a batch with the answers that count. Raises DataError for a faulty key."""
        sheets, origins = self.annotations(batch), self.origins(batch.name)
        return [AnsweredItem(
            self.forms[batch.kind], batch, item, origins.get(item.id, NOWHERE),
            {sheet.annotator: sheet.answers[item.id] for sheet in sheets
             if item.id in sheet.answers},
            {sheet.annotator: sheet.comments[item.id] for sheet in sheets
             if item.id in sheet.comments}) for item in batch.items]

    def simulated(self, batch: Batch) -> tuple[str, ...]:
        """Simulated annotators who have part in a batch: with answers that count, as authors of
        its graphs, or in its rulings. Raises DataError for a faulty key."""
        return organisers.simulated(self.people, [
            *(login for item in self.items(batch) for login in item.logins),
            *(ruling.by for ruling in self.rulings(batch))])

    def rulings(self, batch: Batch) -> tuple[Ruling, ...]:
        """What maintainers settled of a batch."""
        form = next(form for form in self.forms.values() if form.adjudicates)
        path = self.folder / form.folder / f"{batch.name}.tsv"
        return check_file(self, path).rulings if path.is_file() else ()

    def every_path(self) -> list[Path]:
        """Every file below the folder, links unfollowed."""
        return sorted(path for path in self.folder.rglob("*")
                      if (path.is_symlink() or not path.is_dir())
                      and not PARTIAL.fullmatch(path.name))


def in_order(annotations: Sequence[Annotation], merged: Mapping[str, int]) -> list[Annotation]:
    """Answers in the order in which they count: merged first, first.

    ``merged``: of :func:`merge_order`. The time in a file is its author's word, so it decides only
    between files that were merged together, or are not committed.
    """
    return sorted(annotations, key=lambda annotation: (
        merged.get(annotation.annotator, len(merged)), annotation.exported, annotation.annotator))


def merge_order(folder: Path) -> dict[str, int]:
    """The position, by annotator, of the commit of the branch that last added each file of a
    folder; nothing without git or history."""
    try:
        ran = git.run(folder, "log", "--first-parent", "-m", "--reverse", "--no-renames",
                      "--diff-filter=A", "--name-only", "--format=%x01", "-z", "--", ".")
    except OSError:
        return {}
    return {name.decode(): position for position, commit in enumerate(ran.stdout.split(b"\1"))
            for name in re.findall(rb"([a-z0-9-]+)\.tsv\0", commit)}


# ---- what a path is ----------------------------------------------------------------------------


class AnswersFile(NamedTuple):
    """What a path says of an annotator's file."""

    form: Form
    batch: str
    annotator: str
    """Empty for a file of rulings."""


def file_at(known: Iterable[Form], relative: PurePosixPath) -> AnswersFile | str | None:
    """What a path below the folder is: answers, the host's own (in a word), or nothing of ours.

    Host's words: ``batch`` (its key and closing too), ``form``, ``people``, ``text``.
    """
    parts = relative.parts
    if not parts or ".." in parts:
        return None
    folder, name = parts[0], parts[-1]
    if len(parts) == 1:
        return {organisers.PEOPLE: "people", "README.md": "text"}.get(name)
    if len(parts) == 2 and folder == organisers.FORMS and name.endswith(".yaml"):
        return "form"
    if len(parts) == 2 and folder == organisers.BATCHES and name.endswith(SUFFIX):
        return "batch" if is_name(_batch_name(name)) else None
    form = next((candidate for candidate in known if candidate.folder == folder), None)
    if form is None or not name.endswith(".tsv") or len(parts) != (2 if form.adjudicates else 3):
        return None
    stem = name.removesuffix(".tsv")
    if form.adjudicates:
        return AnswersFile(form, stem, "") if is_name(stem) else None
    if is_name(parts[1]) and re.fullmatch(LOGIN.pattern or "", stem):
        return AnswersFile(form, parts[1], stem)
    return None


def _batch_name(name: str) -> str:
    """The batch of which a file is, or is the key or the closing."""
    suffix = next(ending for ending in (KEY_SUFFIX, CLOSED_SUFFIX, SUFFIX) if name.endswith(ending))
    return name.removesuffix(suffix)


# ---- checking ----------------------------------------------------------------------------------


def check_file(workplace: Workplace, path: Path, *, author: str | None = None,
               handed_in: bool = False) -> CheckedFile:
    """Check one file below the folder.

    ``author``: who opened the pull request, if it is one. ``handed_in``: whether answers are new,
    so that their batch must be open and their annotator have the role.
    """
    relative = PurePosixPath(path.relative_to(workplace.folder).as_posix())
    shown = f"{ROOT}/{relative}"
    faults = SheetFaults(shown)
    checked = CheckedFile(faults)
    what = file_at(workplace.forms.values(), relative)
    inside = [path, *(above for above in path.parents
                      if above.is_relative_to(workplace.folder) and above != workplace.folder)]
    if what is None:
        faults.say(1, said("ANN-PATH", path=excerpt(shown, 200)[1:-1]))
    elif any(part.is_symlink() for part in inside) or not path.is_file():
        faults.say(1, said("ANN-LINK", path=shown))
    elif isinstance(what, str):
        if author is not None:
            faults.say(1, said("ANN-MIXED", path=shown))
        checked.problems = _host_problems(workplace, path, what)
    else:
        _check_answers(workplace, path, what, author, handed_in, checked)
    return checked


def _check_answers(workplace: Workplace, path: Path, what: AnswersFile, author: str | None,
                   handed_in: bool, checked: CheckedFile) -> None:
    faults, form, new = checked.faults, what.form, handed_in or author is not None
    batch, problems = workplace.batch(what.batch)
    if (not new and what.annotator and batch is not None and batch.closing
            and path not in workplace.counted(batch)):
        faults.say(1, said("ANN-W-LATE", b=what.batch))
        return
    if author is not None and author.lower() != what.annotator:
        faults.say(1, said("ANN-AUTHOR", u=author.lower()))
    if author is not None and organisers.is_simulated(workplace.people, author.lower()):
        faults.say(1, said("ANN-SIMULATED", u=author.lower()))
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        faults.say(1, said("ANN-SIZE", n=path.stat().st_size, most=MOST_BYTES))
        return
    sheet = sheets.read(content, form, faults)
    if batch is None:
        faults.say(1, said("ANN-BATCH faulty" if problems else "ANN-BATCH", b=what.batch))
    elif not form.adjudicates and batch.kind != form.kind:
        faults.say(1, said("ANN-BATCH folder", b=what.batch, f=form.folder))
        batch = None
    if sheet is None:
        return
    _check_header(sheet.header, what, batch, new, faults)
    if batch is None:
        return
    if form.adjudicates:
        rulings = tuple(disputes.rulings(workplace.forms[batch.kind], batch, sheet, form, faults))
        checked.rulings = () if faults.errors else rulings
        return
    if new and not organisers.may(workplace.people, what.annotator, batch.kind):
        faults.say(1, said("EG-ROLE", u=what.annotator, role=batch.kind))
    annotation = _annotation(workplace, batch, sheet, what, faults)
    checked.annotation = None if faults.errors else annotation


def _check_header(header: Mapping[str, str], what: AnswersFile, batch: Batch | None,
                  handed_in: bool, faults: SheetFaults) -> None:
    def wrong(key: str, wanted: str) -> bool:
        return key in header and header[key] != wanted

    form = what.form
    if wrong("format", form.format):
        faults.say(1, said("ANN-FORMAT", v=plain(header["format"]), w=form.format))
    if wrong("batch", what.batch):
        faults.say(1, said("ANN-BATCH folder", b=plain(header["batch"]), f=what.batch))
    if wrong("guideline", form.guideline):
        faults.say(1, said("ANN-GUIDELINE", v=plain(header["guideline"]), w=form.guideline))
    if what.annotator and wrong("annotator", what.annotator):
        faults.say(1, said("ANN-ANNOTATOR", a=plain(header["annotator"]),
                           f=f"{what.annotator}.tsv"))
    if "exported" in header and not _is_time(header["exported"]):
        faults.say(1, said("ANN-EXPORTED", v=plain(header["exported"])))
    if batch is None:
        return
    if wrong("batch_sha256", batch.sha256):
        faults.say(1, said("ANN-BATCH-CHANGED", a=plain(header["batch_sha256"][:12]),
                           b=batch.sha256[:12]))
    if batch.training:
        faults.say(1, said("ANN-BATCH-TRAINING", b=batch.name))
    elif form.adjudicates and batch.status != CLOSED:
        faults.say(1, said("ANN-BATCH-OPEN", b=batch.name))
    elif handed_in and not form.adjudicates and batch.status == CLOSED:
        faults.say(1, said("ANN-BATCH-CLOSED", b=batch.name))


def _annotation(workplace: Workplace, batch: Batch, sheet: Sheet, what: AnswersFile,
                faults: SheetFaults) -> Annotation:
    topics = [topic.key for topic in batch.topics]
    origins = workplace.origins(batch.name) if what.form.not_by_author else {}
    answers: dict[str, Answers] = {}
    comments = {}
    first: dict[str, int] = {}
    for line in sheet.rows:
        name = line.cells["item"]
        item = batch.by_id.get(name)
        if item is None:
            faults.say(line.number, said("ANN-ITEM-UNKNOWN", name, i=plain(name)))
            continue
        if name in first:
            faults.say(line.number, said("ANN-ITEM-DUP", name, i=name, l=first[name]))
            continue
        first[name] = line.number
        result = check(what.form, item, line.cells, topics)
        for message in filter(None, (result.fault, *result.warnings)):
            faults.say(line.number, message)
        if name in origins and what.annotator in origins[name].authors:
            faults.say(line.number, said(what.form.not_by_author, name, u=what.annotator, i=name))
        answers[name] = result.answers
        if comment := comment_of(line, faults):
            comments[name] = comment
    missing = [item.id for item in batch.items if item.id not in answers]
    if missing and answers:
        more = ", ..." if len(missing) > MOST_NAMED else ""
        faults.say(1, said("ANN-ITEM-MISSING", k=len(missing), n=len(batch.items),
                           first=", ".join(missing[:MOST_NAMED]) + more))
    return Annotation(what.annotator, sheet.header.get("exported", ""), answers, comments)


def _is_time(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text, re.ASCII):
        return False
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _host_problems(workplace: Workplace, path: Path, what: str) -> Sequence[Problem]:
    """Faults of the host's own files but for forms, which are read before anything else: of a
    batch, its key and its closing those of the one file."""
    if what == "people":
        return organisers.read_people(workplace.folder)[1]
    if what != "batch":
        return ()
    name = _batch_name(path.name)
    batch, problems = workplace.batch(name)
    return [problem for problem in (*problems, *organisers.key_of(workplace.folder, name, batch)[1])
            if PurePosixPath(problem.path).name == path.name]


# ---- how far batches are answered --------------------------------------------------------------


class Coverage(NamedTuple):
    """What is handed in of one batch, in numbers; nothing of what was answered."""

    annotators: int
    """Annotators with a sound file that counts."""
    answers: int
    finished: int
    """Items with as many answers as are needed."""
    refused: int
    """Files with errors; of a closed batch those that count."""
    late: tuple[str, ...] = ()
    """Whose files do not count, for the batch closed without them as they are."""
    simulated: tuple[str, ...] = ()
    """Those of the annotators who are simulated."""


def coverage(workplace: Workplace, batch: Batch) -> Coverage:
    """How far one batch is answered."""
    annotations, files = workplace.annotations(batch), workplace.counted(batch)
    counts = Counter(item for annotation in annotations for item in annotation.answers)
    return Coverage(
        len(annotations), counts.total(),
        sum(count >= batch.needed for count in counts.values()), len(files) - len(annotations),
        tuple(path.stem for path in workplace.files(batch) if path not in files),
        organisers.simulated(
            workplace.people, [annotation.annotator for annotation in annotations]))


def uncounted(workplace: Workplace) -> Iterator[str]:
    """Files that count nowhere, and answers that counted and are gone: a line each."""
    for batch in workplace.batches():
        named = {answer.annotator for answer in batch.closing.answers} if batch.closing else set()
        kept = {path.stem for path in workplace.counted(batch)}
        logins = named.union(path.stem for path in workplace.files(batch))
        sound = {annotation.annotator for annotation in workplace.annotations(batch)}
        for login in sorted(logins - sound):
            why = (f"it counted when batch {batch.name} closed, and is not there as it was; "
                   f"restore it with git, or run: scorer annotations withdraw {batch.name} {login}"
                   if login in named - kept else
                   f"it has errors, or batch {batch.name} closed without it as it is; "
                   "run: scorer annotations validate")
            path = workplace.forms[batch.kind].path(batch.name, login)
            yield f"{path}: counts nowhere: {why}"
