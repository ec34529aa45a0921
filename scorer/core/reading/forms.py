"""What a refused file looks like as a whole: other separators, quotes, JSON, HTML.

A form is what at least nine of ten lines have. The first one is reported, once, in place of
all other faults; nothing is read otherwise than it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.core.reading.characters import UNWELCOME

SEPARATORS = {",": "commas", ";": "semicolons", "|": "bars"}
"""What other programs write between columns, no space behind; ``messages.json`` names each."""
MOST_LINES = 1_000_000
"""A file of more has none: no board has so many rows, and a browser takes long to look at each."""
_ARRAY = re.compile(r' *\[ *(["{\[0-9]|$)')


@dataclass(frozen=True)
class LineForm:
    """What the lines of a file have in common."""

    name: str
    """Behind TSV-FORM in ``messages.json``."""
    count: int
    """How many lines have it."""
    lines: int


def recognised(lines: Sequence[bytes], columns: int, *, text: bool, json: bool) -> LineForm | None:
    """The form of a file's lines, if they are text and have one.

    ``columns``: how many there should be. ``text``: whether the last one is text, in which any
    separator may stand. ``json``: whether JSON lines are no form.
    """
    if len(lines) > MOST_LINES:
        return None
    try:
        texts = [line.decode() for line in lines]
    except UnicodeDecodeError:
        return None
    while texts and not texts[-1]:
        texts.pop()
    if any(map(UNWELCOME.search, texts)):
        return None
    for name, count in _features(texts, columns, text, json) if texts else ():
        if 10 * count >= 9 * len(texts):
            return LineForm(name, count, len(texts))
    return None


def _features(
    texts: Sequence[str], columns: int, text: bool, json: bool
) -> Iterator[tuple[str, int]]:
    """What lines may have that no predictions file has, and how many do."""
    yield "html", len(texts) * texts[0].lstrip(" ").lower().startswith(("<!doctype html", "<html"))
    start = _ARRAY.match(texts[0])  # of numbers only if it stands on one line
    yield "array", len(texts) * (
        texts[-1].rstrip(" ")[-1:] == "]" and start is not None
        and (len(texts) == 1 or not start[1].isdecimal()))
    if not json:
        yield "json", sum(line[0] == "{" and line.rstrip(",")[-1:] == "}" for line in texts if line)
    if columns > 1 or not text:
        for separator, name in SEPARATORS.items():
            yield name, sum(line.count(separator) > line.count(f"{separator} ") and "\t" not in line
                            for line in texts)
    if columns > 1:
        yield "quotes", sum(line[:1] == '"' and '"\t"' in line for line in texts)
        yield "ends", sum(line[-1:] == "\t" and line.count("\t") == columns for line in texts)
