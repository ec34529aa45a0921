"""How far an automatic metric agrees with people: on items, on systems, on answers to one item.

Item level: of two items of one system, does the metric find that one better that people do? So a
metric gains nothing by telling systems apart. System level: does it order systems as people do?
Within an item: which of several answers to it is better? Nothing that makes a whole item easy
counts there.

- ``accuracy``: for metrics of 0 and 1, the share of ratings that say what more than half of the
  people say.
- ``tau_b``: Kendall's; M. Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945.
  ``spearman``: Pearson's of ranks, equal values with the mean of theirs. Within items: of each
  item, the mean over items in which neither side is constant.
- ``pairwise``: the share of pairs that both order alike or both tie. A metric with many values
  hardly ever ties though people do, so differences up to a threshold count as ties: the one with
  which the share is greatest. D. Deutsch, G. Foster and M. Freitag: Ties Matter. EMNLP 2023. With
  whole systems, without a threshold: T. Kocmi et al.: To Ship or Not to Ship. WMT 2021.
- ``partial``: what is left of the rank correlation within items once other numbers of the answers,
  such as their length, are known: Pearson's r of the residuals of both sides on the others by least
  squares, of ranks within the item, less their mean, of all answers together.
- ``matched``: Kendall's tau-b over those pairs of answers to one item that are equal in another
  number: longer against longer only.
- ``overall``: Spearman's over all answers of all items, easy items and all.

Intervals draw items, as everywhere; a drawn item goes along with all systems and answers. Two
copies of one item are no pair. Within items, ``n`` of the first two are items in which they are
defined, of ``matched`` and ``pairwise`` pairs, of the others answers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.people import bootstrap
from scorer.people.bootstrap import (
    CONSTANT,
    NOTHING,
    Floats,
    of_parts,
    of_values,
    over,
    ratio,
    values_of,
)
from scorer.people.documents import Estimate, MetricAgreement, Within
from scorer.statistics import TIE

Scores = Mapping[tuple[Hashable, Hashable], float]
"""A number of each answer, which is known by its item and by whose it is, such as a system's."""
FEWEST_SYSTEMS = 3
"""With fewer, an order of systems says nothing."""
SPLITS = 200
"""Random halves of the annotators of each item."""
Column = tuple[Floats, NDArray[np.int64]]
"""The numbers of a system's answers, and the indices of their items."""
_CELLS = 500_000
"""So many weights of answers are held at once."""


# ---- items and systems ---------------------------------------------------------------------------


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
    metric = {answer: sign * value for answer, value in metric.items()}
    rated = {answer: value for answer, value in people.items() if answer in metric}
    names = [*dict.fromkeys(system for _, system in rated)]
    items: dict[Hashable, int] = {}
    columns = [(x, at, y) for (x, at), (y, _) in zip(
        _columns({answer: metric[answer] for answer in rated}, names, items),
        _columns(rated, names, items), strict=True)]
    pairs = [(at, x[:, None] - x, y[:, None] - y) for x, at, y in columns if len(x) > 1]
    threshold, of_items = 0.0, [Estimate.undefined(0, "no system with two items")] * 3
    if pairs:
        once = [np.triu_indices(len(at), 1) for at, _, _ in pairs]
        threshold = best_limit(
            np.concatenate([x[above] for (_, x, _), above in zip(pairs, once, strict=True)]),
            np.concatenate([y[above] for (_, _, y), above in zip(pairs, once, strict=True)]))
        sums = values_of(lambda weights: np.sum(
            [_over_pairs(weights[:, at], x, y, threshold) for at, x, y in pairs], axis=0),
            len(items))
        ranks = [spearman_of_draws(x, y, at) for x, at, y in columns]
        of_items = [of_values(values, len(rated)) for values in (
            over(*kendall(sums)),
            values_of(lambda weights: _mean([correlation(weights) for correlation in ranks]),
                      len(items)),
            over(sums[:, 3], sums[:, 4]))]
    return MetricAgreement(
        better=better, rated=len(rated), systems=len(names), accuracy=_accuracy(metric, rated),
        tau_b=of_items[0], spearman=of_items[1], pairwise=of_items[2], threshold=threshold,
        **_on_systems(metric, rated, names), within=within_items(metric, rated))


