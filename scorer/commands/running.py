"""What ``score`` and ``rescore`` share: models, engines, and a run over many folders."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scorer.scoring.engines.outcomes import Failure
    from scorer.scoring.runs.run import Done, Engine
    from scorer.scoring.submissions import ScorerRecipe


def model_options(parser: argparse.ArgumentParser, *, cached: bool = True) -> None:
    """Which models, from where, on what; and where their answers are kept, if they may be."""
    parser.add_argument("--models", choices=("auto", "no", "fetch"), default="auto",
                        help="auto: models on this machine; no: none; fetch: download missing ones")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=SOURCE",
                        help="hub:NAME@REVISION, package:NAME, a folder, or for judges "
                        "endpoint:FILE.yaml (scorer handbook judges)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu",
                        help="where models run (default: cpu)")
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32",
                        help="precision of models; others than float32 need cuda")
    if not cached:
        parser.set_defaults(no_cache=True)
        return
    parser.add_argument("--cache", type=Path, metavar="FILE",
                        help="cache of models' answers (default: "
                        "HOME/answers.sqlite); changes no result")
    parser.add_argument("--no-cache", action="store_true", help="keep and look up none")


def metrics(parser: argparse.ArgumentParser) -> None:
    """``--metrics``: some of a board's."""
    parser.add_argument("--metrics", help="comma-separated metric ids (default: the board's)")


def metrics_of(args: argparse.Namespace) -> tuple[str, ...]:
    """The metrics that are named; none for all."""
    named = args.metrics.split(",") if args.metrics else ()
    return tuple(name.strip() for name in named)


def models_of(args: argparse.Namespace) -> tuple[dict[str, str], dict[str, Any]]:
    """The sources and the further options of ``Models``. Raises UsageError."""
    from scorer.core.errors import UsageError, excerpt

    sources = {}
    for pair in args.model:
        name, equals, source = pair.partition("=")
        if not equals or not source:
            raise UsageError(f"--model {excerpt(pair)}: write NAME=SOURCE")
        sources[name] = source
    cache = None if args.no_cache else args.cache or args.home / "answers.sqlite"
    return sources, {"allowed": args.models != "no", "network": args.models == "fetch",
                     "device": args.device, "dtype": args.dtype, "cache": cache}


def engine_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Who does the work; ``scorer handbook run-a-board`` explains them."""
    group = parser.add_argument_group("engine", "where scoring runs (scorer handbook run-a-board)")
    group.add_argument("--engine", choices=("inline", "local", "ray"),
                       help="inline: this process; local: processes that may crash alone; ray: a "
                       f"Ray cluster (default: {default})")
    group.add_argument("--shard", metavar="I/N",
                       help="score part I of N of the submissions")
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
                       help="append tracebacks of failures here (default: HOME/score.log)")


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


def engine_of(args: argparse.Namespace, default: str) -> Engine:
    """The engine that was asked for. Raises UsageError for options of another one."""
    from scorer.core.errors import UsageError
    from scorer.models.endpoint import key_variables
    from scorer.scoring.engines import local, ray
    from scorer.scoring.engines.outcomes import run_inline

    name = args.engine or ("ray" if args.address or args.gpus else default)
    if name != "ray" and (args.address or args.gpus):
        raise UsageError("--address and --gpus are of the engine ray; say --engine ray")
    if name == "inline":
        if args.memory or args.workers:
            raise UsageError("--memory and --workers need workers; say --engine local")
        return run_inline
    if name == "local":
        return partial(local.run, seconds=args.timeout, size=args.workers or 1,
                       memory=args.memory, secrets=key_variables(models_of(args)[0]))
    gpus = args.gpus or float(args.device != "cpu")
    return partial(ray.run, seconds=args.timeout, size=args.workers, memory=args.memory,
                   address=args.address, gpus=gpus)


def run_all(
    recipe: ScorerRecipe, folders: Sequence[Path], engine: Engine, *, out: Path | None,
    part: str | None, log: Path, many: bool = True, resume: bool = False, alone: bool = False,
) -> tuple[list[Done], int]:
    """Score submissions' folders by an engine, writing below ``out``; results without their items.

    ``part``: I/N, a part of them only. ``log``: where tracebacks go. ``many``: whether failures
    are written too, and no result is kept whole. ``alone``: the one folder that was named; its
    fault is reported without its name. Returns the exit code of the worst, too.
    """
    from tqdm import tqdm

    from scorer.core.errors import counted
    from scorer.scoring.engines.outcomes import Failure
    from scorer.scoring.runs.planning import plan, shard
    from scorer.scoring.runs.run import RunFiles, RunScoring, perform

    planned = plan(recipe, folders, shard(part) if part else None)
    done, worst = [], 0
    for failure, places in planned.missing.values():
        more = "" if alone else f" ({counted(len(set(places)), 'submission')} not scored)"
        print(f"{failure.message}{more}", file=sys.stderr)
        worst = max(worst, failure.exit_code)
    for place, failure in planned.failed.items():
        worst = max(worst, _report_failure(planned.folders[place], failure, log, alone=alone))
    # Values taken from earlier results need no model: load none beforehand.
    models = () if recipe.reuse is not None else planned.models
    scoring = RunScoring(recipe, models, out if resume else None)
    files, whole = RunFiles(planned, out, log, many), not many or len(planned.jobs) == 1
    with tqdm(total=len(planned.jobs), unit="split", disable=len(planned.jobs) < 2 or None) as bar:
        for job, answer in perform(planned, scoring, engine, files):
            bar.update()
            if isinstance(answer, Failure):
                worst = max(worst, _report_failure(job.folder, answer, log, alone=alone))
            else:
                done.append(answer if whole else answer.without_items())
    return done, worst


def _report_failure(folder: Path, failure: Failure, log: Path, *, alone: bool) -> int:
    from tqdm import tqdm

    from scorer.core.errors import printable

    more = f"; its traceback is in {os.fspath(log)}" if failure.log else ""
    name = "" if alone and failure.code in ("submission", "data") else f"{folder}: "
    tqdm.write(printable(f"{name}{failure.message}{more}"), file=sys.stderr)
    return failure.exit_code
