"""What ``score`` and ``rescore`` share: models, engines, and a run over many submissions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scorer.engines.outcomes import Failure
    from scorer.runs.planning import JobOutcome, RunPlan, SplitJob
    from scorer.runs.run import Engine
    from scorer.scoring.submissions import ScorerRecipe

Told = Callable[["SplitJob", "JobOutcome"], None]
"""Is told every job that went well, in the order they come."""


def model_options(parser: argparse.ArgumentParser, *, cached: bool = True) -> None:
    """Which models, from where, on what; and where their answers are kept, if they may be."""
    parser.add_argument("--models", choices=("auto", "no", "fetch"), default="auto",
                        help="auto: models at hand; no: none; fetch: also from the network")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=SOURCE",
                        help="hub:NAME@REVISION, package:NAME, a folder, or for judges "
                        "endpoint:FILE.yaml (scorer handbook judges)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu",
                        help="where models run (default: cpu)")
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32",
                        help="their precision; another than float32 needs cuda")
    if not cached:
        parser.set_defaults(no_cache=True)
        return
    parser.add_argument("--cache", type=Path, metavar="FILE",
                        help="where models' answers are kept between runs (default: "
                        "HOME/answers.sqlite); changes no result")
    parser.add_argument("--no-cache", action="store_true", help="keep and look up none")


def metrics(parser: argparse.ArgumentParser) -> None:
    """``--metrics``: some of a board's."""
    parser.add_argument("--metrics", help="comma-separated metric ids (default: the board's)")


def metrics_of(given: argparse.Namespace) -> tuple[str, ...]:
    """The metrics that are named; none for all."""
    named = given.metrics.split(",") if given.metrics else ()
    return tuple(name.strip() for name in named)


def models_of(given: argparse.Namespace) -> tuple[dict[str, str], dict[str, Any]]:
    """The sources and the further options of ``Models``. Raises UsageError."""
    from scorer.errors import UsageError, excerpt

    sources = {}
    for pair in given.model:
        name, equals, source = pair.partition("=")
        if not equals or not source:
            raise UsageError(f"--model {excerpt(pair)}: write NAME=SOURCE")
        sources[name] = source
    cache = None if given.no_cache else given.cache or given.home / "answers.sqlite"
    return sources, {"allowed": given.models != "no", "network": given.models == "fetch",
                     "device": given.device, "dtype": given.dtype, "cache": cache}


def engine_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Who does the work; ``scorer handbook run-a-board`` explains them."""
    group = parser.add_argument_group("engine", "who does the work (scorer handbook run-a-board)")
    group.add_argument("--engine", choices=("inline", "local", "ray"),
                       help="inline: this process; local: processes that may crash alone; ray: a "
                       f"Ray cluster (default: {default})")
    group.add_argument("--shard", metavar="I/N",
                       help="part I of N of the submissions; the N parts make up the whole")
    group.add_argument("--timeout", type=positive, default=3600.0, metavar="SECONDS",
                       help="longest time for one split of one submission (default: 3600)")
    group.add_argument("--memory", type=positive, metavar="GB",
                       help="most memory of one worker, in GiB (Linux; default: no limit)")
    group.add_argument("--workers", type=count, metavar="N",
                       help="workers at a time (default: local 1, ray as many as have a CPU)")
    group.add_argument("--address", metavar="HOST:PORT",
                       help="a running Ray cluster, or auto (default: one just for this run)")
    group.add_argument("--gpus", type=positive, default=0.0, metavar="N",
                       help="GPUs that Ray gives to each worker; may be a fraction (default: 1 "
                       "with --device cuda, else none)")
    group.add_argument("--log", type=Path, metavar="FILE",
                       help="tracebacks of failures are added here (default: HOME/score.log)")


def positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


def count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 4096:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 1 and 4096")
    return value


def whole(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 1 and {10**9}")
    return value


def share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0 and at most 1")
    return value


def seed(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**32:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and {2**32 - 1}")
    return value


def engine_of(given: argparse.Namespace, default: str) -> Engine:
    """The engine that was asked for. Raises UsageError for options of another one."""
    from scorer.engines import local, ray
    from scorer.engines.outcomes import run_inline
    from scorer.errors import UsageError
    from scorer.models.endpoint import key_variables

    name = given.engine or ("ray" if given.address or given.gpus else default)
    if name != "ray" and (given.address or given.gpus):
        raise UsageError("--address and --gpus are of the engine ray; say --engine ray")
    if name == "inline":
        if given.memory or given.workers:
            raise UsageError("--memory and --workers need workers; say --engine local")
        return run_inline
    if name == "local":
        return partial(local.run, seconds=given.timeout, size=given.workers or 1,
                       memory=given.memory, secrets=key_variables(models_of(given)[0]))
    gpus = given.gpus or float(given.device != "cpu")
    return partial(ray.run, seconds=given.timeout, size=given.workers, memory=given.memory,
                   address=given.address, gpus=gpus)


def run_all(
    recipe: ScorerRecipe, folders: Sequence[Path], given: argparse.Namespace, *, engine: Engine,
    out: Path | None, told: Told, records: bool, resume: bool = False, alone: bool = False,
    expect: Callable[[int], None] | None = None,
) -> int:
    """Score submissions' folders, writing below ``out``; returns the exit code of the worst.

    ``records``: whether failures are written too. ``alone``: the one folder that was named; its
    failure is told without its name. ``expect``: is told the number of splits before any is scored.
    """
    from tqdm import tqdm

    from scorer.engines.outcomes import Failure
    from scorer.runs.planning import plan, shard
    from scorer.runs.run import RunFiles, RunScoring, perform

    found = plan(recipe, folders, shard(given.shard) if given.shard else None)
    if expect is not None:
        expect(len(found.jobs))
    worst = _tell_what_is_missing(found, alone=alone)
    log = given.log or given.home / "score.log"
    files = RunFiles(found, out, log, records)
    # Values taken from earlier results need no model: load none beforehand.
    models = () if recipe.reuse is not None else found.models
    scoring = RunScoring(recipe, models, out if resume else None)
    for place, failure in found.failed.items():
        worst = max(worst, _tell(found.folders[place], failure, alone, log))
    with tqdm(total=len(found.jobs), unit="split", disable=len(found.jobs) < 2 or None) as bar:
        for job, answer in perform(found, scoring, engine, files):
            bar.update()
            if isinstance(answer, Failure):
                worst = max(worst, _tell(job.folder, answer, alone, log))
            else:
                told(job, answer)
    return worst


def _tell_what_is_missing(found: RunPlan, *, alone: bool) -> int:
    from scorer.errors import counted

    for failure, places in found.missing.values():
        count = len(set(places))
        more = "" if alone else f" ({counted(count, 'submission')} not scored)"
        print(f"{failure.message}{more}", file=sys.stderr)
    return max((failure.exit_code for failure, _ in found.missing.values()), default=0)


def _tell(folder: Path, failure: Failure, alone: bool, log: Path) -> int:
    from tqdm import tqdm

    from scorer.errors import printable

    more = f"; its traceback is in {os.fspath(log)}" if failure.log else ""
    name = "" if alone and failure.code in ("submission", "data") else f"{folder}: "
    tqdm.write(printable(f"{name}{failure.message}{more}"), file=sys.stderr)
    return failure.exit_code
