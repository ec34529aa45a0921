"""A chart of horizontal bars as SVG text, drawn when the site is built. Pure; classes only."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from scorer.website.render import share, trusted
from scorer.website.text import shown
from scorer.website.views.graphs.geometry import text_width

_BAR, _GAP, _ROOM, _FONT = 9, 7, 250, 11.0


class BarGroup(NamedTuple):
    """One bar of each row."""

    name: str
    values: Sequence[float]
    """0 to 1, one for each row."""


def bars(title: str, rows: Sequence[str], groups: Sequence[BarGroup]) -> Markup:
    """The chart, longest bar as wide as there is room; the table with its numbers stands elsewhere.

    Groups differ in fill and in outline, so that no reader needs the colour.
    """
    left = max((text_width(shown(row, 40), _FONT) for row in rows), default=0) + 8
    most = max((value for group in groups for value in group.values), default=0) or 1.0
    pitch = len(groups) * _BAR + _GAP
    top = 18
    width, height = round(left + _ROOM + 46), top + pitch * len(rows)
    out = [f'<svg class="wb-bars" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" role="img"><title>{escape(title)}</title>']
    x = left
    for number, group in enumerate(groups):
        name = escape(shown(group.name, 40))
        out.append(f'<rect class="b{number}" x="{x:.0f}" y="2" width="12" height="8"/>'
                   f'<text class="k" x="{x + 17:.0f}" y="10">{name}</text>')
        x += text_width(group.name, _FONT) + 36
    for place, row in enumerate(rows):
        y = top + place * pitch
        middle = y + len(groups) * _BAR / 2 + 4
        out.append(f'<text class="r" x="{left - 6:.0f}" y="{middle:.0f}">'
                   f'{escape(shown(row, 40))}</text>')
        for number, group in enumerate(groups):
            long = group.values[place] / most * _ROOM
            at = y + number * _BAR
            told = share(round(group.values[place] * 1000), 1000)
            end = left + long + 4
            out.append(f'<rect class="b{number}" x="{left:.0f}" y="{at}" width="{long:.1f}" '
                       f'height="{_BAR - 1}"/><text x="{end:.1f}" y="{at + _BAR - 1.5}">{told}'
                       "</text>")
    out.append("</svg>")
    return trusted("".join(out))
