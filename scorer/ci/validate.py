"""Checking a pull request: which submission it brings, every fault of it, and its numbers.

A courtesy to the submitter: the same is checked again on the main branch before anything
is scored, so a green check that somebody forged is worth nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scorer.board import Board, load, load_all
from scorer.ci import gold, hidden_gold, ledger, merging, reading
from scorer.ci.errors import TryAgain
from scorer.ci.flags import remark
from scorer.ci.git import Change, Repository, is_oid
from scorer.ci.github import GitHub, is_trusted
from scorer.ci.ledger import Ledger
from scorer.ci.owners import owner_at
from scorer.ci.reading import Reading
from scorer.ci.runner import code, reach
from scorer.ci.scope import (
    TOP,
    PullContext,
    Scope,
    answered,
    boards_of,
    check_scope,
    teams,
)
from scorer.errors import MOST_SHOWN, DataError, Problem, Told, UsageError, counted
from scorer.files import sha256
from scorer.metrics.catalogue import METRICS
from scorer.reading.tsv import LARGEST_FILE
from scorer.records import Result
from scorer.scoring.leaderboard.numbers import number, plain

BRANCH = "main"
MOST_TEAMS = 3
"""Whose account is asked for; a pull request about more than one is refused in any case."""


@dataclass(frozen=True)
class Request:
    """A pull request as an event describes it: numbers, digests and yes or no, never text."""

    number: int
    base: str
    head: str
    pull: PullContext
    for_main: bool = True
    """Whether it is to be merged into the main branch."""


@dataclass
class Review:
    """Everything there is to say about a pull request."""

    scope: Scope
    reading: Reading | None = None
    results: list[Result] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    """Splits that were checked, but have no gold here."""

    @property
    def problems(self) -> list[Problem]:
        """The first 50 faults: of scope, then of the files."""
        found = [*self.scope.problems, *(self.reading.problems if self.reading else ())]
        return found[:MOST_SHOWN]

    @property
    def told(self) -> list[Told]:
        """What a submitter reads of them, a fault of every row once: at most 50 lines."""
        lines = [*map(Told, self.scope.problems), *(self.reading.told if self.reading else ())]
        return lines[:MOST_SHOWN]

    @property
    def total(self) -> int:
        """All faults, those not kept included."""
        return self.scope.total + (self.reading.total if self.reading else 0)

    @property
    def notes(self) -> list[Problem]:
        """What the submitter should know; nothing is rejected for it."""
        return [*self.scope.notes, *(self.reading.notes if self.reading else ())]


def request(event: Mapping[str, object]) -> Request:
    """The pull request of an event. Raises UsageError if it is not about one."""
    number = reach(event, "pull_request", "number")
    base, head = (reach(event, "pull_request", side, "sha") for side in ("base", "head"))
    if not isinstance(number, int) or not is_oid(base) or not is_oid(head):
        raise UsageError("the event is not about a pull request")
    author = reach(event, "pull_request", "user", "id")
    pull = PullContext(author if isinstance(author, int) else None,
                       trusted=is_trusted(reach(event, "pull_request")))
    return Request(number, base, head, pull,
                   reach(event, "pull_request", "base", "ref") == BRANCH)


def bring(repository: Repository, asked: Request) -> None:
    """Fetch a pull request's objects, without blobs that are too large to be submitted.

    Raises TryAgain if the commit of the event is no longer there: a newer run judges the newer one.
    """
    repository.fetch(f"refs/pull/{asked.number}/head", largest=LARGEST_FILE + 1)
    if not repository.has(asked.head):
        raise TryAgain(f"commit {asked.head[:12]} is no longer the pull request's: it was pushed "
                       "again; the newer run judges it")


def validate(repository: Repository, asked: Request, boards: Path, home: Path,
             folder: Path, github: GitHub | None = None) -> Review:
    """Judge a pull request whose objects are here.

    ``folder``: an empty one for its files. ``github``: tells whose a team is that the ledger does
    not know yet.
    """
    base, scope = repository.commit(asked.base), Scope()
    if not asked.for_main:
        scope.submits = True
        scope.add("PR-BASE", ".", "a pull request for another branch", "one for the main branch")
        return Review(scope)
    tree = merging.merged_tree(repository, base, asked.head, scope)
    if tree is None:
        return Review(scope)
    told = ledger.read(repository, base)
    owners = told.owners()
    for team in teams(repository.changes(base, tree))[:MOST_TEAMS]:
        owner = owner_at(repository, base, team, github) if team not in owners else None
        if owner is not None:
            owners[team] = owner
    review = judged(repository, replace(asked, base=base), tree, told, owners, boards, home, folder)
    if review.reading is not None and not review.total:
        _score(review, load(review.reading.place.board, boards), boards, home)
    return review


def judged(repository: Repository, asked: Request, tree: str, told: Ledger,
           owners: Mapping[str, int], boards: Path, home: Path, folder: Path) -> Review:
    """Judge what merging a branch would do, without scoring it.

    ``asked``: with the commits themselves. ``tree``: what the merge gives. ``told`` and ``owners``:
    the ledger of its base, and the account of each team.
    """
    base = asked.base
    known = {board.id: tuple(board.splits) for board in load_all(boards)}
    changes = repository.changes(base, tree)
    scope = check_scope(changes, repository.tree(base, TOP), asked.pull, owners, known)
    review = Review(scope)
    hidden_gold.check_changes(scope, repository, changes, hidden_gold.all_inputs(boards, home))
    if not asked.pull.trusted and not scope.total:
        merging.check_commits(repository, base, asked.head, scope.place, scope)
    if scope.place is None or scope.place.board not in known:
        return review
    if not asked.pull.trusted:
        _check_returned(repository, changes, told, scope)
    board = load(scope.place.board, boards)
    entries = repository.tree(tree, scope.place.path)
    review.reading = reading.read(repository, entries, scope.place, board, home, folder,
                                  reserved=asked.pull.trusted, scoped=True)
    return review


def _check_returned(repository: Repository, changes: Sequence[Change], told: Ledger,
                    scope: Scope) -> None:
    """Refuse other predictions in the place of some that were merged before and are gone."""
    accepted = told.accepted()
    for change in changes:
        found = answered(change.path)
        line = accepted.get((*found[0], found[1])) if found is not None else None
        if line is None or change.status != "A":
            continue
        content = repository.blob(change.oid, LARGEST_FILE)
        if content is None or sha256(content) != line["predictions"]:
            scope.add("PR-IMMUTABLE", change.path, "other predictions than were merged there once",
                      "those that were merged")


def shown(board: Board) -> tuple[str, ...]:
    """The metrics that a pull request is told at once: those that need no model."""
    return tuple(name for name in board.metrics if METRICS[name].model is None)


def _score(review: Review, board: Board, boards: Path, home: Path) -> None:
    """Score what has public gold, with the metrics that need no model."""
    assert review.reading is not None
    sent = review.reading.submission
    assert sent is not None
    metrics = shown(board)
    if not metrics:
        return  # all need a model, and to the scorer none named means all
    scorer = gold.scorer(home, boards, "no", metrics)
    for split in sent.splits:
        public = board.splits[split].gold == "public"
        try:
            wanted = scorer.gold(board, split) if public else None
        except DataError:
            wanted = None  # the official data could not be fetched: checked without them
        if wanted is None:
            review.unscored.append(split)
        else:
            review.results.append(
                scorer.file(board, sent.predictions(split), split, wanted, sent))


def markdown(review: Review) -> str:
    """The step's summary: rule ids, places, counts and ASCII excerpts, nothing that is alive."""
    if not review.scope.submits:
        lines = ["## Nothing to validate", "\nThis pull request brings no submission.",
                 *_notes(review)]
        return "\n".join(lines) + "\n"
    total = review.total
    place = code(review.scope.place.path) if review.scope.place else "the submission"
    said = f"{counted(total, 'error')} in {place}" if total else f"{place} can be scored"
    lines = [f"## {said}", ""]
    lines += [_told(one) for one in review.told]
    if len(review.told) == MOST_SHOWN < total:
        lines.append(f"\nThe first {len(review.told)} of {total} are shown.")
    lines += _notes(review)
    if total:
        lines.append("\nTo see the same on your machine: `scorer check FOLDER`.")
    for result in review.results:
        lines += _table(result)
    lines += [f"\nThe split {code(split)} can be scored; its gold is not at hand here."
              for split in review.unscored]
    return "\n".join(lines) + "\n"


