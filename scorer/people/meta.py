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

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.people.bootstrap import (
    CONSTANT,
    NOTHING,
    SEED,
    Floats,
    Statistic,
    of_parts,
    of_ratio,
    of_values,
    over,
    ratio,
    values_of,
)
from scorer.people.documents import Estimate, MetricAgreement, Within
from scorer.statistics import TIE

Answer = tuple[Hashable, Hashable]
"""Its item, and whose it is, such as a system's."""
Scores = Mapping[Answer, float]
"""A number of each answer."""
Indices = NDArray[np.int64]
FEWEST_SYSTEMS = 3
"""With fewer, an order of systems says nothing."""
SPLITS = 200
"""Random halves of the annotators of each item."""
_CELLS = 500_000
"""So many weights of answers are held at once."""


def metric_agreement(metric: Scores, people: Scores, *, better: str = "higher",
                     ) -> MetricAgreement:
    """How far a metric agrees with people on items, on systems by the means of each over its
    items, and on several systems' answers to one item.

    Items and systems that lack either are left out; a system's mean is over all items that the
    metric has. ``people``: 0 to 1, such as the share of annotators who found the item right.
    ``better``: of the metric, ``higher`` or ``lower``.
    """
    metric = _higher_better(metric, better)
    rated = {answer: share for answer, share in people.items() if answer in metric}
    places = {name: at for at, name in enumerate(dict.fromkeys(system for _, system in rated))}
    measured = [answer for answer in metric if answer[1] in places]
    on_items, on_systems = (
        _table(sorted(answers, key=lambda answer: places[answer[1]]), metric, rated)
        for answers in (rated, measured))
    threshold, of_items = _on_items(on_items[0], on_items[1])
    of_systems = _on_systems(on_systems[0], on_systems[1], len(rated))
    return MetricAgreement(
        better=better, rated=len(rated), systems=len(places), accuracy=_accuracy(metric, rated),
        tau_b=of_items[0], spearman=of_items[1], pairwise=of_items[2], threshold=threshold,
        system_tau_b=of_systems[0], system_spearman=of_systems[1], system_pairwise=of_systems[2],
        within=within_items(metric, rated))


def _higher_better(metric: Scores, better: str) -> Scores:
    return metric if better == "higher" else {answer: -value for answer, value in metric.items()}


