"""What the site costs: CPU seconds per 1,000 examples, peak memory, and drawing against pyvis.

    python -m benchmarks.bench_site [FOLDER WITH train.tsv and dev.tsv]

A build runs in a process of its own, so that its memory is its own; CPU seconds are those of that
process and of mkdocs, the median of RUNS builds. Without a folder only the practice board is
built, whose fixed costs weigh more. "Theirs" is pyvis' own page of the same graph
(``generate_html(cdn_resources="remote")``), which draws in the browser only.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from scorer.graph import concepts
from scorer.website import svg
from scorer.website.example import Stage
from scorer.website.layout import lay_out
from scorer.website.read import read_site

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3
DRAWN = 40

_CHILD = """
import json, resource, sys, time
from pathlib import Path
from scorer.website.build import build
began = time.process_time()
report = build(Path(sys.argv[1]), Path(sys.argv[2]), home=Path(sys.argv[3]))
of_mkdocs = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "cpu": time.process_time() - began + of_mkdocs.ru_utime + of_mkdocs.ru_stime,
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "examples": report.examples, "pages": report.pages,
}))
"""


def run(data_dir: Path | None) -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note. ``data_dir`` holds the official files."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if data_dir is not None:
            place = home / "data" / "explagraphs"
            place.mkdir(parents=True)
            for name in ("train.tsv", "dev.tsv"):
                (place / name).symlink_to((data_dir / name).resolve())
        builds = [_build(Path(folder) / "_site", home) for _ in range(RUNS)]
        ours, theirs = _drawing(home)
    examples, pages = builds[0]["examples"], builds[0]["pages"]
    cpu = statistics.median(build["cpu"] for build in builds)
    memory = statistics.median(build["memory"] for build in builds)
    size = f"{examples} examples, {pages} other pages, mkdocs included"
    return [
        _row("site build", cpu, "CPU s", size),
        _row("site build per 1,000 examples", cpu / examples * 1000, "CPU s", size),
        _row("peak memory of a build", memory, "MiB", "without the mkdocs process"),
        _row("1,000 graphs drawn", ours * 1000, "s", f"SVG against pyvis, {DRAWN} graphs", theirs),
    ]


def _row(
    name: str, ours: float, unit: str, note: str, theirs: float | None = None
) -> dict[str, Any]:
    scaled = None if theirs is None else theirs * 1000
    ratio = None if scaled is None else scaled / ours
    return {"name": name, "ours": ours, "theirs": scaled, "ratio": ratio, "unit": unit,
            "note": note}


def _build(out: Path, home: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", _CHILD, str(ROOT), str(out), str(home)]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _drawing(home: Path) -> tuple[float, float]:
    """Seconds per graph: our SVG, and pyvis' page."""
    from pyvis.network import Network

    views = [view for board in read_site(ROOT, home).boards for view in board.splits if view.golds]
    view = max(views, key=lambda view: len(view.golds))
    stages = [Stage(view.board.settings, gold, i + 1) for i, gold in enumerate(view.golds[:DRAWN])]

    def ours() -> None:
        for stage in stages:
            edges = stage.golds[0]
            kinds = stage.kinds_of(concepts(edges))
            svg.render(svg.Drawing(lay_out(edges), edges, kinds, "graph"))

    def theirs() -> None:
        for stage in stages:
            net = Network(directed=True, cdn_resources="remote")
            for concept in concepts(stage.golds[0]):
                net.add_node(concept)
            for edge in stage.golds[0]:
                net.add_edge(edge.source, edge.target, label=edge.relation)
            net.generate_html(notebook=False)

    return _seconds(ours) / len(stages), _seconds(theirs) / len(stages)


def _seconds(work: Any) -> float:
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


if __name__ == "__main__":
    for row in run(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
        print(row)
