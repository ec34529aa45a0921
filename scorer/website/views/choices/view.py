"""How aNLI is shown: which hypothesis a system takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.board import Board
from scorer.tasks.anli.analysis import CUE_WORDS, counted, describe, partitions
from scorer.tasks.anli.records import LABELS, Gold, Prediction, Settings
from scorer.tasks.anli.task import KEY, LISTED, NUMBERS, slices_of
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.partitions import Partition
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.views.base import (
    Confusion,
    ExampleView,
    Listed,
    ShownExample,
    WorkedItem,
    named_texts,
    practice,
)


class ChoiceCard(NamedTuple):
    """What one system took."""

    entry: Entry
    label: str
    """Empty if it gave no answer."""
    right: bool
    hypothesis: str


def hypotheses_of(choices: Sequence[str]) -> dict[str, str]:
    """Hypotheses by their labels."""
    return dict(zip(LABELS, choices, strict=True))


def choice_card(entry: Entry, label: str, gold: Any) -> ChoiceCard:
    """A system's label, which may be NO_ANSWER, beside the right one."""
    if label == NO_ANSWER:
        return ChoiceCard(entry, "", False, "")
    return ChoiceCard(entry, label, label == gold.label, hypotheses_of(gold.choices)[label])


def choice_facts() -> dict[str, Any]:
    """The labels and no answer, and what is often written in their place, for the checker page."""
    return {"labels": list(LABELS), "listed": LISTED, "numbers": list(NUMBERS),
            "no_answer": NO_ANSWER}


class ChoiceExample(ShownExample[ChoiceCard]):
    """One item of a split."""

    def context(self) -> Mapping[str, Any]:
        """The observations, the hypotheses, and the slices that the item is in."""
        gold = self.gold
        return {
            "obs1": gold.obs1, "obs2": gold.obs2, "story_id": gold.story_id,
            "given": named_texts(self.settings.given, gold.observations),
            "hypotheses": hypotheses_of(gold.choices), "right": gold.label,
            "slices": [CUE_WORDS.get(name, name) for name in slices_of(self.settings, gold)],
        }

    def card(self, entry: Entry) -> ChoiceCard:
        """The hypothesis that a system took."""
        label = entry.predictions[self.row - 1].label
        return choice_card(entry, label, self.gold)


class ChoiceView(ExampleView[Settings, Gold, Prediction]):
    """Two hypotheses, of which a system takes one."""

    name = "choices"
    answers = "choices"
    golds = "labels"
    rule_prefix = "ART-"
    checker_script = "labels"
    checker_metrics = ("accuracy",)

    def examples(self, split: SplitView) -> Callable[[Gold, int], ChoiceExample]:
        return lambda gold, row: ChoiceExample(split.board.settings, gold, row)

    def listed(self, gold: Gold) -> Listed:
        """What was seen and what may have happened, in the order of the story."""
        texts = ((gold.obs1, *gold.hypotheses[:1], gold.obs2) if not gold.given
                 else (*gold.given, *gold.hypotheses[:1]))
        return Listed(texts, f"hypothesis {gold.label}")

    def worked_item(self) -> WorkedItem:
        """The first item of the practice board, answered wrongly."""
        board, [gold, *_] = practice("anli-practice")
        predicted = next(label for label in LABELS if label != gold.label)
        names = board.task.input_columns(board.settings)
        return WorkedItem(board, [gold], [Prediction(predicted)],
                          tuple(zip(names, gold.texts, strict=True))[1:],  # without its id
                          (f"label: gold {gold.label}, predicted {predicted}",))

    def answer(self, prediction: Prediction) -> str:
        return prediction.label

    def references(self, gold: Gold) -> list[str]:
        return [gold.label]

    def right(self, board: Board) -> str:
        return "the gold hypothesis"

    def partitions(self, settings: Settings, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return partitions(settings, golds)

    def statistics(self, split: SplitView, entry: Entry) -> Confusion | None:
        """The confusion; the slices where no item may be shown, so that nothing else has them."""
        counts = entry.result.counts
        if "confusion" not in counts:
            return None
        slices = () if split.golds else tuple(
            (CUE_WORDS.get(one.name, one.name), one) for one in counted(counts["slices"]))
        confusion = counts["confusion"]
        taken = {label: f"took {label}" for label in LABELS}
        taken |= {NO_ANSWER: "no answer"} if NO_ANSWER in confusion[LABELS[0]] else {}
        return Confusion(LABELS, taken, confusion, slices)

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        """What can be counted of the splits at hand."""
        return {"described": [describe(name, board.settings, golds)
                              for name, golds in board.public_golds()],
                "cue_words": CUE_WORDS, "lists": board.settings.slices}

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """The id is no text; hypotheses have their numbers."""
        return None, *("" for _ in board.settings.given), *(f"{label}:" for label in LABELS)

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """What is read of a label, what an id is called."""
        return {"key": KEY, **choice_facts()}
