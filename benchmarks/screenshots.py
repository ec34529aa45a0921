"""Write ``docs/images/side-by-side-{light,dark}.png``: the product page, on a practice item.

    python -m benchmarks.screenshots

Builds the site with the practice board alone, opens one example in a headless Chromium
(WHYBOARD_CHROMIUM, else the one on PATH, else playwright's own) and photographs the part that
matters. Fails if a picture is over 200 KB.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PAGE = "boards/explagraphs-practice/dev/27/?a=reference/edited-gold&b=reference/nearest-neighbour"
LARGEST = 200_000
HEIGHT = 930


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
            _photograph(f"http://127.0.0.1:{server.server_address[1]}/{PAGE}")
        finally:
            server.shutdown()
            server.server_close()


def _photograph(url: str) -> None:
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(parents=True, exist_ok=True)
    named = os.environ.get("WHYBOARD_CHROMIUM") or shutil.which("chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named, args=arguments)
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1280, "height": HEIGHT},
                                    color_scheme=scheme, reduced_motion="reduce")
            page.goto(url)
            page.locator("[data-slot=b] h2", has_text="Nearest").wait_for()
            box = page.locator(".wb-example").bounding_box()
            assert box is not None
            path = IMAGES / f"side-by-side-{scheme}.png"
            page.screenshot(path=path, full_page=True, clip={
                "x": box["x"] - 16, "y": box["y"] - 12, "width": box["width"] + 32,
                "height": HEIGHT - 60})
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)} {size / 1000:.0f} KB")
            assert size <= LARGEST, f"{path} has {size} bytes; at most {LARGEST} are wanted"
        browser.close()


if __name__ == "__main__":
    main()
