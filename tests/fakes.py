"""Small stand-ins that implement our protocols."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.core.records import TextPair


class LetterEncoder:
    """Gives every word the unit vector of its first letter; special tokens get one of their own.

    So the BERTScore of two sentences is the F1 of greedy matching on first letters.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """Vectors of 28 numbers: 26 letters, everything else, special."""
        self.asked += sentences
        return [self._vectors(sentence.split()) for sentence in sentences]

    def tokens(self, sentences: Sequence[str]) -> list[list[int]]:
        """The place of each word's first letter, 27 for a special token."""
        return [[27, *(self._place(word[0]) for word in sentence.split()), 27]
                for sentence in sentences]

    def _vectors(self, words: list[str]) -> NDArray[np.float32]:
        places = [27, *(self._place(word[0]) for word in words), 27]
        return np.eye(28, dtype=np.float32)[places]

    def _place(self, letter: str) -> int:
        return ord(letter) - ord("a") if "a" <= letter <= "z" else 26


class WordJudge:
    """Believes in the label whose name occurs most often in the second text, all equally else."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """1 + occurrences of each label, as shares."""
        counts = np.array(
            [[1 + pair.second.count(label) for label in self.labels] for pair in pairs], np.float32
        )
        shares: NDArray[np.float32] = counts / counts.sum(axis=1, keepdims=True)
        return shares
