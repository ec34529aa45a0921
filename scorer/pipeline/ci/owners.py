"""Whose team is whose: ``submissions/teams/<team>.yaml`` on the main branch, one file for a team.

    owners: [alice#1001, bob#1002]

The number is that of the account on GitHub, which never changes, and it alone decides; the login is
for people. The first pull request of a team brings the file, with its author among the owners; then
only an owner changes it. If two bring the same team at once, the second one conflicts in git. A
team that is there without such a file, and every reserved one, is the maintainers'.

What could be taken for somebody else's is noted here too. A name is only noted, for two groups may
share one; so are predictions with the bytes of merged ones, and refused where both are the team's
own: nobody needs two rows of one file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from scorer.boards import Board
from scorer.boards.integrity.names import Name, alike, reserved
from scorer.boards.submission import FILE_NAME, RESERVED, SubmissionName
from scorer.core.errors import MOST_SHOWN, DataError, Problem, excerpt
from scorer.core.reading import schema
from scorer.core.reading.strict_yaml import LARGEST
from scorer.core.reading.values import Items, Text
from scorer.pipeline.ci.git import FILE, Repository, TreeEntry
from scorer.pipeline.ci.scope import TEAMS, folder_of, problem, shown, team_of

MOST = 20
"""Owners of a team."""
_MOST_NAMED = 3
"""Of them in a message."""
_PATTERN = r"([A-Za-z0-9_-]{1,40})#([1-9][0-9]{0,14})"
_Account = Annotated[str, Text(60, _PATTERN, "login#number, an account and its number on GitHub")]


@dataclass(frozen=True)
class Owner:
    """An account; two of the same number are the same."""

    login: str = field(compare=False)
    id: int

    def __str__(self) -> str:
        return f"{self.login}#{self.id}"


@dataclass(frozen=True)
class OwnersFile:
    """What the file of a team says."""

    owners: Annotated[tuple[_Account, ...], Items(1, MOST), "Who may change what the team has "
                      "here: login and number of each account on GitHub."]


def of_event(login: object, number: object) -> Owner | None:
    """The account that an event of GitHub names; None for anything else. No person has the login
    that an app gets here.

    >>> str(of_event("a-bot[bot]", 49699333)), of_event("a b", 1), of_event("ann", True)
    ('a-bot__bot#49699333', None, None)
    """
    text = f"{login}#{number}".replace("[bot]#", "__bot#")
    return _owner(text) if type(number) is int and re.fullmatch(_PATTERN, text) else None


def _owner(text: str) -> Owner:
    login, _, number = text.partition("#")
    return Owner(login, int(number))


def path_of(team: str) -> str:
    """Where the owners of a team stand."""
    return f"{TEAMS}/{team}.yaml"


def line(*owners: Owner) -> str:
    """The one line of the file."""
    return f"owners: [{', '.join(map(str, owners))}]"


def first_file(team: str, login: str, number: int) -> bytes:
    """The file of a new team with one owner."""
    return (f"# Who may change what the team {team} has here: login#number on GitHub.\n"
            f"{line(Owner(login, number))}\n").encode()


def read(repository: Repository, commit: str) -> dict[str, tuple[Owner, ...]]:
    """The owners of every team that names them. Raises DataError for a file that cannot be read."""
    entries = {team: entry for entry in repository.tree(commit, TEAMS)
               if entry.mode == FILE and (team := team_of(entry.path)) is not None}
    contents = repository.blobs([entry.oid for entry in entries.values()])
    return {team: _sound(entry, contents[entry.oid]) for team, entry in sorted(entries.items())}


def accounts(content: bytes) -> frozenset[int]:
    """The numbers of the owners in any version of a file; none if it cannot be read."""
    owners, _ = _load(content, "")
    return frozenset(owner.id for owner in owners or ())


def _sound(entry: TreeEntry, content: bytes) -> tuple[Owner, ...]:
    """The owners in a file of the main branch."""
    owners, faults = _load(content, entry.path)
    if owners is None:
        raise DataError("\n".join(map(str, faults)))
    return owners


def _load(content: bytes, path: str) -> tuple[tuple[Owner, ...] | None, list[Problem]]:
    document, faults = schema.load(OwnersFile, content, path)
    return (None if document is None else tuple(map(_owner, document.owners))), faults


@dataclass(frozen=True)
class Claim:
    """What a pull request says of one team: its files before and after, and who opened it."""

    repository: Repository
    main: Sequence[TreeEntry]
    """Every path below ``submissions`` on the main branch."""
    merged: Sequence[TreeEntry]
    """Those after the merge."""
    team: str
    submits: bool
    """Whether it brings a submission of the team."""
    author: Owner | None
    """None before it is opened: any account may be the author's."""

    def problems(self, own: bool) -> Iterator[Problem]:
        """Why this account may not do it; ``own``: maintainers may, if the file can be read."""
        before, after = self._file(self.main), self._file(self.merged)
        listed: tuple[Owner, ...] | None = None
        if after is not None and after != before:
            listed, faults = self._read(after)
            yield from faults
        if own:
            return
        if self.team in RESERVED or (before is None and self._is_known()):
            yield self._problem(f"the team {excerpt(self.team)}, which only maintainers write",
                                "a team of your own")
        elif before is not None:
            yield from self._changed(before, after)
        else:
            yield from self._added(after, listed)
        yield from self._renamed(listed or ())
        yield from self._linked(before, listed or ())

    def _file(self, entries: Sequence[TreeEntry]) -> TreeEntry | None:
        path = path_of(self.team)
        return next((entry for entry in entries if entry.path == path), None)

    def _read(self, entry: TreeEntry) -> tuple[tuple[Owner, ...] | None, list[Problem]]:
        """The owners in a new or changed file, and its faults."""
        if entry.mode != FILE:
            return None, [problem("PR-MODE", entry.path, f"mode {entry.mode}", f"mode {FILE}")]
        content = self.repository.blob(entry.oid, LARGEST)
        if content is None:
            return None, [problem("PR-SIZE", entry.path, f"more than {LARGEST} bytes",
                                  f"at most {LARGEST} bytes", "name fewer owners")]
        return _load(content, entry.path)

    def _is_known(self) -> bool:
        """Whether the main branch has a submission of the team."""
        names = (folder_of(entry.path) for entry in self.main)
        return any(name is not None and name.team == self.team for name in names)

    def _changed(self, before: TreeEntry, after: TreeEntry | None) -> Iterator[Problem]:
        """A team of the main branch: its owners do what they like, but for leaving it to nobody."""
        owners = _sound(before, self.repository.blobs([before.oid])[before.oid])
        if self.author is not None and self.author not in owners:
            named = ", ".join(map(str, owners[:_MOST_NAMED]))
            yield self._problem(
                f"the team {excerpt(self.team)} of {named}", f"one of {self.author}",
                f"use a team of your own, or have an owner add {self.author}")
        elif after is None:
            yield self._problem("a team without its file of owners", "the file as it was",
                                f"restore it: {line(*owners)}")

    def _added(self, after: TreeEntry | None, listed: Sequence[Owner] | None) -> Iterator[Problem]:
        """A new team: with a submission, and with the author among its owners."""
        wanted = line(*(listed or ())[:MOST - 1], self.author or Owner("LOGIN", 0))
        if self.author is None:
            wanted = wanted.replace("LOGIN#0", "LOGIN#NUMBER")
        if after is None:
            yield self._problem(
                "a new team without its file of owners", wanted,
                f"add the file {path_of(self.team)} with this one line; the number of an account: "
                "https://api.github.com/users/LOGIN")
        elif not self.submits:
            yield self._problem("owners of a team without a submission",
                                "both in the team's first pull request")
        elif listed is not None and self.author is not None and self.author not in listed:
            yield self._problem(f"owners without {self.author}, whose pull request this is", wanted,
                                "write this line")

    def _renamed(self, listed: Sequence[Owner]) -> Iterator[Problem]:
        """The author under another login than the event names: nobody takes another's name."""
        for owner in listed:
            if owner == self.author and owner.login.casefold() != self.author.login.casefold():
                yield self._problem(str(owner), str(self.author), "write the login of the account")

    def _linked(self, before: TreeEntry | None, listed: Sequence[Owner]) -> Iterator[Problem]:
        """Accounts that become owners and did not say so themselves."""
        known = (() if before is None else
                 _sound(before, self.repository.blobs([before.oid])[before.oid]))
        for owner in listed:
            if owner != self.author and owner not in known:
                yield problem("PR-LINK", path_of(self.team), str(owner), "an account that agreed",
                              f"look whose it is: https://api.github.com/user/{owner.id}")

    def _problem(self, actual: str, expected: str, advice: str = "") -> Problem:
        return problem("PR-OWNER", path_of(self.team), actual, expected, advice)


