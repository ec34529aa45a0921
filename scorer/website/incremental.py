"""What an earlier build made of the same input, so that it is not made again.

A file is kept by the digest of everything that it is made from: our own code, the templates, the
libraries that render, the theme's page, the items, what was said of them. So nothing can be out of
date, and a build with kept files gives the same bytes as one without. What a build did not use is
removed at its end.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from scorer.files import write_atomically

PLACE = Path("cache") / "site"
"""Where files are kept, below the home folder."""
LIBRARIES = ("jinja2", "markupsafe", "networkx", "numpy", "pyvis", "scipy")


class Kept:
    """Files of earlier builds below ``folder``; without a folder everything is made afresh."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.used: set[str] = set()

    def key(self, *parts: object) -> str:
        """A digest of plain records, by their ``repr``; "" where nothing is kept."""
        if self.folder is None:
            return ""
        return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """What was made for a key, or what ``make`` makes now."""
        if self.folder is None:
            return make()
        self.used.add(key)
        place = self.folder / key[:2] / key
        try:
            return place.read_bytes()
        except OSError:
            content = make()
            write_atomically(place, content)
            return content

    def forget(self) -> None:
        """Remove what this build did not use."""
        if self.folder is not None and self.folder.is_dir():
            for path in self.folder.glob("??/*"):
                if path.name not in self.used:
                    path.unlink()


def code_digest(templates: Path) -> str:
    """Everything besides data that decides what a page looks like."""
    package = Path(__file__).resolve().parent.parent
    found = hashlib.sha256(platform.python_version().encode())
    for name in LIBRARIES:
        found.update(f"{name} {version(name)}\n".encode())
    for path in [*sorted(package.rglob("*.py")), *sorted(templates.rglob("*.html"))]:
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
