"""One item of aNLI as a page shows it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from scorer.tasks.anli.partitions import CUE_WORDS
from scorer.tasks.anli.records import LABELS, Gold, Settings
from scorer.tasks.anli.task import slices_of
from scorer.website.records import Entry
from scorer.website.views.base import ShownExample


class ChoiceCard(NamedTuple):
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


class ChoiceExample(ShownExample[ChoiceCard]):
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

    def card(self, entry: Entry) -> ChoiceCard:
        """The hypothesis that a system took."""
        label = entry.predictions[self.row - 1].label
        return ChoiceCard(entry, label, label == self.gold.label,
                    dict(zip(LABELS, (self.gold.hyp1, self.gold.hyp2), strict=True))[label])
