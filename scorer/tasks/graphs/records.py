"""The records of explanation graphs: what a board says about them, an item, and an answer."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.graph import Graph
from scorer.reading.fields import Field, Flag, Integer, ListOf, Record, Text, slug


@dataclass(frozen=True)
class InputText:
    """One input column, and how many different concepts must occur in it."""

    name: str
    concepts: int


@dataclass(frozen=True)
class Labels:
    """The label column: its name and its values."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class GraphRules:
    """What a graph must be to be structurally correct."""

    relations: tuple[str, ...]
    negated: tuple[str, ...]
    least_edges: int
    most_edges: int | None
    strict_most_edges: int | None
    concept_words: int | None
    acyclic: bool
    connected: bool


@dataclass(frozen=True)
class DepthClass:
    """A named range of reasoning depths, both ends included; no upper end if ``most`` is None."""

    name: str
    least: int
    most: int | None


@dataclass(frozen=True)
class NullTemplate:
    """The chain of words that says nothing: its relation and its greatest number of concepts."""

    relation: str
    most: int


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

    texts: tuple[InputText, ...]
    labels: Labels | None
    graph: GraphRules
    ged_constant: int
    depth_classes: tuple[DepthClass, ...]
    null: NullTemplate


_WORDS = Text(60)
_COLUMN = Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")
SETTINGS = Record((
    Field("texts", ListOf(Record((
        Field("name", _COLUMN, "The column's name."),
        Field("concepts", Integer(0, 20), "How many different concepts of a graph must occur in "
              "this text (as a substring, lower-cased)."),
    ), InputText), 1, 5), "The input columns, in the order of the files."),
    Field("labels", Record((
        Field("name", _COLUMN, "The label column's name."),
        Field("values", ListOf(Text(40), 2, 20), "The labels, exactly as written in files."),
    ), Labels), "The label to predict. Leave out if items have none.", required=False),
    Field("graph", Record((
        Field("relations", ListOf(_WORDS, 1, 500), "The relations an edge may have."),
        Field("negated", ListOf(_WORDS, 0, 500), "Those relations that negate; marked in "
              "drawings.", required=False, default=()),
        Field("least_edges", Integer(1, 100), "Fewest edges of a correct graph."),
        Field("most_edges", Integer(1, 1000), "Most edges of a correct graph. Leave out for no "
              "limit.", required=False),
        Field("strict_most_edges", Integer(1, 1000), "More edges than this are reported beside "
              "the score and never change it.", required=False),
        Field("concept_words", Integer(1, 100), "Most words of a concept. Leave out for no "
              "limit.", required=False),
        Field("acyclic", Flag(), "Whether a cycle makes a graph incorrect."),
        Field("connected", Flag(), "Whether a graph in several parts is incorrect."),
    ), GraphRules), "What makes a graph structurally correct."),
    Field("ged_constant", Integer(0, 10**6), "Added to gold nodes + gold edges to normalise the "
          "graph edit distance."),
    Field("depth_classes", ListOf(Record((
        Field("name", slug(), "The class's name."),
        Field("least", Integer(0, 1000), "Smallest depth, in edges of the longest path."),
        Field("most", Integer(0, 1000), "Greatest depth. Leave out for no limit.",
              required=False),
    ), DepthClass), 0, 10), "Named ranges of the reasoning depth.", required=False, default=()),
    Field("null", Record((
        Field("relation", _WORDS, "The relation of every edge."),
        Field("most", Integer(2, 20), "Most concepts of the chain."),
    ), NullTemplate), "The null graph: a chain of the first words of the texts."),
), Settings)


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
