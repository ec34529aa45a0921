"""G-BLEU and G-ROUGE: how well the edges of a predicted graph match those of a gold graph.

An edge is a sentence. Every predicted edge is compared with every gold edge, the best one-to-one
matching is sought, and its total similarity S gives

    precision = S / predicted edges        recall = S / gold edges        F1 = 2 P R / (P + R)

Reproduces ``get_bleu_rouge`` of the released ExplaGraphs code (github swarnaHub/ExplaGraphs, commit
67ecab1, metrics/graph_matching.py) and ``get_max`` of its metrics/eval.py; S. Saha et al.,
"ExplaGraphs", EMNLP 2021, section 6. Gating, and the mean over all items, belong to the caller.
G-ROUGE-L is in the paper's tables; the released code prints only ROUGE-2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from scorer.core.graph import PART_SEPARATOR
from scorer.core.records import ItemScore
from scorer.metrics.base import (
    RELEASED,
    SAHA,
    VERSIONS,
    Arithmetic,
    MetricFunction,
    MetricInfo,
)
from scorer.metrics.bleu import bleu_similarity
from scorer.metrics.rouge import rouge_2_similarity, rouge_l_similarity

Side = TypeVar("Side")
"""An edge: its sentence, or its three texts."""
Similarity = Callable[[Side, Side], float]
"""(predicted edge, gold edge) -> similarity, higher is better."""
Pair = tuple[Sequence[str], Sequence[Sequence[str]]]
"""(edge sentences of the prediction, one list of edge sentences per gold graph)."""
AnyPair = tuple[Sequence[Any], Sequence[Sequence[Any]]]
"""The same, or with edges themselves, as some metrics take them."""


class PRF(NamedTuple):
    """Precision, recall and their harmonic mean: 0 to 1, higher is better."""

    precision: float
    recall: float
    f1: float

    def item_score(self) -> ItemScore:
        """F1 as the item's value, precision and recall as its parts."""
        return ItemScore(self.f1, {"precision": self.precision, "recall": self.recall})


class EdgeMatch(NamedTuple):
    """A predicted edge and the gold edge it was matched with, by place from 0."""

    pred: int
    gold: int
    score: float


def total_score(matches: Sequence[EdgeMatch]) -> float:
    """The scores added up as numpy does it, like the released code.

    Not ``sum``: two gold graphs may tie exactly, and then the last bit decides between them.

    >>> total_score([EdgeMatch(0, 0, 0.5), EdgeMatch(1, 1, 0.25)])
    0.75
    """
    if len(matches) < _IN_ORDER:
        total = 0.0
        for pair in matches:
            total += pair.score
        return total
    import numpy as np

    return float(np.sum([pair.score for pair in matches]))


_IN_ORDER = 8
"""numpy adds fewer numbers than this one after the other, and so do we: its call costs more."""


def prf(total: float, predicted: int, gold: int) -> PRF:
    """Precision, recall and F1 of a matching with this total over so many edges.

    F1 is 0 if precision and recall are; no edges on a side, or no total: all three are 0.

    >>> prf(1.5, 2, 3)
    PRF(precision=0.75, recall=0.5, f1=0.6)
    """
    if not total:
        return PRF(0.0, 0.0, 0.0)
    precision, recall = total / predicted, total / gold
    return PRF(precision, recall, 2 * precision * recall / (precision + recall))


def match(predicted: Sequence[Side], golds: Sequence[Sequence[Side]], similarity: Similarity[Side],
          *, by_sum: bool = False) -> PRF:
    """An item matched with the gold graph that gives the highest F1, the first on ties.

    ``predicted`` and each gold are edges, repeats allowed. ``similarity`` is asked once per pair of
    places. ``by_sum``: the gold with the greatest total counts instead. Raises ValueError if there
    is no gold graph.

    >>> match(["a", "b"], [["x"], ["b", "c"]], lambda ours, theirs: float(ours == theirs)).f1
    0.5
    """
    if not golds:
        raise ValueError("an item needs at least one gold graph to match with, got none")
    outcomes = []
    for gold in golds:
        total = total_score(assign([[similarity(ours, theirs) for theirs in gold]
                                    for ours in predicted]))
        outcomes.append((total, prf(total, len(predicted), len(gold))))
    return max(outcomes, key=lambda outcome: outcome[0] if by_sum else outcome[1].f1)[1]


