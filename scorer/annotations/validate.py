"""Whether annotators' files can be accepted, and what lies in an ``annotations`` folder.

A path says what a file is; its header must agree with the path and with the batch as it is now.
Nothing of a stranger is run, and no link is followed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from scorer.annotations import batches, forms, keys, people, sheets
from scorer.annotations.answers import allowed, check
from scorer.annotations.batches import KEY_SUFFIX, SUFFIX, is_name
from scorer.annotations.records import (
    CHOICES,
    CLOSED,
    COMMENT,
    LOGIN,
    MOST_COMMENT,
    TRIPLETS,
    Annotation,
    Answers,
    Batch,
    Form,
    Item,
    Ruling,
)
from scorer.annotations.rules import MOST_BYTES, Said, said
from scorer.annotations.sheets import Faults, Line, Sheet
from scorer.errors import Problem, excerpt

ROOT = "annotations"
MOST_NAMED = 5
"""Items that a warning names."""


NotDrawn = Callable[[Form, Batch, keys.Key], str]
"""Says what its seed does not draw of a batch; nothing if it does, or if nobody can tell."""


class Place(NamedTuple):
    """What a path says of an annotator's file."""

    form: Form
    batch: str
    annotator: str
    """Empty for a file of rulings."""


@dataclass
class Checked:
    """What was found in one file."""

    faults: Faults
    annotation: Annotation | None = None
    """The sound answers of a file without errors."""
    rulings: tuple[Ruling, ...] = ()
    problems: Sequence[Problem] = ()
    """Faults of a file that is the host's own: a batch, a form, a key."""


