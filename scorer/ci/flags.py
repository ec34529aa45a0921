"""What maintainers should see of a pull request before they merge it; nothing is refused for it.

Names that could be taken for somebody else's, and predictions that other pull requests have too:
whoever copies an open one may be merged first, and then only the later merge looks like the copy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from scorer.board import Board
from scorer.ci.errors import TryAgain
from scorer.ci.git import FILE, Repository
from scorer.ci.scope import TOP, Scope
from scorer.errors import MOST_SHOWN, DataError, excerpt
from scorer.integrity.names import Name, alike, reserved
from scorer.reading import schema
from scorer.reading.strict_yaml import LARGEST
from scorer.submission import FILE_NAME, RESERVED, Meta, SubmissionName

MOST_PULLS = 50
"""Other pull requests whose files are compared, the newest."""
WITHIN = 60.0
"""Seconds for fetching them: of their names only, but a stranger's tree may be as large as any."""


def remark(scope: Scope, repository: Repository, number: int, base: str, head: str,
           boards: Sequence[Board]) -> None:
    """Add what there is to say of a pull request to the notes of its scope.

    ``number``, ``base``, ``head``: the pull request's; its objects are here.
    """
    if scope.place is not None:
        _names(scope, scope.place, repository, base, head, boards)
        _copies(scope, scope.place, repository, number, base, head)


def _names(scope: Scope, place: SubmissionName, repository: Repository, base: str, head: str,
           boards: Sequence[Board]) -> None:
    mine = [entry for entry in repository.tree(head, place.path)
            if entry.path == f"{place.path}/{FILE_NAME}"]
    content = repository.blob(mine[0].oid, LARGEST) if mine else None
    meta = _meta(content or b"")
    if meta is None or place.team in RESERVED:
        return
    known = [*reserved(), *_of_boards(boards)]
    known += _of_teams(repository, base, (place.team, *RESERVED))
    for found in alike((place.team, meta.team), known)[:MOST_SHOWN]:
        scope.add("PR-NAME", f"{place.path}/{FILE_NAME}",
                  f"the name {excerpt(meta.team)} in the folder {place.team} {found}",
                  "a name of its own")


def _of_boards(boards: Sequence[Board]) -> Iterator[Name]:
    for board in boards:
        for text in (board.id, board.title):
            yield Name(text, f"the board {board.id}")


def _of_teams(repository: Repository, base: str, but: Collection[str]) -> Iterator[Name]:
    files = [(team, entry.oid) for entry in repository.tree(base, TOP)
             if entry.mode == FILE and entry.path.endswith(f"/{FILE_NAME}")
             and (team := entry.path.split("/")[2]) not in but]
    contents = repository.blobs([oid for _, oid in files])
    for team, oid in files:
        meta = _meta(contents[oid])
        for text in (team, *([meta.team] if meta else ())):
            yield Name(text, f"the team {team}")


def _meta(content: bytes) -> Meta | None:
    found: Meta | None = schema.load(Meta, content, FILE_NAME)[0]
    return found


def _copies(scope: Scope, place: SubmissionName, repository: Repository, number: int, base: str,
            head: str) -> None:
    merged = {entry.oid for entry in repository.tree(base, TOP)}
    mine = {entry.oid: entry.path for entry in repository.tree(head, place.path)
            if not entry.path.endswith(FILE_NAME) and entry.oid not in merged}
    if not mine:
        return
    for other, commit in _others(repository, number):
        when = "before" if other < number else "after"
        theirs = {entry.oid for entry in repository.tree(commit, TOP)}
        for oid in mine.keys() & theirs:
            scope.add("PR-COPY", mine[oid],
                      f"the same bytes as in pull request {other}, opened {when} this one",
                      "predictions of this system")


def _others(repository: Repository, number: int) -> list[tuple[int, str]]:
    """The newest other pull requests with their commits, fetched without any file; none if origin
    gives none.
    """
    try:
        heads = [one for one in repository.pulls() if one[0] != number][:MOST_PULLS]
        if heads:
            repository.fetch(*(f"refs/pull/{other}/head" for other, _ in heads), largest=0,
                             seconds=WITHIN)
    except (DataError, TryAgain):
        return []  # a note, which the reader of a pull request can do without
    return [one for one in heads if repository.has(one[1])]
