"""What the site costs: CPU seconds per 1,000 examples, memory, bytes, and what readers wait for.

    python -m benchmarks.bench_site [--data FOLDER WITH train.tsv and dev.tsv] [--home HOME]

A build runs in a process of its own, so that its memory is its own; CPU seconds are those of that
process and of mkdocs, the median of RUNS builds. Without a folder only the practice board is
built, whose fixed costs weigh more; a home folder with results has systems beside gold too. Where
there is a Chromium, pages are loaded as well (``bench_browser.py``). "Theirs" is pyvis' own page of
the same graph (``generate_html(cdn_resources="remote")``), which draws in the browser only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import bench_browser
from scorer.core.graph import concepts
from scorer.site.reading.read import read_site
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.example import GraphExample
from scorer.site.views.graphs.layout import lay_out
from scorer.site.workers import usual

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3
DRAWN = 40
PRACTICE = "explagraphs-practice"

_CHILD = """
import json, resource, sys, time
from pathlib import Path
import pandas, pyvis.network, scipy.optimize, scipy.special
from scorer.site.build import build
imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began, clock = time.process_time(), time.time()
processes = int(sys.argv[4])
report = build(Path(sys.argv[1]), Path(sys.argv[2]), home=Path(sys.argv[3]), processes=processes)
of_mkdocs = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "cpu": time.process_time() - began + of_mkdocs.ru_utime + of_mkdocs.ru_stime,
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "imported": imported / 1024,
    "child": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    "processes": processes,
    "wall": time.time() - clock,
    "examples": report.examples, "pages": report.pages,
}))
"""


def run(data_dir: Path | None, home: Path | None = None) -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note. ``data_dir`` holds the official files."""
    with tempfile.TemporaryDirectory() as folder:
        place = home or _home(Path(folder) / "home", data_dir)
        out = Path(folder) / "_site"
        builds = [build(ROOT, out, place) for _ in range(RUNS)]
        ours, theirs = _drawing(place)
        board = "explagraphs" if (out / "boards/explagraphs/dev/5").is_dir() else PRACTICE
        size = _size(out, board)
        seen = [_row(name, value, unit, note)
                for name, value, unit, note in bench_browser.rows(out, board)]
    examples, pages = builds[0]["examples"], builds[0]["pages"]
    cpu = statistics.median(build["cpu"] for build in builds)
    memory = statistics.median(build["memory"] for build in builds)
    above = statistics.median(build["memory"] - build["imported"] for build in builds)
    what = f"{examples} examples, {pages} other pages, mkdocs included"
    return [
        _row("site build", cpu, "CPU s", what),
        _row("site build per 1,000 examples", cpu / examples * 1000, "CPU s", what),
        _row("site build per 1,000 examples, by the clock",
             statistics.median(build["wall"] for build in builds) / examples * 1000, "s", what),
        _row("peak memory of a build", memory, "MiB", "without the mkdocs process"),
        _row("peak memory of a build above imports", above, "MiB", "without the mkdocs process"),
        *size,
        _row("1,000 graphs drawn", ours * 1000, "s",
             f"SVG of all graphs against pyvis, {DRAWN} graphs", theirs),
        *seen,
    ]


def _home(home: Path, data_dir: Path | None) -> Path:
    """A home folder with the official data alone."""
    if data_dir is not None:
        place = home / "data" / "explagraphs"
        place.mkdir(parents=True)
        for path in data_dir.glob("*.tsv"):
            (place / path.name).symlink_to(path.resolve())
    return home


def _size(out: Path, board: str) -> list[dict[str, Any]]:
    """What a build weighs: in bytes, and in the blocks of 4 KiB that a disk gives each file."""
    files = [path for path in out.rglob("*") if path.is_file()]
    sizes = [path.stat().st_size for path in files]
    on_disk = sum(-(-size // 4096) * 4096 for size in sizes)
    on_disk += 4096 * sum(path.is_dir() for path in out.rglob("*"))
    pages = [path.read_bytes() for path in out.glob(f"boards/{board}/*/*/index.html")
             if path.parent.name.isdigit()]
    packed = {name: sum(len(gzip.compress(path.read_bytes()))
                        for path in (out / "data" / board).glob(f"*/{name}.json"))
              for name in ("index", "texts-*")}
    return [
        _row("output", sum(sizes) / 1e6, "MB", f"{len(files)} files"),
        _row("output on disk", on_disk / 1e6, "MB", "files and folders in blocks of 4 KiB"),
        _row("an example page", statistics.fmean(map(len, pages)) / 1000, "kB", "mean, not packed"),
        _row("facets of the example browser", packed["index"] / 1000, "kB",
             "compressed, all splits"),
        _row("texts of the example browser", packed["texts-*"] / 1000, "kB",
             "compressed, all splits; fetched as they are shown or searched"),
    ]


def _row(
    name: str, ours: float, unit: str, note: str, theirs: float | None = None
) -> dict[str, Any]:
    scaled = None if theirs is None else theirs * 1000
    ratio = None if scaled is None else scaled / ours
    return {"name": name, "ours": ours, "theirs": scaled, "ratio": ratio, "unit": unit,
            "note": note}


def build(root: Path, out: Path, home: Path, processes: int = 0) -> dict[str, Any]:
    """Figures of one build in a process of its own, with as many more as there are cores."""
    command = [sys.executable, "-c", _CHILD, str(root), str(out), str(home),
               str(processes or usual())]
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # as scorer site build has it
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env=env)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _drawing(home: Path) -> tuple[float, float]:
    """Seconds per graph: our SVG, and pyvis' page."""
    from pyvis.network import Network

    views = [view for board in read_site(ROOT, home).boards for view in board.splits if view.golds]
    view = max(views, key=lambda view: len(view.golds))
    stages = [GraphExample(view.board.settings, gold, i + 1) for i, gold in enumerate(view.golds)]

    def ours() -> None:
        for stage in stages:
            edges = stage.golds[0]
            kinds = stage.kinds_of(concepts(edges))
            svg.render(lay_out(edges), edges, kinds, "graph")

    def theirs() -> None:
        for stage in stages[:DRAWN]:
            net = Network(directed=True, cdn_resources="remote")
            for concept in concepts(stage.golds[0]):
                net.add_node(concept)
            for edge in stage.golds[0]:
                net.add_edge(edge.source, edge.target, label=edge.relation)
            net.generate_html(notebook=False)

    return _seconds(ours) / len(stages), _seconds(theirs) / len(stages[:DRAWN])


def _seconds(work: Any) -> float:
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_site")
    parser.add_argument("--data", type=Path, help="folder with the official ExplaGraphs files")
    parser.add_argument("--home", type=Path, help="a home folder with data and results")
    given = parser.parse_args()
    for row in run(given.data, given.home):
        theirs = "" if row["theirs"] is None else f"; theirs {row['theirs']:.3g}"
        ours = f"{row['ours']:.3g}"
        print(f"{row['name']:45} {ours:>8} {row['unit']:6} {row['note']}{theirs}")


if __name__ == "__main__":
    main()
