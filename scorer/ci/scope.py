"""What a pull request may touch: one submission folder, two kinds of files, nothing merged before.

Judged on paths, modes and object ids alone; what the files say is judged in ``reading.py``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scorer.ci.git import EXECUTABLE, FILE, NOTHING, SUBMODULE, SYMLINK, Change, TreeEntry
from scorer.errors import MOST_SHOWN, Problem, counted, excerpt
from scorer.reading.values import is_slug
from scorer.records import SPLITS
from scorer.rules import CATALOGUE
from scorer.submission import FILE_NAME, SUBMISSIONS, SubmissionName, file_advice

TOP = SUBMISSIONS
ANNOTATIONS = "annotations"
"""The folder of annotators' answers, which ``answers.py`` judges."""
GENERATED = ("results", "ledger")
"""Folders that only the pipeline writes."""
ALLOWED = (FILE_NAME, *(f"predictions.{split}.tsv" for split in SPLITS))
CONTRACT = f"{TOP}/README.md"
NOBODY = 0
"""The owner of a team that only maintainers write: no account has this id."""
_PLAIN = re.compile(r"[A-Za-z0-9._/-]{1,160}")
_KINDS = {EXECUTABLE: "an executable file", SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}


@dataclass(frozen=True)
class PullContext:
    """What is known of a pull request from elsewhere than its files."""

    author: int | None = None
    """The numeric account id of who opened it."""
    trusted: bool = False
    """A branch of the repository itself, marked by its maintainers: merged files may change."""


@dataclass
class Scope:
    """What a pull request touches, and what is wrong with that."""

    place: SubmissionName | None = None
    """The one submission it is about; None if there is none, or several."""
    submits: bool = False
    """Whether it touches submissions, or what only the pipeline writes, at all."""
    problems: list[Problem] = field(default_factory=list)
    total: int = 0
    notes: list[Problem] = field(default_factory=list)

    def add(self, rule: str, path: str, found: str, expected: str,
            advice: str | None = None) -> None:
        """Record a fault, or a note where the rule is one; the advice is its own unless given."""
        known = CATALOGUE[rule]
        problem = Problem(shown(path), 1, 1, rule, found, expected, advice or known.advice)
        if known.effect == "note":
            self.notes.append(problem)
            return
        self.total += 1
        if len(self.problems) < MOST_SHOWN:
            self.problems.append(problem)


def shown(path: str) -> str:
    """A path fit for any log: as it is if it is plain, else as a quoted ASCII literal."""
    return path if _PLAIN.fullmatch(path) else excerpt(path)


def answered(path: str) -> tuple[SubmissionName, str] | None:
    """The submission and the split of which a path holds the predictions, or None."""
    place = described(path)
    split = path.rpartition("/")[2].removeprefix("predictions.").removesuffix(".tsv")
    return None if place is None or split not in SPLITS else (place, split)


def described(path: str) -> SubmissionName | None:
    """The submission of which a path may be a file, or None."""
    top, *parts = path.split("/")
    fits = (top == TOP and len(parts) == 4 and parts[3] in ALLOWED
            and all(map(is_slug, parts[:3])))
    return SubmissionName(*parts[:3]) if fits else None


def teams(changes: Sequence[Change]) -> list[str]:
    """The teams whose folders some changes touch."""
    return sorted({parts[2] for parts in _inside(changes)})


def boards_of(changes: Sequence[Change]) -> set[str]:
    """The boards in whose folders of submissions some changes touch something."""
    return {parts[1] for parts in _inside(changes)}


def _inside(changes: Sequence[Change]) -> Iterator[list[str]]:
    """The parts of those paths that may be files of submissions."""
    for change in changes:
        parts = change.path.split("/")
        if len(parts) == 5 and parts[0] == TOP:
            yield parts


def check_scope(changes: Sequence[Change], merged: Sequence[TreeEntry], pull: PullContext,
                owners: Mapping[str, int], boards: Mapping[str, Sequence[str]]) -> Scope:
    """Judge a pull request's changes against the files of the branch it is for.

    ``merged``: every path below ``submissions`` there. ``owners``: account ids by team.
    ``boards``: the splits of every board.
    """
    scope = Scope()
    inside = [change for change in changes if _is_submission(change.path)]
    generated = [change for change in changes if change.path.split("/")[0] in GENERATED]
    scope.submits = bool(inside or generated)
    if not scope.submits or (pull.trusted and len(inside) != len(changes)):
        scope.submits = False  # a maintainers' change of the program with its reference rows
        return scope
    for change in generated:
        scope.add("PR-SCOPE", change.path, "a file that only the pipeline writes",
                  "files of one submission")
    expected = {*inside, *generated}
    outside = [change for change in changes if change not in expected]
    answers = [change for change in outside if is_annotation(change.path)]
    if answers:
        scope.add("PR-SCOPE", answers[0].path,
                  f"a mixed pull request: {counted(len(answers), 'change')} of annotations beside "
                  "the submission", "files of one submission",
                  "open one pull request for the submission and another for the annotations")
    elif outside:
        scope.add("PR-SCOPE", outside[0].path,
                  f"{counted(len(outside), 'change')} outside of the submission",
                  "files of one submission")
    before = {entry.path: entry for entry in merged}
    places = {place for change in inside if (place := _placed(scope, change)) is not None}
    if len(places) > 1:
        scope.add("PR-ONE", TOP, counted(len(places), "submission folder"), "one")
    for change in inside:
        _file(scope, change, before, pull, owners)
    for place in sorted(places)[:MOST_SHOWN]:
        _board(scope, place, inside, boards)
        _names(scope, place, before)
        _owner(scope, place, pull, owners)
    if len(places) == 1:
        scope.place = places.pop()
        _copies(scope, scope.place, inside, merged)
    return scope


