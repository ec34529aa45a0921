"""The one-to-one matching of greatest total: the assignment problem, by shortest augmenting paths.

Rows are added one by one; each time the cheapest chain of changes to the matching so far is found
by Dijkstra's method on reduced costs. D. F. Crouse, "On implementing 2D rectangular assignment
algorithms", IEEE Transactions on Aerospace and Electronic Systems 52, 2016. Equally good matchings
are told apart, and numbers added, as ``scipy.optimize.linear_sum_assignment`` does, so that a total
keeps its last bit; importing scipy's takes longer than scoring a submission. It is used where a
matrix is large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

SMALL = 400
"""Up to so many scores are matched here; beyond, compiled code is faster though it is imported."""

_FREE = -1


def best_assignment(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The (row, column) pairs of greatest total, by row: as many as the shorter side has.

    ``scores[row][column]``: finite, rows of one length.

    >>> best_assignment([[0.5, 0.9], [0.0, 0.8]])
    [(0, 0), (1, 1)]
    """
    rows, columns = len(scores), len(scores[0]) if scores else 0
    if rows * columns > SMALL:
        from scipy.optimize import linear_sum_assignment

        of_rows, of_columns = linear_sum_assignment(scores, maximize=True)
        return list(zip(of_rows.tolist(), of_columns.tolist(), strict=True))
    if columns < rows:
        costs = [[-float(row[column]) for row in scores] for column in range(columns)]
        return sorted((row, column) for column, row in enumerate(_assign(costs, rows)))
    costs = [[-float(score) for score in row] for row in scores]
    return list(enumerate(_assign(costs, columns)))


def _assign(costs: Sequence[Sequence[float]], width: int) -> list[int]:
    """The column of each row at least total cost; no more rows than columns."""
    of_row, of_column = [_FREE] * len(costs), [_FREE] * width
    row_price, column_price = [0.0] * len(costs), [0.0] * width
    for added in range(len(costs)):
        reached, came_from = [math.inf] * width, [_FREE] * width
        waiting = list(range(width - 1, -1, -1))
        seen: list[int] = []
        row, shortest = added, 0.0
        while row != _FREE:
            cost, price = costs[row], row_price[row]
            nearest, best = 0, math.inf
            for index, column in enumerate(waiting):
                length = shortest + cost[column] - price - column_price[column]
                if length < reached[column]:
                    reached[column], came_from[column] = length, row
                known = reached[column]
                if known < best or (known == best and of_column[column] == _FREE):
                    nearest, best = index, known
            shortest, column = best, waiting[nearest]
            seen.append(column)
            waiting[nearest] = waiting[-1]
            waiting.pop()
            row = of_column[column]
        row_price[added] += shortest
        for known_column in seen[:-1]:
            row_price[of_column[known_column]] += shortest - reached[known_column]
        for known_column in seen:
            column_price[known_column] -= shortest - reached[known_column]
        while row != added:
            row = came_from[column]
            of_column[column] = row
            of_row[row], column = column, of_row[row]
    return of_row
