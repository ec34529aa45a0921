"""A judge's figures: its answers on sets of graphs whose labels are known, as a card keeps them.

Each kind of graph is a set of its own, because a judge that spots graphs taken from another topic
may be blind to those that people rejected. ``accepted`` means: given the item's own stance.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer import boards
from scorer.boards import Board
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.core.graph import Graph
from scorer.core.records import TextPair
from scorer.lab.training import counts, edits
from scorer.lab.training import examples as known
from scorer.lab.training.edits import STANCES, TrainingItem
from scorer.lab.training.examples import TEMPLATES, Example, OtherItems
from scorer.metrics.judged import ea_texts, seca_texts
from scorer.models import endpoint, judge_card
from scorer.models.judge_card import Bin, Card, Evaluation, JudgeName, Margin, Preference
from scorer.models.known import JUDGES, Judge
from scorer.models.registry import Models
from scorer.models.sources import FOR_JUDGE, locate, weights_digest
from scorer.tasks.graphs.baselines import shuffled_gold
from scorer.tasks.graphs.graph_items import Gold, folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

BOARD = "explagraphs"
LICENCE = ("ExplaGraphs: MIT (repository) or CC BY-SA 4.0 (web page); released negatives: MIT "
           "(github swarnaHub/ExplagraphGen). No row of them is part of the judge's files.")

Set = tuple[str, str, list[TextPair], list[str]]
"""(name, what it is, pairs, expected label of each)."""
Copy = tuple[TextPair, TextPair, str]
"""(original, rearranged copy, the item's stance)."""

REFUSAL = "refused"
"""What a confusion matrix calls a judge's refusal to answer."""
_SETS = {
    known.GOLD: (judge_card.GOLD,
                 "Final graphs of beliefs that training never saw; right is the item's stance."),
    known.NATURAL: (judge_card.NATURAL,
                    "Graphs of earlier rounds, sent back by verifiers as incorrect or as showing "
                    "the other stance; incorrect is what most of them are."),
    known.FLIPPED: ("held-out stance-flipped graphs",
                    "Chains whose last fact now says its contrary; right is the other stance."),
    **{kind: (f"held-out synthetic negatives: {kind}", about) for kind, about in (
        ("paraphrase", "A fact joins two concepts of the belief directly, or negates it."),
        ("unlinked", "The facts that link back to the belief are gone."),
        ("incoherent", "One or two concepts are replaced by others of the same topic."),
        ("scrambled", "The graph's own concepts and relations, dealt out again at random."))},
    known.PERTURBED: ("held-out released negatives",
                      "Perturbed graphs released with Saha et al. 2022."),
    known.OTHER: (judge_card.OTHER,
                  "Gold graphs of another held-out belief and of the same stance"),
    known.NEGATED: (judge_card.NEGATED,
                    "Gold graphs in which one relation, any one, says its contrary"),
    known.REARRANGED: ("held-out rearranged gold", "Gold graphs whose concepts traded places, so "
                       "that every count is unchanged"),
}
"""The sets of held-out graphs by kind, and what each is; nulls are measured on dev, in every shape.
"""
_ACCEPTED = "right means accepted, given the item's own stance, so a good judge has few."
_BY_ACCEPTANCE = (known.OTHER, known.NEGATED, known.REARRANGED)
"""Kinds in which right means accepted."""
RESAMPLES, RESAMPLING_SEED = 10_000, 17
SHIFTS = np.linspace(-4, 8, 49)
"""Of the counts baseline's logit of incorrect."""


@dataclass(frozen=True)
class Questions:
    """Everything a judge is asked for its card."""

    sets: tuple[Set, ...]
    ranked: tuple[Example, ...] = ()
    """Held-out gold and rejected graphs."""
    copies: tuple[Copy, ...] = ()
    """Gold graphs, held out and of dev, with their rearranged copies."""

    @property
    def pairs(self) -> list[TextPair]:
        """Every pair of texts, once."""
        texts = [pair for _, _, pairs, _ in self.sets for pair in pairs]
        texts += [example.pair for example in self.ranked]
        texts += [pair for original, copy, _ in self.copies for pair in (original, copy)]
        return list(dict.fromkeys(texts))


class JudgeAnswers:
    """A judge's probabilities for every pair of texts, each asked once."""

    def __init__(self, judge: Judge, pairs: Sequence[TextPair]) -> None:
        self.labels = judge.labels
        self._place = {pair: index for index, pair in enumerate(pairs)}
        self._rows = judge.probabilities(pairs).astype(np.float64)

    def shifted(self, shift: float) -> JudgeAnswers:
        """The same with the logit of the last label raised."""
        answers = copy.copy(self)
        rows = self._rows * np.exp([*[0.0] * (len(self.labels) - 1), shift])
        answers._rows = rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300)
        return answers

    def rows(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        """Shape (pairs, labels)."""
        return self._rows[[self._place[pair] for pair in pairs]]

    def of(self, pairs: Sequence[TextPair], labels: Sequence[str]) -> NDArray[np.float64]:
        """The probability of one label for each pair."""
        columns = [self.labels.index(label) for label in labels]
        chances: NDArray[np.float64] = self.rows(pairs)[np.arange(len(pairs)), columns]
        return chances


def measured(card: Card, judge: Judge, queries: Questions, baseline: Judge | None) -> Card:
    """The card with the judge's figures, and beside them those of the counts baseline."""
    pairs = queries.pairs
    own = JudgeAnswers(judge, pairs)
    other = JudgeAnswers(baseline, pairs) if baseline is not None else None
    results = []
    for name, about, texts, expected in queries.sets:
        if texts:
            result = evaluation(name, about, own.labels, expected, own.rows(texts))
            if other is not None:
                plain = evaluation(name, about, other.labels, expected, other.rows(texts))
                result = replace(result, counts=plain.confusion)
            results.append(result)
    return replace(
        card, evaluations=tuple(results),
        rearranged=_preference(own, queries.copies) if queries.copies else None,
        margin=margin(own, other, queries.ranked) if other is not None else None,
        baseline=counts.described() if other is not None else {})


def _preference(answers: JudgeAnswers, copies: Sequence[Copy]) -> Preference:
    """How often an original gets more of its own stance than its rearranged copy."""
    stances = [stance for _, _, stance in copies]
    first = answers.of([original for original, _, _ in copies], stances)
    second = answers.of([copy for _, copy, _ in copies], stances)
    return Preference(len(copies), int((first > second).sum()), int((first == second).sum()))


def margin(judge: JudgeAnswers, baseline: JudgeAnswers, ranked: Sequence[Example]) -> Margin | None:
    """The judge's area under the curve within stance, and by how much it beats the baseline's.

    The baseline's threshold lies where its area on these very graphs is greatest, so that nobody
    beats it by moving one. The interval is a percentile one over beliefs drawn anew, with all their
    graphs, the same for both; it is exact to the seed. None where a stance lacks gold or rejected
    graphs altogether.
    """
    sides = {stance: [[item for item in ranked if item.kind == kind and item.stance == stance]
                      for kind in (known.GOLD, known.NATURAL)] for stance in STANCES}
    if not all(all(both) for both in sides.values()):
        return None
    baseline = max(map(baseline.shifted, SHIFTS), key=lambda answers: sum(
        _ahead(answers, both, stance).sum() for stance, both in sides.items()))
    beliefs = {text: index for index, text in enumerate(
        dict.fromkeys(folded(example.belief) for example in ranked))}
    rng = np.random.default_rng(RESAMPLING_SEED)
    drawn = rng.multinomial(len(beliefs), [1 / max(1, len(beliefs))] * len(beliefs),
                            size=RESAMPLES).astype(np.float64)
    sums, graphs = np.zeros((3, RESAMPLES)), {}
    plain = np.zeros(3)
    for stance, both in sides.items():
        graphs[stance] = (len(both[0]), len(both[1]))
        often = [drawn[:, [beliefs[folded(example.belief)] for example in side]] for side in both]
        ahead = [_ahead(answers, both, stance) for answers in (judge, baseline)]
        for row, table in enumerate((*ahead, np.ones_like(ahead[0]))):
            sums[row] += ((often[0] @ table) * often[1]).sum(axis=1)
            plain[row] += table.sum()
    areas = np.divide(sums[:2], sums[2], out=np.full((2, RESAMPLES), 0.5), where=sums[2] > 0)
    low, high = np.percentile(areas[0] - areas[1], [2.5, 97.5])
    own, other = plain[:2] / plain[2]
    return Margin(round(own, 6), round(other, 6), round(float(low), 6), round(float(high), 6),
                  graphs, len(beliefs), RESAMPLES, RESAMPLING_SEED)


def _ahead(answers: JudgeAnswers, sides: Sequence[Sequence[Example]],
           stance: str) -> NDArray[np.float64]:
    """1 where a gold graph (row) gets more of the stance than a rejected one (column), 1/2 tied."""
    gold, natural = (answers.of([example.pair for example in side], [stance] * len(side))
                     for side in sides)
    wins: NDArray[np.float64] = (gold[:, None] > natural) + (gold[:, None] == natural) / 2
    return wins


def evaluation(name: str, about: str, labels: Sequence[str], expected: Sequence[str],
               probabilities: NDArray[np.floating[Any]]) -> Evaluation:
    """Confusion, Brier score and calibration of answers; ``probabilities`` is (graphs, labels).

    A row of zeros, where the judge refused, counts as the answer ``REFUSAL``, which is no label.
    """
    rows = probabilities.astype(np.float64)
    chosen = np.where(rows.any(axis=1), rows.argmax(axis=1), len(labels))
    answers = (*labels, REFUSAL)
    right = np.array([labels.index(label) for label in expected])
    confusion = {
        label: dict(Counter(answers[index] for index in chosen[right == labels.index(label)]))
        for label in dict.fromkeys(sorted(expected, key=labels.index))
    }
    wanted = np.eye(len(labels))[right]
    brier = float(((rows - wanted) ** 2).sum(axis=1).mean())
    sure = rows.max(axis=1)
    tenth, bins = np.minimum((sure * 10).astype(int), 9), []
    for number in np.unique(tenth):
        inside = tenth == number
        bins.append(Bin(int(inside.sum()), round(float(sure[inside].mean()), 6),
                        int((chosen == right)[inside].sum())))
    return Evaluation(name, about, confusion, round(brier, 6), tuple(bins))


def ea_sets(held_out: Sequence[Example], dev: Sequence[TrainingItem]) -> list[Set]:
    """Held-out gold, and dev's gold."""
    pairs = [ea_texts(item.belief, item.argument, item.edges)[0] for item in dev]
    return [*_by_kind(held_out, known.EA),
            (judge_card.DEV_GOLD, "The gold graphs of the dev split.", pairs,
             [item.stance for item in dev])]


def _by_kind(held_out: Sequence[Example], labels: tuple[str, ...]) -> Iterator[Set]:
    for kind, (name, about) in _SETS.items():
        chosen = [example for example in held_out if example.kind == kind]
        pairs = [example.pair for example in chosen]
        if kind in _BY_ACCEPTANCE:
            yield name, f"{about}; {_ACCEPTED}", pairs, [item.stance for item in chosen]
            continue
        yield name, about, pairs, [labels[example.expected] for example in chosen]
        if kind == known.NATURAL:
            yield (judge_card.REFUSED, f"The same graphs; {_ACCEPTED}", pairs,
                   [one.stance for one in chosen])


def seca_sets(held_out: Sequence[Example], dev: Sequence[TrainingItem], board: Board
              ) -> Iterator[Set]:
    """Held-out examples by kind, then dev's gold, its shuffled gold and nulls of every shape."""
    yield from _by_kind(held_out, known.SECA)
    golds = [Gold((i.belief, i.argument), i.stance, (Graph.of(i.edges),)) for i in dev]
    stances = [item.stance for item in dev]
    yield (judge_card.DEV_GOLD, "The gold graphs of the dev split; right is the item's stance.",
           [seca_texts(item.belief, item.edges) for item in dev], stances)
    shuffled = shuffled_gold(board.settings, golds, golds)
    yield (judge_card.SHUFFLED, f"Gold graphs of other dev items of the same stance; {_ACCEPTED}",
           [seca_texts(item.belief, prediction.graph.edges)
            for item, prediction in zip(dev, shuffled, strict=True)], stances)
    others = OtherItems(dev, None)
    for name, template in TEMPLATES.items():
        pairs, expected = [], []
        for index, item in enumerate(dev):
            chance = random.Random(f"{name} {index}")  # noqa: S311 fixed graphs, no secret
            other = others.of(item, chance)
            graph = template.make(item, other, chance) if other is not None else ()
            if graph:
                pairs.append(seca_texts(item.belief, graph))
                expected.append(item.stance)
        seen = f"Judges may {'' if template.trainable else 'not '}be trained on this shape"
        yield name, f"{template.about} One for each dev item. {seen}; {_ACCEPTED}", pairs, expected


def copies(held_out: Sequence[TrainingItem], dev: Sequence[TrainingItem]) -> Iterator[Copy]:
    """Gold graphs of held-out beliefs and of dev, and a rearranged copy of each that has one."""
    for index, item in enumerate((*held_out, *dev)):
        chance = random.Random(f"rearranged {index}")  # noqa: S311 fixed graphs, no secret
        graph = edits.rearranged(item, chance)
        if graph is not None:
            yield (seca_texts(item.belief, item.edges), seca_texts(item.belief, graph), item.stance)


def questions(judge: str, data: Path, parts: Mapping[str, Sequence[Example]], seed: int,
              board: Board) -> Questions:
    """Everything a judge is measured on, from the files of a data folder.

    ``parts``: all examples, as the judge's training parted them with ``seed``, so that held-out
    beliefs are those it never saw.
    """
    dev, held_out = edits.read_items(data / edits.DEV), parts["held out"]
    if judge == "ea":
        return Questions(tuple(ea_sets(held_out, dev)))
    items = [item for item in edits.read_items(data / edits.TRAIN)
             if known.part_of(item.belief, seed) == "held out"]
    return Questions(
        tuple(seca_sets(held_out, dev, board)),
        tuple(example for example in held_out if example.kind in (known.GOLD, known.NATURAL)),
        tuple(copies(items, dev)))


def counts_baseline(parts: Mapping[str, Sequence[Example]]) -> counts.CountsJudge:
    """The counts baseline of the training part, its threshold moved as a judge's is.

    Raises NotMeasured without scikit-learn.
    """
    judge = counts.fit(parts["train"])
    stopping = [part for part in parts["stopping"] if part.kind in (known.GOLD, known.NATURAL)]
    if stopping:
        rows = judge.probabilities([example.pair for example in stopping]).astype(np.float64)
        judge.shift = stopping_score(known.SECA, stopping, rows)[1]
    return judge


def stopping_score(labels: tuple[str, ...], stopping: Sequence[Example],
                   probabilities: NDArray[np.float64]) -> tuple[float, float]:
    """What early stopping looks at, 0 to 1, and by how much to raise the logit of ``incorrect``.

    The score is the mean of what is found of gold graphs, of rejected ones as incorrect, and of
    ``MEANINGLESS`` ones as not of the item's stance. Where some threshold finds more than half of
    gold and of rejected graphs, the logit is moved to the best of them: where the lesser recall is
    greatest. Else it stays as training left it, because a threshold between graphs that a judge
    cannot tell apart only makes it answer at random. A judge without the label is scored by its
    accuracy.
    """
    if judge_card.INCORRECT not in labels:
        answers = probabilities.argmax(axis=1)
        return float((answers == np.array([example.expected for example in stopping])).mean()), 0.0
    gold, natural, made = (np.array([example.kind in kinds for example in stopping]) for kinds in (
        (known.GOLD,), (known.NATURAL,), known.MEANINGLESS))
    # By how much incorrect leads, and whether the likelier stance is the item's own.
    wrong = labels.index(judge_card.INCORRECT)
    logs = np.log(np.maximum(probabilities, 1e-12))
    stances = np.delete(logs, wrong, axis=1)
    lead = logs[:, wrong] - stances.max(axis=1)
    likelier = np.delete(np.arange(len(labels)), wrong)[stances.argmax(axis=1)]
    own = likelier == np.array([labels.index(example.stance) for example in stopping])
    edges = np.unique(np.concatenate([lead[gold | natural], [0.0]]))
    shifts = [0.0, *(-(edges[1:] + edges[:-1]) / 2)]
    recalls = [((own & (lead + shift < 0))[gold].sum() / max(1, gold.sum()),
                (lead + shift > 0)[natural].sum() / max(1, natural.sum())) for shift in shifts]
    best = max(range(len(shifts)), key=lambda index: min(recalls[index]))
    if min(recalls[best]) <= judge_card.LEAST_RECALL:
        best = 0
    scores = list(recalls[best])
    if made.any():
        scores.append(1 - (own & (lead + shifts[best] < 0))[made].mean())
    return float(np.mean(scores)), float(shifts[best])


def measure(judge: JudgeName, source: str, data: Path, out: Path, *, seed: int, command: str,
            cache: Path | None = None) -> Card:
    """Measure any judge, such as the authors', and write its card into ``out``.

    Its training data are not known here, so it may have seen what it is measured on; the card
    says so. ``cache``: a file in which answers are kept. Raises NotMeasured if the judge cannot be
    loaded or does not answer.
    """
    folder = None if source.startswith(endpoint.PREFIX) else locate(source, advice=FOR_JUDGE)
    if folder is not None and (folder / judge_card.FILE).is_file():
        card = judge_card.read(folder)
        # An adapter's weights are compared when it is loaded.
        if not source.startswith("adapter:") and card.weights != weights_digest(folder):
            raise DataError(f"{source}: its card.json is of other weights ({card.weights[:12]}"
                            "...); remove it, or put the right one beside the weights")
        if card.may_have_seen:
            card = replace(card, data={**card.data, "files": digests(judge, data)})
        else:
            _require_its_files(card, source, data)
    else:
        info = JUDGES[judge]
        if folder is None:
            behind = endpoint.read(source, judge)
            weights, most_tokens, base = behind.weights, 0, behind.facts()
        else:
            weights, most_tokens, base = weights_digest(folder), info.most_tokens, {}
        card = Card(
            judge=judge, name=out.resolve().name, weights=weights,
            labels=info.labels, most_tokens=most_tokens, base=base,
            data={"files": digests(judge, data), "licence": LICENCE},
            training={"settings": {"seed": seed}, "measured with": command,
                      "note": "Not trained here: it may have seen the graphs it is measured on."})
    if card.judge != judge:
        raise DataError(f"{source} is a judge for {card.judge}; expected one for {judge}")
    card = with_figures(card, source, data, cache)
    judge_card.write(card, out)
    return card


def _require_its_files(card: Card, source: str, data: Path) -> None:
    """Raises DataError for data that the judge's training did not part."""
    now, recorded = digests(card.judge, data), card.data.get("files")
    for name in (edits.TRAIN, edits.REFINEMENT, edits.DEV):
        wanted = recorded.get(name) if isinstance(recorded, Mapping) else None
        if wanted is not None and wanted != now.get(name):
            raise DataError(f"{data / name} is not the file that {source} was made with, so what "
                            "was held out is not known; name the folder with that one by --data")


def with_figures(card: Card, source: str, data: Path, cache: Path | None = None) -> Card:
    """The card with its figures; a SeCA judge's beside those of the counts baseline.

    Raises DataError if the card does not say what parted the beliefs.
    """
    settings = card.training.get("settings")
    seed = settings.get("seed") if isinstance(settings, Mapping) else None
    if type(seed) is not int:
        raise DataError(f"the card of {card.name} names no seed, so what was held out is not "
                        "known; remove the card to measure the judge as one of unknown training")
    parts = known.parted(known.examples_of(card.judge, data, seed), seed)
    queries = questions(card.judge, data, parts, seed, boards.load(BOARD))
    baseline = counts_baseline(parts) if card.judge == "seca" else None
    judge = Models({card.judge: source}, cache=cache)(card.judge)
    return measured(card, judge, queries, baseline)


def digests(judge: str, data: Path) -> dict[str, str]:
    """SHA-256 of the files a judge is made of and measured on, by name."""
    names = [edits.TRAIN, edits.DEV]
    if judge == "seca":
        names += [edits.REFINEMENT, f"{edits.RELEASED}.source", f"{edits.RELEASED}.neg_target"]
    return {name: sha256_file(data / name) for name in names if (data / name).is_file()}
