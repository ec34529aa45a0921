"""The weekly look at the main branch: every result still that of its predictions, none stranded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from scorer.annotations import published
from scorer.ci.leaderboards import leaderboards
from scorer.ci.ledger import OF_JOBS, SCORED
from scorer.ci.ledger_checks import altered
from scorer.ci.main_branch import Main, is_of_system, result_documents
from scorer.ci.scope import TOP, shown
from scorer.ci.states import State, states
from scorer.errors import DataError
from scorer.reading.documents import Document
from scorer.results import files as results
from scorer.results import leaderboard
from scorer.submission import RESERVED

if TYPE_CHECKING:
    from scorer.annotations.sureness_document import SurenessDocument
    from scorer.board import Board

LONGEST_WAIT_DAYS = 2
"""A submission that is queued for longer is stranded."""


def findings(main: Main) -> Iterator[str]:
    """Everything that is not as the pipeline leaves it, one line each."""
    found = list(states(main))
    yield from altered(main)
    yield from _orphans(main)
    yield from _broken_results(main)
    yield from _leaderboards(main)
    yield from _altered(main, found)
    yield from stranded(main, found)


def stranded(main: Main, found: Sequence[State]) -> Iterator[str]:
    """Submissions that nothing will move: lost, failing, or waiting too long.

    Days are counted to the date of the commit that is looked at, never to the clock.
    """
    today = _date(main)
    known = {state.job.key for state in found}
    for state in found:
        place = f"{state.job.place.path} {state.job.split}"
        if state.name == "received":
            yield f"{place}: {state.reason}"
        if state.name == "error":
            yield f"{place}: error {state.reason}; a new scorer version or retry_errors tries again"
        if state.name == "queued" and state.job.date:
            waited = (today - datetime.fromisoformat(state.job.date)).days
            if waited > LONGEST_WAIT_DAYS:
                yield f"{place}: queued for {waited} days, {state.attempts} attempts"
    paths = {(state.job.board, state.job.team, state.job.system) for state in found}
    for line in main.ledger.lines():
        if line["event"] not in OF_JOBS:
            continue
        named = (line["board"], line["team"], line["system"])
        if named not in paths and line["key"] not in known:
            yield f"ledger: {'/'.join(named)} has no folder below {TOP}"


def _date(main: Main) -> datetime:
    said = main.repository.run("show", "--no-patch", "--format=%cI", main.commit).stdout
    return datetime.fromisoformat(said.decode().strip())


def _orphans(main: Main) -> Iterator[str]:
    """Results of teams that submitted nothing; maintainers' own rows may come from elsewhere."""
    have = {"/".join(entry.path.split("/")[1:4]) for entry in main.entries}
    for path in main.results:
        parts = path.split("/")
        if not is_of_system(path):
            if published.at(path) is None and not leaderboard.is_path(path):
                yield f"{shown(path)}: no place of a result"
        elif "/".join(parts[1:4]) not in have and parts[2] not in RESERVED:
            yield f"{shown(path)}: a result without a submission"


def _leaderboards(main: Main) -> Iterator[str]:
    """Leaderboards that are not what the results give, or that no result is behind."""
    for path in leaderboards(main, {}, main.boards):
        yield f"{shown(path)}: not what the results give; the next publication writes it again"
    for path in main.results:
        if leaderboard.is_path(path):
            folder, split = path.split("/leaderboard.")
            if not any(fnmatchcase(one, f"{folder}/*/*/{split}") for one in main.results):
                yield f"{shown(path)}: a leaderboard without results"


def _broken_results(main: Main) -> Iterator[str]:
    """Results, and what people said, that are not of the published formats."""
    for path, document in result_documents(main).items():
        if fault := results.misfit(document):
            yield f"{shown(path)}: not of the format: {fault}"
    for path in main.results:
        if known := published.at(path):
            try:
                document = known.kind().read(main.result_bytes(path))
            except (ValueError, DataError) as fault:
                yield f"{shown(path)}: not of the format: {fault}"
                continue
            for said in _of_another_board(main, path, document):
                yield f"{shown(path)}: {said}"


def _of_another_board(main: Main, path: str, document: Document) -> Iterator[str]:
    """Why figures on people's ratings and answers are not of their board as it is."""
    from scorer.annotations.documents import MetaResults
    from scorer.annotations.sureness_document import SurenessDocument

    if not isinstance(document, MetaResults | SurenessDocument):
        return
    name = path.split("/")[1]
    board = main.boards.get(name)
    if board is None:
        yield f"no board {shown(name)}"
        return
    if isinstance(document, SurenessDocument):
        yield from _of_another_split(board, path, document)
        return
    for key, one in document.rated.items():
        split = board.splits.get(key.removeprefix(f"{name}-"))
        if split is None or split.ratings is None:
            yield f"{shown(key)}: the board names no ratings of such a split"
        elif said := one.differs(board.version, split.sha256, None):
            yield f"{shown(key)} is {said}; run: scorer meta --board {name} --json {shown(path)}"


def _of_another_split(board: Board, path: str, document: SurenessDocument) -> Iterator[str]:
    name = document.split
    split, file = board.splits.get(name), published.sureness_file(name)
    if split is None or document.board != board.id or not path.endswith(f"/{file}"):
        yield f"of {shown(document.board)} {shown(name)}, which do not belong there"
    elif document.people is not None and split.answers is None:
        yield "the board names no answers of people to this split"
    elif said := document.differs(board.version, split.sha256, None):
        yield (f"it is {said}; run: scorer meta --board {board.id} --answers --split {name} "
               f"--json {shown(path)}")


def _altered(main: Main, found: Sequence[State]) -> Iterator[str]:
    """Published results that are no longer what their predictions, board and scorer give."""
    told = main.ledger.by_key()
    for state in found:
        mine = [line for line in told.get(state.job.key, ()) if line["event"] in SCORED]
        if mine and state.name not in ("published", "withdrawn"):
            yield f"{state.job.result_path}: published, and not there now as it was"
