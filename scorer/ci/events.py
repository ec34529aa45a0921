"""What happened to submissions and to gold besides scoring, as lines of the ledger.

Derived from the files of the main branch and what the ledger says already, so that a lost run loses
nothing: the next one finds the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorer import errata
from scorer.board import Board
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
    names, out = _names(meta), meta.withdrawn is not None
    if last is None:
        yield ACCEPTED, {}
    elif {name: last[name] for name in names} != names:
        yield RELABELLED, {"from": {name: last[name] for name in names}}
    was_out = last is not None and last["withdrawn"]
    if out and not was_out:
        yield WITHDRAWN, {"reason": meta.withdrawn}
    elif was_out and not out:
        yield RESTORED, {}


def _last_descriptions(main: Main) -> dict[Place, Line]:
    """The last line about each submission's description, with whether it was withdrawn then."""
    found: dict[Place, Line] = {}
    for line in main.ledger.lines():
        if line["event"] in (ACCEPTED, RELABELLED, WITHDRAWN, RESTORED) and "split" not in line:
            place = Place(line["board"], line["team"], line["system"])
            out = found.get(place, {}).get("withdrawn", False)
            if line["event"] in (WITHDRAWN, RESTORED):
                out = line["event"] == WITHDRAWN
            found[place] = {**line, "withdrawn": out}
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
    """Decided disputes that are not told yet."""
    told = {line["id"] for line in main.ledger.lines()
            if line["event"] == ERRATUM and line["board"] == board.id}
    found, _ = errata.read(board)
    for erratum in found:
        if erratum.id not in told:
            yield {"event": ERRATUM, "board": board.id, "id": erratum.id, "split": erratum.split,
                   "row": erratum.row, "decision": erratum.decision, "reason": erratum.reason,
                   "since": erratum.since, "commit": main.commit}
