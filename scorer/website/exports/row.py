"""All files of one row of a leaderboard, by the names they have on the site."""

from __future__ import annotations

from scorer.website.boards.table import Table, TableRow
from scorer.website.exports.badge import row_badge
from scorer.website.exports.cite import bibtex, latex_row
from scorer.website.exports.every_eval import Publisher, every_eval_ever
from scorer.website.exports.hub import eval_results


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
