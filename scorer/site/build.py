"""From a checkout and a home folder to a finished site.

1. Hand-written pages and one empty page per generated page in the navigation are staged.
2. mkdocs with Material turns these few pages into layouts, in a process of its own.
3. Bodies rendered by our own templates are put into the layouts; the thousands of examples are
   stamped from one layout of the same depth. So nothing of a submission or a data set is ever read
   as Markdown.

Once all is read, copies of this process share the pages among them: see ``workers``.

The same input gives the same bytes.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment

from scorer._version import __version__
from scorer.boards.submission import Meta
from scorer.core.errors import DataError
from scorer.core.files import json_bytes, writing
from scorer.core.reading.schema import table as field_table
from scorer.site import formats, outputs, theme
from scorer.site.browsing import annotating, site_search
from scorer.site.home import home_context, inputs_of, submit_context
from scorer.site.page import DOCS, Page
from scorer.site.pages import example_files, page_groups, portions, site_pages
from scorer.site.people import pages as people
from scorer.site.reading import states
from scorer.site.reading.read import read_site
from scorer.site.reading.repository import SiteRepository, day_of_commit, repository
from scorer.site.records import SHOWN_ROWS, SiteView
from scorer.site.render import environment
from scorer.site.site_folder import Aside, beside, put
from scorer.site.theme import LAYOUT, SLIM, PageLayout, minify, patch_theme
from scorer.site.views.graphs.svg import interactive_script
from scorer.site.workers import shared

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


def build(root: Path, out: Path, *, home: Path, status: Mapping[str, Any] | None = None,
          processes: int = 1, rows: int = SHOWN_ROWS) -> BuildReport:
    """Build the site of a checkout into ``out``, where nothing else stays.

    It is made beside ``out`` and put there as a whole: whatever happens, the old site or the new
    one is there.

    ``status``: what ``scorer ci status`` prints; without it the page of all submissions shows what
    the files of the checkout say. ``processes``: the most that write pages at once; the bytes are
    the same for any number. ``rows``: so many of a split have their answers to single items shown.
    Raises DataError if the status is malformed, the theme cannot be built, the machine does not let
    us write or another build is writing there; UsageError if ``out`` holds anything but a site.
    """
    root = root.resolve()
    source = repository(root)
    with beside(out.resolve()) as aside, _no_collector():
        with writing(aside.out):
            docs = aside.stage / "docs"
            hand_written = theme.stage(root, docs)
            layouts = [LAYOUT, SLIM, *_generated(docs, NAVIGATION)]
            settings: dict[str, Any] = {
                "nav": NAVIGATION, "copyright": f"Made by Whyboard, scorer {__version__}."}
            if source.url:
                settings |= {"repo_url": source.url, "repo_name": source.name}
        with theme.started(root, aside.stage, layouts, settings) as finished:
            # at work while we read
            known = states.read(status) if status is not None else None
            site = read_site(root, home.resolve(), known, rows, processes)
            build = _Build(root, aside, site, source, finished())
            return build.run(hand_written, status, processes)


class _Written(NamedTuple):
    """What one job of a build wrote."""

    paths: list[str]
    searched: Sequence[site_search.SearchRecord] = ()
    """What the site's search finds of its pages."""


