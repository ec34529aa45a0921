"""What a reader waits for: pages of a built site in Chromium, on a slow line and a slow machine.

Lines are slowed through the browser's own protocol (1.6 Mbit/s, 150 ms there and back, a processor
four times slower), every load is a cold one, and files are sent compressed, as hosts do. Times are
medians of RUNS loads.
"""

from __future__ import annotations

import gzip
import os
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

RUNS = 3
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8,
        "uploadThroughput": 750e3 / 8}
PHONE = {"width": 390, "height": 844}
WATCH = """
window.seen = {lcp: 0, cls: 0, list: 0};
new PerformanceObserver((list) => list.getEntries().forEach((e) => { seen.lcp = e.startTime; }))
  .observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver((list) => list.getEntries()
  .forEach((e) => { if (!e.hadRecentInput) seen.cls += e.value; }))
  .observe({type: 'layout-shift', buffered: true});
new MutationObserver(() => {
  const line = document.querySelector('.wb-browser .wb-list li');
  if (!seen.list && line) seen.list = performance.now();
}).observe(document, {childList: true, subtree: true});
"""
TYPE = """async (words) => {
  const box = document.querySelector('.wb-find input[type=search]');
  const times = [];
  for (let i = 1; i <= words.length; i += 1) {
    box.value = words.slice(0, i);
    const began = performance.now();
    box.dispatchEvent(new Event('input', {bubbles: true}));
    document.body.offsetHeight;
    times.push(performance.now() - began);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return times;
}"""


@lru_cache(maxsize=512)
def _compressed(path: str) -> bytes:
    return gzip.compress(Path(path).read_bytes(), 6)


class _Handler(SimpleHTTPRequestHandler):
    """Sends text compressed, and says nothing."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix not in {".html", ".css", ".js", ".json", ".svg"} or not path.is_file():
            return super().do_GET()
        content = _compressed(str(path))
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, while it is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def chromium() -> str | None:
    """A Chromium of this machine; None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = (shutil.which(name) for name in names)
    return os.environ.get("WHYBOARD_CHROMIUM") or next(filter(None, found), None)


def rows(site: Path, board: str) -> list[tuple[str, float, str, str]]:
    """Name, figure, unit and note of everything measured on one board of a built site."""
    program = chromium()
    if program is None:
        return []
    from playwright.sync_api import sync_playwright

    found: list[tuple[str, float, str, str]] = []
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-background-networking"])
        pages = {
            "leaderboard": f"boards/{board}/dev/", "example": f"boards/{board}/dev/5/",
            "browser": f"boards/{board}/examples/",
        }
        for name, path in pages.items():
            loads = [load(browser, address + path) for _ in range(RUNS)]
            phone = load(browser, address + path, viewport=PHONE)
            what = "list" if name == "browser" else "lcp"
            found += [
                (f"{name}: {'list shown' if what == 'list' else 'LCP'}", _median(loads, what),
                 "ms", "1.6 Mbit/s, 150 ms, 4x CPU, cold"),
                (f"{name}: sent", _median(loads, "sent") / 1000, "kB", "compressed, first view"),
                (f"{name}: CLS", max(one["cls"] for one in loads), "", "1280 px wide"),
                (f"{name}: CLS on a telephone", phone["cls"], "", "390 px wide"),
            ]
            if name == "browser":
                found.append(("browser: sent in all", _median(loads, "whole") / 1000, "kB",
                              "compressed, until the facets of every split are counted"))
        plain = load(browser, address + pages["example"], java_script_enabled=False)
        found.append(("example without JavaScript: sent", plain["sent"] / 1000, "kB", "compressed"))
        for factor in (1, 4):
            times = _typed(browser, address + pages["browser"], factor)
            found.append((f"browser: slowest keystroke, {factor}x CPU", max(times), "ms",
                          f"{len(times)} letters; median {statistics.median(times):.1f}"))
        browser.close()
    return found


def _median(loads: list[dict[str, float]], what: str) -> float:
    return statistics.median(one[what] for one in loads)


def load(browser: Any, url: str, **settings: Any) -> dict[str, float]:
    """One cold load of a page on a slow line: what it saw, and bytes sent."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | settings)
    page = context.new_page()
    session = context.new_cdp_session(page)
    sent: list[float] = []
    session.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    scripts = settings.get("java_script_enabled", True)
    if scripts:
        page.add_init_script(WATCH)
    page.goto(url, wait_until="load")
    if scripts and "/examples/" in url:
        page.locator(".wb-list li").first.wait_for()
        first = sum(sent)
        page.locator(".wb-browser[data-ready=yes]").wait_for()
    else:
        page.wait_for_timeout(1500)
        first = sum(sent)
    seen = page.evaluate("window.seen") if scripts else {}
    context.close()
    return {**seen, "sent": first, "whole": sum(sent)}


def _typed(browser: Any, url: str, factor: int) -> list[float]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(url)
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    page.locator(".wb-find input").focus()
    page.wait_for_timeout(1000)  # the texts of all splits come when a search begins
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": factor})
    times: list[float] = page.evaluate(TYPE, "marriage is good")
    context.close()
    return times
