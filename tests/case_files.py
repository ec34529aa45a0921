"""Cases as data below ``cases/``.

In their texts ``<x*3>`` stands for xxx; in what is repeated, ``{n}`` is the number of the
repetition, from 0, and ``{m}`` the next one.
"""

import re
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parent / "cases"
_REPEATED = re.compile(r"<([^<]{1,70}?)\*(\d+)>")


def read(name: str) -> Any:
    """A file of cases, as it stands there."""
    text = (CASES / name).read_text("utf-8")
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)  # ten times as fast
    except yaml.YAMLError:  # halves of characters, which names that are no text have
        return yaml.safe_load(text)


def expanded(value: Any) -> Any:
    """The same with every repetition written out."""
    if isinstance(value, str):
        return _REPEATED.sub(_repetition, value)
    if isinstance(value, list):
        return list(map(expanded, value))
    if isinstance(value, dict):
        return {expanded(key): expanded(inner) for key, inner in value.items()}
    return value


def _repetition(match: re.Match[str]) -> str:
    piece, times = match[1], int(match[2])
    if "{n}" not in piece:
        return piece * times
    return "".join(piece.replace("{n}", str(n)).replace("{m}", str(n + 1)) for n in range(times))


def as_bytes(text: str) -> bytes:
    """A text of which each character stands for a byte."""
    written: str = expanded(text)
    return written.encode("latin-1")
