"""How tasks of texts are shown: a choice of two hypotheses (aNLI), a text that a system writes
(aNLG), and a choice with a text that says why (explained choices).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from scorer.boards import Board
from scorer.core.reading.characters import OTHER_SPACES
from scorer.core.reading.values import plain
from scorer.core.rules import GENERATION
from scorer.site.boards.anatomy import Gate
from scorer.site.browsing import facets
from scorer.site.browsing.facets import GoldFacet, PairFacet, SystemFacet, annotated
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views import base
from scorer.tasks.anlg import anlg_items as texts
from scorer.tasks.anlg import task as anlg
from scorer.tasks.anlg.anlg_items import Prediction as Text
from scorer.tasks.anli import anli_items as choices
from scorer.tasks.anli import task as anli
from scorer.tasks.anli.anli_items import Prediction as Choice
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.art_files import CONTEXT, LINES_A_CONTEXT, MOST_LEVELS, context_id
from scorer.tasks.explained_choices import explained_items as explained
from scorer.tasks.explained_choices.explained_items import Prediction as Explained
from scorer.tasks.partitions import Partition
from scorer.tasks.text_items import CUE_WORDS, GIVEN, LABELS
from scorer.tasks.written import MOST_LETTERS, MOST_WORDS

CHOICE_FACTS = {"labels": list(LABELS), "listed": anli.LISTED, "numbers": list(anli.NUMBERS),
                "no_answer": NO_ANSWER}
"""The labels and no answer, and what is often written in their place, for the checker page."""
TEXT_FACTS = {"letters": MOST_LETTERS, "words": MOST_WORDS, "other_spaces": OTHER_SPACES}
"""How long a text may be, and what is reported of its form, for the checker page."""


class AnswerExample(base.ShownExample):
    """One item of a split."""

    def __init__(self, view: AnswerView, settings: Any, gold: Any, row: int) -> None:
        super().__init__(settings, gold, row)
        self.view = view
        self.hypotheses = dict(zip(LABELS, gold.choices, strict=True)) if view.chosen else {}

    def context(self) -> Mapping[str, Any]:
        """The given texts and what is asked of them, the hypotheses, the texts by people."""
        names = tuple(self.settings.given)
        between = names == GIVEN  # what is asked of ART is what happened between two observations
        shown = ("before", "after") if between else map(plain, names)
        return {
            "texts": [*zip(shown, self.gold.given, strict=True)],
            "at": 1 if between else len(names), "asked": self.view.asked[not between],
            "hypotheses": self.hypotheses, "right": self.gold.label if self.hypotheses else "",
            "references": self.gold.references if self.view.written else (),
            "slices": (), "item": "", **self.view.more(self.settings, self.gold),
        }

    def card(self, entry: Entry) -> Mapping[str, Any]:
        """The hypothesis that a system took; its text against the reference that it shares most
        words with, by that one's number from 1."""
        answer, gold = entry.predictions[self.row - 1], self.gold
        label, text = getattr(answer, "label", ""), getattr(answer, "text", "")
        scores = entry.result.items[self.row - 1].scores if self.view.written else {}
        nearest = texts.nearest(gold.references, text) if text.strip() else -1
        return {
            "entry": entry, "answer": answer, "right": label == gold.label,
            "hypothesis": self.hypotheses.get(label, ""),
            "scores": [(name, scores[name].value) for name in entry.result.metrics
                       if name in scores],
            "reference": nearest + 1,
            "marked": texts.word_diff(gold.references[nearest], text) if nearest >= 0 else ()}


