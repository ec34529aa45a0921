"""By what narratives can be told apart in the browser. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean

from scorer.analyses.choices import CUE_WORDS, LENGTH, SHARED
from scorer.analyses.stories import REFERENCES
from scorer.tasks import anlg, anli
from scorer.tasks.anli import slices_of, words
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Facet, Outcome, Told, of_gold
from scorer.website.views import BoardView

LENGTHS = (6, 9, 13)
"""Where classes of a number of words begin: most references of ART have 6 to 12 words."""
OVERLAPS = (0.25, 0.5)
"""Where classes of a share begin."""
SHARES = ("less than a quarter", "a quarter to a half", "half or more")
NO_SLICE = "none of these"


def _classes(starts: Sequence[int]) -> tuple[str, ...]:
    """Classes of a number that begin there, in words.

    >>> _classes((6, 9, 13))
    ('5 or fewer', '6 to 8', '9 to 12', '13 or more')
    """
    inner = (f"{low} to {high - 1}" for low, high in pairwise(starts))
    return f"{starts[0] - 1} or fewer", *inner, f"{starts[-1]} or more"


WORDS = _classes(LENGTHS)


def _of_length(count: float) -> str:
    return WORDS[bisect_right(LENGTHS, round(count))]


# ---- which hypothesis --------------------------------------------------------------------------


CUES = tuple(
    (Facet(name, title, tuple(CUE_WORDS[cue] for cue in cues)), cues)
    for name, title, cues in (("length", "Words of the hypotheses", LENGTH),
                              ("shared", "Words shared with the observations", SHARED)))
"""The signs that a system may go by: a facet for each of the task's, and its slices in order."""


def choice_marks(settings: anli.Settings) -> Sequence[str | None]:
    """The id is no text; hypotheses have their numbers."""
    return None, "", "", *(f"{label}:" for label in anli.LABELS)


def choice_facets(board: BoardView) -> list[Told]:
    """Label, slices of the board, signs that give the answer away, length, systems that are right.

    Words of a hypothesis are counted as the task's slices count them.
    """
    settings: anli.Settings = board.settings
    slices = [one.name for one in settings.slices]
    found = [
        of_gold(board, Facet("label", "Right hypothesis", anli.LABELS, tag="right: {}"),
                lambda gold: (gold.label,)),
        *(of_gold(board, facet, _one_of(settings, names, facet.values)) for facet, names in CUES),
        of_gold(board, Facet("words", "Words of the right hypothesis", WORDS),
                lambda gold: (_of_length(len(words(gold.hypotheses[0]))),) if gold.hyp1 else ()),
    ]
    if slices:
        facet = Facet("slice", "Has words that are (our lists)", (*slices, NO_SLICE), several=True)
        found.append(of_gold(board, facet, lambda gold: [
            name for name in slices_of(settings, gold) if name in slices
        ] or [NO_SLICE] * bool(gold.hyp1)))
    return [*found, *outcomes.agreement(board)]


def _one_of(settings: anli.Settings, names: Sequence[str], values: Sequence[str]
            ) -> Callable[[anli.Gold], Sequence[str]]:
    """The value for the one slice of some that an item is in; none for an item without texts."""
    said = dict(zip(names, values, strict=True))
    return lambda gold: [said[name] for name in slices_of(settings, gold) if name in said]


CHOICES = Browsing(choice_marks, choice_facets, outcomes.verdicts, outcomes.gate_duel)
"""Of aNLI."""


# ---- what happened -----------------------------------------------------------------------------


def text_marks(settings: anlg.Settings) -> Sequence[str | None]:
    """The observations come in the order of the story."""
    return "", ""


def text_facets(board: BoardView) -> list[Told]:
    """References, their length, how much the observations share, how well systems do."""
    return [
        of_gold(board, Facet("references", "References", REFERENCES),
                lambda gold: (REFERENCES[min(len(gold.references), len(REFERENCES)) - 1],)),
        of_gold(board, Facet("words", "Words of a reference, on average", WORDS),
                lambda gold: (_of_length(fmean(len(words(text)) for text in gold.references)),)),
        of_gold(board, Facet("overlap", "Words of the second observation that the first has",
                             SHARES),
                lambda gold: (SHARES[bisect_right(OVERLAPS, _shared(gold))],)),
        *outcomes.difficulty(board),
    ]


def _shared(gold: anlg.Gold) -> float:
    """The share of the second observation's different words that the first one has too."""
    first, second = {*words(gold.obs1)}, {*words(gold.obs2)}
    return len(first & second) / max(1, len(second))


def text_outcomes(board: BoardView) -> list[Outcome]:
    """System A's scores; whether there was a text at all."""
    return [*outcomes.scored(board), *outcomes.verdicts(board, "A's text is")]


GENERATED = Browsing(text_marks, text_facets, text_outcomes, outcomes.score_duel)
"""Of aNLG."""
