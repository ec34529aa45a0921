"""What happened to submissions and to gold besides scoring, as lines of the ledger.

Derived from the files of the main branch and what the ledger says already, so that a lost run loses
nothing: the next one finds the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorer.board import Board, errata
from scorer.ci.ledger import (
    ACCEPTED,
    ERRATUM,
    RELABELLED,
    RESTORED,
    WITHDRAWN,
    Line,
)
from scorer.ci.scope import Place
from scorer.ci.state import Main
from scorer.submission import Meta

BOARDS = "boards"


def events(main: Main) -> Iterator[Line]:
    """Every event that the ledger does not tell yet, in the order of the paths."""
    described = _last_descriptions(main)
    for place, meta, commit in main.descriptions:
        for event, more in _changes(described.get(place), meta):
            yield {"event": event, **place._asdict(), **_names(meta), "commit": commit, **more}
    yield from _accepted_files(main)
    for board in main.boards.values():
        yield from _errata(main, board)


def _names(meta: Meta) -> dict[str, Any]:
    """The names that are shown; none of one that wants to be anonymous."""
    if meta.anonymous_until is not None:
        return {"name": None, "by": None}
    return {"name": meta.system, "by": meta.team}


def _changes(last: Line | None, meta: Meta) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What changed since the last line about a submission's description."""
    names = _names(meta)
    if last is None:
        yield ACCEPTED, {}
    elif {name: last[name] for name in names} != names:
        yield RELABELLED, {"from": {name: last[name] for name in names}}
    reason = last["withdrawn"] if last is not None else None
    if meta.withdrawn not in (None, reason):
        yield WITHDRAWN, {"reason": meta.withdrawn}
    elif meta.withdrawn is None and reason is not None:
        yield RESTORED, {}


def _last_descriptions(main: Main) -> dict[Place, Line]:
    """The last line about each submission's description, with why it was withdrawn then."""
    found: dict[Place, Line] = {}
    for line in main.ledger.lines():
        if line["event"] in (ACCEPTED, RELABELLED, WITHDRAWN, RESTORED) and "split" not in line:
            place = Place(line["board"], line["team"], line["system"])
            reason = found.get(place, {}).get("withdrawn")
            if line["event"] in (WITHDRAWN, RESTORED):
                reason = line.get("reason")
            found[place] = {**line, "withdrawn": reason}
    return found


def _accepted_files(main: Main) -> Iterator[Line]:
    """Predictions files that were merged and are not told yet."""
    told = {(line["board"], line["team"], line["system"], line["split"])
            for line in main.ledger.lines() if line["event"] == ACCEPTED and "split" in line}
    for job in main.jobs():
        if (*job.place, job.split) not in told:
            yield {"event": ACCEPTED, **job.place._asdict(), "split": job.split,
                   "predictions": job.predictions, "commit": job.commit}


def _errata(main: Main, board: Board) -> Iterator[Line]:
    """Decided disputes that are not told yet as they are, with the commit that wrote them."""
    told = {line["id"]: line for line in main.ledger.lines()
            if line["event"] == ERRATUM and line["board"] == board.id}
    found, _ = errata.read(board)
    latest = main.repository.latest(main.commit, BOARDS) if found else {}
    for erratum in found:
        line = {"event": ERRATUM, "board": board.id, "id": erratum.id, "split": erratum.split,
                "row": erratum.row, "decision": erratum.decision, "reason": erratum.reason,
                "since": erratum.since}
        if line.items() - told.get(erratum.id, {}).items():
            path = f"{BOARDS}/{board.folder.name}/{errata.FOLDER}/{erratum.id}.yaml"
            wrote = latest.get(path)
            yield {**line, "commit": wrote.commit if wrote else main.commit}
