"""Write the pictures of README.md into ``docs/images``: a leaderboard and an example.

    python -m benchmarks.screenshots

Builds the site of a clone, opens pages in a headless Chromium (WHYBOARD_CHROMIUM, else the one on
PATH, else playwright's own) and photographs the part that matters. Fails if a picture is over
200 KB.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
LARGEST = 200_000


class Picture(NamedTuple):
    """A part of a page."""

    name: str
    page: str
    part: str
    """What to photograph, from its upper edge."""
    there: str
    """What is there once the page is ready."""
    height: int


PICTURES = (
    Picture("leaderboard", "boards/explagraphs/dev/", "article", ".wb-table tbody tr", 790),
    Picture("side-by-side", "boards/explagraphs-practice/dev/27/?a=reference/edited-gold"
            "&b=reference/nearest-neighbour", ".wb-example",
            "[data-slot=b] h2:has-text('Nearest')", 870),
)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def main() -> None:
    """Build, open, photograph."""
    from scorer.website.build import build

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "_site"
        build(ROOT, out, home=Path(folder) / "home")
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(out)))
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            _photograph(f"http://127.0.0.1:{server.server_address[1]}/")
        finally:
            server.shutdown()
            server.server_close()


def _photograph(site: str) -> None:
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(parents=True, exist_ok=True)
    named = os.environ.get("WHYBOARD_CHROMIUM") or shutil.which("chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named, args=arguments)
        for picture in PICTURES:
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 1280, "height": picture.height + 60},
                                        color_scheme=scheme, reduced_motion="reduce")
                page.goto(site + picture.page)
                page.locator(picture.there).first.wait_for()
                _write(page, picture, IMAGES / f"{picture.name}-{scheme}.png")
        browser.close()


def _write(page: Any, picture: Picture, path: Path) -> None:
    box = page.locator(picture.part).first.bounding_box()
    assert box is not None
    page.screenshot(path=path, full_page=True, clip={
        "x": max(0, box["x"] - 16), "y": max(0, box["y"] - 12), "width": box["width"] + 32,
        "height": picture.height})
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)} {size / 1000:.0f} KB")
    assert size <= LARGEST, f"{path} has {size} bytes; at most {LARGEST} are wanted"


if __name__ == "__main__":
    main()
