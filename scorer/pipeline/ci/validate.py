"""The check of a pull request, in the order in which it happens.

    event ------> Request      number, base, head, author, whose branch          here
    origin -----> objects      the branch's commits, without large blobs         here, git.py
    base, head -> Merge        the merged tree, and two comparisons              scope.py
    paths ------> problems     one submission, predictions new, known board      scope.py
    author -----> problems     the team's owners                                 owners.py
    folder -----> Review       names, modes, sizes, every field and row          review.py
    likeness ---> notes        names and bytes of others                         owners.py
    files ------> problems     hidden gold, keys, whoever brings them            hidden_gold.py
    gold -------> results      metrics that need no model, beside their nulls    here
    Review -----> summary      what the submitter reads, and the exit code       review.py

It runs the main branch's program with a token that reads, and never checks out the branch. The
pull request is hostile: its names, bytes, modes, sizes and history. Maintainers are trusted: what
changes the program, its workflows or the settings is theirs to review, and a branch of this
repository itself is theirs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scorer.boards import Board, load, load_all
from scorer.core.errors import DataError, Problem, UsageError
from scorer.core.reading.tsv import LARGEST_FILE
from scorer.core.reading.values import is_slug
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci import gold, hidden_gold, owners, scope
from scorer.pipeline.ci.git import Repository, is_oid
from scorer.pipeline.ci.owners import Owner
from scorer.pipeline.ci.review import Review, read_submission
from scorer.pipeline.ci.runner import TryAgain, value_at
from scorer.pipeline.ci.scope import Merge

BRANCH = "main"
MOST_TEAMS = 3
"""Of a stranger, whose owners are looked up; one about more than one is refused in any case."""


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
    author = owners.of_event(*(value_at(document, "user", field) for field in ("login", "id")))
    if not isinstance(number, int) or not is_oid(base) or not is_oid(head) or author is None:
        raise UsageError("the event is not about a pull request of an account")
    here, there = (value_at(document, side, "repo", "id") for side in ("base", "head"))
    return PullRequest(number, base, head, author, own=isinstance(here, int) and here == there,
                       for_main=value_at(document, "base", "ref") == BRANCH)


def bring(repository: Repository, pull: PullRequest) -> PullRequest:
    """Fetch a pull request's objects, without blobs that are too large to be submitted, and the
    main branch; returns the same request against that as it is now, for events grow old.

    Raises TryAgain if the commit of the event is no longer there: a newer run judges the newer one.
    """
    tip = f"refs/remotes/origin/{BRANCH}"
    repository.fetch(f"+refs/heads/{BRANCH}:{tip}")
    repository.fetch(f"refs/pull/{pull.number}/head", largest=LARGEST_FILE + 1)
    if not repository.has(pull.head):
        raise TryAgain(f"commit {pull.head[:12]} is no longer the pull request's: it was pushed "
                       "again; the newer run judges it")
    return replace(pull, base=repository.commit(tip))


def run(root: Path, event: Mapping[str, object], boards: Path, home: Path) -> Review:
    """The whole of ``scorer ci validate``, but for printing."""
    repository = Repository(root)
    return check(repository, bring(repository, request(event)), boards, home, scored=True)


def check(repository: Repository, pull: PullRequest, boards: Path, home: Path, *,
          scored: bool = False) -> Review:
    """Judge a pull request whose objects are here.

    ``scored``: whether the data of the boards that it touches are fetched, and what is sound gets
    the scores that need no model.
    """
    review, known = Review(), {board.id: board for board in load_all(boards)}
    merge = scope.merge(repository, pull.base, pull.head)
    if not pull.for_main:
        merge = scope.problem("PR-BASE", ".", "a pull request for another branch",
                              "one for the main branch",
                              f"gh pr edit {pull.number} --base {BRANCH}")
    if isinstance(merge, Problem):
        review.add([merge])
        return review
    if scored:
        touched = {name.board for name in scope.submissions(merge.changes)}
        gold.fetch_public([board for board in known.values()
                           if board.id in touched or board.hides_gold], home)
    review.applies = scope.is_submission(merge.changes, pull.own)
    with tempfile.TemporaryDirectory() as folder:
        if review.applies:
            _submission(review, repository, pull, merge, known, home, Path(folder))
        hidden = [split for board in known.values() for split in hidden_gold.inputs_of(board, home)]
        review.add(hidden_gold.problems(repository, merge.changes, hidden, hidden_gold.FEW
                                        if review.total else hidden_gold.MOST_FILES))
        if scored and review.name is not None and not review.total:
            _score(review, boards, home)
    return review


def _submission(review: Review, repository: Repository, pull: PullRequest, merge: Merge,
                boards: Mapping[str, Board], home: Path, folder: Path) -> None:
    """The rules of submissions; a maintainers' branch may do anything to them that can be read."""
    main, merged = (repository.tree(side, scope.TOP) for side in (merge.base, merge.tree))
    names, teams = scope.submissions(merge.changes), scope.teams(merge.changes)
    if not pull.own:
        review.add(scope.problems(merge.changes, {name: tuple(board.splits)
                                                  for name, board in boards.items()}))
    submitting = {name.team for name in names}
    for team in filter(is_slug, teams if pull.own else teams[:MOST_TEAMS]):
        review.add(owners.problems(repository, main, merged, team, pull.author,
                                   submits=team in submitting, own=pull.own))
    if len(names) == 1:
        review.name = names[0]
    for number, name in enumerate(names if pull.own or review.name else ()):
        files = [entry for entry in merged if scope.folder_of(entry.path) == name]
        if not pull.own:
            review.add(owners.copies(main, files, name))
        if files and name.board in boards:
            outcome = read_submission(repository, files, name, boards[name.board], home,
                                      folder / str(number))
            review.refuse(outcome.problems, outcome.total, outcome.lines)
            review.notes += outcome.notes
            review.submission = outcome.submission
            if outcome.submission is not None and not pull.own:
                team = outcome.submission.meta.team
                review.add(owners.names(repository, main, name, team, list(boards.values())))


def _score(review: Review, boards: Path, home: Path) -> None:
    """Score what has public gold, with the metrics that need no model."""
    sent = review.submission
    if sent is None:
        return  # only removed
    board = load(sent.board, boards)
    metrics = tuple(name for name in board.metrics if METRICS[name].model is None)
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
            scored = scorer.file(board, sent.predictions(split), split, wanted, sent)
            review.results.append(scored.result)
