"""The query ledger: every answer that was given about a hidden split, and how much it may tell."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from scorer.hidden.release.decide import FAILED, HELD, RELEASED, Decision
from scorer.hidden.release.grid import step
from scorer.hidden.release.history import Entry


def bits(grid: str, items: int, metrics: int) -> float:
    """At most this many bits are told by releasing some metrics once.

    Steps are shares of a metric's greatest value, whatever that is: its values on a grid are
    1 / step + 1 numbers, or items + 1 if fewer.

    >>> round(bits("5", 400, 1), 3), round(bits("0.5", 400, 2), 3)
    (4.392, 15.302)
    """
    return metrics * math.log2(min(round(1 / step(grid)), items) + 1)


def to_bytes(
    entries: Sequence[Entry], decisions: Sequence[Decision], *, grid: str, items: int,
    metrics: int, before: Mapping[str, int],
) -> bytes:
    """The ledger of one split: a JSON line for each answer, in the order of the merges.

    ``metrics``: how many values an answer has. Submissions that are held or
    failed have no answer yet; whether a value is released at all counts one bit. ``before``: by
    ``team/system``, how many times values were released earlier, on other gold or by another
    scorer: each may have told as much again.
    """
    lines = []
    for entry, decision in zip(entries, decisions, strict=True):
        if decision.word not in (HELD, FAILED):
            released, earlier = 1 + bits(grid, items, metrics), before.get(entry.name, 0)
            told = (released if decision.word == RELEASED else 1.0) + earlier * released
            lines.append(json.dumps({
                "system": entry.name, "owner": entry.owner, "day": str(decision.day),
                "answer": decision.word, "answers": 1 + earlier, "bits": round(told, 3),
            }, sort_keys=True))
    return "".join(line + "\n" for line in lines).encode("ascii")
