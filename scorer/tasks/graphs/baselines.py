"""Reference rows of the task ``explanation_graphs``; the null graph, a chain of the texts' first
words or ids, which says nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from scorer.core.graph import Graph, concepts
from scorer.core.records import Edge
from scorer.tasks.baselines import SEED, Against, Baseline, nearest
from scorer.tasks.graphs.facts import entries
from scorer.tasks.graphs.graph_items import BY_ID, Gold, NullTemplate, Prediction, Settings

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def majority_template(settings: Settings, train: Items, items: Items) -> Predictions:
    """Train's most frequent label, and the null graph."""
    label = majority(train)
    return [Prediction(label, null_of(settings, item.texts)) for item in items]


def majority(train: Items) -> str | None:
    """The most frequent label; the alphabetically first on ties."""
    counts = Counter(item.label for item in train)
    return min(counts, key=lambda label: (-counts[label], label or ""))


def null(settings: Settings, train: Items, items: Items) -> Predictions:
    """Gold labels, and the null graph: what labels alone are worth."""
    return [Prediction(item.label, null_of(settings, item.texts)) for item in items]


def gold(settings: Settings, train: Items, items: Items) -> Predictions:
    """The first gold graph itself: the ceiling."""
    return [Prediction(item.label, item.graphs[0]) for item in items]


def shuffled_gold(settings: Settings, train: Items, items: Items) -> Predictions:
    """Gold labels with the gold graph of another item of the same label, as a fixed shuffle."""
    chosen = random.Random(SEED)  # noqa: S311 a fixed shuffle, no secret
    answers = [Prediction(item.label, Graph("")) for item in items]
    for label in dict.fromkeys(item.label for item in items):
        rows = [row for row, item in enumerate(items) if item.label == label]
        chosen.shuffle(rows)
        for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
            answers[row] = replace(answers[row], graph=items[other].graphs[0])
    return answers


def second_gold(settings: Settings, train: Items, items: Items) -> Predictions:
    """The second gold graph, to be scored against the first: how far two people agree."""
    return [Prediction(item.label, item.graphs[:2][-1]) for item in items]


def _first(item: Gold) -> Gold | None:
    """The item with its first gold graph, if it has another."""
    return replace(item, graphs=item.graphs[:1]) if len(item.graphs) > 1 else None


def _others(item: Gold) -> Gold | None:
    """The item without its first gold graph, if it has another."""
    return replace(item, graphs=item.graphs[1:]) if len(item.graphs) > 1 else None


def edited_gold(settings: Settings, train: Items, items: Items) -> Predictions:
    """Gold labels with the gold graph after two random edits: what known damage costs."""
    answers = []
    relations = settings.graph.relations or sorted(
        {edge.relation for item in items for edge in item.graphs[0].edges})
    for row, item in enumerate(items):
        chance = random.Random(SEED + row)  # noqa: S311 fixed edits, no secret
        edges = [*item.graphs[0].edges]
        for _ in range(2):
            edges = _edited(edges, relations, chance)
        answers.append(Prediction(item.label, Graph.of(edges)))
    return answers


def _edited(edges: list[Edge], relations: Sequence[str], chance: random.Random) -> list[Edge]:
    """Drop an edge, turn it round, change its relation, or hang it on another concept."""
    index = chance.randrange(len(edges))
    edge = edges[index]
    other = chance.choice(concepts(edges))
    others = [name for name in relations if name != edge.relation]
    relation = chance.choice(others or [edge.relation])
    kind = chance.randrange(4 if len(edges) > 1 else 3)
    changed = (
        [Edge(edge.target, edge.relation, edge.source)],
        [Edge(edge.source, relation, edge.target)],
        [Edge(edge.source, edge.relation, other if other != edge.source else edge.target)],
        [],
    )[kind]
    return [*edges[:index], *changed, *edges[index + 1 :]]


def nearest_neighbour(settings: Settings, train: Items, items: Items) -> Predictions:
    """Label and graph of the most similar train item (TF-IDF cosine), concepts substituted.

    A concept of the neighbour's graph that occurs in one of its texts is replaced by the word of
    the item's same text that stands at the same share of its length; a word already taken is
    passed over. Needs scikit-learn.
    """
    matches = nearest([" ".join(item.texts) for item in train],
                      [" ".join(item.texts) for item in items])
    return [
        Prediction(train[index].label, substituted(train[index], item))
        for index, item in zip(matches, items, strict=True)
    ]


def substituted(neighbour: Gold, item: Gold) -> Graph:
    """The neighbour's graph with its texts' concepts replaced by words of the item's texts.

    >>> cats = Gold(("cats purr", "pets are calm"), None, (Graph("(cats; is a; calm)"),))
    >>> substituted(cats, Gold(("Dogs bark loudly.", "Pets are noisy"), None, ())).text
    '(dogs; is a; noisy)'
    """
    swap: dict[str, str] = {}
    edges = neighbour.graphs[0].edges
    words = [[w.strip(".,") for w in text.lower().split()] for text in item.texts]
    for concept in neighbour.graphs[0].concepts:
        for text, options in zip(neighbour.texts, words, strict=True):
            position = text.lower().find(concept)
            if position >= 0 and options:
                start = int(position / max(1, len(text)) * len(options))
                free = [w for w in options[start:] + options[:start]
                        if len(w) > 2 and w not in swap.values()]
                if free:
                    swap[concept] = free[0]
                    break
    renamed = (Edge(swap.get(e.source, e.source), e.relation, swap.get(e.target, e.target))
               for e in edges)
    return Graph.of(renamed)


