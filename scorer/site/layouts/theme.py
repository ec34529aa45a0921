"""The theme of the site, mkdocs with Material in a process of its own, and its hand-written pages:
the program's own, its handbook, and over them those of the checkout.

A repository that only pins the program has few pages of its own, or none; its ``mkdocs.yml`` says
what differs. In the program's own checkout both are the same. Hand-written pages and one empty page
per generated page in the navigation are staged; what mkdocs makes of them are layouts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from scorer.core import package_data
from scorer.core.errors import DataError
from scorer.site.browsing import checker
from scorer.site.layouts.layout import LAYOUT, SLIM, SLOT, TITLE

HANDBOOK = "handbook"
CRUMBS = '<nav class="wb-crumbs" aria-label="Breadcrumbs"><a href="../">Handbook</a></nav>'
MOVED = {
    **dict.fromkeys(("adopt", "archive", "ledger", "maintainers", "moderation", "rescoring",
                     "scoring-machine", "set-up"), "run-a-board"),
    "seal-your-labels": "hidden-gold",
}
"""Pages that were, and where what they said is now."""
TOUR = "<!-- tour -->"
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[[^]]*\]\([^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->\n", re.DOTALL)


def stage_handbook(docs: Path) -> None:
    """Write every page of the handbook below the hand-written pages."""
    folder = docs / HANDBOOK
    folder.mkdir(exist_ok=True)
    (folder / "index.md").write_text(_page(package_data.handbook()), "utf-8")
    for name in package_data.HANDBOOK:
        (folder / f"{name}.md").write_text(_page(package_data.handbook(name), CRUMBS), "utf-8")
    for name, now in MOVED.items():
        text = f"# This page has moved\n\nWhat it said is on [another page]({now}.md).\n"
        (folder / f"{name}.md").write_text(_page(text, CRUMBS), "utf-8")


def _page(text: str, head: str = "") -> str:
    """A page as the themes read it: its first heading is its title, and its links lead on."""
    title = text.partition("\n")[0].removeprefix("# ")
    return (f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n{head}\n\n"
            f"{_body(text)}")


def _body(text: str) -> str:
    return _PICTURE.sub(r"\g<0>{ loading=lazy }", _LINK.sub(_linked, _COMMENT.sub("", text)))


def _linked(match: re.Match[str]) -> str:
    """A link of the repository as one of the site; only its words where the site has no such page.

    >>> _linked(_LINK.match("[a](board.md#metrics)")), _linked(_LINK.match("[b](../site/faq.md)"))
    ('[a](board.md#metrics)', '[b](../faq.md)')
    >>> _linked(_LINK.match("[c](decisions/002-locks.md)"))
    'c'
    """
    words, target = match.groups()
    path, hash_, anchor = target.partition("#")
    if ":" in path or not path or path.removesuffix(".md") in package_data.HANDBOOK:
        return match[0]
    if path == "README.md":
        path = "index.md"
    elif path == "../submissions/README.md":
        path, hash_, anchor = "../submit/index.md", "", ""
    elif path.startswith("../site/"):
        path = path.replace("../site/", "../", 1)
    else:
        return words
    return f"[{words}]({path}{hash_}{anchor})"


CHANGES = "changelog.md"
ELSEWHERE = (CHANGES, "annotators/index.md", "organisers/index.md", "schemas/index.md",
             f"{HANDBOOK}/*.md")
"""Pages that others lead to: the navigation stands on every page, and costs."""
CONFIG = "mkdocs.yml"


def templates(root: Path) -> list[Path]:
    """Where templates are looked for, the checkout first."""
    return [root / "templates", package_data.path("templates")]


def stage(root: Path, docs: Path) -> list[str]:
    """Copy every page and asset to ``docs``, the tour at its mark in the page *About*; the paths
    of the pages below it, sorted."""
    shutil.copytree(package_data.path("site"), docs, dirs_exist_ok=True)
    checker.stage(docs)
    stage_handbook(docs)
    if (root / "site").is_dir():
        shutil.copytree(root / "site", docs, dirs_exist_ok=True)
    about = docs / "about.md"
    if about.is_file():
        tour = _body(package_data.handbook("tour")).partition("\n## ")[2]
        tour = re.sub(r"^## ", "### ", f"## {tour}", flags=re.M).replace("](../", "](")
        tour = re.sub(r"\]\((\w[\w-]*\.md)", rf"]({HANDBOOK}/\1", tour)
        about.write_text(about.read_text("utf-8").replace(f"{TOUR}\n", tour), "utf-8")
    changes = package_data.path("CHANGELOG.md").read_text("utf-8")
    (docs / CHANGES).write_text(f"---\ntitle: Changelog\n---\n{changes}", "utf-8")
    return sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


def _config(root: Path, folder: Path) -> str:
    """The configuration to inherit from: the program's, below what the checkout says differs.

    mkdocs takes the checkout's word for whatever both name.
    """
    base = folder / "base.yml"
    shutil.copyfile(package_data.path(CONFIG), base)
    own = root / CONFIG
    if not own.is_file():
        return base.name
    text = own.read_text("utf-8")
    if "\nINHERIT:" in f"\n{text}":
        return str(own)
    path = folder / "own.yml"
    path.write_text(f"INHERIT: {base.name}\n{text}", "utf-8")
    return path.name


# ---- mkdocs ----------------------------------------------------------------------------------


_OF_THE_MACHINE = re.compile(r"^\w+Error: \[Errno \d+\] ([^:\n]+)[^\n]*\s*\Z", re.MULTILINE)
"""The last line of what Python says if it may not read or write."""
_UNUSED = ("assets/javascripts/lunr/", "assets/javascripts/workers/", "search/", "sitemap.xml")
"""The theme's own search, and its own idea of what pages there are."""


