"""What tasks share in which an answer may have one label: right, wrong or missing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Protocol, TypeVar

from scorer.core.errors import Problem
from scorer.core.records import Findings
from scorer.tasks.answers import NO_ANSWER, AnswerColumn, no_answer, titled, unanswered_note
from scorer.tasks.base import Answer, Content, GoldItem, Task

WRONG, RIGHT = "wrong", "right"


class Labelled(Protocol):
    """What has a label."""

    @property
    def label(self) -> str | None:
        """One of the labels; of a prediction also NO_ANSWER; nothing on a board without labels."""


class LabelledItem(GoldItem, Labelled, Protocol):
    """An item with its label."""


Settings = TypeVar("Settings")
Gold = TypeVar("Gold", bound=LabelledItem)
Prediction = TypeVar("Prediction", bound=Labelled)


def both_labels(gold: Labelled, prediction: Labelled) -> tuple[str | None, str | None]:
    """The gold label and the predicted one, as ``metrics/accuracy.py`` takes them."""
    return gold.label, prediction.label


class LabelTask(Task[Settings, Gold, Prediction]):
    """One gate: the predicted label must equal gold (``wrong``), else ``right``."""

    annotations: ClassVar[tuple[str, ...]] = (WRONG, RIGHT)
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {WRONG: "the label is not gold's", RIGHT: "the label is gold's"})
    gold_words: Mapping[str, Callable[[Gold], str]] = MappingProxyType(
        {"gold_label": lambda gold: gold.label or ""})

    @property
    @abstractmethod
    def label_column(self) -> str:
        """What the label is called in files."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """The labels, as files have them; none where an answer has no label after all."""

    @property
    def prediction_columns(self) -> Sequence[str]:
        return (self.label_column,) if self.labels else ()

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        return (prediction.label or "",) if self.labels else ()

    @property
    def answer_columns(self) -> Sequence[AnswerColumn]:
        return [AnswerColumn(self.label_column, tuple(self.labels))] if self.labels else []

    @property
    def prompt_words(self) -> Mapping[str, str]:
        name = self.label_column
        return {"label": name, "label_title": titled(name),
                "labels": " or ".join(self.labels)} if self.labels else {}

    def annotation(self, gold: Gold, prediction: Prediction, flaws: Findings) -> str:
        return RIGHT if prediction.label == gold.label else WRONG

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """A row without an answer is reported, and scores as wrong."""
        return Findings(strict=no_answer(self.label_column, prediction.label))

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        yield from unanswered_note(shown, self.label_column, len(answers), [
            answer.row for answer in answers if answer.prediction.label == NO_ANSWER])

    def content(self, prediction: Prediction) -> Content:
        return Content(prediction.label, ())

    def gold_contents(self, gold: Gold) -> Sequence[Content]:
        """The gold answers of a task whose answers are more than a label, else the label."""
        return super().gold_contents(gold) or (Content(gold.label, ()),)
