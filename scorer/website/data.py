"""Files that are no pages: what readers download, the feed, schemas, and what scripts fetch.

Results and predictions are copied as they lie in the repository; all else is made of views.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scorer import formats
from scorer.files import json_bytes
from scorer.website import outputs
from scorer.website.boards.table import Table, Tables
from scorer.website.browsing import browser, checker
from scorer.website.exports.every_eval import Publisher
from scorer.website.exports.tables import leaderboard_csv, leaderboard_json
from scorer.website.records import Entry, SiteView, SplitView


def files(site: SiteView, tables: Tables, publisher: Publisher) -> Iterator[tuple[str, bytes]]:
    """Every file: its path below the site's root, and its content."""
    views = [view for board in site.boards for view in board.splits]
    for view in views:
        yield from _split(view, tables[view.path], publisher)
    yield outputs.FEED, outputs.feed(publisher.url, site, tables)
    yield from ((one.path, json_bytes(one.document())) for one in formats.FORMATS)
    yield from _checked(site)
    for board in site.boards:
        yield from ((path, _json(known).encode()) for path, known in browser.files(board))
    for judge in site.judges.known:
        yield f"data/{judge.path}card.json", judge.source.read_bytes()


def _split(view: SplitView, table: Table, publisher: Publisher) -> Iterator[tuple[str, bytes]]:
    """The leaderboard as files, and the files of its rows."""
    folder = outputs.folder(view)
    if view.entries or view.reported:
        yield f"{folder}leaderboard.csv", leaderboard_csv(table)
        yield f"{folder}leaderboard.json", leaderboard_json(table)
    for entry in view.entries:
        yield from _results(view, entry)
    yield from outputs.files_of_rows(publisher, table)


def _results(view: SplitView, entry: Entry) -> Iterator[tuple[str, bytes]]:
    for source, name in outputs.result_files(view, entry):
        if source.is_file():
            yield outputs.folder(view, entry) + name, source.read_bytes()


def _checked(site: SiteView) -> Iterator[tuple[str, bytes]]:
    """What the script of the checker fetches; no submission is in it."""
    return ((path, _json(known).encode()) for path, known in checker.files(site))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
