"""A site made of what strangers write, served, and a browser that tells what it did not like."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import pytest

from tests.conftest import made_once


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder as a host does: connections stay, and scripts and styles are kept."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def end_headers(self) -> None:
        if "/assets/" in self.path:
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


def site_of(factory: pytest.TempPathFactory, name: str, make_root: Callable[[Path], Path],
            **more: Any) -> Path:
    """A folder with the checkout ``root`` and its site ``_site``, which no test changes."""
    from scorer.site.build import build

    def make(folder: Path) -> None:
        root = make_root(folder / "root")
        build(root, folder / "_site", home=root / "home", **more)

    return made_once(factory, name, make)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site made of hostile input, to which tests of one process may add files."""
    from tests.browser.tiny_site import STATUS, make_asked_root

    made = site_of(tmp_path_factory, "site", make_asked_root, status=STATUS)
    folder = tmp_path_factory.mktemp("site") / "own"
    return Path(shutil.copytree(made, folder, copy_function=os.link)) / "_site"


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three boards of this checkout, of committed files alone, with their states."""
    from benchmarks.screenshots import states
    from scorer.site.build import build
    from tests.browser.tiny_site import copy_boards, copy_pages
    from tests.ci_world import git

    def make(folder: Path) -> None:
        root = folder / "root"
        copy_pages(root)
        copy_boards(root, "explagraphs", "explagraphs-practice", "anli")
        for words in ("init -q", "add .", "commit -qm Boards"):
            git(root, *words.split())
        build(root, folder / "_site", home=root / "home", status=states(root))

    return made_once(tmp_path_factory, "checkout", make) / "_site"


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a board whose rows have ranks."""
    from tests.browser.wide_site import make_wide_root

    return site_of(tmp_path_factory, "wide", make_wide_root) / "_site"


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site of long and hostile texts: boards of narratives and of sentences,
    batches for graphs, and one to settle."""
    from tests.browser.narrative_site import make_narrative_root
    from tests.browser.sentence_site import add_sentence_boards
    from tests.browser.test_graph_pages import add_batches

    def make_root(root: Path) -> Path:
        make_narrative_root(root)
        add_sentence_boards(root)
        add_batches(root / "annotations")
        return root

    return site_of(tmp_path_factory, "odd", make_root)


@pytest.fixture(scope="session")
def odd_site(odd: Path) -> Path:
    """That site."""
    return odd / "_site"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, while it is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


PATIENCE = 180_000
"""Milliseconds that a page is waited for: a busy machine is no bug."""


def patient(context: Any) -> Any:
    """A context of the browser whose every wait is as long."""
    context.set_default_timeout(PATIENCE)
    return context


def once(said: Callable[[], bool]) -> bool:
    """Whether something holds in one of three tries: for what a busy machine may spoil.

    A browser that gets no time paints half of a table, and the rest moves it.
    """
    return any(said() for _ in range(3))


def script(name: str) -> str:
    """A script of ``scripts``, which a page evaluates."""
    return (Path(__file__).parent / "scripts" / f"{name}.js").read_text("utf-8")


def moved(open_page: Callable[..., Any], path: str, **settings: Any) -> float:
    """How far what a page shows moves while it loads."""
    page = open_page("about/", alone=True, **settings)
    page.add_init_script(
        "window.moved = 0; new PerformanceObserver((l) => l.getEntries().forEach((e) => {"
        " moved += e.value; })).observe({type: 'layout-shift', buffered: true});")
    page.goto(page.url.replace("about/", path))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    found: float = page.evaluate("moved")
    return found


def until(page: Any, said: str, arg: Any = None) -> None:
    """Wait until an expression or a function in the page's language is true.

    The browser's own waiting evaluates text, which the policy of our pages forbids.
    """
    last = monotonic() + PATIENCE / 1000
    while not page.evaluate(said, arg):
        assert monotonic() < last, f"never so: {said}"
        page.wait_for_timeout(25)


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the site that a module names as its SITE, else of the hostile one; served."""
    with served(request.getfixturevalue(getattr(request.module, "SITE", "built"))) as address:
        yield address


WIDE = {"width": 1280, "height": 900}


class Window:
    """A window through which one reader after another looks at a site for the first time.

    Opening one costs four times what a page does. What would stay behind with it (a listener, a
    route, a script for each page) needs a window of its own.
    """

    def __init__(self, browser: Any, **settings: Any) -> None:
        self.context = patient(browser.new_context(**settings))
        self.page = self.context.new_page()
        self.devtools = self.context.new_cdp_session(self.page)
        self.site = ""
        self.said: list[str] = []
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("console", lambda message: self.said.append(f"console: {message.text}"))
        self.page.on("dialog", lambda dialog: self.said.append("a dialog") or dialog.dismiss())
        self.page.on("request", lambda request: self.said.append(f"asked {request.url}")
                     if not request.url.startswith((self.site, "data:", "blob:", "about:"))
                     else None)

    def enter(self, site: str, said: list[str], *, viewport: dict[str, int] = WIDE,
              color_scheme: str = "light") -> Any:
        """Let a reader in who has seen nothing; what goes wrong is added to ``said``."""
        if self.site:
            self.leave()
        self.site, self.said = site, said
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(color_scheme=color_scheme, reduced_motion="no-preference")
        return self.page

    def leave(self) -> None:
        """Forget a reader: other windows, what pages have stored, what they may do."""
        self.said = []
        for other in self.context.pages[1:]:
            other.close()
        self.page.goto(self.site + "assets/favicon.svg")  # whatever a page was about to do
        self.page.evaluate("sessionStorage.clear()")
        self.devtools.send("Storage.clearDataForOrigin", {
            "origin": self.site.rstrip("/"), "storageTypes": "all"})
        self.page.goto("about:blank")  # so that no late word of that page is the next reader's
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.site = ""


@pytest.fixture(scope="session")
def windows(browser: Any) -> Iterator[dict[bool, Window]]:
    """The windows that are shared, by whether scripts run in them."""
    found = {scripts: Window(browser, java_script_enabled=scripts) for scripts in (True, False)}
    yield found
    for window in found.values():
        window.context.close()


@pytest.fixture
def open_page(browser: Any, windows: dict[bool, Window], site: str) -> Iterator[Callable[..., Any]]:
    """Opens pages; at the end, no error, no message of the console, no other host.

    A test that looks at two pages at once, or changes what a window does, asks for one ``alone``.
    ``ready``: what is there once a page's script has run.
    """
    own: list[Window] = []
    said: list[str] = []

    def open_page(path: str, *, java_script_enabled: bool = True, alone: bool = False,
                  ready: str = "", **settings: Any) -> Any:
        if alone:
            own.append(Window(browser, java_script_enabled=java_script_enabled))
        window = own[-1] if alone else windows[java_script_enabled]
        page = window.enter(site, said, **settings)
        page.goto(site + path)
        if ready:
            page.locator(ready).wait_for()
        return page

    yield open_page
    for window in own:
        window.context.close()
    for window in windows.values():
        if window.site:
            window.leave()
    assert not said
