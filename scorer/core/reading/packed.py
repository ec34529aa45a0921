"""Predictions that a person names: a file, packed by gzip or not, or standard input."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorer.core.errors import MOST_SHOWN, SubmissionError, UsageError, refusal
from scorer.core.reading.tsv import LARGEST_FILE, File, Problems, open_file, packing

STDIN = Path("-")
STDIN_SHOWN = "<stdin>"
"""Standard input in messages."""


def unpacked(file: File) -> File:
    """The content of a gzip file, cut where it shows that it is too large; others as they are.

    The first bytes decide, not the name. Raises SubmissionError for a gzip file that is damaged or
    breaks off, or is itself larger than any file may be.
    """
    if packing(file.content) != "gzip":
        return file
    problems = Problems(file.shown)
    if len(file.content) > file.largest:
        problems.say(1, 1, "TSV-SIZE", most=file.largest)
    content = bytearray()
    if not problems.total:
        with gzip.GzipFile(fileobj=io.BytesIO(file.content)) as stream:
            try:
                while len(content) <= file.largest:  # and at most one byte more
                    part = stream.read1(file.largest + 1 - len(content))
                    if not part:
                        break
                    content += part
            except (EOFError, gzip.BadGzipFile, zlib.error):
                problems.say(1, 1, "TSV-ENCODING damaged", "gzip damaged", count=len(content))
    if problems.total:
        [problem] = problems.kept
        raise SubmissionError([problem], text=f"{problem}\n{refusal(1)}")
    return replace(file, content=bytes(content))


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
    if list(paths).count(STDIN) > 1:
        raise UsageError("- is named twice, but standard input can be read once; name a file")


def opened(path: Path, *, most: int | None = None) -> File:
    """A named file; of one that is too large only the beginning. ``most``: problems to keep.

    Raises DataError if it cannot be read, UsageError for standard input that is closed,
    SubmissionError for gzip that is damaged.
    """
    kept = MOST_SHOWN if most is None else most
    if path != STDIN:
        return unpacked(open_file(path, most=kept))
    if sys.stdin is None:  # closed by the shell: <&-
        raise UsageError("- means standard input, which is closed; pipe a file in, or name one")
    return unpacked(File(sys.stdin.buffer.read(LARGEST_FILE + 1), STDIN_SHOWN, most=kept))
