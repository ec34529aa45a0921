"""Checking what a pull request changes below ``annotations``.

Answers are judged by the batches, forms and people of the main branch, so that nobody changes what
was asked together with the answers; the host's own files as merging leaves them. Everything is read
as git objects, and written under names of ours alone.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from scorer.annotations import people
from scorer.annotations.batches import KEY_SUFFIX, SUFFIX
from scorer.annotations.drawn import Drawing
from scorer.annotations.keys import Key
from scorer.annotations.records import CLOSED, OPEN, Batch, Form
from scorer.annotations.rules import MOST_BYTES, said
from scorer.annotations.sheets import Faults
from scorer.annotations.validate import (
    ROOT,
    Checked,
    NotDrawn,
    Place,
    Workplace,
    check_file,
    place,
)
from scorer.board import load_all
from scorer.ci import gold, merging
from scorer.ci.git import EXECUTABLE, FILE, NOTHING, Change, Repository, TreeEntry
from scorer.ci.github import ON_BEHALF
from scorer.ci.runner import code, reach
from scorer.ci.scope import is_annotation, shown
from scorer.ci.validate import bring, request
from scorer.errors import MOST_SHOWN, DataError, Problem, SubmissionError, counted, excerpt
from scorer.reading import strict_json

REGULAR = (FILE, EXECUTABLE)
_HOST = re.compile(rf"{ROOT}/(?:batches/[a-z0-9-]{{1,60}}(?:\.key)?\.json|forms/[a-z0-9-]{{1,60}}"
                   r"\.yaml|annotators\.yml)")
PEOPLE = f"{ROOT}/{people.FILE_NAME}"
_LONGEST = 400
"""Characters of a sentence in the summary."""


@dataclass(frozen=True)
class Author:
    """Who opened a pull request."""

    login: str
    on_behalf: bool = False
    """Whether maintainers said by a label that the answers are another's."""
    lapsed: bool = False
    """Whether they said so of an earlier commit, perhaps."""


@dataclass
class Answered:
    """Everything there is to say about a pull request's annotations."""

    answers: int = 0
    """Files of annotators, those removed included."""
    own: int = 0
    """Files of the host."""
    others: int = 0
    """Changes elsewhere."""
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    total: int = 0
    """All faults, those not kept included."""
    lapsed: bool = False
    """Whether a label does not count, for it may be of an earlier commit."""

    @property
    def mixed(self) -> bool:
        """Whether answers come with something else."""
        return bool(self.answers and (self.own or self.others))

    def refuse(self, *problems: Problem) -> None:
        """Add faults that were not told yet; the first 50 are kept."""
        new = [one for one in problems if one not in self.problems]
        self.total += len(new)
        self.problems += new[:max(0, MOST_SHOWN - len(self.problems))]

    def include(self, faults: Faults) -> None:
        """Add what was found in a file."""
        errors = [one for one in faults.kept if not one.warns]
        self.refuse(*errors)
        self.total += faults.errors - len(errors)
        warned = [one for one in faults.kept if one.warns]
        self.notes += warned[:max(0, MOST_SHOWN - len(self.notes))]


def author(event: Mapping[str, object]) -> Author:
    """Who opened the pull request of an event.

    A label vouches for the commit on which it was put: what is pushed later, nobody has seen.
    """
    login = reach(event, "pull_request", "user", "login")
    labels = reach(event, "pull_request", "labels")
    marked = any(reach(label, "name") == ON_BEHALF
                 for label in (labels if isinstance(labels, list) else ()))
    action = reach(event, "action")
    fresh = action == "opened" or (action == "labeled"
                                   and reach(event, "label", "name") == ON_BEHALF)
    return Author(excerpt(login, 60)[1:-1] if isinstance(login, str) else "",
                  marked and fresh, marked and not fresh)


