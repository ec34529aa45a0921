"""The themes: each makes layouts of the hand-written pages and of some empty ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scorer.website.layouts import material, plain
from scorer.website.layouts.layout import Wanted

THEMES = {"material": material.start, "plain": plain.start}
"""Each begins with what is wanted, and returns what waits for the end."""
_UNUSED = ("assets/javascripts/lunr/", "assets/javascripts/workers/", "search/", "sitemap.xml")
"""The theme's own search, and its own idea of what pages there are."""


def start(name: str, wanted: Wanted) -> Callable[[], dict[str, bytes]]:
    """Begin with a theme; what is returned waits for its pages and assets, by path."""
    finish = THEMES[name](wanted)

    def files() -> dict[str, bytes]:
        finish()
        return _files(wanted.out)

    return files


def _files(folder: Path) -> dict[str, bytes]:
    """Every file of a theme that the site uses."""
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))
             if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items()
            if path.suffix != ".map" and not name.startswith(_UNUSED)}
