"""What a layout is made of: points, boxes, curves, how wide a text is; how edges run between boxes,
and where their labels stand. Pure, deterministic."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from scorer.core.records import Edge
from scorer.site.text import shown

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


class Bezier(NamedTuple):
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

    curve: Bezier
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


# ---- edges and labels ----------------------------------------------------------------------------


_LABEL_FONT = 11.0
_WIDEST_LABEL = 230.0
"""Units; a drawing has 380."""


def routes(edges: Sequence[Edge], boxes: Mapping[str, Box], width: int) -> tuple[Route, ...]:
    """The way of every edge, in order, with a place for its label."""
    curves = []
    used = Counter[frozenset[str]]()
    for edge in edges:
        ends = frozenset((edge.source, edge.target))
        curves.append(_curve(edge, boxes, used[ends], width))
        used[ends] += 1
    labels = _labels(edges, curves, boxes, width)
    return tuple(map(Route, curves, labels))


def _curve(edge: Edge, boxes: Mapping[str, Box], repeat: int, width: int) -> Bezier:
    a, b = boxes[edge.source], boxes[edge.target]
    if edge.source == edge.target:
        side = a.x + a.w / 2
        return Bezier(Point(side, a.y - 6), Point(side + 44, a.y - 30),
                      Point(side + 44, a.y + 30), Point(side, a.y + 6))
    if a.layer == b.layer:
        return _arc(a, b, repeat)
    down = 1 if b.layer > a.layer else -1
    start = Point(a.x, a.y + down * a.h / 2)
    end = Point(b.x, b.y - down * b.h / 2)
    if repeat:
        return _bent(start, end, max(start.x, end.x) + 46 * repeat)
    direct = _bent(start, end, None)
    if abs(a.layer - b.layer) == 1:
        return direct
    between = [box for box in boxes.values()
               if min(a.layer, b.layer) < box.layer < max(a.layer, b.layer)]
    return _around(start, end, direct, between, width)


def _arc(a: Box, b: Box, repeat: int) -> Bezier:
    """Between two boxes of one layer: under them, the second time over them."""
    down = -1 if repeat % 2 else 1
    offset = down * (30 + 10 * (repeat // 2))
    inward = 10 if b.x > a.x else -10
    start = Point(a.x + inward, a.y + down * a.h / 2)
    end = Point(b.x - inward, b.y + down * b.h / 2)
    level = (max(start.y, end.y) if down > 0 else min(start.y, end.y)) + offset
    return Bezier(start, Point(start.x, level), Point(end.x, level), end)


def _bent(start: Point, end: Point, side: float | None) -> Bezier:
    """Vertical at both ends, or by way of a line ``side``."""
    rise = (end.y - start.y) * (0.42 if side is None else 0.3)
    left = start.x if side is None else side
    right = end.x if side is None else side
    return Bezier(start, Point(left, start.y + rise), Point(right, end.y - rise), end)


def _around(start: Point, end: Point, direct: Bezier, between: Sequence[Box], width: int) -> Bezier:
    """The curve that touches fewest boxes: direct, else by the nearer free side."""
    middle = (start.x + end.x) / 2
    best, fewest = direct, _touched(direct, between)
    sides = [side for box in between
             for side in (box.x - box.w / 2 - 14, box.x + box.w / 2 + 14)]
    for side in sorted(sides, key=lambda x: (abs(x - middle), x)):
        if not fewest:
            break
        if 4 <= side <= width - 4:
            curve = _bent(start, end, middle + (side - middle) / 0.75)
            if (touched := _touched(curve, between)) < fewest:
                best, fewest = curve, touched
    return best


_SAMPLES = tuple(i / 12 for i in range(1, 12))


def _touched(curve: Bezier, boxes: Sequence[Box]) -> int:
    points = curve.at(*_SAMPLES)
    return sum(abs(x - box.x) < box.w / 2 + 4 and abs(y - box.y) < box.h / 2 + 3
               for box in boxes for x, y in points)


@lru_cache(maxsize=512)
def label_of(relation: str) -> str:
    """A relation as drawings show it: of a wide one the beginning; edges are listed beside.

    >>> label_of("is the capital of"), label_of("is " + "very " * 20 + "big")
    ('is the capital of', 'is very very very very very very very ver…')
    """
    text = shown(relation)
    if text_width(text, _LABEL_FONT) <= _WIDEST_LABEL:
        return text
    text = text[:100]
    while text_width(f"{text}\u2026", _LABEL_FONT) > _WIDEST_LABEL:
        text = text[:-1]
    return f"{text.rstrip()}\u2026"


_PLACES = (0.5, 0.4, 0.6, 0.3, 0.7)
_NEAREST = {wanted: sorted(_PLACES, key=lambda t: abs(t - wanted)) for wanted in (0.4, 0.5, 0.6)}
_ALONG = (0.15, 0.3, 0.5, 0.7, 0.85)


def _labels(edges: Sequence[Edge], curves: Sequence[Bezier], boxes: Mapping[str, Box], width: int,
            ) -> list[Point]:
    """The middles of the labels: one after the other is put where it covers least. Where edges run
    apart, that is sought near the far end of those that share one."""
    leaving = Counter(edge.source for edge in edges)
    entering = Counter(edge.target for edge in edges)
    points = sorted((y, x, number) for number, curve in enumerate(curves)
                    for x, y in curve.at(*_ALONG))
    taken = [(box.x, box.y, box.w / 2, box.h / 2) for box in boxes.values()]
    labels = []
    for number, (edge, curve) in enumerate(zip(edges, curves, strict=True)):
        half = (text_width(label_of(edge.relation), _LABEL_FONT) * 1.05 + 18) / 2
        apart = leaving[edge.source] - entering[edge.target]
        wanted = 0.6 if apart > 0 else 0.4 if apart < 0 else 0.5
        best, least = Point(0, 0), float("inf")
        for t in _NEAREST[wanted]:
            [(x, y)] = curve.at(t)
            x = min(max(x, half), width - half)
            away = abs(t - wanted) * 0.5
            cost = away + _covered(x, y, half, taken) + _crossed(x, y, half, points, number)
            if cost < least - 1e-9:
                best, least = Point(round(x, 1), round(y, 1)), cost
            if cost <= away:
                break
        taken.append((best.x, best.y, half + 2, 7))
        labels.append(best)
    return labels


def _covered(x: float, y: float, half: float, taken: Sequence[tuple[float, float, float, float]],
             ) -> float:
    """How much of boxes and other labels a label covers."""
    cost = 0.0
    for other_x, other_y, other_w, other_h in taken:
        dx = half + other_w - abs(x - other_x)
        dy = 7 + other_h - abs(y - other_y)
        if dx > 0 and dy > 0:
            cost += dx * dy / 100
    return cost


def _crossed(x: float, y: float, half: float, points: Sequence[tuple[float, float, int]],
             number: int) -> float:
    """How much of the curves of other edges it covers."""
    cost = 0.0
    for point_y, point_x, other in points[bisect_left(points, (y - 8,)):]:
        if point_y >= y + 8:
            break
        if other != number and -half < point_x - x < half:
            cost += 0.3
    return cost