def check(repository: Repository, base: str, head: str, who: Author, folder: Path,
          not_drawn: NotDrawn | None = None) -> Answered:
    """Judge what merging one commit into another would do below ``annotations``.

    ``folder``: an empty one for files. ``not_drawn``: says what of a new batch its seed does not
    draw. Raises DataError where the main branch itself is at fault.
    """
    found, merged = Answered(lapsed=who.lapsed), merging.merge(repository, base, head)
    if isinstance(merged, Problem):
        found.refuse(merged)
        return found
    tree = merged.tree
    changes = repository.changes(base, tree)
    mine = [change for change in changes if is_annotation(change.path)]
    if not mine:
        return found
    paths = {change.path for change in mine}
    before, after = _before_and_after(repository, base, tree, paths, folder, found)
    after.not_drawn = not_drawn
    judge = _Judge(repository, before, after, who, found, _moved(mine) if who.on_behalf else set(),
                   {path.split("/")[2] for path in _paths(repository, base) if _is_answer(path)},
                   _annotators(repository, base), _annotators(repository, tree),
                   [entry for entry in repository.tree(base, ROOT)
                    if entry.mode in REGULAR and entry.path not in paths])
    try:
        for change in mine:
            judge.change(change)
    except DataError as fault:
        raise DataError(str(fault).replace(f"{before.folder.parent}/", "")) from fault
    outside = [change for change in changes if change not in mine]
    found.others = len(outside)
    if found.answers and outside:
        _note(found, outside[0].path)
    return found


def _before_and_after(repository: Repository, base: str, tree: str, paths: set[str], folder: Path,
                      found: Answered) -> tuple[Workplace, Workplace]:
    """The host's own files, before and after changes at some paths; faults after them are refused.

    Raises DataError where the main branch itself is at fault, and the changes mend nothing.
    """
    before, why = _sound(repository, base, folder / "base")
    after = before
    if any(map(_HOST.fullmatch, paths)):
        after, faults = _sound(repository, tree, folder / "merged")
        found.refuse(*faults)
        after = after or before
        if before is None or (PEOPLE in paths and not _lists(before)):
            before = after  # what mends the main branch cannot be judged by it
    if before is None or after is None:
        raise DataError("\n".join(map(str, why)))
    return before, after


def _paths(repository: Repository, commit: str) -> list[str]:
    return [entry.path for entry in repository.tree(commit, ROOT)]


def _annotators(repository: Repository, commit: str) -> set[str]:
    """Who has answers in a commit."""
    return {PurePosixPath(path).stem for path in _paths(repository, commit) if _is_answer(path)}


def _is_answer(path: str) -> bool:
    return path.count("/") == 3 and path.endswith(".tsv")


def _moved(changes: Sequence[Change]) -> set[str]:
    """The folders that answers are taken out of: such may come back under another name."""
    return {change.path.rpartition("/")[0] for change in changes
            if change.mode == NOTHING and _is_answer(change.path)}


def _note(found: Answered, path: str) -> None:
    faults = Faults(shown(path))
    faults.say(1, said("ANN-MIXED", path=shown(path)))
    found.include(faults)


def _workplace(repository: Repository, entries: Sequence[TreeEntry], folder: Path) -> Workplace:
    """The host's own files of a commit. Raises SubmissionError for faulty forms."""
    written = folder / ROOT
    written.mkdir(parents=True)
    for entry in entries:
        if entry.mode in REGULAR and _HOST.fullmatch(entry.path):
            content = repository.blob(entry.oid, strict_json.LARGEST)
            if content is not None:
                _write(folder / entry.path, content)
    return Workplace(written)


def _sound(repository: Repository, commit: str, folder: Path,
           ) -> tuple[Workplace | None, Sequence[Problem]]:
    """The host's own files of a commit, or None and the faults of its forms."""
    try:
        return _workplace(repository, repository.tree(commit, ROOT), folder), ()
    except SubmissionError as fault:
        return None, [_ours(one, folder) for one in fault.problems]


def _lists(workplace: Workplace) -> bool:
    """Whether its list of people can be read."""
    try:
        return workplace.people is not None
    except DataError:
        return False


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _ours(problem: Problem, folder: Path) -> Problem:
    """A problem without our folder in it."""
    return replace(problem, path=shown(problem.path.removeprefix(f"{folder}/")))


