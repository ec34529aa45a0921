"""Every file of a site made of hostile text, parsed: what strangers wrote is text and isolated."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer.boards.submission import Meta
from scorer.core.graph import Graph
from scorer.core.reading import schema
from scorer.core.records import Edge
from tests.browser import tiny_site as tiny
from tests.browser.tiny_site import HEBREW, SCRIPT, SLY

pytestmark = pytest.mark.site

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                  "source", "track", "wbr"})
LEADS = frozenset({"href", "src", "srcset", "action", "formaction", "data", "poster", "xlink:href"})
"""Attributes that make a browser fetch or go somewhere."""
OUTSIDE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
ALONE = frozenset({"bdi", "text", "title", "option"})
"""Elements whose text no neighbour can reorder: svg's ``text`` and ``title`` stand for
themselves, and a menu shows each ``option`` as a paragraph."""
ISOLATED = re.compile("\u2068[^\u2068\u2069]*\u2069")
"""What characters isolate in a page's title, where no element may stand."""


class Tag(NamedTuple):
    """One start tag and where it stands."""

    name: str
    attributes: dict[str, str]
    within: tuple[str, ...]


class Parsed(HTMLParser):
    """A page as tags and texts, each with the elements that it stands in."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[Tag] = []
        self.texts: list[tuple[str, tuple[str, ...]]] = []
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.tags.append(Tag(tag, known, tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.texts.append((data, tuple(self.open)))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @cached_property
    def foreign(self) -> str:
        """All text that stands by itself."""
        return "".join(text for text, within in self.texts if "bdi" in within)


@pytest.fixture(scope="module")
def pages(built: Path) -> dict[str, Parsed]:
    """Every page, and every piece of one that a script fetches."""
    return {name: Parsed(html) for name, html in _markup(built)}


def _markup(built: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(built.rglob("*.html")):
        yield path.relative_to(built).as_posix(), path.read_text("utf-8")
    for path in sorted(built.glob("data/**/*.shard")):
        document = json.loads(gzip.decompress(path.read_bytes()))
        for row, piece in document.items():
            if "html" in piece:
                yield f"{path.relative_to(built).as_posix()}#{row}", piece["html"]


def free_texts(field: schema.Schema, value: Any) -> Iterator[tuple[str, str]]:
    """What stands in every field of any depth in which a stranger may write what he likes."""
    field = schema.resolved(field, WHOLE)
    if "properties" in field:
        assert set(value) == {*field["properties"]}, "give a new field a payload"
        for name, inner in field["properties"].items():
            for below, text in free_texts(inner, value[name]):
                yield f"{name} {below}".strip(), text
    elif "items" in field:
        assert value or "enum" in field["items"], "give a new list a payload"
        for one in value:
            yield from free_texts(field["items"], one)
    elif field.get("type") == "string" and "maxLength" in field:
        yield "", value
    else:
        assert "enum" in field or field["type"] == "boolean" or "pattern" in field, (
            "can it hold a payload?")


WHOLE = schema.described(Meta)


@pytest.mark.claim("Every field that a stranger writes is shown as text, by itself.")
def test_every_field_of_a_stranger_carries_a_canary_shown_by_itself(
    pages: dict[str, Parsed]
) -> None:
    page = pages["boards/tiny/systems/sly-team--payloads/index.html"]
    here = {name: field for name, field in WHOLE["properties"].items() if name not in tiny.APART}
    assert len(here) == len(WHOLE["properties"]) - len(tiny.APART)
    fields = dict(free_texts({"properties": here}, SLY))
    assert len(fields) > len(here) - 3
    for name, text in fields.items():
        if name.endswith("url"):
            assert text in [attributes.get("href") for _, attributes, _ in page.tags]
            continue
        assert any(mark in text for mark in tiny.PAYLOADS), f"{name}: give it a payload"
        assert HEBREW in text, name
        assert f"canary-{name.partition(' ')[0]}" in page.foreign
    for payload in (SCRIPT, tiny.TEMPLATE, tiny.LINK, tiny.CLOSE, "# heading"):
        assert payload in page.foreign, "as it was written"


def test_every_part_of_a_stranger_s_edge_carries_a_payload(pages: dict[str, Parsed]) -> None:
    graphs = tiny.PREDICTIONS["sly-team", "payloads"]
    edges = [edge for graph in graphs for edge in Graph(graph).edges]
    for part in Edge._fields:
        assert set(tiny.PAYLOADS) & {getattr(edge, part) for edge in edges}, part
    assert SCRIPT.lower() in pages["data/tiny/dev/sly-team--payloads/0.shard#1"].foreign
    assert {item[2] for item in tiny.GOLD} == {"support", "counter"}, "and no other text"


def test_no_page_has_a_handler_an_element_or_a_comment_of_a_stranger(
    pages: dict[str, Parsed]
) -> None:
    assert len(pages) > 40
    for path, page in pages.items():
        for name, attributes, within in page.tags:
            assert not [a for a in attributes if a.startswith("on")], path
            assert "srcdoc" not in attributes
            if "article" in within and not _is_ours(path, name, attributes):
                assert name not in {"script", "style", "iframe", "object", "embed", "base", "meta",
                                    "img", "link", "math"}, path
                assert "style" not in attributes
        alive = [text for text, within in page.texts if {"script", "style"} & set(within)
                 and not (path.startswith("annotate/") and text.lstrip().startswith("{")
                          and json.loads(text) and "<" not in text)]
        assert not [text for text in alive + page.comments if "pwned" in text or HEBREW in text]


def _is_ours(path: str, name: str, attributes: dict[str, Any]) -> bool:
    """Pictures of the tour, by us; of pages for annotators what no browser runs, and their script.
    """
    if path in ("about/index.html", "handbook/tour/index.html") and name == "img":
        return re.fullmatch(r"(\.\./)+assets/tour/[\w-]+\.webp", attributes["src"]) is not None
    return path.startswith("annotate/") and name == "script" and (
        attributes.get("type") == "application/json"
        or re.fullmatch(r"(\.\./)+assets/[a-z_/]+\.js", attributes["src"]) is not None)


def test_links_stay_here_or_are_https_and_disowned(pages: dict[str, Parsed]) -> None:
    outside = set()
    for path, page in pages.items():
        for name, attributes, within in page.tags:
            for attribute in LEADS & set(attributes):
                link = attributes[attribute]
                assert not re.match(r"[\x00-\x20]*(javascript|vbscript|data|file):", link, re.I)
                if not OUTSIDE.match(link) or link.startswith("http://127.0.0.1:"):
                    continue
                assert link.startswith("https://"), (path, link)
                if path.startswith("handbook/"):
                    continue  # its links are our own
                if "article" in within or ".shard#" in path:
                    assert (name, attributes.get("rel")) == ("a", "nofollow ugc noopener"), path
                    outside.add(link)
    assert SLY["links"][0]["url"] in outside


def test_text_that_runs_the_other_way_cannot_reach_its_neighbours(pages: dict[str, Parsed]) -> None:
    seen = 0
    for path, page in pages.items():
        for text, within in page.texts:
            if HEBREW[:4] in text:
                seen += 1
                bare = HEBREW[:4] in ISOLATED.sub("", text)
                assert not bare or (ALONE & set(within) and "head" not in within), (path, text)
    assert seen > 20
