"""Ray on one machine against our workers, after both have started: the practice board's submissions
scored again and again, without models, by as many workers as there are cores.

    python -m benchmarks.bench_engines [--seconds 60] [--workers 2]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from scorer.models.registry import Models
from scorer.scoring.engines import local, ray
from scorer.scoring.engines.outcomes import Failure, Make
from scorer.scoring.submissions import Done, Scorer, SplitJob, plan, worker

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(ROOT.glob("submissions/explagraphs-practice/*/*"))
SCORER = Scorer(Models(allowed=False), Path("no-home"))

Run = Callable[[Make[SplitJob, Done], Iterator[SplitJob]], Iterator[tuple[SplitJob, Any]]]


def run(seconds: float = 60, workers: int | None = None) -> list[dict[str, Any]]:
    """One row: the time of our workers for so much work, and Ray's for the same."""
    size = workers or os.cpu_count() or 1
    jobs = plan(SCORER, FOLDERS).jobs
    done, ours = _work(partial(local.run, seconds=600, size=size), cycle(jobs), size, seconds)
    _, theirs = _work(partial(ray.run, seconds=600, size=size), islice(cycle(jobs), done), size)
    return [{"name": "Ray on one machine, after its start", "ours": ours, "theirs": theirs,
             "ratio": theirs / ours, "unit": "s",
             "note": f"{done} splits scored by {size} workers; ours: processes of this machine"}]


def _work(engine: Run, jobs: Iterator[SplitJob], size: int, seconds: float | None = None,
          ) -> tuple[int, float]:
    """How many jobs were done, and the seconds after every worker had done one; at most about
    ``seconds``."""
    done, began = 0, 0.0
    for job, answer in engine(partial(worker, SCORER), jobs):
        if isinstance(answer, Failure):
            raise RuntimeError(f"{job}: {answer}")
        done += 1
        if done == size:
            began = time.perf_counter()
        if seconds is not None and done > size and time.perf_counter() - began > seconds:
            break
    return done, time.perf_counter() - began


def main() -> None:
    """Print the row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_engines",
                                     description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of work (default: 60)")
    parser.add_argument("--workers", type=int, help="how many (default: one for each core)")
    args = parser.parse_args()
    for row in run(args.seconds, args.workers):
        print(f"{row['name']}: pool {row['ours']:.1f} s, Ray {row['theirs']:.1f} s, "
              f"ratio {row['ratio']:.2f} ({row['note']})")


if __name__ == "__main__":
    main()
