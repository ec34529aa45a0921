"""The hand-written pages: the program's own, and over them those of the checkout.

A repository that only pins the program has few pages of its own, or none; its ``mkdocs.yml`` says
what differs. In the program's own checkout both are the same.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from scorer.core import package_data
from scorer.site.browsing import bundling, checker
from scorer.site.layouts import handbook

CHANGES = "changelog.md"
ELSEWHERE = (CHANGES, "annotators/index.md", "organisers/index.md", "schemas/index.md",
             f"{handbook.FOLDER}/*.md")
"""Pages that others lead to: the navigation stands on every page, and costs."""
CONFIG = "mkdocs.yml"


def templates(root: Path) -> list[Path]:
    """Where templates are looked for, the checkout first."""
    return [root / "templates", package_data.path("templates")]


def theme(root: Path) -> Path:
    """Where our parts of the theme lie."""
    return next(place / "theme" for place in templates(root) if (place / "theme").is_dir())


def stage(root: Path, docs: Path) -> list[str]:
    """Copy every page and asset to ``docs``; the paths of the pages below it, sorted."""
    shutil.copytree(package_data.path("site"), docs, dirs_exist_ok=True)
    checker.stage(docs)
    handbook.stage(docs)
    if (root / "site").is_dir():
        shutil.copytree(root / "site", docs, dirs_exist_ok=True)
    handbook.show_tour(docs)
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
    place = folder / "own.yml"
    place.write_text(f"INHERIT: {base.name}\n{text}", "utf-8")
    return place.name
