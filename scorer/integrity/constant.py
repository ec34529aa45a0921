"""Flag ``constant``: one label, or one answer, for nearly every item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from scorer.integrity.flag import LEAST_ROWS, Flag
from scorer.integrity.index import Units

LEAST_LABEL_SHARE = 0.95
"""Gold's most frequent label has .50 of dev and .56 of train; Max-Margin's .51 of dev."""

LEAST_ANSWER_SHARE = 0.5
"""The most frequent answer of a file of ExplaGraphs: gold and Max-Margin 1 row of 398, null 6."""


def constant(labels: Sequence[str | None], answers: Sequence[Units]) -> Flag:
    """One label (None: the task has none) and the units of one answer per row."""
    n = len(answers)
    label, with_label = _most(tuple(label for label in labels if label is not None))
    _, with_answer = _most(answers if any(answers) else ())
    details = []
    if with_label:
        details.append(f'The label "{label}" in {with_label} of {n} rows.')
    if with_answer:
        details.append(f"The most frequent answer in {with_answer} of {n} rows.")
    one_label = n >= LEAST_ROWS and with_label >= LEAST_LABEL_SHARE * n and with_label > 0
    one_answer = n >= LEAST_ROWS and with_answer >= LEAST_ANSWER_SHARE * n and with_answer > 1
    counted = with_label if with_label and (one_label or not one_answer) else with_answer
    return Flag(
        "constant", "One label or one answer throughout", one_label or one_answer,
        counted, n, (), tuple(details),
        "The file hardly depends on the items; its values are what a fixed answer earns.",
        "That it was meant to deceive: fixed answers are honest baselines and common accidents.",
    )


def _most(values: Sequence[Hashable]) -> tuple[Hashable, int]:
    """The most frequent value and its count."""
    return Counter(values).most_common(1)[0] if values else (None, 0)
