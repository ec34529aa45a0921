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

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from scorer.people import bootstrap
from scorer.people.bootstrap import FEWEST_ITEMS
from scorer.people.documents import Estimate
from scorer.statistics import TIE
from scorer.statistics.intervals import none

FEWEST_SYSTEMS = 3
"""With fewer, an order of systems says nothing."""
SPLITS = 200
"""Random halves of the annotators of each item."""

Floats = NDArray[np.float64]
Scores = Mapping[str, Mapping[Hashable, float]]
"""Of each system: of each item, a number."""


class ItemLevel(NamedTuple):
    """A metric and people on the same items of the same systems."""

    ratings: int
    """Items with both, counted for each system."""
    systems: int
    accuracy: Estimate | None
    """None for a metric that is not 0 or 1."""
    tau_b: Estimate
    """Of pairs of items within a system, all systems together."""
    spearman: Estimate
    """Within a system; the mean over systems."""
    pairwise: Estimate
    threshold: float
    """Differences of the metric up to this count as ties in ``pairwise``."""


class SystemLevel(NamedTuple):
    """Means of a metric and of people over items, system by system."""

    systems: int
    tau_b: Estimate
    spearman: Estimate
    pairwise: Estimate


class Reliability(NamedTuple):
    """How far the ratings of two halves of the annotators correlate, and what all together reach.

    ``full`` is Spearman and Brown's 2 r / (1 + r): how people would correlate with as many others.
    ``ceiling`` is its root: what a metric would reach that knew what people say on average, without
    the chance of who was asked (C. Spearman 1904). No metric can be expected to do better.
    """

    half: Estimate
    full: Estimate
    ceiling: Estimate


def item_level(metric: Scores, people: Scores, *, better: str = "higher") -> ItemLevel:
    """A metric's agreement with people on items.

    Items and systems that lack either are left out. ``people``: 0 to 1, such as the share of
    annotators who found the item right. ``better``: of the metric, ``higher`` or ``lower``.
    """
    table = _Table(metric, people, better)
    groups = [(_Pairs(x, y), places) for x, y, places in table.systems if len(x) > 1]
    threshold = _best([pairs for pairs, _ in groups])

    def pooled(weights: Floats, which: str) -> list[Floats]:
        parts = [pairs.tau_parts(weights[:, places]) if which == "tau" else
                 pairs.agreed_parts(weights[:, places], threshold) for pairs, places in groups]
        return [np.sum(column, axis=0) for column in zip(*parts, strict=True)]

    def ranks(weights: Floats) -> Floats:
        return _mean([_spearman(x, y, weights[:, places]) for x, y, places in table.systems])

    return ItemLevel(
        table.ratings, len(table.systems), _accuracy(table),
        table.estimate(lambda weights: _tau(pooled(weights, "tau"))) if groups else _NOTHING,
        table.estimate(ranks) if groups else _NOTHING,
        table.estimate(lambda weights: _quotient(pooled(weights, "agreed"))) if groups
        else _NOTHING, threshold)


def system_level(metric: Scores, people: Scores, *, better: str = "higher") -> SystemLevel:
    """A metric's agreement with people on systems, by the means of each over its items.

    ``metric`` may have more items than ``people``; systems that lack either are left out.
    """
    table = _Table(metric, people, better, rated_alone=False)
    count = len(table.means)
    if count < FEWEST_SYSTEMS:
        few = Estimate.undefined(count, f"fewer than {FEWEST_SYSTEMS} systems")
        return SystemLevel(count, few, few, few)

    def means(weights: Floats) -> tuple[Floats, Floats]:
        both = [(_weighted(weights[:, xs], x), _weighted(weights[:, ys], y))
                for x, xs, y, ys in table.means]
        one, other = (np.stack(column, axis=1) for column in zip(*both, strict=True))
        return one, other

    def each(weights: Floats, what: str) -> Floats:
        return _of_systems(*means(weights), what)

    return SystemLevel(count, *(
        table.estimate(lambda weights, what=what: each(weights, what))
        for what in ("tau_b", "spearman", "pairwise")))


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
    kept = [(np.asarray(one, dtype=float), owner)
            for one, owner in zip(ratings, owners, strict=True) if len(one) > 1]
    used = [one for one, _ in kept]
    if len(used) < FEWEST_SYSTEMS:
        few = Estimate.undefined(len(used), "fewer than 3 items with two ratings")
        return Reliability(few, few, few)
    known: dict[Hashable, int] = {}
    places = np.array([known.setdefault(owner, len(known)) for _, owner in kept])
    rng = np.random.default_rng(bootstrap.SEED)
    halves = np.empty((2, len(used), SPLITS))
    for row, one in enumerate(used):
        dealt = rng.permuted(np.tile(one, (SPLITS, 1)), axis=1)
        cut = len(one) // 2
        halves[0, row], halves[1, row] = dealt[:, :cut].mean(axis=1), dealt[:, cut:].mean(axis=1)
    halves -= halves.mean(axis=1, keepdims=True)
    if within:
        for one in halves:
            sums = np.zeros((len(known), SPLITS))
            np.add.at(sums, places, one)
            one -= (sums / np.bincount(places)[:, None])[places]

    def half(weights: Floats) -> Floats:
        return _mean(list(_pearson(weights[:, places], *halves).T))

    value, drawn = half(np.ones((1, len(known)))), _drawn(half, len(known))
    return Reliability(*(_estimate(made(value), made(drawn), len(used)) for made in (
        np.copy, _corrected, _ceiling)))


