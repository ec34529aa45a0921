"""Whether annotators' files can be accepted, and what lies in an ``annotations`` folder.

A path says what a file is; its header must agree with the path and with the batch as it is now.
Nothing of a stranger is run, and no link is followed.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

from scorer.core import git
from scorer.core.errors import DataError, Problem, UsageError, excerpt
from scorer.core.files import PARTIAL, sha256, sha256_file
from scorer.people import disputes, organisers, sheets
from scorer.people.answered import NOWHERE, AnsweredItem
from scorer.people.answers import check
from scorer.people.organisers import BATCHES, FORMS, PEOPLE, is_name
from scorer.people.records import (
    BATCH_NAME,
    CLOSED,
    LOGIN,
    Annotation,
    Answers,
    Batch,
    CountedFile,
    Form,
    Key,
    Ruling,
)
from scorer.people.sheets import MOST_BYTES, Sheet, SheetFaults, comment_of, plain, said

ROOT = organisers.ROOT
MOST_NAMED = 5
"""Items that a warning names."""
_LATE, _LINK = "ANN-W-LATE", "ANN-LINK"
Record = TypeVar("Record")


@dataclass
class CheckedFile(SheetFaults):
    """What was found in one file: its faults, and what is sound."""

    annotation: Annotation | None = None
    """The sound answers of a file without errors, unless it came late."""
    rulings: tuple[Ruling, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Faults of a file that is the host's own: a batch, a form, a key."""

    @property
    def late(self) -> bool:
        """Whether its batch, if it is closed, closed without it as it is."""
        return _LATE in self.by_rule or _LINK in self.by_rule


class Workplace:
    """An ``annotations`` folder: its forms, batches, keys, people and answers, each read once."""

    def __init__(self, folder: Path) -> None:
        """Read the forms. Raises SubmissionError with the faults of a host's."""
        self.folder = folder
        self.forms = organisers.forms_of(folder)
        self._batches: dict[str, tuple[Batch | None, list[Problem]]] = {}
        self._keys: dict[str, Key] = {}
        self._checked: dict[str, dict[str, CheckedFile]] = {}

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
            self._keys[batch] = _sound(organisers.key_of(self.folder, batch, self.batch(batch)[0]))
        return self._keys[batch]

    @cached_property
    def people(self) -> Mapping[str, organisers.Person]:
        """Annotators by login. Raises DataError for a faulty file."""
        return _sound(organisers.read_people(self.folder))

    def folder_of(self, batch: Batch) -> Path:
        """Where the annotators' files of a batch lie."""
        return self.folder / self.forms[batch.kind].folder / batch.name

    def files(self, batch: Batch) -> list[Path]:
        """The annotators' files of a batch, by name."""
        return sorted(self.folder_of(batch).glob("*.tsv"))

    def checked(self, batch: Batch) -> Mapping[str, CheckedFile]:
        """What is found in these files, by the logins that their names say."""
        if batch.name not in self._checked:
            self._checked[batch.name] = {path.stem: check_file(self, path)
                                         for path in self.files(batch)}
        return self._checked[batch.name]

    def annotations(self, batch: Batch) -> list[Annotation]:
        """The sound answers to a batch that count, in the order in which they count; while it is
        open, in the order of the times that they name."""
        sound = {login: file.annotation for login, file in self.checked(batch).items()
                 if file.annotation is not None}
        if batch.closing is None:
            return sorted(sound.values(), key=lambda answers: (answers.exported, answers.annotator))
        return [sound[answer.annotator] for answer in batch.closing.answers
                if answer.annotator in sound]

    def items(self, batch: Batch) -> list[AnsweredItem]:
        """The items of a batch with the answers that count. Raises DataError for a faulty key."""
        files, origins = self.annotations(batch), self.key(batch.name).items
        return [AnsweredItem(
            self.forms[batch.kind], batch, item, origins.get(item.id, NOWHERE),
            {file.annotator: file.answers[item.id] for file in files if item.id in file.answers},
            {file.annotator: file.comments[item.id] for file in files if item.id in file.comments})
            for item in batch.items]

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


def _sound(read: tuple[Record, list[Problem]]) -> Record:
    """What was read of a file of the host's. Raises DataError with its problems."""
    record, problems = read
    if problems:
        raise DataError("\n".join(map(str, problems)))
    return record


def closing_order(workplace: Workplace, batch: Batch) -> list[CountedFile]:
    """The files that count if a batch closes now: those merged first, first.

    The time in a file is its author's word, so it decides only between files that were merged
    together, or are not committed.
    """
    folder = workplace.folder_of(batch)
    merged = _merge_order(folder)
    return [CountedFile(answers.annotator, sha256_file(folder / f"{answers.annotator}.tsv"))
            for answers in sorted(workplace.annotations(batch), key=lambda answers: merged.get(
                answers.annotator, len(merged)))]