class _Build:
    """One run: what is shown, and the templates."""

    def __init__(self, root: Path, aside: Aside, site: SiteView, source: SiteRepository,
                 themed: Mapping[str, bytes]) -> None:
        self.root, self.aside, self.site, self.repository = root, aside, site, source
        self.themed = themed
        self.templates: Environment = environment(*theme.templates(root))
        self.layout, self.slim = self._layout(LAYOUT), self._layout(SLIM)

    def run(self, hand_written: Sequence[str], status: Mapping[str, Any] | None,
            processes: int) -> BuildReport:
        """Write everything, in as many processes as there may be."""
        written = shared(list(self._jobs(hand_written)), processes)
        searched = [record for part in written for record in part.searched]
        paths = {path for part in written for path in part.paths}
        # The theme's files that are no pages of others, and the program that moves graphs.
        files = {path: content for path, content in self.themed.items()
                 if path.rpartition("/")[2] != "index.html"}
        files["404.html"] = self._themed("404.html").encode()
        files["assets/vis-network.min.js"] = interactive_script().read_bytes()
        files[site_search.FILE] = outputs.compact_json(site_search.document(self.site, searched))
        if status is not None:
            files["data/status.json"] = json_bytes(status)
        pages = sorted(path.removesuffix("index.html") for path in paths
                       if path.rpartition("/")[2] == "index.html")
        files["sitemap.xml"] = outputs.sitemap(_site_url(), pages)
        paths.update(self._write(files.items).paths)
        examples = sum(len(view.golds) for view in self.site.splits)
        return BuildReport(len(pages) - examples, examples, len(paths),
                           (*self.site.warnings, *self.site.open_fields))

    def _jobs(self, hand_written: Sequence[str]) -> Iterator[Callable[[], _Written]]:
        """All that is to be done, what takes long first, so that nobody is left with it."""
        publisher = outputs.publisher_of(_site_url(), day_of_commit(self.root))
        for pages in page_groups(self.site):
            yield partial(self._write, pages)
        for files in outputs.file_groups(self.site, publisher):
            yield partial(self._write, files)
        for page in site_pages(self.site, self.repository):
            yield partial(self._write, partial(iter, [page]))
        yield partial(self._write_hand_written, hand_written)
        layout = self.slim.within("examples")
        for view in sorted(self.site.splits, key=lambda view: len(view.comparable), reverse=True):
            for numbers in portions(view):
                yield partial(self._write, partial(
                    example_files, self.templates, view, numbers, layout, self.repository.issues))

    def _write(self, group: Callable[[], Iterable[Page | outputs.File]]) -> _Written:
        paths, searched = [], list[site_search.SearchRecord]()
        for output in group():
            path, content = output if isinstance(output, tuple) else self._page(output, searched)
            put(self.aside, path, content)
            paths.append(path)
        return _Written(paths, searched)

    # ---- pages -----------------------------------------------------------------------------

    def _page(self, page: Page, searched: list[site_search.SearchRecord]) -> outputs.File:
        """A page in its layout; what the site's search finds of it is added to ``searched``."""
        body = self.templates.get_template(page.template).render(page.names)
        if page.nav:
            layout = PageLayout(self._themed(f"{page.path}index.html"))
            searched += site_search.page_records(page.path, body)
        else:
            # The theme's side bars lead to no page of a board.
            layout = self.slim if page.path.startswith("boards/") else self.layout
            layout = layout.within(page.section).moved(page.path.count("/"))
        return f"{page.path}index.html", layout.page(page.title, body, page.head).encode()

    def _layout(self, path: str) -> PageLayout:
        """A page of the theme that others are stamped from."""
        html = minify(self.themed[f"{path}index.html"].decode())
        return PageLayout(patch_theme(html))

    def _themed(self, name: str) -> str:
        """A page of the theme."""
        return patch_theme(self.themed[name].decode())

    def _fragments(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Templates and what they show, by the slot of a hand-written page that they fill."""
        home = home_context(self.site)
        boards = {"boards": self.site.boards, "inputs_of": inputs_of}
        submit = submit_context(self.site, self.repository)
        return {
            **{name: (f"{name}.html", home)
               for name in ("home-hero", "home-finding", "home-boards", "home-news")},
            **{f"submit-{part}": ("submit.html", submit | {"part": part})
               for part in ("commands", "line")},
            "fields": ("fields.html", {"fields": field_table(Meta)}),
            "columns": ("columns.html", boards),
            "licences": ("licences.html", boards),
            "schemas": ("schemas.html", {"formats": formats.FORMATS}),
        }

    def _write_hand_written(self, sources: Sequence[str]) -> _Written:
        """Hand-written pages, with fragments where ``<div data-wb="name">`` stands."""
        fragments = self._fragments()
        paths, searched = [], list[site_search.SearchRecord]()
        for source in map(Path, sources):
            folder = source.parent if source.stem == "index" else source.with_suffix("")
            root = "../" * len(folder.parts)

            def filled(slot: re.Match[str], source: Path = source, root: str = root) -> str:
                if slot[1] not in fragments:
                    raise DataError(f"site/{source}: a slot that nothing fills; choose one of: "
                                    + ", ".join(fragments))
                template, context = fragments[slot[1]]
                return str(self.templates.get_template(template).render(context, root=root))

            paths.append((folder / "index.html").as_posix())
            html = self._themed(paths[-1])
            searched += site_search.page_records(paths[-1].removesuffix("index.html"), html)
            put(self.aside, paths[-1], _SLOTS.sub(filled, html).encode())
        return _Written(paths, searched)


_SLOTS = re.compile(r'<div data-wb="([^"]*)">(?:<h1>Whyboard</h1>)?</div>')


def _generated(docs: Path, navigation: Iterable[Any]) -> Iterator[str]:
    """The addresses in the navigation that no hand-written page has."""
    for entry in navigation:
        for page in entry.values():
            if isinstance(page, list):
                yield from _generated(docs, page)
            elif not (docs / page).is_file():
                yield page.removesuffix("index.md")


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


def _site_url() -> str:
    """Where the site will be, from the environment; else where ``make demo`` serves it."""
    return os.environ.get("WHYBOARD_SITE_URL", "http://127.0.0.1:8000").rstrip("/") + "/"
