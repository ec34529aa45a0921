"""The best graph over given concepts: against exhaustive search, and where there is none."""

from functools import lru_cache
from itertools import chain, combinations, permutations

import networkx as nx
import numpy as np
import pytest

from scorer.lab.systems.structured.decoding import EdgeLimits, Need, best_graph, free_edges

LIMITS = EdgeLimits(3, 8)


@lru_cache
def graphs(count):
    """Every set of edges over some of so many concepts that is connected and has no cycle."""
    pairs = [*permutations(range(count), 2)]
    return [edges for size in range(1, count * (count - 1) // 2 + 1)
            for edges in combinations(pairs, size)
            if nx.is_directed_acyclic_graph(graph := nx.DiGraph(edges))
            and nx.is_weakly_connected(graph)]


def concepts(edges):
    return {end for edge in edges for end in edge}


def allowed(edges, limits, needs):
    return (limits.least <= len(edges) <= limits.most
            and all(len(need.concepts & concepts(edges)) >= need.least for need in needs))


def total(edges, scores, worth):
    return sum(scores[edge] for edge in edges) + sum(worth[node] for node in concepts(edges))


@pytest.mark.whole
@pytest.mark.claim("The structured model's solver equals exhaustive search on 200 "
                   "instances of up to four concepts.")
@pytest.mark.parametrize("whole", [True, False])
def test_the_solver_equals_exhaustive_search_on_two_hundred_instances_of_up_to_four_concepts(whole):
    rng = np.random.default_rng(1)
    without = 0
    for number in range(200):
        count = 2 + number % 3
        scores = rng.normal(rng.choice([-1, 0, 1]), 1, (count, count)).round(2)
        worth = rng.normal(rng.choice([-1, 0, 1]), 1, count).round(2)
        least = int(rng.integers(1, 5))
        limits = EdgeLimits(least, least + int(rng.integers(0, 5)))
        needs = [Need(frozenset(rng.choice(count, 2, replace=False).tolist()), 1 + number % 2)
                 for _ in range(number % 3)]
        if whole:
            needs.append(Need(frozenset(range(count)), count))
        own = np.zeros(count) if whole else worth
        best = max((total(edges, scores, own) for edges in graphs(count)
                    if allowed(edges, limits, needs)), default=None)
        if best is None:
            without += 1
            with pytest.raises(ValueError, match=f"no graph over {count} concepts"):
                best_graph(scores, limits, own, needs)
            continue
        chosen = best_graph(scores, limits, own, needs)
        assert tuple(chosen) in graphs(count)
        assert allowed(chosen, limits, needs)
        assert total(chosen, scores, own) == pytest.approx(best)
    assert 0 < without < 100


def test_without_constraints_the_solver_equals_exhaustive_search_over_every_set_of_edges():
    rng = np.random.default_rng(3)
    pairs = [*permutations(range(3), 2)]
    every = [*chain.from_iterable(combinations(pairs, size) for size in range(len(pairs) + 1))]
    broken = 0
    for _ in range(100):
        scores, worth = rng.normal(0, 1, (3, 3)).round(2), rng.normal(-1, 1, 3).round(2)
        cost = np.minimum(worth, 0)  # a concept that pays is in, with or without an edge
        chosen = free_edges(scores, worth)
        assert total(chosen, scores, cost) == pytest.approx(
            max(total(edges, scores, cost) for edges in every))
        broken += bool(chosen) and tuple(chosen) not in graphs(3)
    assert broken > 10


@pytest.mark.parametrize("count", [5, 7, 9])
def test_larger_graphs_are_connected_without_a_cycle_and_have_three_to_eight_edges(count):
    rng = np.random.default_rng(count)
    for centre in (-2, 0, 0, 2):
        edges = best_graph(rng.normal(centre, 1, (count, count)), LIMITS, np.zeros(count),
                           [Need(frozenset(range(count)), count)])
        graph = nx.DiGraph(edges)
        assert len(graph) == count
        assert nx.is_weakly_connected(graph)
        assert nx.is_directed_acyclic_graph(graph)
        assert 3 <= len(edges) <= 8


@pytest.mark.parametrize("count", [1, 2, 10])
def test_too_few_or_too_many_concepts_for_the_limits_are_refused(count):
    with pytest.raises(ValueError, match=f"no graph over {count} concepts"):
        best_graph(np.zeros((count, count)), LIMITS, np.zeros(count),
                   [Need(frozenset(range(count)), count)])
