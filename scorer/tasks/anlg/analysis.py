"""What is behind the metrics of aNLG: word by word against a reference, texts as a whole, and how
contexts are divided by their references and observations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from statistics import fmean
from typing import Literal, NamedTuple

from scorer.tasks.anlg.anlg_items import Gold
from scorer.tasks.anli.task import words
from scorer.tasks.base import GoldItem
from scorer.tasks.partitions import Partition, Spread, divisions, numbers, spread
from scorer.tasks.written import Referenced

MANY = 5
"""Contexts with so many references or more are one part."""
_NUMBERS = (*map(str, range(1, MANY)), f"{MANY} or more")
_OVERLAPS = (0.25, 0.5)
"""Where classes of a share begin."""
_SHARES = ("less than a quarter", "a quarter to a half", "half or more")


def _shared(gold: Gold) -> float:
    """The share of the second observation's different words that the first one has too."""
    first, second = {*words(gold.obs1)}, {*words(gold.obs2)}
    return len(first & second) / max(1, len(second))


REFERENCES: Partition[Gold] = Partition(
    "references", "References", _NUMBERS,
    lambda gold: [_NUMBERS[min(len(gold.references), MANY) - 1]],
    heading="references of the context")
"""With more references, every metric of this task is easier."""


def _length(gold: Gold) -> int:
    """Words of a reference, on average."""
    return round(fmean(len(words(text)) for text in gold.references))


def partitions(golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """By how much the references and the observations leave open."""
    yield REFERENCES
    yield Partition("words", "Words of a reference, on average", numbers(map(_length, golds)),
                    lambda gold: [str(_length(gold))], number=True)
    yield Partition("overlap", "Words of the second observation that the first has", _SHARES,
                    lambda gold: [_SHARES[bisect_right(_OVERLAPS, _shared(gold))]])


Status = Literal["kept", "extra", "missing"]


class Marked(NamedTuple):
    """Some words in a row, and whether the text, the reference or both have them."""

    status: Status
    text: str


def word_diff(reference: str, text: str) -> tuple[Marked, ...]:
    """A text against a reference, in an order that reads; case and outer punctuation are equal.

    >>> [tuple(one) for one in word_diff("Ann missed her bus.", "ann missed the train")]
    [('kept', 'ann missed'), ('missing', 'her bus.'), ('extra', 'the train')]
    """
    ours, theirs = text.split(), reference.split()
    found: list[Marked] = []
    match = SequenceMatcher(None, _compared(theirs), _compared(ours), autojunk=False)
    for kind, i, j, k, n in match.get_opcodes():
        if kind == "equal":
            found.append(Marked("kept", " ".join(ours[k:n])))
            continue
        if i < j:
            found.append(Marked("missing", " ".join(theirs[i:j])))
        if k < n:
            found.append(Marked("extra", " ".join(ours[k:n])))
    return tuple(found)


def _compared(tokens: Iterable[str]) -> list[str]:
    return [" ".join(words(token)) or token for token in tokens]


def nearest(references: Sequence[str], text: str) -> int:
    """The zero-based place of the reference that shares most words with a text, in order.

    >>> nearest(["It rained all day.", "Ann missed the bus."], "ann missed it")
    1
    """
    ours = _compared(text.split())
    likeness = [SequenceMatcher(None, _compared(one.split()), ours, autojunk=False).ratio()
                for one in references]
    return max(range(len(references)), key=lambda place: (likeness[place], -place))


class Texts(NamedTuple):
    """Some texts as a whole."""

    texts: int
    words: Spread | None
    """Words of a text."""
    different: int
    """Different texts, case and outer punctuation aside."""
    vocabulary: int
    """Different words of all of them."""
    given: int
    """Words that a given text of the same item has."""
    running: int
    """All words."""
    copies: int
    """Texts that are a given text of their item."""


def describe(golds: Sequence[GoldItem], texts: Sequence[Sequence[str]]) -> Texts:
    """The texts of each item, none or several."""
    used: Counter[str] = Counter()
    lengths, given, copies = [], 0, 0
    different = set()
    for gold, found in zip(golds, texts, strict=True):
        observed = [tuple(words(text)) for text in gold.texts]
        known = {word for text in observed for word in text}
        for text in found:
            tokens = tuple(words(text))
            used.update(tokens)
            lengths.append(len(tokens))
            given += sum(token in known for token in tokens)
            copies += tokens in observed
            different.add(tokens)
    return Texts(len(lengths), spread(lengths), len(different), len(used), given, used.total(),
                 copies)


class AgainstReferences(NamedTuple):
    """The texts of a system beside those that people wrote."""

    references: Texts
    written: Texts


def against_references(golds: Sequence[Referenced], texts: Sequence[str]) -> AgainstReferences:
    """One text an item beside all references."""
    return AgainstReferences(describe(golds, [gold.references for gold in golds]),
                             describe(golds, [[text] for text in texts]))


class ContextStatistics(NamedTuple):
    """The contexts of a split, or of all of them together."""

    name: str
    contexts: int
    per_context: Spread | None
    """References of a context."""
    by_number: Mapping[str, int]
    """Contexts by the number of their references."""
    observations: Spread | None
    """Words of an observation."""
    references: Texts


def describe_split(name: str, golds: Sequence[Gold]) -> ContextStatistics:
    """The statistics of some contexts."""
    numbers = [len(gold.references) for gold in golds]
    [by_number] = divisions([REFERENCES], golds)
    return ContextStatistics(
        name, len(golds), spread(numbers),
        {part: len(rows) for part, rows in by_number.rows.items()},
        spread([len(words(text)) for gold in golds for text in gold.texts]),
        describe(golds, [gold.references for gold in golds]),
    )
