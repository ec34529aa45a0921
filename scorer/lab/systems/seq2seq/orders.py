"""In which order the edges of a gold graph are written for a model to learn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

from scorer.core.graph import concepts
from scorer.core.records import Edge

Order = Literal["depth-first", "random"]


def ordered(edges: Sequence[Edge], order: Order, seed: str) -> list[Edge]:
    """The edges in an order; ``seed`` decides a random one."""
    if order == "depth-first":
        return depth_first(edges)
    mixed = [*edges]
    random.Random(seed).shuffle(mixed)  # noqa: S311 a fixed draw, no secret
    return mixed


def depth_first(edges: Sequence[Edge]) -> list[Edge]:
    """Edges by the topological order of their sources, then of their targets.

    Of all topological orders of the concepts it is the depth-first one: a path is followed to its
    end before the next begins. Where that leaves a choice, what stood first comes first. In a
    graph with a cycle the order is the same, though not topological.

    >>> names = ["b c", "a b", "a d", "c e"]
    >>> chosen = depth_first([Edge(a, "r", b) for a, b in map(str.split, names)])
    >>> [f"{edge.source} {edge.target}" for edge in chosen]
    ['a b', 'a d', 'b c', 'c e']
    """
    targets: dict[str, list[str]] = {concept: [] for concept in concepts(edges)}
    for edge in edges:
        targets[edge.source].append(edge.target)
    finished: dict[str, int] = {}
    for root in reversed(targets):
        path = [root]
        while path:
            left = [one for one in targets[path[-1]] if one not in finished and one not in path]
            if left:
                path.append(left[-1])
            else:
                finished.setdefault(path.pop(), -len(finished))
    return sorted(edges, key=lambda edge: (finished[edge.source], finished[edge.target]))
