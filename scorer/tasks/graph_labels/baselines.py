"""Reference rows of the task ``graph_labels``: what texts, relations and damaged graphs are worth.

All but the first are logistic regressions of scikit-learn with its own settings, nothing tuned.
*Texts and graph* weighs the words of the texts and the names of the relations; the rows after it
are the same regression, asked about graphs that were damaged in one way. Each row also tells what
it says without the graph: those with texts what *Text only* says, the others the most frequent
label.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.tasks.baselines import SEED, TRAINED, Baseline, answered, most_frequent, others
from scorer.tasks.graph_labels.graph_label_items import Gold, Prediction, Settings

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]
Damage = Callable[[Settings, Items], list[Gold]]
"""Items with other graphs, in the same order."""


# ---- damaged graphs ------------------------------------------------------------------------------


def shuffled_relations(settings: Settings, items: Items) -> list[Gold]:
    """The same concepts, with the relations of all items' edges dealt out anew."""
    relations = [edge.relation for item in items for edge in item.graph.edges]
    random.Random(SEED).shuffle(relations)  # noqa: S311 a fixed shuffle, no secret
    dealt = iter(relations)
    return [_related(item, lambda relation: next(dealt)) for item in items]


def other_graphs(settings: Settings, items: Items) -> list[Gold]:
    """The graph of another item, as a fixed shuffle; a lone item keeps its own."""
    return [replace(item, graph=items[other].graph)
            for item, other in zip(items, others(len(items)), strict=True)]


def flipped_negations(settings: Settings, items: Items) -> list[Gold]:
    """Every relation that the board knows an opposite of, exchanged for that.

    >>> from scorer.tasks.graph_labels.graph_label_items import Opposites
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


def majority(settings: Settings, train: Items, items: Items) -> Predictions:
    """The most frequent label; the board's first on ties."""
    return [Prediction(label, label) for label in _frequent(settings, train, items)]


def text_only(settings: Settings, train: Items, items: Items) -> Predictions:
    """What the words of the texts say."""
    return [Prediction(label, label) for label in _fitted(train, items, items, texts=True)]


def relations_only(settings: Settings, train: Items, items: Items) -> Predictions:
    """What the names of the relations say."""
    return _paired(_fitted(train, items, items, relations=True), _frequent(settings, train, items))


def both(settings: Settings, train: Items, items: Items, *, damage: Damage | None = None
         ) -> Predictions:
    """What the words and the relations say together, of items as they are or damaged."""
    queries = damage(settings, items) if damage else items
    return _paired(_fitted(train, items, queries, texts=True, relations=True),
                   _fitted(train, items, items, texts=True))


def _paired(labels: Sequence[str], without: Sequence[str]) -> Predictions:
    return [Prediction(*pair) for pair in zip(labels, without, strict=True)]


def _frequent(settings: Settings, train: Items, items: Items) -> list[str]:
    labels = [item.label for item in (*train, *items)]
    return most_frequent(labels, len(train), len(items), settings.labels.values)


def _fitted(train: Items, items: Items, queries: Items, *, texts: bool = False,
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