def is_annotation(path: str) -> bool:
    """Whether a path lies in the folder of annotations, or in one that looks like it."""
    return path.split("/")[0].casefold() == ANNOTATIONS


def _is_submission(path: str) -> bool:
    return path.split("/")[0].casefold() == TOP and path != CONTRACT


def _placed(scope: Scope, change: Change) -> SubmissionName | None:
    top, *parts = change.path.split("/")
    if top != TOP or len(parts) != 4:
        scope.add("PR-PLACE", change.path, f"a path of {counted(len(parts) + 1, 'part')}",
                  f"{TOP}/<board>/<team>/<system>/<file>")
        return None
    return SubmissionName(*parts[:3])


def _file(scope: Scope, change: Change, before: Mapping[str, TreeEntry], pull: PullContext,
          owners: Mapping[str, int]) -> None:
    """One changed path: its name, its mode, and whether it was merged before."""
    parts = change.path.split("/")
    if len(parts) == 5 and parts[4] not in ALLOWED and change.mode != NOTHING:
        scope.add("PR-FILE", change.path, excerpt(parts[4]),
                  f"{FILE_NAME} or predictions.<split>.tsv", file_advice(parts[4]))
    if change.mode not in (FILE, NOTHING):
        scope.add("PR-MODE", change.path, _KINDS.get(change.mode, f"mode {change.mode}"),
                  "a regular file (mode 100644)")
    if change.path not in before or pull.trusted:
        return
    what = "removed" if change.mode == NOTHING else "changed"
    owner = owners.get(parts[2]) if len(parts) == 5 else None
    may_describe = parts[-1] == FILE_NAME and change.status == "M" and change.mode == FILE
    if not (may_describe and owner is not None and owner == pull.author):
        scope.add("PR-IMMUTABLE", change.path, f"a merged file is {what}", "it as it was merged")


def _board(scope: Scope, place: SubmissionName, inside: Sequence[Change],
           boards: Mapping[str, Sequence[str]]) -> None:
    if place.board not in boards:
        scope.add("PR-BOARD", place.path, f"the board {excerpt(place.board)}",
                  f"one of: {', '.join(sorted(boards))}")
        return
    for change in inside:
        name = change.path.rpartition("/")[2]
        split = name.removeprefix("predictions.").removesuffix(".tsv")
        if name in ALLOWED and name != FILE_NAME and split not in boards[place.board]:
            scope.add("PR-BOARD", change.path, f"the split {split}",
                      f"one of: {', '.join(boards[place.board])}")


def _names(scope: Scope, place: SubmissionName, before: Mapping[str, TreeEntry]) -> None:
    """Folders that a person or a file system could take for another one."""
    known: dict[str, str] = {}
    for path in before:
        parts = path.split("/")
        for depth in (2, 3, 4):
            known.setdefault(_folded("/".join(parts[:depth])), "/".join(parts[:depth]))
    parts = place.path.split("/")
    for depth in (2, 3, 4):
        mine = "/".join(parts[:depth])
        other = known.get(_folded(mine), mine)
        if other != mine:
            scope.add("PR-CASE", mine, f"a name like {excerpt(other)}", "a name of its own")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", path).casefold()


def _owner(
    scope: Scope, place: SubmissionName, pull: PullContext, owners: Mapping[str, int]
) -> None:
    owner = owners.get(place.team)
    if owner is not None and owner != pull.author and not pull.trusted:
        whose = f"of account {owner}" if owner != NOBODY else "that only maintainers write"
        scope.add("PR-OWNER", place.path, f"the team {excerpt(place.team)} {whose}",
                  f"that of account {pull.author}")


def _copies(scope: Scope, place: SubmissionName, inside: Sequence[Change],
            merged: Sequence[TreeEntry]) -> None:
    """Predictions with the very bytes of merged ones: refused of one's own team, told of others."""
    known: dict[str, str] = {}
    for entry in merged:
        if not entry.path.startswith(f"{place.path}/"):
            known.setdefault(entry.oid, entry.path)
    for change in inside:
        other = known.get(change.oid)
        if other is not None and not change.path.endswith(FILE_NAME):
            own = other.split("/")[2:3] == [place.team]
            scope.add("PR-SAME" if own else "PR-COPY", change.path,
                      f"the same bytes as {shown(other)}", "predictions of this system")
