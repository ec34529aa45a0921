"""One item of aNLI as a page shows it, and what a system gets wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scorer.tasks.anli.analysis import Counted, counted, describe
from scorer.tasks.anli.partitions import CUE_WORDS, partitions
from scorer.tasks.anli.records import LABELS, Gold, Settings
from scorer.tasks.anli.task import RIGHT, WRONG, slices_of
from scorer.website.boards.anatomy import Anatomy, Gate
from scorer.website.boards.anatomy import anatomy as parted
from scorer.website.browsing.searching import annotated
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.views import base as kind
from scorer.website.views.base import Listed


class Card(NamedTuple):
    """What one system took."""

    entry: Entry
    label: str
    right: bool
    hypothesis: str


class Hypothesis(NamedTuple):
    """One of the two."""

    label: str
    text: str
    right: bool


class Stage(kind.Stage):
    """One item of a split."""

    def __init__(self, settings: Settings, gold: Gold, row: int) -> None:
        self.settings = settings
        self.gold = gold
        self.row = row

    def context(self) -> Mapping[str, Any]:
        """The observations, the hypotheses, and the slices that the item is in."""
        gold = self.gold
        both = zip(LABELS, (gold.hyp1, gold.hyp2), strict=True)
        return {
            "obs1": gold.obs1, "obs2": gold.obs2, "story_id": gold.story_id,
            "hypotheses": [Hypothesis(label, text, label == gold.label) for label, text in both],
            "slices": [CUE_WORDS.get(name, name) for name in slices_of(self.settings, gold)],
        }

    def card(self, entry: Entry) -> Card:
        """The hypothesis that a system took."""
        label = entry.predictions[self.row - 1].label
        return Card(entry, label, label == self.gold.label,
                    dict(zip(LABELS, (self.gold.hyp1, self.gold.hyp2), strict=True))[label])


def listed(settings: Settings, gold: Gold) -> Listed:
    """An item in a list: what was seen and what may have happened, in the order of the story."""
    return Listed((gold.obs1, *gold.hypotheses[:1], gold.obs2), f"hypothesis {gold.label}")


# ---- what a system gets wrong --------------------------------------------------------------------


class Outcome(NamedTuple):
    """A system's choices as a whole."""

    labels: tuple[str, ...]
    confusion: Mapping[str, Mapping[str, int]]
    """Gold by predicted label."""
    slices: tuple[tuple[str, Counted], ...]
    """With the words that people read; as a result counts them, even where no item is shown."""


def anatomy(view: SplitView, entry: Entry) -> Anatomy:
    """How many are right, on which items, and which label is taken for which."""
    return parted(view, entry, partitions(view.board.settings), _gates(view, entry))


def statistics(view: SplitView, entry: Entry) -> Outcome | None:
    """The confusion; the slices too where no item may be shown, so that nothing else has them."""
    counts = entry.result.counts
    if "confusion" not in counts:
        return None
    slices = () if view.golds else tuple(
        (CUE_WORDS.get(one.name, one.name), one) for one in counted(counts["slices"]))
    return Outcome(LABELS, counts["confusion"], slices)


def _gates(view: SplitView, entry: Entry) -> Iterator[Gate]:
    counts = entry.result.counts
    if RIGHT not in counts:
        return
    yield Gate("items of the split", counts["items"], 0, "", "")
    yield Gate("right", counts[RIGHT], counts[WRONG], annotated(view, entry, RIGHT),
               annotated(view, entry, WRONG))


# ---- the data ------------------------------------------------------------------------------------


def dataset(board: BoardView) -> Mapping[str, Any]:
    """What can be counted of the splits at hand."""
    public = [view for view in board.splits if view.golds]
    found = [describe(view.name, board.settings, view.golds) for view in public]
    if len(public) > 1:
        golds = [gold for view in public for gold in view.golds]
        found.append(describe("together", board.settings, golds))
    return {"described": found, "cue_words": CUE_WORDS,
            "lists": board.settings.slices}
