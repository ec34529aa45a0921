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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.people import bootstrap
from scorer.people.bootstrap import Floats
from scorer.people.documents import Estimate, Within
from scorer.statistics import TIE
from scorer.statistics.intervals import none

Scores = Mapping[str, Mapping[Hashable, float]]
"""Of each source of answers, such as a system: of each item, a number."""
_CELLS = 500_000
"""So many weights of answers are held at once."""


class _Item(NamedTuple):
    """The answers to one item: a number each."""

    metric: Floats
    people: Floats
    others: Floats
    """(answers, other numbers)."""


def within_items(metric: Scores, people: Scores, others: Sequence[Scores] = (), *,
                 better: str = "higher") -> Within:
    """A metric's agreement with people on the answers to each item.

    ``metric``, ``people``, ``others``: of each source of answers, such as a system or a person: of
    each item, a number. Answers that lack one are left out, then items with a single answer.
    ``others``: what ``partial`` controls for; ``matched`` takes pairs that are equal in the first.
    ``better``: of the metric, ``higher`` or ``lower``.
    """
    items = list(_items(metric, people, others, 1.0 if better == "higher" else -1.0))
    pairs = [_pairs(item) for item in items]
    metric_apart, people_apart, alike = map(np.concatenate, zip(*pairs, strict=True)) if pairs \
        else (np.array([]),) * 3
    threshold = best_limit(metric_apart, people_apart)
    answers = sum(len(item.metric) for item in items)
    agreed = np.array([_agreed(*pair, threshold) for pair in pairs])
    matched = np.array([_signs(*(side[pair[2]] for side in pair[:2])) for pair in pairs])
    return Within(
        answers=answers, items=len(items),
        spearman=_mean_of([_spearman(item) for item in items]),
        tau_b=_mean_of([_tau(pair) for pair in pairs]), partial=_partial(items, answers),
        matched=_of(matched, _tau_of, int(alike.sum())),
        pairwise=_of(agreed, bootstrap.ratio, len(people_apart)), threshold=threshold,
        overall=_overall(items, answers))


def _items(metric: Scores, people: Scores, others: Sequence[Scores], sign: float,
           ) -> Iterator[_Item]:
    numbers: dict[Hashable, list[tuple[float, ...]]] = {}
    for source, rated in people.items():
        sides = [scores.get(source, {}) for scores in (metric, *others)]
        for item, value in rated.items():
            if all(item in side for side in sides):
                numbers.setdefault(item, []).append((value, *(side[item] for side in sides)))
    for rows in numbers.values():
        if len(rows) > 1:
            table = np.array(rows, dtype=float)
            yield _Item(sign * table[:, 1], table[:, 0], table[:, 2:])


# ---- one item ------------------------------------------------------------------------------


def _ranks(values: Floats) -> Floats:
    """From the mean rank, equal values with the mean of theirs."""
    apart = values[:, None] - values[None, :]
    ranks: Floats = ((apart > TIE).sum(axis=1) - (apart < -TIE).sum(axis=1)) / 2.0
    return ranks


def _spearman(item: _Item) -> float:
    return _correlation(_ranks(item.metric), _ranks(item.people))


def _correlation(side: Floats, other: Floats) -> float:
    """Of numbers with the mean 0; NaN if either side is constant."""
    square = float((side @ side) * (other @ other))
    return float(side @ other) / square**0.5 if square else np.nan


def _pairs(item: _Item) -> tuple[Floats, Floats, Floats]:
    """Of every two answers: how far the metric and people hold them apart, and whether they are
    equal in the first other number."""
    first, second = np.triu_indices(len(item.metric), 1)
    apart = [side[first] - side[second] for side in (item.metric, item.people)]
    alike = (np.abs(item.others[first, 0] - item.others[second, 0]) <= TIE if item.others.size
             else np.zeros(len(first), dtype=bool))
    return apart[0], apart[1], alike


def _signs(metric: Floats, people: Floats) -> tuple[float, float, float]:
    """Concordant less discordant pairs, and pairs that each side does not tie."""
    signs, other = (np.sign(np.where(np.abs(side) <= TIE, 0, side)) for side in (metric, people))
    return float(signs @ other), float(signs @ signs), float(other @ other)


