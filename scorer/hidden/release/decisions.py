"""One decision for each submission: are its values released, and if not, why; and their ledger.

The decisions are a pure function of the history, the files and the gold: whoever has the gold gets
the same ones again, and a later submission never changes an earlier decision. The query ledger has
every answer that was given about a hidden split, and how much it may tell.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from scorer.board.policy import Policy
from scorer.hidden.release.history import HistoryEntry
from scorer.hidden.release.rules import Views, first_near, is_better, release_days, step

RELEASED, HELD, NEAR, NOT_BETTER = "released", "held", "near-duplicate", "not-better"
FAILED = "failed"
SCORED = (RELEASED, NOT_BETTER)
"""Decisions that took the scores of a submission."""


@dataclass(frozen=True)
class Sent:
    """One submission as the rules see it."""

    entry: HistoryEntry
    views: Views
    """What it says, row by row; needs no gold."""
    ranked: NDArray[Any] | None
    """The ranked metric's score of every item, higher is better; needs the gold. None before its
    turn, or if scoring failed: it still counts as earlier and still takes its owner's turn."""


@dataclass(frozen=True)
class Decision:
    """What becomes of one submission's values."""

    word: str
    """``released``, ``held``, ``near-duplicate``, ``not-better`` or ``failed``."""
    day: datetime.date
    """When the values are, or would have been, released."""
    near: str = ""
    """``team/system`` of the earlier submission that this one is near to."""

    @property
    def reason(self) -> str | None:
        """Why there is no value, for the result; None if there is one."""
        return {
            RELEASED: None,
            HELD: f"one submission of an owner at a time: released on {self.day}",
            NEAR: f"no significant change: differs from {self.near} in too few rows",
            NOT_BETTER: "no significant improvement over the best of its owner",
            FAILED: "the scorer failed on this submission",
        }[self.word]


def turns(sent: Sequence[Sent], policy: Policy, as_of: datetime.date) -> list[Decision]:
    """What can be decided of every submission to one split without its scores.

    ``sent``: all of them, in the order of the merges; no scores are looked at. ``as_of``: the day
    of the commit that is built, never the clock. Nearness is judged against everything merged
    earlier, whosever it is and whatever became of it. What is ``released`` here needs scores.
    """
    days = release_days([one.entry for one in sent], policy.wait)
    return [Decision(HELD, day) if day > as_of
            else _near(sent, at, day, policy) or Decision(RELEASED, day)
            for at, day in enumerate(days)]


def decide(sent: Sequence[Sent], due: Sequence[Decision], policy: Policy) -> list[Decision]:
    """A decision for every submission to one split.

    ``due``: as ``turns`` gives it. The Ladder compares with what the same owner had released.
    """
    best: dict[int, NDArray[Any]] = {}
    found = []
    for one, decision in zip(sent, due, strict=True):
        owner, final = one.entry.owner, decision
        if decision.word == RELEASED and one.ranked is None:
            final = Decision(FAILED, decision.day)
        elif decision.word == RELEASED and policy.ladder:
            assert one.ranked is not None
            if owner in best and not is_better(one.ranked, best[owner]):
                final = Decision(NOT_BETTER, decision.day)
            else:
                best[owner] = one.ranked
        found.append(final)
    return found


def _near(sent: Sequence[Sent], at: int, day: datetime.date, policy: Policy) -> Decision | None:
    earlier = [one.views for one in sent[:at]]
    place = first_near(sent[at].views, earlier, policy.near_duplicate)
    return None if place is None else Decision(NEAR, day, sent[place].entry.name)


def bits(grid: str, items: int, metrics: int) -> float:
    """At most this many bits are told by releasing some metrics once.

    Steps are shares of a metric's greatest value, whatever that is: its values on a grid are
    1 / step + 1 numbers, or items + 1 if fewer.

    >>> round(bits("5", 400, 1), 3), round(bits("0.5", 400, 2), 3)
    (4.392, 15.302)
    """
    return metrics * math.log2(min(round(1 / step(grid)), items) + 1)


def query_ledger(
    entries: Sequence[HistoryEntry], decisions: Sequence[Decision], *, grid: str, items: int,
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
