"""aNLI's accuracy of one item of the practice board, answered wrongly."""

from __future__ import annotations

from scorer.metrics.accuracy import label_accuracy
from scorer.tasks.anli.records import LABELS
from scorer.website.arithmetic import Arithmetic, Example, counts, practice

METRIC = "accuracy"


def example(metric: str) -> Example | None:
    """The example, for that metric alone."""
    if metric != METRIC:
        return None
    board, items = practice("anli-practice")
    gold = items[0]
    predicted = next(label for label in LABELS if label != gold.label)
    [score] = label_accuracy([(gold.label, predicted)])
    names = board.task.input_columns(board.settings)
    return Example(
        tuple(zip(names, gold.texts, strict=True))[1:],  # without its id
        Arithmetic((f"label: gold {gold.label}, predicted {predicted}", counts(score.value)),
                   score.value))
