"""The folder of a built site: its successor is made beside it, then takes its place as a whole. And
its files for who asks this machine for them by name.
"""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scorer.core.errors import DataError, UsageError
from scorer.core.files import holding, writing

MARKS = ("index.html", "404.html", "assets/vis-network.min.js")
"""Files by which a built site is known."""


class Aside(NamedTuple):
    """What lies beside a site while its successor is made."""

    out: Path
    folder: Path
    """The folder of all this, which one build has at a time."""
    new: Path
    """The site that is made."""
    old: Path
    """The one that was there, while it is replaced."""
    stage: Path
    """What the theme reads and writes."""


def put(aside: Aside, path: str, content: bytes) -> None:
    """Write a file of the new site. Raises DataError if the machine does not let us."""
    with writing(aside.out):
        (aside.new / path).parent.mkdir(parents=True, exist_ok=True)
        (aside.new / path).write_bytes(content)


@contextmanager
def beside(out: Path) -> Iterator[Aside]:
    """A folder beside ``out`` to make its successor in; what is there at the end takes its place.

    After an exception, or a kill, the old site is where it was. Raises UsageError if ``out`` is
    nothing that may be replaced, DataError if the machine does not let us, or another process is
    building there.
    """
    folder = out.parent / f".{out.name}.building"
    aside = Aside(out, folder, folder / "new", folder / "old", folder / "stage")
    with writing(out):
        _check(out)
    with holding(aside.folder, wait=False, shown=out) as ours:
        if not ours:
            raise DataError(f"{out}: another build is writing it; wait until it has finished")
        try:
            with writing(out):
                _clear(aside)
                aside.new.mkdir()
            yield aside
            with writing(out):
                if out.exists():
                    out.rename(aside.old)
                aside.new.rename(out)
        finally:
            _clear(aside)
            shutil.rmtree(aside.folder, ignore_errors=True)


def _clear(aside: Aside) -> None:
    """Put the old site back if nothing took its place, and remove what a build left."""
    if aside.old.exists() and not aside.out.exists():
        aside.old.rename(aside.out)
    for path in (aside.new, aside.old, aside.stage):
        shutil.rmtree(path, ignore_errors=True)


def _check(out: Path) -> None:
    """Nothing is replaced that somebody else keeps there."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file; expected a folder, or nothing")
    if os.path.lexists(out / ".git"):
        raise UsageError(f"{out}: holds .git, and a site is replaced as a whole with its history; "
                         "build into another folder and copy the site from there")
    if out.is_dir() and any(out.iterdir()) and not all((out / name).is_file() for name in MARKS):
        raise UsageError(f"{out}: holds something that is no whole site; expected a built site, an "
                         "empty folder or nothing: name another folder, or empty this one")


# ---- serving ------------------------------------------------------------------------------------

HERE = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
"""What a request for this machine says in its Host line. Any page that somebody opens elsewhere can
make a browser ask here, under a name of its own that leads to this machine; it is refused.
"""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Listens on 127.0.0.1 and a port, any free one if it is 0. Raises OSError if it is taken."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))


class _Handler(SimpleHTTPRequestHandler):
    """Answers GET and HEAD."""

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or not HERE.fullmatch(hosts[0].strip()):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, explain="This server answers to "
                            "localhost, 127.0.0.1 and [::1] alone; ask for one of them.")
        elif not (Path(self.directory) / "index.html").is_file():
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain="There is no whole site here "
                            "now; load the page again when it is built.")
        elif not Path(self.translate_path(self.path)).exists():
            return self._missing()
        else:
            return super().send_head()
        return None

    def list_directory(self, path: str | os.PathLike[str]) -> io.BytesIO | None:
        """A folder without a page is no page."""
        return self._missing()

    def _missing(self) -> io.BytesIO | None:
        """The site's own page for what is not there; it sends old addresses on."""
        page = Path(self.directory) / "404.html"
        if not page.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        content = page.read_bytes()
        self.send_response(HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)
