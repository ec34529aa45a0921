"""What a task is: its formats, its gates and its metrics, as data and a few functions.

A task is code and knows no benchmark; a board (``board.py``) is data and names its task. Read
this second, after ``records.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.fields import Record
from scorer.records import Finding, Verdict
from scorer.tsv import Problems, Row


def no_options(settings: Any) -> Mapping[str, Any]:
    """A metric that takes nothing from the board."""
    return {}


@dataclass(frozen=True)
class MetricUse:
    """How a task uses one metric: which items it sees, what it sees of them, what others get."""

    metric: str
    """Id in ``metrics/catalogue.py``."""
    select: Callable[[Any, Any, Any], Hashable]
    """``(settings, gold, prediction)`` -> the plain values the metric's function takes."""
    gate: str | None = None
    """The annotation an item must have to be measured; None: every item is."""
    otherwise: float = 0.0
    """The score of items that the gate keeps out."""
    options: Callable[[Any], Mapping[str, Any]] = no_options
    """Keyword arguments for the metric's function, from the board's settings."""


@dataclass(frozen=True)
class Content:
    """What an answer consists of, in the form in which two answers are compared."""

    label: str | None
    """The label; None if the task has none."""
    units: tuple[Hashable, ...]
    """Its parts in the order written: the edges of a graph, the word sequences of a text."""
    concepts: tuple[str, ...] = ()
    """The short phrases that its parts connect, if they do."""


@dataclass(frozen=True)
class Task:
    """One kind of work. ``Settings``, ``Gold`` and ``Prediction`` are the task's own records."""

    name: str
    title: str
    settings: Record
    """Fields of ``settings`` in board.yaml; makes the task's Settings record."""
    contradictions: Callable[[Any, Sequence[str]], Sequence[tuple[str, str, str]]]
    """``(settings, metric ids)`` -> what does not fit together: (found, expected, advice)."""
    annotations: tuple[str, ...]
    """Every annotation an item can get, in gate order; the last one means all gates passed."""
    input_columns: Callable[[Any], Sequence[str]]
    """``(settings)`` -> names of the columns every split has, gold or not; the first of gold."""
    gold_columns: Callable[[Any], tuple[Sequence[str], int]]
    """``(settings)`` -> column names, and how many of the last may be absent."""
    prediction_columns: Callable[[Any], Sequence[str]]
    read_gold: Callable[[Any, Row, Problems], Any]
    """``(settings, row, problems)`` -> Gold, or None after recording problems."""
    read_prediction: Callable[[Any, Row, Problems], Any]
    """``(settings, row, problems)`` -> Prediction, or None after recording problems."""
    judge: Callable[[Any, Any, Any], Verdict]
    """``(settings, gold, prediction)`` -> the item's annotation and findings."""
    diagnose: Callable[[Any, Sequence[str], Any], tuple[Sequence[Finding], Sequence[Finding]]]
    """``(settings, input texts, prediction)`` -> broken constraints and strict diagnostics,
    without any gold: what a submitter may be told about every split."""
    null: Callable[[Any, Any, Any], Any]
    """``(settings, gold, prediction)`` -> a prediction with the same label that says nothing."""
    cluster: Callable[[Any, Any], Hashable]
    """``(settings, gold)`` -> what items that stand or fall together have in common."""
    metrics: tuple[MetricUse, ...]
    content: Callable[[Any, Any], Content]
    """``(settings, prediction)`` -> what integrity flags compare."""
    gold_contents: Callable[[Any, Any], Sequence[Content]]
    """``(settings, gold)`` -> the same of each gold answer of an item."""

    @property
    def passed(self) -> str:
        """The annotation of items that passed every gate."""
        return self.annotations[-1]

    def use(self, metric: str) -> MetricUse:
        """How this task uses a metric. Raises KeyError if it does not."""
        return {use.metric: use for use in self.metrics}[metric]
