"""How to cite a row of a leaderboard in BibTeX, and the row itself for a LaTeX table."""

from __future__ import annotations

from scorer.website.boards.table import Table, TableRow
from scorer.website.exports.words import latex, one_line, system_url
from scorer.website.records import Entry, SplitView
from scorer.website.render import MINUS, NOTHING


def bibtex(site_url: str, view: SplitView, entry: Entry) -> bytes:
    """The row as ``@misc``, then the board's own citation.

    The key is ``whyboard-<board>-<split>-<team>-<system>``. An author stands in two pairs of
    braces: one name, however many words it has.
    """
    result = entry.result
    fields = {
        "title": f"{{{latex(entry.title)} on {latex(view.board.title)} ({view.name})}}",
        "author": f"{{{latex(entry.by)}}}",
        **({"year": entry.date[:4]} if entry.date[:4].isdigit() else {}),
        "howpublished": f"\\url{{{system_url(site_url, view, entry)}}}",
        "note": latex(f"Board {view.board.id} {result.board_version}, scored with Whyboard "
                      f"{result.provenance.get('scorer', {}).get('version', '')}".rstrip()),
    }
    key = "-".join(("whyboard", view.board.id, view.name, entry.team, entry.system))
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", "", view.board.citation.strip(), ""]).encode()


def latex_row(table: Table, row: TableRow) -> bytes:
    """One line for ``tabular``: the system, then each column as the page shows it.

    A comment above it names the columns. Values that were not measured are ``--``.
    """
    names = ["system", *(column.id for column in table.columns)]
    cells = [latex(row.title), *(_cell(cell.text) for cell in row.cells)]
    head = f"% {one_line(table.view.board.title)} {table.view.name}: {' & '.join(names)}"
    return f"{head}\n{' & '.join(cells)} \\\\\n".encode()


def _cell(text: str) -> str:
    return "--" if text == NOTHING else text.replace(MINUS, "$-$")