def matched(pairs: Sequence[AnyPair], *, similarity: Similarity[Any], by_sum: bool = False,
            ) -> list[ItemScore]:
    """F1 of each item, with precision and recall as parts: 0 to 1, higher is better.

    ``similarity``, ``by_sum``, errors: as for ``match``. An empty prediction scores 0.

    >>> matched([(["cats; is a; pets"], [["cats; is a; pets"]])], similarity=bleu_similarity)
    [ItemScore(value=1.0, parts={'precision': 1.0, 'recall': 1.0}, flag=None)]
    """
    return [match(predicted, golds, similarity, by_sum=by_sum).item_score()
            for predicted, golds in pairs]


# ---- the assignment problem --------------------------------------------------------------------
#
# By shortest augmenting paths: rows are added one by one; each time the cheapest chain of changes
# to the matching so far is found by Dijkstra's method on reduced costs. D. F. Crouse, "On
# implementing 2D rectangular assignment algorithms", IEEE Transactions on Aerospace and Electronic
# Systems 52, 2016. Equally good matchings are told apart, and numbers added, as
# scipy.optimize.linear_sum_assignment does, so that a total keeps its last bit; importing scipy's
# takes longer than scoring a submission.

_FREE = -1


def assign(scores: Sequence[Sequence[float]]) -> list[EdgeMatch]:
    """The one-to-one matching of greatest total score; ``scores[pred][gold]``, any finite numbers.

    min(rows, columns) pairs, by predicted edge; none if every score is 0. Among equally good
    matchings scipy's is taken; the released code turns its BERTScore matrix
    (gold x pred), which may then name other pairs with the same total.

    >>> assign([[0.5, 0.9], [0.0, 0.8]])
    [EdgeMatch(pred=0, gold=0, score=0.5), EdgeMatch(pred=1, gold=1, score=0.8)]
    """
    if not any(map(any, scores)):
        return []
    rows, columns = len(scores), len(scores[0])
    if columns < rows:
        costs = [[-float(row[column]) for row in scores] for column in range(columns)]
        pairs = sorted((row, column) for column, row in enumerate(_assign(costs, rows)))
    else:
        costs = [[-float(score) for score in row] for row in scores]
        pairs = list(enumerate(_assign(costs, columns)))
    return [EdgeMatch(row, column, scores[row][column]) for row, column in pairs]


def _assign(costs: Sequence[Sequence[float]], width: int) -> list[int]:
    """The column of each row at least total cost; no more rows than columns."""
    of_row, of_column = [_FREE] * len(costs), [_FREE] * width
    row_price, column_price = [0.0] * len(costs), [0.0] * width
    for added in range(len(costs)):
        reached, came_from = [math.inf] * width, [_FREE] * width
        waiting = list(range(width - 1, -1, -1))
        seen: list[int] = []
        row, shortest = added, 0.0
        while row != _FREE:
            cost, price = costs[row], row_price[row]
            nearest, best = 0, math.inf
            for index, column in enumerate(waiting):
                length = shortest + cost[column] - price - column_price[column]
                if length < reached[column]:
                    reached[column], came_from[column] = length, row
                known = reached[column]
                if known < best or (known == best and of_column[column] == _FREE):
                    nearest, best = index, known
            shortest, column = best, waiting[nearest]
            seen.append(column)
            waiting[nearest] = waiting[-1]
            waiting.pop()
            row = of_column[column]
        row_price[added] += shortest
        for known_column in seen[:-1]:
            row_price[of_column[known_column]] += shortest - reached[known_column]
        for known_column in seen:
            column_price[known_column] -= shortest - reached[known_column]
        while row != added:
            row = came_from[column]
            of_column[column] = row
            of_row[row], column = column, of_row[row]
    return of_row


