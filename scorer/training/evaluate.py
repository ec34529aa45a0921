"""A judge's figures: its answers on sets of graphs whose labels are known, as a card keeps them.

Each kind of graph is a set of its own, because a judge that spots graphs taken from another topic
may be blind to those that people rejected. ``accepted`` means: given the item's own stance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.board import Board
from scorer.graph import Graph
from scorer.metrics.judge_texts import ea_texts, seca_texts
from scorer.models.judge_card import GOLD, INCORRECT, LEAST_RECALL, NATURAL, NULL, Bin, Evaluation
from scorer.models.judges import Judge
from scorer.records import TextPair
from scorer.tasks.graphs.baselines import shuffled_gold
from scorer.tasks.graphs.null import null_graph
from scorer.tasks.graphs.records import Gold, Prediction
from scorer.training import examples as known
from scorer.training.examples import Example
from scorer.training.rows import DEV, TrainingItem, read_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

Set = tuple[str, str, list[TextPair], list[str]]
"""(name, what it is, pairs, expected label of each)."""

REFUSED = "refused"
"""What a confusion matrix calls a judge's refusal to answer."""
_ABOUT = {
    known.GOLD: "Final graphs of beliefs that training never saw; right is the item's stance.",
    known.NATURAL: "Graphs of earlier rounds, sent back by verifiers as incorrect or as showing "
                   "the other stance; incorrect is what most of them are.",
    known.FLIPPED: "Chains whose last fact now says its contrary; right is the other stance.",
    "paraphrase": "A fact joins two concepts of the belief directly, or negates it.",
    "unlinked": "The facts that link back to the belief are gone.",
    "incoherent": "One or two concepts are replaced by others of the same topic.",
    "scrambled": "The graph's own concepts and relations, dealt out again at random.",
    known.PERTURBED: "Perturbed graphs released with Saha et al. 2022.",
    known.OTHER: "Graphs of another belief: trivially easy, and shown apart for that reason.",
}
_NAMES = {known.GOLD: GOLD, known.NATURAL: NATURAL, known.FLIPPED: "held-out stance-flipped graphs",
          known.PERTURBED: "held-out released negatives",
          known.OTHER: "held-out graphs of another belief"}


def evaluations(judge: Judge, sets: Sequence[Set]) -> list[Evaluation]:
    """The judge's figures on each set, in order; empty sets are left out."""
    return [
        evaluation(name, about, judge.labels, expected, judge.probabilities(pairs))
        for name, about, pairs, expected in sets
        if pairs
    ]


def evaluation(
    name: str, about: str, labels: Sequence[str], expected: Sequence[str],
    probabilities: NDArray[np.float32],
) -> Evaluation:
    """Confusion, Brier score and calibration of answers; ``probabilities`` is (graphs, labels).

    A row of zeros, where the judge refused, counts as the answer ``REFUSED``, which is no label.
    """
    rows = probabilities.astype(np.float64)
    chosen = np.where(rows.any(axis=1), rows.argmax(axis=1), len(labels))
    said = (*labels, REFUSED)
    right = np.array([labels.index(label) for label in expected])
    confusion = {
        label: dict(Counter(said[place] for place in chosen[right == labels.index(label)]))
        for label in dict.fromkeys(sorted(expected, key=labels.index))
    }
    wanted = np.eye(len(labels))[right]
    brier = float(((rows - wanted) ** 2).sum(axis=1).mean())
    return Evaluation(name, about, confusion, round(brier, 6), _bins(rows.max(axis=1),
                                                                     chosen == right))


