"""What a scoring process says about one submission: exact scores of every item, never published.

The bytes are a line of JSON and then each metric's scores as little-endian doubles: how long they
are depends on nothing but what is public. They cross the pipe from the child, and they are what is
sealed beside a result, for later comparisons that need the scores of single items.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scorer._version import __version__
from scorer.board import Board
from scorer.board.policy import shown
from scorer.errors import DataError
from scorer.hidden.envelope import Envelope
from scorer.hidden.release.decisions import RELEASED, Decision
from scorer.hidden.release.history import HistoryEntry
from scorer.hidden.release.rules import rounded, step
from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT
from scorer.records import MetricValue, Result
from scorer.scoring.evaluate import gold_name, key
from scorer.scoring.summary import mean

SCHEMA = 1
NOT_OF_ITEMS = f"not released: {WHOLE_SPLIT}"
"""Why a metric that is no mean over items is never released."""


@dataclass(frozen=True)
class Exact:
    """One submission on one split. Its text form shows no score."""

    head: Mapping[str, Any]
    """Public: names and versions, ``items``, ``signatures`` and ``reasons`` by metric,
    ``provenance``; as JSON gives them back."""
    scores: Mapping[str, tuple[float, ...]] = field(repr=False)
    """Metric -> one score an item, for the metrics that were measured."""

    def to_bytes(self) -> bytes:
        """The bytes that are sealed."""
        head = json.dumps(dict(self.head), sort_keys=True, ensure_ascii=True).encode() + b"\n"
        vectors = (struct.pack(f"<{len(row)}d", *row) for _, row in sorted(self.scores.items()))
        return head + b"".join(vectors)


def from_bytes(content: bytes) -> Exact:
    """The reverse. Raises ValueError for bytes of another form."""
    line, _, packed = content.partition(b"\n")
    head = json.loads(line)
    if head.get("schema") != SCHEMA:
        raise ValueError("exact scores of another schema")
    n, names = head["items"], sorted(head["signatures"])
    if len(packed) != 8 * n * len(names):
        raise ValueError("exact scores of another length")
    rows = [struct.unpack_from(f"<{n}d", packed, 8 * n * at) for at in range(len(names))]
    return Exact(head, dict(zip(names, rows, strict=True)))


def of_result(result: Result) -> Exact:
    """The exact scores of a result with its items, for the metrics that are means over them."""
    if not result.items:
        raise DataError("a result without items has no exact scores")
    measured = {name: value for name, value in result.metrics.items()
                if value.value is not None and METRICS[name].total is None}
    head = {
        "schema": SCHEMA, "board": result.board, "board_version": result.board_version,
        "task": result.task, "split": result.split, "team": result.team, "system": result.system,
        "items": len(result.items), "metrics": list(result.metrics),
        "signatures": {name: value.signature for name, value in measured.items()},
        "reasons": {name: value.reason or NOT_OF_ITEMS
                    for name, value in result.metrics.items() if name not in measured},
        "provenance": dict(result.provenance),
    }
    return Exact(head, {name: tuple(item.scores[name].value for item in result.items)
                        for name in measured})


def unmeasured(name: str) -> str | None:
    """What a released result says of a metric that has no exact scores, whyever it has none.

    None if it has some on every machine.
    """
    info = METRICS[name]
    if info.total is not None:
        return NOT_OF_ITEMS
    return f"not measured: {info.model} was not at hand" if info.model is not None else None


def released(exact: Exact, decision: Decision, grid: str, board: Board) -> Result:
    """The result that may be published: values on the grid or the reason for none; no counts.

    As many metrics have a value as the board releases, those that are ranked by first.

    Precision and recall, means over those that passed, counts of annotations and broken rules, the
    null, and everything about single items stay behind.
    """
    head, items = exact.head, int(exact.head["items"])
    measured = [name for name in head["metrics"] if name in exact.scores]
    public = shown(board.ranking, measured, board.release.values)
    values = {}
    for name in head["metrics"]:
        if decision.word != RELEASED:
            values[name] = MetricValue(name, None, decision.reason, n=items)
        elif name not in exact.scores:
            values[name] = MetricValue(name, None, unmeasured(name) or head["reasons"][name],
                                       n=items)
        elif name not in public:
            values[name] = MetricValue(name, None, board.release.withheld, n=items)
        else:
            highest = METRICS[name].highest
            values[name] = MetricValue(
                name, rounded(mean(exact.scores[name]), grid, highest), n=items,
                grid=step(grid, highest), signature=head["signatures"][name],
            )
    named = {name: head[name] for name in ("board", "board_version", "task", "split", "team",
                                           "system")}
    release = {"answer": decision.word, "day": str(decision.day)}
    return Result(
        **named, counts={"items": items, "broken": {}, "strict": {}}, metrics=values, items=(),
        provenance={**head["provenance"], "release": release},
    )


def unscored(board: Board, entry: HistoryEntry, gold: Envelope, decision: Decision) -> Result:
    """The result of a submission that is not scored: no values, and the reason why."""
    described = board.split(gold.split)
    values = {name: MetricValue(name, None, decision.reason, n=described.rows)
              for name in board.metrics}
    provenance = {
        "gold": {"id": gold_name(board, gold.split, gold.hmac), "hmac_sha256": gold.hmac,
                 "golds": described.golds, "public": False},
        "scorer": {"version": __version__}, "models": {},
        "predictions": {"sha256": entry.predictions, "rows": described.rows},
        "release": {"answer": decision.word, "day": str(decision.day)},
    }
    result = Result(
        board.id, board.version, board.task_name, gold.split,
        {"items": described.rows, "broken": {}, "strict": {}}, values, (), provenance,
        entry.team, entry.system)
    return replace(result, provenance={**provenance, "key": key(result)})