@dataclass
class _Judge:
    """Judges one changed path after the other."""

    repository: Repository
    before: Workplace
    """The main branch's."""
    after: Workplace
    who: Author
    found: Answered
    moved: set[str]
    """Folders in which files get other names."""
    answered: set[str]
    """Batches that have answers."""
    had: set[str]
    """Who has answers."""
    have: set[str]
    """Who has answers once it is merged."""
    kept: Sequence[TreeEntry]
    """What stays as it is."""

    def change(self, change: Change) -> None:
        """Judge one path."""
        path, faults = change.path, Faults(shown(change.path))
        gone = change.mode == NOTHING
        relative = PurePosixPath(path.partition("/")[2])
        what = place(self.asked, relative) if path.startswith(f"{ROOT}/") else None
        if isinstance(what, Place):
            self.found.answers += 1
            if gone:
                self._removed(what, faults)
            elif change.mode in REGULAR:
                faults = self._answers(change, relative, faults)
            else:
                faults.say(1, said("ANN-LINK", path=shown(path)))
        elif not gone and change.mode not in REGULAR:
            faults.say(1, said("ANN-LINK", path=shown(path)))
        elif what is not None or gone:
            self.found.own += 1
            faults.say(1, said("ANN-MIXED", path=shown(path)))
            self._host(change, relative, what, faults)
        else:
            faults.say(1, said("ANN-PATH", path=excerpt(path, 200)[1:-1]))
        self.found.include(faults)

    @property
    def asked(self) -> Workplace:
        """Whose batches answers are judged by."""
        return self.after if self.who.on_behalf else self.before

    def _removed(self, what: Place, faults: Faults) -> None:
        """Answers are taken back by their author, while their batch is open."""
        if self.who.on_behalf:
            return
        if self.who.login.lower() != what.annotator:
            faults.say(1, said("ANN-AUTHOR", u=self.who.login.lower()))
        batch, _ = self.before.batch(what.batch)
        if batch is not None and batch.status == CLOSED:
            faults.say(1, said("ANN-BATCH-CLOSED gone", b=what.batch))

    def _answers(self, change: Change, relative: PurePosixPath, faults: Faults) -> Faults:
        content = self.repository.blob(change.oid, MOST_BYTES)
        if content is None:
            faults.say(1, said("ANN-SIZE", n=f"more than {MOST_BYTES}", most=MOST_BYTES))
            return faults
        path = self.asked.folder / relative
        _write(path, content)
        return check_file(
            self.asked, path, author=None if self.who.on_behalf else self.who.login,
            handed_in=change.path.rpartition("/")[0] not in self.moved).faults

    def _host(self, change: Change, relative: PurePosixPath, what: str | None,
              faults: Faults) -> None:
        """Judge a file of the host as merging leaves it, and what it does to answers."""
        name = relative.name.removesuffix(KEY_SUFFIX).removesuffix(SUFFIX)
        if change.status != "A" and name in self.answered and (
                what == "key" or (what == "batch" and self._is_other(name))):
            faults.say(1, said("ANN-BATCH-CHANGED answered", b=name))
        if what == "batch" and name in self.answered and not self.who.on_behalf and (
                self._status(self.before, name), self._status(self.after, name)) == (CLOSED, OPEN):
            faults.say(1, said("ANN-BATCH-CLOSED again", b=name))
        if what == "people" and not self.who.on_behalf:
            self._marks(faults)
        if what in ("form", "key") and not self.who.on_behalf:
            for batch, (count, first) in self._lost.items():
                if relative.stem == (self._kind(batch) if what == "form" else f"{batch}.key"):
                    faults.say(1, said("ANN-BATCH-CHANGED lost", b=batch, first=first,
                                       n=counted(count, "file")))
        path = self.after.folder / relative
        if change.mode == NOTHING or what is None or not _HOST.fullmatch(change.path):
            return
        if not path.is_file():
            if self.repository.blob(change.oid, strict_json.LARGEST) is None:
                faults.say(1, said("ANN-SIZE", n=f"more than {strict_json.LARGEST}",
                                   most=strict_json.LARGEST))
            return
        try:
            checked = check_file(self.after, path, handed_in=change.status == "A" or (
                what == "key" or (what == "batch" and self._is_other(name))))
        except DataError as fault:
            checked = Checked(faults, problems=[
                Problem(shown(change.path), 1, 1, "META-VALUE", line, "", "")
                for line in str(fault).replace(f"{self.after.folder.parent}/", "").split("\n")])
        self.found.refuse(*(_ours(one, self.after.folder.parent) for one in checked.problems))

    @staticmethod
    def _status(where: Workplace, name: str) -> str:
        found = where.batch(name)[0]
        return found.status if found else ""

    def _kind(self, batch: str) -> str:
        found = self.before.batch(batch)[0]
        return found.kind if found else ""

    @cached_property
    def _lost(self) -> dict[str, tuple[int, str]]:
        """Batches of which merged files are accepted now and would not be any more: how many, and
        what is wrong with the first."""
        found: dict[str, tuple[int, str]] = {}
        for entry in self.kept:
            relative = PurePosixPath(entry.path.partition("/")[2])
            what = place(self.before, relative)
            content = self.repository.blob(entry.oid, MOST_BYTES) if isinstance(what, Place) else ""
            if not isinstance(what, Place) or not isinstance(content, bytes):
                continue
            old, new = (_checked(where, relative, content) for where in (self.before, self.after))
            if not old.errors and new.errors:
                first = next(one for one in new.kept if not one.warns)
                count, known = found.get(what.batch, (0, f"{first.path}: {first.found}"))
                found[what.batch] = count + 1, known
        return found

    def _marks(self, faults: Faults) -> None:
        """Simulated answers do not become people's, nor people's simulated."""
        try:
            then = self.after.people
        except DataError:
            return
        for login in people.simulated(self.before.people, self.have):
            if not people.is_simulated(then, login):
                faults.say(1, said("ANN-SIMULATED mark", u=login))
        for login in people.simulated(then, self.had):
            if not people.is_simulated(self.before.people, login):
                faults.say(1, said("ANN-SIMULATED person", u=login))

    def _is_other(self, name: str) -> bool:
        """Whether a batch asks something else than before."""
        old, new = self.before.batch(name)[0], self.after.batch(name)[0]
        return old is None or new is None or old.sha256 != new.sha256


