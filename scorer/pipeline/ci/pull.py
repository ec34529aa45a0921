"""A pull request: who opened it, what its merge changes, and whether such paths may change.

Judged here are paths and kinds of change alone; what the files are and say is judged in
``owners.py`` and ``validate.py``.

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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from scorer.boards import Board
from scorer.boards.submission import FILE_NAME, SUBMISSIONS, SubmissionName
from scorer.core.errors import MOST_SHOWN, Problem, UsageError, counted, excerpt
from scorer.core.reading.tsv import LARGEST_FILE
from scorer.core.reading.values import is_slug
from scorer.core.records import SPLITS
from scorer.core.rules import CATALOGUE
from scorer.pipeline.ci.git import (
    BRANCH,
    EXECUTABLE,
    FILE,
    MOST_CHANGES,
    NOTHING,
    SUBMODULE,
    SYMLINK,
    Change,
    Repository,
    TreeEntry,
    is_oid,
)
from scorer.pipeline.ci.runner import TryAgain, value_at

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
ANEW = ("make the branch anew and copy your files to it: git fetch REMOTE main && git switch -c "
        "anew FETCH_HEAD")
_KINDS = {EXECUTABLE: "an executable file", SYMLINK: "a symbolic link",
          SUBMODULE: "a submodule"}
_PLAIN = re.compile(r"[A-Za-z0-9._/-]{1,160}")
ACCOUNT = r"([A-Za-z0-9_-]{1,40})#([1-9][0-9]{0,14})"


# ---- what a path is ------------------------------------------------------------------------------


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


def _is_inside(path: str) -> bool:
    return _top(path) == TOP and path != CONTRACT


def _top(path: str) -> str:
    """The outermost folder as some file systems and readers take it."""
    return unicodedata.normalize("NFKC", path.partition("/")[0]).casefold()


# ---- the request and its merge -------------------------------------------------------------------


@dataclass(frozen=True)
class Owner:
    """An account; two of the same number are the same."""

    login: str = field(compare=False)
    id: int

    @classmethod
    def of(cls, account: str) -> Owner | None:
        """Of ``login#number``; None for anything else. No person has the login that an app gets
        here.

        >>> str(Owner.of("a-bot[bot]#49699333")), Owner.of("ann#True")
        ('a-bot__bot#49699333', None)
        """
        match = re.fullmatch(ACCOUNT, account.replace("[bot]#", "__bot#"))
        return cls(match[1], int(match[2])) if match else None

    def __str__(self) -> str:
        return f"{self.login}#{self.id}"


@dataclass(frozen=True)
class PullRequest:
    """A pull request as its event describes it: numbers, digests, an account, no other text."""

    number: int
    base: str
    head: str
    author: Owner | None = None
    """Who opened it; None for one that is not open yet."""
    own: bool = False
    """Whether its branch lies in this repository itself, so that a maintainer pushed it."""
    for_main: bool = True
    """Whether it is to be merged into the main branch."""


def request(event: Mapping[str, object]) -> PullRequest:
    """The pull request of an event. Raises UsageError if it is not about one."""
    document = value_at(event, "pull_request")
    number = value_at(document, "number")
    base, head = (value_at(document, side, "sha") for side in ("base", "head"))
    login, account = (value_at(document, "user", name) for name in ("login", "id"))
    author = Owner.of(f"{login}#{account}") if isinstance(account, int) else None
    if not isinstance(number, int) or not is_oid(base) or not is_oid(head) or author is None:
        raise UsageError("the event is not about a pull request of an account")
    here, there = (value_at(document, side, "repo", "id") for side in ("base", "head"))
    return PullRequest(number, base, head, author, own=isinstance(here, int) and here == there,
                       for_main=value_at(document, "base", "ref") == BRANCH)


def bring(repository: Repository, event: Mapping[str, object]) -> PullRequest:
    """Fetch the objects of an event's pull request, without blobs that are too large to be
    submitted, and the main branch; returns the request against that as it is now, for events grow
    old.

    Raises TryAgain if the commit of the event is no longer there: a newer run judges the newer one.
    """
    pull = request(event)
    tip = repository.fetch_main()
    repository.fetch(f"refs/pull/{pull.number}/head", largest=LARGEST_FILE + 1)
    if not repository.has(pull.head):
        raise TryAgain(f"commit {pull.head[:12]} is no longer the pull request's: it was pushed "
                       "again; the newer run judges it")
    return replace(pull, base=tip)


@dataclass(frozen=True)
class Merge:
    """A pull request that can be merged in one way: what all of its rules look at."""

    repository: Repository
    pull: PullRequest
    tree: str
    """What the main branch would hold."""
    changes: tuple[Change, ...]
    """What the branch changed, and what its merge changes; what both name stands here once."""

    @cached_property
    def before(self) -> list[TreeEntry]:
        """Every path below ``submissions`` on the main branch."""
        return self.repository.tree(self.pull.base, TOP)

    @cached_property
    def after(self) -> list[TreeEntry]:
        """The same once it is merged."""
        return self.repository.tree(self.tree, TOP)

    def files(self, name: SubmissionName) -> list[TreeEntry]:
        """The files of a submission once it is merged."""
        return [entry for entry in self.after if folder_of(entry.path) == name]

    @cached_property
    def names(self) -> list[SubmissionName]:
        """The submissions in whose folders something changes."""
        return sorted({name for change in self.changes
                       if (name := folder_of(change.path)) is not None})

    @cached_property
    def teams(self) -> list[str]:
        """The teams that it is about: of submissions, and of files of owners."""
        owned = {team for change in self.changes if (team := team_of(change.path)) is not None}
        return sorted(owned.union(name.team for name in self.names))

    @property
    def is_submission(self) -> bool:
        """Whether it is judged as a submission: if it touches submissions, or, unless it is of a
        maintainers' branch, what only the pipeline writes."""
        return any(_is_inside(change.path)
                   or (not self.pull.own and _top(change.path) == GENERATED)
                   for change in self.changes)


