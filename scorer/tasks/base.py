"""What a task is: its formats, its gates and its metrics, as one generic class.

A task is code and knows no benchmark; a board (``boards/``) is data and names its task. Read
this second, after ``records.py``. ``Task[Settings, Gold, Prediction]`` names the three records of
a task, so that the type checker proves that its functions get them and no other task's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from scorer.core.errors import Problem, UsageError
from scorer.core.reading.tsv import EmptyLine, File, Problems, ReadTable, Row, read_rows
from scorer.core.reading.values import Text
from scorer.core.records import OVER, Counts, Finding, Findings, Verdict
from scorer.tasks import answers
from scorer.tasks.answers import AnswerColumn, Answered
from scorer.tasks.baselines import Baseline
from scorer.tasks.partitions import Partition

Texts = Sequence[Sequence[str]]
"""For every item of a split, its input columns."""
ColumnName = Annotated[str, Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")]
"""The name of a column that a board chooses."""


class GoldItem(Protocol):
    """What every task's Gold has."""

    @property
    def texts(self) -> Sequence[str]:
        """The input columns of the item."""


Settings = TypeVar("Settings")
Gold = TypeVar("Gold", bound=GoldItem)
Prediction = TypeVar("Prediction")


class Misfit(NamedTuple):
    """Settings that are each allowed but do not fit together."""

    found: str
    expected: str
    advice: str


def repeated(what: str, names: Sequence[str]) -> list[Misfit]:
    """The names that stand twice among those of some things, such as columns."""
    return [Misfit(f"two {what} {name}", f"{what} of different names", "rename one of them")
            for name in dict.fromkeys(names) if names.count(name) > 1]


@dataclass(frozen=True)
class MetricUse(Generic[Gold, Prediction]):
    """How a task uses one metric: which items it sees, what it sees of them, what others get."""

    metric: str
    """Id in ``metrics/catalogue.py``."""
    select: Callable[[Gold, Prediction], Hashable]
    """The plain values that the metric's function takes."""
    gate: str | None = None
    """The annotation an item must have to be measured; None: every item is."""
    otherwise: float = 0.0
    """The score of items that the gate keeps out."""
    arguments: Sequence[tuple[str, str]] = ()
    """Further keyword arguments of the metric's function, each with the field of the board's
    settings that says it; left out where that is None."""
    over: Collection[str] = OVER
    """The values of a board's ``over`` that it follows: all of them, unless it says which; none
    for a metric that looks at no gold answer."""
    label_only: bool = False
    """Whether it looks at labels alone, so that a null with the same labels has the same value."""

    def options(self, settings: object) -> dict[str, object]:
        """What ``MetricInfo.compute`` is given beside the items; parts of the signature."""
        known = {name: getattr(settings, field) for name, field in self.arguments}
        if (over := getattr(settings, "over", None)) in self.over:
            known["over"] = over
        return {name: value for name, value in known.items() if value is not None}


class Answer(NamedTuple, Generic[Prediction]):
    """A row of a predictions file as it was read."""

    row: Row
    prediction: Prediction
    found: Findings


@dataclass(frozen=True)
class Content:
    """What an answer consists of, in the form in which two answers are compared."""

    label: str | None
    """The label; None if the task has none."""
    units: tuple[Hashable, ...]
    """Its parts in the order written: the edges of a graph, the word sequences of a text."""
    concepts: tuple[str, ...] = ()
    """The short phrases that its parts connect, if they do."""


class Endings(NamedTuple):
    """A text and its possible endings, of which a language model finds one the likeliest."""

    context: str
    endings: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    """For each ending, the columns of the row that it stands for."""


