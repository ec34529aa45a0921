"""The records of graph labels: what a board says about them, an item, and an answer; how items are
divided, by label and by the graph; a split in numbers; reference rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated

from scorer.core.graph import Graph
from scorer.core.reading.values import Items, Text
from scorer.core.records import Edge
from scorer.tasks.base import ColumnName
from scorer.tasks.baselines import SEED, TRAINED, Baseline, answered, most_frequent, others
from scorer.tasks.graphs.facts import commonest_relations, facts, graph_partitions
from scorer.tasks.graphs.graph_items import Labels
from scorer.tasks.partitions import Partition, Statistic, spread

GRAPH = "graph"
"""The column of the graph that is given."""
WITHOUT = "_without_graph"
"""Behind the label's name: the column of what the same system says where no graph is given."""

_Relation = Annotated[str, Text(60)]


@dataclass(frozen=True)
class Opposites:
    """A relation, and what denies it."""

    relation: Annotated[_Relation, "The relation."]
    negated: Annotated[_Relation, "The relation that denies it; marked in drawings."]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board says about this task."""

    texts: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of texts, in the order of "
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
        return frozenset(opposite.negated for opposite in self.opposites)

    @cached_property
    def flipped(self) -> Mapping[str, str]:
        """For each relation that has an opposite, that."""
        return {**{opposite.relation: opposite.negated for opposite in self.opposites},
                **{opposite.negated: opposite.relation for opposite in self.opposites}}


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
    """What it says where no graph is given; None in a file without it."""


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label; of the graph its relations, negations, edges and shape."""
    name = settings.labels.name
    yield Partition("label", name, settings.labels.values, lambda gold: [gold.label],
                    tag="{}", heading=name)
    if settings.negated:
        counts = ("none", "one", "several")
        yield Partition("negation", "Negated relations", counts,
                        lambda gold: [counts[min(2, sum(edge.relation in settings.negated
                                                        for edge in gold.graph.edges))]],
                        heading="negated relations in the graph")
    relations = commonest_relations(gold.graph.edges for gold in golds)
    yield from graph_partitions(golds, lambda gold: facts(gold.graph, gold.statements), relations,
                                "the graph")


