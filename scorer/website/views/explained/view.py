"""How explained choices are shown: which hypothesis a system takes, and why it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.board import Board
from scorer.tasks.anlg.analysis import AgainstReferences, against_references
from scorer.tasks.anli.records import LABELS
from scorer.tasks.explained_choices.analysis import describe, kinds, partitions
from scorer.tasks.explained_choices.records import Gold, Prediction, Settings
from scorer.tasks.partitions import Partition
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.views.base import (
    ExampleView,
    Listed,
    ShownExample,
    WorkedItem,
    named_texts,
    practice,
)
from scorer.website.views.choices.view import (
    ChoiceCard,
    choice_card,
    choice_facts,
    hypotheses_of,
)
from scorer.website.views.texts.view import TextCard, text_card, text_facts

WORKED_TEXT = "Warm air can hold more water."


class ExplainedCard(NamedTuple):
    """What one system took, and why."""

    choice: ChoiceCard
    text: TextCard

    @property
    def entry(self) -> Entry:
        """The system's."""
        return self.choice.entry


class ExplainedExample(ShownExample[ExplainedCard]):
    """One item of a split."""

    def context(self) -> Mapping[str, Any]:
        """The texts, the hypotheses, and the explanations of gold."""
        return {"given": named_texts(self.settings.given, self.gold.given),
                "hypotheses": hypotheses_of(self.gold.choices), "right": self.gold.label,
                "references": self.gold.references}

    def card(self, entry: Entry) -> ExplainedCard:
        """The hypothesis that a system took, and its text against the nearest explanation."""
        answer = entry.predictions[self.row - 1]
        return ExplainedCard(choice_card(entry, answer.label, self.gold),
                             text_card(entry, self.row, answer.text, self.gold.references))


class ExplainedView(ExampleView[Settings, Gold, Prediction]):
    """Two hypotheses, of which a system takes one and says why."""

    name = "explained"
    answers = "choices with explanations"
    golds = "explanations"
    null = "the same choice with a copy of a given text for an explanation"
    rule_prefix = "ART-"
    checker_script = "explained"
    checker_metrics = ("accuracy",)

    def examples(self, split: SplitView) -> Callable[[Gold, int], ExplainedExample]:
        return lambda gold, row: ExplainedExample(split.board.settings, gold, row)

    def listed(self, gold: Gold) -> Listed:
        return Listed((*gold.given, gold.hypotheses[0]), f"hypothesis {gold.label}")

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        return {"systems": bool(split.comparable)}

    def worked_item(self) -> WorkedItem:
        """The first item of the practice board, with a right choice and one text for every item."""
        board, golds = practice("explained-practice")
        first: Gold = golds[0]
        names = board.task.input_columns(board.settings)
        texts = (*zip(names, first.texts, strict=True),
                 *(("gold explanation", one) for one in first.references),
                 ("predicted explanation", WORKED_TEXT))
        return WorkedItem(board, golds, [Prediction(gold.label, WORKED_TEXT) for gold in golds],
                          texts, (f"label: gold {first.label}, predicted {first.label}",))

    def answer(self, prediction: Prediction) -> str:
        return f"{prediction.label}: {prediction.text}"

    def references(self, gold: Gold) -> list[str]:
        return [f"{gold.label}: {text}" for text in gold.references]

    def right(self, board: Board) -> str:
        return "the gold hypothesis"

    def partitions(self, settings: Settings, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return partitions(settings, golds)

    def statistics(self, split: SplitView, entry: Entry) -> AgainstReferences | None:
        """Its explanations beside those of gold, where both are at hand."""
        texts = [prediction.text for prediction in entry.predictions]
        return against_references(split.golds, texts) if texts and split.golds else None

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        """What can be counted of the splits at hand."""
        public = board.public_golds()
        known = kinds(board.settings, public[-1][1] if public else ())
        return {"described": [describe(name, board.settings, golds, known)
                              for name, golds in public]}

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """Hypotheses have their numbers."""
        return *("" for _ in board.settings.given), *(f"{label}:" for label in LABELS)

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """What is read of a label and of a text."""
        return {**choice_facts(), **text_facts()}
