"""Where the concepts and edges of a graph are drawn. Pure, deterministic, no drawing.

Graphs run from top to bottom: a column is narrow enough to stand beside two others on a screen
and to fill a telephone. The gold graph is laid out once, in layers. A prediction is drawn in the
*same* layout, that of the union of all graphs of an item: concepts of the gold graph keep their
places, the others are put where there is room and stand there in every drawing, so that the eye can
compare graphs without searching. Concepts that meet in no drawing may share a place: a drawing
stays small however many systems there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from scorer.core.graph import concepts, longest_paths
from scorer.core.records import Edge
from scorer.site.views.graphs.geometry import PITCH, TOP, WIDTH, Box, Layout, routes, text_width

MOST_EDGES = 24
"""Edges drawn of one graph; the rest is counted in words."""
_GAP = 12
_TEXT_WIDTH = 106
_LINE = 15
_MOST_LINES = 4


@lru_cache(maxsize=4096)
def wrap(text: str) -> tuple[str, ...]:
    """The lines of a concept: broken at blanks, inside words only where one line cannot hold it."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and text_width(f"{lines[-1]} {word}") <= _TEXT_WIDTH:
            lines[-1] += f" {word}"
        elif text_width(word) <= _TEXT_WIDTH:
            lines.append(word)
        else:
            lines += _chunks(word)
        if len(lines) > _MOST_LINES:
            return (*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1] + "\u2026")
    return tuple(lines)


def _chunks(word: str) -> list[str]:
    chunks = [""]
    for char in word:
        if text_width(chunks[-1] + char) > _TEXT_WIDTH:
            if len(chunks) > _MOST_LINES:
                break
            chunks.append("")
        chunks[-1] += char
    return chunks


@lru_cache(maxsize=4096)
def _size(concept: str) -> tuple[float, float, tuple[str, ...]]:
    lines = wrap(concept)
    widest = max(text_width(line) for line in lines)
    return max(38.0, round(widest) + 16.0), _LINE * len(lines) + 11.0, lines


def _box(concept: str, x: float, layer: int) -> Box:
    w, h, lines = _size(concept)
    return Box(round(x, 1), TOP + PITCH * layer, w, h, lines, layer)


# ---- the gold graph ----------------------------------------------------------------------------


def lay_out(edges: Sequence[Edge]) -> Layout:
    """A layered layout of one graph on its own."""
    layers = _order(_layers(edges), edges)
    xs = _columns(layers, edges)
    left = min((xs[c] - _size(c)[0] / 2 for c in xs), default=0)
    right = max((xs[c] + _size(c)[0] / 2 for c in xs), default=0)
    width = max(WIDTH, int(right - left) + 9)
    shift = (width - left - right) / 2
    boxes = {concept: _box(concept, xs[concept] + shift, depth)
             for depth, layer in enumerate(layers) for concept in layer}
    return Layout(width, boxes, routes(edges, boxes, width))


def _layers(edges: Sequence[Edge]) -> list[list[str]]:
    """Concepts by longest path from a start; edges that would close a cycle are ignored."""
    forward: list[Edge] = []
    for edge in edges:
        if longest_paths([*forward, edge]) is not None:
            forward.append(edge)
    names = concepts(edges)
    layer = dict.fromkeys(names, 0) | (longest_paths(forward) or {})
    entered = {edge.target for edge in forward}
    for name in names:
        below = [layer[edge.target] for edge in forward if edge.source == name]
        if name not in entered and below:
            layer[name] = min(below) - 1
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for name in names:
        rows[layer[name]].append(name)
    return rows


def _order(layers: list[list[str]], edges: Sequence[Edge]) -> list[list[str]]:
    """The same layers, each in an order with few crossings (barycentre sweeps, best kept)."""
    near = _neighbours(edges)
    best, fewest = layers, _crossings(layers, edges)
    current = [list(layer) for layer in layers]
    for sweep in range(4):
        if not fewest:
            break
        index = {name: float(i) for layer in current for i, name in enumerate(layer)}
        order = current if sweep % 2 == 0 else current[::-1]
        for layer in order:
            middle = {name: _mean([index[n] for n in near[name]], index[name]) for name in layer}
            layer.sort(key=middle.__getitem__)
            index.update((name, float(i)) for i, name in enumerate(layer))
        crossings = _crossings(current, edges)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in current], crossings
    return best


def _crossings(layers: Sequence[Sequence[str]], edges: Sequence[Edge]) -> int:
    position = {n: (depth, i) for depth, layer in enumerate(layers) for i, n in enumerate(layer)}
    ends = [sorted((position[e.source], position[e.target])) for e in edges]
    return sum(a[0][0] == b[0][0] and a[1][0] == b[1][0]
               and (a[0][1] - b[0][1]) * (a[1][1] - b[1][1]) < 0
               for i, a in enumerate(ends) for b in ends[:i])


