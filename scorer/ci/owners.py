"""Whose team is whose: the ledger, and before it the pull requests in the order of their merges.

A team belongs to the account whose pull request first brought a file of it. Until that is in the
ledger, which is when something of it is published, GitHub is asked; so nobody can put a system into
a team whose first one still waits. Files that a maintainer committed belong to no account.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scorer.ci import gold
from scorer.ci.errors import TryAgain
from scorer.ci.git import Repository
from scorer.ci.github import GitHub, Passing, Pull
from scorer.ci.ledger import SCORED
from scorer.ci.runner import say
from scorer.ci.scope import TOP
from scorer.ci.state import Job, Main, State
from scorer.submission import RESERVED

MOST_ASKED = 400
"""Pull requests in one run; GitHub takes 1,000 questions an hour."""


@dataclass(frozen=True)
class Known:
    """Who brought what waits, as far as it is known."""

    owners: Mapping[str, int] = field(default_factory=dict)
    """Accounts of teams that the ledger does not know."""
    strangers: Collection[Job] = frozenset()
    """Submissions that came by another account than that of their team."""
    unknown: Collection[Job] = frozenset()
    """Submissions of which GitHub did not tell it, and all to hidden splits that hold such ones,
    for what is released depends on the history; the next run asks again."""


@dataclass
class _Pulls:
    """Pull requests by the commits they became, each asked for once."""

    github: GitHub
    found: dict[str, Pull | None] = field(default_factory=dict)
    silent: bool = False

    def of(self, commit: str) -> Pull | None:
        """Raises TryAgain if it is not known."""
        if commit in self.found:
            return self.found[commit]
        if self.silent or len(self.found) >= MOST_ASKED:
            raise TryAgain("not asked any more in this run")
        try:
            self.found[commit] = self.github.pull_of(commit)
        except TryAgain as fault:
            say(str(fault))
            self.silent = isinstance(fault, Passing)
            raise
        return self.found[commit]

    def first_author(self, commits: Iterable[str]) -> int | None:
        """Who opened the first pull request among commits. Raises TryAgain if it is not known."""
        pulls = (self.of(commit) for commit in commits)
        return next((pull.author for pull in pulls if pull is not None), None)


def owner_at(repository: Repository, base: str, team: str, github: GitHub | None) -> int | None:
    """The account of a team that the ledger of a commit does not know, or None."""
    if github is None or team in RESERVED:
        return None
    try:
        return _Pulls(github).first_author(_commits(repository, base).get(team, ()))
    except TryAgain:
        return None  # planning asks again before anything is scored


def ask(main: Main, found: Sequence[State], github: GitHub | None) -> Known:
    """Who brought every submission of some states; the first ones are asked for first.

    What was published is settled: a team may be given to another account later. Without GitHub
    nothing is known, and nobody is a stranger.
    """
    if github is None:
        return Known()
    told, published = main.ledger.owners(), {_file(line) for line in main.ledger.lines()
                                             if line["event"] in SCORED}
    waiting = [state.job for state in found if state.job.team not in RESERVED]
    new = [job for job in waiting if _file(job.line("published")) not in published]
    hidden = [job for job in main.jobs() if gold.is_hidden(main.board(job), job.split)
              and job.team not in RESERVED]
    pulls, commits = _Pulls(github), _commits(main.repository, main.commit)
    owners: dict[str, int] = {}
    silent = set()
    for team in dict.fromkeys(job.team for job in (*new, *hidden) if job.team not in told):
        try:
            author = pulls.first_author(commits.get(team, ()))
        except TryAgain:
            silent.add(team)
            continue
        if author is not None:
            owners[team] = author
    unknown = {job for job in (*waiting, *hidden) if job.team in silent}
    strangers = set()
    for job in new:
        try:
            pull = pulls.of(job.commit)
        except TryAgain:
            unknown.add(job)
            continue
        owner = told.get(job.team, owners.get(job.team))
        if pull is not None and not pull.trusted and owner not in (None, pull.author):
            strangers.add(job)
    blind = {(job.board, job.split) for job in unknown.intersection(hidden)}
    unknown |= {job for job in waiting if (job.board, job.split) in blind}
    return Known(owners, frozenset(strangers - unknown), frozenset(unknown))


def _file(line: Mapping[str, object]) -> tuple[object, ...]:
    """What stays the same of a merged file while boards and scorers change."""
    return tuple(line[name] for name in ("board", "team", "system", "split", "commit"))


def _commits(repository: Repository, commit: str) -> dict[str, list[str]]:
    """For each team the commits that brought files of it, in the order of the merges."""
    present = {entry.path for entry in repository.tree(commit, TOP)}
    found: dict[str, list[str]] = {}
    for path, came in repository.added(commit, TOP).items():
        parts = path.split("/")
        if path in present and len(parts) == 5 and came.commit not in found.get(parts[2], ()):
            found.setdefault(parts[2], []).append(came.commit)
    return found
