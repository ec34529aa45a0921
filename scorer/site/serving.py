"""A built site on this machine alone: its files, to who asked for this machine by name.

Any page that somebody opens elsewhere can make a browser ask here, under a name of its own that
leads to this machine; such a name is refused.
"""

from __future__ import annotations

import io
import os
import re
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

HERE = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
"""What a request for this machine says in its Host line."""


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