def _indices(owners: Iterable[Hashable]) -> Indices:
    """Of each owner its index among the different ones, in the order in which they first come."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(owner, len(known)) for owner in owners], dtype=np.int64)


def _table(answers: Sequence[Answer], *sides: Scores) -> Floats:
    """The numbers of some answers, (sides, items, whose), NaN where there is none."""
    if not answers:
        return np.empty((len(sides), 0, 0))
    rows, columns = (_indices(names) for names in zip(*answers, strict=True))
    table = np.full((len(sides), rows.max() + 1, columns.max() + 1), np.nan)
    for numbers, side in zip(table, sides, strict=True):
        numbers[rows, columns] = [side.get(answer, np.nan) for answer in answers]
    return table


def _accuracy(metric: Scores, rated: Scores) -> Estimate | None:
    if not rated or not {metric[answer] for answer in rated} <= {0.0, 1.0}:
        return None
    decided = {answer: abs(share - 0.5) > TIE for answer, share in rated.items()}
    return of_ratio((answer[0], decided[answer] and (share > 0.5) == metric[answer],
                     decided[answer]) for answer, share in rated.items())


def _on_items(metric: Floats, people: Floats) -> tuple[float, list[Estimate]]:
    """The threshold of ties; Kendall's tau-b, Spearman's correlation and pairwise agreement on the
    items of each system. Both sides: (items, systems)."""
    systems = []
    for x, y in zip(metric.T, people.T, strict=True):
        at = np.flatnonzero(~np.isnan(x))
        systems.append((at, x[at], y[at]))
    if not any(len(at) > 1 for at, _, _ in systems):
        return 0.0, [Estimate.undefined(0, "no system with two items")] * 3
    threshold = best_limit(np.concatenate([_apart(x) for _, x, _ in systems]),
                           np.concatenate([_apart(y) for _, _, y in systems]))
    of_all: Floats = np.sum([_pair_sums(x, y, threshold, at, len(metric))
                             for at, x, y in systems], axis=0)
    ranks = [spearman_of_draws(x, y, at) for at, x, y in systems]
    spearman = values_of(lambda weights: _mean([correlation(weights) for correlation in ranks]),
                         len(metric))
    rated = sum(len(at) for at, _, _ in systems)
    return threshold, [of_values(values, rated) for values in (
        over(*kendall(of_all)), spearman, over(of_all[:, 3], of_all[:, 4]))]


def _pair_sums(x: Floats, y: Floats, threshold: float, at: Indices, items: int) -> Floats:
    """What ``of_pairs`` says, summed over pairs of drawn items of one system: w K w, where K has
    every pair once. ``at``: of each answer the index of its item."""
    kernels = np.zeros((5, len(x), len(x)))
    kernels[:, *np.triu_indices(len(x), 1)] = of_pairs(_apart(x), _apart(y), threshold).T

    def sums(weights: Floats) -> Floats:
        drawn = weights[:, at]
        return np.stack([((drawn @ kernel) * drawn).sum(axis=1) for kernel in kernels], axis=1)

    return values_of(sums, items)


def _on_systems(metric: Floats, people: Floats, rated: int) -> list[Estimate]:
    """Kendall's tau-b, Spearman's correlation and pairwise agreement of systems' means. Both sides:
    (items, systems)."""
    if metric.shape[1] < FEWEST_SYSTEMS:
        few = Estimate.undefined(metric.shape[1], f"fewer than {FEWEST_SYSTEMS} systems")
        return [few] * 3

    def measures(weights: Floats) -> Floats:
        """The three measures of each draw."""
        x, y = (over(weights @ np.nan_to_num(side), weights @ ~np.isnan(side))
                for side in (metric, people))
        sums = of_pairs(_apart(x), _apart(y), 0.0).sum(axis=1)
        table = np.stack([over(*kendall(sums)), _cosine(_ranks(x), _ranks(y)),
                          over(sums[:, 3], sums[:, 4])], axis=1)
        table[np.isnan(x + y).any(axis=1)] = np.nan
        return table

    return [of_values(values, rated) for values in values_of(measures, len(metric)).T]


def within_items(metric: Scores, people: Scores, others: Sequence[Scores] = (), *,
                 better: str = "higher") -> Within:
    """A metric's agreement with people on the answers to each item.

    Answers that lack a number of any of them are left out, then items with a single answer.
    ``others``: what ``partial`` controls for; ``matched`` takes pairs that are equal in the first.
    ``better``: of the metric, ``higher`` or ``lower``.
    """
    sides = (_higher_better(metric, better), people, *others)
    by_item: dict[Hashable, list[Answer]] = {}
    for answer in people:
        if all(answer in side for side in sides):
            by_item.setdefault(answer[0], []).append(answer)
    compared = [answers for answers in by_item.values() if len(answers) > 1]
    items, sizes = len(compared), np.array([*map(len, compared)])
    if not items:
        names = ("spearman", "tau_b", "partial", "matched", "pairwise", "overall")
        return Within(answers=0, items=0, threshold=0.0,
                      **dict.fromkeys(names, Estimate.undefined(0, NOTHING)))
    table = np.array([[side[answer] for answers in compared for answer in answers]
                      for side in sides], dtype=float)
    first, second = _pairs_of_items(sizes)
    apart = table[:, first] - table[:, second]
    ranks = np.stack([np.bincount(first, signs, table.shape[1]) -
                      np.bincount(second, signs, table.shape[1]) for signs in _signs(apart)]) / 2
    products = _by_item(np.einsum("ka,la->akl", ranks, ranks), sizes)
    pairs = sizes * (sizes - 1) // 2
    threshold = best_limit(apart[0], apart[1])
    kernels = of_pairs(apart[0], apart[1], threshold)
    same = np.abs(apart[2]) <= TIE if others else np.zeros(len(first), dtype=bool)
    sums, matched = _by_item(kernels, pairs), _by_item(kernels * same[:, None], pairs)
    answers = table.shape[1]
    ranked = spearman_of_draws(table[0], table[1], np.repeat(np.arange(items), sizes))
    return Within(
        answers=answers, items=items, threshold=threshold,
        spearman=_mean_of_items(over(products[:, 0, 1],
                                     np.sqrt(products[:, 0, 0] * products[:, 1, 1]))),
        tau_b=_mean_of_items(over(*kendall(sums))),
        partial=of_parts(products.reshape(items, -1), _partial, answers),
        matched=of_parts(matched, kendall, int(same.sum()), CONSTANT if same.any() else NOTHING),
        pairwise=of_parts(sums[:, 3:], ratio, len(first)),
        overall=of_values(values_of(ranked, items), answers))


def _pairs_of_items(sizes: Indices) -> tuple[Indices, Indices]:
    """The indices of the first and of the second of every two answers to one item, item by item.
    ``sizes``: how many answers each item has; those to one item follow one another.

    >>> first, second = _pairs_of_items(np.array([2, 3]))
    >>> [*zip(first.tolist(), second.tolist())]
    [(0, 1), (2, 3), (2, 4), (3, 4)]
    """
    answers = np.arange(sizes.sum())
    behind = np.repeat(np.cumsum(sizes), sizes) - answers - 1
    first = np.repeat(answers, behind)
    number = np.arange(len(first)) - np.repeat(np.cumsum(behind) - behind, behind)
    return first, first + 1 + number


def _by_item(rows: Floats, sizes: Indices) -> Floats:
    """The sums of rows, of which the first ``sizes[0]`` are of the first item, and so on."""
    sums: Floats = np.add.reduceat(rows, np.cumsum(sizes) - sizes, axis=0)
    return sums


def _mean_of_items(values: Floats) -> Estimate:
    """The mean over items of what is defined."""
    defined = values[~np.isnan(values)]
    return of_parts(np.column_stack([defined, np.ones(len(defined))]), ratio, len(defined))


def _partial(sums: Floats) -> tuple[Floats, Floats]:
    """From the sums of products of centred ranks, which are all that least squares need."""
    width = round(sums.shape[-1] ** 0.5)
    whole = sums.reshape(*sums.shape[:-1], width, width)
    both, rest = whole[..., :2, 2:], np.linalg.pinv(whole[..., 2:, 2:])
    left = whole[..., :2, :2] - both @ rest @ np.swapaxes(both, -1, -2)
    own, rests = (np.diagonal(matrix, axis1=-2, axis2=-1)[..., :2] for matrix in (whole, left))
    known = rests <= TIE * own  # what is left of a side that the others tell is rounding
    return left[..., 0, 1], np.sqrt(np.where(known, 0, rests).prod(axis=-1))


def _dealt(ratings: Sequence[Sequence[float]]) -> Floats:
    """The means of two random halves of each item's ratings, centred: (2, items, SPLITS)."""
    rng = np.random.default_rng(SEED)
    halves = np.empty((2, len(ratings), SPLITS))
    for row, rating in enumerate(ratings):
        dealt = rng.permuted(np.tile(np.asarray(rating, dtype=float), (SPLITS, 1)), axis=1)
        cut = len(rating) // 2
        halves[:, row] = dealt[:, :cut].mean(axis=1), dealt[:, cut:].mean(axis=1)
    halves -= halves.mean(axis=1, keepdims=True)
    return halves