_TEAM = re.compile(r"(?m)^team:(.*)$")
"""The team's name in a description that was accepted."""


def names(repository: Repository, main: Sequence[TreeEntry], name: SubmissionName, team: str,
          boards: Sequence[Board]) -> Iterator[Problem]:
    """Notes on a team's ``team`` name that is taken, or looks like another one.

    ``main``: every path below ``submissions`` on the main branch.
    """
    if name.team in RESERVED:
        return
    known = [*reserved(), *_of_boards(boards), *_of_teams(repository, main, name.team)]
    for likeness in alike((name.team, team), known)[:MOST_SHOWN]:
        yield problem("PR-NAME", f"{name.path}/{FILE_NAME}",
                      f"the name {excerpt(team)} in the folder {name.team} {likeness}",
                      "a name of its own")


def copies(main: Sequence[TreeEntry], files: Sequence[TreeEntry], name: SubmissionName,
           ) -> Iterator[Problem]:
    """Predictions among a submission's ``files`` with the bytes of other ones of the main branch.
    """
    known = {entry.oid: entry.path for entry in reversed(main)
             if folder_of(entry.path) != name}
    for entry in files:
        other = known.get(entry.oid)
        if other is not None and not entry.path.endswith(FILE_NAME):
            whose = folder_of(other)
            own = whose is not None and whose.team == name.team
            yield problem("PR-SAME" if own else "PR-COPY", entry.path,
                          f"the same bytes as {shown(other)}", "predictions of this system")


def _of_boards(boards: Sequence[Board]) -> Iterator[Name]:
    for board in boards:
        for text in (board.id, board.title):
            yield Name(text, f"the board {board.id}")


def _of_teams(repository: Repository, main: Sequence[TreeEntry], but: str) -> Iterator[Name]:
    files = [(name.team, entry.oid) for entry in main
             if entry.mode == FILE and entry.path.endswith(f"/{FILE_NAME}")
             and (name := folder_of(entry.path)) is not None
             and name.team not in (but, *RESERVED)]
    contents = repository.blobs([oid for _, oid in files])
    for team, oid in files:
        title = _TEAM.search(contents[oid].decode(errors="replace"))
        for text in (team, *([title[1].strip(" \r'\"")] if title else ())):
            yield Name(text, f"the team {team}")
