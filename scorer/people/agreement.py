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

from scorer.people.bootstrap import CONSTANT, Floats, Quotient, of_parts
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
    votes = [[vote for vote in unit if vote is not None] for unit in units]
    seen = dict.fromkeys(vote for unit in votes for vote in unit)
    values = list(order) or sorted(seen, key=str)
    if unknown := [value for value in seen if value not in values]:
        raise ValueError(f"votes that the order does not have: {unknown[:3]}")
    at = {value: index for index, value in enumerate(values)}
    counts = np.zeros((len(votes), len(values)), dtype=np.int64)
    for row, unit in enumerate(votes):
        for vote in unit:
            counts[row, at[vote]] += 1
    return measured_counts(counts, items, ordered=bool(order))


def measured_counts(counts: NDArray[np.int64], items: Sequence[Hashable] = (), *,
                    ordered: bool = False) -> Agreement:
    """The same of how many people gave each value: (units, values)."""
    sizes = counts.sum(axis=1)
    used = sizes >= 2
    n = int(used.sum())
    fewest, most = (int(sizes[used].min()), int(sizes[used].max())) if n else (0, 0)
    owners = items or range(len(counts))
    parts = _parts_by_item(counts[used], [owners[row] for row in np.flatnonzero(used).tolist()])

    def estimate(quotient: Quotient) -> Estimate:
        return of_parts(parts, quotient, n, CONSTANT if n else "no unit with two votes")

    return Agreement(
        units=n, excluded=int((sizes == 1).sum()), raters=[fewest, most], raw=estimate(_raw),
        alpha=estimate(_nominal), alpha_ordinal=estimate(_ordinal) if ordered else None,
        fleiss=estimate(_fleiss) if fewest == most else None)


def _parts_by_item(counts: NDArray[np.int64], items: Sequence[Hashable]) -> Floats:
    """What each item adds to the sums that measures are made of: of its units their number, the
    share of ordered pairs of votes that agree, and the coincidences of every two values."""
    m = counts.sum(axis=1)[:, None].astype(float)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= np.eye(counts.shape[1], dtype=np.int64) * counts[:, None, :]
    agreed = np.trace(pairs, axis1=1, axis2=2)[:, None]
    parts = np.hstack([np.ones(m.shape), agreed / (m * (m - 1)),
                       pairs.reshape(len(counts), counts.shape[1] ** 2) / (m - 1)])
    rows = {item: index for index, item in enumerate(dict.fromkeys(items))}
    sums = np.zeros((len(rows), parts.shape[1]))
    np.add.at(sums, [rows[item] for item in items], parts)
    return sums


def _coincidences(sums: NDArray[Any]) -> NDArray[Any]:
    size = round((sums.shape[-1] - 2) ** 0.5)
    return sums[..., 2:].reshape(*sums.shape[:-1], size, size)


def _raw(sums: NDArray[Any]) -> tuple[Any, Any]:
    return sums[..., 1], sums[..., 0]


def _fleiss(sums: NDArray[Any]) -> tuple[Any, Any]:
    """With o the coincidences, n_c their row sums and n the number of votes, all units of a size:
    the mean agreement is sum(o_cc) / n and that by chance sum(n_c^2) / n^2."""
    matrix = _coincidences(sums)
    by_value = matrix.sum(axis=-1)
    n, chance = by_value.sum(axis=-1), (by_value**2).sum(axis=-1)
    agreed = (matrix * np.eye(matrix.shape[-1], dtype=int)).sum(axis=(-2, -1))
    return agreed * n - chance, n**2 - chance


def _nominal(sums: NDArray[Any]) -> tuple[Any, Any]:
    matrix = _coincidences(sums)
    return _alpha(matrix, 1 - np.eye(matrix.shape[-1], dtype=int))


def _ordinal(sums: NDArray[Any]) -> tuple[Any, Any]:
    """The distance of two values is the number of votes between the middles of both."""
    matrix = _coincidences(sums)
    by_value = matrix.sum(axis=-1)
    twice = 2 * np.cumsum(by_value, axis=-1) - by_value
    return _alpha(matrix, (twice[..., :, None] - twice[..., None, :]) ** 2)


def _alpha(matrix: NDArray[Any], distance: NDArray[Any]) -> tuple[Any, Any]:
    """1 - (n - 1) * sum(o_ck d_ck) / sum(n_c n_k d_ck), as a quotient."""
    by_value = matrix.sum(axis=-1)
    expected = (by_value[..., :, None] * by_value[..., None, :] * distance).sum(axis=(-2, -1))
    observed = (matrix * distance).sum(axis=(-2, -1)) * (by_value.sum(axis=-1) - 1)
    return expected - observed, expected
