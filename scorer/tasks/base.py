"""What a task is: its formats, its gates and its metrics, as data and a few functions.

A task is code and knows no benchmark; a board (``board/``) is data and names its task. Read
this second, after ``records.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.errors import UsageError
from scorer.reading.fields import Record
from scorer.reading.tsv import File, Problems, Row, Table, read_rows
from scorer.records import Counts, Finding, Verdict

Texts = Sequence[Sequence[str]]
"""For every item of a split, its input columns."""


def no_options(settings: Any) -> Mapping[str, Any]:
    """A metric that takes nothing from the board."""
    return {}


def no_tally(settings: Any, golds: Sequence[Any], verdicts: Sequence[Verdict]) -> Counts:
    """A task that counts nothing but annotations and rules."""
    return {}


def gold_alone(settings: Any, files: Mapping[str, bytes]) -> bytes:
    """Gold comes as one file in the board's own columns. Raises UsageError for others."""
    if set(files) != {"gold"}:
        raise UsageError("the gold of this task is one file: name it with --gold")
    return files["gold"]


@dataclass(frozen=True)
class Fitted:
    """Settings of one board, made to fit the data of another."""

    settings: Any
    found: tuple[str, ...] = ()
    """What the data said, in words."""


def not_fitted(settings: Any, rows: Sequence[Sequence[str]]) -> Fitted:
    """The settings as they are: nothing in them depends on the data."""
    return Fitted(settings)


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
    label_only: bool = False
    """Whether it looks at labels alone, so that a null with the same labels has the same value."""


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
    """One kind of work. ``Settings``, ``Gold`` and ``Prediction`` are the task's own records.

    A ``Gold`` has ``texts``, its input columns.
    """

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
    golds: Callable[[Any], int]
    """``(gold)`` -> how many graphs or references the item has."""
    first_golds: Callable[[Any, int], Any]
    """``(gold, most)`` -> the item with no more than so many of them."""
    read_prediction: Callable[[Any, Row, Problems], Any]
    """``(settings, row, problems)`` -> Prediction, or None after recording problems."""
    judge: Callable[[Any, Any, Any], Verdict]
    """``(settings, gold, prediction)`` -> the item's annotation and findings."""
    diagnose: Callable[[Any, Sequence[str], Any], tuple[Sequence[Finding], Sequence[Finding]]]
    """``(settings, input texts, prediction)`` -> broken constraints and strict diagnostics,
    without any gold: what a submitter may be told about every split."""
    write_prediction: Callable[[Any, Any], Sequence[str]]
    """``(settings, prediction)`` -> its prediction columns."""
    cluster: Callable[[Any, Any], Hashable]
    """``(settings, gold)`` -> what items that stand or fall together have in common."""
    metrics: tuple[MetricUse, ...]
    content: Callable[[Any, Any], Content]
    """``(settings, prediction)`` -> what integrity flags compare."""
    gold_contents: Callable[[Any, Any], Sequence[Content]]
    """``(settings, gold)`` -> the same of each gold answer of an item."""
    gate_metric: str | None = None
    """The metric that is the share of items that pass every gate, if others are measured on those
    items alone; it is 1 for an item that passes, else 0."""
    null: Callable[[Any, Any, Any], Any] | None = None
    """``(settings, gold, prediction)`` -> a prediction with the same label that says nothing; None
    where no such thing can be said."""
    constrained: str | None = None
    """What the constraints are about, in a word such as ``graph``; None if there are none."""
    needs_inputs: str = ""
    """What of a predictions file cannot be judged without the split's inputs, if anything."""
    forms: Callable[[Any, File, int | None, Texts | None], Table] | None = None
    """``(settings, file, rows, texts)`` -> predictions, where a file may have other forms than one
    row for every item in order. Rows come in the order of the items, if that is known."""
    gold_of: Callable[[Any, Mapping[str, bytes]], bytes] = gold_alone
    """``(settings, files by role)`` -> a gold file in the board's columns, made of files in other
    formats. Raises UsageError for roles that make none, or files that do not fit together."""
    gold_roles: tuple[tuple[str, ...], ...] = (("gold",),)
    """The roles that ``gold_of`` understands together."""
    tally: Callable[[Any, Sequence[Any], Sequence[Verdict]], Counts] = no_tally
    """``(settings, golds, verdicts)`` -> further counts of a split, as tables with fixed names."""
    fitted: Callable[[Any, Sequence[Sequence[str]]], Fitted] = not_fitted
    """``(settings of a like board, the fields of every row)`` -> settings for a board of these
    data. Rows may be malformed: they are only looked at, and read by the rules afterwards."""

    def read_table(
        self, settings: Any, file: File, *, rows: int | None = None, texts: Texts | None = None
    ) -> Table:
        """A predictions file; ``rows``: how many items there are, ``texts``: their inputs."""
        if self.forms is not None:
            return self.forms(settings, file, rows, texts)
        return read_rows(file, self.prediction_columns(settings), rows=rows)

    @property
    def passed(self) -> str:
        """The annotation of items that passed every gate."""
        return self.annotations[-1]

    def use(self, metric: str) -> MetricUse:
        """How this task uses a metric. Raises KeyError if it does not."""
        return {use.metric: use for use in self.metrics}[metric]
