"""The records of explanation graphs: what a board says about them, an item, and an answer.

For ``scorer board new`` the settings of a like board are changed only where the data do not fit
them. What looks like a typing error is not taken over, so that reading gold names its line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from scorer.core.errors import counted
from scorer.core.graph import Graph
from scorer.core.reading.values import Choice, Integer, Items, Optional, Slug, Text, YesNo
from scorer.core.records import OVER
from scorer.tasks.base import ColumnName

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


@dataclass(frozen=True)
class InputText:
    """One input column, and how many different concepts must occur in it."""

    name: Annotated[ColumnName, "The column's name."]
    concepts: Annotated[int, Integer(0, 20), "How many different concepts of a graph must occur in "
                        "this text (as a substring, lower-cased)."]


@dataclass(frozen=True)
class Labels:
    """The label column: its name and its values."""

    name: Annotated[ColumnName, "The label column's name."]
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


DEFAULT_NAME = "label"
"""Of the label column, where the like board has none."""


def fitted(settings: Settings, rows: Sequence[Sequence[str]]) -> tuple[Settings, tuple[str, ...]]:
    """The settings with labels, relations and sizes of the data, and what these are, in words.

    Labels: the column after the texts, unless most of it is graphs. Both labels and relations stay
    those of the like board if they suffice.
    """
    width = len(settings.texts)
    rest = [row[width:] for row in rows if len(row) > width]
    if not rest:
        return settings, ()
    labelled = sum(row[0].lstrip().startswith("(") for row in rest) * 2 < len(rest)
    labels, note = _labels(settings.labels, [row[0] for row in rest] if labelled else [])
    graphs = [edges for row in rest for text in row[labelled:]
              if (edges := Graph(text).edges)]
    relations = Counter(edge.relation for edges in graphs for edge in edges)
    sizes = [len(edges) for edges in graphs]
    rules, notes = _rules(settings.graph, relations, sizes)
    null = settings.null
    if not rules.knows(null.relation):
        null = replace(null, relation=max(relations, key=lambda name: (relations[name], name)))
    longest = max(sizes, default=0)
    return replace(
        settings, labels=labels, graph=rules, null=null,
        # Nodes and edges of a chain of the longest graph, as for ExplaGraphs: 8 + 9.
        ged_constant=max(settings.ged_constant, 2 * longest + 1),
        most_graphs=max(settings.most_graphs, *(len(row) - labelled for row in rest)),
    ), (note, *notes)


def _labels(known: Labels | None, values: Sequence[str]) -> tuple[Labels | None, str]:
    if not values:
        return None, "no labels"
    best: dict[str, str] = {}  # of spellings that differ by case or blanks alone, the commonest
    for value, _ in Counter(values).most_common():
        best.setdefault(value.strip().casefold(), value)
    spelled = {value for folded_value, value in best.items() if folded_value}
    if known is not None and spelled <= set(known.values):
        return known, f"labels {', '.join(known.values)}"
    counts = Counter(value for value in values if value in spelled)
    name = known.name if known is not None else DEFAULT_NAME
    counted_labels = ", ".join(f"{value} {counts[value]}" for value in counts)
    return Labels(name, tuple(counts)), f"labels {counted_labels}"


def _rules(known: GraphRules, relations: Counter[str], sizes: Sequence[int],
           ) -> tuple[GraphRules, list[str]]:
    new = [name for name in relations if not known.knows(name)]
    notes = [f"{counted(len(relations), 'relation')}, all {'known' if known.relations else ANY}"]
    if new:
        names = tuple(sorted(relations))
        negated = tuple(name for name in names if name in known.negated or "not" in name.split())
        known = replace(known, relations=names, negated=negated)
        notes = [f"{counted(len(names), 'relation')}, {len(new)} of them new: "
                 f"{', '.join(sorted(new)[:10])}"]
        once = sorted(name for name in new if relations[name] == 1)
        if once and len(relations) > len(once):
            notes.append(f"seen once, so perhaps a typing error: {', '.join(once[:10])}")
    if not sizes:
        return known, notes
    least, most = min(sizes), max(sizes)
    notes.append(f"graphs of {least} to {counted(most, 'edge')}")
    return replace(known, least_edges=min(known.least_edges, least),
                   most_edges=_raised(known.most_edges, most),
                   strict_most_edges=_raised(known.strict_most_edges, most)), notes


def _raised(limit: int | None, most: int) -> int | None:
    """A limit that gold keeps."""
    return None if limit is None else max(limit, most)
