"""Judges hostile submissions one after another in one small process, and says what each cost.

``python -m tests.judging SPECIMENS`` reads ``[[judge, argument, ...], ...]`` and prints a list of
``[faults, cost]`` (the cost as in ``tests/effort.py``) and, last, the most memory that this process
or any child of it ever had, in KiB: no single judgement can have taken more. Nothing is imported
but what judges.
"""

import json
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from scorer import boards
from scorer.boards import submission
from scorer.boards.golds import input_texts
from scorer.boards.submission import SubmissionName
from scorer.core.errors import report
from scorer.core.reading import schema
from scorer.pipeline.ci import artifact
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import CiJob, Main, key
from scorer.scoring.checking import check_file
from scorer.scoring.results.files import Unscored
from tests.effort import A_SECOND, least, seconds

BOARDS = boards.boards_folder()
NOWHERE = Path("nowhere")


@cache
def practice() -> boards.Board:
    return boards.load("explagraphs-practice")


@cache
def _texts() -> tuple[tuple[str, ...], ...]:
    return input_texts(practice(), "dev", NOWHERE) or ()


def check(path: str, rows: int | None) -> int:
    """Faults of predictions as ``scorer check`` judges and words them; texts where all fit."""
    fits = rows is not None and rows <= len(_texts())
    report_, _ = check_file(practice(), Path(path), texts=_texts()[:rows] if fits else None)
    assert str(report_)
    return report_.total


def meta(path: str) -> int:
    """Faults of a submission.yaml."""
    _, problems = schema.load(submission.Meta, Path(path).read_bytes(), "m")
    assert report(problems, len(problems)) is not None
    return len(problems)


@cache
def main_at(origin: str, commit: str) -> Main:
    """A main branch, with what submissions say of themselves."""
    main = Main.read(Repository(Path(origin)), commit, BOARDS)
    assert main.descriptions
    return main


def result(folder: str, job: dict[str, str], origin: str, commit: str) -> int:
    """Whether what a scoring machine handed over is refused."""
    outcome = artifact.read(Path(folder), CiJob(**job), main_at(origin, commit), "2026-01-31")
    return int(isinstance(outcome, Unscored) and outcome.kind == "error")


def stale(team: str, system: str) -> int:
    """Whether a new version of the board would leave a submission's key as it is."""
    place = SubmissionName("explagraphs-practice", team, system)
    later = replace(practice(), version="9.9")
    return int(key(practice(), place, "dev", "p") == key(later, place, "dev", "p"))


JUDGES: dict[str, Callable[..., int]] = {
    "check": check, "meta": meta, "result": result, "stale": stale}


def main(specimens: str) -> None:
    """Judge everything and print what it cost."""
    costs = []
    for judge, *arguments in json.loads(Path(specimens).read_bytes()):
        costs.append(least(partial(JUDGES[judge], *arguments), A_SECOND, seconds))
    most = max(resource.getrusage(who).ru_maxrss
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps([costs, most]))


if __name__ == "__main__":
    main(sys.argv[1])
