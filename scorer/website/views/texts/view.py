"""How aNLG is shown: what a system writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.board import Board
from scorer.messages import GENERATION, SPACES
from scorer.metrics.catalogue import METRICS
from scorer.reading.characters import OTHER_SPACES
from scorer.tasks.anlg import task as anlg
from scorer.tasks.anlg.analysis import (
    AgainstReferences,
    Marked,
    against_references,
    describe_split,
    nearest,
    partitions,
    word_diff,
)
from scorer.tasks.anlg.records import Gold, Prediction, Settings
from scorer.tasks.anlg.task import ANSWERED, EMPTY, context_id
from scorer.tasks.art_files import GIVEN, MOST_LINES
from scorer.tasks.partitions import Partition
from scorer.tasks.written import FEWEST_QUOTED, MOST_LETTERS, MOST_WORDS
from scorer.website.boards.anatomy import Gate
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import GoldFacet, PairFacet, SystemFacet
from scorer.website.browsing.searching import annotated
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.render import score
from scorer.website.views.base import (
    ExampleView,
    Listed,
    ShownExample,
    WorkedItem,
    named_texts,
    practice,
)

WORKED_TEXT = "Birds came and ate it."


class TextCard(NamedTuple):
    """What one system wrote."""

    entry: Entry
    text: str
    reference: int
    """The number of the nearest reference, from 1; 0 for an empty text."""
    marked: tuple[Marked, ...]
    """The text against that."""
    scores: tuple[tuple[str, str], ...]
    """Metrics and what they say of this text."""


def text_card(entry: Entry, row: int, text: str, references: Sequence[str]) -> TextCard:
    """What a system wrote for a row, against the reference that it shares most words with."""
    scores = entry.result.items[row - 1].scores
    told = tuple((name, score(one.value, METRICS[name])) for name, one in scores.items())
    if not text.strip():
        return TextCard(entry, text, 0, (), told)
    place = nearest(references, text)
    return TextCard(entry, text, place + 1, word_diff(references[place], text), told)


def text_facts() -> dict[str, Any]:
    """How long a text may be, and what is told of its form, for the checker page."""
    return {"letters": MOST_LETTERS, "words": MOST_WORDS, "spaces": SPACES,
            "other_spaces": OTHER_SPACES, "fewest_quoted": FEWEST_QUOTED}


class TextExample(ShownExample[TextCard]):
    """One context of a split."""

    def context(self) -> Mapping[str, Any]:
        """The observations and the references."""
        gold = self.gold
        return {"obs1": gold.obs1, "obs2": gold.obs2, "references": gold.references,
                "given": named_texts(self.settings.given, gold.texts),
                "context_id": context_id(*gold.texts)}

    def card(self, entry: Entry) -> TextCard:
        """A system's text, against the reference that it shares most words with."""
        text = entry.predictions[self.row - 1].text
        return text_card(entry, self.row, text, self.gold.references)


class TextView(ExampleView[Settings, Gold, Prediction]):
    """A text for two observations, beside those that people wrote."""

    name = "texts"
    answers = "texts"
    golds = "references"
    null = "a copy of an observation"
    rule_prefix = "ART-"
    checker_script = "texts"

    def examples(self, split: SplitView) -> Callable[[Gold, int], TextExample]:
        return lambda gold, row: TextExample(split.board.settings, gold, row)

    def listed(self, gold: Gold) -> Listed:
        count = len(gold.references)
        return Listed(gold.texts, f"{count} reference{'' if count == 1 else 's'}")

    def worked_item(self) -> WorkedItem:
        """One text written for every context of the practice board, of which the first is shown."""
        board, golds = practice("anlg-practice")
        first: Gold = golds[0]
        references = enumerate(first.references, start=1)
        texts = (*zip(board.settings.given, first.texts, strict=True),
                 *((f"reference {number}", one) for number, one in references),
                 ("predicted", WORKED_TEXT))
        return WorkedItem(board, golds, [Prediction(WORKED_TEXT)] * len(golds), texts)

    def answer(self, prediction: Prediction) -> str:
        return prediction.text

    def references(self, gold: Gold) -> list[str]:
        return list(gold.references)

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        return {"systems": bool(split.comparable)}

    def gates(self, split: SplitView, entry: Entry) -> Iterable[Gate]:
        """How many texts there are."""
        counts = entry.result.counts
        if ANSWERED not in counts:
            return []
        return [Gate("contexts of the split", counts["items"], 0, "", ""),
                Gate("with a text", counts[ANSWERED], counts[EMPTY], "",
                     annotated(split, entry, EMPTY))]

    def partitions(self, settings: Settings, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return partitions(golds)

    def statistics(self, split: SplitView, entry: Entry) -> AgainstReferences | None:
        """Its texts beside the references, where both are at hand."""
        texts = [prediction.text for prediction in entry.predictions]
        return against_references(split.golds, texts) if texts and split.golds else None

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        """What can be counted of the splits at hand."""
        return {"described": [describe_split(name, golds) for name, golds in board.public_golds()]}

    def difficulty(self, board: BoardView) -> Sequence[GoldFacet]:
        return outcomes.difficulty(board)

    def system_facets(self, board: BoardView) -> Sequence[SystemFacet]:
        """System A's scores; whether there was a text at all."""
        return [*outcomes.scored(board), *outcomes.verdicts(board, {}, "A's text is")]

    def pair_facets(self, board: BoardView) -> Sequence[PairFacet]:
        scores = outcomes.score_pair(board)
        return [scores] if scores else []

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """What is read of a text, what ids are called, and what a line of official JSON is."""
        return {"official": board.settings.given == GIVEN, "key": anlg.KEY,
                "context": anlg.CONTEXT, "lines_a_context": anlg.LINES_A_CONTEXT,
                "lines_a_text": MOST_LINES,
                "levels": anlg.MOST_LEVELS, "generation": GENERATION, **text_facts()}