def _corrected(r: Floats) -> Floats:
    return 2 * r / np.where(r > -1, 1 + r, np.nan)


def _ceiling(r: Floats) -> Floats:
    full = _corrected(r)
    return np.sqrt(full, out=np.full_like(full, np.nan), where=full > 0)


_NOTHING = Estimate.undefined(0, "no system with two items")


class _Statistic(Protocol):
    """A number for each row of weights (draws, items): how often an item counts."""

    def __call__(self, weights: Floats, /) -> Floats: ...


class _Table:
    """Numbers of a metric and of people, side by side."""

    def __init__(self, metric: Scores, people: Scores, better: str, *, rated_alone: bool = True,
                 ) -> None:
        sign = 1.0 if better == "higher" else -1.0
        names = [name for name in people if name in metric]
        items: dict[Hashable, int] = {}
        self.systems: list[tuple[Floats, Floats, NDArray[np.int64]]] = []
        self.means: list[tuple[Floats, NDArray[np.int64], Floats, NDArray[np.int64]]] = []
        for name in names:
            both = [item for item in people[name] if item in metric[name]]
            counted = both if rated_alone else list(metric[name])
            places = np.array([items.setdefault(item, len(items)) for item in counted], dtype=int)
            if not both:
                continue
            x = sign * np.array([metric[name][item] for item in counted], dtype=float)
            y = np.array([people[name][item] for item in both], dtype=float)
            ys = np.array([items[item] for item in both], dtype=int)
            if rated_alone:
                self.systems.append((x, y, places))
            self.means.append((x, places, y, ys))
        self.items = len(items)
        self.ratings = sum(len(y) for _, _, y, _ in self.means)

    def estimate(self, value: _Statistic) -> Estimate:
        whole = value(np.ones((1, self.items)))
        return _estimate(whole, _drawn(value, self.items), self.ratings)


def _drawn(value: _Statistic, items: int) -> Floats:
    if items < FEWEST_ITEMS:
        return np.array([])
    return np.concatenate([value(times) for times in bootstrap.times(items)])


def _estimate(value: Floats, drawn: Floats, n: int) -> Estimate:
    found = _number(value)
    if found is None:
        return Estimate.undefined(n, "no variation")
    if not len(drawn):
        return Estimate.of(found, n, none(f"fewer than {FEWEST_ITEMS} items"))
    return Estimate.of(found, n, bootstrap.of_draws(drawn))


def _number(value: Floats) -> float | None:
    [found] = value.tolist()
    return None if np.isnan(found) else float(found)


def _accuracy(table: _Table) -> Estimate | None:
    values = np.concatenate([x for x, _, _ in table.systems] or [np.array([])])
    if not np.isin(values, (0.0, 1.0)).all() or not len(values):
        return None
    counted: dict[int, list[tuple[int, int]]] = {}
    for x, y, places in table.systems:
        for truth, said, place in zip(x, y, places.tolist(), strict=True):
            decided = int(abs(said - 0.5) > TIE)
            counted.setdefault(place, []).append((decided * int((said > 0.5) == truth), decided))
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
        untied = [(np.abs(one) > TIE) & self.apart for one in (self.metric, self.people)]
        signs = np.sign(self.metric) * np.sign(self.people) * untied[0]
        return [_form(weights, one) for one in (signs, *untied)]

    def agreed_parts(self, weights: Floats, threshold: float) -> list[Floats]:
        """Pairs that both order alike or tie, and all pairs."""
        tied = np.abs(self.metric) <= threshold + TIE
        alike = np.where(tied, self.people == 0, self.metric * self.people > 0)
        return [_form(weights, alike & self.apart), _form(weights, self.apart)]


