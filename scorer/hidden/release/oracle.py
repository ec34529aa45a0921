"""What submissions are told: the rules of release as attacks on them meet them.

Runs are attackers who know nothing of each other, each before gold of his own; they are computed
together. A metric is a gate and the right labels behind it: all rows for a plain accuracy, the rows
whose graph an attacker chose to be sound for a gated one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from scorer.hidden.release.rules import is_better

Bits = NDArray[np.bool_]
Numbers = NDArray[np.float64]
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(1)
"""How many bits of a byte are set."""


@dataclass(frozen=True)
class Rules:
    """A policy as the attacks need it."""

    name: str
    grid: str | None = None
    """A step in points; None: full precision."""
    near_duplicate: int = 0
    """Percent of the rows."""
    ladder: bool = False
    most: int | None = None
    """How many values there may be in all."""
    values: int = 1
    """How many metrics of a submission have a value."""

    @property
    def submissions(self) -> int | None:
        """How many submissions are answered; None for no limit."""
        return None if self.most is None else self.most // self.values

    def width(self, items: int) -> float:
        """The grid's step in items, 0 for full precision."""
        return 0.0 if self.grid is None else float(Fraction(self.grid) / 100 * items)


class Oracle:
    """Answers submissions by the rules; the state of ``runs`` attackers, each of his own gold."""

    def __init__(self, gold: Bits, rules: Rules) -> None:
        """``gold``: runs by items."""
        self._gold, self._rules = gold, rules
        self._sent: list[NDArray[np.uint8]] = []
        """Labels and gates, packed: 1 + metrics by runs by bytes."""
        self._best: Numbers | None = None
        self._step = Fraction(rules.grid or 0) / 100
        self._width = self._step * gold.shape[-1]

    @property
    def used_up(self) -> bool:
        """Whether no further submission is answered."""
        most = self._rules.submissions
        return most is not None and len(self._sent) >= most

    def ask(self, labels: Bits) -> Numbers:
        """The share of right labels, one a run for ``labels``, runs by items; NaN for no value."""
        return np.asarray(self.ask_gated(labels, np.ones((1, *labels.shape), bool))[0])

    def ask_gated(self, labels: Bits, gates: Bits) -> Numbers:
        """The share of items with the right label behind each gate, metrics by runs.

        ``labels``: runs by items. ``gates``: metrics by runs by items; the first metric is the one
        that the Ladder compares; those beyond the values of a submission give NaN.
        """
        right = (labels == self._gold) & gates
        found = np.full(right.shape[:2], np.nan)
        if self.used_up:
            return found
        told = ~self._near(labels, gates)
        if self._rules.ladder:
            told &= self._improves(right[0].astype(np.float64), told)
        shown = slice(self._rules.values)
        found[shown] = np.where(told, self._rounded(right[shown].sum(-1)), np.nan)
        return found

    def _near(self, labels: Bits, gates: Bits) -> Bits:
        """Nearness in labels, or in labels and gates; equal labels alone are not near."""
        packed = np.packbits(np.concatenate([labels[None], gates]), axis=-1)
        earlier, fewest = self._sent, self._rules.near_duplicate * labels.shape[-1] / 100
        self._sent = [*earlier, packed]
        if not earlier or not fewest:
            return np.zeros(len(labels), bool)
        differ = np.array(earlier) ^ packed
        said = _ONES[differ[:, 0]].sum(-1)
        whole = _ONES[np.bitwise_or.reduce(differ, axis=1)].sum(-1)
        near: Bits = (((said > 0) & (said < fewest)) | (whole < fewest)).any(0)
        return near

    def _improves(self, right: Numbers, told: Bits) -> Bits:
        if self._best is None:
            self._best = np.full_like(right, -1)
        first = self._best[:, 0] < 0
        better: Bits = first | is_better(right, self._best)
        self._best = np.where((better & told)[:, None], right, self._best)
        return better

    def _rounded(self, counts: NDArray[np.int_]) -> Numbers:
        """Shares of right labels on the grid, ties upwards: as ``grid.rounded``, in integers."""
        if not self._step:
            return np.asarray(counts / self._gold.shape[-1])
        over, under = self._width.as_integer_ratio()
        return np.asarray((2 * counts * under + over) // (2 * over) * float(self._step))
