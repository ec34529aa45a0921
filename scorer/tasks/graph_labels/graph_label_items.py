"""The records of graph labels: what a board says about them, an item, and an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from scorer.core.graph import Graph
from scorer.core.reading.values import Items, Text
from scorer.tasks.graphs.graph_items import Labels

GRAPH = "graph"
"""The column of the graph that is given."""
WITHOUT = "_without_graph"
"""Behind the label's name: the column of what the same system says where no graph is given."""

_ColumnName = Annotated[str, Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")]
_Relation = Annotated[str, Text(60)]


@dataclass(frozen=True)
class Opposites:
    """A relation, and what denies it."""

    relation: Annotated[_Relation, "The relation."]
    negated: Annotated[_Relation, "The relation that denies it; marked in drawings."]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board says about this task."""

    texts: Annotated[tuple[_ColumnName, ...], Items(1, 5), "The columns of texts, in the order of "
                     "the files; the graph follows them."]
    labels: Annotated[Labels, "The label to predict."]
    opposites: Annotated[tuple[Opposites, ...], Items(0, 250), "Relations and their negations, "
                         "which the row `flipped-negations` exchanges."] = ()

    @property
    def without(self) -> str:
        """The column of labels that a system gives without the graph."""
        return f"{self.labels.name}{WITHOUT}"

    @cached_property
    def negated(self) -> frozenset[str]:
        """The relations that deny another."""
        return frozenset(one.negated for one in self.opposites)

    @cached_property
    def flipped(self) -> Mapping[str, str]:
        """For each relation that has an opposite, that."""
        return {**{one.relation: one.negated for one in self.opposites},
                **{one.negated: one.relation for one in self.opposites}}


@dataclass(frozen=True)
class Gold:
    """One item: its texts, the graph that is given with them, and the label."""

    statements: tuple[str, ...]
    """The texts without the graph."""
    graph: Graph
    label: str

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return (*self.statements, self.graph.text)


@dataclass(frozen=True)
class Prediction:
    """What a system says about one item."""

    label: str
    without: str | None = None
    """What it says where no graph is given; None in a file that does not tell."""
