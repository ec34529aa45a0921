"""Items of texts, as aNLI, aNLG and explained choices have them: the record, words, what the form
of two hypotheses gives away, texts in numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from scorer.tasks.answers import with_article
from scorer.tasks.labelled import Labelled
from scorer.tasks.partitions import Partition, Statistic, spread

GIVEN = ("obs1", "obs2")
"""The columns of what is given, where a board does not name others."""
LABELS = ("1", "2")


@dataclass(frozen=True)
class Gold:
    """One item. Of a file of labels alone the texts are empty."""

    given: tuple[str, ...]
    """The texts that are given: two observations, where a board does not have others."""
    choices: tuple[str, ...] = ()
    """The two hypotheses of which one is right; none where nothing is chosen."""
    label: str = ""
    """Which one is right."""
    references: tuple[str, ...] = ()
    """What people wrote; none where nothing is written."""
    ids: tuple[str, ...] = ()
    """The item's id, where files have one."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return (*self.ids, *self.given, *self.choices)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """The right one, then the other."""
        return self.choices if self.label == LABELS[0] else self.choices[::-1]


def words(text: str) -> list[str]:
    """Lower-cased words without the punctuation around them.

    >>> words("Ann's dog ran -- home!")
    ["ann's", 'dog', 'ran', 'home']
    """
    tokens = (word.strip(".,;:!?\"'()-") for word in text.lower().split())
    return [word for word in tokens if word]


# ---- what the form of the hypotheses gives away ----------------------------------------------

CUE_WORDS = {
    "right-is-longer": "the right one is longer", "right-is-shorter": "the right one is shorter",
    "as-long": "both are as long", "right-shares-more": "the right one shares more",
    "right-shares-less": "the right one shares less", "shares-as-much": "both share as much",
}
"""Slices of every board, and how people read them: the number of words of the right hypothesis
against the other's, and the share of them that is given. A system that goes by such signs shows it
here."""
CUES = tuple(CUE_WORDS)


def cues_of(gold: Gold) -> list[str]:
    """Two of CUES; none without texts."""
    if not gold.choices[0]:
        return []
    right, other = map(words, gold.hypotheses)
    known = {word for text in gold.given for word in words(text)}
    differences = len(right) - len(other), shares(right, known) - shares(other, known)
    return [names[0 if difference > 0 else 1 if difference < 0 else 2]
            for difference, names in zip(differences, (CUES[:3], CUES[3:]), strict=True)]


def shares(hypothesis: Sequence[str], context: Collection[str]) -> float:
    """The share of a hypothesis' words that are given; 0 without words."""
    return sum(word in context for word in hypothesis) / max(1, len(hypothesis))


def choice_partitions(given: str, are_given: str) -> Iterator[Partition[Gold]]:
    """By label and by cues.

    ``given``: what a board calls what is given; ``are_given``: how it says that words are in it.
    """
    yield Partition("label", "Right hypothesis", LABELS, lambda gold: [gold.label],
                    tag="right: {}", heading="which hypothesis is right")
    yield Partition("length", "Words of the hypotheses",
                    tuple(CUE_WORDS[cue] for cue in CUES[:3]),
                    lambda gold: [CUE_WORDS[cue] for cue in cues_of(gold)[:1]],
                    heading="words of the right hypothesis and the other", last=True)
    yield Partition("shared", f"Words shared with {given}",
                    tuple(CUE_WORDS[cue] for cue in CUES[3:]),
                    lambda gold: [CUE_WORDS[cue] for cue in cues_of(gold)[1:]],
                    heading=f"share of the hypothesis' words that {are_given}", last=True)


# ---- numbers -----------------------------------------------------------------------------------


def by_label(golds: Sequence[Labelled]) -> list[Statistic]:
    """How often each of the two hypotheses is right."""
    return [Statistic(f"hypothesis {label} is right", sum(gold.label == label for gold in golds),
                      len(golds)) for label in LABELS]


def of_texts(golds: Sequence[Gold], texts: Sequence[Sequence[str]], noun: str) -> list[Statistic]:
    """The texts of each item, none or several, as a whole; ``noun``: what one of them is called."""
    used: Counter[str] = Counter()
    lengths, overlap, copies = [], 0, 0
    different = set()
    for gold, group in zip(golds, texts, strict=True):
        inputs = [tuple(words(text)) for text in gold.texts]
        known = {word for text in inputs for word in text}
        for text in group:
            tokens = tuple(words(text))
            used.update(tokens)
            lengths.append(len(tokens))
            overlap += sum(token in known for token in tokens)
            copies += tokens in inputs
            different.add(tokens)
    return [
        Statistic(f"{noun}s", len(lengths)),
        Statistic(f"words of {with_article(noun)}", spread(lengths)),
        Statistic(f"different {noun}s", len(different), len(lengths)),
        Statistic("different words", len(used)),
        Statistic("words that are given", overlap, used.total()),
        Statistic(f"{noun}s that copy a given text", copies, len(lengths)),
    ]
