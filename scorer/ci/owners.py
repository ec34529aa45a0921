"""Whose team is whose, and who wrote what is new: the ledger, and GitHub for what it does not tell.

A team belongs to the account whose pull request first brought a file of it. Until that is in the
ledger, which is when something of it is published, GitHub is asked; so nobody can put a system into
a team whose first one still waits. A team whose first files a maintainer committed belongs to no
account, and so do the reserved ones: only maintainers add to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scorer.ci import generated, gold
from scorer.ci.errors import TryAgain
from scorer.ci.git import Repository, Touch
from scorer.ci.github import GitHub, MergedPull, Passing
from scorer.ci.ledger import REMOVED
from scorer.ci.main_branch import CiJob, Main, Oid
from scorer.ci.runner import say
from scorer.ci.scope import NOBODY, TOP, described
from scorer.errors import DataError
from scorer.submission import RESERVED

MOST_ASKED = 400
"""Pull requests in one run; GitHub takes 1,000 questions an hour."""


class Settled(NamedTuple):
    """What a commit did to a file, now that it is known who made it."""

    path: str
    commit: Oid
    """The last that touched it."""
    kind: Literal["accepted", "described", "disowned", "removed"]
    """Predictions or a description of the team's own, a description of another account's, or a
    removal by maintainers."""


@dataclass(frozen=True)
class Known:
    """Who brought what waits, as far as it is known."""

    owners: Mapping[str, int] = field(default_factory=dict)
    """Accounts of teams that the ledger does not know."""
    refused: Mapping[CiJob, str] = field(default_factory=dict)
    """Submissions that may not be what they are, with the rule: they came by another account than
    that of their team, or take the place of others that were accepted."""
    unknown: Collection[CiJob] = frozenset()
    """Submissions of which GitHub did not tell it, and all to hidden splits that hold such ones,
    for what is released depends on the history; the next run asks again."""
    settled: tuple[Settled, ...] = ()
    """What the ledger may tell now."""


@dataclass
class _Pulls:
    """Pull requests by the commits they became, each asked for once; without GitHub none."""

    github: GitHub | None
    found: dict[str, MergedPull | None] = field(default_factory=dict)
    silent: bool = False

    def of(self, commit: str) -> MergedPull | None:
        """None for a commit that a maintainer made. Raises TryAgain if it is not known."""
        if self.github is None:
            return None
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

    def owner(self, team: str, first: str | None) -> int:
        """The account of a team by the commit that first brought a file of it, or NOBODY.

        Raises TryAgain if it is not known.
        """
        pull = self.of(first) if team not in RESERVED and first is not None else None
        return NOBODY if pull is None else pull.author


def owner_at(repository: Repository, base: str, team: str, github: GitHub | None) -> int | None:
    """The account of a team that the ledger of a commit does not know.

    NOBODY for a team that only maintainers write, None for a new one or where nobody tells.
    """
    first = _first_commits(repository.touches(base, TOP)).get(team)
    if github is None or first is None:
        return None
    try:
        return _Pulls(github).owner(team, first)
    except TryAgain:
        return None  # planning asks again before anything is scored


def ask(main: Main, waiting: Sequence[CiJob], github: GitHub | None) -> Known:
    """Who wrote everything that the ledger does not tell; ``waiting``: whom to ask for first.

    Without GitHub nobody is a stranger, but what was accepted cannot be replaced or removed.
    Nothing is known while it is not known who changed what only the pipeline writes; raises
    DataError if a stranger did.
    """
    pulls = _Pulls(github)
    jobs = [job for job in dict.fromkeys([*waiting, *main.jobs()]) if not main.is_rejected(job)]
    try:
        wrong = list(generated.foreign(main.repository, main.commit, pulls.of))
    except TryAgain:
        return Known(unknown=frozenset(jobs))
    if wrong:
        raise DataError("\n".join(wrong))
    asked = _Asked(main, pulls)
    refused: dict[CiJob, str] = {}
    unknown: set[CiJob] = set()
    settled: list[Settled] = []
    for job in jobs:
        try:
            rule = asked.rule(job)
        except TryAgain:
            unknown.add(job)
            continue
        if rule:
            refused[job] = rule
        elif job.name not in asked.accepted:
            settled.append(Settled(job.path, job.commit, "accepted"))
    settled = [*asked.descriptions(), *asked.removals(), *settled]
    hidden = {job for job in jobs if gold.is_hidden(main.board(job), job.split)}
    for job in hidden:
        asked.know(job.team)
    unknown |= {job for job in hidden if job.team in asked.silent}
    blind = {(job.board, job.split) for job in unknown & hidden}
    unknown |= {job for job in jobs if (job.board, job.split) in blind}
    owners = {team: owner for team, owner in asked.owners.items() if owner != NOBODY}
    refused = {job: rule for job, rule in refused.items() if job not in unknown}
    return Known(owners, refused, frozenset(unknown), tuple(settled))


class _Asked:
    """One run's questions about a commit of the main branch."""

    def __init__(self, main: Main, pulls: _Pulls) -> None:
        self._main, self._pulls = main, pulls
        self.accepted = main.ledger.accepted()
        self.told = main.ledger.owners()
        self.owners: dict[str, int] = {}
        """Of teams that the ledger does not know."""
        self.silent: set[str] = set()
        """Teams whose owner GitHub did not tell."""
        self._first = _first_commits(main.touches)

    def know(self, team: str) -> int | None:
        """The account of a team or NOBODY; None if it is not told."""
        if team in self.told:
            return self.told[team]
        if team not in self.owners and team not in self.silent:
            try:
                self.owners[team] = self._pulls.owner(team, self._first.get(team))
            except TryAgain:
                self.silent.add(team)
        return self.owners.get(team)

    def rule(self, job: CiJob) -> str:
        """The rule that a submission breaks by who brought it; empty if none.

        Raises TryAgain if it is not known.
        """
        line = self.accepted.get(job.name)
        if line is not None and line["predictions"] == job.predictions:
            return ""
        pull = self._pulls.of(job.commit)
        if pull is not None and pull.trusted:
            return ""
        if pull is not None and self._owner(job.team) != pull.author:
            return "PR-OWNER"
        return "" if line is None else "PR-IMMUTABLE"

    def _owner(self, team: str) -> int:
        owner = self.know(team)
        if owner is None:
            raise TryAgain("not told")
        return owner

    def descriptions(self) -> Iterable[Settled]:
        """Descriptions that were written since the ledger last spoke of them."""
        told, disowned = self._main.ledger.described(), self._main.disowned
        for one in self._main.descriptions:
            if told.get(one.place, {}).get("commit") == one.commit or one in disowned:
                continue
            try:
                pull = self._pulls.of(one.commit)
                own = pull is None or pull.trusted or self._owner(one.place.team) == pull.author
            except TryAgain:
                continue
            yield Settled(one.path, one.commit, "described" if own else "disowned")

    def removals(self) -> Iterable[Settled]:
        """Files that maintainers removed since the ledger last spoke of them."""
        if self._pulls.github is None:
            return
        told = {(line["path"], line["commit"]) for line in self._main.ledger.lines()
                if line["event"] == REMOVED}
        for path, touches in self._main.touches.items():
            last = touches[-1]
            if not last.removed or (path, last.commit) in told or described(path) is None:
                continue
            try:
                pull = self._pulls.of(last.commit)
            except TryAgain:
                continue
            if pull is None or pull.trusted:
                yield Settled(path, last.commit, "removed")


def _first_commits(touches: Mapping[str, Sequence[Touch]]) -> dict[str, str]:
    """For each team that ever was the commit that brought its first file."""
    found: dict[str, Touch] = {}
    for path, mine in touches.items():
        parts = path.split("/")
        if len(parts) == 5 and (parts[2] not in found or mine[0].number < found[parts[2]].number):
            found[parts[2]] = mine[0]
    return {team: touch.commit for team, touch in found.items()}
