"""What rows of real systems cost: fetching every board from a folder, scoring every row without
models, and reading all committed scores of items.

Needs ``--boards``, a folder with the files of all boards at any depth, and ``--home``, a home
folder with the predictions of all rows, as ``make rows`` leaves it.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scorer.scoring.results import files

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
RUNS = 3


def run(data: Path | None, home: Path | None) -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note; without a folder, not what needs it."""
    rows = [_read()]
    if data is not None:
        with tempfile.TemporaryDirectory() as folder:
            wall, cpu = _program("data", "fetch", "--all", "--from", str(data), "--home", folder)
        rows.append(_row("fetch every board from a folder", wall, None, "s",
                         f"{cpu:.1f} s of CPU; by the clock"))
    if home is not None:
        with tempfile.TemporaryDirectory() as folder:
            wall, cpu = _program("score", "--all", "--models", "no", "--shard", "1/1", "--quiet",
                                 "--home", str(home), "--results", folder)
            count = len([*Path(folder).glob("*/*/*/*.items.tsv")])
        rows.append(_row("score every row without models", cpu, None, "CPU s",
                         f"{count} results; {wall:.0f} s by the clock with one worker"))
    return rows


def _read() -> dict[str, Any]:
    """Our strict reader against pandas, which checks nothing."""
    import pandas as pd

    paths = sorted(RESULTS.glob("*/*/*/*.items.tsv"))
    ours = _seconds(lambda: [files.read(_result(path)) for path in paths])
    theirs = _seconds(lambda: [pd.read_csv(path, sep="\t") for path in paths])
    megabytes = sum(path.stat().st_size for path in paths) / 1e6
    return _row("read and check all committed scores of items", ours, theirs, "CPU s",
                f"{len(paths)} files, {megabytes:.1f} MB; theirs: pandas.read_csv, which checks "
                "nothing")


def _row(name: str, ours: float, theirs: float | None, unit: str, note: str) -> dict[str, Any]:
    return {"name": name, "ours": ours, "theirs": theirs,
            "ratio": None if theirs is None else theirs / ours, "unit": unit, "note": note}


def _seconds(work: Callable[[], object]) -> float:
    """Of CPU, the median of a few runs."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return statistics.median(found)


def _result(items: Path) -> Path:
    """The result that a file of items belongs to."""
    return items.with_name(items.name.replace(".items.tsv", ".json"))


def _program(*arguments: str) -> tuple[float, float]:
    """Seconds by the clock and of CPU that the program takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "scorer", *arguments], check=True, cwd=ROOT,
                   stdout=subprocess.DEVNULL, env=dict(os.environ))
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
