"""Files that are no pages: what readers take along, schemas, what scripts fetch, new rows as an
Atom feed (RFC 4287), and the addresses of all pages (sitemaps.org, protocol 0.9).

Results and predictions are copied as they lie in the repository; all else is made of views. Dates
come from the history of git, never from the clock.
"""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import quote

from scorer.boards import exporting
from scorer.boards.submission import predictions_path
from scorer.core.files import json_bytes
from scorer.core.reading.tsv import rows_bytes
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import PREVIEW
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.files import items_path
from scorer.site import exports, formats
from scorer.site.browsing import annotating, browser, checker
from scorer.site.exports import Publisher
from scorer.site.people.pages import people_files
from scorer.site.records import KINDS, BoardView, Entry, SiteView, SplitView
from scorer.site.text import xml

File = tuple[str, bytes]
"""A path below the site's root, and what is there."""
NAME = "Whyboard"
FEED = "feed.xml"
RESULTS, PAIRS = "data/results.csv", "data/pairs.csv"

WORDS = {
    "result.json": "result", "items.tsv": "item by item", "predictions.tsv": "predictions",
    "badge.svg": "badge", "cite.bib": "BibTeX",
    "every-eval-ever.json": "Every Eval Ever",
    "every-eval-ever.samples.jsonl": "its samples",
    "eval-results.yaml": "Hugging Face eval results",
}
"""How a link calls the files of a row."""


def folder(view: SplitView, entry: Entry | None = None) -> str:
    """Where the files of a split, or of one row of it, lie; relative to the site's root."""
    base = f"data/{view.board.id}/{view.name}/"
    return f"{base}{entry.slug}/" if entry else base


def inputs_path(view: SplitView) -> str:
    """Where the inputs of a split lie; empty where they are not part of the repository or may not
    be shown."""
    return f"{folder(view)}inputs.tsv" if view.committed and view.texts else ""


def row_files(view: SplitView, entry: Entry) -> dict[str, Callable[[Publisher], bytes]]:
    """The files of a row, for ``data/<board>/<split>/<team>--<system>/``, by their names, in the
    order to offer them: those that lie in the repository, as they are, then what is made.

    Predictions and samples only if committed. Of a preview, whose files would look official
    wherever they go, or where no item may be shown, no items: a reference row answers with gold.
    """
    official = entry.kind != PREVIEW
    shown = official and view.board.examples == "public"
    files: dict[str, Callable[[Publisher], bytes]] = {
        "result.json": lambda _: entry.result_path.read_bytes()}
    if shown and entry.result.items:
        files["items.tsv"] = lambda _: items_path(entry.result_path).read_bytes()
    compared = entry.committed and entry.key in view.comparable_keys
    if shown and compared:
        files["predictions.tsv"] = lambda _: predictions_path(entry.folder, view.name).read_bytes()
    if not official:
        return files
    samples = view.committed and compared and bool(view.golds) and any(
        name in entry.result.items[0].scores and METRICS[name].binary
        for name in entry.result.metrics)
    both = cache(lambda publisher: exports.every_eval_ever(publisher, view, entry, samples))
    files["badge.svg"] = lambda _: exports.row_badge(view, view.row(entry))
    files["cite.bib"] = lambda publisher: exports.bibtex(publisher.url, view, entry)
    files["every-eval-ever.json"] = lambda publisher: both(publisher)[0]
    if samples:
        files["every-eval-ever.samples.jsonl"] = lambda publisher: both(publisher)[1]
    files["eval-results.yaml"] = lambda publisher: exports.eval_results(publisher.url, view, entry)
    return files


def taken(view: SplitView, entry: Entry) -> dict[str, str]:
    """Every file of a row: where it is, relative to the site's root, and what it is."""
    return {folder(view, entry) + name: WORDS[name] for name in row_files(view, entry)}


def taken_of_board(view: BoardView) -> dict[str, str]:
    """The same of a board's data."""
    base, splits = f"data/{view.board.id}/", splits_given(view)
    files = {f"{base}{split}.parquet": f"{split} (Parquet)" for split in splits}
    return files | {f"{base}croissant.json": "Croissant",
                    f"{base}eval.yaml": "eval.yaml"} if splits else {}


def publisher_of(url: str, day: str | None) -> Publisher:
    """Who publishes, as of the day (``YYYY-MM-DD``, UTC) of the built commit, if it is known.

    >>> publisher_of("https://example.org/", "1970-01-02").seconds
    86400
    """
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None
    return Publisher(NAME, url, int(moment.timestamp()) if moment else 0)


def file_groups(site: SiteView, publisher: Publisher,
                ) -> Iterator[Callable[[], Iterator[File]]]:
    """Every file, in groups that can each be made by a process of its own."""
    yield partial(_of_site, site, publisher)
    for board in site.boards:
        yield partial(_of_board, board, publisher.url)
        yield from (partial(_split, view, publisher) for view in board.splits)


def _of_site(site: SiteView, publisher: Publisher) -> Iterator[File]:
    yield RESULTS, exports.results_csv(site.leaderboards)
    yield PAIRS, exports.pairs_csv(site.leaderboards)
    news = list(row_news(publisher.url, site))
    yield FEED, atom(publisher.url, f"{NAME}: new rows", news)
    yield from ((schema.path, json_bytes(schema.document())) for schema in formats.FORMATS)
    yield from ((path, compact_json(known)) for path, known in checker.files(site))
    yield from people_files(site)
    yield from annotating.files([*site.annotations.open, *site.annotations.closed])
    for judge in site.judges.known:
        yield f"data/{judge.path}card.json", judge.source.read_bytes()


