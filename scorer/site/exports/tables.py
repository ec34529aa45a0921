"""Leaderboards as tables for spreadsheets, data frames and papers, all from their documents."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from scorer.scoring.leaderboard.numbers import number
from scorer.scoring.results.leaderboard import Column, Row, Value
from scorer.site.boards.leaderboards import Leaderboard
from scorer.site.text import MINUS, csv_cell, latex, one_line

RESULTS, PAIRS = "data/results.csv", "data/pairs.csv"
Cell = str | int | float | None
_MISSING = frozenset(("", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind",
                      "1.#qnan", "<na>", "n/a", "na", "nan", "none", "null"))
"""What pandas reads as a missing value, in small letters."""
_PLACE = ("board", "split")
_ROW = ("key", "title", "by", "kind", "rank_first", "rank_last")
_VALUE = ("value", "low", "high", "null", "lift")
_TIDY = (*_PLACE, "row", "title", "kind", "column", *_VALUE, "p_vs_null", "n", "rank_first",
         "rank_last")
_PAIR = (*_PLACE, "column", "a", "b", "a_only", "b_only", "p", "p_holm")


class _Line(NamedTuple):
    """One row, wherever its numbers come from."""

    key: str
    title: str
    by: str
    kind: str
    rank: Sequence[int]
    values: dict[str, Value]


def _lines(known: Leaderboard) -> Iterator[_Line]:
    """The rows of a document, then those published elsewhere."""
    for row in known.document.rows:
        entry = known.entries[row.key]
        yield _Line(row.key, entry.title, entry.by, row.kind, row.rank or (), row.values)
    counts: dict[str, int] = {}
    for one in known.document.published:
        counts[one.source] = counts.get(one.source, 0) + 1
        values = {name: Value.model_validate({"v": value}) for name, value in one.values.items()}
        yield _Line(f"published/{one.source}/{counts[one.source]}", one.system, one.by, "published",
                    (), values)


def _numbers(value: Value | None) -> list[Cell]:
    if value is None:
        return [None] * len(_VALUE)
    return [value.v, *(value.ci or (None, None)), value.null, value.lift]


def _ranks(rank: Sequence[int]) -> list[Cell]:
    return [*rank] or [None, None]


def leaderboard_csv(known: Leaderboard) -> bytes:
    """``leaderboard.csv``: a line for each system."""
    columns = [column.id for column in known.document.columns]
    head = [f"{name} {what}" if what != "value" else name for name in columns for what in _VALUE]
    return _csv([*_ROW, *head], (
        [line.key, line.title, line.by, line.kind, *_ranks(line.rank),
         *(cell for name in columns for cell in _numbers(line.values.get(name)))]
        for line in _lines(known)))


def results_csv(boards: Iterable[Leaderboard]) -> bytes:
    """``data/results.csv``: a line for each value of each system of every leaderboard."""
    return _csv(_TIDY, (
        [known.document.board, known.document.split, line.key, line.title, line.kind, name,
         *_numbers(value), value.vs_null.p if value.vs_null else None, value.n,
         *_ranks(value.rank or ())]
        for known in boards for line in _lines(known)
        for name, value in line.values.items() if value.v is not None))


def pairs_csv(boards: Iterable[Leaderboard]) -> bytes:
    """``data/pairs.csv``: a line for each two systems that were compared, on each column."""
    return _csv(_PAIR, ([known.document.board, known.document.split, *line]
                        for known in boards for line in _pairs(known)))


def _pairs(known: Leaderboard) -> Iterator[list[Cell]]:
    by = known.document.pairs.by if known.document.pairs else ""
    for both, pair in known.pairs.items():
        yield [by, *both, *pair]
    for name, column in known.document.close.items():
        if name != by:
            pairs = zip(combinations(column.rows, 2), column.tri, strict=True)
            for both, (*_, p, first, second) in pairs:
                yield [name, *both, first, second, p, None]


def _csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(csv_cell, head))
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().encode()


def _cell(cell: Cell) -> Cell:
    """Numbers as they are; a text so that it is a text, in a spreadsheet and in pandas."""
    if not isinstance(cell, str):
        return cell
    text = csv_cell(one_line(cell, 2000))
    return f"'{text}" if text.strip().lower() in _MISSING and text else text


# ---- LaTeX ---------------------------------------------------------------------------------------


def leaderboard_tex(known: Leaderboard) -> bytes:
    """``leaderboard.tex``: a whole ``tabular`` for booktabs, reference rows below the systems.

    Bold: not significantly worse than the best. Needs no package but booktabs.
    """
    columns = [column for column in known.document.columns if not column.unmeasured]
    arrows = {"higher": r"$\uparrow$", "lower": r"$\downarrow$"}
    heads = [f"{latex(column.id)} {arrows[column.better]}" for column in columns]
    rows = known.document.rows
    blocks = [[_tex_row(known, row, columns) for row in rows
               if (row.kind == "reference") == reference] for reference in (False, True)]
    title = f"{known.view.board.title} {known.document.split}"
    lines = [f"% {one_line(title)}; \\usepackage{{booktabs}}; bold: not significantly worse than "
             "the best",
             f"\\begin{{tabular}}{{ll{'r' * len(columns)}}}", r"\toprule",
             _tex_line(["System", "Rank", *heads]), r"\midrule",
             "\n\\midrule\n".join("\n".join(block) for block in blocks if block), r"\bottomrule",
             r"\end{tabular}"]
    return "\n".join([*filter(None, lines), ""]).encode()


def _tex_row(known: Leaderboard, row: Row, columns: Sequence[Column]) -> str:
    rank = "--".join(dict.fromkeys(map(str, row.rank or ())))
    cells = []
    for column in columns:
        value = row.values.get(column.id)
        if value is None or value.v is None:
            cells.append("--")
        else:
            text = number(float(value.v), column).replace(MINUS, "$-$")
            cells.append(f"\\textbf{{{text}}}" if value.top else text)
    title = latex(known.title(row.key))
    # After a line's end LaTeX reads "[" and "*" as its arguments.
    return _tex_line([f"{{}}{title}" if title[:1] in ("[", "*") else title, rank, *cells])


def _tex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"