def describe(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least."""
    labels = settings.labels.values
    relations = {label: [edge.relation for gold in golds if gold.label == label
                         for edge in gold.graph.edges] for label in labels}
    return [
        Statistic("items", len(golds)),
        *(Statistic(label, sum(gold.label == label for gold in golds), len(golds))
          for label in labels),
        *(Statistic(f"words of the {column}",
                    spread([len(gold.statements[index].split()) for gold in golds]))
          for index, column in enumerate(settings.texts)),
        Statistic("edges of the graph", spread([len(gold.graph.edges) for gold in golds])),
        *(Statistic(f"edges that negate, {label}", sum(name in settings.negated for name in names),
                    len(names)) for label, names in relations.items()),
    ]


# ---- reference rows --------------------------------------------------------------------------

# All but the first are logistic regressions of scikit-learn with its own settings, nothing tuned.
# *Texts and graph* weighs the words of the texts and the names of the relations; the rows after it
# are the same regression, asked about graphs that were damaged in one way. Each row also tells what
# it says without the graph: those with texts what *Text only* says, the others the most frequent
# label.

Golds = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]
Damage = Callable[[Settings, Golds], list[Gold]]
"""Golds with other graphs, in the same order."""


# ---- damaged graphs ------------------------------------------------------------------------------


def shuffled_relations(settings: Settings, items: Golds) -> list[Gold]:
    """The same concepts, with the relations of all items' edges dealt out anew."""
    relations = [edge.relation for item in items for edge in item.graph.edges]
    random.Random(SEED).shuffle(relations)  # noqa: S311 a fixed shuffle, no secret
    dealt = iter(relations)
    return [_related(item, lambda relation: next(dealt)) for item in items]


def other_graphs(settings: Settings, items: Golds) -> list[Gold]:
    """The graph of another item, as a fixed shuffle; a lone item keeps its own."""
    return [replace(item, graph=items[other].graph)
            for item, other in zip(items, others(len(items)), strict=True)]


def flipped_negations(settings: Settings, items: Golds) -> list[Gold]:
    """Every relation that the board knows an opposite of, exchanged for that.

    >>> from scorer.tasks.graphs.graph_items import Labels
    >>> settings = Settings(texts=("claim",), labels=Labels("label", ("yes", "no")),
    ...                     opposites=(Opposites("is a", "is not a"),))
    >>> item = Gold(("Cats.",), Graph("(cats; is a; pets)(cats; desires; fish)"), "yes")
    >>> flipped_negations(settings, [item])[0].graph.text
    '(cats; is not a; pets)(cats; desires; fish)'
    """
    return [_related(item, lambda relation: settings.flipped.get(relation, relation))
            for item in items]


def _related(item: Gold, relation: Callable[[str], str]) -> Gold:
    return replace(item, graph=Graph.of(
        Edge(edge.source, relation(edge.relation), edge.target) for edge in item.graph.edges))


# ---- answers -------------------------------------------------------------------------------------


def majority(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The most frequent label; the board's first on ties."""
    return [Prediction(label, label) for label in _frequent(settings, train, items)]


def text_only(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """What the words of the texts say."""
    return [Prediction(label, label) for label in _fitted(train, items, items, texts=True)]


def relations_only(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """What the names of the relations say."""
    return _paired(_fitted(train, items, items, relations=True), _frequent(settings, train, items))


def both(settings: Settings, train: Golds, items: Golds, *, damage: Damage | None = None
         ) -> Predictions:
    """What the words and the relations say together, of items as they are or damaged."""
    queries = damage(settings, items) if damage else items
    return _paired(_fitted(train, items, queries, texts=True, relations=True),
                   _fitted(train, items, items, texts=True))


def _paired(labels: Sequence[str], without: Sequence[str]) -> Predictions:
    return [Prediction(*pair) for pair in zip(labels, without, strict=True)]


def _frequent(settings: Settings, train: Golds, items: Golds) -> list[str]:
    labels = [item.label for item in (*train, *items)]
    return most_frequent(labels, len(train), len(items), settings.labels.values)


def _fitted(train: Golds, items: Golds, queries: Golds, *, texts: bool = False,
            relations: bool = False) -> list[str]:
    """The labels of the asked items, from a regression fitted on others; needs scikit-learn.

    It sees TF-IDF of words and pairs of words of ``texts``, counts of ``relations``, or both.

    ``queries``: the scored items as they are shown to it, in their order; it learns from ``train``,
    or from the other ``items`` as they are.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_union

    known = [*train, *items]
    shown = [*train, *queries]

    def fit(indexes: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        features = make_union(*(
            [TfidfVectorizer(preprocessor=_words, ngram_range=(1, 2), sublinear_tf=True)] * texts
            + [CountVectorizer(analyzer=_relations)] * relations))
        learned = features.fit_transform([known[index] for index in indexes])
        labels = [known[index].label for index in indexes]
        if len(set(labels)) < 2:
            return lambda targets: labels[:1] * len(targets)
        model = LogisticRegression(max_iter=1000)
        model.fit(learned, labels)
        return lambda targets: [str(label) for label in model.predict(
            features.transform([shown[index] for index in targets]))]

    return answered(fit, len(train), len(items))


def _words(item: Gold) -> str:
    return " ".join(item.statements).lower()


def _relations(item: Gold) -> list[str]:
    return [edge.relation for edge in item.graph.edges]


_BOTH = "A logistic regression over the words of the texts and the names of the relations"
_DAMAGED: tuple[tuple[str, str, str, Damage], ...] = (
    ("shuffled-relations", "Shuffled relations", "the relations of all items' edges were dealt "
     "out anew", shuffled_relations),
    ("other-graph", "Another item's graph", "each item has the graph of another", other_graphs),
    ("flipped-negations", "Flipped negations", "every relation was exchanged for its negation, or "
     "the other way round", flipped_negations),
)
"""What is done to the graphs that are asked about."""

_ROWS: tuple[Row, ...] = (
    Row("majority", "Majority", "The most frequent label.", TRAINED, False, majority,
        trains=True),
    Row("text-only", "Text only", "A logistic regression over the words of the texts.", TRAINED,
        False, text_only, trains=True),
    Row("relations-only", "Relation names only", "A logistic regression over how often each "
        "relation occurs in the graph, whatever it connects.", TRAINED, False, relations_only,
        trains=True),
    Row("texts-and-graph", "Texts and graph", f"{_BOTH}.", TRAINED, False, both, trains=True),
    *(Row(name, title, f"{_BOTH}, asked about graphs in which {damaged}.", TRAINED, False,
          partial(both, damage=damage), trains=True)
      for name, title, damaged, damage in _DAMAGED),
)
BASELINES = {row.name: row for row in _ROWS}
"""Every baseline by its name."""
