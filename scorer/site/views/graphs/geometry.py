"""What a layout is made of: points, boxes, curves, and how wide a text is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

WIDTH = 380
"""Units across a drawing; wider only if one layer of the gold graph needs it."""
PITCH = 82
"""Units from one layer to the next."""
TOP = 27
"""The middle of the first layer."""
TALLEST = 1000
"""Units of height, where the width is WIDTH, that are shown at once; of a taller drawing the rest
unfolds."""
FONT = 12.5
"""Size of a concept's text."""


class Point(NamedTuple):
    """A place in the drawing."""

    x: float
    y: float


class Box(NamedTuple):
    """A concept: the middle of its box, the box's size, the lines of its text and its layer."""

    x: float
    y: float
    w: float
    h: float
    lines: tuple[str, ...]
    layer: int


@cache
def _weights(t: float) -> tuple[float, float, float, float]:
    """How much each of a curve's four points counts at ``t``."""
    s = 1 - t
    return s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t


class Curve(NamedTuple):
    """A cubic Bézier curve from the border of one box to the border of another."""

    start: Point
    first: Point
    second: Point
    end: Point

    def at(self, *along: float) -> list[tuple[float, float]]:
        """x and y of the places ``along`` it, each between 0 (start) and 1 (end)."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self
        return [(a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy)
                for a, b, c, d in map(_weights, along)]


class Route(NamedTuple):
    """How an edge runs, and where the middle of its label stands."""

    curve: Curve
    label: Point


@dataclass(frozen=True)
class Layout:
    """Boxes by concept and routes by edge position."""

    width: int
    boxes: Mapping[str, Box]
    routes: tuple[Route, ...]

    @property
    def top(self) -> float:
        """The upper end of the drawing: 0, or one layer higher."""
        return min([0.0, *(float(PITCH * box.layer) for box in self.boxes.values())])

    @property
    def bottom(self) -> float:
        """The lower end of the drawing."""
        ends = [box.y + box.h / 2 for box in self.boxes.values()]
        ends += [max(r.label.y, r.curve.at(0.5)[0][1]) + 6 for r in self.routes]
        return max(ends, default=0) + 10

    @property
    def tall(self) -> bool:
        """Whether the drawing is higher than what is shown at once."""
        return (self.bottom - self.top) * WIDTH / self.width > TALLEST


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = FONT) -> float:
    """An estimate, on the wide side, of the width of a text in a sans-serif typeface."""
    return sum(map(_char_width, text)) * size


@lru_cache(maxsize=1024)
def _char_width(char: str) -> float:
    if char in "iljtfrI.,:;'|!()[] ":
        return 0.34
    if char in "mwMW@%":
        return 0.9
    if char.isupper():
        return 0.7
    return 0.58 if char < "\u0250" else 1.0
