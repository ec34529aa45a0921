"""A theme of our own, small and without mkdocs: what proves that the other one can be replaced.

It makes the same layouts at the same places with the same marks (``layout.py``), and turns the
hand-written pages into HTML.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import markdown
import yaml
from jinja2 import Template

from scorer.website.layouts import prose
from scorer.website.layouts.layout import SLIM, SLOT, Wanted
from scorer.website.render import environment, trusted

SITE = "Whyboard"


def start(wanted: Wanted) -> Callable[[], None]:
    """Write every layout, hand-written page and asset; nothing is left to wait for."""
    shutil.rmtree(wanted.out, ignore_errors=True)
    shutil.copytree(wanted.docs, wanted.out, ignore=shutil.ignore_patterns("*.md"))
    folders = prose.templates(wanted.root)
    for name in ("plain.css", "plain.js"):
        source = next(file for one in folders if (file := one / "plain" / name).is_file())
        shutil.copyfile(source, wanted.out / "assets" / name)
    templates = environment(folders)
    template = templates.get_template("plain/page.html")
    for path, title in wanted.pages:
        _write(wanted, template, path, title, SLOT)
    for path, title, body in _hand_written(wanted.docs):
        _write(wanted, template, path, title, body)
    missing = templates.get_template("plain/missing.html").render(root="/")
    (wanted.out / "404.html").write_text(_page(wanted, template, "", "Not found", missing, "/"),
                                         "utf-8")
    return lambda: None


def _write(wanted: Wanted, template: Template, path: str, title: str, body: str) -> None:
    place = wanted.out / path / "index.html"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_page(wanted, template, path, title, body, "../" * path.count("/")), "utf-8")


def _page(wanted: Wanted, template: Template, path: str, title: str, body: str, root: str) -> str:
    whole = title if title == SITE else f"{title} - {SITE}"
    return template.render(
        root=root, path=path, title=trusted(whole), body=trusted(body), site=SITE,
        tabs=list(_tabs(wanted.navigation)), made=wanted.made, slim=path == SLIM,
        repository=wanted.repository)


def _tabs(navigation: list[Any]) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Name, address and the entries below each entry of the navigation."""
    for entry in navigation:
        for name, to in entry.items():
            below = [(inner, _address(page)) for one in to for inner, page in one.items()
                     ] if isinstance(to, list) else []
            yield name, below[0][1] if below else _address(to), below


def _address(page: str) -> str:
    """Where a source is shown.

    >>> _address("index.md"), _address("submit/index.md"), _address("about.md")
    ('', 'submit/', 'about/')
    """
    bare = page.removesuffix(".md")
    return bare.removesuffix("index") if bare.split("/")[-1] == "index" else f"{bare}/"


def _hand_written(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Address, title and body of every page that people of ours wrote in Markdown."""
    for source in sorted(folder.rglob("*.md")):
        head, text = _front_matter(source.read_text("utf-8"))
        name = source.relative_to(folder).as_posix()
        made = markdown.markdown(text, extensions=["attr_list", "toc", "fenced_code", "tables"])
        title = escape(str((yaml.safe_load(head) or {}).get("title", SITE)))
        yield _address(name), title, _LINK.sub(partial(_linked, name), made)


def _front_matter(text: str) -> tuple[str, str]:
    """What a page says about itself, if it does, and the rest.

    >>> _front_matter("---\\ntitle: A\\n---\\nHello"), _front_matter("Hello")
    (('title: A\\n', 'Hello'), ('', 'Hello'))
    """
    parts = text.split("---\n", 2)
    return (parts[1], parts[2]) if len(parts) == 3 and not parts[0] else ("", text)


def _linked(source: str, found: re.Match[str]) -> str:
    """A link to another source as one to its page, seen from the page of ``source``."""
    page, _, place = found[1].partition("#")
    target = _address(posixpath.normpath(posixpath.join(posixpath.dirname(source), page)))
    way = posixpath.relpath(target or ".", _address(source) or ".") + "/"
    return f'href="{way}{"#" + place if place else ""}"'


_LINK = re.compile(r'href="([^":]+\.md(?:#[^"]*)?)"')
