"""What maintainers should see of a submission before they merge it: names and bytes of others.

A name that could be taken for somebody else's is only noted, for two groups may share one.
Predictions with the very bytes of merged ones are noted too, and refused where both are the team's
own: nobody needs two rows of one file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scorer.boards import Board
from scorer.boards.integrity.names import Name, alike, reserved
from scorer.boards.submission import FILE_NAME, RESERVED, SubmissionName
from scorer.core.errors import MOST_SHOWN, Problem, excerpt
from scorer.pipeline.ci.git import FILE, Repository, TreeEntry
from scorer.pipeline.ci.scope import folder_of, problem, shown

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