# ---- worked examples and the catalogue ---------------------------------------------------------


def explained_by(function: MetricFunction) -> Callable[..., Arithmetic]:
    """How the edges of a small graph are matched, and what comes of it.

    How similar two edges are is what ``function`` says of graphs of one edge each.
    """
    def explain(items: Sequence[AnyPair], score: ItemScore) -> Arithmetic:
        predicted, [gold, *_] = items[0]
        similarity = [[function([((ours,), ((theirs,),))])[0].value for theirs in gold]
                      for ours in predicted]
        sentences, golds = ([edge if isinstance(edge, str) else PART_SEPARATOR.join(edge)
                             for edge in edges] for edges in (predicted, gold))
        pairs = sorted(assign(similarity), key=lambda pair: pair.gold)
        total = sum(pair.score for pair in pairs)
        precision, recall, f1 = prf(total, len(predicted), len(gold))
        added = " + ".join(f"{pair.score:.3f}" for pair in pairs)
        return Arithmetic((
            *(f"“{sentences[pair.pred]}” with “{golds[pair.gold]}”: {pair.score:.3f}"
              for pair in pairs),
            f"S = {added} = {total:.3f}, the greatest sum of any matching",
            f"precision = S / {len(predicted)} predicted edges = {precision:.3f}",
            f"recall = S / {len(gold)} gold edges = {recall:.3f}",
            f"F1 = 2 · {precision:.3f} · {recall:.3f} / ({precision:.3f} + {recall:.3f}) = "
            f"{f1:.3f}"), f1)

    return explain


MATCHED = (
    "Predicted and gold edges are matched one to one so that the sum of {score} is greatest. "
    "Precision is that sum over the predicted edges, recall over the gold edges; the value is F1. "
    "With several golds, the one with the highest F1 gives all three, unless the signature says "
    "otherwise (over). Mean over all items of the split; "
    "an item with a wrong label or an incorrect structure counts 0."
)
"""The definition of every metric that matches edges, by the similarity that it sums."""


def graph_metric(name: str, title: str, summary: str, score: str, function: MetricFunction,
                 signature: Sequence[str], **more: Any) -> MetricInfo:
    """A metric that matches edges by the similarity that ``score`` names."""
    metric = MetricInfo(
        name, title, "higher", summary, MATCHED.format(score=score),
        f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA, function,
        parts=("precision", "recall"), group="plausibility",
        signature=(*signature, "match:hungarian"), explain=explained_by(function))
    return replace(metric, **more)


GRAPH_TEXTS = (
    graph_metric(
        "G-BLEU", "Graph BLEU", "How far predicted edges repeat the words of gold edges, as "
        "four-grams.", "nltk's sentence BLEU (up to 4-grams, no smoothing)",
        partial(matched, similarity=bleu_similarity),
        ("bleu:nltk-sentence-4gram", "smooth:none", "tok:spacy-infix-semicolon")),
    graph_metric(
        "G-ROUGE-2", "Graph ROUGE-2", "How far predicted edges repeat the word pairs of gold "
        "edges.", "rouge_score's ROUGE-2 precision (stemmed)",
        partial(matched, similarity=rouge_2_similarity),
        ("rouge:2-precision", "stem:porter-nltk", "tok:rouge-score")),
    graph_metric(
        "G-ROUGE-L", "Graph ROUGE-L", "How far predicted edges keep the word order of gold edges.",
        "rouge_score's ROUGE-L precision (stemmed)",
        partial(matched, similarity=rouge_l_similarity),
        ("rouge:L-precision", "stem:porter-nltk", "tok:rouge-score"),
        source=f"The paper's tables; computed by the matching of {RELEASED}, which itself prints "
               f"only ROUGE-2, with {VERSIONS}"),
)
