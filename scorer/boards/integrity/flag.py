"""The record that every check returns, and what counts as enough to raise it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEAST_ROWS = 3
"""Fewer rows than this raise nothing: on a split of 40 rows, one row is 2.5 % already."""


Units = frozenset[Hashable]
"""What an answer is made of: the facts of a graph, the words of a text."""


class RowNote(NamedTuple):
    """One row that a flag rests on."""

    row: int
    """One-based row number, as in ``ItemResult``."""
    note: str
    """What was found there; a clause, no full stop."""


@dataclass(frozen=True)
class Flag:
    """The outcome of one check, raised or not."""

    id: str
    """Stable, such as ``own-gold``; pages link to it."""
    title: str
    raised: bool
    """Whether ``count`` reaches the check's threshold."""
    count: int
    """How many of ``n`` show what the check looks for."""
    n: int
    """The rows of the file; for ``null`` the metrics that were tested."""
    rows: tuple[RowNote, ...]
    """Every row that was counted, in order; empty where the check is not about rows."""
    details: tuple[str, ...]
    """Sentences with the figures behind ``raised``."""
    says: str
    """What a raised flag says."""
    does_not_say: str
    """What nobody should conclude from it alone."""

    @property
    def share(self) -> float:
        """``count / n``, from 0 to 1; 0 for an empty file."""
        return self.count / self.n if self.n else 0.0


def enough(rows: Sequence[RowNote], n: int, share: float) -> bool:
    """Whether rows are at least LEAST_ROWS and at least a share of the file."""
    return len(rows) >= LEAST_ROWS and len(rows) >= share * n
