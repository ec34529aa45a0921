"""What readers take along: the files of a row and of the whole site, by their addresses. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.website.boards.table import Table, TableRow, Tables
from scorer.website.exports.badge import row_badge
from scorer.website.exports.cite import bibtex, latex_row
from scorer.website.exports.every_eval import Publisher, every_eval_ever
from scorer.website.exports.feed import atom, row_news
from scorer.website.exports.hub import eval_results
from scorer.website.records import Entry, SiteView, SplitView

NAME = "Whyboard"
FEED = "feed.xml"

OWN_FILES = {"result.json": "result", "items.jsonl": "item by item",
             "predictions.tsv": "predictions"}
"""What lies in the repository."""
ROW_FILES = {
    "badge.svg": "badge", "cite.bib": "BibTeX", "row.tex": "LaTeX row",
    "every-eval-ever.json": "Every Eval Ever",
    "every-eval-ever.samples.jsonl": "its samples",
    "eval-results.yaml": "Hugging Face eval results",
}
"""What ``row_files`` makes, in the order to offer it, and how a link calls it."""


class Taken(NamedTuple):
    """One file of a row: where it is, relative to the site's root, and what it is."""

    path: str
    words: str


def folder(view: SplitView, entry: Entry | None = None) -> str:
    """Where the files of a split, or of one row of it, lie; relative to the site's root."""
    place = f"data/{view.board.id}/{view.name}/"
    return f"{place}{entry.slug}/" if entry else place


def result_files(view: SplitView, entry: Entry) -> list[tuple[Path, str]]:
    """The files of an entry that are offered, and their names; items only if committed."""
    found = [(entry.result_path, "result.json")]
    if entry.committed and entry.predictions:
        found.append((entry.result_path.with_name(f"{view.name}.items.jsonl"), "items.jsonl"))
        found.append((entry.folder / f"predictions.{view.name}.tsv", "predictions.tsv"))
    return found


def taken(view: SplitView, entry: Entry) -> tuple[Taken, ...]:
    """Every file of a row."""
    samples = (view.committed and entry.committed and bool(view.golds)
               and bool(entry.predictions) and bool(entry.result.items)
               and any(METRICS[name].binary for name in entry.result.items[0].scores))
    names = [*(name for _, name in result_files(view, entry)),
             *(name for name in ROW_FILES if samples or not name.endswith(".samples.jsonl"))]
    words = OWN_FILES | ROW_FILES
    return tuple(Taken(folder(view, entry) + name, words[name]) for name in names)


def publisher(url: str, day: str | None) -> Publisher:
    """Who publishes, as of the day (``YYYY-MM-DD``, UTC) of the built commit, if it is known.

    >>> publisher("https://example.org/", "1970-01-02").seconds
    86400
    """
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None
    return Publisher(NAME, url, int(moment.timestamp()) if moment else 0)


def files_of_rows(known: Publisher, table: Table) -> Iterator[tuple[str, bytes]]:
    """The made files of every row that was scored here, by their place."""
    for row in (row for block in table.blocks for row in block.rows):
        if row.entry:
            for name, content in row_files(known, table, row).items():
                yield folder(table.view, row.entry) + name, content


def row_files(publisher: Publisher, table: Table, row: TableRow) -> dict[str, bytes]:
    """Content by file name, for ``data/<board>/<split>/<team>--<system>/``.

    A row that was published elsewhere has none. Samples are given only where the gold file and the
    submission are part of the repository.
    """
    view, entry = table.view, row.entry
    if entry is None:
        return {}
    made = every_eval_ever(publisher, view, entry, view.committed and entry.committed)
    return {
        "badge.svg": row_badge(table, row),
        "cite.bib": bibtex(publisher.url, view, entry),
        "eval-results.yaml": eval_results(publisher.url, view, entry),
        "every-eval-ever.json": made.log,
        **({"every-eval-ever.samples.jsonl": made.samples} if made.samples else {}),
        "row.tex": latex_row(table, row),
    }


def feed(url: str, site: SiteView, tables: Tables) -> bytes:
    """``feed.xml``."""
    return atom(url, f"{NAME}: new rows", list(row_news(url, site, tables)), FEED)
