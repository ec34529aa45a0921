"""By what items of aNLI can be found in the example browser. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scorer.tasks.anli import task as anli
from scorer.tasks.anli.analysis import CUE_WORDS, LENGTH, SHARED
from scorer.tasks.anli.task import slices_of, words
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Facet, Told, of_gold
from scorer.website.records import BoardView
from scorer.website.views.word_classes import WORDS, of_length

NO_SLICE = "none of these"

CUES = tuple(
    (Facet(name, title, tuple(CUE_WORDS[cue] for cue in cues)), cues)
    for name, title, cues in (("length", "Words of the hypotheses", LENGTH),
                              ("shared", "Words shared with the observations", SHARED)))
"""The signs that a system may go by: a facet for each of the task's, and its slices in order."""


def marks(settings: anli.Settings) -> Sequence[str | None]:
    """The id is no text; hypotheses have their numbers."""
    return None, "", "", *(f"{label}:" for label in anli.LABELS)


def facets(board: BoardView) -> list[Told]:
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
                lambda gold: (of_length(len(words(gold.hypotheses[0]))),) if gold.hyp1 else ()),
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


BROWSING = Browsing(marks, facets, outcomes.verdicts, outcomes.gate_duel)
