"""The pages of open batches with the scripts of the site, but without what stands around pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scorer.people.validate import Workplace, coverage
from scorer.site.browsing import annotating, bundling, checker
from scorer.site.page import Page
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import AskedBatch
from tests.browser.tiny_site import ROOT, bodies

REPOSITORY = SiteRepository("https://github.com/team/board", True)


def write_pages(out: Path, place: Workplace, files: tuple[str, ...] = ()) -> None:
    """Every open batch, with the names of those who handed in ``files``."""
    checker.stage(out)
    for source in (ROOT / "site/assets").rglob("*"):
        target = out / "assets" / source.relative_to(ROOT / "site/assets")
        if source.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    bundling.stage(out)
    known = [AskedBatch(place.forms[one.kind], one, coverage(place, one), files=files)
             for one in place.batches() if one.status == "open"]
    for page in annotating.pages(known, REPOSITORY):
        write(out, page)
    for name, content in annotating.files(known):
        (out / name).write_bytes(content)


def write(out: Path, page: Page) -> None:
    """A page."""
    body = bodies([page])[page.path]
    (out / page.path).mkdir(parents=True, exist_ok=True)
    (out / page.path / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{page.title}</title>'
        f'<link rel="stylesheet" href="{page.root}assets/whyboard.css">'
        "<style>a { color: inherit; }</style>"
        f'<body style="color: var(--wb-ink); background: var(--wb-paper)"><main>{body}', "utf-8")


def opened(page: Any, address: str) -> Any:
    """The page of a batch, once it asks."""
    page.goto(address)
    page.locator(".wb-question").first.wait_for()
    return page


def press(page: Any, *pressed: str) -> None:
    """Press one key after the other; a sentence is typed."""
    for one in pressed:
        if " " in one:
            page.keyboard.type(one)
        else:
            page.keyboard.press(one)
