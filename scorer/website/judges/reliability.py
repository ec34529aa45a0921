"""How sure a judge is against how often it is right, as SVG text. Pure; classes only.

A judge that means what it says has its dots on the diagonal: of the graphs of which it is 80 %
sure, 80 % are right. The area of a dot is the share of graphs in its bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import sqrt

from scorer.models.judge_card import Bin
from scorer.website.text import shown

SIDE = 124
"""Pixels of the square."""
LEFT, TOP, BOTTOM, RIGHT = 34, 10, 32, 12
LARGEST = 10.0
TICKS = (0.0, 0.5, 1.0)


def diagram(name: str, bins: Sequence[Bin]) -> str:
    """The reliability diagram of one evaluation as an ``<svg>`` element."""
    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
    total = sum(part.n for part in bins)
    title = f"Reliability on {name}: how often right against how sure, in {len(bins)} bins"
    out = [
        f'<svg class="wb-plot" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{escape(shown(title, 300))}</title>',
        f'<path class="frame" d="M{LEFT} {TOP}V{TOP + SIDE}H{LEFT + SIDE}"/>',
        f'<path class="even" d="M{LEFT} {TOP + SIDE}L{LEFT + SIDE} {TOP}"/>',
    ]
    out += [_tick(share) for share in TICKS]
    out += [
        f'<text x="{LEFT + SIDE / 2:g}" y="{height - 4}">how sure</text>',
        f'<text transform="translate(10 {TOP + SIDE / 2:g}) rotate(-90)">how often right</text>',
    ]
    out += [_dot(part, total) for part in bins if part.n]
    return "".join([*out, "</svg>"])


def _tick(share: float) -> str:
    along, up = _place(share, share)
    text = f"{share:g}"
    return (f'<text x="{along:g}" y="{TOP + SIDE + 13}">{text}</text>'
            f'<text class="y" x="{LEFT - 5}" y="{up + 4:g}">{text}</text>')


def _dot(part: Bin, total: int) -> str:
    along, up = _place(part.sure, part.right / part.n)
    radius = max(2.0, LARGEST * sqrt(part.n / total))
    return f'<circle cx="{along:.1f}" cy="{up:.1f}" r="{radius:.1f}"/>'


def _place(sure: float, right: float) -> tuple[float, float]:
    return LEFT + SIDE * sure, TOP + SIDE * (1 - right)
