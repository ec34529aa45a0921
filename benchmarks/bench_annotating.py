"""What an annotator waits for: the largest batch about graphs that there may be, in Chromium.

Twenty items of forty triplets each. Keys are pressed through the browser's own protocol on a
processor made four times slower; a time is that of the Event Timing API, from the press to the next
paint, which the browser rounds to 8 ms and does not tell below 16. Other work on the machine counts
too, so run it on a quiet one. Bytes are sent compressed, on a cold load.

    python -m benchmarks --only annotating
"""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench_browser import chromium, load, served
from scorer.people import organisers
from scorer.people.organisers import forms_of
from scorer.people.records import MOST_TRIPLETS

NAME = "largest"
WORDS = ("business", "people", "work", "law", "ban", "money", "marriage", "health", "risk", "state")
RELATIONS = ("HasA", "IsA", "Causes", "UsedFor", "NotDesires", "CapableOf", "HasProperty")
SLOWER = 4
OBSERVE = """window.presses = [];
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  if (one.name === 'keydown') presses.push(one.duration);
})).observe({type: 'event', durationThreshold: 16, buffered: true});"""


def batch() -> dict[str, Any]:
    """A batch as large as its form lets it be."""
    form = forms_of()["csk"]
    rng = random.Random(20)
    items = [{"id": f"item-{number}", "triplets": _triplets(rng),
              "premise": f"Whoever opens {number} shops gives work to people who need it.",
              "conclusion": f"The state should help people to open {number} shops."}
             for number in range(form.most_items)]
    return {"format": "annotation-batch/1", "batch": NAME, "kind": "csk",
            "guideline": form.guideline, "needed": 3, "items": items,
            "topics": [{"key": str(number), "text": f"We should do number {number}"}
                       for number in range(1, 10)]}


def _triplets(rng: random.Random) -> list[dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    while len(found) < MOST_TRIPLETS:
        one, other = (" ".join(rng.sample(WORDS, 2)) for _ in range(2))
        found[f"{one} {other}"] = {"c1": one, "rel": rng.choice(RELATIONS), "c2": other}
    return list(found.values())


def site(folder: Path) -> Path:
    """A site with that batch."""
    from scorer.site.build import build

    root = folder / "root"
    path = organisers.path_of(root / "annotations", NAME)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(batch()), "utf-8")
    build(root, folder / "site", home=folder / "home")
    return folder / "site"


def run() -> list[dict[str, Any]]:
    """The table's rows."""
    return [{"name": name, "ours": figure, "theirs": None, "ratio": None, "unit": unit,
             "note": note} for name, figure, unit, note in rows()]


def rows() -> list[tuple[str, float, str, str]]:
    """Name, figure, unit and note of everything measured; nothing without a Chromium."""
    program = chromium()
    if program is None:
        return []
    from playwright.sync_api import sync_playwright

    with (TemporaryDirectory() as folder, served(site(Path(folder))) as address,
          sync_playwright() as playwright):
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-background-networking"])
        url = f"{address}annotate/{NAME}/"
        first = load(browser, url)
        found = [("page of the largest batch: sent", first["sent"] / 1000, "kB",
                  "compressed, first view, whole theme"),
                 ("page of the largest batch: LCP", first["lcp"], "ms",
                  "1.6 Mbit/s, 150 ms, 4x CPU, cold")]
        found += [(f"key to paint: {name}", max(times), "ms",
                   f"of {len(times)} the slowest; median {statistics.median(times):.1f}")
                  for name, times in _pressed(browser, url).items()]
        browser.close()
    return found


def _pressed(browser: Any, url: str) -> dict[str, list[float]]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(OBSERVE)
    page.goto(url)
    page.locator(".wb-question").first.wait_for()
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    found: dict[str, list[float]] = {}

    def press(name: str, *keys: str) -> None:
        for key in keys:
            page.evaluate("presses.length = 0")
            page.keyboard.press(key)
            page.wait_for_timeout(400)  # until the draft is kept
            found.setdefault(name, []).append(max(page.evaluate("presses"), default=0.0))

    press("an answer", "2")
    press("the next question", "ArrowDown")
    press("an answer that asks another question", "y")
    press("the next question", "ArrowDown")
    press("an answer that asks another question", "y")
    press("the next question", "ArrowDown")
    press("a letter of a text", *"Work pays")
    press("the graph and its triplets appear", "Control+Enter")
    press("an answer", "2")
    press("to the triplets", "Enter")
    for rating in "12x3124":
        press("a rating", rating)
        press("the next triplet", "ArrowDown")
    page.close()
    return found