def _of_board(board: BoardView, site_url: str) -> Iterator[File]:
    yield from ((path, compact_json(known)) for path, known in browser.files(board))
    yield from dataset_files(site_url, board)


def _split(view: SplitView, publisher: Publisher) -> Iterator[File]:
    """The leaderboard as files, and the files of its rows."""
    base = folder(view)
    if path := inputs_path(view):  # as a submitter needs them: a line an item, columns by tabs
        yield path, rows_bytes(view.texts)
    if view.has_rows:
        yield f"{base}leaderboard.csv", exports.leaderboard_csv(view)
        yield f"{base}leaderboard.json", documents.to_bytes(view.document)
        yield f"{base}leaderboard.tex", exports.leaderboard_tex(view)
    for entry in view.entries:
        yield from ((folder(view, entry) + name, content(publisher))
                    for name, content in row_files(view, entry).items())


def compact_json(value: Any) -> bytes:
    """JSON that a script fetches, in as few bytes as it takes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode()


def splits_given(view: BoardView) -> list[str]:
    """The splits whose items are given away; none if one of those could not be read."""
    splits = {part.name: part for part in view.splits
              if not exporting.why_not(view.board, part.name)}
    readable = all(part.golds or part.inputs for part in splits.values())
    return [*splits] if readable and exporting.has_parquet() else []


def dataset_files(site_url: str, view: BoardView) -> Iterator[tuple[str, bytes]]:
    """Every file by its path. Addresses in the metadata are whole, so that they can be fetched."""
    if splits_given(view):
        base = f"data/{view.board.id}/"
        files = exporting.dataset_files(
            view.board, site_url + base, f"{site_url}boards/{view.board.id}/data/")
        yield from ((base + name.rpartition("/")[2], content)
                    for name, content in files.items() if name != "README.md")


# ---- the feed and the map ------------------------------------------------------------------------

MOST_NEWS = 100
"""Entries of a feed."""
NEVER = "1970-01-01T00:00:00Z"
"""When a feed without entries was updated."""


class News(NamedTuple):
    """One entry: what happened, its page, and when."""

    url: str
    """The page; it is the entry's identity too."""
    title: str
    author: str
    summary: str
    updated: str
    """As RFC 3339 has it: ``2026-01-31T12:30:00Z``."""
    folder: str = ""
    """The author's, to stand beside the name; empty if none may be named."""


def row_news(site_url: str, site: SiteView) -> Iterator[News]:
    """Every row of every board but reference rows, local previews and those without a date.

    The date is that of the commit that published the row, as ``site.states`` has it;
    else that of the merge; else the date that the submission itself names.
    """
    for view in site.leaderboards:
        for entry in view.entries:
            if entry.kind in ("reference", PREVIEW):
                continue
            state = site.states.of(view.board.id, entry.team, entry.system, view.name)
            moment = (state.published or state.merged) if state else None
            updated = timestamp(moment.date if moment and moment.date else entry.date)
            if updated is not None:
                values = exports.values(view.document, view.row(entry))
                texts = [f"{name} {text}" for name, text in values.items()]
                yield News(
                    f"{site_url}{view.system_path(entry)}#{view.name}",
                    f"{entry.title} on {view.board.title} {view.name}", entry.by,
                    f"{KINDS[entry.kind].capitalize()}. {', '.join(texts)}.", updated,
                    entry.folder_name)


def timestamp(date: str) -> str | None:
    """A date or time of git or of submission.yaml as RFC 3339 in UTC; None if it is neither.

    >>> timestamp("2026-01-31T13:30:00+01:00"), timestamp("2022-04"), timestamp("soon")
    ('2026-01-31T12:30:00Z', '2022-04-01T00:00:00Z', None)
    """
    whole = f"{date}-01" if len(date) == len("2022-04") else date
    try:
        moment = datetime.fromisoformat(whole)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def newest(news: Iterable[News], most: int) -> list[News]:
    """The newest first; of one time, in the order of their addresses."""
    entries = sorted(news, key=lambda entry: entry.url)
    entries.sort(key=lambda entry: entry.updated, reverse=True)
    return entries[:most]


def atom(site_url: str, title: str, news: Sequence[News]) -> bytes:
    """The feed, newest entries first, at most 100."""
    chosen = newest(news, MOST_NEWS)
    updated = chosen[0].updated if chosen else NEVER
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{xml(site_url)}</id>",
        f"<title>{xml(title)}</title>",
        f'<link rel="self" type="application/atom+xml" href="{xml(site_url + FEED)}"/>',
        f'<link rel="alternate" type="text/html" href="{xml(site_url)}"/>',
        f"<updated>{updated}</updated>",
    ]
    for entry in chosen:
        author = f"{entry.author} ({entry.folder})" if entry.folder else entry.author
        lines += [
            "<entry>",
            f"<id>{xml(entry.url)}</id>",
            f"<title>{xml(entry.title)}</title>",
            f'<link rel="alternate" type="text/html" href="{xml(entry.url)}"/>',
            f"<author><name>{xml(author)}</name></author>",
            f"<updated>{entry.updated}</updated>",
            f"<summary>{xml(entry.summary)}</summary>",
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""]).encode()


def sitemap(site_url: str, paths: Iterable[str]) -> bytes:
    """``sitemap.xml``: the first 50,000 addresses of the site; the protocol has no more in a map.

    ``paths`` are relative to the site's root and end with a slash; the root's own is empty.
    """
    urls = [site_url + quote(path) for path in sorted(set(paths))]
    lines = [f"<url><loc>{xml(url)}</loc></url>" for url in urls[:50_000]]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>',
                      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
                      *lines, "</urlset>", ""]).encode()
