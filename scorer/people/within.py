"""How far a metric agrees with people on several answers to one item: which of them is better?

Nothing that makes a whole item easy counts, only its answers against each other.

- ``spearman``, ``tau_b``: of each item, the mean over items in which neither side is constant.
- ``partial``: what is left of the rank correlation once other numbers of the answers, such as
  their length, are known. Ranks within the item, less their mean, of all answers together;
  Pearson's r of the residuals of both sides on the others by least squares.
- ``matched``: Kendall's tau-b over those pairs of answers to one item that are equal in another
  number: longer against longer only.
- ``pairwise``: as in ``meta``, over all pairs of answers to one item.
- ``overall``: Spearman's over all answers of all items, easy items and all.

Intervals draw items, with all their answers. ``n`` of the first two are items in which they are
defined, of ``matched`` and ``pairwise`` pairs, of the others answers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

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
from scorer.people.documents import Estimate, Within
from scorer.statistics import TIE

Scores = Mapping[str, Mapping[Hashable, float]]
"""Of each source of answers, such as a system: of each item, a number."""
_CELLS = 500_000
"""So many weights of answers are held at once."""


def within_items(metric: Scores, people: Scores, others: Sequence[Scores] = (), *,
                 better: str = "higher") -> Within:
    """A metric's agreement with people on the answers to each item.

    ``metric``, ``people``, ``others``: of each source of answers, such as a system or a person: of
    each item, a number. Answers that lack one are left out, then items with a single answer.
    ``others``: what ``partial`` controls for; ``matched`` takes pairs that are equal in the first.
    ``better``: of the metric, ``higher`` or ``lower``.
    """
    items = list(_items(metric, people, others, 1.0 if better == "higher" else -1.0))
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
        spearman=_mean(over(products[:, 0, 1],
                            np.sqrt(products[:, 0, 0] * products[:, 1, 1]))),
        tau_b=_mean(over(*kendall(sums))),
        partial=of_parts(products.reshape(len(items), -1), _partial, len(owners)),
        matched=of_parts(_by_item(at[same], kernels[same], len(items)), kendall, int(same.sum()),
                         CONSTANT if same.any() else NOTHING),
        pairwise=of_parts(agreed, ratio, len(pairs)), overall=of_values(overall, len(owners)))


def _items(metric: Scores, people: Scores, others: Sequence[Scores], sign: float,
           ) -> Iterator[Floats]:
    """The answers to each item: (answers, numbers) of the metric, people and the others."""
    numbers: dict[Hashable, list[tuple[float, ...]]] = {}
    for source, rated in people.items():
        own = metric.get(source, {})
        more = [scores.get(source, {}) for scores in others]
        for item, value in rated.items():
            if item in own and all(item in side for side in more):
                numbers.setdefault(item, []).append(
                    (sign * own[item], value, *(side[item] for side in more)))
    for rows in numbers.values():
        if len(rows) > 1:
            yield np.array(rows, dtype=float)


def _ranks(values: Floats) -> Floats:
    """From the mean rank, equal values with the mean of theirs."""
    apart = values[:, None] - values[None, :]
    ranks: Floats = ((apart > TIE).sum(axis=1) - (apart < -TIE).sum(axis=1)) / 2.0
    return ranks


def _mean(values: Floats) -> Estimate:
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


# ---- pairs of answers ----------------------------------------------------------------------


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
