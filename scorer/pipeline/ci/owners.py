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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from scorer.boards import Board
from scorer.boards.names import Name, alike, reserved
from scorer.boards.submission import FILE_NAME, RESERVED, SubmissionName
from scorer.core.errors import MOST_SHOWN, DataError, Problem, excerpt
from scorer.core.reading import schema
from scorer.core.reading.strict import LARGEST
from scorer.core.reading.values import Items, Text
from scorer.pipeline.ci.git import FILE
from scorer.pipeline.ci.pull import (
    ACCOUNT,
    TEAMS,
    Merge,
    Owner,
    folder_of,
    problem,
    regular,
    shown,
)

MOST = 20
"""Owners of a team."""
_MOST_NAMED = 3
"""Of them in a message."""
_Account = Annotated[str, Text(60, ACCOUNT, "login#number, an account and its number on GitHub")]
_TEAM = re.compile(r"(?m)^team:(.*)$")
"""The team's name in a description that was accepted."""


@dataclass(frozen=True)
class OwnersFile:
    """What the file of a team says."""

    owners: Annotated[tuple[_Account, ...], Items(1, MOST), "Who may change what the team has "
                      "here: login and number of each account on GitHub."]


def path_of(team: str) -> str:
    """Where the owners of a team stand."""
    return f"{TEAMS}/{team}.yaml"


def line(*owners: Owner) -> str:
    """The one line of the file."""
    return f"owners: [{', '.join(map(str, owners))}]"


def first_file(team: str, owner: Owner) -> bytes:
    """The file of a new team with one owner."""
    return (f"# Who may change what the team {team} has here: login#number on GitHub.\n"
            f"{line(owner)}\n").encode()


def load(content: bytes, path: str) -> tuple[tuple[Owner, ...], list[Problem]]:
    """The owners in a file, none if it cannot be read, and its faults."""
    document, faults = schema.load(OwnersFile, content, path)
    owners = map(Owner.of, document.owners if document is not None else ())
    return tuple(filter(None, owners)), faults


def accounts(content: bytes) -> frozenset[int]:
    """The numbers of the owners in any version of a file; none if it cannot be read."""
    return frozenset(owner.id for owner in load(content, "")[0])


def problems(merge: Merge, team: str) -> Iterator[Problem]:
    """Why the author of a pull request may not do what it does to a team.

    Before it is opened any account may be the author's; maintainers may do all of it, if the file
    can be read. Raises DataError where the main branch's file is at fault.
    """
    path, author = path_of(team), merge.pull.author
    before, after = (next((entry for entry in side if entry.path == path), None)
                     for side in (merge.before, merge.after))
    owners: tuple[Owner, ...] = ()
    listed: tuple[Owner, ...] = ()
    if after is not None and after != before:
        content = regular(merge.repository, after, LARGEST, "name fewer owners")
        listed, faults = ((), [content]) if isinstance(content, Problem) else load(content, path)
        yield from faults
    if merge.pull.own:
        return
    if before is not None:
        owners, faults = load(merge.repository.blobs([before.oid])[before.oid], path)
        if faults:
            raise DataError("\n".join(map(str, faults)))
    folders = (folder_of(entry.path) for entry in merge.before)
    is_known = any(name is not None and name.team == team for name in folders)
    wanted = line(*listed[:MOST - 1], author or Owner("LOGIN", 0)).replace(
        "LOGIN#0", "LOGIN#NUMBER")
    if team in RESERVED or (before is None and is_known):
        yield problem("PR-OWNER", path, f"the team {excerpt(team)}, which only maintainers write",
                      "a team of your own")
    elif before is None and after is None:
        yield problem("PR-OWNER", path, "a new team without its file of owners", wanted,
                      f"add the file {path} with this one line; the number of an account: "
                      "https://api.github.com/users/LOGIN")
    elif before is None and team not in {name.team for name in merge.names}:
        yield problem("PR-OWNER", path, "owners of a team without a submission",
                      "both in the team's first pull request")
    elif before is None:
        if listed and author is not None and author not in listed:
            yield problem("PR-OWNER", path, f"owners without {author}, whose pull request this is",
                          wanted, "write this line")
    elif author is not None and author not in owners:
        named = ", ".join(map(str, owners[:_MOST_NAMED]))
        yield problem("PR-OWNER", path, f"the team {excerpt(team)} of {named}", f"one of {author}",
                      f"use a team of your own, or have an owner add {author}")
    elif after is None:
        yield problem("PR-OWNER", path, "a team without its file of owners", "the file as it was",
                      f"restore it: {line(*owners)}")
    yield from _new_owners(listed, owners, author, path)


def _new_owners(listed: Iterable[Owner], known: Sequence[Owner], author: Owner | None, path: str
                ) -> Iterator[Problem]:
    """Accounts that somebody else put into a file of owners, and an author under another login."""
    for owner in listed:
        if author is not None and owner == author:
            if owner.login.casefold() != author.login.casefold():  # nobody takes another's name
                yield problem("PR-OWNER", path, str(owner), str(author),
                              "write the login of the account")
        elif owner not in known:
            yield problem("PR-LINK", path, str(owner), "an account that agreed",
                          f"look whose it is: https://api.github.com/user/{owner.id}")


# ---- likeness ------------------------------------------------------------------------------------


def names(merge: Merge, name: SubmissionName, team: str, boards: Iterable[Board]
          ) -> Iterator[Problem]:
    """Notes on a team's ``team`` name that is taken, or looks like another one."""
    if name.team in RESERVED:
        return
    known = [*reserved(), *_of_teams(merge, name.team),
             *(Name(text, f"the board {board.id}") for board in boards
               for text in (board.id, board.title))]
    for likeness in alike((name.team, team), known)[:MOST_SHOWN]:
        yield problem("PR-NAME", f"{name.path}/{FILE_NAME}",
                      f"the name {excerpt(team)} in the folder {name.team} {likeness}",
                      "a name of its own")


def _of_teams(merge: Merge, but: str) -> Iterator[Name]:
    """The folders of the teams on the main branch, and what they call themselves."""
    teams = [(name.team, entry.oid) for entry in merge.before
             if entry.mode == FILE and entry.path.endswith(f"/{FILE_NAME}")
             and (name := folder_of(entry.path)) is not None
             and name.team not in (but, *RESERVED)]
    contents = merge.repository.blobs([oid for _, oid in teams])
    for team, oid in teams:
        title = _TEAM.search(contents[oid].decode(errors="replace"))
        for text in (team, *([title[1].strip(" \r'\"")] if title else ())):
            yield Name(text, f"the team {team}")


def copies(merge: Merge, name: SubmissionName) -> Iterator[Problem]:
    """Predictions of a submission with the bytes of other ones of the main branch."""
    known = {entry.oid: entry.path for entry in reversed(merge.before)
             if folder_of(entry.path) != name}
    for entry in merge.files(name):
        other = known.get(entry.oid)
        if other is not None and not entry.path.endswith(FILE_NAME):
            whose = folder_of(other)
            own = whose is not None and whose.team == name.team
            yield problem("PR-SAME" if own else "PR-COPY", entry.path,
                          f"the same bytes as {shown(other)}", "predictions of this system")
