"""What a pull request changes, and what it may: one submission's folder and its team's owners.

Judged on paths and kinds of change alone; what the files are and say is judged in ``review.py``
and ``owners.py``.

    submissions/<board>/<team>/<system>/submission.yaml          may change
    submissions/<board>/<team>/<system>/predictions.<split>.tsv  is new, and never changes
    submissions/teams/<team>.yaml                                the team's owners

The merge is made as git makes it, into a tree and no branch. What changes from the main branch to
that tree happens if it is merged now. What changed on the branch since it left the main branch may
happen later: where the main branch has the same change already, the first comparison does not show
it, but once the main branch takes it back, merging brings it again. So both must be harmless.
Branches are squashed, so nothing else of a branch's history ever reaches the main branch.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer.boards.submission import FILE_NAME, SUBMISSIONS, SubmissionName
from scorer.core.errors import MOST_SHOWN, Problem, counted, excerpt
from scorer.core.reading.values import is_slug
from scorer.core.records import SPLITS
from scorer.core.rules import CATALOGUE
from scorer.pipeline.ci.git import MOST_CHANGES, NOTHING, Change, Repository

TOP = SUBMISSIONS
TEAMS = f"{TOP}/teams"
"""The folder of files that name the owners of teams."""
ANNOTATIONS = "annotations"
"""The folder of annotators' answers, which ``answers.py`` judges."""
GENERATED = "results"
"""The folder in which nobody but the pipeline writes."""
ALLOWED = (FILE_NAME, *(f"predictions.{split}.tsv" for split in SPLITS))
CONTRACT = f"{TOP}/README.md"
MOST_TOPS = 5
"""Folders and files of the repository's root that advice names."""
_PLAIN = re.compile(r"[A-Za-z0-9._/-]{1,160}")


def shown(path: str) -> str:
    """A path fit for any log: as it is if it is plain, else as a quoted ASCII literal."""
    return path if _PLAIN.fullmatch(path) else excerpt(path)


def problem(rule: str, path: str, actual: str, expected: str, advice: str = "") -> Problem:
    """A fault or note about a path; the advice is that of its rule unless given."""
    return Problem(shown(path), 1, 1, rule, actual, expected, advice or CATALOGUE[rule].advice)


def answered(path: str) -> tuple[SubmissionName, str] | None:
    """The submission and the split of which a path holds the predictions, or None."""
    name = described(path)
    split = path.rpartition("/")[2].removeprefix("predictions.").removesuffix(".tsv")
    return None if name is None or split not in SPLITS else (name, split)


def described(path: str) -> SubmissionName | None:
    """The submission of which a path may be a file, or None."""
    name, file = folder_of(path), path.rpartition("/")[2]
    fits = (name is not None and path == f"{name.path}/{file}" and file in ALLOWED
            and all(map(is_slug, name)))
    return name if fits else None


def folder_of(path: str) -> SubmissionName | None:
    """The submission in whose folder a path lies, whatever it is called, or None."""
    top, *parts = path.split("/")
    fits = top == TOP and len(parts) >= 4 and not path.startswith(f"{TEAMS}/")
    return SubmissionName(*parts[:3]) if fits else None


def team_of(path: str) -> str | None:
    """The team whose owners a path names, or None."""
    team = path.removeprefix(f"{TEAMS}/").removesuffix(".yaml")
    return team if path == f"{TEAMS}/{team}.yaml" and is_slug(team) else None


def is_annotation(path: str) -> bool:
    """Whether a path lies in the folder of annotations, or in one that looks like it."""
    return _top(path) == ANNOTATIONS


def submissions(changes: Sequence[Change]) -> list[SubmissionName]:
    """The submissions in whose folders something changes."""
    return sorted({name for change in changes if (name := folder_of(change.path)) is not None})


def teams(changes: Sequence[Change]) -> list[str]:
    """The teams that some changes are about: of submissions, and of files of owners."""
    owned = {team for change in changes if (team := team_of(change.path)) is not None}
    return sorted(owned.union(name.team for name in submissions(changes)))


def is_submission(changes: Sequence[Change], own: bool) -> bool:
    """Whether a pull request is judged as a submission: if it touches submissions, or, unless it
    is of a maintainers' branch (``own``), what only the pipeline writes.
    """
    return any(_is_inside(change.path) or (not own and _top(change.path) == GENERATED)
               for change in changes)