def _in_words(title: str = "", description: str = "",
              ) -> Callable[[Settings, str, str], tuple[str, str]]:
    """Texts that name the board's own label where they say stance; and those without a label."""
    def words(settings: Settings, *texts: str) -> tuple[str, str]:
        if settings.labels is None:
            return title, description
        name = settings.labels.name
        first, second = (text.replace("stance", name).replace("Stance", name.capitalize())
                         for text in texts)
        return first, second

    return words


_ROWS: tuple[Row, ...] = (
    Row("majority-template", "Majority stance, template graph",
        "The most frequent stance of train, and a chain of the first words of the texts.",
        "Labels of the train split.", False, majority_template, needs_train=True,
        fits=lambda settings: settings.labels is not None, in_words=_in_words()),
    Row("nearest-neighbour", "Nearest neighbour",
        "Stance and graph of the most similar train item by TF-IDF, with the concepts of "
        "its texts replaced by words of this item's.", "The train split.", False,
        nearest_neighbour, needs_train=True,
        in_words=_in_words(
            "Nearest neighbour", "Graph of the most similar train item by TF-IDF, with the "
            "concepts of its texts replaced by words of this item's.")),
    Row("null", "Null graph, gold stance",
        "Answers with the gold stance and chains the texts' first words into a "
        "meaningless graph.", "None; gold labels of the scored split.", True, null, role="null",
        in_words=_in_words(
            "Null graph", "Chains the texts' first words into a meaningless graph.")),
    Row("shuffled-gold", "Shuffled gold",
        "The gold stance with the gold graph of another item of the same stance.",
        "None; gold of the scored split.", True, shuffled_gold,
        in_words=_in_words("Shuffled gold", "The gold graph of another item.")),
    Row("edited-gold", "Gold after two edits",
        "The gold stance and the first gold graph after two random edits: an edge "
        "dropped, turned round, given another relation or hung on another concept.",
        "None; gold of the scored split.", True, edited_gold,
        in_words=_in_words(
            "Gold after two edits", "The first gold graph after two random edits: an edge dropped, "
            "turned round, given another relation or hung on another concept.")),
    Row("gold", "Gold (ceiling)", "The gold stance and the first gold graph.",
        "None; gold of the scored split.", True, gold, role="ceiling",
        in_words=_in_words("Gold (ceiling)", "The first gold graph.")),
    Row("second-gold", "Second gold against first",
        "The second gold graph of each item, scored against the first alone.",
        "None; gold of the scored split.", True, second_gold,
        against=Against("", _first)),
    Row("held-out-gold", "One person against the others",
        "The first gold graph of each item, scored against its other gold graphs; items with one "
        "are left out.", "None; gold of the scored split.", True, gold,
        against=Against("others", _others, least=3)),
)
BASELINES = {row.name: row for row in _ROWS}
"""Every baseline by its name."""


def null_of(settings: Settings, texts: Sequence[str]) -> Graph:
    """The null graph of an item: of the first ids that its texts list, where concepts are ids; else
    of words.
    """
    listed = _ids(texts)
    if settings.graph.nodes != BY_ID or len(listed) < 2:
        return null_graph(settings.null, texts)
    return _chain(listed[: settings.null.most], settings.null.relation)


def null_fault(settings: Settings, texts: Sequence[str]) -> str:
    """Why the null graph of an item holds words where concepts are ids; empty if it does not."""
    if settings.graph.nodes != BY_ID or len(_ids(texts)) > 1:
        return ""
    return ("its texts list fewer than two ids (as `s1: text | s2: text`), so its null graph is of "
            "words, which no graph of ids has")


def _ids(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in entries(text)]


def null_graph(template: NullTemplate, texts: Sequence[str]) -> Graph:
    """The chain for an item.

    Words of the lower-cased texts, split at white space, ``.`` and ``,`` stripped, kept if longer
    than 2 characters. Concepts: the distinct ones, in order, of the first two words of each text,
    then the third of each; if fewer than 4, the first distinct of all words. A single word is
    connected with itself: the texts of some boards are ids.

    >>> null_graph(NullTemplate("is a", 8), ["5a8b57f2"]).text
    '(5a8b57f2; is a; 5a8b57f2)'
    >>> null_graph(NullTemplate("is a", 8), ["Cats are good pets.", "They purr"]).text
    '(cats; is a; are)(are; is a; they)(they; is a; purr)(purr; is a; good)'
    """
    words = [content_words(text.lower()) for text in texts]
    leading = [word for tokens in words for word in tokens[:2]]
    leading += [word for tokens in words for word in tokens[2:3]]
    chain = list(dict.fromkeys(leading))[: template.most]
    if len(chain) < 4:
        every = (word for tokens in words for word in tokens)
        chain = list(dict.fromkeys(every))[: template.most]
    if len(chain) == 1:
        chain *= 2
    return _chain(chain, template.relation)


def _chain(concepts: Sequence[str], relation: str) -> Graph:
    return Graph.of(Edge(a, relation, b) for a, b in pairwise(concepts))


def content_words(text: str) -> list[str]:
    """Words of more than two characters, without full stops and commas at their ends."""
    words = (word.strip(".,") for word in text.split())
    return [word for word in words if len(word) > 2]
