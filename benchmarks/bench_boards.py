"""What all boards cost together, those of others too: one build, and what a reader's first view of
each board weighs, compressed, with the scripts and styles that every page has.

    python -m benchmarks.bench_boards --home HOME OUT

HOME is a home folder with the data and results of boards (``make site BOARD=NAME`` fills
``.whyboard``); the site is built into the folder OUT. Prints two tables in Markdown.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks import bench_browser
from benchmarks.bench_site import ROOT, build


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_boards", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".whyboard"))
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    told = build(ROOT, given.out, given.home)
    sizes = [path.stat().st_size for path in given.out.rglob("*") if path.is_file()]
    print("| examples | other pages | CPU s | CPU s per 1,000 | s by the clock | peak MiB | MB | "
          "kB an example | files |\n|---|---|---|---|---|---|---|---|---|")
    print(f"| {told['examples']:,} | {told['pages']} | {told['cpu']:.1f} | "
          f"{told['cpu'] / told['examples'] * 1000:.2f} | {told['wall']:.0f} | "
          f"{told['memory']:.0f} | {sum(sizes) / 1e6:.0f} | "
          f"{sum(sizes) / 1e3 / told['examples']:.1f} | {len(sizes):,} |\n")
    print("| board | examples | an example page, kB | leaderboard, kB sent | heaviest example, "
          "kB sent | list of examples, kB sent |\n|---|---|---|---|---|---|")
    for line in boards(given.out):
        print(line)


def boards(out: Path) -> Iterator[str]:
    """A row for each board that shows its examples."""
    from playwright.sync_api import sync_playwright

    with bench_browser.served(out) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=bench_browser.chromium(),
                                             args=["--no-sandbox"])

        def sent(path: Path) -> str:
            url = f"{address}{path.relative_to(out).as_posix()}/"
            return f"{bench_browser.load(browser, url)['sent'] / 1000:.0f}"

        for board in sorted(path for path in (out / "boards").iterdir() if path.is_dir()):
            pages = {path.parent: path.stat().st_size for path in board.glob("*/*/index.html")
                     if path.parent.name.isdigit()}
            if pages:
                heaviest = max(pages, key=lambda page: pages[page])
                yield (f"| {board.name} | {len(pages):,} | "
                       f"{statistics.fmean(pages.values()) / 1000:.1f} | {sent(heaviest.parent)} | "
                       f"{sent(heaviest)} | {sent(board / 'examples')} |")


if __name__ == "__main__":
    main()
