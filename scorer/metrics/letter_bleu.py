"""BLEU over the letters of a text: what the evaluator that e-CARE releases prints as average BLEU.

Whose BLEU: ``nltk.bleu([gold], prediction)`` with its defaults (github Waste-Wood/e-CARE, commit
c3b5264, conceptual_explanation_generation.py). nltk takes lists of words; the evaluator gives it
two strings, so that every character is a word, spaces included. The numbers are therefore far above
those of a BLEU over words. ``bleu.py`` has the formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from scorer.core.records import ItemScore
from scorer.metrics.base import MetricInfo
from scorer.metrics.bleu import HIGHEST_ORDER, count, score
from scorer.metrics.caption_ngrams import CaptionItem
from scorer.metrics.worked import Arithmetic

E_CARE = "github Waste-Wood/e-CARE, commit c3b5264, conceptual_explanation_generation.py"
DU = "Du, Ding, Xiong, Liu and Qin: e-CARE. ACL 2022"


def letter_bleu(items: Sequence[CaptionItem]) -> list[ItemScore]:
    """BLEU of each item's characters, 0 to 1, higher is better; the best reference counts.

    ``items``: text and references each. An empty text: 0. No four characters in a row shared: not
    0, but next to nothing, as in nltk.

    >>> [found, nothing] = letter_bleu([("cats purr", ("cats purr.",)), ("", ("cats",))])
    >>> round(found.value, 6), nothing.value  # exp(1 - 10 / 9)
    (0.894839, 0.0)
    """
    counted = cache(count)
    return [ItemScore(max(score(counted(one), counted(text)) for one in references))
            for text, references in items]


def explain(metric: MetricInfo, items: Sequence[CaptionItem]) -> Arithmetic:
    """How many runs of characters the text and its best reference share."""
    [found] = metric.compute(items[:1])
    text, references = items[0]
    ours = count(text)
    best = max(references, key=lambda one: score(count(one), ours))
    theirs = count(best)
    shared = ", ".join(f"{len(mine & gold)} of {ours.length - order}" for order, (mine, gold)
                       in enumerate(zip(ours.orders, theirs.orders, strict=True)))
    return Arithmetic((
        f"the best of the references: “{best}”",
        f"runs of 1 to {HIGHEST_ORDER} characters that it has too: {shared}",
        f"characters: {ours.length}; of the reference: {theirs.length}",
        f"their geometric mean, times exp(1 - r/c) for a shorter text = {found.value:.3f}"),
        found.value)


LETTER_BLEU = MetricInfo(
    "BLEU-letters", "BLEU of letters (e-CARE's average BLEU)", "higher",
    "How far the texts repeat the references, up to four characters in a row.",
    "nltk's sentence BLEU without smoothing, with every character for a word, as the released "
    "evaluator calls it; the best reference of an item counts. Mean over all items. Far above any "
    "BLEU of words.",
    E_CARE, DU, letter_bleu, graded=False, explain=explain,
    signature=("bleu:nltk-sentence", "tok:character", "smooth:none", "case:mixed"),
)
