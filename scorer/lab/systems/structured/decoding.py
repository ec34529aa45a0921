"""The best graph over given concepts: connected, without a cycle, of greatest total score.

Saha et al., ExplaGraphs, EMNLP 2021, section 7, solve an integer program with flows for
connectedness. Here cycles and concepts cut off from the others are forbidden only once the solver
has proposed them. Each proposal is the optimum of a program with fewer constraints, so the first
that breaks none is the optimum of them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.graph import components, find_cycle
from scorer.core.records import Edge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = tuple[NDArray[np.float64], float, float]
    """A coefficient for each edge and then each concept; least and greatest value of the sum."""

EXACT = 1e-9
"""The solver's gap between its best graph and its bound, relative to the total."""


class EdgeLimits(NamedTuple):
    """How many edges a graph may have."""

    least: int
    most: int


class Need(NamedTuple):
    """Some concepts of which so many must be in the graph."""

    concepts: frozenset[int]
    least: int


Place = tuple[int, int]
"""An edge: its source and its target among the concepts."""


def best_graph(scores: NDArray[np.float64], limits: EdgeLimits, worth: NDArray[np.float64],
               needs: Sequence[Need] = ()) -> list[Place]:
    """The edges of the best graph, in order of source and target.

    ``scores``: shape (concepts, concepts), finite, what an edge from row to column adds to the
    total; the diagonal is not looked at. ``worth``: what each concept adds if it is in the graph.
    Raises ValueError if no graph keeps the limits and the needs.
    """
    count = len(scores)
    program = _Program([(a, b) for a in range(count) for b in range(count) if a != b], count)
    rows = [*program.always(limits, needs)]
    while True:
        chosen = program.best(scores, worth, rows)
        broken = [*program.forbidden(chosen)]
        if not broken:
            return chosen
        rows += broken


def free_edges(scores: NDArray[np.float64], worth: NDArray[np.float64]) -> list[Place]:
    """The edges of the best graph of which nothing is asked, in order; there may be none.

    Arguments as of best_graph. Both concepts of an edge are in; a concept may be in without one.
    """
    count = len(scores)
    gains = [(a, b) for a in range(count) for b in range(count) if a != b and scores[a, b] > 0]
    program = _Program(gains, count)
    return program.best(scores, worth, [*program.ends()]) if gains else []


class _Program:
    """Constraints over some concepts: a variable for each edge there may be, and each concept."""

    def __init__(self, pairs: Sequence[Place], count: int) -> None:
        self.count = count
        self.pairs = pairs

    def best(self, scores: NDArray[np.float64], worth: NDArray[np.float64],
             rows: Sequence[Row]) -> list[Place]:
        """The edges of greatest total that keep these constraints. Raises ValueError for none."""
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp

        total = np.array([*(scores[pair] for pair in self.pairs), *worth])
        matrix, low, high = (np.array(part) for part in zip(*rows, strict=True))
        result = milp(-total, integrality=np.ones(len(total)), bounds=Bounds(0, 1),
                      constraints=LinearConstraint(matrix, low, high),
                      options={"mip_rel_gap": EXACT})
        if result.x is None:
            raise ValueError(f"the solver found no graph over {self.count} concepts: "
                             f"{result.message}")
        return [pair for pair, value in zip(self.pairs, result.x, strict=False) if value > 0.5]

    def ends(self) -> Iterator[Row]:
        """Both concepts of an edge are in."""
        for pair in self.pairs:
            for end in pair:
                yield self._row([pair], [end], -1, 0)

    def always(self, limits: EdgeLimits, needs: Sequence[Need]) -> Iterator[Row]:
        """So many edges, enough to connect; one at most between two concepts that are in."""
        yield self._row(self.pairs, (), limits.least, limits.most)
        yield self._row(self.pairs, range(self.count), -1, len(self.pairs))
        for node in range(self.count):
            yield self._row([pair for pair in self.pairs if node in pair], [node], 0, self.count)
        for node, other in combinations(range(self.count), 2):
            for end in (node, other):
                yield self._row([(node, other), (other, node)], [end], -1, 0)
        for need in needs:
            yield self._row((), need.concepts, -len(need.concepts), -need.least)

    def forbidden(self, chosen: Sequence[Place]) -> Iterator[Row]:
        """What rules a proposal out: nothing if it is connected and has no cycle."""
        edges = [Edge(str(a), "", str(b)) for a, b in chosen]
        steps = [*pairwise(int(name) for name in find_cycle(edges))]
        if steps:
            yield self._row(steps, (), 0, len(steps) - 1)
            yield self._row([(b, a) for a, b in steps], (), 0, len(steps) - 1)
        parts = [{int(name) for name in part} for part in components(edges)]
        for part, other in combinations(parts, 2):
            for inside, outside in ((part, other), (other, part)):
                leaving = [(a, b) for a, b in self.pairs if (a in inside) != (b in inside)]
                yield self._row(leaving, [min(inside), min(outside)], -1, len(self.pairs))

    def _row(self, counted: Sequence[Place], less: Sequence[int] | frozenset[int] | range,
             low: float, high: float) -> Row:
        """How many of these edges a graph may have beyond how many of these concepts."""
        import numpy as np

        edges, concepts = {*counted}, {*less}
        return np.array([*(float(pair in edges) for pair in self.pairs),
                         *(-float(node in concepts) for node in range(self.count))]), low, high
