"""From a checkout and a home folder to a finished site.

1. Hand-written pages and one empty page per generated page in the navigation are staged.
2. mkdocs with Material turns these few pages into layouts, in a process of its own.
3. Bodies rendered by our own templates are put into the layouts; the thousands of examples are
   stamped from one layout of the same depth. So nothing of a submission or a data set is ever read
   as Markdown.

Other processes draw examples meanwhile, as soon as their layout is there: see ``drawing``.

The same input gives the same bytes.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment

from scorer import formats
from scorer.errors import DataError
from scorer.files import json_bytes, writing
from scorer.reading.schema import table as field_table
from scorer.submission import Meta
from scorer.website import outputs
from scorer.website.boards.leaderboards import Leaderboards, leaderboards_of
from scorer.website.boards.quality import gold_warnings
from scorer.website.browsing import annotating, site_search
from scorer.website.drawing import Drawers, Shared, Stamping, Writer
from scorer.website.examples import Examples, ExamplesMaker
from scorer.website.exports.sitemap import sitemap
from scorer.website.home import home_context
from scorer.website.layouts import material, prose
from scorer.website.layouts.layout import (
    LAYOUT,
    SLIM,
    SLOT,
    TITLE,
    PageLayout,
    Wanted,
    minify,
    patch_theme,
    shorten_tabs,
)
from scorer.website.page import DOCS, Page
from scorer.website.pages import board_pages, site_pages
from scorer.website.people import known as people
from scorer.website.reading import states
from scorer.website.reading.read import read_site
from scorer.website.reading.repository import Repository, repository
from scorer.website.reading.revision import day_of_commit
from scorer.website.records import SHOWN_ROWS, SiteView, SplitView
from scorer.website.render import environment
from scorer.website.site_folder import Aside, Output, beside
from scorer.website.submitting import PARTS, inputs_of, submit_context
from scorer.website.views.graphs import interactive

NAVIGATION: list[dict[str, Any]] = [
    {"Home": "index.md"},
    {"Leaderboards": "boards/index.md"},
    {"Examples": "examples/index.md"},
    {"Metrics": [{"All metrics": "metrics/index.md"}, {"Statistics": "metrics/statistics/index.md"},
                 {"Judges": "judges/index.md"}]},
    {"Submit": [{"How to submit": "submit/index.md"},
                {"Files of a submission": "submit/files.md"}, {"Check a file": "check/index.md"},
                {"Rules": "submit/rules/index.md"},
                {"Submissions": states.PAGE + "index.md"}]},
    {"Docs": [{"Everything": DOCS + "index.md"}, {"About": "about.md"}, {"Questions": "faq.md"},
              {"Glossary": "glossary/index.md"}, {"What people say": people.PAGE + "index.md"},
              {"Annotate": annotating.PAGE + "index.md"}, {"Downloads": "downloads/index.md"},
              {"Host a board": "host/index.md"}, {"Handbook": "handbook/index.md"}]},
]
"""Five sections and the front page: the navigation stands on every page."""


@dataclass(frozen=True)
class BuildReport:
    """What was made."""

    pages: int
    examples: int
    files: int
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.pages} pages and {self.examples} examples in {self.files} files"


def build(root: Path, out: Path, *, home: Path, cards: Sequence[Path] = (),
          status: Mapping[str, Any] | None = None, processes: int = 1, rows: int = SHOWN_ROWS,
          ) -> BuildReport:
    """Build the site of a checkout into ``out``, where nothing else stays.

    It is made beside ``out`` and put there as a whole: whatever happens, the old site or the new
    one is there.

    ``cards`` are folders of judges' cards besides those of the home folder and our own. ``status``
    is what ``scorer ci status`` prints: without it the page of all submissions shows what the
    files of the checkout say. ``processes``: the most that draw examples at once; the bytes are the
    same for any number. ``rows``: so many of a split have their answers to single items shown.
    Raises DataError if the status is malformed, the theme cannot be built, the machine does not let
    us write or another build is writing there; UsageError if ``out`` holds anything but a site.
    """
    root = root.resolve()
    source = repository(root)
    drawing = ExamplesMaker(prose.templates(root), source.issues, prose.terms(root))
    with beside(out.resolve()) as aside, _no_collector():
        writer = Writer(drawing, aside)
        with Drawers(writer, processes - 1) as drawers:
            known = states.read(status) if status is not None else None
            site = read_site(root, home.resolve(), cards, known, rows)
            return _Build(root, aside, site, source, status).run(drawers, writer)


class _Build:
    """One run: what is shown, the templates, and what was written."""

    def __init__(self, root: Path, aside: Aside, site: SiteView, source: Repository,
                 status: Mapping[str, Any] | None) -> None:
        self.root, self.aside, self.site, self.repository = root, aside, site, source
        self.status = status
        self.views = [view for board in site.boards for view in board.splits]
        self.templates: Environment = environment(prose.templates(root))
        self.output = Output(aside)
        self.searched: list[site_search.SearchRecord] = []

    @cached_property
    def leaderboards(self) -> Leaderboards:
        """What every page and file says of systems."""
        return leaderboards_of(self.site, self.root / "results")

    def run(self, drawers: Drawers, writer: Writer) -> BuildReport:
        """Write everything; ``drawers`` draw examples meanwhile, and we with them at the end."""
        pages = list(site_pages(self.site, self.repository, lambda: self.leaderboards))
        with writing(self.aside.out):
            wanted = Wanted(
                self.root, self.aside.stage, list(_wanted_pages(pages)), NAVIGATION,
                f"Made by Whyboard, scorer {self.site.version}.", self.repository)
            hand_written = prose.stage(self.root, wanted.docs)
        with material.started(wanted) as theme, ThreadPoolExecutor(1) as thread:
            try:
                bodies = [self._body(page) for page in pages]
                fragments = self._fragments()
                self.themed = theme()
                examples = Shared(self._examples())
                self.drawn = thread.submit(drawers.paths, examples, sum(map(_cards, self.views)))
                for page, body in zip(pages, bodies, strict=True):
                    self._write_page(page, body)
                number = len(pages)
                for page in board_pages(self.site, self.leaderboards):
                    self._go_on()
                    self._write_page(page, self._body(page))
                    number += 1
                for name in hand_written:
                    self._write_hand_written(Path(name), fragments)
                self._data()
                write = writer()
                for job in examples:
                    self._go_on()
                    self.output.made.update(write(job))
                self.output.made.update(self.drawn.result())
            finally:
                drawers.close()
        self._finish()
        count = sum(len(view.golds) for view in self.views)
        return BuildReport(number, count, len(self.output.made),
                           (*self.site.warnings, *self.site.open_fields,
                            *gold_warnings(self.site.boards)))

    def _go_on(self) -> None:
        """Raise what went wrong in a process that draws, as soon as that is known."""
        if self.drawn.done():
            self.drawn.result()

    # ---- pages -----------------------------------------------------------------------------

    def _body(self, page: Page) -> str:
        return str(self.templates.get_template(page.template).render(page.names))

    def _write_page(self, page: Page, body: str) -> None:
        name = page.path + "index.html"
        if page.nav:
            html = self._themed(name).replace("</head>", page.head + "</head>", 1)
            self._write(name, html.replace(SLOT, body))
            self.searched += site_search.page_records(page.path, body)
        else:
            layout = self.slim if page.slim else self.layout
            layout = layout.within(page.section).moved(page.path.count("/"))
            self._write(name, layout.page(page.title, body, page.head))

    @cached_property
    def layout(self) -> PageLayout:
        """The page of the theme that pages are stamped from."""
        return self._layout(LAYOUT)

    @cached_property
    def slim(self) -> PageLayout:
        """The one for examples and everything of a board."""
        return self._layout(SLIM)

    def _layout(self, path: str) -> PageLayout:
        html = minify(self.themed[f"{path}index.html"].decode())
        return PageLayout(patch_theme(shorten_tabs(html)))

    def _themed(self, name: str) -> str:
        """A page of the theme."""
        return patch_theme(self.themed.pop(name).decode())

    def _fragments(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Templates and what they show, by the slot of a hand-written page that they fill."""
        home = home_context(self.site, self.leaderboards)
        boards = {"boards": self.site.boards, "inputs_of": inputs_of}
        submit = submit_context(self.site, self.repository)
        return {
            **{name: (f"{name}.html", home)
               for name in ("home-hero", "home-finding", "home-boards", "home-news")},
            **{f"submit-{part}": ("submit.html", submit | {"part": part}) for part in PARTS},
            "fields": ("fields.html", {"fields": field_table(Meta)}),
            "columns": ("columns.html", boards),
            "licences": ("licences.html", boards),
            "schemas": ("schemas.html", {"formats": formats.FORMATS}),
        }

    def _write_hand_written(self, source: Path,
                            fragments: Mapping[str, tuple[str, dict[str, Any]]]) -> None:
        """A hand-written page, with fragments where ``<div data-wb="name">`` stands."""
        folder = source.parent if source.stem == "index" else source.with_suffix("")
        name = (folder / "index.html").as_posix()
        root = "../" * (len(folder.parts))

        def filled(slot: re.Match[str]) -> str:
            if slot[1] not in fragments:
                raise DataError(f"site/{source}: a slot that nothing fills; choose one of: "
                                + ", ".join(fragments))
            template, context = fragments[slot[1]]
            return str(self.templates.get_template(template).render(context, root=root))

        html = self._themed(name)
        self.searched += site_search.page_records(name.removesuffix("index.html"), html)
        self._write(name, _SLOTS.sub(filled, html))

    # ---- examples and data -----------------------------------------------------------------

    def _examples(self) -> Iterator[Stamping]:
        """All examples, those with most to draw first, so that nobody is left with them."""
        drawing = Examples(self.templates, self.repository.issues, prose.terms(self.root))
        layout = self.slim.within("examples")
        for view in sorted(self.views, key=_cards, reverse=True):
            yield from (Stamping(portion, layout) for portion in drawing.portions(view))

    def _data(self) -> None:
        publisher = outputs.publisher_of(_site_url(), day_of_commit(self.root))
        for path, content in outputs.files(self.site, self.leaderboards, publisher):
            self._go_on()
            self.output.put(path, content)
        self.output.put("assets/vis-network.min.js", interactive.script().read_bytes())
        self.output.put(site_search.FILE, outputs.compact_json(
            site_search.document(self.site, self.searched)))
        if self.status is not None:
            self.output.put("data/status.json", json_bytes(self.status))

    def _finish(self) -> None:
        """The theme's own files, and the list of all pages."""
        self._write("404.html", self._themed("404.html"))
        for path, content in self.themed.items():
            if not path.startswith(LAYOUT.partition("/")[0] + "/"):
                self.output.put(path, content)
        pages = sorted(path.removesuffix("index.html") for path in self.output.made
                       if path.rpartition("/")[2] == "index.html")
        for name, content in sitemap(_site_url(), pages).items():
            self.output.put(name, content)

    def _write(self, path: str, text: str) -> None:
        self.output.put(path, text.encode())


_SLOTS = re.compile(r'<div data-wb="([^"]*)">(?:<h1>Whyboard</h1>)?</div>')


def _wanted_pages(generated: Iterable[Page]) -> Iterator[tuple[str, str]]:
    yield from ((path, TITLE) for path in (LAYOUT, SLIM))
    # The theme writes titles as they are, so they are escaped before it sees them.
    yield from ((page.path, escape(page.title)) for page in generated if page.nav)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Records have no cycles, and looking for some takes a sixth of a build's time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _cards(view: SplitView) -> int:
    """How much there is to draw of a split: gold and answers to every example."""
    return len(view.golds) * (1 + len(view.comparable))


def _site_url() -> str:
    """Where the site will be, from the environment; else where ``make demo`` serves it."""
    return os.environ.get("WHYBOARD_SITE_URL", "http://127.0.0.1:8000").rstrip("/") + "/"
