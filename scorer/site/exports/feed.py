"""What programs follow: new rows as an Atom feed (RFC 4287), and the addresses of all pages
(sitemaps.org, protocol 0.9). Dates come from the history of git, never from the clock.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from scorer.scoring.leaderboard.about import PREVIEW
from scorer.site.boards.leaderboards import Leaderboards
from scorer.site.exports.row import values
from scorer.site.records import KINDS, SiteView
from scorer.site.text import xml

MOST = 100
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


def row_news(site_url: str, site: SiteView, leaderboards: Leaderboards) -> Iterator[News]:
    """Every row of every board but reference rows, local previews and those without a date.

    The date is that of the commit that published the row, as ``site.states`` has it;
    else that of the merge; else the date that the submission itself names.
    """
    for known in leaderboards.values():
        view = known.view
        for entry in view.entries:
            if entry.kind in ("reference", PREVIEW):
                continue
            state = site.states.of(view.board.id, entry.team, entry.system, view.name)
            moment = (state.published or state.merged) if state else None
            updated = timestamp(moment.date if moment and moment.date else entry.about.date)
            if updated is not None:
                row = known.row(entry)
                texts = [f"{name} {text}" for name, text in values(known, row).items()]
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
        moment = datetime.datetime.fromisoformat(whole)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def newest(news: Iterable[News], most: int) -> list[News]:
    """The newest first; of one time, in the order of their addresses."""
    entries = sorted(news, key=lambda entry: entry.url)
    entries.sort(key=lambda entry: entry.updated, reverse=True)
    return entries[:most]


def atom(site_url: str, title: str, news: Sequence[News], name: str = "feed.xml") -> bytes:
    """The feed, newest entries first, at most 100; ``name`` is its own place on the site."""
    chosen = newest(news, MOST)
    updated = chosen[0].updated if chosen else NEVER
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{xml(site_url)}</id>",
        f"<title>{xml(title)}</title>",
        f'<link rel="self" type="application/atom+xml" href="{xml(site_url + name)}"/>',
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


MOST_ADDRESSES = 50_000
"""Addresses in one file, as the protocol has it."""
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap(site_url: str, paths: Iterable[str], most: int = MOST_ADDRESSES) -> dict[str, bytes]:
    """The files by name: ``sitemap.xml``, an index of others if there are too many addresses.

    ``paths`` are relative to the site's root and end with a slash; the root's own is empty.
    """
    urls = [site_url + quote(path) for path in sorted(set(paths))]
    if len(urls) <= most:
        return {"sitemap.xml": _addresses("urlset", "url", urls)}
    parts = {
        f"sitemap-{number}.xml": _addresses("urlset", "url", urls[start:start + most])
        for number, start in enumerate(range(0, len(urls), most), start=1)
    }
    names = [site_url + name for name in parts]
    return {"sitemap.xml": _addresses("sitemapindex", "sitemap", names), **parts}


def _addresses(root: str, element: str, urls: Sequence[str]) -> bytes:
    lines = [f"<{element}><loc>{xml(url)}</loc></{element}>" for url in urls]
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SPACE}">'
    return "\n".join([head, *lines, f"</{root}>", ""]).encode()
