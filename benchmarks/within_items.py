"""How far numbers of explanations agree with people's ratings, item by item, and their difference.

The figures are those that ``bench_agreement.py`` describes. Every one is made of sums over items,
so a draw of items is a product of matrices. ``scorer meta`` reports the same of the metrics that
ship; here two are compared on the same draws, so no item is left out for one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from scorer.core.records import Edge
from scorer.people import bootstrap

Floats = NDArray[np.float64]
Graph = Sequence[Edge]
Values = Sequence[Floats]
"""Of each item: of explanation i against explanation j, higher is better; (explanations,
explanations), the diagonal unused. What needs no gold has equal columns."""

BEST, OTHERS = "best", "others"
"""Against the explanation that people rate highest, or against all others of the item."""
FIGURES = ("rho", "tau-b", "partial", "equal")
DIGITS = 9
"""Numbers that agree so far are equal."""


class Item(NamedTuple):
    """A question, and explanations of its answer by several people."""

    origin: str
    """Equal for an item and its mirror image."""
    claim: str
    """What a judge reads beside a graph."""
    texts: tuple[str, ...]
    """What a graph should connect."""
    graphs: tuple[Graph, ...]
    ratings: tuple[float, ...]
    """The mean of each."""


class Agreement(NamedTuple):
    """How far one number agrees with people."""

    parts: Floats
    """(origins, parts): what items of one origin add to the sums."""

    def figures(self, drawn: Floats | None = None) -> Floats:
        """FIGURES; with how often each origin is drawn, (draws, origins): (draws, figures)."""
        sums = (self.parts.sum(axis=0) if drawn is None else drawn @ self.parts).T
        items, rho, tau, xx, yy, zz, xy, xz, yz, signs, pairs = sums
        left = np.sqrt(np.maximum((xx * zz - xz**2) * (yy * zz - yz**2), 0))
        partial = np.divide(xy * zz - xz * yz, left, out=np.zeros_like(left), where=left > 1e-6)
        return np.stack([rho / items, tau / items, partial, signs / pairs], axis=-1)

    def told(self, other: Agreement | None = None) -> str:
        """Each figure, or how far it is above another's, with its interval."""
        drawn = np.concatenate(list(bootstrap.times(len(self.parts))))
        values, spread = self.figures(), self.figures(drawn)
        if other is not None:
            values, spread = values - other.figures(), spread - other.figures(drawn)
        low, high = np.percentile(spread, [2.5, 97.5], axis=0)
        return ", ".join(f"{name} {value:.3f} [{least:.3f}, {most:.3f}]"
                         for name, value, least, most
                         in zip(FIGURES, values, low, high, strict=True))


def agreement(items: Sequence[Item], said: Sequence[Floats], against: str) -> Agreement:
    """``said``: what ``scores`` or ``summed`` gives for the same items and ``against``."""
    people = scores(items, alone(items, lambda item: item.ratings), against)
    edges = scores(items, alone(items, lambda item: [len(one) for one in item.graphs]), against)
    origins = {name: place for place, name in enumerate(dict.fromkeys(
        item.origin for item in items))}
    parts = np.zeros((len(origins), 11))
    for item, *sides in zip(items, said, people, edges, strict=True):
        parts[origins[item.origin]] += _parts(*(np.round(side, DIGITS) for side in sides))
    return Agreement(parts)


def alone(items: Sequence[Item], of: Callable[[Item], Sequence[float]]) -> Values:
    """Numbers of explanations that need no gold."""
    return [np.tile(np.array(of(item), dtype=float)[:, None], len(item.graphs)) for item in items]


def scores(items: Sequence[Item], values: Values, against: str) -> list[Floats]:
    """What a metric says of the explanations of each item that are compared; of OTHERS the closest
    counts."""
    if against == OTHERS:
        return [np.where(np.eye(len(one), dtype=bool), -np.inf, one).max(axis=1) for one in values]
    best = [int(np.argmax(item.ratings)) for item in items]
    return [np.delete(one[:, place], place) for one, place in zip(values, best, strict=True)]


def fitted(items: Sequence[Item], values: Mapping[str, Values], names: Sequence[str],
           ) -> dict[str, float]:
    """The weight of each in the sum of ranks that is closest to people's ranks, against BEST."""
    columns = [np.concatenate(_ranks(scores(items, values[name], BEST))) for name in names]
    people = np.concatenate(_ranks(scores(items, alone(items, lambda item: item.ratings), BEST)))
    found = np.linalg.lstsq(np.stack(columns, axis=1), people, rcond=None)[0]
    return dict(zip(names, found.tolist(), strict=True))


def summed(items: Sequence[Item], values: Mapping[str, Values], weights: Mapping[str, float],
           against: str) -> list[Floats]:
    """The weighted sum of ranks within each item."""
    columns = [[weight * one for one in _ranks(scores(items, values[name], against))]
               for name, weight in weights.items()]
    return [np.sum(one, axis=0) for one in zip(*columns, strict=True)]


def _ranks(said: Sequence[Floats]) -> list[Floats]:
    """Less their mean; equal numbers have the mean of theirs."""
    return [rankdata(np.round(one, DIGITS)) - (len(one) + 1) / 2 for one in said]


def _parts(metric: Floats, people: Floats, edges: Floats) -> Floats:
    """What one item adds to the sums of ``Agreement.figures``."""
    x, y, z = _ranks([metric, people, edges])
    first, second = np.triu_indices(len(x), 1)
    a, b, c = (np.sign(side[first] - side[second]) for side in (x, y, z))
    counted, pairs = float(b.any()), np.count_nonzero(b[c == 0])
    return np.array([counted, _correlation(x, y), _correlation(a, b),
                     x @ x, y @ y, z @ z, x @ y, x @ z, y @ z, (a * b)[c == 0].sum(), pairs])


def _correlation(one: Floats, other: Floats) -> float:
    """Of numbers around 0; 0 if either side is nothing else."""
    square = float((one @ one) * (other @ other))
    return float(one @ other) / square**0.5 if square else 0.0
