"""A site made of what strangers write, served, and a browser that tells what it did not like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site made of hostile input."""
    from scorer.website.build import build
    from tests.browser.tiny_site import STATUS, make_judged_root

    folder = tmp_path_factory.mktemp("site")
    root = make_judged_root(folder / "root")
    build(root, folder / "_site", home=root / "home", status=STATUS)
    return folder / "_site"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, while it is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def once(said: Callable[[], bool]) -> bool:
    """Whether something holds in one of three tries: for what a busy machine may spoil.

    A browser that gets no time paints half of a table, and the rest moves it.
    """
    return any(said() for _ in range(3))


def until(page: Any, said: str, arg: Any = None) -> None:
    """Wait until an expression or a function in the page's language is true.

    The browser's own waiting evaluates text, which the policy of our pages forbids.
    """
    for _ in range(400):
        if page.evaluate(said, arg):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"never so: {said}")


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    """The address of the site, served."""
    with served(built) as address:
        yield address


WIDE = {"width": 1280, "height": 900}


def listen(page: Any, site: str, said: list[str]) -> None:
    """Note every error, message of the console, dialog and request of another host."""
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("dialog", lambda dialog: said.append("a dialog") or dialog.dismiss())
    page.on("request", lambda request: said.append(f"asked {request.url}")
            if not request.url.startswith((site, "data:", "blob:")) else None)


@pytest.fixture(scope="module")
def visitor(browser: Any, site: str) -> Iterator[tuple[Any, list[str]]]:
    """One page for a module, and what it has said."""
    said: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        listen(page, site, said)
        yield page, said


@pytest.fixture
def visit(visitor: tuple[Any, list[str]], site: str) -> Iterator[Callable[[str], Any]]:
    """Goes to pages like one reader, with one browser window; at the end as ``open_page``."""
    page, said = visitor
    said.clear()

    def visit(path: str) -> Any:
        page.set_viewport_size(WIDE)
        page.goto(site + path)
        return page

    yield visit
    assert not said


@pytest.fixture
def open_page(browser: Any, site: str) -> Iterator[Callable[..., Any]]:
    """Opens pages; at the end, no error, no message of the console, no other host."""
    contexts: list[Any] = []
    said: list[str] = []

    def open_page(path: str, **settings: Any) -> Any:
        context = browser.new_context(**{"viewport": WIDE} | settings)
        contexts.append(context)
        page = context.new_page()
        listen(page, site, said)
        page.goto(site + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not said
