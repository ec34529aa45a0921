"""A metric's worked example: how its value of one item comes about, as plain values.

``MetricInfo.explain`` makes it with the metric's own code. Where a metric asks a model, a stand-in
takes its place: its few numbers were made for the page, which says so, and all that follows from
them is the metric's.

BERTScore matches every word greedily with the likest, here with made similarities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.errors import DataError
from scorer.core.records import TextPair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MADE_ANSWERS = ("The judge's probabilities were made for this page; what they lead to was computed "
                "by the scorer.")


class WordTable(NamedTuple):
    """Numbers between the words of two sentences."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """What heads a row, then its cells."""


class Arithmetic(NamedTuple):
    """How a value comes about."""

    steps: tuple[str, ...]
    """One line each; the last one gives the value."""
    value: float
    """What the metric says."""
    made: str = ""
    """Which numbers were made for the page, if any."""
    table: WordTable | None = None


def checked(metric: str, computed: float, value: float, least: float = 1e-9) -> float:
    """The value, where the lines that explain it give the same. Raises DataError else.

    >>> checked("accuracy", 2 / 4, 0.5)
    0.5
    """
    if abs(computed - value) > least:
        raise DataError(f"the worked example of {metric} gives {computed}, the metric {value}")
    return value


def f1_of(precision: float, recall: float) -> tuple[float, str]:
    """F1, and the line that shows it.

    >>> f1_of(0.5, 1.0)[1]
    'F1 = 2 · 0.500 · 1.000 / (0.500 + 1.000) = 0.667'
    """
    f1 = 2 * precision * recall / (precision + recall)
    return f1, (f"F1 = 2 · {precision:.3f} · {recall:.3f} / ({precision:.3f} + {recall:.3f}) = "
                f"{f1:.3f}")


class ScriptedJudge:
    """A judge that gives its answers one after another, whatever it is asked."""

    def __init__(self, labels: tuple[str, ...], answers: Sequence[Sequence[float]]) -> None:
        import numpy as np

        self.labels = labels
        self._answers = np.array(answers, np.float32)

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Its answers, as many as there are pairs."""
        return self._answers[: len(pairs)]


OTHERWISE = 0.1
"""Similarity of two different words."""
ALIKE = {"warm": ("home", 0.4), "it.": ("sandwich.", 0.55)}
"""Words that are more alike, and how much."""
MADE = ("The similarities of words were made for this page, where a word is a token; what they "
        "lead to was computed by the scorer.")
_SPECIAL = 2
"""Tokens that begin and end a sentence, like no word."""


class Words:
    """An encoder of words cut at white space, with the similarities above."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def tokens(self, sentences: Sequence[str]) -> list[list[int]]:
        """A number for each word, with those of the special tokens around them."""
        return [[0, *(self._numbers.setdefault(word, len(self._numbers) + _SPECIAL)
                      for word in text.split()), 1] for text in sentences]

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """Unit vectors whose products are the similarities."""
        import numpy as np

        words = dict.fromkeys([*(word for text in sentences for word in text.split()),
                               *(like for like, _ in ALIKE.values())])
        axes = {word: number for number, word in enumerate(words, start=_SPECIAL + 1)}
        begin, end = np.eye(2, _SPECIAL + 1 + len(axes), dtype=np.float32)
        return [np.stack([begin, *(_vector(word, axes) for word in text.split()), end])
                for text in sentences]


def _vector(word: str, axes: Mapping[str, int]) -> NDArray[np.float32]:
    """A part that all words share, one along the word that it is like, one of its own."""
    import numpy as np

    vector = np.zeros(_SPECIAL + 1 + len(axes), np.float32)
    own = sqrt(1 - OTHERWISE)
    like, similarity = ALIKE.get(word, (word, OTHERWISE))
    toward = (similarity - OTHERWISE) / own
    vector[_SPECIAL] = sqrt(OTHERWISE)
    vector[axes[like]] += toward
    vector[axes[word]] += sqrt(own**2 - toward**2)
    return vector


def word_table(ours: str, theirs: str, rarity: Mapping[str, float] | None = None) -> Arithmetic:
    """The table of two sentences, and F1 from its greatest numbers.

    ``rarity``: what each word weighs, 1 unless given.
    """
    vectors = Words().embed([ours, theirs])
    similarity = (vectors[0] @ vectors[1].T)[1:-1, 1:-1]
    rows, columns = ours.split(), theirs.split()
    best_of_rows = similarity.max(axis=1).tolist()
    best_of_columns = similarity.max(axis=0).tolist()
    cells = [(word, *(f"{cosine:.2f}" for cosine in cosines), f"{best:.2f}")
             for word, cosines, best in zip(rows, similarity.tolist(), best_of_rows, strict=True)]
    cells.append(("greatest", *(f"{best_of_column:.2f}" for best_of_column in best_of_columns), ""))
    precision, first = _mean("precision", rows, best_of_rows, rarity)
    recall, second = _mean("recall", columns, best_of_columns, rarity)
    f1, last = f1_of(precision, recall)
    table = WordTable(f"How like the words of “{ours}” are those of “{theirs}”",
                      (*columns, "greatest"), tuple(cells))
    return Arithmetic((first, second, last), f1, MADE, table)


def _mean(
    name: str, words: Sequence[str], greatest: Sequence[float],
    rarity: Mapping[str, float] | None,
) -> tuple[float, str]:
    """The mean over the words, and the line that shows it."""
    if rarity is None:
        added = " + ".join(f"{cosine:.2f}" for cosine in greatest)
        mean = sum(greatest) / len(words)
        return mean, f"{name} = ({added}) / {len(words)} = {mean:.3f}"
    weights = [rarity[word] for word in words]
    added = " + ".join(f"{weight:.2f} · {cosine:.2f}"
                       for weight, cosine in zip(weights, greatest, strict=True))
    mean = sum(w * cosine for w, cosine in zip(weights, greatest, strict=True)) / sum(weights)
    return mean, f"{name} = ({added}) / {sum(weights):.2f} = {mean:.3f}"
