"""One context of aNLG as a page shows it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.tasks.anlg.analysis import Marked, nearest, word_diff
from scorer.tasks.anlg.records import Gold
from scorer.tasks.anlg.task import context_id
from scorer.website.records import Entry
from scorer.website.render import score
from scorer.website.views.base import ShownExample


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


class TextExample(ShownExample[TextCard]):
    """One context of a split."""

    def __init__(self, gold: Gold, row: int) -> None:
        self.gold = gold
        self.row = row

    def context(self) -> Mapping[str, Any]:
        """The observations and the references."""
        gold = self.gold
        return {"obs1": gold.obs1, "obs2": gold.obs2, "references": gold.references,
                "context_id": context_id(gold.obs1, gold.obs2)}

    def card(self, entry: Entry) -> TextCard:
        """A system's text, against the reference that it shares most words with."""
        text = entry.predictions[self.row - 1].text
        scores = entry.result.items[self.row - 1].scores
        told = tuple((name, score(scores[name].value, info))
                     for name, info in METRICS.items() if name in scores)
        if not text.strip():
            return TextCard(entry, text, 0, (), told)
        place = nearest(self.gold.references, text)
        return TextCard(entry, text, place + 1, word_diff(self.gold.references[place], text), told)
