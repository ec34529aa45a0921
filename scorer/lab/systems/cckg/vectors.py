"""Vectors of sentences: of a whole knowledge base once, in a file, and of texts when asked for."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from scorer.core.files import locked, sha256
from scorer.lab.systems.cckg.knowledge import Knowledge

BLOCK = 4096
"""Triples encoded between two writes: what a run that is stopped loses."""
ROWS = 65_536
"""Triples compared at once: 100 MB of a width of 384."""
DIGITS = 4
"""Similarities are rounded, so that a machine's last digits decide nothing."""

_LOG = logging.getLogger(__name__)


class Encoder(Protocol):
    """Gives sentences vectors."""

    def means(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """One vector of length 1 for each, shape (sentences, width)."""


def of_triples(knowledge: Knowledge, encoder: Encoder, fingerprint: str, folder: Path
               ) -> NDArray[np.float16]:
    """A vector for every triple, shape (triples, width), read from a file where there is one.

    Half precision: 768 bytes a triple at a width of 384, mapped into memory, not read as a whole.
    ``fingerprint``: of the encoder's files; it names the file, with the digest of the knowledge
    base. A run that was stopped goes on behind the last block that it wrote. Where nothing can
    be written, one line is logged and the vectors stay in memory.
    """
    width = encoder.means(["a word"]).shape[1]
    count = len(knowledge.triples)
    name = sha256(f"{fingerprint}\n{knowledge.digest}".encode())
    path, part = folder / f"{name}.f16", folder / f"{name}.part"
    if not path.is_file() or path.stat().st_size != count * width * 2:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with part.open("ab") as file:
                if locked(file.fileno(), wait=False) is False:
                    raise BlockingIOError(0, "another process writes it")
                done = part.stat().st_size // (2 * width * BLOCK) * BLOCK
                file.truncate(done * width * 2)
                for start in _shown(range(done, count, BLOCK)):
                    file.write(_encoded(knowledge, encoder, start).tobytes())
                    file.flush()
                os.fsync(file.fileno())
                part.replace(path)
        except OSError as fault:
            _LOG.warning("%s: vectors are not kept (%s)", part, fault.strerror or fault)
            return np.concatenate([_encoded(knowledge, encoder, start)
                                   for start in _shown(range(0, count, BLOCK))])
    return np.memmap(path, np.float16, "r", shape=(count, width))


def _shown(blocks: range) -> Iterable[int]:
    return tqdm(blocks, unit="block", disable=None)


def _encoded(knowledge: Knowledge, encoder: Encoder, start: int) -> NDArray[np.float16]:
    return encoder.means(knowledge.sentences(start, start + BLOCK)).astype("float16")


def similarities(vectors: NDArray[np.float16], asked: NDArray[np.float32], start: int
                 ) -> NDArray[np.float32]:
    """Cosines of the ROWS triples from ``start`` on with some texts, shape (triples, texts)."""
    found: NDArray[np.float32] = vectors[start : start + ROWS].astype("float32") @ asked.T
    return found.round(DIGITS)


class Remembered:
    """Vectors of texts, each encoded once."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, width)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.means(new), strict=True))
        return np.array([self._known[text] for text in texts])
