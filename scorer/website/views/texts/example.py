"""One context of aNLG as a page shows it, and what a system writes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.tasks.anlg.analysis import (
    AgainstReferences,
    Marked,
    against_references,
    describe_split,
    nearest,
    word_diff,
)
from scorer.tasks.anlg.partitions import PARTITIONS
from scorer.tasks.anlg.records import Gold, Settings
from scorer.tasks.anlg.task import ANSWERED, EMPTY, context_id
from scorer.website.boards.anatomy import Anatomy, Gate
from scorer.website.boards.anatomy import anatomy as parted
from scorer.website.browsing.searching import annotated
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.render import score
from scorer.website.views import base as kind
from scorer.website.views.base import Listed


class Card(NamedTuple):
    """What one system wrote."""

    entry: Entry
    text: str
    reference: int
    """The number of the nearest reference, from 1; 0 for an empty text."""
    marked: tuple[Marked, ...]
    """The text against that."""
    scores: tuple[tuple[str, str], ...]
    """Metrics and what they say of this text."""


class Stage(kind.Stage):
    """One context of a split."""

    def __init__(self, gold: Gold, row: int) -> None:
        self.gold = gold
        self.row = row

    def context(self) -> Mapping[str, Any]:
        """The observations and the references."""
        gold = self.gold
        return {"obs1": gold.obs1, "obs2": gold.obs2, "references": gold.references,
                "context_id": context_id(gold.obs1, gold.obs2)}

    def card(self, entry: Entry) -> Card:
        """A system's text, against the reference that it shares most words with."""
        text = entry.predictions[self.row - 1].text
        scores = entry.result.items[self.row - 1].scores
        told = tuple((name, score(scores[name].value, info))
                     for name, info in METRICS.items() if name in scores)
        if not text.strip():
            return Card(entry, text, 0, (), told)
        place = nearest(self.gold.references, text)
        return Card(entry, text, place + 1, word_diff(self.gold.references[place], text), told)


def listed(settings: Settings, gold: Gold) -> Listed:
    """A context in a list."""
    count = len(gold.references)
    return Listed(gold.texts, f"{count} reference{'' if count == 1 else 's'}")


# ---- what a system writes ------------------------------------------------------------------------


def anatomy(view: SplitView, entry: Entry) -> Anatomy:
    """How many texts there are, and how they fare."""
    return parted(view, entry, PARTITIONS, _gates(view, entry))


def statistics(view: SplitView, entry: Entry) -> AgainstReferences | None:
    """Its texts beside the references, where both are at hand."""
    texts = [prediction.text for prediction in entry.predictions]
    return against_references(view.golds, texts) if texts and view.golds else None


def _gates(view: SplitView, entry: Entry) -> Iterator[Gate]:
    counts = entry.result.counts
    if ANSWERED not in counts:
        return
    yield Gate("contexts of the split", counts["items"], 0, "", "")
    yield Gate("with a text", counts[ANSWERED], counts[EMPTY], "", annotated(view, entry, EMPTY))


# ---- the data ------------------------------------------------------------------------------------


def dataset(board: BoardView) -> Mapping[str, Any]:
    """What can be counted of the splits at hand."""
    public = [view for view in board.splits if view.golds]
    found = [describe_split(view.name, view.golds) for view in public]
    if len(public) > 1:
        found.append(describe_split("together", [gold for view in public for gold in view.golds]))
    return {"described": found}
