"""Predictions that a person names: a file, packed by gzip or not, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.core.reading.tsv import File

STDIN = Path("-")
STDIN_SHOWN = "<stdin>"
"""Standard input in messages."""
TARGET = "submission folder, TSV file, either gzipped, or - for standard input"


def shown(path: Path) -> str:
    """A named file in messages."""
    return STDIN_SHOWN if path == STDIN else str(path)


def exists(path: Path) -> bool:
    """Whether there is such a file or folder; standard input always is."""
    return path == STDIN or path.exists()


def copy_name(path: Path, split: str | None) -> Path:
    """The name of a corrected copy: the file's own, unpacked.

    >>> print(copy_name(Path("x/my.tsv.gz"), None), copy_name(STDIN, "dev"))
    my.tsv predictions.dev.tsv
    """
    if path == STDIN:
        return Path(f"predictions.{split}.tsv" if split else "predictions.tsv")
    return Path(path.stem if path.suffix == ".gz" else path.name)


def stdin_once(paths: Sequence[Path]) -> None:
    """Raise UsageError where standard input is named twice."""
    from scorer.core.errors import UsageError

    if list(paths).count(STDIN) > 1:
        raise UsageError("- is named twice, but standard input can be read once; name a file")


def opened(path: Path, *, most: int | None = None) -> File:
    """A named file; of one that is too large only the beginning. ``most``: problems to keep.

    Raises DataError if it cannot be read, UsageError for standard input that is closed,
    SubmissionError for gzip that is damaged.
    """
    from scorer.core.errors import MOST_SHOWN, UsageError
    from scorer.core.reading.packed import unpacked
    from scorer.core.reading.tsv import LARGEST_FILE, File, open_file

    kept = MOST_SHOWN if most is None else most
    if path != STDIN:
        return unpacked(open_file(path, most=kept))
    if sys.stdin is None:  # closed by the shell: <&-
        raise UsageError("- means standard input, which is closed; pipe a file in, or name one")
    content = sys.stdin.buffer.read(LARGEST_FILE + 1)
    return unpacked(File(content, STDIN_SHOWN, most=kept, cut=len(content) > LARGEST_FILE))
