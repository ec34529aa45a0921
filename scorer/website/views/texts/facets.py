"""By what items of aNLG can be found in the example browser. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.tasks.anlg.partitions import PARTITIONS
from scorer.tasks.anlg.records import Settings
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Outcome, Told, of_gold
from scorer.website.records import BoardView


def marks(settings: Settings) -> Sequence[str | None]:
    """The observations come in the order of the story."""
    return "", ""


def facets(board: BoardView) -> list[Told]:
    """References, their length, how much the observations share, how well systems do."""
    return [*of_gold(board, PARTITIONS), *outcomes.difficulty(board)]


def results(board: BoardView) -> list[Outcome]:
    """System A's scores; whether there was a text at all."""
    return [*outcomes.scored(board), *outcomes.verdicts(board, "A's text is")]


BROWSING = Browsing(marks, facets, results, outcomes.score_duel)
