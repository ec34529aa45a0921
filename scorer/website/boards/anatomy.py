"""What a system gets wrong, for its page: where items stop, and on which kinds of items. Pure."""

from __future__ import annotations

from typing import NamedTuple

from scorer.scoring.breakdown import Part
from scorer.tasks.partitions import Dimension


class Gate(NamedTuple):
    """The items that came so far."""

    text: str
    passed: int
    stopped: int
    """Items that had come to this gate and did not pass it."""
    passed_at: str
    """Where the browser shows them, from the site's root; empty where it cannot."""
    stopped_at: str
    rows: tuple[int, ...] = ()
    """Those that were stopped, where the browser has no search for them."""


class RuleCount(NamedTuple):
    """How often one rule was broken, and where."""

    rule: str
    page: str
    text: str
    times: int
    alone: int
    """How many of these break nothing else."""
    rows: tuple[int, ...]
    at: str


class Lines(NamedTuple):
    """One dimension of a breakdown."""

    dimension: Dimension
    parts: tuple[tuple[Part, str], ...]
    """With the place of their examples in the browser."""


class Anatomy(NamedTuple):
    """Of one system on one split."""

    gates: tuple[Gate, ...]
    broken: tuple[RuleCount, ...]
    strict: tuple[RuleCount, ...]
    lines: tuple[Lines, ...]
    metrics: tuple[str, ...]
    """Columns of the breakdown."""
