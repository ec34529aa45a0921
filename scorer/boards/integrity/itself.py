"""A file by itself: flags ``constant``, ``repeats``, ``small-concepts`` and ``null``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from scorer.boards.integrity.flag import LEAST_ROWS, Flag, RowNote, Units, enough
from scorer.core.errors import counted

LEAST_LABEL_SHARE = 0.95
"""Gold's most frequent label has .50 of dev and .56 of train; Max-Margin's .51 of dev."""

LEAST_ANSWER_SHARE = 0.5
"""The most frequent answer of a file of ExplaGraphs: gold and Max-Margin 1 row of 398, null 6."""


def constant(labels: Sequence[str | None], answers: Sequence[Units]) -> Flag:
    """One label (None: the task has none) and the units of one answer per row."""
    n = len(answers)
    label, with_label = _most(tuple(label for label in labels if label is not None))
    _, with_answer = _most(answers if any(answers) else ())
    details = []
    if with_label:
        details.append(f'The label "{label}" in {with_label} of {n} rows.')
    if with_answer:
        details.append(f"The most frequent answer in {with_answer} of {n} rows.")
    one_label = n >= LEAST_ROWS and with_label >= LEAST_LABEL_SHARE * n and with_label > 0
    one_answer = n >= LEAST_ROWS and with_answer >= LEAST_ANSWER_SHARE * n and with_answer > 1
    count = with_label if with_label and (one_label or not one_answer) else with_answer
    return Flag(
        "constant", "One label or one answer throughout", one_label or one_answer,
        count, n, (), tuple(details),
        "The file hardly depends on the items; its values are what a fixed answer earns.",
        "That it was meant to deceive: fixed answers are honest baselines and common accidents.",
    )


def _most(values: Sequence[Hashable]) -> tuple[Hashable, int]:
    """The most frequent value and its count."""
    return Counter(values).most_common(1)[0] if values else (None, 0)


LEAST_REPEATED = 0.05
"""No gold graph of train, dev or refinement is repeated, and none of Max-Margin's; the null, a
template over the items' words, repeats .040."""


def repeats(answers: Sequence[Units]) -> Flag:
    """``answers``: the units of each prediction; those without a readable unit are passed over."""
    where: dict[Units, list[int]] = {}
    for row, units in enumerate(answers, start=1):
        if units:
            where.setdefault(units, []).append(row)
    rows = [RowNote(row, f"the same as row {same[0] if row != same[0] else same[1]}")
            for same in where.values() if len(same) > 1 for row in same]
    groups = sum(len(same) > 1 for same in where.values())
    return Flag(
        "repeats", "The same answer for different items",
        enough(rows, len(answers), LEAST_REPEATED), len(rows), len(answers), tuple(sorted(rows)),
        (f"{groups} different answers occur more than once.",),
        "The answers depend less on the item than those that people write.",
        "That they are wrong where they stand: items about the same thing may share an answer.",
    )


LEAST_SMALL = 0.05
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
        enough(rows, len(concepts), LEAST_SMALL), len(rows), len(concepts), tuple(rows),
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


def null(better: Mapping[str, bool]) -> Flag:
    """``better``: for each tested metric, whether the value is significantly above its null's."""
    worse = [metric for metric, is_better in better.items() if not is_better]
    return Flag(
        "null", "Not better than its null", bool(worse), len(worse), len(better), (),
        (f"Not better: {', '.join(worse)}.",) if worse else (),
        "On these metrics the answers are not significantly better than their null: the same "
        "labels with answers that say nothing.",
        "That the answers are worthless: a metric that such answers win may be the one to doubt.",
    )
