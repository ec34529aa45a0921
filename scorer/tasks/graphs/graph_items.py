"""The records of explanation graphs: what a board says about them, an item, and an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from scorer.core.graph import Graph
from scorer.core.reading.values import Choice, Integer, Items, Optional, Slug, Text, YesNo
from scorer.core.records import OVER

BY_TEXT, BY_ID = "text", "id"
ANY = "any"
"""What stands for a list of relations where every relation is allowed."""

def folded(text: str) -> str:
    """A belief as it is compared with others: case, white space and the final full stop aside.

    >>> folded("Olympic  Games should be abolished. ")
    'olympic games should be abolished'
    """
    return " ".join(text.lower().split()).rstrip(". ")


_Words = Annotated[str, Text(60)]
_Leaves = Annotated[str, Text(30, r"[a-z][a-z0-9_]*", "lower-case letters and digits")]
_ColumnName = Annotated[str, Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")]


@dataclass(frozen=True)
class InputText:
    """One input column, and how many different concepts must occur in it."""

    name: Annotated[_ColumnName, "The column's name."]
    concepts: Annotated[int, Integer(0, 20), "How many different concepts of a graph must occur in "
                        "this text (as a substring, lower-cased)."]


@dataclass(frozen=True)
class Labels:
    """The label column: its name and its values."""

    name: Annotated[_ColumnName, "The label column's name."]
    values: Annotated[tuple[Annotated[str, Text(40)], ...], Items(2, 20),
                      "The labels, exactly as written in files."]


@dataclass(frozen=True, kw_only=True)
class GraphRules:
    """What a graph must be to be structurally correct."""

    relations: Annotated[tuple[_Words, ...], Items(1, 500, ANY), "The relations an edge may have; "
                         "`any` where people name them freely."]
    negated: Annotated[tuple[_Words, ...], Items(0, 500), "Those relations that negate; marked in "
                       "drawings."] = ()
    least_edges: Annotated[int, Integer(1, 100), "Fewest edges of a correct graph."]
    most_edges: Annotated[int | None, Integer(1, 1000), "Most edges of a correct graph. Leave out "
                          "for no limit."] = None
    strict_most_edges: Annotated[int | None, Integer(1, 1000), "More edges than this are reported "
                                 "beside the score and never change it."] = None
    concept_words: Annotated[int | None, Integer(1, 100), "Most words of a concept. Leave out for "
                             "no limit."] = None
    acyclic: Annotated[bool, YesNo(), "Whether a cycle makes a graph incorrect."]
    connected: Annotated[bool, YesNo(), "Whether a graph in several parts is incorrect."]
    nodes: Annotated[str, Choice((BY_TEXT, BY_ID)), "What makes two concepts the same: their text, "
                     "or an id, behind which `: ` and a text for readers may stand."] = BY_TEXT

    def read(self, text: str) -> Graph:
        """A graph as somebody wrote it."""
        return Graph(text, self.nodes == BY_ID)

    def knows(self, relation: str) -> bool:
        """Whether an edge may have this relation."""
        return not self.relations or relation in self.relations


@dataclass(frozen=True)
class DepthClass:
    """A named range of reasoning depths, both ends included; no upper end if ``most`` is None."""

    name: Annotated[Slug, "The class's name."]
    least: Annotated[int, Integer(0, 1000), "Smallest depth, in edges of the longest path."]
    most: Annotated[int | None, Integer(0, 1000), "Greatest depth. Leave out for no limit."] = None


@dataclass(frozen=True)
class NullTemplate:
    """The chain of words that says nothing: its relation and its greatest number of concepts."""

    relation: Annotated[_Words, "The relation of every edge."]
    most: Annotated[int, Integer(2, 20), "Most concepts of the chain."]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board says about this task."""

    texts: Annotated[tuple[InputText, ...], Items(1, 5), "The input columns, in the order of the "
                     "files."]
    labels: Annotated[Optional[Labels], "The label to predict. Leave out if items have "
                      "none."] = None
    graph: Annotated[GraphRules, "What makes a graph structurally correct."]
    ged_constant: Annotated[int, Integer(0, 10**6), "Added to gold nodes + gold edges to normalise "
                            "the graph edit distance: edges and nodes of a chain as long as the "
                            "longest gold graph, 8 + 9 on ExplaGraphs."]
    leaves: Annotated[Optional[_Leaves], "For metrics of entailment trees: what ids of given "
                      "sentences begin with. Left out: concepts that no edge leads to are "
                      "given."] = None
    depth_classes: Annotated[tuple[DepthClass, ...], Items(0, 10), "Named ranges of the reasoning "
                             "depth."] = ()
    null: Annotated[NullTemplate, "The null graph: a chain of the first words of the texts; of the "
                    "first ids that they list, where concepts are ids."]
    most_graphs: Annotated[int, Integer(1, 100), "Gold graphs that an item may have, at most: the "
                           "last columns of gold."] = 2
    over: Annotated[str | None, Choice(OVER), "How several gold graphs of an item become one "
                    "number: the best, the first alone, or the mean of all. Part of the signature "
                    "where it is given; left out: the best."] = None


@dataclass(frozen=True)
class Gold:
    """One item as in the file: texts, label (None if the board has none), gold graphs."""

    texts: tuple[str, ...]
    label: str | None
    graphs: tuple[Graph, ...]


@dataclass(frozen=True)
class Prediction:
    """What a system says about one item."""

    label: str | None
    graph: Graph
