"""Abductive generation: what a board says about it, and an answer; how contexts are divided; texts
word by word against a reference, and as a whole; reference rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from statistics import fmean
from typing import Annotated, Literal, NamedTuple

from scorer.core.reading.values import Integer, Items
from scorer.tasks.base import ColumnName
from scorer.tasks.baselines import Against, Baseline, nearest_answers
from scorer.tasks.partitions import Partition, Statistic, divisions, numbers, spread
from scorer.tasks.text_items import GIVEN, Gold, of_texts, words


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

    most_references: Annotated[int, Integer(1, 100), "References that a context may have, at most."]
    null: Annotated[ColumnName, "The text that says nothing: a copy of this one of those given."]
    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given."] = GIVEN


@dataclass(frozen=True)
class Prediction:
    """What a system writes."""

    text: str


# ---- divisions and numbers -------------------------------------------------------------------

MANY = 5
"""Contexts with so many references or more are one part."""
_NUMBERS = (*map(str, range(1, MANY)), f"{MANY} or more")
_OVERLAPS = (0.25, 0.5)
"""Where classes of a share begin."""
_SHARES = ("less than a quarter", "a quarter to a half", "half or more")


REFERENCES: Partition[Gold] = Partition(
    "references", "References", _NUMBERS,
    lambda gold: [_NUMBERS[min(len(gold.references), MANY) - 1]],
    heading="references of the context")
"""With more references, every metric of this task is easier."""


def partitions(golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """By how much the references and the observations leave open."""
    def length(gold: Gold) -> int:
        return round(fmean(len(words(text)) for text in gold.references))

    def shared(gold: Gold) -> float:
        first, *others = ({*words(text)} for text in gold.given)
        last = others[-1] if others else set()
        return len(first & last) / max(1, len(last))

    yield REFERENCES
    yield Partition("words", "Words of a reference, on average", numbers(map(length, golds)),
                    lambda gold: [str(length(gold))], number=True)
    yield Partition("overlap", "Words of the second observation that the first has", _SHARES,
                    lambda gold: [_SHARES[bisect_right(_OVERLAPS, shared(gold))]])


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
    parts: list[Marked] = []
    match = SequenceMatcher(None, _compared(theirs), _compared(ours), autojunk=False)
    for kind, i, j, k, n in match.get_opcodes():
        if kind == "equal":
            parts.append(Marked("kept", " ".join(ours[k:n])))
            continue
        if i < j:
            parts.append(Marked("missing", " ".join(theirs[i:j])))
        if k < n:
            parts.append(Marked("extra", " ".join(ours[k:n])))
    return tuple(parts)


def _compared(tokens: Iterable[str]) -> list[str]:
    return [" ".join(words(token)) or token for token in tokens]


def nearest(references: Sequence[str], text: str) -> int:
    """The zero-based place of the reference that shares most words with a text, in order.

    >>> nearest(["It rained all day.", "Ann missed the bus."], "ann missed it")
    1
    """
    ours = _compared(text.split())
    likeness = [SequenceMatcher(None, _compared(reference.split()), ours, autojunk=False).ratio()
                for reference in references]
    return max(range(len(references)), key=lambda index: (likeness[index], -index))


def against_references(golds: Sequence[Gold], texts: Sequence[str]
                       ) -> dict[str, list[Statistic]]:
    """The texts of a system, one an item, beside all that people wrote."""
    return {"references": of_texts(golds, [gold.references for gold in golds], "text"),
            "its texts": of_texts(golds, [[text] for text in texts], "text")}


def describe(golds: Sequence[Gold]) -> list[Statistic]:
    """Some contexts in numbers."""
    [by_number] = divisions([REFERENCES], golds)
    return [
        Statistic("contexts", len(golds)),
        Statistic("references of a context", spread([len(gold.references) for gold in golds])),
        *(Statistic(f"contexts with {part}", len(rows), len(golds))
          for part, rows in by_number.rows.items()),
        Statistic("words of an observation",
                  spread([len(words(text)) for gold in golds for text in gold.texts])),
        *of_texts(golds, [gold.references for gold in golds], "reference"),
    ]


# ---- reference rows --------------------------------------------------------------------------

Golds = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def observation(settings: Settings, train: Golds, items: Golds, *, place: int) -> Predictions:
    """One of the two observations, from 0, once more."""
    return [Prediction(item.texts[place]) for item in items]


def nearest_neighbour(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The first reference of the most similar context (TF-IDF cosine). Needs scikit-learn."""
    every = [*train, *items]
    texts = [" ".join(item.texts) for item in every]
    answers = [Prediction(item.references[0]) for item in every]
    return nearest_answers(texts, texts[len(train):], answers)


def held_out(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """What one person wrote, to be scored against what the others did: how well people do."""
    return [Prediction(item.references[0]) for item in items]


def _others(item: Gold) -> Gold | None:
    """A context without the reference that ``held_out`` answers with."""
    rest = item.references[1:]
    return replace(item, references=rest) if rest else None


_ROWS: tuple[Row, ...] = (
    Row("copy-first", "Copy of the first observation",
        "The first observation: a text that explains nothing.", "None.", False,
        partial(observation, place=0), role="null"),
    Row("copy-second", "Copy of the second observation",
        "The second observation: a text that explains nothing.", "None.", False,
        partial(observation, place=1), role="null", fits=lambda settings: len(settings.given) > 1),
    Row("nearest-neighbour", "Nearest neighbour",
        "The first reference of the most similar other context by TF-IDF.",
        "The train split; where that is not at hand, nine tenths of the scored split for "
        "each other tenth.", False, nearest_neighbour, trains=True),
    Row("held-out-reference", "One person against the others",
        "The first reference of each context, scored against its other references; "
        "contexts with one reference are left out.",
        "None; references of the scored split.", True, held_out,
        against=Against("others", _others), role="ceiling"),
)
BASELINES = {row.name: row for row in _ROWS}
"""Every baseline by its name."""
