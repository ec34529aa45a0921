"""Two systems on one number of the whole split, such as corpus BLEU, made of sums of counts.

Such a number is no mean over items, so there are no differences whose signs could be flipped. But
flipping the sign of an item's difference is nothing else than letting the two systems swap what
they have there, and counts can be swapped as well: if the systems are alike, each is as likely to
have given either text. So the p-value is that of the same permutation test (E. Noreen:
Computer-Intensive Methods for Testing Hypotheses, 1989; S. Riezler and J. Maxwell: On some pitfalls
in automatic evaluation and significance testing for MT, 2005, who find it to err less often than
the bootstrap test of P. Koehn, 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from scorer.records import ItemScore
from scorer.statistics.paired import FLIPS, Vector, all_signs, sign_blocks

_NOISE = 1e-9
"""Values that differ by no more are equal; counts are exact."""

Total = Callable[[Mapping[str, Any]], Any]
"""Sums of the items' parts by name, numbers or arrays -> the value, or an array of values."""


@dataclass(frozen=True)
class Corpus:
    """One row on such a metric: what each item adds to the sums."""

    names: tuple[str, ...]
    """Of the parts, k of them."""
    counts: Vector
    """(n, k)."""
    items: Vector
    """(n,): the value of each item by itself, which is shown and never averaged."""
    total: Total

    def value(self, sums: Vector) -> Vector:
        """The values of sums (k, ...), in the shape (...)."""
        return np.asarray(self.total(dict(zip(self.names, sums, strict=True))), dtype=float)

    @property
    def whole(self) -> float:
        """The value of all items."""
        return float(self.value(self.counts.sum(axis=0)))


def corpus(items: Sequence[ItemScore], total: Total) -> Corpus:
    """A row of some items' scores. Raises ValueError if their parts are not what ``total`` needs.
    """
    names = tuple(sorted(items[0].parts)) if items else ()
    if not names or any(item.parts.keys() != set(names) for item in items):
        raise ValueError("items of different parts")
    found = Corpus(names, np.array([[item.parts[name] for name in names] for item in items], float),
                   np.array([item.value for item in items], float), total)
    try:
        found.value(found.counts.sum(axis=0))
    except LookupError as fault:
        raise ValueError(f"no part {fault}") from fault
    return found


def swap_p(rows: Sequence[Corpus]) -> Vector:
    """Of every two rows, how often swapping items gives values as far apart: (m, m), 1 with itself.

    All swaps are tried where no more than FLIPS are possible; else FLIPS are drawn with a fixed
    seed, the same for every pair, and p = (1 + as far) / (1 + FLIPS).
    """
    m, p = len(rows), np.ones((len(rows), len(rows)))
    drawn = {}
    for one, two in combinations(range(m), 2):
        apart = rows[one].counts - rows[two].counts
        differing = apart[(np.abs(apart) > _NOISE).any(axis=1)]
        if 2 ** len(differing) > FLIPS:
            drawn[one, two] = 0
        else:
            swapped = differing.T @ all_signs(len(differing)).T
            p[one, two] = p[two, one] = float(_as_far(rows[one], rows[two], swapped).mean())
    for signs in sign_blocks(len(rows[0].counts)) if drawn else ():
        swapped_sums = [row.counts.T @ signs for row in rows]
        for one, two in drawn:
            far = _as_far(rows[one], rows[two], swapped_sums[one] - swapped_sums[two])
            drawn[one, two] += int(far.sum())
    for (one, two), count in drawn.items():
        p[one, two] = p[two, one] = (1 + count) / (1 + FLIPS)
    return p


def _as_far(a: Corpus, b: Corpus, apart: Vector) -> Any:
    """Whether each swap leaves the values as far apart; ``apart``: (k, swaps), a's sums less b's.
    """
    both = (a.counts.sum(axis=0) + b.counts.sum(axis=0))[:, None]
    found = np.abs(a.value((both + apart) / 2) - a.value((both - apart) / 2))
    return found >= abs(a.whole - b.whole) - _NOISE
