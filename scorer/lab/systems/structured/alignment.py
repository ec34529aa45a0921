"""Where the concepts of a graph stand in its texts, and which words may be concepts.

Everything is lower-cased first, as graphs are read. A *word* is a run of characters without a
blank, less the punctuation at its ends; a concept of a text is some neighbouring words of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Chances = NDArray[np.float64]
"""Shape (words, tags): how likely each tag of each word is."""

OUT, BEGIN, INSIDE = 0, 1, 2
"""Tags of words: in no concept, a concept's first word, a later one."""
MOST_OF_A_TEXT = 6
"""Candidates of one text, beyond those that a graph needs."""
LEAST = 1e-4
"""Chances nearer to 0 or 1 are not told apart."""
DIGITS = 4
"""Odds are rounded, so that a machine's last digits decide nothing."""
_WORD = re.compile(r"[^\W_](?:\S*[^\W_])?")
_ODD = re.compile(r"[();\t]|  ")


class WordRun(NamedTuple):
    """Some neighbouring words of a text by their numbers, the last excluded."""

    first: int
    end: int


class AlignedText:
    """A text as its words."""

    def __init__(self, text: str) -> None:
        self.text = text.lower()
        self.words = [*_WORD.finditer(self.text)]

    def phrase(self, run: WordRun) -> str:
        """The characters from its first word to its last.

        >>> AlignedText("Factory farming, it's said, harms.").phrase(WordRun(1, 3))
        "farming, it's"
        """
        return self.text[self.words[run.first].start() : self.words[run.end - 1].end()]

    def runs(self, most: int) -> list[WordRun]:
        """Every run of at most so many words, as rules count them, that can be a concept."""
        count = len(self.words)
        return [run for first in range(count)
                for end in range(first + 1, min(first + most, count) + 1)
                if self.fits(run := WordRun(first, end), most)]

    def fits(self, run: WordRun, most: int) -> bool:
        """Whether a run has at most so many words and no character that graphs do not allow."""
        phrase = self.phrase(run)
        return phrase.count(" ") < most and not _ODD.search(phrase)

    def exact(self, concept: str) -> WordRun | None:
        """The first run of words that is the concept, or None."""
        return next((run for run, whole in self._places(concept) if whole), None)

    def covering(self, concept: str) -> WordRun | None:
        """The same, or else the words that hold it, such as *cats* the concept *cat*."""
        matches = list(self._places(concept))
        return min(matches, key=lambda match: not match[1])[0] if matches else None

    def _places(self, concept: str) -> list[tuple[WordRun, bool]]:
        """Where the concept occurs, and whether there as whole words."""
        matches = []
        at = self.text.find(concept) if concept else -1
        while at >= 0:
            over = [n for n, word in enumerate(self.words)
                    if word.start() < at + len(concept) and at < word.end()]
            if over:
                run = WordRun(over[0], over[-1] + 1)
                matches.append((run, self.phrase(run) == concept))
            at = self.text.find(concept, at + 1)
        return matches


def tags(text: AlignedText, concepts: Sequence[str]) -> list[int]:
    """A tag for each word; of concepts that overlap the longer one is tagged.

    >>> tags(AlignedText("Factory farming harms cats."), ["farming", "factory farming", "cat"])
    [1, 2, 0, 0]
    """
    marks = [OUT] * len(text.words)
    runs = [run for concept in concepts if (run := text.exact(concept)) is not None]
    for run in sorted(runs, key=lambda run: run.first - run.end):
        if not any(marks[run.first : run.end]):
            marks[run.first : run.end] = [BEGIN] + [INSIDE] * (run.end - run.first - 1)
    return marks


def tagged_runs(marks: Sequence[int]) -> list[WordRun]:
    """The runs that tags say.

    >>> tagged_runs([1, 2, 0, 1, 1])
    [WordRun(first=0, end=2), WordRun(first=3, end=4), WordRun(first=4, end=5)]
    """
    runs = []
    for first, tag in enumerate(marks):
        if tag == BEGIN:
            end = first + 1
            while end < len(marks) and marks[end] == INSIDE:
                end += 1
            runs.append(WordRun(first, end))
    return runs


def outside(texts: Sequence[str], concepts: Sequence[str]) -> list[str]:
    """The concepts that occur in no text."""
    lowered = [text.lower() for text in texts]
    return [concept for concept in concepts if not any(concept in text for text in lowered)]


class ConceptCandidate(NamedTuple):
    """What may be a concept."""

    concept: str
    places: tuple[tuple[int, WordRun], ...]
    """The texts it stands in as whole words, by number, and where."""
    worth: float
    """The logarithm of its odds."""


def candidates(texts: Sequence[AlignedText], chances: Sequence[Chances], most_words: int,
               needs: Sequence[int]) -> list[ConceptCandidate]:
    """The likeliest runs of each text that do not overlap.

    ``needs``: how many different ones each text must have at least; where those that do not
    overlap are too few, the next likeliest are added.
    """
    chosen: dict[str, None] = {}
    for text, tags, need in zip(texts, chances, needs, strict=True):
        runs = sorted(text.runs(most_words), key=lambda run: (-_chance(tags, run), run))
        free = [True] * len(text.words)
        apart: list[str] = []
        for run in runs:
            if all(free[run.first : run.end]) and len(apart) < max(MOST_OF_A_TEXT, need):
                apart.append(text.phrase(run))
                free[run.first : run.end] = [False] * (run.end - run.first)
        own = dict.fromkeys(apart)
        for run in runs:
            if len(own) >= need:
                break
            own.setdefault(text.phrase(run))
        chosen |= own
    made = []
    for concept in chosen:
        matches = tuple((n, words) for n, text in enumerate(texts)
                        if (words := text.exact(concept)) is not None)
        nowhere = math.prod(1 - _chance(chances[n], words) for n, words in matches)
        made.append(ConceptCandidate(concept, matches, log_odds(1 - nowhere)))
    return made


def _chance(tags: Chances, run: WordRun) -> float:
    """How likely a run is tagged as a concept, its words taken as independent."""
    chance = float(tags[run.first, BEGIN])
    for word in range(run.first + 1, run.end):
        chance *= float(tags[word, INSIDE])
    return chance if run.end == len(tags) else chance * (1 - float(tags[run.end, INSIDE]))


def log_odds(chance: float) -> float:
    """The logarithm of the odds, within what is told apart.

    >>> log_odds(0.5), log_odds(1.0) == -log_odds(0.0)
    (0.0, True)
    """
    kept = min(max(chance, LEAST), 1 - LEAST)
    return round(math.log(kept / (1 - kept)), DIGITS)
