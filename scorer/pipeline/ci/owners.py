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
from scorer.boards.names import Name, alike, reserved
from scorer.boards.submission import FILE_NAME, RESERVED, SubmissionName
from scorer.core.errors import MOST_SHOWN, DataError, Problem, excerpt
from scorer.core.reading import schema
from scorer.core.reading.strict import LARGEST
from scorer.core.reading.values import Items, Text
from scorer.pipeline.ci.git import FILE, Repository, TreeEntry
from scorer.pipeline.ci.review import regular
from scorer.pipeline.ci.scope import TEAMS, folder_of, problem, shown

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


def accounts(content: bytes) -> frozenset[int]:
    """The numbers of the owners in any version of a file; none if it cannot be read."""
    owners, _ = load(content, "")
    return frozenset(owner.id for owner in owners or ())


def _sound(entry: TreeEntry, content: bytes) -> tuple[Owner, ...]:
    """The owners in a file of the main branch."""
    owners, faults = load(content, entry.path)
    if owners is None:
        raise DataError("\n".join(map(str, faults)))
    return owners


def load(content: bytes, path: str) -> tuple[tuple[Owner, ...] | None, list[Problem]]:
    """The owners in a file, or None, and its faults."""
    document, faults = schema.load(OwnersFile, content, path)
    return (None if document is None else tuple(map(_owner, document.owners))), faults


def problems(repository: Repository, main: Sequence[TreeEntry], merged: Sequence[TreeEntry],
             team: str, author: Owner | None, *, submits: bool, own: bool) -> Iterator[Problem]:
    """Why an account may not do what a pull request does to a team.

    ``main``, ``merged``: every path below ``submissions`` before and after the merge. ``author``:
    None before it is opened, when any account may be the author's. ``submits``: whether it brings
    a submission of the team. ``own``: maintainers may do all of it, if the file can be read.
    """
    path = path_of(team)
    before, after = (next((entry for entry in side if entry.path == path), None)
                     for side in (main, merged))
    listed: tuple[Owner, ...] | None = None
    if after is not None and after != before:
        listed, faults = _read(repository, after)
        yield from faults
    if own:
        return
    owners = () if before is None else _sound(before, repository.blobs([before.oid])[before.oid])
    names = (folder_of(entry.path) for entry in main)
    is_known = any(name is not None and name.team == team for name in names)
    if team in RESERVED or (before is None and is_known):
        yield problem("PR-OWNER", path, f"the team {excerpt(team)}, which only maintainers write",
                      "a team of your own")
    elif before is None:
        yield from _added(path, after is not None, listed, author, submits)
    elif author is not None and author not in owners:
        named = ", ".join(map(str, owners[:_MOST_NAMED]))
        yield problem("PR-OWNER", path, f"the team {excerpt(team)} of {named}", f"one of {author}",
                      f"use a team of your own, or have an owner add {author}")
    elif after is None:
        yield problem("PR-OWNER", path, "a team without its file of owners", "the file as it was",
                      f"restore it: {line(*owners)}")
    for owner in listed or ():
        if author is not None and owner == author:
            if owner.login.casefold() != author.login.casefold():  # nobody takes another's name
                yield problem("PR-OWNER", path, str(owner), str(author),
                              "write the login of the account")
        elif owner not in owners:
            yield problem("PR-LINK", path, str(owner), "an account that agreed",
                          f"look whose it is: https://api.github.com/user/{owner.id}")


def _read(repository: Repository, entry: TreeEntry
          ) -> tuple[tuple[Owner, ...] | None, list[Problem]]:
    """The owners in a new or changed file, and its faults."""
    content = regular(repository, entry, LARGEST, "name fewer owners")
    return (None, [content]) if isinstance(content, Problem) else load(content, entry.path)


def _added(path: str, has_file: bool, listed: Sequence[Owner] | None, author: Owner | None,
           submits: bool) -> Iterator[Problem]:
    """A new team: with a submission, and with the author among its owners."""
    wanted = line(*(listed or ())[:MOST - 1], author or Owner("LOGIN", 0))
    if author is None:
        wanted = wanted.replace("LOGIN#0", "LOGIN#NUMBER")
    if not has_file:
        yield problem("PR-OWNER", path, "a new team without its file of owners", wanted,
                      f"add the file {path} with this one line; the number of an account: "
                      "https://api.github.com/users/LOGIN")
    elif not submits:
        yield problem("PR-OWNER", path, "owners of a team without a submission",
                      "both in the team's first pull request")
    elif listed is not None and author is not None and author not in listed:
        yield problem("PR-OWNER", path, f"owners without {author}, whose pull request this is",
                      wanted, "write this line")


_TEAM = re.compile(r"(?m)^team:(.*)$")
"""The team's name in a description that was accepted."""


def names(repository: Repository, main: Sequence[TreeEntry], name: SubmissionName, team: str,
          boards: Sequence[Board]) -> Iterator[Problem]:
    """Notes on a team's ``team`` name that is taken, or looks like another one.

    ``main``: every path below ``submissions`` on the main branch.
    """
    if name.team in RESERVED:
        return
    known = [*reserved(), *_of_teams(repository, main, name.team),
             *(Name(text, f"the board {board.id}") for board in boards
               for text in (board.id, board.title))]
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
