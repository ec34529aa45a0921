"""How far an automatic metric agrees with people, item by item and system by system.

Item level: of two items of one system, does the metric find that one better that people do? So a
metric gains nothing by telling systems apart. System level: does it order systems as people do?

- ``accuracy``: for metrics of 0 and 1, the share of ratings that say what more than half of the
  people say.
- ``tau_b``: Kendall's; M. Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945.
- ``spearman``: Pearson's of ranks, equal values with the mean of theirs.
- ``pairwise``: the share of pairs that both order alike or both tie. A metric with many values
  hardly ever ties though people do, so differences up to a threshold count as ties: the one with
  which the share is greatest. D. Deutsch, G. Foster and M. Freitag: Ties Matter. EMNLP 2023. With
  whole systems, without a threshold: T. Kocmi et al.: To Ship or Not to Ship. WMT 2021.

Intervals draw items, as everywhere; a drawn item goes along with all systems. Two copies of one
item are no pair.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.people import bootstrap
from scorer.people.bootstrap import FEWEST_ITEMS, Floats
from scorer.people.documents import Estimate, MetricAgreement
from scorer.people.within import Scores, best_limit, spearman_of_draws, within_items
from scorer.statistics import TIE
from scorer.statistics.intervals import none

FEWEST_SYSTEMS = 3
"""With fewer, an order of systems says nothing."""
SPLITS = 200
"""Random halves of the annotators of each item."""

class Reliability(NamedTuple):
    """How far the ratings of two halves of the annotators correlate, and what all together reach.

    ``full`` is Spearman and Brown's 2 r / (1 + r): how people would correlate with as many others.
    ``ceiling`` is its root: what a metric would reach that knew what people say on average, without
    the chance of who was asked (C. Spearman 1904). No metric can be expected to do better.
    """

    half: Estimate
    full: Estimate
    ceiling: Estimate


def metric_agreement(metric: Scores, people: Scores, *, better: str = "higher",
                     ) -> MetricAgreement:
    """How far a metric agrees with people on items, on systems by the means of each over its
    items, and on several systems' answers to one item.

    Items and systems that lack either are left out; a system's mean is over all items that the
    metric has. ``people``: 0 to 1, such as the share of annotators who found the item right.
    ``better``: of the metric, ``higher`` or ``lower``.
    """
    sign = 1.0 if better == "higher" else -1.0
    names = [name for name in people if not metric.get(name, {}).keys().isdisjoint(people[name])]
    table = _Table(metric, people, names, sign)
    groups = [(_Pairs(x, y), at) for x, at, y, _ in table.systems if len(x) > 1]
    threshold = _best([pairs for pairs, _ in groups])

    def pooled(weights: Floats, which: str) -> list[Floats]:
        parts = [pairs.tau_parts(weights[:, at]) if which == "tau" else
                 pairs.agreed_parts(weights[:, at], threshold) for pairs, at in groups]
        return [np.sum(column, axis=0) for column in zip(*parts, strict=True)]

    def tau(weights: Floats) -> Floats:
        signs, untied, other = pooled(weights, "tau")
        return _over(signs, np.sqrt(untied * other))

    def agreed(weights: Floats) -> Floats:
        return _over(*pooled(weights, "agreed"))

    correlations = [spearman_of_draws(x, y, at) for x, at, y, _ in table.systems]

    def ranks(weights: Floats) -> Floats:
        return _mean([correlation(weights) for correlation in correlations])

    estimates = [table.estimate(statistic) if groups else _NOTHING
                 for statistic in (tau, ranks, agreed)]
    return MetricAgreement(
        better=better, rated=table.ratings, systems=len(names), accuracy=_accuracy(table),
        tau_b=estimates[0], spearman=estimates[1], pairwise=estimates[2], threshold=threshold,
        **_on_systems(metric, people, names, sign),
        within=within_items(metric, people, better=better))


def _on_systems(metric: Scores, people: Scores, names: Sequence[str], sign: float,
                ) -> dict[str, Estimate]:
    keys = {"system_tau_b": "tau_b", "system_spearman": "spearman", "system_pairwise": "pairwise"}
    if len(names) < FEWEST_SYSTEMS:
        few = Estimate.undefined(len(names), f"fewer than {FEWEST_SYSTEMS} systems")
        return dict.fromkeys(keys, few)
    table = _Table(metric, people, names, sign, whole=True)

    def value(weights: Floats, what: str) -> Floats:
        both = [(_weighted(weights[:, xs], x), _weighted(weights[:, ys], y))
                for x, xs, y, ys in table.systems]
        scores, other = (np.stack(column, axis=1) for column in zip(*both, strict=True))
        return _of_systems(scores, other, what)

    return {key: table.estimate(partial(value, what=what)) for key, what in keys.items()}


def split_half(ratings: Sequence[Sequence[float]], items: Sequence[Hashable] | None = None, *,
               within: bool = False) -> Reliability:
    """The reliability of several people's ratings of each item.

    ``ratings``: of each item, by different people; those with one rating are left out. Each of
    SPLITS times, an item's ratings are dealt at random into two halves, and the means of the halves
    are correlated over items (Pearson's); the mean over all times is corrected. ``items``: where
    several answers to one item are rated, whose each is; intervals draw these. ``within``: each
    half's means are taken from their mean over the item's answers, so that items as such, some
    easier than others, add nothing.
    """
    owners = range(len(ratings)) if items is None else items
    kept = [(np.asarray(rating, dtype=float), owner)
            for rating, owner in zip(ratings, owners, strict=True) if len(rating) > 1]
    used = [rating for rating, _ in kept]
    if len(used) < FEWEST_SYSTEMS:
        few = Estimate.undefined(len(used), "fewer than 3 items with two ratings")
        return Reliability(few, few, few)
    known: dict[Hashable, int] = {}
    indices = np.array([known.setdefault(owner, len(known)) for _, owner in kept])
    rng = np.random.default_rng(bootstrap.SEED)
    halves = np.empty((2, len(used), SPLITS))
    for row, values in enumerate(used):
        dealt = rng.permuted(np.tile(values, (SPLITS, 1)), axis=1)
        cut = len(values) // 2
        halves[0, row], halves[1, row] = dealt[:, :cut].mean(axis=1), dealt[:, cut:].mean(axis=1)
    halves -= halves.mean(axis=1, keepdims=True)
    if within:
        for values in halves:
            sums = np.zeros((len(known), SPLITS))
            np.add.at(sums, indices, values)
            values -= (sums / np.bincount(indices)[:, None])[indices]

    def half(weights: Floats) -> Floats:
        return _mean(list(_pearson(weights[:, indices], *halves).T))

    value, drawn = half(np.ones((1, len(known)))), _drawn(half, len(known))
    return Reliability(*(_estimate(made(value), made(drawn), len(used)) for made in (
        np.copy, _corrected, _ceiling)))


def _corrected(r: Floats) -> Floats:
    return 2 * r / np.where(r > -1, 1 + r, np.nan)


def _ceiling(r: Floats) -> Floats:
    full = _corrected(r)
    return np.sqrt(full, out=np.full_like(full, np.nan), where=full > 0)


_NOTHING = Estimate.undefined(0, "no system with two items")
_Statistic = Callable[[Floats], Floats]
"""A number for each row of weights (draws, items): how often an item counts."""


class _Table:
    """Numbers of a metric and of people, side by side.

    ``systems``: of each the metric's numbers and the places of their items, then people's.
    ``whole``: the metric's numbers of all items, not of those alone that people rated.
    """

    def __init__(self, metric: Scores, people: Scores, names: Sequence[str], sign: float, *,
                 whole: bool = False) -> None:
        items: dict[Hashable, int] = {}
        self.systems: list[tuple[Floats, NDArray[np.int64], Floats, NDArray[np.int64]]] = []
        for name in names:
            rated = [item for item in people[name] if item in metric[name]]
            counted = list(metric[name]) if whole else rated
            indices = np.array([items.setdefault(item, len(items)) for item in counted], dtype=int)
            self.systems.append((
                sign * np.array([metric[name][item] for item in counted], dtype=float), indices,
                np.array([people[name][item] for item in rated], dtype=float),
                np.array([items[item] for item in rated], dtype=int)))
        self.items = len(items)
        self.ratings = sum(len(y) for _, _, y, _ in self.systems)

    def estimate(self, value: _Statistic) -> Estimate:
        return _estimate(value(np.ones((1, self.items))), _drawn(value, self.items), self.ratings)


def _drawn(value: _Statistic, items: int) -> Floats:
    if items < FEWEST_ITEMS:
        return np.array([])
    return np.concatenate([value(times) for times in bootstrap.times(items)])


def _estimate(value: Floats, drawn: Floats, n: int) -> Estimate:
    [point] = value.tolist()
    if np.isnan(point):
        return Estimate.undefined(n, "no variation")
    if not len(drawn):
        return Estimate.of(point, n, none(f"fewer than {FEWEST_ITEMS} items"))
    return Estimate.of(point, n, bootstrap.of_draws(drawn))


def _accuracy(table: _Table) -> Estimate | None:
    values = np.concatenate([x for x, *_ in table.systems] or [np.array([])])
    if not np.isin(values, (0.0, 1.0)).all() or not len(values):
        return None
    counted: dict[int, list[tuple[int, int]]] = {}
    for x, indices, y, _ in table.systems:
        for verdict, share, index in zip(x, y, indices.tolist(), strict=True):
            decided = int(abs(share - 0.5) > TIE)
            right = decided * int((share > 0.5) == verdict)
            counted.setdefault(index, []).append((right, decided))
    return bootstrap.of_ratio(counted)


class _Pairs:
    """All pairs of items of one system, as symmetric kernels: sums over drawn items are w K w."""

    def __init__(self, metric: Floats, people: Floats) -> None:
        self.metric = metric[:, None] - metric[None, :]
        self.people = people[:, None] - people[None, :]
        self.people[np.abs(self.people) <= TIE] = 0
        self.apart = ~np.eye(len(metric), dtype=bool)

    def tau_parts(self, weights: Floats) -> list[Floats]:
        """Concordant less discordant pairs, and pairs that each side does not tie."""
        untied = [(np.abs(side) > TIE) & self.apart for side in (self.metric, self.people)]
        signs = np.sign(self.metric) * np.sign(self.people) * untied[0]
        return [_form(weights, kernel) for kernel in (signs, *untied)]

    def agreed_parts(self, weights: Floats, threshold: float) -> list[Floats]:
        """Pairs that both order alike or tie, and all pairs."""
        tied = np.abs(self.metric) <= threshold + TIE
        alike = np.where(tied, self.people == 0, self.metric * self.people > 0)
        return [_form(weights, alike & self.apart), _form(weights, self.apart)]


def _form(weights: Floats, kernel: NDArray[np.generic]) -> Floats:
    sums: Floats = ((weights @ kernel.astype(float)) * weights).sum(axis=1) / 2
    return sums


def _over(top: Floats, bottom: Floats) -> Floats:
    quotient = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=quotient, where=np.abs(bottom) > TIE)
    return quotient


def _best(groups: Sequence[_Pairs]) -> float:
    if not groups:
        return 0.0
    upper = [np.triu_indices(len(pairs.apart), 1) for pairs in groups]
    return best_limit(
        np.concatenate([pairs.metric[at] for pairs, at in zip(groups, upper, strict=True)]),
        np.concatenate([pairs.people[at] for pairs, at in zip(groups, upper, strict=True)]))


def _pearson(weights: Floats, half: Floats, other: Floats) -> Floats:
    """Of each column of both: (draws, columns)."""
    n = weights.sum(axis=1, keepdims=True)
    x, y = weights @ half / n, weights @ other / n
    squares = [weights @ (values * values) / n - mean**2
               for values, mean in ((half, x), (other, y))]
    return _over(weights @ (half * other) / n - x * y,
                 np.sqrt(np.maximum(squares[0], 0) * np.maximum(squares[1], 0)))


def _weighted(weights: Floats, values: Floats) -> Floats:
    return _over(weights @ values, weights.sum(axis=1))


def _mean(columns: Sequence[Floats]) -> Floats:
    """Over those that are defined."""
    stacked = np.stack(columns)
    defined = ~np.isnan(stacked)
    return _over(np.where(defined, stacked, 0).sum(axis=0), defined.sum(axis=0).astype(float))


def _of_systems(metric: Floats, people: Floats, what: str) -> Floats:
    """A measure over the systems of each draw: (draws, systems) of both."""
    apart = [_apart(metric), _apart(people)]
    if what == "spearman":
        ranks = [(signs < 0).sum(axis=2) / 2 - (signs > 0).sum(axis=2) / 2 for signs in apart]
        measure = _over((ranks[0] * ranks[1]).sum(axis=1),
                        np.sqrt((ranks[0] ** 2).sum(axis=1) * (ranks[1] ** 2).sum(axis=1)))
    elif what == "tau_b":
        untied = [(signs != 0).sum(axis=(1, 2)).astype(float) for signs in apart]
        measure = _over((apart[0] * apart[1]).sum(axis=(1, 2)), np.sqrt(untied[0] * untied[1]))
    else:
        count = metric.shape[1]
        alike = (apart[0] == apart[1]).sum(axis=(1, 2)) - count
        measure = alike / (count * (count - 1))
    measure[np.isnan(metric).any(axis=1) | np.isnan(people).any(axis=1)] = np.nan
    return measure


def _apart(values: Floats) -> Floats:
    """Which of every two systems is greater: 1, 0 or -1."""
    apart = values[:, :, None] - values[:, None, :]
    return np.where(np.abs(apart) <= TIE, 0.0, np.sign(apart))
