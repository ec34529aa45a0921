"""Runs over the practice board's submissions, as processes that may be killed, and their trees."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorer.models.registry import Models
from scorer.scoring.engines.outcomes import Failure
from scorer.scoring.submissions import Done, Engine, Scorer, perform, plan

ROOT = Path(__file__).parent.parent
SUBMISSIONS = ROOT / "submissions" / "explagraphs-practice" / "reference"
FOLDERS = [SUBMISSIONS / system for system in ("gold", "null", "second-gold")]
"""The submissions that runs score: five splits."""
NO_MODELS = Scorer(Models(allowed=False), Path("no-home"))

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
    engine: Engine, out: Path | None, *, scorer: Scorer = NO_MODELS, resume: bool = False,
    folders: list[Path] | None = None, log: Path = Path(os.devnull),
) -> Outcomes:
    """Score some folders (FOLDERS if None); what became of every system's splits."""
    scorer = replace(scorer)  # nothing is read yet
    planned = plan(scorer, folders or FOLDERS)
    answers = perform(planned, scorer, engine, out, log, resume=resume)
    return {(job.sent.system, job.split): answer for job, answer in answers}


def arguments(out: Path, *more: str, folders: Sequence[Path] = FOLDERS) -> list[str]:
    """What follows ``scorer``; links to the folders stand beside ``out``."""
    sent = out.parent / "sent" / SUBMISSIONS.parent.name / SUBMISSIONS.name
    sent.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        if not (sent / folder.name).exists():
            (sent / folder.name).symlink_to(folder)
    return ["score", "--all", "--quiet", "--results", str(out), "--models", "no",
            "--home", str(out.parent / "home"), "--submissions", str(out.parent / "sent"),
            "--board", SUBMISSIONS.parent.name, *more]


AT_A_RENAME = """
import os, pathlib, signal, sys
from scorer.cli import main
number, target, when, left = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], []
rename = pathlib.Path.replace
def replace(path, to):
    left.append(to)
    if len(left) == target and when == "before":
        os.killpg(0, number)
    rename(path, to)
    if len(left) == target:
        os.killpg(0, number)
pathlib.Path.replace = replace
if __name__ == "__main__":
    sys.exit(main(sys.argv[4:]))
"""


def stopped(number: int, target: int, when: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The program, which sends itself and its workers a signal at some rename of a file.

    ``when``: before or after it. Ends when every process that it began has ended: all hold its
    standard error.
    """
    script = [sys.executable, "-c", AT_A_RENAME, str(number), str(target), when]
    return subprocess.run([*script, *words], cwd=ROOT, capture_output=True, text=True, check=False,
                          start_new_session=True)


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
