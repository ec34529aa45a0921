"""By what explanation graphs can be told apart in the browser. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.tasks.graphs.partitions import partitions
from scorer.tasks.graphs.records import Settings
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Told, of_gold
from scorer.website.records import BoardView


def marks(settings: Settings) -> Sequence[str | None]:
    """No text needs a word before it."""
    return [""] * len(settings.texts)


def facets(board: BoardView) -> list[Told]:
    """Label, and what the first gold graph is like; then how many systems are right."""
    golds = [gold for view in board.splits for gold in view.golds]
    return [*of_gold(board, partitions(board.settings, golds)), *outcomes.agreement(board)]


BROWSING = Browsing(marks, facets, outcomes.verdicts, outcomes.gate_duel)