@contextmanager
def started(root: Path, folder: Path, pages: Sequence[str], settings: Mapping[str, Any],
            ) -> Iterator[Callable[[], dict[str, bytes]]]:
    """The theme at work on the hand-written pages below ``folder``/docs and on layouts; what is
    given waits for them and its assets, by path.

    ``pages``: addresses of layouts, which have a place for a title and one for a body.
    ``settings``: what mkdocs is told besides, such as the navigation. The result raises DataError
    if mkdocs fails, or may not write.
    """
    docs, out = folder / "docs", folder / "theme"
    custom = next(template / "theme" for template in templates(root)
                  if (template / "theme").is_dir())
    for path in pages:
        source = docs / (path + "index.md")
        source.parent.mkdir(parents=True, exist_ok=True)
        head = f"title: {TITLE}\nhide: [navigation, toc]"
        head += "\ntemplate: slim.html" if path == SLIM else ""
        source.write_text(f"---\n{head}\n---\n{SLOT}\n", "utf-8")
    config = folder / "mkdocs.yml"
    config.write_text(yaml.safe_dump({
        "INHERIT": _config(root, folder), "docs_dir": str(docs), "site_dir": str(out),
        "theme": {"custom_dir": str(custom)},
        "not_in_nav": "\n".join([f"{LAYOUT}index.md", f"{SLIM}index.md", *ELSEWHERE]),
        **settings}, sort_keys=False), "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet",
               "--config-file", str(config)]
    environment = {"NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "0"}
    with subprocess.Popen(command,  # noqa: S603  # our own interpreter, our own words
                          env=os.environ | environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            yield partial(_finished, process, out)
        finally:
            process.kill()


def _finished(process: subprocess.Popen[bytes], out: Path) -> dict[str, bytes]:
    """Every file of the theme that the site uses."""
    output = process.communicate()[0].decode(errors="replace")
    if process.returncode:
        if fault := _OF_THE_MACHINE.search(output):
            raise DataError(f"mkdocs: cannot be written ({fault[1]}); make room or choose "
                            "another folder")
        raise DataError(f"mkdocs could not build the site:\n{output}")
    files = {path.relative_to(out).as_posix(): path for path in sorted(out.rglob("*"))
             if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items()
            if path.suffix != ".map" and not name.startswith(_UNUSED)}
