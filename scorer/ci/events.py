"""What happened to submissions and to gold besides scoring, as lines of the ledger.

Derived from the files of the main branch and what the ledger says already, so that a lost run loses
nothing: the next one finds the same events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from scorer.board import Board, errata
from scorer.ci.ledger import (
    ACCEPTED,
    DESCRIBED,
    DISOWNED,
    ERRATUM,
    RELABELLED,
    REMOVED,
    REPLACED,
    RESTORED,
    WITHDRAWN,
    Line,
)
from scorer.ci.main_branch import CiJob, Description, Main
from scorer.ci.owners import Settled
from scorer.submission import Meta

BOARDS = "boards"


def events(main: Main, settled: Collection[Settled], accepted: Collection[CiJob]) -> Iterator[Line]:
    """Every event that the ledger does not tell yet, in the order of the paths.

    Only of files whose author is known: ``settled``, and the jobs of a plan, ``accepted``.
    """
    kinds = {(one.path, one.commit): one.kind for one in settled}
    told = main.ledger.described()
    for one in main.descriptions:
        kind = kinds.get((one.path, one.commit))
        line = {**one.place._asdict(), "commit": one.commit}
        if kind == "described":
            for event, more in _changes(told.get(one.place), one):
                yield {"event": event, **line, **_names(one.meta), **more}
        elif kind == "disowned":
            yield {"event": DISOWNED, **line, "sha256": one.sha256}
    yield from _accepted_files(main, kinds, accepted)
    yield from _removed_files(main, kinds)
    for board in main.boards.values():
        yield from _errata(main, board)


def _names(meta: Meta) -> dict[str, Any]:
    """The names that are shown; none of one that wants to be anonymous."""
    if meta.anonymous_until is not None:
        return {"name": None, "by": None}
    return {"name": meta.system, "by": meta.team}


def _changes(last: Line | None, now: Description) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What changed since the last line about a submission's description."""
    names, withdrawn = _names(now.meta), now.meta.withdrawn
    reason = last["withdrawn"] if last is not None else None
    if last is None:
        yield ACCEPTED, {}
    elif any(last.get(name) != names[name] for name in names):
        yield RELABELLED, {"from": {name: last.get(name) for name in names}}
    elif last.get("commit") != now.commit and withdrawn == reason:
        yield DESCRIBED, {}
    if withdrawn not in (None, reason):
        yield WITHDRAWN, {"reason": withdrawn}
    elif withdrawn is None and reason is not None:
        yield RESTORED, {}


def _accepted_files(main: Main, kinds: Mapping[tuple[str, str], str],
                    accepted: Collection[CiJob]) -> Iterator[Line]:
    """Predictions files that were merged, or replaced by maintainers, and are not told yet."""
    told = main.ledger.accepted()
    for job in main.jobs():
        line = told.get(job.name)
        known = job in accepted or kinds.get((job.path, job.commit)) == ACCEPTED
        if known and (line is None or line["predictions"] != job.predictions):
            yield {"event": ACCEPTED if line is None else REPLACED, **job.place._asdict(),
                   "split": job.split, "predictions": job.predictions, "commit": job.commit}


def _removed_files(main: Main, kinds: Mapping[tuple[str, str], str]) -> Iterator[Line]:
    """Files that maintainers removed."""
    for path, touches in sorted(main.touches.items()):
        last = touches[-1]
        if last.removed and kinds.get((path, last.commit)) == REMOVED:
            _, board, team, system, _ = path.split("/")
            yield {"event": REMOVED, "board": board, "team": team, "system": system,
                   "path": path, "commit": last.commit}


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
