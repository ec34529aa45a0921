"""What the search box of every page finds: one file, fetched when the box is first used. Pure.

Boards, systems, published rows, metrics, rules, judges, terms and the sections of our own pages.
No text of an example is in it: the example browser searches those. The team of an anonymous row is
not in it either, but for its folder in the address of the row's page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import quote

from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.site.browsing.browser import shown_splits
from scorer.site.browsing.facets import browser_path
from scorer.site.records import BoardView, SiteView
from scorer.site.render import metric_page
from scorer.site.text import shown

FILE = "data/search.json"
KINDS = ("Board", "Term", "Metric", "Rule", "System", "Judge", "Page")
"""In this order where two things fit a search equally well."""
LONGEST = 300
"""Characters of what a stranger writes."""


class SearchRecord(NamedTuple):
    """One thing to be found."""

    kind: str
    title: str
    address: str
    """Relative to the site's root."""
    within: str = ""
    """Where it is: a board, a page."""
    also: str = ""
    """Its other name, such as an id."""
    text: str = ""
    """Words that lead to it besides its names."""


def document(site: SiteView, sections: Iterable[SearchRecord]) -> dict[str, Any]:
    """The whole file: a list for each record, and the boards whose examples can be searched."""
    return {
        "kinds": KINDS,
        "records": [[KINDS.index(record.kind), *record[1:]]
                    for record in (*_records(site), *sections)],
        "examples": [[board.board.title, browser_path(board.board.id)]
                     for board in site.boards if shown_splits(board)],
    }


def _records(site: SiteView) -> Iterator[SearchRecord]:
    for view in site.boards:
        board = view.board
        yield SearchRecord("Board", board.title, f"boards/{board.id}/", "", board.id,
                           board.summary)
        for split in view.splits:
            yield SearchRecord("Board", f"{board.title}: {split.name} leaderboard", split.path)
        yield from _systems(view)
    for metric in METRICS.values():
        yield SearchRecord("Metric", metric.title, metric_page(metric.id), "", metric.id,
                           f"{metric.summary} {metric.definition}")
    for rule in CATALOGUE.values():
        yield SearchRecord("Rule", rule.id, rule.page, "", "", f"{rule.text} {rule.advice}")
    for judge in site.judges.known:
        yield SearchRecord("Judge", shown(judge.name, LONGEST), judge.path, "", judge.metric)


def _systems(view: BoardView) -> Iterator[SearchRecord]:
    """Every row, once a board, under the names that pages give it."""
    board, known = view.board, set[str]()
    for split in view.splits:
        for entry in split.entries:
            if entry.slug not in known:
                known.add(entry.slug)
                yield SearchRecord("System", shown(entry.title, LONGEST),
                                   split.system_path(entry), board.title,
                                   entry.name, shown(
                                       f"{entry.by}. {entry.about.description or ''}", LONGEST))
        for source in split.sources:
            for row in source.values:
                yield SearchRecord("System", row.system, f"{split.path}?find={quote(row.system)}",
                                   f"{board.title}, {split.name}, published", "",
                                   row.by or source.by)


def page_records(path: str, html: str) -> Iterator[SearchRecord]:
    """A page of ours and its sections; in the glossary each section is a term.

    Of the handbook only headings are found: its texts would make the file three times as large,
    which every reader fetches who searches. Two pages have no sections: the front page tells what
    others tell, the changelog is long.
    """
    (_, page, beginning), *rest = sections(html)
    handbook = path.startswith("handbook/")
    if path:
        yield SearchRecord("Page", page, path, "", "", "" if handbook else beginning)
    for anchor, title, text in rest if path not in ("", "changelog/") else ():
        if text or handbook:
            kind = "Term" if path == "glossary/" else "Page"
            yield SearchRecord(kind, title, f"{path}#{anchor}", page, "",
                               "" if handbook else text)


def sections(html: str) -> list[tuple[str, str, str]]:
    """The headings of a page that have an address: anchor, title and the text below; the title of
    the page comes first, without an anchor.

    Text of strangers is left out: it stands in ``bdi``.

    >>> sections('<h1>A <b>page</b></h1><p>One <bdi>x</bdi></p><h2 id="two">Two</h2><p>More.</p>')
    [('', 'A page', 'One'), ('two', 'Two', 'More.')]
    """
    _, opening, after = html.partition("<article")
    page = after.partition("</article>")[0].partition(">")[2] if opening else html
    top, *rest = _HEADING.split(_SKIPPED.sub(" ", page))
    head = _TITLE.search(top)
    return [("", _words(head[1]) if head else "", _words(_TITLE.sub(" ", top))),
            *((anchor, _words(title), _words(text)) for anchor, title, text
              in zip(rest[::3], rest[1::3], rest[2::3], strict=True))]


def _words(html: str) -> str:
    """The text of markup: inline elements join letters, others part them."""
    return " ".join(unescape(_TAG.sub(" ", _INLINE.sub("", html))).split())


_TITLE = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL)
_HEADING = re.compile(r"""<h[234]\b[^>]*\bid="([^"]*)"[^>]*>(.*?)</h[234]>""", re.DOTALL)
_SKIPPED = re.compile(
    r"<(bdi|dl|form|pre|script|select|small|style|svg|table)\b.*?</\1>", re.DOTALL)
"""Elements without prose of ours; none of them stands in another of its kind."""
_INLINE = re.compile(r"</?(?:a|abbr|b|code|em|i|kbd|span|strong)\b[^>]*>")
_TAG = re.compile(r"<[^>]*>")