def _tau(pairs: tuple[Floats, Floats, Floats]) -> float:
    signs, untied, other = _signs(*pairs[:2])
    return signs / (untied * other) ** 0.5 if untied * other else np.nan


def _agreed(metric: Floats, people: Floats, alike: Floats, threshold: float) -> tuple[int, int]:
    """Pairs that both order alike or tie, and all pairs."""
    apart, tied = np.abs(metric) > threshold + TIE, np.abs(people) <= TIE
    return int(np.where(apart, ~tied & (metric * people > 0), tied).sum()), len(metric)


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


# ---- all items -----------------------------------------------------------------------------


def _of(parts: Floats, quotient: bootstrap.Quotient, n: int) -> Estimate:
    """A statistic of sums of parts, (items, parts), with its interval."""
    if not n:
        return Estimate.undefined(0, bootstrap.NOTHING)
    top, bottom = quotient(parts.sum(axis=0))
    if not bottom > TIE:
        return Estimate.undefined(n, "no variation")
    return Estimate.of(float(top / bottom), n, bootstrap.interval(parts, quotient))


def _mean_of(values: Sequence[float]) -> Estimate:
    """The mean of those that are defined."""
    defined = [value for value in values if not np.isnan(value)]
    if values and not defined:
        return Estimate.undefined(0, "no variation")
    return _of(np.array([(value, 1.0) for value in defined]), bootstrap.ratio, len(defined))


def _tau_of(sums: Floats) -> tuple[Floats, Floats]:
    return sums[..., 0], np.sqrt(sums[..., 1] * sums[..., 2])


def _partial(items: Sequence[_Item], answers: int) -> Estimate:
    """From the sums of products of centred ranks, which are all that least squares need."""
    if not items:
        return Estimate.undefined(0, bootstrap.NOTHING)
    width = 2 + items[0].others.shape[1]
    products = []
    for item in items:
        ranks = np.stack([_ranks(side) for side in (item.metric, item.people, *item.others.T)])
        products.append((ranks @ ranks.T).ravel())

    def quotient(sums: Floats) -> tuple[Floats, Floats]:
        whole = sums.reshape(*sums.shape[:-1], width, width)
        both, rest = whole[..., :2, 2:], np.linalg.pinv(whole[..., 2:, 2:])
        left = whole[..., :2, :2] - both @ rest @ np.swapaxes(both, -1, -2)
        own, rests = (np.diagonal(matrix, axis1=-2, axis2=-1)[..., :2] for matrix in (whole, left))
        known = rests <= TIE * own  # what is left of a side that the others tell is rounding
        return left[..., 0, 1], np.sqrt(np.where(known, 0, rests).prod(axis=-1))

    return _of(np.array(products), quotient, answers)


def _overall(items: Sequence[_Item], answers: int) -> Estimate:
    if not items:
        return Estimate.undefined(0, bootstrap.NOTHING)
    owners = np.repeat(np.arange(len(items)), [len(item.metric) for item in items])
    value = spearman_of_draws(np.concatenate([item.metric for item in items]),
                              np.concatenate([item.people for item in items]), owners)
    [whole] = value(np.ones((1, len(items)))).tolist()
    if np.isnan(whole):
        return Estimate.undefined(answers, "no variation")
    if len(items) < bootstrap.FEWEST_ITEMS:
        return Estimate.of(whole, answers, none(f"fewer than {bootstrap.FEWEST_ITEMS} items"))
    rows = max(1, _CELLS // answers)
    drawn = [value(block[start : start + rows]) for block in bootstrap.times(len(items))
             for start in range(0, len(block), rows)]
    return Estimate.of(whole, answers, bootstrap.of_draws(np.concatenate(drawn)))


def spearman_of_draws(values: Floats, other: Floats, owners: NDArray[np.int64],
                      ) -> Callable[[Floats], Floats]:
    """Rank correlation of answers for each row of weights (draws, items): how often an item counts.

    ``owners``: of each answer the place of its item.
    """
    sides = _Ranked(values, owners), _Ranked(other, owners)

    def value(weights: Floats) -> Floats:
        x, y = (side.ranks(weights) for side in sides)
        counts = weights[:, owners]
        top = (counts * x * y).sum(axis=1)
        bottom = np.sqrt((counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1))
        quotient = np.full(len(top), np.nan)
        np.divide(top, bottom, out=quotient, where=bottom > TIE)
        return quotient

    return value


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
