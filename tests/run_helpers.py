"""Runs over the practice board's submissions, as processes that may be killed, and their trees."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scorer.scoring.engines.outcomes import Failure
from scorer.scoring.runs.planning import RunPlan, plan
from scorer.scoring.runs.run import Done, Engine, RunFiles, RunScoring, perform
from scorer.scoring.submissions import ScorerRecipe

ROOT = Path(__file__).parent.parent
SUBMISSIONS = ROOT / "submissions" / "explagraphs-practice" / "reference"
FOLDERS = sorted(SUBMISSIONS.parent.glob("*/*"))
"""Every submission to the practice board."""
NO_MODELS = ScorerRecipe(Path("no-home"), models={"allowed": False})

Outcomes = dict[tuple[str, str], Done | Failure]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden and half-written ones too."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def rows_tree(folder: Path) -> dict[str, bytes]:
    """The same without leaderboards, which a whole run writes of all results at its end."""
    return {name: content for name, content in tree(folder).items()
            if not Path(name).name.startswith("leaderboard.")}


def score(
    engine: Engine, out: Path | None, *, recipe: ScorerRecipe = NO_MODELS, resume: bool = False,
    folders: list[Path] | None = None, log: Path | None = None, records: bool = True,
) -> Outcomes:
    """Score some folders (the practice board's if None); what became of every system's splits."""
    found: RunPlan = plan(recipe, folders or FOLDERS)
    scoring = RunScoring(recipe, () if recipe.reuse else found.models, out if resume else None)
    told = perform(found, scoring, engine, RunFiles(found, out, log, records))
    return {(job.place.system, job.split): answer for job, answer in told}


def command(out: Path, *more: str) -> list[str]:
    """The program, scoring everything without models."""
    return [sys.executable, "-m", "scorer", *arguments(out, *more)]


def arguments(out: Path, *more: str) -> list[str]:
    """What follows ``scorer``."""
    return ["score", "--all", "--quiet", "--results", str(out), "--models", "no",
            "--home", str(out.parent / "home"), "--submissions", str(ROOT / "submissions"),
            "--board", SUBMISSIONS.parent.name, *more]


def ran(words: list[str]) -> subprocess.CompletedProcess[str]:
    """A process, to its end."""
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@contextmanager
def begun(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process with nowhere to write to; killed at the end, if it has not ended.

    What it leaves in its folder for temporary files goes with it.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch, subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": scratch}) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[Any], out: Path, files: int) -> None:
    """Until a process has written so many files below ``out``, or has ended."""
    while process.poll() is None and len(list(out.rglob("[a-z]*.json*"))) < files:
        time.sleep(0.002)


def kill_at(words: list[str], out: Path, files: int) -> None:
    """Kill a process (SIGKILL) as soon as it has written so many files below ``out``."""
    with begun(words) as process:
        wait_for(process, out, files)
        process.kill()


def children(pid: int) -> list[int]:
    """The processes that a process has begun, in whichever of its threads."""
    return [int(child) for listed in Path(f"/proc/{pid}/task").glob("*/children")
            for child in listed.read_text().split()]


def command_line(pid: int) -> str:
    """A process's command line, or nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def worker_of(pid: int) -> int | None:
    """The worker process of a run, once there is one."""
    workers = [child for child in children(pid) if "spawn_main" in command_line(child)]
    return workers[0] if workers else None