class AnswerView(base.ExampleView[Any, Any, Any]):
    """Given texts, and what is chosen or written about them."""

    shared = "answers"
    rule_prefix = "ART-"
    chosen: ClassVar[bool] = True
    """Whether a hypothesis is chosen."""
    written: ClassVar[bool] = True
    """Whether a text is written."""
    asked: ClassVar[tuple[str, str]]
    """What is asked of two observations, and of other texts."""
    practice_board: ClassVar[str]
    words: ClassVar[tuple[str, str]] = ("reference", "predicted")
    """What a worked example calls a text by people, and the one that is measured."""

    def more(self, settings: Any, gold: Any) -> Mapping[str, Any]:
        """What else ``example.html`` shows of an item: its slices, its id."""
        return {}

    def example(self, settings: Any, gold: Any, row: int) -> AnswerExample:
        return AnswerExample(self, settings, gold, row)

    def listed(self, gold: Any) -> base.Listed:
        """What is given and the right hypothesis, which happened between two observations."""
        first, *later = gold.given
        between = not self.written and len(gold.given) == len(GIVEN)
        texts = (first, gold.hypotheses[0], *later) if between else (first, *later,
                                                                    gold.hypotheses[0])
        return base.Listed(texts, f"hypothesis {gold.label}")

    def worked_item(self) -> base.WorkedItem:
        """The first item of the practice board; metrics of a whole split see all."""
        board, golds = base.practice(self.practice_board)
        first, made = golds[0], [self.made(gold) for gold in golds]
        columns = zip(board.task.input_columns, self.text_prefixes(board),
                      first.texts, strict=True)
        shown = [(name, text) for name, prefix, text in columns if prefix is not None]
        label: tuple[str, ...] = ()
        if self.chosen:
            label = (f"label: gold {first.label}, predicted {made[0].label}",)
        if self.written:
            word, predicted = self.words
            shown += [(f"{word} {number}" if first.references[1:] else word, reference)
                      for number, reference in enumerate(first.references, start=1)]
            shown.append((predicted, made[0].text))
        return base.WorkedItem(board, golds, made, tuple(shown), label)

    @abstractmethod
    def made(self, gold: Any) -> Any:
        """The answer of the worked example to an item of the practice board."""

    def answer(self, prediction: Any) -> str:
        label = [prediction.label] if self.chosen else []
        return ": ".join([*label, *([prediction.text] if self.written else [])])

    def references(self, gold: Any) -> list[str]:
        if not self.written:
            return [gold.label]
        return [f"{gold.label}: {text}" if self.chosen else text for text in gold.references]

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        return {"systems": self.written and bool(split.comparable)}

    def right(self, board: Board) -> str:
        return "the gold hypothesis"

    def statistics(self, split: SplitView, entry: Entry) -> object:
        """Its texts beside those by people, where both are at hand."""
        written = [prediction.text for prediction in entry.predictions]
        return texts.against_references(split.golds, written) if written and split.golds else None

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """Hypotheses have their numbers."""
        return *("" for _ in board.settings.given), *(f"{label}:" for label in LABELS)


class ChoiceView(AnswerView):
    """Two hypotheses, of which a system takes one."""

    name = "choices"
    answers = "choices"
    golds = "labels"
    checker_script = "labels"
    checker_metrics = ("accuracy",)
    written = False
    practice_board = "anli-practice"
    asked = ("Which hypothesis explains what happened?", "Which is right?")

    def more(self, settings: Any, gold: Any) -> Mapping[str, Any]:
        return {"item": gold.ids[0], "slices": [
            CUE_WORDS.get(name, name) for name in choices.slices_of(settings, gold)]}

    def made(self, gold: Any) -> Choice:
        """The wrong one."""
        return Choice(next(label for label in LABELS if label != gold.label))

    def partitions(self, settings: Any, golds: Sequence[Any]) -> Iterable[Partition[Any]]:
        return choices.partitions(settings, golds)

    def statistics(self, split: SplitView, entry: Entry) -> base.Confusion | None:
        """The confusion; the slices where no item may be shown, so that nothing else has them."""
        counts = entry.result.counts
        if "confusion" not in counts:
            return None
        slices = () if split.golds else tuple(
            (CUE_WORDS.get(part.name, part.name), part)
            for part in choices.counted(counts["slices"]))
        confusion = counts["confusion"]
        taken = {label: f"took {label}" for label in LABELS}
        taken |= {NO_ANSWER: "no answer"} if NO_ANSWER in confusion[LABELS[0]] else {}
        return base.Confusion(LABELS, taken, confusion, slices)

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        public = board.public_golds()
        return {"described": {name: choices.describe(golds) for name, golds in public},
                "slices": {name: choices.by_slice(board.settings, golds) for name, golds in public},
                "lists": board.settings.slices}

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """The id is no text."""
        return None, *super().text_prefixes(board)

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        return {"key": anli.KEY, **CHOICE_FACTS}


