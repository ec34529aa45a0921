"""Gzip files: what is in them, within the limit of any file."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import replace

from scorer.core.errors import SubmissionError, refusal
from scorer.core.reading.tsv import File, Problems, packing


def unpacked(file: File) -> File:
    """The content of a gzip file, cut where it shows that it is too large; others as they are.

    The first bytes decide, not the name. Raises SubmissionError for a gzip file that is damaged or
    breaks off, or is itself larger than any file may be.
    """
    if packing(file.content) != "gzip":
        return file
    problems = Problems(file.shown)
    size = file.size or len(file.content)
    if size > file.largest:
        problems.say(1, 1, "TSV-SIZE", size=size, most=file.largest)
    content = b"" if problems.total else _content(file, problems)
    if problems.total:
        [problem] = problems.kept
        raise SubmissionError([problem], text=f"{problem}\n{refusal(1)}")
    return replace(file, content=content, size=None, cut=len(content) > file.largest)


def _content(file: File, problems: Problems) -> bytes:
    """What is in a gzip file, at most one byte more than its limit."""
    content = bytearray()
    with gzip.GzipFile(fileobj=io.BytesIO(file.content)) as stream:
        try:
            while len(content) <= file.largest:
                part = stream.read1(file.largest + 1 - len(content))
                if not part:
                    break
                content += part
        except EOFError:
            problems.say(1, 1, "TSV-ENCODING short", "gzip damaged", count=len(content))
        except (gzip.BadGzipFile, zlib.error):
            problems.say(1, 1, "TSV-ENCODING damaged", "gzip damaged", count=len(content))
    return bytes(content)
