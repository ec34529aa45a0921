"""What only systems that make graphs are given and leave, such as labels and relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scorer.errors import UsageError
from scorer.graph import Graph
from scorer.reading.documents import Number
from scorer.systems import records
from scorer.tasks.graphs.records import Gold, Prediction, Settings

External = Literal["none", "retrieved"] | Sequence[Sequence[str]]
"""Concepts from outside the texts: none, those of similar train items, or some for every item."""

Data = records.Data[Settings, Gold]
Answers = records.Answers[Prediction]


class Trained(records.Trained):
    """A trained system that makes graphs."""

    labels: tuple[str, ...]
    relations: tuple[str, ...]
    shift: Number
    """What is added to a concept's logarithm of odds; 0 where there are none."""
    edge_shift: Number = 0
    """What is added to an edge's, where no constraint asks for edges."""


@dataclass(frozen=True, kw_only=True)
class Question(records.Question[Settings]):
    """What such a system is to answer, and how."""

    labels: Sequence[str | None] | None = None
    """Where they come from elsewhere."""
    graphs: Sequence[Graph] | None = None
    """Those of another system, for a model that reads one."""
    external: External = "none"
    train: Sequence[Gold] = ()
    """Where concepts from outside are looked for."""
    constrained: bool = True
    """Whether a graph must keep the board's constraints."""


def check_fits(trained: Trained, board: str, settings: Settings) -> None:
    """Raise UsageError if a system was trained for other labels or relations than a board's."""
    labels = settings.labels.values if settings.labels else ()
    for what, ours, theirs in (("labels", trained.labels, labels),
                               ("relations", trained.relations, settings.graph.relations)):
        if tuple(ours) != tuple(theirs):
            raise UsageError(f"the system was trained on {trained.board}, whose {what} are not "
                             f"those of {board}; train one with --board {board}")
