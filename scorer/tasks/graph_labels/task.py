"""The task: texts and a graph are given; which label do they have?

One gate: the predicted label must equal gold (``wrong``), else ``right``. A predictions file may
have a second column: the label that the same system gives without the graph. It is the system's
own null, and what the graph adds is the difference (``metrics/accuracy.py``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Annotated

from scorer.core.errors import Problem, excerpt
from scorer.core.graph import Graph
from scorer.core.reading.tsv import File, Problems, ReadTable, Row, read_rows
from scorer.core.reading.values import Items, Text
from scorer.core.records import Edge, Findings
from scorer.tasks import answers
from scorer.tasks.answers import NO_ANSWER, no_answer, unanswered_note
from scorer.tasks.base import Answer, ColumnName, MetricUse, Misfit, Texts, repeated
from scorer.tasks.baselines import SEED, TRAINED, Baseline, answered, most_frequent, others
from scorer.tasks.graphs.facts import commonest_relations, facts, graph_partitions
from scorer.tasks.graphs.graph_items import Labels, folded
from scorer.tasks.graphs.task import (
    check_gold_graph,
    check_label,
    label_misfits,
    relation_misfits,
)
from scorer.tasks.labelled import LabelTask, both_labels
from scorer.tasks.partitions import Partition, Statistic, by_value, spread

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
        *by_value([gold.label for gold in golds], labels),
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
_Row = Baseline[Settings, Gold, Prediction]
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
            [TfidfVectorizer(preprocessor=lambda item: " ".join(item.statements).lower(),
                             ngram_range=(1, 2), sublinear_tf=True)] * texts
            + [CountVectorizer(analyzer=lambda item: [edge.relation for edge in item.graph.edges])]
            * relations))
        learned = features.fit_transform([known[index] for index in indexes])
        labels = [known[index].label for index in indexes]
        if len(set(labels)) < 2:
            return lambda targets: labels[:1] * len(targets)
        model = LogisticRegression(max_iter=1000)
        model.fit(learned, labels)
        return lambda targets: [str(label) for label in model.predict(
            features.transform([shown[index] for index in targets]))]

    return answered(fit, len(train), len(items))


_BOTH = "A logistic regression over the words of the texts and the names of the relations"
_DAMAGED: tuple[tuple[str, str, str, Damage], ...] = (
    ("shuffled-relations", "Shuffled relations", "the relations of all items' edges were dealt "
     "out anew", shuffled_relations),
    ("other-graph", "Another item's graph", "each item has the graph of another", other_graphs),
    ("flipped-negations", "Flipped negations", "every relation was exchanged for its negation, or "
     "the other way round", flipped_negations),
)
"""What is done to the graphs that are asked about."""

_ROWS: tuple[_Row, ...] = (
    _Row("majority", "Majority", "The most frequent label.", TRAINED, False, majority,
        trains=True),
    _Row("text-only", "Text only", "A logistic regression over the words of the texts.", TRAINED,
        False, text_only, trains=True),
    _Row("relations-only", "Relation names only", "A logistic regression over how often each "
        "relation occurs in the graph, whatever it connects.", TRAINED, False, relations_only,
        trains=True),
    _Row("texts-and-graph", "Texts and graph", f"{_BOTH}.", TRAINED, False, both, trains=True),
    *(_Row(name, title, f"{_BOTH}, asked about graphs in which {damaged}.", TRAINED, False,
          partial(both, damage=damage), trains=True)
      for name, title, damaged, damage in _DAMAGED),
)


# ---- the task -----------------------------------------------------------------------------------


def _both(gold: Gold, prediction: Prediction) -> tuple[str, str, str | None]:
    """The gold label, the label predicted, and that without the graph."""
    return gold.label, prediction.label, prediction.without


class GraphLabels(LabelTask[Settings, Gold, Prediction]):
    """A label for some texts and a graph about them."""

    name = "graph_labels"
    title = "Graph labels"
    settings_type = Settings
    metrics = (
        MetricUse("graph-lift", _both),
        MetricUse("accuracy", both_labels),
    )
    baselines = MappingProxyType({row.name: row for row in _ROWS})
    null_answered = True
    null_words = "its own labels without the graph"
    answer_forms = (answers.WHOLE, answers.LINES)

    @property
    def label_column(self) -> str:
        return self.settings.labels.name

    @property
    def labels(self) -> Sequence[str]:
        return self.settings.labels.values

    # ---- files --------------------------------------------------------------------------------

    @property
    def input_columns(self) -> Sequence[str]:
        return (*self.settings.texts, GRAPH)

    def compared(self, column: str, text: str) -> str | frozenset[Hashable]:
        """A graph as its edges, whatever their order."""
        value = super().compared(column, text)
        return frozenset(Graph(str(value)).pieces) if column == GRAPH else value

    @property
    def gold_columns(self) -> tuple[Sequence[str], int]:
        return (*self.settings.texts, GRAPH, self.settings.labels.name), 0

    @property
    def further_columns(self) -> Sequence[str]:
        return (self.settings.without,)

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """An item; its graph must be edges of three parts each."""
        *statements, text, _ = row.fields
        graph, index = Graph(text), len(statements)
        sound = check_gold_graph(graph, row, index, problems)
        known = check_label(self.settings.labels, row, index + 1, problems)
        return Gold(tuple(statements), graph, row.fields[-1]) if known and sound else None

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """One label or two, each of which may be NO_ANSWER, which equals no gold label."""
        names = (self.settings.labels.name, self.settings.without)
        wrong = [index for index, label in enumerate(row.fields) if label != NO_ANSWER
                 and not check_label(self.settings.labels, row, index, problems, names[index])]
        return None if wrong else Prediction(*row.fields)

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        return (prediction.label, *([] if prediction.without is None else [prediction.without]))

    def read_table(
        self, file: File, *, rows: int | None = None,
        texts: Texts | None = None,
    ) -> ReadTable:
        """Labels in the order of the items; every row has as many as the first, one or two."""
        two = b"\t" in file.content.partition(b"\n")[0]
        columns = [*self.prediction_columns,
                   *(self.further_columns if two else [])]
        return read_rows(file, columns, rows=rows, empty=self.empty_line)

    # ---- settings and gates -------------------------------------------------------------------

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        """A column that is called as the last one, a label that means no answer, a relation with
        two opposites."""
        columns = [*dict.fromkeys(self.gold_columns[0]), self.settings.without]
        faults = [*repeated("columns", columns), *label_misfits(self.settings.labels)]
        named = [name for pair in self.settings.opposites for name in (pair.relation, pair.negated)]
        faults += [Misfit(f"relation {excerpt(name)} twice in opposites", "each relation once",
                          "remove one of the entries")
                   for name in dict.fromkeys(named) if named.count(name) > 1]
        return faults + relation_misfits(named)

    def null(self, gold: Gold, prediction: Prediction) -> Prediction | None:
        """What the same system says without the graph; None where its file lacks it."""
        without = prediction.without
        return None if without is None else Prediction(without, without)

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """A row without an answer is reported, with the graph or without; it is wrong there."""
        flaws = super().diagnose(texts, prediction)
        return flaws._replace(
            strict=(*flaws.strict, *no_answer(self.settings.without, prediction.without)))

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        yield from super().notes(shown, answers)
        yield from unanswered_note(shown, self.settings.without, len(answers), [
            answer.row for answer in answers if answer.prediction.without == NO_ANSWER], 1)

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return partitions(self.settings, golds)

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> str:
        """The folded first text, as for explanation graphs."""
        return folded(gold.statements[0])