def _columns(scores: Scores, names: Sequence[Hashable], items: dict[Hashable, int],
             ) -> list[Column]:
    """The numbers of each of some systems. ``items``: the indices of items, to which others are
    added."""
    columns = []
    for name in names:
        own = {item: value for (item, system), value in scores.items() if system == name}
        columns.append((np.array([*own.values()], dtype=float),
                        np.array([items.setdefault(item, len(items)) for item in own], dtype=int)))
    return columns


def _over_pairs(weights: Floats, metric: Floats, people: Floats, threshold: float) -> Floats:
    """The sums of what ``of_pairs`` says over pairs of drawn items of one system, then the number
    of these pairs: (draws, 5). With symmetric kernels they are w K w."""
    others = ~np.eye(len(metric), dtype=bool)
    kernels = np.concatenate([of_pairs(metric, people, threshold), [others]]) * others
    return np.stack([((weights @ kernel) * weights).sum(axis=1) / 2 for kernel in kernels], axis=1)


def _accuracy(metric: Scores, rated: Scores) -> Estimate | None:
    verdicts = [metric[answer] for answer in rated]
    if not verdicts or not {*verdicts} <= {0.0, 1.0}:
        return None
    return bootstrap.of_ratio(
        (item, share != 0.5 and (share > 0.5) == metric[item, system], share != 0.5)
        for (item, system), share in rated.items())


def _on_systems(metric: Scores, rated: Scores, names: Sequence[Hashable],
                ) -> dict[str, Estimate]:
    keys = ("system_tau_b", "system_spearman", "system_pairwise")
    if len(names) < FEWEST_SYSTEMS:
        few = Estimate.undefined(len(names), f"fewer than {FEWEST_SYSTEMS} systems")
        return dict.fromkeys(keys, few)
    items: dict[Hashable, int] = {}
    sides = [_columns(scores, names, items) for scores in (metric, rated)]

    def measures(weights: Floats) -> Floats:
        """The three measures of each draw, in the order of the keys."""
        means = [np.stack([over(weights[:, at] @ values, weights[:, at].sum(axis=1))
                           for values, at in side], axis=1) for side in sides]
        apart = [side[:, :, None] - side[:, None, :] for side in means]
        pairs = of_pairs(apart[0], apart[1], 0.0)
        sums = np.moveaxis(pairs.sum(axis=(2, 3)), 0, -1)
        ranks = [np.sign(np.where(np.abs(side) <= TIE, 0.0, side)).sum(axis=2) for side in apart]
        squares = [(side * side).sum(axis=1) for side in ranks]
        table = np.stack([
            over(*kendall(sums)),
            over((ranks[0] * ranks[1]).sum(axis=1), np.sqrt(squares[0] * squares[1])),
            (sums[:, 3] - len(names)) / (len(names) * (len(names) - 1))], axis=1)
        table[np.isnan(means[0] + means[1]).any(axis=1)] = np.nan
        return table

    values = values_of(measures, len(items))
    return {key: of_values(values[:, index], len(rated)) for index, key in enumerate(keys)}


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

    values = values_of(half, len(known))
    full = 2 * values / np.where(values > -1, 1 + values, np.nan)
    ceiling = np.sqrt(full, out=np.full_like(full, np.nan), where=full > 0)
    return Reliability(*(of_values(measure, len(used)) for measure in (values, full, ceiling)))


