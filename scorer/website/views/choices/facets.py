"""By what items of aNLI can be found in the example browser. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.tasks.anli.partitions import partitions
from scorer.tasks.anli.records import LABELS, Settings
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Told, of_gold
from scorer.website.records import BoardView


def marks(settings: Settings) -> Sequence[str | None]:
    """The id is no text; hypotheses have their numbers."""
    return None, "", "", *(f"{label}:" for label in LABELS)


def facets(board: BoardView) -> list[Told]:
    """What gold says of an item, then how many systems are right."""
    return [*of_gold(board, partitions(board.settings)), *outcomes.agreement(board)]


BROWSING = Browsing(marks, facets, outcomes.verdicts, outcomes.gate_duel)