def _checked(where: Workplace, relative: PurePosixPath, content: bytes) -> Faults:
    """What is wrong with a merged file, by the host's files of a commit."""
    _write(where.folder / relative, content)
    return check_file(where, where.folder / relative).faults


def markdown(found: Answered) -> str:
    """The step's summary: rule ids, places and ASCII excerpts, nothing that is alive."""
    if not (found.answers or found.own or found.total):
        return "## No annotations\n\nThis pull request changes nothing below `annotations/`.\n"
    of = counted(found.answers, "file") + " of answers" if found.answers else "annotations"
    lines = [f"## {counted(found.total, 'error')} in {of}" if found.total
             else f"## {of[0].upper()}{of[1:]} can be accepted", ""]
    lines += [_line(one) for one in found.problems]
    if len(found.problems) < found.total:
        lines.append(f"\nThe first {len(found.problems)} of {found.total} are shown.")
    if found.mixed:
        lines.append(f"\nThis is a mixed pull request: beside answers it changes "
                     f"{counted(found.own + found.others, 'other file')}. A maintainer must look "
                     "at those.")
    if found.total and found.lapsed:
        lines.append("\nThe label `on-behalf` counts for the commit on which it was put. Look at "
                     "what came since; then take it off and put it on again.")
    if found.notes:
        lines += ["\n### Notes\n", *map(_line, found.notes)]
    if found.total:
        lines.append("\nTo see the same on your machine: `scorer annotations validate FILE "
                     "--author LOGIN`.")
    return "\n".join(lines) + "\n"


def _line(problem: Problem) -> str:
    says = "; ".join(filter(None, (problem.found, problem.expected, problem.advice)))
    return (f"- {code(f'{problem.path}:{problem.line}')} **{problem.rule}** "
            f"{code(says, _LONGEST)}")


def run(root: Path, event: Mapping[str, object], home: Path) -> Answered:
    """Fetch and judge; the whole of ``scorer ci annotations`` but for telling. ``home``: where
    public gold is brought to, if a new batch of systems' answers is to be drawn again."""
    repository, asked = Repository(root), request(event)
    bring(repository, asked)

    def not_drawn(form: Form, batch: Batch, key: Key) -> str:
        if any(one.predictions for one in key.origins.values()):
            gold.fetch_public(load_all(root / "boards"), home)
        return Drawing(root, home).why_not(form, batch, key)

    with tempfile.TemporaryDirectory() as folder:
        return check(repository, repository.commit(asked.base), asked.head, author(event),
                     Path(folder), not_drawn)
