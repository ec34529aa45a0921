"""The themes, and what an earlier build kept of one.

A theme makes shells of the hand-written pages and of one empty page per entry of the navigation.
That takes mkdocs most of a second and comes out the same until one of these pages changes.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from scorer import package_data
from scorer.website.keeping.incremental import Kept, digest_of
from scorer.website.layouts import material, plain, prose
from scorer.website.layouts.layout import Wanted

THEMES = {"material": material.start, "plain": plain.start}
"""Themes: each makes shells of what is wanted, and returns what waits for the end."""
LIBRARIES = ("jinja2", "markdown", "mkdocs", "mkdocs-material", "pymdown-extensions", "PyYAML")
_UNUSED = ("assets/javascripts/lunr/", "sitemap.xml")
"""The search in other languages, and the theme's own idea of what pages there are."""
_OWN_WORDS = frozenset(("site_name", "site_description", "site_author", "site_url", "repo_url",
                        "repo_name", "copyright", "extra"))
"""Settings of a checkout that make a theme read nothing that we do not know of."""

Theme = Callable[[], dict[str, bytes]]
"""Waits for every page and asset of the theme, by path."""


def start(name: str, wanted: Wanted, kept: Kept) -> Theme:
    """Begin with a theme, unless an earlier build kept what it makes of the same."""
    found = key(name, wanted, kept)
    finish = None if kept.has(found) else THEMES[name](wanted)

    def make() -> bytes:
        # What was kept may be gone: another build removes what it does not use.
        (finish or THEMES[name](wanted))()
        return _archive(wanted.out)

    return lambda: dict(_unpacked(kept.get(found, make)))


def key(name: str, wanted: Wanted, kept: Kept) -> str:
    """A digest of all that a theme reads; empty where it may read more than we know."""
    if not kept.folder or not _plain(wanted.root):
        return ""
    folders = [wanted.docs, *prose.templates(wanted.root)]
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    configs = [package_data.path(prose.CONFIG), wanted.root / prose.CONFIG]
    files += [path for path in configs if path.is_file()]
    return kept.key(
        name, digest_of(LIBRARIES, files), [path.relative_to(wanted.docs).as_posix()
                                            for path in files if path.is_relative_to(wanted.docs)],
        wanted.shells, wanted.navigation, wanted.made, os.environ.get("WHYBOARD_SITE_URL"))


def _plain(root: Path) -> bool:
    """Whether a checkout's settings are ours, or name nothing that a theme would load."""
    own = root / prose.CONFIG
    if not own.is_file() or own.read_bytes() == package_data.path(prose.CONFIG).read_bytes():
        return True
    try:
        return set(yaml.safe_load(own.read_bytes())) <= _OWN_WORDS
    except (yaml.YAMLError, TypeError):
        return False


def _archive(folder: Path) -> bytes:
    """Every file of a theme that the site uses, one after the other."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_file() and path.suffix != ".map" and not name.startswith(_UNUSED):
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
    return content.getvalue()


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)
