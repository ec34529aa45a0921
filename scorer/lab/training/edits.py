"""The graphs people wrote, and edits of them after which a label is known: the other stance, or
incorrect.

``train.tsv`` of the ExplaGraphs board has the final graphs, ``refinement_graphs_train.tsv`` those
of each round, of which all but the last were rejected by verifiers. ``contrastive.*`` are the
perturbed graphs released with Saha et al. 2022 (github swarnaHub/ExplagraphGen).

The kinds of incorrect graph are those that verifiers were told to look for: facts that paraphrase
the belief or its negation, no link back to the belief, and incoherent facts. Every edit returns
None where it cannot be made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scorer.core.graph import Graph, concepts, is_linear
from scorer.core.reading.tsv import open_file, read_rows
from scorer.core.records import Edge
from scorer.tasks.graphs.graph_items import folded

TRAIN, REFINEMENT, DEV = "train.tsv", "refinement_graphs_train.tsv", "dev.tsv"
RELEASED = "third-party/contrastive.train"
STANCES = ("support", "counter")


@dataclass(frozen=True)
class TrainingItem:
    """One item with the graph that stands for it."""

    belief: str
    argument: str
    stance: str
    edges: tuple[Edge, ...]
    """Lower-cased, as judges read them."""


def read_items(path: Path) -> list[TrainingItem]:
    """The items of ``train.tsv`` or ``dev.tsv``.

    Raises DataError if the file cannot be opened, SubmissionError with every row that is wrong.
    """
    table = read_rows(open_file(path), ("belief", "argument", "stance", "graph"))
    table.problems.raise_if_any()
    return [_item(*row.fields) for row in table.rows]


def read_rejected(path: Path) -> list[tuple[TrainingItem, int]]:
    """Graphs of earlier rounds that differ from the item's last one, and that round, from 1:
    verifiers sent them back."""
    table = read_rows(open_file(path), ("belief", "argument", "stance", "round 1", "round 2",
                                        "round 3"), optional=2)
    table.problems.raise_if_any()
    rejected = []
    for row in table.rows:
        belief, argument, stance, *graphs = row.fields
        rounds = [graph for graph in graphs if graph]
        for number, graph in enumerate(rounds[:-1], 1):
            if graph != rounds[-1]:
                rejected.append((_item(belief, argument, stance, graph), number))
    return rejected


def read_released(prefix: Path) -> list[TrainingItem]:
    """The perturbed graphs of ``<prefix>.source`` and ``<prefix>.neg_target``; [] without them."""
    source, negative = (Path(f"{prefix}.{end}") for end in ("source", "neg_target"))
    if not (source.is_file() and negative.is_file()):
        return []
    items = []
    lines = [path.read_text("utf-8-sig").removesuffix("\n").split("\n")
             for path in (source, negative)]
    for texts, graph in zip(*lines, strict=True):
        belief, argument, stance = (part.partition(": ")[2] for part in texts.split(" </s> "))
        items.append(_item(belief, argument, stance, graph))
    return items


def _item(belief: str, argument: str, stance: str, graph: str) -> TrainingItem:
    return TrainingItem(belief, argument, stance, Graph(graph.strip()).edges)


Edges = Sequence[Edge]

_OPPOSITES = {"synonym of": "antonym of", "is a": "is not a"} | {
    relation: f"not {relation}"
    for relation in ("at location", "capable of", "causes", "created by", "desires",
                     "has subevent", "part of", "has context", "has property", "made of",
                     "receives action", "used for")
}
OPPOSITE = _OPPOSITES | {negated: plain for plain, negated in _OPPOSITES.items()}
"""Each relation of ExplaGraphs and the one that says the contrary."""
NEGATIONS = frozenset({
    "not", "no", "never", "without", "cannot", "can't", "cant", "don't", "dont", "doesn't",
    "doesnt", "isn't", "isnt", "aren't", "arent", "won't", "wont", "shouldn't", "shouldnt", "nor",
    "none", "nothing", "nobody", "neither",
})
"""Words that negate."""
_WORD = re.compile(r"[\w']+")
NEAREST = 5
"""Items of other beliefs whose concepts take the place of an item's own."""


def foreign_concepts(items: Sequence[TrainingItem]) -> list[list[str]]:
    """For each item, concepts of the same topic that are not its own: those of the NEAREST
    items of other beliefs, by shared words of beliefs (Jaccard), nearest first."""
    words = [frozenset(w for w in item.belief.lower().strip(".").split() if len(w) > 3)
             for item in items]
    columns = {word: index for index, word in enumerate(dict.fromkeys(w for own in words
                                                                      for w in sorted(own)))}
    table = np.zeros((len(items), max(1, len(columns))), np.float32)
    for row, own in enumerate(words):
        table[row, [columns[word] for word in own]] = 1
    shared = (table @ table.T).astype(np.float64)
    sizes = table.sum(axis=1, dtype=np.float64)
    likeness = shared / np.maximum(1, sizes[:, None] + sizes - shared)
    folds = {belief: index for index, belief in enumerate(
        dict.fromkeys(folded(item.belief) for item in items))}
    beliefs = np.array([folds[folded(item.belief)] for item in items])
    results = []
    for row, own_likeness in enumerate(likeness):
        order = np.argsort(-own_likeness, kind="stable")
        near = order[beliefs[order] != beliefs[row]][:NEAREST]
        known = set(concepts(items[row].edges))
        foreign = [concept for other in near for concept in concepts(items[other].edges)]
        results.append([concept for concept in dict.fromkeys(foreign) if concept not in known])
    return results


