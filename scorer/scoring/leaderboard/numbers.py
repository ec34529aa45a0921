"""How values and p-values are written wherever people read them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

BLANK = "\u00a0"
"""At which no line breaks."""


class Scale(Protocol):
    """What says how numbers are written: a column, or a metric."""

    @property
    def better(self) -> str:
        """``higher`` of scores, ``lower`` of distances."""


def number(value: float, column: Scale, signed: bool = False) -> str:
    """A value as people read it: percent with one decimal, distances with three.

    >>> from scorer.metrics.catalogue import METRICS
    >>> number(0.64714, METRICS["GED"]), number(0.64714, METRICS["accuracy"])
    ('0.647', '64.7')
    """
    text = f"{abs(value) * 100:.1f}" if column.better == "higher" else f"{abs(value):.3f}"
    if value < 0 and float(text):
        return f"\u2212{text}"
    return f"+{text}" if signed and float(text) else text


def signed(value: float | None, column: Scale) -> str:
    """A difference as people read it; empty without one."""
    return "" if value is None else number(value, column, signed=True)


def rank_text(rank: Sequence[float] | None) -> str:
    """A rank interval in a few characters; empty without one.

    >>> ascii(rank_text([1, 3])), rank_text([2, 2]), rank_text(None)
    ("'1\\\\u20133'", '2', '')
    """
    return "\u2013".join(dict.fromkeys(str(bound) for bound in rank or ()))


def name_text(title: str) -> str:
    """A name within a sentence: its direction its own, in quotes if it reads like more.

    >>> name_text("T5 (large)"), name_text("A is best; B")[1:-1] == "\u201cA is best; B\u201d"
    ('T5 (large)', True)
    """
    inner = title.replace("\u201c", "'").replace("\u201d", "'")
    text = f"\u201c{inner}\u201d" if re.search(r"[.:;] ", title) else title
    return text if text.isascii() else f"\u2068{text}\u2069"


def plain(text: str) -> str:
    """A number or a p-value for a terminal: with an ASCII minus and blanks.

    >>> from scorer.metrics.catalogue import METRICS
    >>> plain(number(-0.1, METRICS["accuracy"]))
    '-10.0'
    """
    return text.replace("\u2212", "-").replace(BLANK, " ")


def p_text(p: float, most: bool = False) -> str:
    """A p-value as people read it, with blanks at which no line breaks.

    >>> [p_text(p).replace(chr(160), " ") for p in (5e-9, .0123, .16, 1)]
    ['p < .001', 'p = .012', 'p = .16', 'p = 1']
    """
    sign = "\u2264" if most else "="
    if p < 0.001:
        return f"p{BLANK}<{BLANK}.001"
    text = f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
    return f"p{BLANK}{sign}{BLANK}" + ("1" if float(text) == 1 else text.removeprefix("0"))


# ---- in a terminal ---------------------------------------------------------------------------


def plain_p(p: float) -> str:
    """A p-value in a sentence: ``p = .012``."""
    return plain(p_text(p))


def p_cell(p: float) -> str:
    """A p-value in a table.

    >>> p_cell(0.00004), p_cell(0.0123), p_cell(1)
    ('< .001', '.012', '1')
    """
    return plain_p(p).removeprefix("p ").removeprefix("= ")
