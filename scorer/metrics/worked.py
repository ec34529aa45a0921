"""A metric's worked example: how its value of one item comes about, as plain values.

``MetricInfo.explain`` makes it with the metric's own code. Where a metric asks a judge, a stand-in
takes its place: its few numbers were made for the page, which says so, and all that follows from
them is the metric's. What asks an encoder has no worked example.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.errors import DataError
from scorer.core.records import TextPair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MADE_ANSWERS = ("The judge's probabilities were made for this page; what they lead to was computed "
                "by the scorer.")


class Arithmetic(NamedTuple):
    """How a value comes about."""

    steps: tuple[str, ...]
    """One line each; the last one gives the value."""
    value: float
    """What the metric says."""
    made: str = ""
    """Which numbers were made for the page, if any."""


def checked(metric: str, computed: float, value: float, least: float = 1e-9) -> float:
    """The value, where the lines that explain it give the same. Raises DataError else.

    >>> checked("accuracy", 2 / 4, 0.5)
    0.5
    """
    if abs(computed - value) > least:
        raise DataError(f"the worked example of {metric} gives {computed}, the metric {value}")
    return value


def f1_of(precision: float, recall: float) -> tuple[float, str]:
    """F1, and the line that shows it.

    >>> f1_of(0.5, 1.0)[1]
    'F1 = 2 · 0.500 · 1.000 / (0.500 + 1.000) = 0.667'
    """
    f1 = 2 * precision * recall / (precision + recall)
    return f1, (f"F1 = 2 · {precision:.3f} · {recall:.3f} / ({precision:.3f} + {recall:.3f}) = "
                f"{f1:.3f}")


class ScriptedJudge:
    """A judge that gives its answers one after another, whatever it is asked."""

    def __init__(self, labels: tuple[str, ...], answers: Sequence[Sequence[float]]) -> None:
        import numpy as np

        self.labels = labels
        self._answers = np.array(answers, np.float32)

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Its answers, as many as there are pairs."""
        return self._answers[: len(pairs)]
