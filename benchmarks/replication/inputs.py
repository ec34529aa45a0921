"""Predictions made of gold graphs by seeded edits: near enough that exact distances end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

Edge = tuple[str, str, str]


class GoldRow(NamedTuple):
    """A row of a gold file."""

    belief: str
    argument: str
    stance: str
    graph: str


STANCES = ("support", "counter")


def edges_of(graph: str) -> list[Edge]:
    """The edges of a graph that is written without a fault."""
    found = []
    for edge in graph[1:-1].split(")("):
        source, relation, target = edge.split("; ")
        found.append((source, relation, target))
    return found


def text_of(edges: Sequence[Edge]) -> str:
    """The graph of some edges."""
    return "".join(f"({'; '.join(edge)})" for edge in edges)


class _Editing(NamedTuple):
    rng: random.Random
    relations: Sequence[str]
    words: Sequence[str]

    def concept(self) -> str:
        """One to three words of the item's texts."""
        start = self.rng.randrange(len(self.words))
        return " ".join(self.words[start : start + self.rng.randint(1, 3)])


def _relation(edit: _Editing, edges: list[Edge]) -> None:
    place = edit.rng.randrange(len(edges))
    source, _, target = edges[place]
    edges[place] = (source, edit.rng.choice(edit.relations), target)


def _rename(edit: _Editing, edges: list[Edge]) -> None:
    old, new = edit.rng.choice(edges)[2 * edit.rng.randrange(2)], edit.concept()
    edges[:] = [(new if a == old else a, r, new if b == old else b) for a, r, b in edges]


def _rename_once(edit: _Editing, edges: list[Edge]) -> None:
    place = edit.rng.randrange(len(edges))
    edges[place] = (edges[place][0], edges[place][1], edit.concept())


def _drop(edit: _Editing, edges: list[Edge]) -> None:
    if len(edges) > 1:
        edges.pop(edit.rng.randrange(len(edges)))


def _add(edit: _Editing, edges: list[Edge]) -> None:
    source = edit.rng.choice(edges)[0]
    edges.append((source, edit.rng.choice(edit.relations), edit.concept()))


def _turn(edit: _Editing, edges: list[Edge]) -> None:
    place = edit.rng.randrange(len(edges))
    edges[place] = (edges[place][2], edges[place][1], edges[place][0])


def _repeat(edit: _Editing, edges: list[Edge]) -> None:
    edges.append(edit.rng.choice(edges))


def _shuffle(edit: _Editing, edges: list[Edge]) -> None:
    edit.rng.shuffle(edges)


def _loop(edit: _Editing, edges: list[Edge]) -> None:
    concept = edit.rng.choice(edges)[0]
    edges.append((concept, edit.rng.choice(edit.relations), concept))


def _odd_concept(edit: _Editing, edges: list[Edge]) -> None:
    place = edit.rng.randrange(len(edges))
    odd = edit.rng.choice(["", "one two three four", "a  b", " led by a space", "naïve owners",
                           "e", "Owner's", "cat(s", "x;y"])
    edges[place] = (edges[place][0], edges[place][1], odd)


def _odd_relation(edit: _Editing, edges: list[Edge]) -> None:
    place = edit.rng.randrange(len(edges))
    edges[place] = (edges[place][0], edit.rng.choice(["kind of", "", "Causes"]), edges[place][2])


EDITS: tuple[Callable[[_Editing, list[Edge]], None], ...] = (
    _relation, _rename, _rename_once, _drop, _add, _turn, _repeat, _shuffle, _loop, _odd_concept,
    _odd_relation,
)
KEEPING = (_relation, _shuffle)
"""Those after which a gold graph is still one."""

WRITINGS: tuple[Callable[[str], str], ...] = (
    lambda graph: graph.replace(")(", ") ("),
    lambda graph: graph.replace("; ", ";", 1),
    lambda graph: graph[1:],
    lambda graph: graph[:-1],
    lambda graph: graph.upper(),
    lambda graph: graph.replace(")(", "))(", 1),
    lambda graph: f" {graph} ",
    lambda graph: graph.replace(" ", "  ", 1),
)
"""Slips in how a graph is written."""


def predictions(rows: Sequence[GoldRow], relations: Sequence[str], seed: int) -> str:
    """A predictions file: up to two edits an item, a slip in one of eight, one stance in ten
    wrong."""
    rng = random.Random(seed)
    return "".join(f"{_stance(row, rng)}\t{_graph(row, relations, rng)}\n" for row in rows)


def second_golds(rows: Sequence[GoldRow], relations: Sequence[str], seed: int) -> str:
    """A gold file whose items have a second graph: the first with another relation and order."""
    rng = random.Random(seed)
    lines = []
    for row in rows:
        edges = edges_of(row.graph)
        for edit in KEEPING:
            edit(_editing(row, relations, rng), edges)
        lines.append("\t".join([*row, text_of(edges)]) + "\n")
    return "".join(lines)


def _stance(row: GoldRow, rng: random.Random) -> str:
    if rng.random() < 0.9:
        return row.stance
    return STANCES[row.stance == STANCES[0]]


def _graph(row: GoldRow, relations: Sequence[str], rng: random.Random) -> str:
    edges = edges_of(row.graph)
    for _ in range(rng.choice([0, 1, 1, 2, 2])):
        rng.choice(EDITS)(_editing(row, relations, rng), edges)
    graph = text_of(edges)
    return rng.choice(WRITINGS)(graph) if rng.random() < 1 / 8 else graph


def _editing(row: GoldRow, relations: Sequence[str], rng: random.Random) -> _Editing:
    return _Editing(rng, relations, f"{row.belief} {row.argument}".lower().split())