def _neighbours(edges: Sequence[Edge]) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {name: [] for name in concepts(edges)}
    for edge in edges:
        if edge.source != edge.target:
            near[edge.source].append(edge.target)
            near[edge.target].append(edge.source)
    return near


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _columns(layers: Sequence[Sequence[str]], edges: Sequence[Edge]) -> dict[str, float]:
    """x of every concept: near its neighbours, without overlap."""
    near = _neighbours(edges)
    xs = {name: 0.0 for layer in layers for name in layer}
    for layer in layers:
        xs.update(_spread(layer, xs))
    settled = 0
    for sweep in range(6):
        before = dict(xs)
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wanted = {n: _mean([xs[m] for m in near[n]], xs[n]) for n in layer}
            xs.update(_spread(layer, wanted))
        settled = settled + 1 if xs == before else 0
        if settled == 2:  # neither way moves anything: nor would a further sweep
            break
    return xs


def _spread(layer: Sequence[str], wanted: Mapping[str, float]) -> dict[str, float]:
    """The places nearest to the wanted ones that keep order and distance (pooled averages)."""
    if len(layer) == 1:
        return {layer[0]: wanted[layer[0]]}
    offsets = [0.0]
    for a, b in pairwise(layer):
        offsets.append(offsets[-1] + (_size(a)[0] + _size(b)[0]) / 2 + _GAP + 6)
    pools: list[tuple[float, int]] = []
    for name, offset in zip(layer, offsets, strict=True):
        mean, size = wanted[name] - offset, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    return {n: m + o for n, m, o in zip(layer, flat, offsets, strict=True)}


# ---- a prediction in the layout of the gold graph ------------------------------------------------


def lay_over(base: Layout, edges: Sequence[Edge], known: Mapping[str, Box] | None = None,
             ) -> Layout:
    """The layout of ``edges`` in which every concept of ``base`` keeps its place.

    ``known`` are places that further concepts have in drawings of other predictions: they are
    taken again, unless something of this drawing stands there.
    """
    boxes = dict(base.boxes)
    near = _neighbours(edges)
    for name in near:
        box = (known or {}).get(name)
        if box is not None and name not in boxes and all(
                abs(box.x - other.x) >= (box.w + other.w) / 2 + _GAP - 0.11
                for other in boxes.values() if other.layer == box.layer):
            boxes[name] = box
    floor = max((box.layer for box in boxes.values()), default=-1) + 1
    waiting = [name for name in near if name not in boxes]
    while waiting:
        name = max(waiting, key=lambda n: sum(m in boxes for m in near[n]))
        waiting.remove(name)
        anchors = [boxes[m] for m in near[name] if m in boxes]
        above = [boxes[edge.source].layer for edge in edges
                 if edge.target == name and edge.source in boxes]
        if above:
            layer = max(above) + 1
        elif anchors:
            layer = max(min(box.layer for box in anchors) - 1, -1)
        else:
            layer = floor = max([floor, *(box.layer + 1 for box in boxes.values())])
        boxes[name] = _free_place(name, layer, anchors, boxes, base.width)
    return Layout(base.width, boxes, routes(edges, boxes, base.width))


def _free_place(name: str, layer: int, anchors: Sequence[Box], boxes: Mapping[str, Box],
                width: int) -> Box:
    """The free place nearest to the wanted layer and to the concepts it is connected with."""
    half = _size(name)[0] / 2
    low, high = half + 4, max(width - half - 4, half + 4)
    middle = _mean([box.x for box in anchors], width / 2)
    deepest = max((box.layer for box in boxes.values()), default=-1)
    best: tuple[float, float, int] | None = None
    for candidate in range(max(layer - 1, -1), deepest + 3):
        away = abs(candidate - layer) * (175.0 if candidate < layer else 70.0)
        if best is not None and away >= best[0]:
            continue
        taken = [(box.x, box.w / 2) for box in boxes.values() if box.layer == candidate]
        wishes = [min(max(middle, low), high)]  # the middle, else beside a box
        for x, w in taken:
            wishes += [x - w - half - _GAP, x + w + half + _GAP]
        for wish in wishes:
            cost = away + abs(wish - middle)
            if (best is None or cost < best[0]) and low <= wish <= high and all(
                    abs(wish - x) >= half + w + _GAP - 0.01 for x, w in taken):
                best = (cost, wish, candidate)
    assert best is not None, "a layer of its own is always free"
    return _box(name, best[1], best[2])