def split_half(ratings: Sequence[Sequence[float]], items: Iterable[Hashable] | None = None, *,
               within: bool = False) -> tuple[Estimate, Estimate, Estimate]:
    """How far the ratings of two halves of the people correlate, and what all together reach.

    The second is Spearman and Brown's 2 r / (1 + r): how people would correlate with as many
    others. The third is its root: what a metric would reach that knew what people say on average,
    without the chance of who was asked (C. Spearman 1904). No metric can be expected to do better.

    ``ratings``: of each item, by different people; those with one rating are left out. Each of
    SPLITS times, an item's ratings are dealt at random into two halves, and the means of the halves
    are correlated over items (Pearson's); the mean over all times is corrected. ``items``: where
    several answers to one item are rated, whose each is; intervals draw these. ``within``: each
    half's means are taken from their mean over the item's answers, so that items as such, some
    easier than others, add nothing.
    """
    owners = range(len(ratings)) if items is None else items
    kept = [(rating, owner) for rating, owner in zip(ratings, owners, strict=True)
            if len(rating) > 1]
    if len(kept) < FEWEST_SYSTEMS:
        few = Estimate.undefined(len(kept), "fewer than 3 items with two ratings")
        return few, few, few
    at = _indices(owner for _, owner in kept)
    halves = _dealt([rating for rating, _ in kept])
    if within:
        for values in halves:
            sums = np.zeros((at.max() + 1, SPLITS))
            np.add.at(sums, at, values)
            values -= (sums / np.bincount(at)[:, None])[at]

    def half(weights: Floats) -> Floats:
        """Pearson's correlation in each draw, the mean over SPLITS."""
        drawn = weights[:, at]
        n = drawn.sum(axis=1, keepdims=True)
        x, y = (drawn @ side / n for side in halves)
        squares = [np.maximum(drawn @ (side * side) / n - mean**2, 0)
                   for side, mean in zip(halves, (x, y), strict=True)]
        return _mean(over(drawn @ (halves[0] * halves[1]) / n - x * y,
                          np.sqrt(squares[0] * squares[1])).T)

    values = values_of(half, int(at.max()) + 1)
    full = 2 * values / np.where(values > -1, 1 + values, np.nan)
    ceiling = np.sqrt(full, out=np.full_like(full, np.nan), where=full > 0)
    return (of_values(values, len(kept)), of_values(full, len(kept)),
            of_values(ceiling, len(kept)))


