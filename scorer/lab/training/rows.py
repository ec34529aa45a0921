"""The graphs people wrote, as they are in the files of the ExplaGraphs board.

``train.tsv`` has the final graphs, ``refinement_graphs_train.tsv`` those of each round, of which
all but the last were rejected by verifiers. ``contrastive.*`` are the perturbed graphs released
with Saha et al. 2022 (github swarnaHub/ExplagraphGen).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scorer.core.graph import Graph
from scorer.core.reading.tsv import read_file
from scorer.core.records import Edge

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


@dataclass(frozen=True)
class Rejected:
    """A graph that verifiers sent back, and the round it was made in, from 1."""

    item: TrainingItem
    round: int


def read_items(path: Path) -> list[TrainingItem]:
    """The items of ``train.tsv`` or ``dev.tsv``.

    Raises DataError if the file cannot be opened, SubmissionError with every row that is wrong.
    """
    table = read_file(path, ("belief", "argument", "stance", "graph"))
    table.problems.raise_if_any()
    return [_item(*row.fields) for row in table.rows]


def read_rejected(path: Path) -> list[Rejected]:
    """Graphs of earlier rounds that differ from the item's last one, none twice an item."""
    table = read_file(path, ("belief", "argument", "stance", "round 1", "round 2", "round 3"),
                      optional=2)
    table.problems.raise_if_any()
    rejected = []
    for row in table.rows:
        belief, argument, stance, *graphs = row.fields
        rounds = [graph for graph in graphs if graph]
        for number, graph in enumerate(rounds[:-1], 1):
            if graph != rounds[-1]:
                rejected.append(Rejected(_item(belief, argument, stance, graph), number))
    return rejected


def read_released(prefix: Path) -> list[TrainingItem]:
    """The perturbed graphs of ``<prefix>.source`` and ``<prefix>.neg_target``; [] without them."""
    source, negative = (Path(f"{prefix}.{end}") for end in ("source", "neg_target"))
    if not (source.is_file() and negative.is_file()):
        return []
    items = []
    for texts, graph in zip(_lines(source), _lines(negative), strict=True):
        belief, argument, stance = (part.partition(": ")[2] for part in texts.split(" </s> "))
        items.append(_item(belief, argument, stance, graph))
    return items


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8-sig").removesuffix("\n").split("\n")


def _item(belief: str, argument: str, stance: str, graph: str) -> TrainingItem:
    return TrainingItem(belief, argument, stance, Graph(graph.strip()).edges)
