"""The hand-written pages: the program's own, its handbook, and over them those of the checkout.

A repository that only pins the program has few pages of its own, or none; its ``mkdocs.yml`` says
what differs. In the program's own checkout both are the same.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from scorer.core import package_data
from scorer.site.browsing import bundling, checker

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


def _show_tour(docs: Path) -> None:
    """Put the tour into the page *About*, at its mark."""
    about = docs / "about.md"
    if about.is_file():
        tour = _body(package_data.handbook("tour")).partition("\n## ")[2]
        tour = re.sub(r"^## ", "### ", f"## {tour}", flags=re.M).replace("](../", "](")
        tour = re.sub(r"\]\((\w[\w-]*\.md)", rf"]({HANDBOOK}/\1", tour)
        about.write_text(about.read_text("utf-8").replace(f"{TOUR}\n", tour), "utf-8")


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


def theme(root: Path) -> Path:
    """Where our parts of the theme lie."""
    return next(template / "theme" for template in templates(root) if (template / "theme").is_dir())


def stage(root: Path, docs: Path) -> list[str]:
    """Copy every page and asset to ``docs``; the paths of the pages below it, sorted."""
    shutil.copytree(package_data.path("site"), docs, dirs_exist_ok=True)
    checker.stage(docs)
    stage_handbook(docs)
    if (root / "site").is_dir():
        shutil.copytree(root / "site", docs, dirs_exist_ok=True)
    _show_tour(docs)
    bundling.stage(docs)
    changes = package_data.path("CHANGELOG.md").read_text("utf-8")
    (docs / CHANGES).write_text(f"---\ntitle: Changelog\n---\n{changes}", "utf-8")
    return sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


def config(root: Path, folder: Path) -> str:
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