def problems(changes: Sequence[Change], boards: Mapping[str, Collection[str]]
             ) -> Iterator[Problem]:
    """The faults of what a stranger changed. ``boards``: the splits of each board."""
    inside = [change for change in changes if _is_inside(change.path)]
    outside = [path for path in dict.fromkeys(change.path for change in changes)
               if not _is_inside(path)]
    if outside:
        tops = [*dict.fromkeys(shown(path.partition("/")[0]) for path in outside[:MOST_SHOWN])]
        answers = ("send answers of annotators in a pull request of their own; "
                   if any(map(is_annotation, outside)) else "")
        yield problem("PR-SCOPE", outside[0],
                      f"{counted(len(outside), 'change')} outside of the submission",
                      "files of one submission", f"{answers}take these back: git fetch REMOTE main "
                      "&& git restore --source FETCH_HEAD --staged --worktree "
                      f"{' '.join(tops[:MOST_TOPS])}")
    for change in inside:
        if folder_of(change.path) is None and team_of(change.path) is None:
            yield problem("PR-PLACE", change.path, "a path of another form",
                          f"{TOP}/<board>/<team>/<system>/<file>, or {TEAMS}/<team>.yaml")
    yield from _several(inside)
    for change in inside:
        gone = change.mode == NOTHING
        frozen = answered(change.path) is not None and change.status != "A"
        if frozen or (gone and described(change.path) is not None):
            yield problem("PR-IMMUTABLE", change.path,
                          f"a merged file is {'removed' if gone else 'changed'}",
                          "it as it was merged")
    yield from _boards(inside, boards)


def _is_inside(path: str) -> bool:
    return _top(path) == TOP and path != CONTRACT


def _top(path: str) -> str:
    """The outermost folder as some file systems and readers take it."""
    return unicodedata.normalize("NFKC", path.partition("/")[0]).casefold()


def _several(inside: Sequence[Change]) -> Iterator[Problem]:
    """More than one submission, or the owners of another team beside one."""
    for count, noun in ((len(submissions(inside)), "submission folder"),
                        (len(teams(inside)), "team")):
        if count > 1:
            yield problem("PR-ONE", TOP, counted(count, noun), "one")
            return


def _boards(inside: Sequence[Change], boards: Mapping[str, Collection[str]]) -> Iterator[Problem]:
    for name in submissions(inside):
        if name.board not in boards:
            yield problem("PR-BOARD", name.path, f"the board {excerpt(name.board)}",
                          f"one of: {', '.join(sorted(boards))}")
    for change in inside:
        answer = answered(change.path)
        if answer is not None and answer[1] not in boards.get(answer[0].board, (answer[1],)):
            yield problem("PR-BOARD", change.path, f"the split {answer[1]}",
                          f"one of: {', '.join(boards[answer[0].board])}")


ANEW = ("make the branch anew and copy your files to it: git fetch REMOTE main && git switch -c "
        "anew FETCH_HEAD")


@dataclass(frozen=True)
class Merge:
    """A pull request that can be merged in one way."""

    base: str
    """The commit of the main branch."""
    tree: str
    """What the main branch would hold."""
    changes: tuple[Change, ...]
    """What the branch changed, and what its merge changes; what both name stands here once."""


def merge(repository: Repository, base: str, head: str) -> Merge | Problem:
    """The merge of a commit into the main branch, or why there is none that everybody agrees on."""
    parted = repository.merge_bases(base, head)
    if not parted:
        return problem("PR-BASE", ".", "no commit in common with the main branch",
                       "a branch made from the main branch", ANEW)
    if len(parted) > 1:
        return problem("PR-CROSSED", ".", f"{len(parted)} commits at which it left the main branch",
                       "a branch made from the main branch once", ANEW)
    tree = repository.merged(base, head)
    if tree is None:
        return problem("PR-CONFLICT", ".", "changes that conflict with those of the main branch",
                       "a branch that can be merged", ANEW)
    sides = [repository.changes(parted[0], head), repository.changes(base, tree)]
    if any(len(side) >= MOST_CHANGES for side in sides):
        return problem("PR-SCOPE", ".", f"{MOST_CHANGES} changes or more, of which nobody sees all",
                       "fewer")
    changes = (*sides[0], *sides[1])
    return Merge(base, tree, tuple(dict.fromkeys(changes)))