def _mean(columns: Iterable[Floats]) -> Floats:
    """Over those that are defined."""
    stacked = np.stack([*columns])
    defined = ~np.isnan(stacked)
    return over(np.where(defined, stacked, 0).sum(axis=0), defined.sum(axis=0).astype(float))


# ---- pairs and ranks -----------------------------------------------------------------------------


def _apart(values: Floats) -> Floats:
    """By how much each number is above each later one, along the last axis."""
    first, second = np.triu_indices(values.shape[-1], 1)
    differences: Floats = values[..., first] - values[..., second]
    return differences


def _signs(apart: Floats) -> Floats:
    signs: Floats = np.sign(np.where(np.abs(apart) <= TIE, 0.0, apart))
    return signs


def of_pairs(metric: Floats, people: Floats, threshold: float) -> Floats:
    """What differences of pairs say, in a last axis of five: 1 if both order alike, -1 if not, 0 if
    either ties; whether the metric holds them apart; whether people do; whether both order alike or
    both tie, where differences of the metric up to ``threshold`` are ties; and 1."""
    signs, wanted = _signs(metric), _signs(people)
    alike = np.where(np.abs(metric) > threshold + TIE, signs * wanted > 0, wanted == 0)
    return np.stack([signs * wanted, signs * signs, wanted * wanted, alike, np.ones_like(signs)],
                    axis=-1)


def kendall(sums: Floats) -> tuple[Floats, Floats]:
    """Kendall's tau-b from sums of the first three of ``of_pairs``."""
    return sums[..., 0], np.sqrt(sums[..., 1] * sums[..., 2])


def best_limit(metric: Floats, people: Floats) -> float:
    """The threshold with which most pairs are right, of the differences of pairs: those up to it
    are right if people tie, those beyond if both order alike."""
    size = np.abs(metric)
    size[size <= TIE] = 0
    order = np.argsort(size, kind="stable")
    tied: NDArray[np.bool_] = (np.abs(people) <= TIE)[order]
    size, alike = size[order], (metric * people > 0)[order] & ~tied
    gained: Indices = np.cumsum(tied) - np.cumsum(alike & (size > 0))
    last = np.append(size[1:] - size[:-1] > TIE, True)
    limits, totals = size[last], gained[last]
    if limits[0] > 0:
        limits, totals = np.insert(limits, 0, 0.0), np.insert(totals, 0, 0)
    return float(limits[int(np.argmax(totals))])


def _ranks(values: Floats) -> Floats:
    """Along the last axis, from the mean rank, equal values with the mean of theirs; 0 for NaN."""
    signs = _signs(values[..., :, None] - values[..., None, :])
    ranks: Floats = np.nan_to_num(signs).sum(axis=-1) / 2
    return ranks


def _cosine(x: Floats, y: Floats, weights: Floats | float = 1.0) -> Floats:
    """The correlation of centred numbers along the last axis; NaN where a side is constant."""
    return over((weights * x * y).sum(axis=-1), np.sqrt(
        (weights * x * x).sum(axis=-1) * (weights * y * y).sum(axis=-1)))


def spearman_of_draws(values: Floats, other: Floats, owners: Indices) -> Statistic:
    """Rank correlation of answers for each row of weights (draws, items): how often an item counts.

    ``owners``: of each answer the index of its item.
    """
    x, y = _ranks_of_draws(values, owners), _ranks_of_draws(other, owners)
    rows = max(1, _CELLS // len(owners))
    return lambda weights: np.concatenate([
        _cosine(x(some), y(some), some[:, owners])
        for some in (weights[start:start + rows] for start in range(0, len(weights), rows))])


def _ranks_of_draws(values: Floats, owners: Indices) -> Statistic:
    """Of every answer from the mean rank, where item i counts ``weights[:, i]`` times."""
    order = np.argsort(values, kind="stable")
    new = np.diff(values[order], prepend=-np.inf) > TIE
    starts, group = np.flatnonzero(new), np.empty(len(values), dtype=np.int64)
    group[order] = np.cumsum(new) - 1

    def ranks(weights: Floats) -> Floats:
        counts: Floats = np.add.reduceat(weights[:, owners[order]], starts, axis=1)
        below = np.cumsum(counts, axis=1)
        offsets: Floats = (below - counts / 2 - below[:, -1:] / 2)[:, group]
        return offsets

    return ranks
