"""A badge for a README: one row's number on its board, as SVG of our own."""

from __future__ import annotations

from unicodedata import east_asian_width

from scorer.website.boards.table import Table, TableRow
from scorer.website.exports.words import one_line, xml

LONGEST = 48
"""Characters of one half; the rest is counted in words."""
_CHARACTER = 6.6
"""Pixels of one character of the badge's font; ``textLength`` makes it so in any other font."""
_PAD, _HEIGHT = 7, 20


def row_badge(table: Table, row: TableRow) -> bytes:
    """The badge of a row: the metric that orders the board, else the first column with a value."""
    texts = {column.id: cell.text for column, cell in zip(table.columns, row.cells, strict=True)
             if cell.value is not None}
    metric = table.ordered_by if table.ordered_by in texts else next(iter(texts), None)
    told = f"{metric} {texts[metric]}" if metric else "not measured"
    rank = f", rank {row.rank.text}" if row.rank and metric == table.ordered_by else ""
    return badge(f"{table.view.board.title} {table.view.name}", f"{told}{rank}")


def badge(left: str, right: str) -> bytes:
    """Two texts side by side. White on #454545 and #0b5394: contrast 9.6 and 7.8 to 1."""
    halves = [one_line(text, LONGEST) for text in (left, right)]
    lengths = [_length(text) for text in halves]
    widths = [length + 2 * _PAD for length in lengths]
    title = xml(": ".join(halves))
    starts = (0, widths[0])
    boxes = "".join(
        f'<rect x="{x}" width="{width}" height="{_HEIGHT}" fill="{fill}"/>'
        for x, width, fill in zip(starts, widths, ("#454545", "#0b5394"), strict=True))
    texts = "".join(
        f'<text x="{x + _PAD}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">'
        f"{xml(text)}</text>"
        for x, length, text in zip(starts, lengths, halves, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="{_HEIGHT}" '
        f'role="img" aria-label="{title}"><title>{title}</title>{boxes}'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{texts}</g></svg>\n"
    ).encode()


def _length(text: str) -> int:
    wide = sum(east_asian_width(char) in "WF" for char in text)
    return max(1, round((len(text) + wide) * _CHARACTER))