def merge_of(repository: Repository, pull: PullRequest) -> Merge | Problem:
    """The merge of a pull request whose objects are here, or why there is none that everybody
    agrees on."""
    parted = repository.merge_bases(pull.base, pull.head)
    if not parted:
        return problem("PR-BASE", ".", "no commit in common with the main branch",
                       "a branch made from the main branch", ANEW)
    if len(parted) > 1:
        return problem("PR-CROSSED", ".", f"{len(parted)} commits at which it left the main branch",
                       "a branch made from the main branch once", ANEW)
    tree = repository.merged(pull.base, pull.head)
    if tree is None:
        return problem("PR-CONFLICT", ".", "changes that conflict with those of the main branch",
                       "a branch that can be merged", ANEW)
    sides = [repository.changes(parted[0], pull.head), repository.changes(pull.base, tree)]
    if any(len(side) >= MOST_CHANGES for side in sides):
        return problem("PR-SCOPE", ".", f"{MOST_CHANGES} changes or more, of which nobody sees all",
                       "fewer")
    return Merge(repository, pull, tree, tuple(dict.fromkeys([*sides[0], *sides[1]])))


def regular(repository: Repository, entry: TreeEntry, most: int, advice: str = "",
            ) -> bytes | Problem:
    """A file's bytes, or what is wrong with its kind or size."""
    if entry.mode != FILE:
        return problem("PR-MODE", entry.path, _KINDS.get(entry.mode, f"mode {entry.mode}"),
                       f"a regular file (mode {FILE})")
    content = repository.blob(entry.oid, most)
    return problem("PR-SIZE", entry.path, f"more than {most} bytes", f"at most {most} bytes",
                   advice) if content is None else content


# ---- whether its paths may change ----------------------------------------------------------------


def problems(merge: Merge, boards: Mapping[str, Board]) -> Iterator[Problem]:
    """The faults of what a stranger changed: one submission, predictions new, a known board."""
    inside = [change for change in merge.changes if _is_inside(change.path)]
    outside = [path for path in dict.fromkeys(change.path for change in merge.changes)
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
    if len(merge.names) > 1:
        yield problem("PR-ONE", TOP, counted(len(merge.names), "submission folder"), "one")
    elif len(merge.teams) > 1:
        yield problem("PR-ONE", TOP, counted(len(merge.teams), "team"), "one")
    for change in inside:
        gone = change.mode == NOTHING
        frozen = answered(change.path) is not None and not change.added
        if frozen or (gone and described(change.path) is not None):
            yield problem("PR-IMMUTABLE", change.path,
                          f"a merged file is {'removed' if gone else 'changed'}",
                          "it as it was merged")
    for name in merge.names:
        if name.board not in boards:
            yield problem("PR-BOARD", name.path, f"the board {excerpt(name.board)}",
                          f"one of: {', '.join(sorted(boards))}")
    for change in inside:
        answer = answered(change.path)
        board = boards.get(answer[0].board) if answer else None
        if answer and board and answer[1] not in board.splits:
            yield problem("PR-BOARD", change.path, f"the split {answer[1]}",
                          f"one of: {', '.join(board.splits)}")
