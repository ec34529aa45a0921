"""By what items of aNLG can be found in the example browser. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from statistics import fmean

from scorer.tasks.anlg import task as anlg
from scorer.tasks.anlg.analysis import REFERENCES
from scorer.tasks.anli.task import words
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Facet, Outcome, Told, of_gold
from scorer.website.records import BoardView
from scorer.website.views.word_classes import WORDS, of_length

OVERLAPS = (0.25, 0.5)
"""Where classes of a share begin."""
SHARES = ("less than a quarter", "a quarter to a half", "half or more")


def marks(settings: anlg.Settings) -> Sequence[str | None]:
    """The observations come in the order of the story."""
    return "", ""


def facets(board: BoardView) -> list[Told]:
    """References, their length, how much the observations share, how well systems do."""
    return [
        of_gold(board, Facet("references", "References", REFERENCES),
                lambda gold: (REFERENCES[min(len(gold.references), len(REFERENCES)) - 1],)),
        of_gold(board, Facet("words", "Words of a reference, on average", WORDS),
                lambda gold: (of_length(fmean(len(words(text)) for text in gold.references)),)),
        of_gold(board, Facet("overlap", "Words of the second observation that the first has",
                             SHARES),
                lambda gold: (SHARES[bisect_right(OVERLAPS, _shared(gold))],)),
        *outcomes.difficulty(board),
    ]


def _shared(gold: anlg.Gold) -> float:
    """The share of the second observation's different words that the first one has too."""
    first, second = {*words(gold.obs1)}, {*words(gold.obs2)}
    return len(first & second) / max(1, len(second))


def results(board: BoardView) -> list[Outcome]:
    """System A's scores; whether there was a text at all."""
    return [*outcomes.scored(board), *outcomes.verdicts(board, "A's text is")]


BROWSING = Browsing(marks, facets, results, outcomes.score_duel)