def _form(weights: Floats, kernel: NDArray[np.generic]) -> Floats:
    found: Floats = ((weights @ kernel.astype(float)) * weights).sum(axis=1) / 2
    return found


def _tau(parts: Sequence[Floats]) -> Floats:
    signs, one, other = parts
    return _over(signs, np.sqrt(one * other))


def _quotient(parts: Sequence[Floats]) -> Floats:
    return _over(*parts)


def _over(top: Floats, bottom: Floats) -> Floats:
    found = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=found, where=np.abs(bottom) > TIE)
    return found


def _best(groups: Sequence[_Pairs]) -> float:
    if not groups:
        return 0.0
    upper = [np.triu_indices(len(pairs.apart), 1) for pairs in groups]
    return best_limit(
        np.concatenate([pairs.metric[at] for pairs, at in zip(groups, upper, strict=True)]),
        np.concatenate([pairs.people[at] for pairs, at in zip(groups, upper, strict=True)]))


def best_limit(metric: Floats, people: Floats) -> float:
    """The same of the differences of pairs, in the order of the metric's: those up to the threshold
    are right if people tie, those beyond if both order alike."""
    if not len(metric):
        return 0.0
    size = np.abs(metric)
    size[size <= TIE] = 0
    order = np.argsort(size, kind="stable")
    tied: NDArray[np.bool_] = (np.abs(people) <= TIE)[order]
    size, alike = size[order], (metric * people > 0)[order] & ~tied
    gained: NDArray[np.int64] = np.cumsum(tied) - np.cumsum(alike & (size > 0))
    last = np.append(size[1:] - size[:-1] > TIE, True)
    limits, totals = size[last], gained[last]
    if not len(limits) or limits[0] > 0:
        limits, totals = np.insert(limits, 0, 0.0), np.insert(totals, 0, 0)
    return float(limits[int(np.argmax(totals))])


def _spearman(one: Floats, other: Floats, weights: Floats) -> Floats:
    """Rank correlation where item i counts ``weights[:, i]`` times."""
    ranks = []
    for values in (one, other):
        apart = values[:, None] - values[None, :]
        below, equal = apart < -TIE, np.abs(apart) <= TIE
        ranks.append(weights @ below.astype(float) + (weights @ equal.astype(float) + 1) / 2)
    total = weights.sum(axis=1, keepdims=True)
    x, y = (rank - _over((weights * rank).sum(axis=1, keepdims=True), total) for rank in ranks)
    return _over((weights * x * y).sum(axis=1),
                 np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)))


def _pearson(weights: Floats, one: Floats, other: Floats) -> Floats:
    """Of each column of both: (draws, columns)."""
    n = weights.sum(axis=1, keepdims=True)
    x, y = weights @ one / n, weights @ other / n
    squares = [weights @ (values * values) / n - mean**2
               for values, mean in ((one, x), (other, y))]
    return _over(weights @ (one * other) / n - x * y,
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
        ranks = [(one < 0).sum(axis=2) / 2 - (one > 0).sum(axis=2) / 2 for one in apart]
        found = _over((ranks[0] * ranks[1]).sum(axis=1),
                      np.sqrt((ranks[0] ** 2).sum(axis=1) * (ranks[1] ** 2).sum(axis=1)))
    elif what == "tau_b":
        untied = [(one != 0).sum(axis=(1, 2)).astype(float) for one in apart]
        found = _over((apart[0] * apart[1]).sum(axis=(1, 2)), np.sqrt(untied[0] * untied[1]))
    else:
        count = metric.shape[1]
        alike = (apart[0] == apart[1]).sum(axis=(1, 2)) - count
        found = alike / (count * (count - 1))
    found[np.isnan(metric).any(axis=1) | np.isnan(people).any(axis=1)] = np.nan
    return found


def _apart(values: Floats) -> Floats:
    """Which of every two systems is greater: 1, 0 or -1."""
    apart = values[:, :, None] - values[:, None, :]
    return np.where(np.abs(apart) <= TIE, 0.0, np.sign(apart))