class Task(ABC, Generic[Settings, Gold, Prediction]):
    """One kind of work, as a board sets it. A task must say what is abstract here; the rest has
    defaults."""

    name: ClassVar[str]
    title: ClassVar[str]
    settings_type: ClassVar[type]
    """The task's Settings record: the fields of ``settings`` in board.yaml."""
    annotations: ClassVar[tuple[str, ...]]
    """Every annotation an item can get, in gate order; the last one means all gates passed."""
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What each annotation means, in a few words."""
    metrics: Sequence[MetricUse[Gold, Prediction]]
    baselines: Mapping[str, Baseline[Settings, Gold, Prediction]] = MappingProxyType({})
    """Reference rows by their names."""
    constrained: ClassVar[str | None] = None
    """What the constraints are about, in a word such as ``graph``; None if there are none."""
    needs_inputs: ClassVar[str] = ""
    """What of a predictions file cannot be judged without the split's inputs, if anything."""
    gate_metric: ClassVar[str | None] = None
    """The metric that is the share of items that pass every gate, if others are measured on those
    items alone; it is 1 for an item that passes, else 0."""
    empty_line: ClassVar[EmptyLine] = "item"
    """What an empty line is in a file that answers the items in their order."""
    id_columns: ClassVar[tuple[str, ...]] = ()
    """Input columns that name an item and are no text."""
    key: ClassVar[str] = ""
    """The column of ids that may stand before an answer's one column; empty if none may."""
    reads_json: ClassVar[bool] = False
    """Whether a predictions file may be JSON lines."""
    per_reference: ClassVar[bool] = False
    """Whether official files may have a row for each reference of an item."""
    null_answered: ClassVar[bool] = False
    """Whether an answer's null is part of the answer, and may be missing."""
    golds: ClassVar[str] = ""
    """The field of ``Gold`` that holds an item's gold answers, where it may have several."""
    units: ClassVar[str] = "parts"
    """What the units of an answer's ``Content`` are."""
    answer_forms: ClassVar[tuple[str, ...]] = (answers.LINES,)
    """The forms in which a model may be asked to answer, as ``answers.py`` defines them."""
    gold_words: Mapping[str, Callable[[Gold], str]] = MappingProxyType({})
    """What templates of prompts may say of the gold answer of an example."""
    null_words: ClassVar[str | None] = None
    """What an answer is that says nothing, to follow *beats*; None if no answer can."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    # ---- files --------------------------------------------------------------------------------

    @property
    @abstractmethod
    def input_columns(self) -> Sequence[str]:
        """Names of the columns every split has, gold or not; the first of gold."""

    def compared(self, column: str, text: str) -> str | frozenset[Hashable]:
        """An input text as it is compared with those of other items: without case and without
        spaces that carry nothing; empty if there is nothing in it."""
        return " ".join(text.lower().split())

    @property
    @abstractmethod
    def gold_columns(self) -> tuple[Sequence[str], int]:
        """Column names, and how many of the last may be absent."""

    @property
    @abstractmethod
    def prediction_columns(self) -> Sequence[str]:
        """Column names of a predictions file."""

    @property
    def further_columns(self) -> Sequence[str]:
        """Names of columns that may follow them, in every row or in none."""
        return ()

    @abstractmethod
    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """The gold of one row, or None after recording problems."""

    @abstractmethod
    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """The prediction of one row, or None after recording problems."""

    @abstractmethod
    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        """Its prediction columns."""

    def read_table(
        self, file: File, *, rows: int | None = None,
        texts: Texts | None = None,
    ) -> ReadTable:
        """A predictions file; ``rows``: how many items there are, ``texts``: their inputs.

        A task that allows other forms than one row for every item in order gives the rows in the
        order of the items, if that is known.
        """
        return read_rows(file, self.prediction_columns, rows=rows, empty=self.empty_line)

    def gold_of(self, files: Mapping[str, bytes]) -> bytes:
        """A gold file in the board's columns, made of files by their roles.

        Raises UsageError for roles that make none, or files that do not fit together.
        """
        if set(files) != {"gold"}:
            raise UsageError("the gold of this task is one file: name it with --gold")
        return files["gold"]

    def gold_count(self, gold: Gold) -> int:
        """How many graphs or references the item has."""
        return len(getattr(gold, self.golds)) if self.golds else 1

    def keep_golds(self, gold: Gold, indexes: Sequence[int]) -> Gold:
        """The item with those of them alone that stand at some places, from 0, in this order."""
        if not self.golds:
            return gold
        golds = getattr(gold, self.golds)
        kept: Any = {self.golds: tuple(golds[index] for index in indexes)}
        return replace(gold, **kept)  # type: ignore[type-var]

    def first_golds(self, gold: Gold, most: int) -> Gold:
        """The item with no more than so many of them."""
        return self.keep_golds(gold, range(min(most, self.gold_count(gold))))

    # ---- models that answer in words -----------------------------------------------------------

    @property
    def answer_columns(self) -> Sequence[AnswerColumn]:
        """The prediction columns, and what may stand in each."""
        return [AnswerColumn(name) for name in self.prediction_columns]

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The columns of a row for an item to which there is no answer; it scores as wrong."""
        return tuple(column.missing for column in self.answer_columns)

    def read_answer(self, form: str, text: str, *, cut: bool = False) -> Answered:
        """What a model wrote, as the columns of a row; nothing is repaired.

        ``form``: one of ``answer_forms``. ``cut``: whether the answer is known to be cut off.
        """
        find = answers.whole if form == answers.WHOLE else answers.named_lines
        return answers.read(self.answer_columns, find, text, cut=cut)

    @property
    def prompted(self) -> bool:
        """Whether the prompts that come with the program say what a board with these settings
        gives; else it has its own prompts alone."""
        return True

    @property
    def prompt_words(self) -> Mapping[str, str]:
        """What templates of prompts may say of a board; empty for what it does not have."""
        return {}

    def endings(self, texts: Sequence[str]) -> Endings | None:
        """An item as a choice by likelihood, without any prompt; None where answers are open."""
        return None

    # ---- settings -----------------------------------------------------------------------------

    def misfits(self, metrics: Sequence[str]) -> Sequence[Misfit]:
        """What does not fit together in the settings and the metrics of a board."""
        return ()

    def fitted(self, rows: Sequence[Sequence[str]]) -> tuple[Settings, tuple[str, ...]]:
        """Settings for a board of other data, from those of a like board and all fields of a row,
        and what the data say, in words.

        Rows may be malformed: they are only looked at, and read by the rules afterwards.
        """
        return self.settings, ()

    def with_texts(self, names: Sequence[str]) -> Settings:
        """Settings for a board that is given other texts: the names of their columns, in order.

        Raises UsageError if the task has texts of its own.
        """
        raise UsageError(f"boards of the task {self.name} have texts of fixed names")

    # ---- gates --------------------------------------------------------------------------------

    @abstractmethod
    def annotation(self, gold: Gold, prediction: Prediction, flaws: Findings) -> str:
        """The one annotation of an item; ``flaws``: what ``diagnose`` says of it."""

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """Broken constraints and strict findings, without any gold.

        What a submitter may read about every split.
        """
        return Findings()

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        """What there is to say of a whole file that changes no score; ``shown``: its path."""
        yield from ()

    def column(self, row: Row, finding: Finding) -> int:
        """The one-based column of a row at which a finding of its answer begins."""
        return row.column(len(row.fields) - 1)

    def verdict(self, gold: Gold, prediction: Prediction, flaws: Findings | None = None) -> Verdict:
        """The annotation and the findings of an item; ``flaws``: the latter, where known."""
        if flaws is None:
            flaws = self.diagnose(gold.texts, prediction)
        return Verdict(self.annotation(gold, prediction, flaws), *flaws)

    def tally(self, golds: Sequence[Gold], verdicts: Sequence[Verdict]) -> Counts:
        """Further counts of a split, as tables with fixed names."""
        return {}

    # ---- answers that say nothing ---------------------------------------------------------------

    @property
    def one_null(self) -> bool:
        """Whether all answers to an item have the same null, so that one row shows it."""
        return False

    def null(self, gold: Gold, prediction: Prediction) -> Prediction | None:
        """An answer that says nothing, mostly with the same label; None if the answer has none."""
        return None

    def null_fault(self, texts: Sequence[str]) -> str:
        """Why nothing can be learnt from the null of an item with these texts; empty if it can."""
        return ""

    # ---- items and answers in parts -----------------------------------------------------------

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        """The ways to divide some items by gold."""
        return ()

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> Hashable:
        """What items that stand or fall together have in common."""
        return tuple(gold.texts)

    def edge_count(self, prediction: Prediction) -> int | None:
        """Edges of a predicted graph as it was read; None if none could be, or there is no graph.
        """
        return None

    @abstractmethod
    def content(self, prediction: Prediction) -> Content:
        """What integrity flags compare."""

    def gold_predictions(self, gold: Gold) -> Sequence[Prediction]:
        """Each gold answer of an item as if it were predicted, to be held against the gates."""
        return ()

    def gold_contents(self, gold: Gold) -> Sequence[Content]:
        """What integrity flags compare of each gold answer of an item."""
        return tuple(map(self.content, self.gold_predictions(gold)))

    def item_words(self, gold: Gold) -> Mapping[str, str]:
        """What annotators may be shown of an item beside its input and an answer's columns."""
        return {}

    def gold_lengths(self, gold: Gold) -> Mapping[str, Sequence[int]]:
        """How long the gold answers of an item are: what is counted, one number each."""
        return {}

    @property
    def passed(self) -> str:
        """The annotation of items that passed every gate."""
        return self.annotations[-1]

    def use(self, metric: str) -> MetricUse[Gold, Prediction]:
        """How this task uses a metric. Raises KeyError if it does not."""
        return {use.metric: use for use in self.metrics}[metric]
