"""SeCA and EA of one graph, with a judge whose few answers were made for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scorer.metrics import ea, seca
from scorer.metrics.judge_texts import depth_first, ea_texts, seca_texts
from scorer.models.judges import KNOWN
from scorer.records import TextPair
from scorer.website.arithmetic import Arithmetic, checked

if TYPE_CHECKING:
    from numpy.typing import NDArray

SURE, UNSURE = (0.70, 0.20, 0.10), (0.30, 0.25, 0.45)
"""Two answers of SeCA's judge: the probability of each of its labels."""
WHOLE = 0.90
"""How sure of the gold label EA's judge is with the whole graph."""
WITHOUT = (0.60, 0.75, 0.89995, 0.93)
"""And without the first, second, ... edge, which begins again after the last of these."""
MADE = ("The judge's probabilities were made for this page; what they lead to was computed by the "
        "scorer.")


class Saying:
    """A judge that gives its answers one after another, whatever it is asked."""

    def __init__(self, labels: tuple[str, ...], answers: Sequence[Sequence[float]]) -> None:
        self.labels = labels
        self._answers = np.array(answers, np.float32)

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Its answers, as many as there are pairs."""
        return self._answers[: len(pairs)]


def of_seca(item: seca.Item) -> Arithmetic:
    """A graph of which the judge is sure, and the same if it were not."""
    belief, edges, label = item
    texts, labels = seca_texts(belief, edges), KNOWN["seca"].labels
    steps = [f"the judge reads “{texts.first}” and “{texts.second}”"]
    values: list[float] = []
    for answer, means in ((SURE, "counts"), (UNSURE, "would count")):
        [score] = seca.seca([item], judge=Saying(labels, [answer]))
        said = {name: score.parts[f"p {name}"] for name in labels}
        greatest = max(said, key=lambda name: said[name])
        told = ", ".join(f"{name} {p:.2f}" for name, p in said.items())
        is_gold = "the gold label" if greatest == label else f"not the gold label, {label}"
        steps.append(f"{'it says' if not values else 'had it said'} {told}: the greatest is that "
                     f"of {greatest}, {is_gold}, so the item {means} {score.value:g}")
        values.append(score.value)
    return Arithmetic((*steps[:1], steps[2], steps[1]), values[0], MADE)


def of_ea(item: ea.Item) -> Arithmetic:
    """A graph with edges that matter, one that matters too little to be sure, one that does not."""
    belief, argument, edges, label = item
    whole, parts = ea_texts(belief, argument, edges)
    sure = [WHOLE, *(WITHOUT[edge % len(WITHOUT)] for edge in range(len(parts)))]
    labels = KNOWN["ea"].labels
    column = labels.index(label)
    answers = [[p if at == column else 1 - p for at in range(len(labels))] for p in sure]
    [score] = ea.ea([item], judge=Saying(labels, answers))
    steps = [f"the judge reads “{belief}” and “{whole.second.strip()}”: {label} {WHOLE:.5f}"]
    important = decided = 0
    left_out = depth_first(edges)[1:-1].split(")(")
    for edge, p in zip(left_out, sure[1:], strict=True):
        drop = WHOLE - p
        important += drop > 0
        decided += drop >= ea.NOISE
        steps.append(f"without “{edge}”: {p:.5f}, {_verdict(drop)}")
    n = len(parts)
    checked("EA", important / n, score.value)
    checked("EA", decided / n, score.parts["decided"])
    steps += [f"decided = {decided} / {n} = {decided / n:.3f}",
              f"EA = {important} important edges / {n} edges = {score.value:.3f}"]
    return Arithmetic(tuple(steps), score.value, MADE)


def _verdict(drop: float) -> str:
    """What a drop says of the edge that was left out."""
    if drop <= 0:
        return f"a rise of {-drop:.5f}, so the edge is not important"
    if drop < ea.NOISE:
        return (f"a drop of {drop:.5f}, so the edge is important, but not decided: less than "
                f"{ea.NOISE:g} may be noise")
    return f"a drop of {drop:.5f}, so the edge is important"
