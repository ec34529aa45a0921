"""Write the pictures of README.md and docs/tour.md into ``site/assets/tour``, from real pages.

    python -m benchmarks.screenshots

Builds the site of a clone, opens pages in a headless Chromium (WHYBOARD_CHROMIUM, else the one on
PATH, else playwright's own) and photographs the part that matters, as WebP. Fails if a page lacks
what is to be seen or a picture is over 100 kB; a test opens the same pages.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Literal, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "site" / "assets" / "tour"
LARGEST = 100_000
WIDTH = 1100


class Picture(NamedTuple):
    """A part of a page."""

    name: str
    page: str
    part: str
    """What to photograph, from its upper edge."""
    there: str
    """What is there once the page is ready."""
    height: int
    schemes: tuple[Literal["light", "dark"], ...] = ("light",)
    act: Callable[[Any], None] = lambda page: None
    """What is done on the page first."""


def _faulty(page: Any) -> None:
    """Give the checker a practice file with three faults."""
    reference = ROOT / "submissions/explagraphs-practice/reference/edited-gold"
    rows = (reference / "predictions.dev.tsv").read_text("utf-8").splitlines()
    rows[2] = rows[2].replace("support", "supports").replace("counter", "counters")
    rows[6] = rows[6].replace("\t", " ")
    rows[11] = rows[11] + "\tmaybe"
    page.get_by_label("Board and split").select_option("explagraphs-practice/dev")
    page.locator("input[type=file]").set_input_files(
        {"name": "predictions.dev.tsv", "mimeType": "text/plain",
         "buffer": "\n".join([*rows, ""]).encode()})


PICTURES = (
    Picture("check", "check/", ".wb-saying.wrong", ".wb-saying.wrong", 470, act=_faulty),
    Picture("submissions", "submissions/", "article", ".wb-table tbody tr", 470),
    Picture("leaderboard", "boards/explagraphs/dev/", "article", ".wb-table tbody tr", 700,
            ("light", "dark")),
    Picture("system", "boards/explagraphs/systems/third-party--max-margin/", "article",
            "h2:has-text('dev')", 800),
    Picture("compare", "boards/explagraphs/dev/compare/?a=third-party/max-margin"
            "&b=third-party/t5", "article", "h2:has-text('against')", 780),
    Picture("side-by-side", "boards/explagraphs-practice/dev/27/?a=reference/edited-gold"
            "&b=reference/nearest-neighbour", ".wb-example",
            "[data-slot=b] h2:has-text('Nearest')", 760, ("light", "dark")),
)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def main() -> None:
    """Build, open, photograph."""
    from scorer.site.build import build

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "_site"
        build(ROOT, out, home=Path(folder) / "home", status=states(ROOT))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(out)))
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            _photograph(f"http://127.0.0.1:{server.server_address[1]}/")
        finally:
            server.shutdown()
            server.server_close()


def states(root: Path) -> Any:
    """What ``scorer ci status`` prints of a repository."""
    command = [sys.executable, "-m", "scorer", "ci", "status", "--root", str(root)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _photograph(site: str) -> None:
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(parents=True, exist_ok=True)
    named = os.environ.get("WHYBOARD_CHROMIUM") or shutil.which("chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named, args=arguments)
        for picture in PICTURES:
            for scheme in picture.schemes:
                page = browser.new_page(viewport={"width": WIDTH, "height": picture.height + 60},
                                        color_scheme=scheme, reduced_motion="reduce")
                page.goto(site + picture.page)
                shown(page, picture)
                dark = "-dark" if scheme == "dark" else ""
                _write(page, picture, IMAGES / f"{picture.name}{dark}.webp")
        browser.close()


def shown(page: Any, picture: Picture) -> None:
    """Do on an open page what the picture needs, and wait until it is there."""
    picture.act(page)
    page.locator(picture.there).first.wait_for()
    page.locator(picture.part).first.wait_for()


_ENCODE = """async url => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"),
    { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.85).split(",")[1];
}"""


def _write(page: Any, picture: Picture, path: Path) -> None:
    box = page.locator(picture.part).first.bounding_box()
    assert box is not None
    left = max(0, box["x"] - 16)
    png = page.screenshot(full_page=True, clip={
        "x": left, "y": max(0, box["y"] - 12), "height": picture.height,
        "width": min(box["width"] + 32, WIDTH - left)})
    page.goto("about:blank")  # its policy lets images be read
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    path.write_bytes(base64.b64decode(page.evaluate(_ENCODE, url)))
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)} {size / 1000:.0f} kB")
    assert size <= LARGEST, f"{path} has {size} bytes; at most {LARGEST} are wanted"


if __name__ == "__main__":
    main()
