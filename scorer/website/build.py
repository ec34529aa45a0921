"""From a checkout and a home folder to a finished site.

1. Hand-written pages and one empty page per generated page in the navigation are staged.
2. A theme turns these few pages into layouts: mkdocs with Material (in a process of its own), or
   our own plain one.
3. Bodies rendered by our own templates are put into the layouts; the thousands of examples are
   stamped from one layout of the same depth. So nothing of a submission or a data set is ever read
   as Markdown, and the theme is replaced by one word.

Other processes draw examples meanwhile, as soon as their layout is there: see ``drawing``.

The same input gives the same bytes.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from scorer.website.examples import Examples
from scorer.website.exports.sitemap import sitemap
from scorer.website.home import home_context
from scorer.website.layouts import prose, themes
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
from scorer.website.reading.repository import Repository, day_of_commit, repository
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
          status: Mapping[str, Any] | None = None, theme: str = "material",
          processes: int = 1, rows: int = SHOWN_ROWS) -> BuildReport:
    """Build the site of a checkout into ``out``, where nothing else stays.

    It is made beside ``out`` and put there as a whole: whatever happens, the old site or the new
    one is there.

    ``cards`` are folders of judges' cards besides those of the home folder and our own. ``status``
    is what ``scorer ci status`` prints: without it the page of all submissions shows what the
    files of the checkout tell. ``theme`` is one of ``themes.THEMES``. ``processes``: the most that
    draw examples at once; the bytes are the same for any number. ``rows``: so many of a split have
    their answers to single items shown. Raises DataError if the status is malformed, the theme
    cannot be built, the machine does not let us write or another build is writing there;
    UsageError if ``out`` holds anything but a site.
    """
    root = root.resolve()
    found = repository(root)
    with beside(out.resolve()) as aside, _no_collector():
        writer = Writer(prose.templates(root), found.issues, aside)
        with Drawers(writer, processes - 1) as drawers:
            site = _Build(root, aside, home.resolve(), cards, status, theme, found, rows)
            return site.run(drawers, writer)


class _Build:
    """One run: the views, the templates and the places."""

    def __init__(self, root: Path, aside: Aside, home: Path, cards: Sequence[Path],
                 status: Mapping[str, Any] | None, theme: str, found: Repository,
                 rows: int) -> None:
        self.theme = theme
        self.repository = found
        self.root = root
        self.aside = aside
        self.status = status
        told = states.read(status) if status is not None else None
        self.site: SiteView = read_site(root, home, cards, told, rows)
        self.templates: Environment = environment(prose.templates(root))
        self.output = Output(aside)
        self.found: list[site_search.SearchRecord] = []

    def run(self, drawers: Drawers, writer: Writer) -> BuildReport:
        """Write everything; ``drawers`` draw examples meanwhile, and we with them at the end."""
        with ThreadPoolExecutor(2) as threads:
            try:
                generated = list(site_pages(self.site, self.repository,
                                            lambda: self.leaderboards))
                self.themed = threads.submit(self._start_theme(generated))
                examples = Shared(self._examples())
                self.drawn = threads.submit(
                    drawers.paths, examples, sum(map(_cards, self.views())))
                pages = self._pages(generated)
                self.output.put("assets/vis-network.min.js", interactive.script().read_bytes())
                self._data()
                write = writer()
                for job in examples:
                    self._go_on()
                    self.output.made.update(write(job))
                self.output.made.update(self.drawn.result())
            finally:
                drawers.close()
        self._finish()
        count = sum(len(view.golds) for view in self.views())
        return BuildReport(pages, count, len(self.output.made),
                           (*self.site.warnings, *self.site.open_fields,
                            *gold_warnings(self.site.boards)))

    def _go_on(self) -> None:
        """Raise what went wrong in a process that draws, as soon as that is known."""
        if self.drawn.done():
            self.drawn.result()

    def _pages(self, known: Sequence[Page]) -> int:
        """Write every page but the examples; how many there are."""
        rendered = [self._rendered(page) for page in known]
        fragments = self._fragments()
        rendered += map(self._rendered, board_pages(self.site, self.leaderboards))
        for page, body in rendered:
            self._write_page(page, body)
            if page.nav:
                self.found += site_search.page_records(page.path, body)
        self._fill_slots(fragments)
        return len(rendered)

    def _rendered(self, page: Page) -> tuple[Page, str]:
        """A page and its body; what the body was made of is let go."""
        return replace(page, context={}), self._body(page)

    @cached_property
    def leaderboards(self) -> Leaderboards:
        """What every page and file says of systems."""
        return leaderboards_of(self.site, self.root / "results")

    def views(self) -> Iterator[SplitView]:
        """Every split."""
        return (view for board in self.site.boards for view in board.splits)

    # ---- the theme -------------------------------------------------------------------------

    def _start_theme(self, generated: Iterable[Page]) -> Callable[[], dict[str, bytes]]:
        """Begin with the theme's pages and assets; what is returned waits for them."""
        with writing(self.aside.out):
            wanted = Wanted(
                self.root, self.aside.stage, list(self._wanted_pages(generated)),
                NAVIGATION,
                f"Made by Whyboard, scorer {self.site.version}.", self.repository)
            self.prose = prose.stage(self.root, wanted.docs)
            return themes.start(self.theme, wanted)

    @staticmethod
    def _wanted_pages(generated: Iterable[Page]) -> Iterator[tuple[str, str]]:
        yield from ((path, TITLE) for path in (LAYOUT, SLIM))
        # The theme writes titles as they are, so they are escaped before it sees them.
        yield from ((page.path, escape(page.title)) for page in generated if page.nav)

    # ---- pages -----------------------------------------------------------------------------

    def _body(self, page: Page) -> str:
        self._go_on()
        return str(self.templates.get_template(page.template).render(page.names))

    def _write_page(self, page: Page, body: str) -> None:
        if page.nav:
            name = page.path + "index.html"
            html = patch_theme(self._themed(name)).replace("</head>", page.head + "</head>", 1)
            self._write(name, html.replace(SLOT, body))
        else:
            chosen = self.slim if page.slim else self.layout
            layout = chosen.within(page.section).moved(page.path.count("/"))
            self._write(page.path + "index.html", layout.page(page.title, body, page.head))

    @cached_property
    def layout(self) -> PageLayout:
        """The page of the theme that pages are stamped from."""
        return PageLayout(self._layout_html(LAYOUT))

    @cached_property
    def slim(self) -> PageLayout:
        """The one for examples and everything of a board."""
        return PageLayout(self._layout_html(SLIM))

    def _layout_html(self, path: str) -> str:
        html = minify(self.themed.result()[f"{path}index.html"].decode())
        return patch_theme(shorten_tabs(html))

    def _themed(self, name: str) -> str:
        """A page of the theme."""
        return self.themed.result().pop(name).decode()

    def _fragments(self) -> dict[str, tuple[str, dict[str, Any]]]:
        home = home_context(self.site, self.leaderboards)
        boards = {"boards": self.site.boards, "inputs_of": inputs_of}
        submit = submit_context(self.site, self.repository)
        return {
            "home-hero": ("home-hero.html", home),
            "home-finding": ("home-finding.html", home),
            "home-boards": ("home-boards.html", home),
            "home-news": ("home-news.html", home),
            "fields": ("fields.html", {"fields": field_table(Meta)}),
            "columns": ("columns.html", boards),
            **{f"submit-{part}": ("submit.html", submit | {"part": part}) for part in PARTS},
            "licences": ("licences.html", boards),
            "schemas": ("schemas.html", {"formats": formats.FORMATS}),
        }

    def _fill_slots(self, fragments: Mapping[str, tuple[str, dict[str, Any]]]) -> None:
        """Put fragments into the hand-written pages, where ``<div data-wb="name">`` stands."""
        for relative in map(Path, self.prose):
            folder = relative.parent if relative.stem == "index" else relative.with_suffix("")
            name = (folder / "index.html").as_posix()
            html = patch_theme(self._themed(name))
            self.found += site_search.page_records(name.removesuffix("index.html"), html)
            root = "../" * (len(Path(name).parts) - 1)
            for slot, (template, context) in fragments.items():
                for mark in (f'<div data-wb="{slot}"></div>',
                             f'<div data-wb="{slot}"><h1>Whyboard</h1></div>'):
                    if mark in html:
                        text = self.templates.get_template(template).render(
                            context, root=root)
                        html = html.replace(mark, text)
            if "<div data-wb=" in html:
                raise DataError(f"site/{relative}: a slot that nothing fills; choose one of: "
                                + ", ".join(fragments))
            self._write(name, html)

    # ---- examples --------------------------------------------------------------------------

    def _examples(self) -> Iterator[Stamping]:
        """All examples, those with most to draw first, so that nobody is left with them."""
        drawing = Examples(self.templates, self.repository.issues)
        layout = self.slim.within("examples")
        for view in sorted(self.views(), key=_cards, reverse=True):
            yield from (Stamping(portion, layout) for portion in drawing.portions(view))

    # ---- data ------------------------------------------------------------------------------

    def _data(self) -> None:
        publisher = outputs.publisher_of(_site_url(), day_of_commit(self.root))
        for path, content in outputs.files(self.site, self.leaderboards, publisher):
            self._go_on()
            self.output.put(path, content)
        self.output.put(site_search.FILE, outputs.compact_json(
            site_search.document(self.site, self.found)))
        if self.status is not None:
            self.output.put("data/status.json", json_bytes(self.status))

    # ---- the end ---------------------------------------------------------------------------

    def _finish(self) -> None:
        missing = "404.html"
        self._write(missing, patch_theme(self._themed(missing)))
        for path, content in self.themed.result().items():
            if not path.startswith(LAYOUT.partition("/")[0] + "/"):
                self.output.put(path, content)
        pages = sorted(path.removesuffix("index.html") for path in self.output.made
                       if path.rpartition("/")[2] == "index.html")
        for name, content in sitemap(_site_url(), pages).items():
            self.output.put(name, content)
        self.output.finish()

    def _write(self, path: str, text: str) -> None:
        self.output.put(path, text.encode())


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