class TextView(AnswerView):
    """A text for two observations, beside those that people wrote."""

    name = "texts"
    answers = "texts"
    golds = "references"
    null = "a copy of an observation"
    checker_script = "texts"
    chosen = False
    asked = ("What happened?", "What is the reason?")
    practice_board = "anlg-practice"

    def more(self, settings: Any, gold: Any) -> Mapping[str, Any]:
        return {"item": context_id(*gold.texts)[:12]}

    def listed(self, gold: Any) -> base.Listed:
        count = len(gold.references)
        return base.Listed(gold.texts, f"{count} reference{'' if count == 1 else 's'}")

    def made(self, gold: Any) -> Text:
        return Text("Birds came and ate it.")

    def gates(self, split: SplitView, entry: Entry) -> Iterable[Gate]:
        """How many texts there are."""
        counts = entry.result.counts
        if anlg.ANSWERED not in counts:
            return []
        return [Gate("contexts of the split", counts["items"], 0, "", ""),
                Gate("with a text", counts[anlg.ANSWERED], counts[anlg.EMPTY], "",
                     annotated(split, entry, anlg.EMPTY))]

    def partitions(self, settings: Any, golds: Sequence[Any]) -> Iterable[Partition[Any]]:
        return texts.partitions(golds)

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        return {"described": {name: texts.describe(golds)
                              for name, golds in board.public_golds()}}

    def difficulty(self, board: BoardView) -> Sequence[GoldFacet]:
        return facets.difficulty(board)

    def system_facets(self, board: BoardView) -> Sequence[SystemFacet]:
        """Whether there was a text at all."""
        return facets.verdicts(board, {}, "A's text is")

    def pair_facets(self, board: BoardView) -> Sequence[PairFacet]:
        scores = facets.score_pair(board)
        return [scores] if scores else []

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        return [""] * len(board.settings.given)

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """What is read of a text, what ids are called, and what a line of official JSON is."""
        return {"official": board.settings.given == GIVEN, "key": anlg.KEY,
                "context": CONTEXT, "lines_a_context": LINES_A_CONTEXT,
                "levels": MOST_LEVELS, "generation": GENERATION, **TEXT_FACTS}


class ExplainedView(AnswerView):
    """Two hypotheses, of which a system takes one and says why."""

    name = "explained"
    answers = "choices with explanations"
    golds = "explanations"
    null = "the same choice with a copy of a given text for an explanation"
    checker_script = "explained"
    checker_metrics = ("accuracy",)
    asked = ("Which is right, and why?", "Which is right, and why?")
    practice_board = "explained-practice"
    words = ("gold explanation", "predicted explanation")

    def made(self, gold: Any) -> Explained:
        return Explained(gold.label, "Warm air can hold more water.")

    def partitions(self, settings: Any, golds: Sequence[Any]) -> Iterable[Partition[Any]]:
        return explained.partitions(settings, golds)

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        public = board.public_golds()
        known = explained.kinds(board.settings, public[-1][1] if public else ())
        return {"described": {name: explained.describe(board.settings, golds, known)
                              for name, golds in public}}

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        return {**CHOICE_FACTS, **TEXT_FACTS}