def flipped(item: TrainingItem) -> Edges | None:
    """The other stance: in a chain of facts, the last one says the contrary.

    Only chains, where that turns the conclusion and nothing else; antonyms and synonyms included.
    """
    if not is_linear(item.edges):
        return None
    sources = {edge.source for edge in item.edges}
    [index] = [n for n, edge in enumerate(item.edges) if edge.target not in sources]
    if item.edges[index].relation not in OPPOSITE:
        return None
    return _contrary(item.edges, index)


def paraphrase(item: TrainingItem, foreign: Sequence[str], chance: random.Random) -> Edges | None:
    """Trivial: a fact joins two concepts of the belief directly, and explains nothing.

    The facts by which the graph joined them are gone, others hang on unchanged; half of the time
    the fact is the belief's negation.
    """
    belief = item.belief.lower()
    inside = [concept for concept in concepts(item.edges) if concept in belief]
    if len(inside) < 2:
        return None
    first, last = inside[0], inside[-1]
    relation = chance.choice(("has property", "capable of", "is a", "causes", "desires",
                              "has context"))
    if chance.random() < 0.5:
        relation = OPPOSITE[relation]
    kept = [edge for edge in item.edges
            if last not in (edge.source, edge.target)
            and {edge.source, edge.target} != {first, last}]
    return [Edge(first, relation, last), *kept[:2]]


def unlinked(item: TrainingItem, foreign: Sequence[str], chance: random.Random) -> Edges | None:
    """Incomplete: every fact that touches a concept found in the belief alone is gone."""
    belief, argument = item.belief.lower(), item.argument.lower()
    own = {concept for concept in concepts(item.edges)
           if concept in belief and concept not in argument}
    kept = [edge for edge in item.edges if edge.source not in own and edge.target not in own]
    return kept if own and len(kept) >= 2 else None


def incoherent(item: TrainingItem, foreign: Sequence[str], chance: random.Random) -> Edges | None:
    """Incoherent: one or two inner concepts are replaced by others of the same topic."""
    own = concepts(item.edges)
    if len(own) < 3 or len(foreign) < 2:
        return None
    targets = chance.sample(own, chance.choice((1, 2)))
    swap = dict(zip(targets, chance.sample(list(foreign), len(targets)), strict=True))
    return [Edge(swap.get(e.source, e.source), e.relation, swap.get(e.target, e.target))
            for e in item.edges]


def scrambled(item: TrainingItem, foreign: Sequence[str], chance: random.Random) -> Edges | None:
    """Incoherent: the graph's own concepts and relations, dealt out again at random."""
    own = concepts(item.edges)
    if len(own) < 4:
        return None
    dealt = own[:]
    chance.shuffle(dealt)
    swap = dict(zip(own, dealt, strict=True))
    relations = [edge.relation for edge in item.edges]
    chance.shuffle(relations)
    edges = [Edge(swap[e.source], r, swap[e.target])
             for e, r in zip(item.edges, relations, strict=True)]
    return edges if set(edges) != set(item.edges) else None


def negated(item: TrainingItem, chance: random.Random) -> Edges | None:
    """One fact, any one, says its contrary: the graph no longer shows the item's stance."""
    indices = [index for index, edge in enumerate(item.edges) if edge.relation in OPPOSITE]
    return _contrary(item.edges, chance.choice(indices)) if indices else None


def words_of(text: str) -> list[str]:
    """The words of a text."""
    return _WORD.findall(text)


def rearranged(item: TrainingItem, chance: random.Random) -> Edges | None:
    """Concepts of one kind trade places, so that only a judge that reads sees a difference.

    Shape, relations, and everything that can be counted of concepts stay as they were: whether the
    belief has it, how many words it has, how many of them are the belief's, how many negate.
    """
    belief = item.belief.lower()
    known = set(words_of(belief))
    kinds: dict[tuple[bool, int, int, int], list[str]] = {}
    for concept in concepts(item.edges):
        words = words_of(concept)
        kind = (concept in belief, len(words), sum(word in known for word in words),
                sum(word in NEGATIONS for word in words))
        kinds.setdefault(kind, []).append(concept)
    swap: dict[str, str] = {}
    for group in kinds.values():
        dealt = group[:]
        chance.shuffle(dealt)  # a cycle through all of them, so that each one moves
        swap |= dict(zip(dealt, [*dealt[1:], dealt[0]], strict=True))
    edges = [Edge(swap[e.source], e.relation, swap[e.target]) for e in item.edges]
    return edges if set(edges) != set(item.edges) else None


INCORRECT: dict[str, Callable[[TrainingItem, Sequence[str], random.Random], Edges | None]] = {
    "paraphrase": paraphrase, "unlinked": unlinked, "incoherent": incoherent,
    "scrambled": scrambled}
"""The kinds of incorrect graph, by name."""


def _contrary(edges: Edges, index: int) -> Edges:
    edge = edges[index]
    return [*edges[:index], edge._replace(relation=OPPOSITE[edge.relation]), *edges[index + 1 :]]