def _merge_order(folder: Path) -> dict[str, int]:
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

_NAME = rf"(?=[^/.]{{1,{BATCH_NAME.most}}}\.){BATCH_NAME.pattern}"
HOST = re.compile(rf"{ROOT}/(?:{BATCHES}/{_NAME}(?:\.key|\.closed)?\.json|{FORMS}/{_NAME}\.yaml"
                  rf"|{re.escape(PEOPLE)}|README\.md)")
"""Paths of the host's own files."""


class AnswersFile(NamedTuple):
    """What a path says of an annotator's file."""

    form: Form
    batch: str
    annotator: str
    """Empty for a file of rulings."""


def answers_at(forms: Iterable[Form], path: str) -> AnswersFile | None:
    """Whose answers to what lie at a path of the repository; None for any other path."""
    batch, stem = PurePosixPath(path).parent.name, PurePosixPath(path).stem
    for form in forms:
        found = AnswersFile(form, *((stem, "") if form.adjudicates else (batch, stem)))
        if path == form.path(found.batch, found.annotator) and is_name(found.batch) and (
                form.adjudicates or re.fullmatch(LOGIN.pattern or "", stem)):
            return found
    return None


# ---- checking ----------------------------------------------------------------------------------


def check_file(workplace: Workplace, path: Path, *, author: str | None = None,
               handed_in: bool = False) -> CheckedFile:
    """Check one file below the folder.

    ``author``: who opened the pull request, if it is one. ``handed_in``: whether answers are new,
    so that their batch must be open and their annotator have the role.
    """
    shown = f"{ROOT}/{path.relative_to(workplace.folder).as_posix()}"
    checked, answers = CheckedFile(shown), answers_at(workplace.forms.values(), shown)
    inside = [path, *(above for above in path.parents
                      if above.is_relative_to(workplace.folder) and above != workplace.folder)]
    if answers is None and not HOST.fullmatch(shown):
        checked.of_file("ANN-PATH", path=excerpt(shown, 200)[1:-1])
    elif any(part.is_symlink() for part in inside) or not path.is_file():
        checked.of_file(_LINK, path=shown)
    elif answers is None:
        if author is not None:
            checked.of_file("ANN-MIXED", path=shown)
        checked.problems = tuple(_host_problems(workplace, path))
    else:
        _check_answers(workplace, path, answers, author and author.lower(), handed_in, checked)
    return checked


def _host_problems(workplace: Workplace, path: Path) -> Iterator[Problem]:
    """Faults of one of the host's own files but for forms, which are read before anything else."""
    if path.name == PEOPLE:
        yield from organisers.read_people(workplace.folder)[1]
    elif path.parent.name == BATCHES:
        name = path.name.partition(".")[0]
        batch, problems = workplace.batch(name)
        yield from (problem for problem in (
            *problems, *organisers.key_of(workplace.folder, name, batch)[1])
            if PurePosixPath(problem.path).name == path.name)


def _check_answers(workplace: Workplace, path: Path, file: AnswersFile, author: str | None,
                   handed_in: bool, checked: CheckedFile) -> None:
    form, new = file.form, handed_in or author is not None
    with path.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    batch, problems = workplace.batch(file.batch)
    if (batch is not None and batch.closing and file.annotator and not new
            and (batch.kind != form.kind or CountedFile(
                file.annotator, sha256(content)) not in batch.closing.answers)):
        checked.of_file(_LATE, b=file.batch)
        return
    if author is not None and author != file.annotator:
        checked.of_file("ANN-AUTHOR", u=author)
    if author is not None and organisers.simulated(workplace.people, [author]):
        checked.of_file("ANN-SIMULATED", u=author)
    if len(content) > MOST_BYTES:
        checked.of_file("ANN-SIZE", n=path.stat().st_size, most=MOST_BYTES)
        return
    sheet = sheets.read(content, form, checked)
    if batch is None:
        checked.of_file("ANN-BATCH faulty" if problems else "ANN-BATCH", b=file.batch)
    elif not form.adjudicates and batch.kind != form.kind:
        checked.of_file("ANN-BATCH folder", v=file.batch, w=form.folder)
        batch = None
    if sheet is None:
        return
    _check_header(sheet.header, file, checked)
    if batch is None:
        return
    if sheet.header.get("batch_sha256", batch.sha256) != batch.sha256:
        checked.of_file("ANN-BATCH-CHANGED", a=plain(sheet.header["batch_sha256"][:12]),
                       b=batch.sha256[:12])
    if batch.training:
        checked.of_file("ANN-BATCH-TRAINING", b=batch.name)
    elif form.adjudicates and batch.status != CLOSED:
        checked.of_file("ANN-BATCH-OPEN", b=batch.name)
    elif new and not form.adjudicates and batch.status == CLOSED:
        checked.of_file("ANN-BATCH-CLOSED", b=batch.name)
    if form.adjudicates:
        rulings = tuple(disputes.rulings(workplace.forms[batch.kind], batch, sheet, form, checked))
        checked.rulings = () if checked.errors else rulings
        return
    if new and not organisers.may(workplace.people, file.annotator, batch.kind):
        checked.of_file("EG-ROLE", u=file.annotator, role=batch.kind)
    annotation = _annotation(workplace, batch, sheet, file, checked)
    checked.annotation = None if checked.errors else annotation