def _bins(sure: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[Bin, ...]:
    """Ten bins of equal width; those without an answer are left out."""
    tenth = np.minimum((sure * 10).astype(int), 9)
    return tuple(
        Bin(int((tenth == n).sum()), round(float(sure[tenth == n].mean()), 6),
            int(right[tenth == n].sum()))
        for n in range(10)
        if (tenth == n).any()
    )


def seca_sets(held_out: Sequence[Example], dev: Sequence[TrainingItem], board: Board) -> list[Set]:
    """Held-out examples by kind, then dev's gold, its shuffled gold and its nulls."""
    return [*_by_kind(held_out, known.SECA), *_dev(dev, board)]


def ea_sets(held_out: Sequence[Example], dev: Sequence[TrainingItem]) -> list[Set]:
    """Held-out gold, and dev's gold."""
    pairs = [ea_texts(item.belief, item.argument, item.edges)[0] for item in dev]
    return [*_by_kind(held_out, known.EA),
            ("dev gold", "The gold graphs of the dev split.", pairs, [i.stance for i in dev])]


def _by_kind(held_out: Sequence[Example], labels: tuple[str, ...]) -> Iterator[Set]:
    for kind in (*known.KINDS, known.OTHER):
        chosen = [example for example in held_out if example.kind == kind]
        name = _NAMES.get(kind, f"held-out synthetic negatives: {kind}")
        yield (name, _ABOUT[kind], [example.pair for example in chosen],
               [labels[example.expected] for example in chosen])
        if kind == known.NATURAL:
            yield (f"{name}, by stance", "The same graphs; right means accepted, given the item's "
                   "own stance, so a good judge has few.", [example.pair for example in chosen],
                   [example.stance for example in chosen])


def _dev(dev: Sequence[TrainingItem], board: Board) -> Iterator[Set]:
    golds = [Gold((i.belief, i.argument), i.stance, (Graph.of(i.edges),)) for i in dev]
    answers = [Prediction(gold.label, gold.graphs[0]) for gold in golds]
    nulls = [Prediction(gold.label, null_graph(board.settings.null, gold.texts)) for gold in golds]
    for name, about, graphs in (
        ("dev gold", "The gold graphs of the dev split; right is the item's stance.", answers),
        ("dev shuffled gold", "Gold graphs of other dev items of the same stance; right means "
         "accepted, so a good judge has few.", shuffled_gold(board.settings, golds, golds)),
        (NULL, "Chains of the first words of belief and argument for every dev item; right means "
         "accepted, so a good judge has few.", nulls),
    ):
        pairs = [seca_texts(gold.texts[0], graph.graph.edges)
                 for gold, graph in zip(golds, graphs, strict=True)]
        yield name, about, pairs, [gold.label or "" for gold in golds]


def sets(judge: str, data: Path, seed: int, board: Board) -> list[Set]:
    """Everything a judge is measured on, from the files of a data folder.

    ``seed`` is that of the judge's training, so that held-out beliefs are those it never saw.
    """
    dev = read_items(data / DEV)
    held_out = known.parted(known.examples_of(judge, data, seed), seed)["held out"]
    return ea_sets(held_out, dev) if judge == "ea" else seca_sets(held_out, dev, board)


def stopping_score(
    labels: tuple[str, ...], stopping: Sequence[Example], probabilities: NDArray[np.float64]
) -> tuple[float, float]:
    """What early stopping looks at, 0 to 1, and by how much to raise the logit of ``incorrect``.

    The score is the mean of two recalls: of gold graphs, and of rejected ones as incorrect. Where
    some threshold finds more than half of both, the logit is moved to the best of them: where the
    lesser recall is greatest. Else it stays as training left it, because a threshold between graphs
    that a judge cannot tell apart only makes it answer at random. A judge without the label is
    scored by its accuracy.
    """
    answers = probabilities.argmax(axis=1)
    right = answers == np.array([example.expected for example in stopping])
    if INCORRECT not in labels:
        return float(right.mean()), 0.0
    gold, natural, lead, good = _thresholds(labels, stopping, probabilities)
    edges = np.unique(np.concatenate([lead[gold | natural], [0.0]]))
    shifts = [0.0, *(-(edges[1:] + edges[:-1]) / 2)]
    recalls = [((good & (lead + shift < 0)).sum() / max(1, gold.sum()),
                (natural & (lead + shift > 0)).sum() / max(1, natural.sum())) for shift in shifts]
    best = max(range(len(shifts)), key=lambda place: min(recalls[place]))
    if min(recalls[best]) <= LEAST_RECALL:
        best = 0
    return float(sum(recalls[best]) / 2), float(shifts[best])


def _thresholds(labels: Sequence[str], stopping: Sequence[Example],
                probabilities: NDArray[np.float64]) -> tuple[NDArray[Any], ...]:
    """Which are gold, which rejected, by how much incorrect leads, and gold of the right stance."""
    wrong = labels.index(INCORRECT)
    logs = np.log(np.maximum(probabilities, 1e-12))
    stances = np.delete(logs, wrong, axis=1)
    stance = np.delete(np.arange(len(labels)), wrong)[stances.argmax(axis=1)]
    gold = np.array([example.kind == known.GOLD for example in stopping])
    natural = np.array([example.kind == known.NATURAL for example in stopping])
    good = gold & (stance == np.array([example.expected for example in stopping]))
    return gold, natural, logs[:, wrong] - stances.max(axis=1), good