def _notes(review: Review) -> list[str]:
    notes = [_line(note) for note in review.notes[:MOST_SHOWN]]
    return ["\n### Notes\n", *notes] if notes else []


def _told(one: Told) -> str:
    """A line; what is said of other rows is rule ids and numbers."""
    if one.problem is None:
        return f"- {one.more}"
    return _line(one.problem) + (f" ({one.more})" if one.more else "")


def _line(problem: Problem) -> str:
    place = code(f"{problem.path}:{problem.line}:{problem.column}")
    return (f"- {place} **{problem.rule}** {code(problem.found)}; expected "
            f"{code(problem.expected)}; {code(problem.advice)}")


def _table(result: Result) -> list[str]:
    """One split: every value beside that of a submission that says nothing."""
    lines = [f"\n### {result.split}: {result.counts['items']} items\n",
             "| metric | value | its null |", "|---|---:|---:|"]
    lines += [f"| {name} | {_number(value.value, name)} | {_number(value.null, name)} |"
              for name, value in result.metrics.items()]
    broken = result.counts["broken"]
    said = ", ".join(f"{rule} {count}" for rule, count in broken.items()) or "none"
    return [*lines, f"\nItems with the right label that break a constraint: {said}."]


def _number(value: float | None, metric: str) -> str:
    """As people read it: percent, or three decimals of a distance."""
    return "" if value is None else plain(number(value, METRICS[metric]))


def outcome(review: Review) -> int:
    """The exit code: 0 for a submission that can be scored, or none at all; else 2."""
    return 2 if review.total else 0


def run(root: Path, event: Mapping[str, object], boards: Path, home: Path,
        tell: Callable[[Review], None]) -> int:
    """Fetch, judge and tell; the whole of ``scorer ci validate``."""
    repository, asked = Repository(root), request(event)
    bring(repository, asked)
    known = load_all(boards)
    touched = boards_of(repository.changes(repository.commit(asked.base), asked.head))
    gold.fetch_public([board for board in known if board.id in touched or board.hides_gold], home)
    with tempfile.TemporaryDirectory() as folder:
        review = validate(repository, asked, boards, home, Path(folder), GitHub.here())
        remark(review.scope, repository, asked.number, asked.base, asked.head, known)
        tell(review)
    return outcome(review)