def _check_header(header: Mapping[str, str], file: AnswersFile, faults: SheetFaults) -> None:
    for key, wanted, rule in (("format", file.form.format, "ANN-FORMAT"),
                              ("batch", file.batch, "ANN-BATCH folder"),
                              ("guideline", file.form.guideline, "ANN-GUIDELINE"),
                              ("annotator", file.annotator, "ANN-ANNOTATOR")):
        if wanted and header.get(key, wanted) != wanted:
            faults.of_file(rule, v=plain(header[key]), w=wanted)
    if "exported" in header and not _is_time(header["exported"]):
        faults.of_file("ANN-EXPORTED", v=plain(header["exported"]))


def _is_time(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text, re.ASCII):
        return False
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _annotation(workplace: Workplace, batch: Batch, sheet: Sheet, file: AnswersFile,
                faults: SheetFaults) -> Annotation:
    topics = [topic.key for topic in batch.topics]
    origins = workplace.key(batch.name).items if file.form.not_by_author else {}
    answers: dict[str, Answers] = {}
    comments: dict[str, str] = {}
    first: dict[str, int] = {}
    for row in sheet.rows:
        name = row.cells["item"]
        item = batch.by_id.get(name)
        if item is None:
            faults.say(row.number, said("ANN-ITEM-UNKNOWN", i=plain(name)))
            continue
        if first.setdefault(name, row.number) != row.number:
            faults.say(row.number, said("ANN-ITEM-DUP", i=name, l=first[name]))
            continue
        result = check(file.form, item, row.cells, topics)
        for message in filter(None, (result.fault, *result.warnings)):
            faults.say(row.number, message)
        if name in origins and file.annotator in origins[name].authors:
            faults.say(row.number, said(file.form.not_by_author, u=file.annotator, i=name))
        answers[name] = result.answers
        if comment := comment_of(row, faults):
            comments[name] = comment
    missing = [item.id for item in batch.items if item.id not in answers]
    if missing and answers:
        more = ", ..." if len(missing) > MOST_NAMED else ""
        faults.of_file("ANN-ITEM-MISSING", k=len(missing), n=len(batch.items),
                       first=", ".join(missing[:MOST_NAMED]) + more)
    return Annotation(file.annotator, sheet.header.get("exported", ""), answers, comments)


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
    late: tuple[str, ...]
    """Whose files do not count, for the batch closed without them as they are."""
    simulated: tuple[str, ...]
    """Those of the annotators who are simulated."""


def coverage(workplace: Workplace, batch: Batch) -> Coverage:
    """How far one batch is answered."""
    annotations, files = workplace.annotations(batch), workplace.checked(batch)
    counts = Counter(item for annotation in annotations for item in annotation.answers)
    late = tuple(login for login, file in files.items()
                 if batch.closing and (file.late or login not in batch.closing.logins))
    return Coverage(
        len(annotations), counts.total(), sum(count >= batch.needed for count in counts.values()),
        len(files) - len(annotations) - len(late), late,
        organisers.simulated(workplace.people, [answers.annotator for answers in annotations]))


def uncounted(workplace: Workplace) -> Iterator[str]:
    """Files that count nowhere, and answers that counted and are gone: a line each."""
    for batch in workplace.batches():
        files, named = workplace.checked(batch), batch.closing.logins if batch.closing else set()
        sound = {annotation.annotator for annotation in workplace.annotations(batch)}
        for login in sorted({*named, *files} - sound):
            gone = login in named and (login not in files or files[login].late)
            why = (f"it counted when batch {batch.name} closed, and is not there as it was; "
                   f"restore it with git, or run: scorer annotations withdraw {batch.name} {login}"
                   if gone else
                   f"it has errors, or batch {batch.name} closed without it as it is; "
                   "run: scorer annotations validate")
            path = workplace.forms[batch.kind].path(batch.name, login)
            yield f"{path}: counts nowhere: {why}"
