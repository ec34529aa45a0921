"""How tasks of texts are shown: a choice of two hypotheses (aNLI), a text that a system writes
(aNLG), and a choice with a text that says why (explained choices).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, ClassVar, Literal, NamedTuple

from scorer.boards import Board
from scorer.core.reading.characters import OTHER_SPACES
from scorer.core.reading.values import plain
from scorer.core.rules import GENERATION
from scorer.site.boards.anatomy import Gate
from scorer.site.browsing import facets
from scorer.site.browsing.facets import GoldFacet, PairFacet, SystemFacet, annotated
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views import base
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.texts import items
from scorer.tasks.texts.art_files import CONTEXT, LINES_A_CONTEXT, MOST_LEVELS, context_id
from scorer.tasks.texts.items import (
    CUE_WORDS,
    GIVEN,
    LABELS,
    MOST_LETTERS,
    MOST_WORDS,
    Gold,
    Prediction,
    words,
)
from scorer.tasks.texts.task import (
    ANSWERED,
    EMPTY,
    LISTED,
    NUMBERS,
    AbductiveGeneration,
    AbductiveInference,
    ExplainedChoices,
    TextTask,
)

CHOICE_FACTS = {"labels": list(LABELS), "listed": LISTED, "numbers": list(NUMBERS),
                "no_answer": NO_ANSWER}
"""The labels and no answer, and what is often written in their place, for the checker page."""
TEXT_FACTS = {"letters": MOST_LETTERS, "words": MOST_WORDS, "other_spaces": OTHER_SPACES}
"""How long a text may be, and what is reported of its form, for the checker page."""

Status = Literal["kept", "extra", "missing"]


class Marked(NamedTuple):
    """Some words in a row, and whether the text, the reference or both have them."""

    status: Status
    text: str


def word_diff(reference: str, text: str) -> tuple[Marked, ...]:
    """A text against a reference, in an order that reads; case and outer punctuation are equal.

    >>> [tuple(one) for one in word_diff("Ann missed her bus.", "ann missed the train")]
    [('kept', 'ann missed'), ('missing', 'her bus.'), ('extra', 'the train')]
    """
    ours, theirs = text.split(), reference.split()
    parts: list[Marked] = []
    match = SequenceMatcher(None, _compared(theirs), _compared(ours), autojunk=False)
    for kind, i, j, k, n in match.get_opcodes():
        if kind == "equal":
            parts.append(Marked("kept", " ".join(ours[k:n])))
            continue
        if i < j:
            parts.append(Marked("missing", " ".join(theirs[i:j])))
        if k < n:
            parts.append(Marked("extra", " ".join(ours[k:n])))
    return tuple(parts)


def _compared(tokens: Iterable[str]) -> list[str]:
    return [" ".join(words(token)) or token for token in tokens]


def nearest(references: Sequence[str], text: str) -> int:
    """The zero-based place of the reference that shares most words with a text, in order.

    >>> nearest(["It rained all day.", "Ann missed the bus."], "ann missed it")
    1
    """
    ours = _compared(text.split())
    likeness = [SequenceMatcher(None, _compared(reference.split()), ours, autojunk=False).ratio()
                for reference in references]
    return max(range(len(references)), key=lambda index: (likeness[index], -index))


class AnswerExample(base.ShownExample):
    """One item of a split."""

    def __init__(self, view: AnswerView, settings: Any, gold: Gold, row: int) -> None:
        super().__init__(settings, gold, row)
        self.view = view
        self.hypotheses = dict(zip(LABELS, gold.choices, strict=False))

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
        answer: Prediction = entry.predictions[self.row - 1]
        gold, written = self.gold, self.view.written
        scores = entry.result.items[self.row - 1].scores if written else {}
        place = nearest(gold.references, answer.text) if answer.text.strip() else -1
        return {
            "entry": entry, "answer": answer, "right": answer.label == gold.label,
            "chosen": bool(self.hypotheses), "written": written,
            "hypothesis": self.hypotheses.get(answer.label, ""),
            "scores": [(name, scores[name].value) for name in entry.result.metrics
                       if name in scores],
            "reference": place + 1,
            "marked": word_diff(gold.references[place], answer.text) if place >= 0 else ()}


class AnswerView(base.ExampleView):
    """Given texts, and what is chosen or written about them."""

    shared = "answers"
    rule_prefix = "ART-"
    task: ClassVar[type[TextTask]]
    asked: ClassVar[tuple[str, str]]
    """What is asked of two observations, and of other texts."""
    practice_board: ClassVar[str]
    words: ClassVar[tuple[str, str]] = ("reference", "predicted")
    """What a worked example calls a text by people, and the one that is measured."""

    @property
    def written(self) -> bool:
        """Whether a text is written."""
        return bool(self.task.text_column)

    def more(self, settings: Any, gold: Gold) -> Mapping[str, Any]:
        """What else ``example.html`` shows of an item: its slices, its id."""
        return {}

    def example(self, settings: Any, gold: Gold, row: int) -> AnswerExample:
        return AnswerExample(self, settings, gold, row)

    def listed(self, gold: Gold) -> base.Listed:
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
        if self.task.labels:
            label = (f"label: gold {first.label}, predicted {made[0].label}",)
        if self.written:
            word, predicted = self.words
            shown += [(f"{word} {number}" if first.references[1:] else word, reference)
                      for number, reference in enumerate(first.references, start=1)]
            shown.append((predicted, made[0].text))
        return base.WorkedItem(board, golds, made, tuple(shown), label)

    @abstractmethod
    def made(self, gold: Gold) -> Prediction:
        """The answer of the worked example to an item of the practice board."""

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        return {"systems": self.written and bool(split.comparable)}

    def right(self, board: Board) -> str:
        return "the gold hypothesis"

    def statistics(self, split: SplitView, entry: Entry) -> object:
        """Its texts beside those by people, where both are at hand."""
        texts = [prediction.text for prediction in entry.predictions]
        return items.against_references(split.golds, texts) if texts and split.golds else None

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """Hypotheses have their numbers; an id is no text."""
        ids, given = len(self.task.id_columns), len(board.settings.given)
        labels = LABELS if self.task.labels else ()
        return *[None] * ids, *[""] * given, *(f"{label}:" for label in labels)


class ChoiceView(AnswerView):
    """Two hypotheses, of which a system takes one."""

    name = "choices"
    answers = "choices"
    golds = "labels"
    checker_script = "labels"
    checker_metrics = ("accuracy",)
    task = AbductiveInference
    practice_board = "anli-practice"
    asked = ("Which hypothesis explains what happened?", "Which is right?")

    def more(self, settings: Any, gold: Gold) -> Mapping[str, Any]:
        return {"item": gold.ids[0], "slices": [
            CUE_WORDS.get(name, name) for name in items.slices_of(settings, gold)]}

    def made(self, gold: Gold) -> Prediction:
        """The wrong one."""
        return Prediction(next(label for label in LABELS if label != gold.label))

    def statistics(self, split: SplitView, entry: Entry) -> base.Confusion | None:
        """The confusion; the slices where no item may be shown, so that nothing else has them."""
        counts = entry.result.counts
        if "confusion" not in counts:
            return None
        slices = () if split.golds else tuple(
            (CUE_WORDS.get(name, name), part) for name, part in counts["slices"].items()
            if part["items"])
        confusion = counts["confusion"]
        taken = {label: f"took {label}" for label in LABELS}
        taken |= {NO_ANSWER: "no answer"} if NO_ANSWER in confusion[LABELS[0]] else {}
        return base.Confusion(LABELS, taken, confusion, slices)

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        public = board.public_golds()
        return {"described": {name: items.describe_choices(golds) for name, golds in public},
                "slices": {name: items.by_slice(board.settings, golds) for name, golds in public},
                "lists": board.settings.slices}

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        return {"key": self.task.key, **CHOICE_FACTS}


class TextView(AnswerView):
    """A text for two observations, beside those that people wrote."""

    name = "texts"
    answers = "texts"
    golds = "references"
    null = "a copy of an observation"
    checker_script = "texts"
    task = AbductiveGeneration
    asked = ("What happened?", "What is the reason?")
    practice_board = "anlg-practice"

    def more(self, settings: Any, gold: Gold) -> Mapping[str, Any]:
        return {"item": context_id(*gold.texts)[:12]}

    def listed(self, gold: Gold) -> base.Listed:
        count = len(gold.references)
        return base.Listed(gold.texts, f"{count} reference{'' if count == 1 else 's'}")

    def made(self, gold: Gold) -> Prediction:
        return Prediction(text="Birds came and ate it.")

    def gates(self, split: SplitView, entry: Entry) -> Iterable[Gate]:
        """How many texts there are."""
        counts = entry.result.counts
        if ANSWERED not in counts:
            return []
        return [Gate("contexts of the split", counts["items"], 0, "", ""),
                Gate("with a text", counts[ANSWERED], counts[EMPTY], "",
                     annotated(split, entry, EMPTY))]

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        return {"described": {name: items.describe_texts(golds)
                              for name, golds in board.public_golds()}}

    def difficulty(self, board: BoardView) -> Sequence[GoldFacet]:
        return facets.difficulty(board)

    def system_facets(self, board: BoardView) -> Sequence[SystemFacet]:
        """Whether there was a text at all."""
        return facets.verdicts(board, {}, "A's text is")

    def pair_facets(self, board: BoardView) -> Sequence[PairFacet]:
        return facets.score_pair(board)

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """What is read of a text, what ids are called, and what a line of official JSON is."""
        return {"official": board.settings.given == GIVEN, "key": self.task.key,
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
    task = ExplainedChoices
    asked = ("Which is right, and why?", "Which is right, and why?")
    practice_board = "explained-practice"
    words = ("gold explanation", "predicted explanation")

    def made(self, gold: Gold) -> Prediction:
        return Prediction(gold.label, "Warm air can hold more water.")

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        public = board.public_golds()
        known = items.kinds(board.settings, public[-1][1] if public else ())
        return {"described": {name: items.describe_explained(board.settings, golds, known)
                              for name, golds in public}}

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        return {**CHOICE_FACTS, **TEXT_FACTS}