def _pearson(weights: Floats, half: Floats, other: Floats) -> Floats:
    """Of each column of both: (draws, columns)."""
    n = weights.sum(axis=1, keepdims=True)
    x, y = weights @ half / n, weights @ other / n
    squares = [weights @ (values * values) / n - mean**2
               for values, mean in ((half, x), (other, y))]
    return over(weights @ (half * other) / n - x * y,
                np.sqrt(np.maximum(squares[0], 0) * np.maximum(squares[1], 0)))


def _mean(columns: Sequence[Floats]) -> Floats:
    """Over those that are defined."""
    stacked = np.stack(columns)
    defined = ~np.isnan(stacked)
    return over(np.where(defined, stacked, 0).sum(axis=0), defined.sum(axis=0).astype(float))


# ---- answers to one item -------------------------------------------------------------------------


def within_items(metric: Scores, people: Scores, others: Sequence[Scores] = (), *,
                 better: str = "higher") -> Within:
    """A metric's agreement with people on the answers to each item.

    Answers that lack a number of any of them are left out, then items with a single answer.
    ``others``: what ``partial`` controls for; ``matched`` takes pairs that are equal in the first.
    ``better``: of the metric, ``higher`` or ``lower``.
    """
    sign = 1.0 if better == "higher" else -1.0
    numbers: dict[Hashable, list[tuple[float, ...]]] = {}
    for answer, value in people.items():
        if all(answer in side for side in (metric, *others)):
            numbers.setdefault(answer[0], []).append(
                (sign * metric[answer], value, *(side[answer] for side in others)))
    items = [np.array(answers, dtype=float) for answers in numbers.values() if len(answers) > 1]
    if not items:
        names = ("spearman", "tau_b", "partial", "matched", "pairwise", "overall")
        return Within(answers=0, items=0, threshold=0.0,
                      **dict.fromkeys(names, Estimate.undefined(0, NOTHING)))
    owners = np.repeat(np.arange(len(items)), [len(item) for item in items])
    ranked = [np.stack([_ranks(side) for side in item.T]) for item in items]
    products = np.stack([ranks @ ranks.T for ranks in ranked])
    apart = [_differences(item) for item in items]
    at = np.repeat(np.arange(len(items)), [len(pairs) for pairs in apart])
    pairs = np.concatenate(apart)
    metric_apart, people_apart = pairs[:, 0], pairs[:, 1]
    same = np.abs(pairs[:, 2]) <= TIE if others else np.zeros(len(pairs), dtype=bool)
    threshold = best_limit(metric_apart, people_apart)
    kernels = of_pairs(metric_apart, people_apart, threshold).T
    sums = _by_item(at, kernels, len(items))
    agreed = np.column_stack([sums[:, 3], np.bincount(at, minlength=len(items))])
    answers = np.concatenate(items)
    overall = values_of(spearman_of_draws(answers[:, 0], answers[:, 1], owners), len(items))
    return Within(
        answers=len(owners), items=len(items), threshold=threshold,
        spearman=_mean_of_items(over(products[:, 0, 1],
                                     np.sqrt(products[:, 0, 0] * products[:, 1, 1]))),
        tau_b=_mean_of_items(over(*kendall(sums))),
        partial=of_parts(products.reshape(len(items), -1), _partial, len(owners)),
        matched=of_parts(_by_item(at[same], kernels[same], len(items)), kendall, int(same.sum()),
                         CONSTANT if same.any() else NOTHING),
        pairwise=of_parts(agreed, ratio, len(pairs)), overall=of_values(overall, len(owners)))


def _ranks(values: Floats) -> Floats:
    """From the mean rank, equal values with the mean of theirs."""
    apart = values[:, None] - values[None, :]
    ranks: Floats = ((apart > TIE).sum(axis=1) - (apart < -TIE).sum(axis=1)) / 2.0
    return ranks


def _mean_of_items(values: Floats) -> Estimate:
    """The mean over items of what is defined."""
    defined = values[~np.isnan(values)]
    parts = np.column_stack([defined, np.ones(len(defined))])
    return of_parts(parts, ratio, len(defined))


