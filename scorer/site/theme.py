"""The theme of the site, mkdocs with Material in a process of its own, its hand-written pages, and
its layouts: pages of the theme with a place for a title and one for a body.

Hand-written pages are the program's own, its handbook, and over them those of the checkout; a
repository that only pins the program has few or none, and its ``mkdocs.yml`` says what differs.
They and one empty page per generated page in the navigation are staged; what mkdocs makes of them
are layouts. Pages are put together here and not by the theme, so that nothing foreign is ever read
as Markdown.

A page's policy says what a browser may load and run. Hosts of static sites send no headers of ours,
so it is an element of the page. Scripts that stand in the theme's page are allowed one by one, by
digest; nothing else inline ever runs. Digests are taken before bodies are put in, so what slips
into a body would not be allowed either.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import yaml

from scorer.core import package_data
from scorer.core.errors import DataError
from scorer.site.browsing import bundling, checker

CHARSET = '<meta charset="utf-8">'
"""With this every page begins; the policy stands right behind it, before anything is loaded."""
POLICY = '<meta http-equiv="Content-Security-Policy"'
DATA = 'type="application/json"'


def policed(html: str) -> str:
    """A page of the theme with the policy that its own scripts need, in place of an older one.

    Raises DataError if the page does not declare its encoding as every page of ours does.
    """
    bare = _OWN.sub("", html)
    if CHARSET not in bare:
        raise DataError(f"the theme's page has no {CHARSET}")
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *digests(bare)]),
        # The theme's drawings and the interactive graph set styles of elements.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "worker-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
    }
    text = "; ".join(f"{name} {allowed}" for name, allowed in rules.items())
    return bare.replace(CHARSET, f'{CHARSET}{POLICY} content="{text}">'
                        '<meta name="referrer" content="no-referrer">', 1)


def digests(html: str) -> list[str]:
    """The scripts that stand in a page, as a policy names them; data are no scripts.

    >>> digests('<script>1</script><script type="application/json">2</script>')
    ["'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"]
    """
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
              for settings, text in _SCRIPT.findall(html) if text and DATA not in settings]
    return [f"'sha256-{digest}'" for digest in dict.fromkeys(hashes)]


_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_OWN = re.compile(POLICY + r'[^>]*><meta name="referrer"[^>]*>')


TITLE = "wb-title-here"
SLOT = '<div id="wb-slot"><h1>wb-slot</h1></div>'
LAYOUT = "_/_/_/_/"
"""Address of the page that pages are stamped from: as deep as an example, and no
neighbour of any other page, so that every link on it climbs to the root first."""
SLIM = "_/_/_/e/"
"""The one for examples, thousands of them, and everything of a board: without side bars
(``templates/theme/slim.html``), and as deep."""
ROOT_FROM_LAYOUT = "../" * LAYOUT.count("/")


class PageLayout:
    """A page of the theme with a place for a title and one for a body."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.before, slot, self.after = html.partition(SLOT)
        if not slot or TITLE not in self.before:
            raise DataError("the theme's page has no place for a title or a body; "
                            "see scorer/site/theme.py")

    def page(self, title: str, body: str, head: str = "") -> str:
        """The layout with a title and a body, which may be foreign text and stay as they are.

        ``head`` is markup of ours for the end of the page's head.
        """
        name = escape(title)
        before = self.before.replace("</head>", f"{head}</head>", 1).replace(TITLE, name)
        if ' id="table"' in body:
            before = before.replace(TO_CONTENT, TO_CONTENT + TO_TABLE, 1)
        return before + body + self.after.replace(TITLE, name)

    def within(self, section: str) -> PageLayout:
        """The same layout with one entry of the navigation marked as the current one."""
        link = f'<li class="md-tabs__item"><a href="{ROOT_FROM_LAYOUT}{section}/"'
        marked = link.replace("md-tabs__item", "md-tabs__item md-tabs__item--active")
        return PageLayout(self.html.replace(link, marked))

    def moved(self, depth: int) -> PageLayout:
        """The same layout for pages at another depth."""
        old, new = ROOT_FROM_LAYOUT, "../" * depth
        html = self.html.replace(old, new).replace(old[:-1] + '"', new[:-1] + '"')
        return PageLayout(policed(html) if POLICY in html else html)


def minify(html: str) -> str:
    """Without empty lines and indentation; only for markup without preformatted text."""
    return _BLANKS.sub("\n", html)


_BLANKS = re.compile(r"\n\s+")


def patch_theme(html: str) -> str:
    """A page of the theme with its policy, and the way past the navigation, which the theme gives
    only to pages whose headings it has read itself."""
    html = html.replace('<main class="md-main"', f'<main id="{CONTENT}" class="md-main"', 1)
    return policed(_SKIP.sub(rf"\1{TO_CONTENT}", html))


CONTENT = "content"
"""Where the link that skips the navigation leads."""
TO_CONTENT = f'<a href="#{CONTENT}" class="md-skip">Skip to content</a>'
TO_TABLE = '<a href="#table" class="md-skip">Skip to the table</a>'
"""For pages that have a table to go to."""
_SKIP = re.compile(r'(<div data-md-component="skip">)(?:\s*<a [^>]*class="md-skip">[^<]*</a>)?')


# ---- hand-written pages --------------------------------------------------------------------------

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
    bundling.stage(docs)
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
