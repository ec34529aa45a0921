"""Flag ``small-concepts``: concepts of one character, or of words that carry no content.

A released gate counts a concept as taken from a text when it occurs there as a substring, so that
"a" or "the" always does. The flag is for English texts; other letters than a to z never count.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.errors import counted
from scorer.integrity.flag import Flag, RowNote, enough

LEAST_SHARE = 0.05
"""Rows with such a concept: gold .0055 (train, 2,368) and .0025 (dev, 398), Max-Margin 0; the null
and the reference row nearest-neighbour, which take words without looking at them, .72 and .55."""

STOP_WORDS = frozenset((
    "a", "an", "the", "this", "that", "these", "those", "and", "or", "but", "nor", "if", "than",
    "then", "so", "as", "because", "while", "of", "to", "in", "on", "at", "by", "for", "with",
    "from", "into", "about", "over", "under", "i", "he", "she", "it", "we", "they", "him",
    "her", "them", "his", "its", "our", "your", "their", "my", "me", "is", "are", "was", "were",
    "be", "been", "being", "am", "do", "does", "did", "done", "has", "have", "had", "can",
    "could", "will", "would", "shall", "should", "may", "might", "must", "not", "no",
))
"""Articles, conjunctions, prepositions, pronouns, auxiliaries. Without "us", which names a country,
and "you": people write both as concepts."""


def small_concepts(concepts: Sequence[Sequence[str]]) -> Flag:
    """``concepts``: those of each prediction, lower-cased."""
    rows, letters = [], 0
    for row, named in enumerate(concepts, start=1):
        small = [concept for concept in dict.fromkeys(named) if is_small(concept)]
        if small:
            rows.append(RowNote(row, ", ".join(f'"{concept}"' for concept in small)))
            letters += any(len(concept.strip()) == 1 for concept in small)
    return Flag(
        "small-concepts", "Concepts of one letter or without a content word",
        enough(rows, len(concepts), LEAST_SHARE), len(rows), len(concepts), tuple(rows),
        (f"{counted(letters, 'row')} with a concept of one letter, {len(rows) - letters} with stop "
         "words only.",),
        "Concepts are used that occur in almost every text, so that the gate that asks for "
        "concepts of the texts says little here.",
        "That this was aimed at the gate: a tool that cuts words from texts does it too.",
    )


def is_small(concept: str) -> bool:
    """Whether a concept is one letter or digit, or stop words only.

    >>> [is_small(c) for c in ("a", "should not", "the us", "7", "cats", "")]
    [True, True, False, True, False, False]
    """
    words = concept.split()
    if len(concept.strip()) == 1:
        return concept.isascii() and concept.strip().isalnum()
    return bool(words) and all(word in STOP_WORDS for word in words)