@dataclass
class Workplace:
    """An ``annotations`` folder: its forms, batches, keys, people and answers, each read once."""

    folder: Path
    not_drawn: NotDrawn | None = None
    forms: Mapping[str, Form] = field(init=False)
    _batches: dict[str, tuple[Batch | None, list[Problem]]] = field(default_factory=dict)
    _keys: dict[str, keys.Key] = field(default_factory=dict)
    _people: Mapping[str, people.Person] | None = None
    _annotations: dict[str, list[Annotation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the forms. Raises SubmissionError with the faults of a host's."""
        self.forms = forms.forms_of(self.folder)

    def batch(self, name: str) -> tuple[Batch | None, list[Problem]]:
        """A batch and its problems; neither if there is no such file."""
        if name not in self._batches:
            path = batches.path_of(self.folder, name)
            there = is_name(name) and (path.is_symlink() or path.exists())
            shown = f"{ROOT}/{forms.BATCHES}/{name}{SUFFIX}"
            self._batches[name] = (batches.read(path, self.forms, shown) if there else (None, []))
        return self._batches[name]

    def batches(self) -> list[Batch]:
        """Every sound batch, by name."""
        found = (self.batch(name)[0] for name in batches.names_in(self.folder))
        return [batch for batch in found if batch is not None]

    def key(self, batch: str) -> keys.Key:
        """What the key of a batch says. Raises DataError for a faulty one."""
        if batch not in self._keys:
            self._keys[batch] = keys.read(self.folder, batch)
        return self._keys[batch]

    def origins(self, batch: str) -> Mapping[str, keys.Origin]:
        """Where the items of a batch come from. Raises DataError for a faulty key."""
        return self.key(batch).origins

    @property
    def people(self) -> Mapping[str, people.Person]:
        """Annotators by login. Raises DataError for a faulty file."""
        if self._people is None:
            self._people = people.read(self.folder)
        return self._people

    def files(self, batch: Batch) -> list[Path]:
        """The annotators' files of a batch, by name."""
        folder = self.folder / self.forms[batch.kind].folder / batch.name
        return sorted(folder.glob("*.tsv"))

    def annotations(self, batch: Batch) -> list[Annotation]:
        """The sound files of a batch, those handed in first coming first."""
        if batch.name not in self._annotations:
            found = (check_file(self, path).annotation for path in self.files(batch))
            self._annotations[batch.name] = sorted(
                (one for one in found if one is not None),
                key=lambda one: (one.exported, one.annotator))
        return self._annotations[batch.name]

    def leave_out(self, batch: str) -> None:
        """Take a batch as if it were not there."""
        self._batches[batch] = (None, [])

    def simulated(self, batch: Batch) -> tuple[str, ...]:
        """Simulated annotators who have part in a batch: with a file on it, as authors of its
        graphs, or in its rulings. Raises DataError for a faulty key."""
        authors = [login for one in self.origins(batch.name).values() for login in one.authors]
        return people.simulated(self.people, [
            *(path.stem for path in self.files(batch)), *authors,
            *(one.by for one in self.rulings(batch))])

    def rulings(self, batch: Batch) -> tuple[Ruling, ...]:
        """What maintainers settled of a batch."""
        form = next(form for form in self.forms.values() if form.adjudicates)
        path = self.folder / form.folder / f"{batch.name}.tsv"
        return check_file(self, path).rulings if path.is_file() else ()

    def every_path(self) -> list[Path]:
        """Every file below the folder, links unfollowed."""
        return sorted(path for path in self.folder.rglob("*")
                      if path.is_symlink() or not path.is_dir())


def place(workplace: Workplace, relative: PurePosixPath) -> Place | str | None:
    """What a path below the folder is: answers, the host's own (in a word), or nothing of ours.

    Host's words: ``batch``, ``key``, ``form``, ``people``, ``text``.
    """
    parts = relative.parts
    if not parts or ".." in parts:
        return None
    name = parts[-1]
    if parts in ((people.FILE_NAME,), ("README.md",)):
        return "people" if name == people.FILE_NAME else "text"
    if len(parts) == 2 and parts[0] == forms.FOLDER and name.endswith(".yaml"):
        return "form"
    if len(parts) == 2 and parts[0] == forms.BATCHES and name.endswith(SUFFIX):
        key = name.endswith(KEY_SUFFIX)
        return (("key" if key else "batch")
                if is_name(name.removesuffix(KEY_SUFFIX if key else SUFFIX)) else None)
    form = next((one for one in workplace.forms.values() if one.folder == parts[0]), None)
    if form is None or not name.endswith(".tsv") or len(parts) != (2 if form.adjudicates else 3):
        return None
    batch = name.removesuffix(".tsv") if form.adjudicates else parts[1]
    login = "" if form.adjudicates else name.removesuffix(".tsv")
    if not is_name(batch) or (login and not _is_login(login)):
        return None
    return Place(form, batch, login) if login or form.adjudicates else None


def check_file(workplace: Workplace, path: Path, *, author: str | None = None,
               handed_in: bool = False) -> Checked:
    """Check one file below the folder.

    ``author``: who opened the pull request, if it is one. ``handed_in``: whether the file is new,
    so that its batch must be open and its annotator have the role; a batch is drawn again then.
    """
    relative = PurePosixPath(path.relative_to(workplace.folder).as_posix())
    shown = f"{ROOT}/{relative}"
    faults = Faults(shown)
    found = Checked(faults)
    what = place(workplace, relative)
    if what is None:
        faults.say(1, said("ANN-PATH", path=excerpt(shown, 200)[1:-1]))
    elif _linked(workplace.folder, path):
        faults.say(1, said("ANN-LINK", path=shown))
    elif isinstance(what, str):
        if author is not None:
            faults.say(1, said("ANN-MIXED", path=shown))
        found.problems = _host_problems(workplace, path, what, handed_in)
    else:
        _check_answers(workplace, path, what, author, handed_in, found)
    return found


def _linked(folder: Path, path: Path) -> bool:
    """Whether a path is no regular file, or leads over a link below the folder."""
    inside = [path, *(one for one in path.parents if one.is_relative_to(folder) and one != folder)]
    return any(one.is_symlink() for one in inside) or not path.is_file()


def _host_problems(workplace: Workplace, path: Path, what: str, new: bool) -> Sequence[Problem]:
    """Faults of the host's own files but for forms, which are read before anything else."""
    if what in ("batch", "key"):
        name = path.name.removesuffix(KEY_SUFFIX).removesuffix(SUFFIX)
        batch, problems = workplace.batch(name)
        path_of_key = keys.path_of(workplace.folder, name)
        if problems:
            return problems if what == "batch" else ()
        if what == "batch" and not (new and path_of_key.exists()):
            return ()
        found, expected = _key_misfit(workplace, name, batch, new)
        return [Problem(str(path_of_key), 1, 1, "META-VALUE", found, expected,
                        "make the batch again")] if found else ()
    if what == "people":
        assert workplace.people is not None
    return ()


def _key_misfit(workplace: Workplace, name: str, batch: Batch | None, new: bool,
                ) -> tuple[str, str]:
    """What a key says that its batch is not, and what is expected; two empty words if nothing."""
    key = workplace.key(name)
    if batch is None or set(key.origins) != set(batch.by_id):
        return "other items than the batch", "an origin for each item of the batch"
    seed = key.sampled.get(keys.SEED)
    if seed is not None and not any(
            all(item == keys.item_id(batch.kind, seed, origin, made_as)
                for item, origin in key.origins.items()) for made_as in keys.made_as(name)):
        return "origins that the items' ids do not stand for", "the key that was made with it"
    if new and workplace.not_drawn is not None and (
            found := workplace.not_drawn(workplace.forms[batch.kind], batch, key)):
        return found, "what make-batch draws"
    return "", ""


def _check_answers(workplace: Workplace, path: Path, what: Place, author: str | None,
                   handed_in: bool, found: Checked) -> None:
    faults = found.faults
    if author is not None and author.lower() != what.annotator:
        faults.say(1, said("ANN-AUTHOR", u=author.lower()))
    if author is not None and people.is_simulated(workplace.people, author.lower()):
        faults.say(1, said("ANN-SIMULATED", u=author.lower()))
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        faults.say(1, said("ANN-SIZE", n=path.stat().st_size, most=MOST_BYTES))
        return
    sheet = sheets.read(content, what.form, faults)
    batch = _batch(workplace, what, faults)
    if sheet is None:
        return
    new = handed_in or author is not None
    _check_header(sheet.header, what, batch, new, faults)
    if batch is None:
        return
    if what.form.adjudicates:
        rulings = [*_rulings(workplace, batch, sheet, what.form, faults)]
        found.rulings = () if faults.errors else tuple(rulings)
        return
    if new and not people.may(workplace.people, what.annotator, batch.kind):
        faults.say(1, said("EG-ROLE", u=what.annotator, role=batch.kind))
    annotation = _annotation(workplace, batch, sheet, what, faults)
    found.annotation = None if faults.errors else annotation


def _batch(workplace: Workplace, what: Place, faults: Faults) -> Batch | None:
    """The batch that a file answers, if it fits the folder."""
    batch, problems = workplace.batch(what.batch)
    if batch is None:
        faults.say(1, said("ANN-BATCH faulty" if problems else "ANN-BATCH", b=what.batch))
        return None
    if not what.form.adjudicates and batch.kind != what.form.kind:
        faults.say(1, said("ANN-BATCH folder", b=what.batch, f=what.form.folder))
        return None
    return batch


def _check_header(header: Mapping[str, str], what: Place, batch: Batch | None, handed_in: bool,
                  faults: Faults) -> None:
    def wrong(key: str, wanted: str) -> bool:
        return key in header and header[key] != wanted

    form = what.form
    if wrong("format", form.format):
        faults.say(1, said("ANN-FORMAT", v=_short(header["format"]), w=form.format))
    if wrong("batch", what.batch):
        faults.say(1, said("ANN-BATCH folder", b=_short(header["batch"]), f=what.batch))
    if wrong("guideline", form.guideline):
        faults.say(1, said("ANN-GUIDELINE", v=_short(header["guideline"]), w=form.guideline))
    if what.annotator and wrong("annotator", what.annotator):
        faults.say(1, said("ANN-ANNOTATOR", a=_short(header["annotator"]),
                           f=f"{what.annotator}.tsv"))
    if "exported" in header and not _is_time(header["exported"]):
        faults.say(1, said("ANN-EXPORTED", v=_short(header["exported"])))
    if batch is None:
        return
    if wrong("batch_sha256", batch.sha256):
        faults.say(1, said("ANN-BATCH-CHANGED", a=_short(header["batch_sha256"][:12]),
                           b=batch.sha256[:12]))
    if batch.training:
        faults.say(1, said("ANN-BATCH-TRAINING", b=batch.name))
    elif form.adjudicates and batch.status != CLOSED:
        faults.say(1, said("ANN-BATCH-OPEN", b=batch.name))
    elif handed_in and not form.adjudicates and batch.status == CLOSED:
        faults.say(1, said("ANN-BATCH-CLOSED", b=batch.name))


def _annotation(workplace: Workplace, batch: Batch, sheet: Sheet, what: Place,
                faults: Faults) -> Annotation:
    topics = [topic.key for topic in batch.topics]
    origins = workplace.origins(batch.name) if what.form.not_by_author else {}
    answers: dict[str, Answers] = {}
    comments = {}
    for line, item in _items(batch, sheet, faults):
        found = check(what.form, item, line.cells, topics)
        for one in (*found.errors, *found.warnings):
            faults.say(line.number, one)
        origin = origins.get(item.id)
        if origin is not None and what.annotator in origin.authors:
            faults.say(line.number, said(what.form.not_by_author, item.id, u=what.annotator,
                                         i=item.id))
        answers[item.id] = found.answers
        if comment := _comment(line, faults):
            comments[item.id] = comment
    missing = [item.id for item in batch.items if item.id not in answers]
    if missing and answers:
        more = ", ..." if len(missing) > MOST_NAMED else ""
        faults.say(1, said("ANN-ITEM-MISSING", k=len(missing), n=len(batch.items),
                           first=", ".join(missing[:MOST_NAMED]) + more))
    return Annotation(batch.name, batch.kind, what.annotator, sheet.header.get("exported", ""),
                      answers, comments)


def _items(batch: Batch, sheet: Sheet, faults: Faults) -> Iterator[tuple[Line, Item]]:
    """Rows that answer an item of the batch, each item once."""
    first: dict[str, int] = {}
    for line in sheet.lines:
        name = line.cells["item"]
        item = batch.by_id.get(name)
        if item is None:
            faults.say(line.number, said("ANN-ITEM-UNKNOWN", name, i=_short(name)))
        elif name in first:
            faults.say(line.number, said("ANN-ITEM-DUP", name, i=name, l=first[name]))
        else:
            first[name] = line.number
            yield line, item


def _comment(line: Line, faults: Faults) -> str:
    comment = line.cells[COMMENT].strip()
    if len(comment) > MOST_COMMENT:
        faults.say(line.number, said("ANN-TEXT", COMMENT, col=COMMENT, n=len(comment),
                                     m=MOST_COMMENT))
    return comment


def _rulings(workplace: Workplace, batch: Batch, sheet: Sheet, form: Form,
             faults: Faults) -> Iterator[Ruling]:
    """What was settled, each unit once."""
    asked = workplace.forms[batch.kind]
    topics = [topic.key for topic in batch.topics]
    by = sheet.header.get("annotator", "").lower()
    own = {item for one in workplace.annotations(batch) if one.annotator == by
           for item in one.answers}
    first: dict[tuple[str, ...], int] = {}
    for line in sheet.lines:
        cells = line.cells
        item = batch.by_id.get(cells["item"])
        unit = (cells["item"], cells["unit"], cells["question"])
        if item is None:
            faults.say(line.number, said("ANN-ITEM-UNKNOWN", i=_short(cells["item"])))
            continue
        if unit in first:
            faults.say(line.number, said("ANN-ITEM-DUP", i=" ".join(filter(None, unit)),
                                         l=first[unit]))
        first.setdefault(unit, line.number)
        for one in _ruling_faults(asked, form, item, cells, topics):
            faults.say(line.number, one)
        if item.id in own:
            faults.say(line.number, said("ANN-W-OWN", item.id, u=by, i=item.id))
        yield Ruling(*unit, cells["value"], cells["reason"], _comment(line, faults), by)


def _ruling_faults(asked: Form, form: Form, item: Item, cells: Mapping[str, str],
                   topics: Sequence[str]) -> Iterator[Said]:
    def wrong(column: str, may: Sequence[str]) -> Said:
        return said("ANN-VALUE", column, q=column, v=_short(cells[column]),
                    allowed=", ".join(may) or "nothing")

    chosen = {question.id: question for question in asked.questions if question.values}
    question = chosen.get(cells["question"])
    reasons = form.by_id["reason"].keys
    if cells["reason"] not in reasons:
        yield wrong("reason", reasons)
    if question is None:
        yield wrong("question", [*chosen])
        return
    units = item.triplet_ids if question.answer == TRIPLETS else ("",)
    if cells["unit"] not in units:
        yield wrong("unit", units if question.answer == TRIPLETS else ())
    may = allowed(question, topics)
    values = cells["value"].split(",") if question.answer == CHOICES else [cells["value"]]
    if any(value not in may for value in values):
        yield wrong("value", may)


def _short(text: str) -> str:
    shown = excerpt(text, 60)
    return shown[1:-1] if shown.endswith(("'", '"')) else shown


def _is_login(name: str) -> bool:
    return re.fullmatch(LOGIN.pattern or "", name) is not None


def _is_time(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text, re.ASCII):
        return False
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
