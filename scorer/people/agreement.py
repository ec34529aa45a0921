"""How far annotators agree: raw agreement, Fleiss's kappa, Krippendorff's alpha, Cohen's kappa.

A unit is what several people answered: one vote each, None where somebody did not answer or could
not tell. A measure is undefined where all votes are equal or no unit has two. All but Cohen's kappa
come from the coincidences of a unit: each ordered pair of its m votes by different people counts
1 / (m - 1). K. Krippendorff: Computing Krippendorff's alpha-reliability, 2011. J. Fleiss: Measuring
nominal scale agreement among many raters. Psychological Bulletin 76, 1971. J. Cohen: A coefficient
of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.people.bootstrap import CONSTANT, Floats, item_sums, of_parts, ratio
from scorer.people.documents import MOST_PAIRED, Agreement, Estimate, Pair

FEWEST_COMMON = 10
"""Two annotators with fewer common units have no kappa of their own."""

Unit = Sequence[Any]
"""The votes on one unit; None where one is missing."""


def cohen_kappa(pairs: Sequence[tuple[Any, Any]]) -> float | None:
    """Cohen's kappa of two annotators' votes on the same units, None if it is undefined."""
    firsts, others = Counter(first for first, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(count * others[value] for value, count in firsts.items())
    agreed = len(pairs) * sum(first == other for first, other in pairs)
    bottom = len(pairs) ** 2 - by_chance
    return (agreed - by_chance) / bottom if bottom else None


def cohen_matrix(units: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Cohen's kappa of every two annotators with at least FEWEST_COMMON common units, by name.

    ``units``: the votes on each by annotator. Of more than MOST_PAIRED annotators, those with most
    votes.
    """
    sizes = Counter(sorted(login for unit in units for login in unit))
    matrix = []
    for first, other in combinations(sorted(name for name, _ in sizes.most_common(MOST_PAIRED)), 2):
        pairs = [(unit[first], unit[other]) for unit in units if first in unit and other in unit]
        if len(pairs) >= FEWEST_COMMON:
            matrix.append(Pair(annotators=[first, other], n=len(pairs), kappa=cohen_kappa(pairs)))
    return matrix


def measured(units: Sequence[Unit], order: Sequence[Any] = (),
             items: Sequence[Hashable] = ()) -> Agreement:
    """All measures of a question, with bootstrap intervals over items.

    ``order``: of ordinal values, lowest first. ``items``: the item of each unit, where an item has
    several (triplets of a graph); else each unit is one. Which vote of a unit comes first moves no
    bit. Raises ValueError for a vote that the order does not have.
    """
    tallies = [Counter(vote for vote in unit if vote is not None) for unit in units]
    seen = dict.fromkeys(vote for tally in tallies for vote in tally)
    values = list(order) or sorted(seen, key=str)
    if unknown := [value for value in seen if value not in values]:
        raise ValueError(f"votes that the order does not have: {unknown[:3]}")
    counts = np.array([[tally[value] for value in values] for tally in tallies], dtype=np.int64)
    return measured_counts(counts.reshape(len(units), len(values)), items, ordered=bool(order))


def measured_counts(counts: NDArray[np.int64], items: Sequence[Hashable] = (), *,
                    ordered: bool = False) -> Agreement:
    """The same of how many people gave each value: (units, values)."""
    sizes, k = counts.sum(axis=1), counts.shape[1]
    used = np.flatnonzero(sizes >= 2)
    n = len(used)
    fewest, most = (int(sizes[used].min()), int(sizes[used].max())) if n else (0, 0)
    undefined = CONSTANT if n else "no unit with two votes"
    owners = [items[row] for row in used.tolist()] if items else used.tolist()
    pairs = counts[used, :, None] * counts[used, None, :]
    pairs -= np.eye(k, dtype=np.int64) * counts[used, None, :]
    others = sizes[used] - 1.0
    agreed = np.trace(pairs, axis1=1, axis2=2) / (sizes[used] * others)
    shares = item_sums(2, zip(owners, np.stack([agreed, np.ones(n)], axis=1), strict=True))
    coincidences = item_sums(k * k, zip(owners, pairs.reshape(n, k * k) / others[:, None],
                                        strict=True))

    def beyond_chance(less: int, *, ordinal: bool = False) -> Estimate:
        def quotient(sums: Floats) -> tuple[Any, Any]:
            matrix = sums.reshape(*sums.shape[:-1], k, k)
            return _beyond_chance(matrix, _ordinal(matrix) if ordinal else 1 - np.eye(k), less)

        return of_parts(coincidences, quotient, n, undefined)

    return Agreement(
        units=n, excluded=int((sizes == 1).sum()), raters=[fewest, most],
        raw=of_parts(shares, ratio, n, undefined), alpha=beyond_chance(1),
        alpha_ordinal=beyond_chance(1, ordinal=True) if ordered else None,
        fleiss=beyond_chance(0) if fewest == most else None)


def _beyond_chance(matrix: Floats, distance: Floats, less: int) -> tuple[Any, Any]:
    """1 - (n - less) * sum(o_ck d_ck) / sum(n_c n_k d_ck), as a quotient.

    With o the coincidences, n_c their row sums, n the number of votes and d the distances of
    values, this is alpha with ``less`` 1; with 0, where all units are of a size, Fleiss's kappa.
    """
    by_value = matrix.sum(axis=-1)
    expected = (by_value[..., :, None] * by_value[..., None, :] * distance).sum(axis=(-2, -1))
    observed = (matrix * distance).sum(axis=(-2, -1)) * (by_value.sum(axis=-1) - less)
    return expected - observed, expected


def _ordinal(matrix: Floats) -> Floats:
    """The distance of two values is the number of votes between the middles of both."""
    by_value = matrix.sum(axis=-1)
    twice = 2 * np.cumsum(by_value, axis=-1) - by_value
    distance: Floats = (twice[..., :, None] - twice[..., None, :]) ** 2
    return distance