def _by_item(at: NDArray[np.int64], values: Floats, items: int) -> Floats:
    """The sums of rows of ``values`` by item, whose index ``at`` says."""
    sums = np.zeros((items, values.shape[1]))
    np.add.at(sums, at, values)
    return sums


def _partial(sums: Floats) -> tuple[Floats, Floats]:
    """From the sums of products of centred ranks, which are all that least squares need."""
    width = round(sums.shape[-1] ** 0.5)
    whole = sums.reshape(*sums.shape[:-1], width, width)
    both, rest = whole[..., :2, 2:], np.linalg.pinv(whole[..., 2:, 2:])
    left = whole[..., :2, :2] - both @ rest @ np.swapaxes(both, -1, -2)
    own, rests = (np.diagonal(matrix, axis1=-2, axis2=-1)[..., :2] for matrix in (whole, left))
    known = rests <= TIE * own  # what is left of a side that the others tell is rounding
    return left[..., 0, 1], np.sqrt(np.where(known, 0, rests).prod(axis=-1))


# ---- pairs ---------------------------------------------------------------------------------------


def _differences(item: Floats) -> Floats:
    """Of every two answers to an item, those of their numbers: (pairs, numbers)."""
    first, second = np.triu_indices(len(item), 1)
    differences: Floats = item[first] - item[second]
    return differences


def of_pairs(metric: Floats, people: Floats, threshold: float) -> Floats:
    """What differences of pairs say, stacked: 1 if both order alike, -1 if not, 0 if either ties;
    whether the metric holds them apart; whether people do; and whether both order alike or both
    tie, where differences of the metric up to ``threshold`` are ties."""
    signs, wanted = (np.sign(np.where(np.abs(side) <= TIE, 0.0, side)) for side in (metric, people))
    alike = np.where(np.abs(metric) > threshold + TIE, signs * wanted > 0, wanted == 0)
    return np.stack([signs * wanted, signs * signs, wanted * wanted, alike])


def kendall(sums: Floats) -> tuple[Floats, Floats]:
    """Kendall's tau-b from sums of the first three of ``of_pairs``."""
    return sums[..., 0], np.sqrt(sums[..., 1] * sums[..., 2])


def best_limit(metric: Floats, people: Floats) -> float:
    """The threshold with which most pairs are right, of the differences of pairs: those up to it
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


def spearman_of_draws(values: Floats, other: Floats, owners: NDArray[np.int64],
                      ) -> Callable[[Floats], Floats]:
    """Rank correlation of answers for each row of weights (draws, items): how often an item counts.

    ``owners``: of each answer the index of its item.
    """
    sides = _Ranked(values, owners), _Ranked(other, owners)
    rows = max(1, _CELLS // len(owners))

    def correlation(weights: Floats) -> Floats:
        x, y = (side.ranks(weights) for side in sides)
        counts = weights[:, owners]
        top = (counts * x * y).sum(axis=1)
        return over(top, np.sqrt((counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1)))

    return lambda weights: np.concatenate([correlation(weights[start:start + rows])
                                           for start in range(0, len(weights), rows)])


class _Ranked:
    """Answers in the order of one number, so that ranks of any draw of items are sums."""

    def __init__(self, values: Floats, owners: NDArray[np.int64]) -> None:
        order = np.argsort(values, kind="stable")
        new = np.diff(values[order], prepend=-np.inf) > TIE
        self.starts = np.flatnonzero(new)
        self.group = np.empty(len(values), dtype=int)
        self.group[order] = np.cumsum(new) - 1
        self.owners = owners[order]

    def ranks(self, weights: Floats) -> Floats:
        """Of every answer from the mean rank, where item i counts ``weights[:, i]`` times."""
        counts: Floats = np.add.reduceat(weights[:, self.owners], self.starts, axis=1)
        below = np.cumsum(counts, axis=1)
        offsets: Floats = (below - counts / 2 - below[:, -1:] / 2)[:, self.group]
        return offsets
