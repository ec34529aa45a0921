"""A laid out graph as SVG text. Pure; classes only, so that one style sheet themes every drawing.

Nothing is told by colour alone: where a concept comes from shows in the shape and dash of its box,
what became of an edge in its dash and in the mark before its label, a negated relation in a bar
across the arrow, a culprit of a broken constraint in a thick outline and an exclamation mark.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from html import escape
from math import hypot
from pathlib import Path

from scorer.core.records import Edge
from scorer.site.text import shown
from scorer.site.views.graphs.geometry import Bezier, Box, Layout, Point, Route, label_of
from scorer.tasks.graphs.diff import Status

EXTERNAL = "kx"
SEVERAL = "km"
SYMBOLS: dict[Status, str] = {
    "kept": "=",
    "changed": "~",
    "reversed": "\u21c5",
    "extra": "+",
    "missing": "\u2212",
}
"""The mark of each status; a reader who sees no colour reads these."""


def kind(indexes: Sequence[int]) -> str:
    """The class of a concept by the positions of the texts that it is from: ``k0``, ``k1`` ... for
    one, ``km`` for several, ``kx`` for none.

    >>> kind([0]), kind([0, 1]), kind([])
    ('k0', 'km', 'kx')
    """
    if not indexes:
        return EXTERNAL
    return SEVERAL if len(indexes) > 1 else f"k{min(indexes[0], 3)}"


def render(layout: Layout, edges: Sequence[Edge], kinds: Mapping[str, str], title: str, *,
           statuses: Sequence[Status] = (), bad_edges: Collection[int] = (),
           bad_concepts: Collection[str] = (), negated: Collection[str] = (),
           ghosts: Sequence[tuple[Edge, Route]] = (), texts: Mapping[str, str] | None = None,
           ) -> str:
    """A graph as an ``<svg>`` element.

    ``kinds``: the class of every concept that is drawn. ``statuses``: what became of each edge,
    none for a gold graph. ``bad_edges`` and ``bad_concepts`` are at fault in a broken constraint,
    ``negated`` the board's relations that negate. ``ghosts``: gold edges that the prediction lacks,
    with their routes in the gold graph; concepts that it lacks are outlined faintly there.
    ``texts``: what concepts that are ids stand for.

    An edge has the numbers of its two nodes, from 0 in their order, for the interactive graph.
    """
    top, width = round(layout.top), layout.width
    height = round(layout.bottom) - top
    raised = " up" if top < 0 else ""
    out = [f'<svg class="wb-graph{raised}" viewBox="0 {top} {width} {height}" width="{width}" '
           f'height="{height}" role="img"><title>{escape(shown(title))}</title>']
    present = {c for edge in edges for c in (edge.source, edge.target)}
    wanted = present | {c for edge, _ in ghosts for c in (edge.source, edge.target)}
    nodes = {concept: number for number, concept in enumerate(
        concept for concept in layout.boxes if concept in wanted)}
    out += [_edge(route.curve, 'class="e missing"') for _, route in ghosts]
    classes = [f"{status} bad".lstrip() if i in bad_edges else status
               for i, status in enumerate(statuses or [""] * len(edges))]
    for edge, name, route in zip(edges, classes, layout.routes, strict=True):
        ends = f'data-ends="{nodes[edge.source]} {nodes[edge.target]}"'
        out.append(_edge(route.curve, f'class="{f"e {name}".rstrip()}" {ends}',
                         edge.relation in negated))
    for concept in nodes:
        name = kinds[concept] if concept in present else f"{kinds[concept]} ghost"
        out.append(_node(concept, layout.boxes[concept], name, concept in bad_concepts,
                         (texts or {}).get(concept, "")))
    for i, (edge, name, route) in enumerate(zip(edges, classes, layout.routes, strict=True)):
        symbol = SYMBOLS[statuses[i]] if statuses else ""
        name += " neg" if edge.relation in negated else ""
        out.append(_label(edge.relation, route.label, f"l {name}", symbol, i in bad_edges))
    out.append("</svg>")
    return "".join(out)


@lru_cache(maxsize=1024)  # what a graph shares with gold is drawn alike for every system
def _edge(curve: Bezier, about: str, barred: bool = False) -> str:
    a, b, c, d = curve
    length = hypot(d.x - c.x, d.y - c.y) or 1.0
    tangent = Point((d.x - c.x) / length, (d.y - c.y) / length)
    stop = Point(d.x - tangent.x * 6, d.y - tangent.y * 6)
    path = (f"M{round(a.x)} {round(a.y)}C{round(b.x)} {round(b.y)} "
            f"{round(c.x)} {round(c.y)} {round(stop.x)} {round(stop.y)}")
    head = _head(d, tangent, barred)
    return f'<g {about}><path d="{path}"/><path class="h" d="{head}"/></g>'


def _head(tip: Point, along: Point, barred: bool) -> str:
    """An arrow head, with a bar behind it if the relation is negated."""
    back = Point(tip.x - along.x * 8, tip.y - along.y * 8)
    side = Point(-along.y * 4, along.x * 4)
    head = (f"M{tip.x:.0f} {tip.y:.0f}L{back.x + side.x:.0f} {back.y + side.y:.0f} "
            f"{back.x - side.x:.0f} {back.y - side.y:.0f}Z")
    if barred:
        bar = Point(tip.x - along.x * 12, tip.y - along.y * 12)
        head += (f"M{bar.x + side.x * 1.5:.0f} {bar.y + side.y * 1.5:.0f}"
                 f"L{bar.x - side.x * 1.5:.0f} {bar.y - side.y * 1.5:.0f}")
    return head


@lru_cache(maxsize=1024)
def _node(concept: str, box: Box, name: str, bad: bool, text: str) -> str:
    left, top = round(box.x - box.w / 2), round(box.y - box.h / 2)
    width, height = round(box.w), round(box.h)
    out = [f'<g class="n {name}{" bad" if bad else ""}">{_outline(name, left, top, width, height)}']
    middle = round(box.x)
    first = box.y - 7.5 * (len(box.lines) - 1) + 4.5
    if len(box.lines) == 1:
        out.append(f'<text x="{middle}" y="{first:.0f}">{escape(shown(box.lines[0]))}</text>')
    else:
        lines = "".join(
            f'<tspan x="{middle}" y="{first + 15 * i:.0f}">{escape(shown(line))}</tspan>'
            for i, line in enumerate(box.lines))
        out.append(f"<text>{lines}</text>")
    if text or box.lines[-1].endswith("\u2026"):
        out.append(f"<title>{escape(shown(text or concept, 400))}</title>")
    if bad:
        x, y = left + width, top
        out.append(f'<circle cx="{x}" cy="{y}" r="8"/><text class="x" x="{x}" y="{y + 4}">!</text>')
    out.append("</g>")
    return "".join(out)


def _outline(name: str, x: int, y: int, w: int, h: int) -> str:
    """Square corners: first text. Round: second. Square left and round right: several."""
    kind_name = name.partition(" ")[0]
    if kind_name == SEVERAL:
        r = min(13, h // 2)
        side = f"a{r} {r} 0 0 1 {r} {r}v{h - 2 * r}a{r} {r} 0 0 1-{r} {r}"
        return f'<path d="M{x} {y}h{w - r}{side}h-{w - r}z"/>'
    radius = {"k0": 2, "k1": min(13, h // 2)}.get(kind_name, 6)
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="{radius}"/>'


def _label(relation: str, point: Point, name: str, symbol: str, bad: bool) -> str:
    mark = f'<tspan class="s">{symbol}</tspan> ' if symbol else ""
    text = escape(label_of(relation)) or "(empty)"
    text += ' <tspan class="s">!</tspan>' if bad else ""
    classes = " ".join(name.split())
    return f'<text class="{classes}" x="{point.x:.0f}" y="{point.y + 4:.0f}">{mark}{text}</text>'


def interactive_script() -> Path:
    """The vis-network file of pyvis, with which a page draws its own drawing again when a reader
    asks for it (``site/assets/network.js``). Not imported, for that imports IPython."""
    import pyvis

    return max(Path(pyvis.__file__).parent.glob("lib/vis-*/vis-network.min.js"))
