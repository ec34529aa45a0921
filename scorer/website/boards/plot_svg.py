"""Dots on two axes as SVG text, drawn when the site is built. Pure; classes only.

Colours come from the style sheet, so a plot follows the light and the dark scheme; the kinds of
rows differ in shape too. A dot has its name beside it where there is room; the table below the
plot has them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

from scorer.website.render import trusted
from scorer.website.text import shown

WIDTH, HEIGHT = 800, 470
LEFT, RIGHT, TOP, BOTTOM = 84, 24, 16, 68
_SIZE = 6.0


class Dot(NamedTuple):
    """One row."""

    x: float
    y: float
    name: str
    """What is written beside it; empty for nothing."""
    kind: str
    """Chooses shape and colour."""
    title: str


class Axis(NamedTuple):
    """What an axis means."""

    name: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]


LEAST_APART = 1e-6
"""Values less apart than this are one on an axis: far less than pages show."""


def span(values: Sequence[float]) -> tuple[float, float]:
    """The range of an axis that shows all values: a twentieth wider on both sides, and wide where
    they are hardly apart.

    >>> span([0.0, 1.0]), span([0.5]), span([1e-13, 3e-13])
    ((-0.05, 1.05), (0.45, 0.55), (-0.05, 0.05))
    """
    low, high = min(values), max(values)
    room = (high - low) / 20 if high - low > LEAST_APART else 0.05
    return round(low - room, 9), round(high + room, 9)


def round_steps(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two others: steps of 1, 2 or 5 times a power of ten.

    >>> round_steps(0.12, 0.58), round_steps(-0.05, 1.05)
    ([0.2, 0.3, 0.4, 0.5], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def plot(title: str, about: str, x: Axis, y: Axis, dots: Sequence[Dot], *, best: Sequence[
        tuple[float, float]] = ()) -> Markup:
    """The plot; ``best`` are the corners of a line that climbs in steps."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def across(value: float) -> float:
        return LEFT + (value - x.low) / (x.high - x.low) * (right - LEFT)

    def up(value: float) -> float:
        return bottom - (value - y.low) / (y.high - y.low) * (bottom - TOP)

    out = [
        f'<svg class="wb-scatter" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img"><title>{escape(shown(title, 300))}</title>'
        f"<desc>{escape(shown(about, 600))}</desc>",
    ]
    out += [f'<path class="grid" d="M{across(value):.1f} {TOP}V{bottom}"/>'
            f'<text x="{across(value):.1f}" y="{bottom + 22}">{escape(text)}</text>'
            for value, text in x.ticks]
    out += [f'<path class="grid" d="M{LEFT} {up(value):.1f}H{right}"/>'
            f'<text class="y" x="{LEFT - 7}" y="{up(value) + 4:.1f}">{escape(text)}</text>'
            for value, text in y.ticks]
    middle = (TOP + bottom) / 2
    out += [
        f'<path class="frame" d="M{LEFT} {TOP}V{bottom}H{right}"/>',
        f'<text class="a" x="{(LEFT + right) / 2:g}" y="{HEIGHT - 12}">{escape(x.name)}</text>',
        f'<text class="a" transform="translate(18 {middle:g}) rotate(-90)">{escape(y.name)}</text>',
    ]
    if best:
        line = f"M{across(best[0][0]):.1f} {up(best[0][1]):.1f}" + "".join(
            f"H{across(one):.1f}V{up(two):.1f}" for one, two in best[1:]) + f"H{right}"
        out.append(f'<path class="best" d="{line}"/>')
    places = [(across(dot.x), up(dot.y)) for dot in dots]
    out += [_dot(x, y, dot, label)
            for (x, y), dot, label in zip(
                places, dots, labels(places, dots), strict=True)]
    return trusted("".join([*out, "</svg>"]))


LONGEST = 22
"""Characters of a name beside a dot."""
TALL = 15.0
LETTER = 7.0
"""Pixels that a letter of a name takes, on average and a little more."""
ON_PHONES = 1.8
"""So much larger are names there, in the units of the drawing."""


class Label(NamedTuple):
    """Where a name stands beside its dot; ``side``: n (begins there), n end (ends there)."""

    text: str
    x: float
    y: float
    side: str
    small: bool
    """Whether there is room for it only on wide screens."""
    lead: bool
    """Whether it stands apart from its dot, and a line leads there."""


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def labels(places: Sequence[tuple[float, float]], dots: Sequence[Dot]) -> list[Label | None]:
    """For each dot the first spot beside it that no dot and no earlier name covers, if any.

    Names that have room when they are large, as on phones, come first, and systems before
    reference rows.
    """
    taken: list[Box] = [(x - _SIZE, y - _SIZE, x + _SIZE, y + _SIZE) for x, y in places]
    found: list[Label | None] = [None] * len(dots)
    order = sorted(range(len(dots)), key=lambda at: dots[at].kind == "reference")
    for size in (ON_PHONES, 1.0):
        for at in order:
            name = dots[at].name
            if name and found[at] is None:
                text = name if len(name) <= LONGEST else f"{name[:LONGEST - 1].rstrip()}\u2026"
                found[at] = _free(*places[at], text, size, taken)
    return found


def _free(x: float, y: float, text: str, size: float, taken: list[Box]) -> Label | None:
    wide, tall = len(text) * LETTER * size, TALL * size
    for down in (0, -tall, tall, -2 * tall, 2 * tall):
        for side in (1, -1):
            edge, middle = x + side * 9, y + down
            box = (min(edge, edge + side * wide), middle - tall / 2,
                   max(edge, edge + side * wide), middle + tall / 2)
            inside = box[0] > LEFT and box[2] < WIDTH and box[1] > TOP and box[3] < HEIGHT - BOTTOM
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                return Label(text, edge, middle + 4, "n" if side > 0 else "n end", size == 1.0,
                             down != 0)
    return None


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _dot(x: float, y: float, dot: Dot, label: Label | None) -> str:
    small = " small" if label and label.small else ""
    lead = "" if label is None or not label.lead else (
        f'<path class="lead{small}" d="M{x:.1f} {y:.1f}L{label.x:.1f} {label.y - 4:.1f}"/>')
    name = "" if label is None else (
        f'<text class="{label.side}{small}" x="{label.x:.1f}" '
        f'y="{label.y:.1f}">{escape(shown(label.text))}</text>')
    return (f'<g class="{escape(dot.kind)}"><title>{escape(shown(dot.title, 200))}</title>'
            f'{lead}{mark(dot.kind, x, y)}{name}</g>')


def mark(kind: str, x: float, y: float) -> str:
    """The shape of a kind of rows around a point."""
    size = _SIZE
    if kind in ("scored", "preview"):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'
    if kind == "third-party":
        low = size * 0.9
        return (f'<rect x="{x - low:.1f}" y="{y - low:.1f}" width="{2 * low:g}" '
                f'height="{2 * low:g}"/>')
    if kind == "reference":
        return f'<path d="M{x:.1f} {y - size:.1f}l{size:g} {2 * size:g}h{-2 * size:g}z"/>'
    return f'<path d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z"/>'


def key_mark(kind: str) -> Markup:
    """The same shape alone, for a table."""
    return trusted('<svg class="wb-scatter key" viewBox="0 0 14 14" width="14" height="14" '
                   f'aria-hidden="true"><g class="{escape(kind)}">{mark(kind, 7, 7)}</g></svg>')
