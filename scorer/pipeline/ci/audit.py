"""The weekly look at the main branch: every result has its submission and every submission its
result, documents are what the data give, and new rows score again to the same numbers.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from scorer.boards.submission import FILE_NAME, RESERVED
from scorer.core.errors import DataError
from scorer.core.files import json_bytes
from scorer.metrics.catalogue import METRICS
from scorer.people import published
from scorer.people.validate import ROOT, Workplace, uncounted
from scorer.pipeline.ci import owners, score
from scorer.pipeline.ci.git import FILE
from scorer.pipeline.ci.main_branch import RESULTS, CiJob, Main, is_of_system
from scorer.pipeline.ci.publish import leaderboards
from scorer.pipeline.ci.queue import states
from scorer.pipeline.ci.scope import described, shown, team_of
from scorer.scoring.results import changes, leaderboard

LONGEST_WAIT_DAYS = 2
"""A submission that is queued for longer is stranded."""
RECENT_DAYS = 8
"""Rows that were published since then are scored again: a week, and a day for a late run."""
LONGEST = 5 * 60.0
"""Seconds that one of them may take."""
MEMORY = 2.0
"""GiB that it may take."""


def findings(main: Main, home: Path) -> Iterator[str]:
    """Everything that is not as the pipeline leaves it, one line each. ``home``: fetched data."""
    for check in CHECKS:
        yield from check(main)
    yield from scored_again(main, home)


def stranded(main: Main) -> Iterator[str]:
    """Submissions that nothing will move: lost, failing, or waiting too long.

    Days are counted to the date of the commit that is looked at, never to the clock.
    """
    today = _date(main)
    for state in states(main, str(today.date())):
        if state.name == "received":
            yield f"{state.job}: {state.reason}"
        if state.name == "error":
            yield (f"{state.job}: error {state.reason}; a new scorer version or retry_errors tries "
                   "again")
        if state.name == "queued" and state.job.date:
            days = (today - datetime.fromisoformat(state.job.date)).days
            if days > LONGEST_WAIT_DAYS:
                yield f"{state.job}: queued for {days} days, {state.attempts} attempts"


def _date(main: Main) -> datetime:
    shown_date = main.repository.run("show", "--no-patch", "--format=%cI", main.commit).stdout
    return datetime.fromisoformat(shown_date.decode().strip())


def orphans(main: Main) -> Iterator[str]:
    """Results of teams that submitted nothing; maintainers' own rows may come from elsewhere."""
    have = {"/".join(entry.path.split("/")[1:4]) for entry in main.entries}
    for path in main.results:
        parts = path.split("/")
        if not is_of_system(path):
            if published.at(path) is None and not leaderboard.is_path(path):
                yield f"{shown(path)}: not a result's path"
        elif "/".join(parts[1:4]) not in have and parts[2] not in RESERVED:
            yield f"{shown(path)}: a result without a submission"


def outdated_leaderboards(main: Main) -> Iterator[str]:
    """Leaderboards that are not what the results give, or that no result is behind."""
    for path in leaderboards(main, {}):
        yield f"{shown(path)}: not what the results give; the next publication writes it again"
    for path in main.results:
        if leaderboard.is_path(path):
            folder, split = path.split("/leaderboard.")
            if not any(fnmatchcase(result, f"{folder}/*/*/{split}") for result in main.results):
                yield f"{shown(path)}: a leaderboard without results"


def unreadable(main: Main) -> Iterator[str]:
    """Descriptions and owners on the main branch that nobody can read: two sound merges can make
    one together, and then every pull request of that team fails."""
    for entry in main.entries:
        name = described(entry.path)
        if (name is not None and entry.path.endswith(FILE_NAME) and name.board in main.boards
                and name not in main.descriptions):
            yield f"{shown(entry.path)}: cannot be read"
    files = [entry for entry in main.entries if team_of(entry.path) and entry.mode == FILE]
    contents = main.repository.blobs([entry.oid for entry in files])
    for entry in files:
        yield from map(str, owners.load(contents[entry.oid], entry.path)[1])


def late(main: Main) -> Iterator[str]:
    """Answers of annotators that count nowhere, such as those that came after closing."""
    workplace = Workplace(main.folder.parent / ROOT)
    try:
        yield from uncounted(workplace)
    except DataError as fault:
        yield from str(fault).splitlines()


CHECKS: tuple[Callable[[Main], Iterator[str]], ...] = (
    stranded, orphans, outdated_leaderboards, late, unreadable)
"""What is looked at without scoring."""


def scored_again(main: Main, home: Path) -> Iterator[str]:
    """New rows of public gold whose numbers without models are other ones when scored again."""
    jobs = [job for job in recent(main)
            if main.board(job).data_file(job.split, home) is not None]
    with tempfile.TemporaryDirectory(prefix="whyboard-") as folder:
        score.run(jobs, main, score.ScoringSettings(home, "no", memory=MEMORY, seconds=LONGEST),
                  Path(folder))
        for job in jobs:
            path = Path(folder, f"{job.key}.json")
            if not path.is_file():
                yield f"{job.result_path}: published, and cannot be scored again"
                continue
            old, new = map(_model_free, (main.documents[job.result_path],
                                         json.loads(path.read_bytes())))
            for problem in changes.findings(job.result_path, old, new):
                yield f"{job.result_path}: scored again, {problem.found}"


def recent(main: Main) -> list[CiJob]:
    """Jobs with public gold whose result was published in the last days."""
    since = _date(main) - timedelta(days=RECENT_DAYS)
    touches = main.repository.touches(main.commit, RESULTS)
    return [job for job in main.jobs
            if main.board(job).splits[job.split].gold == "public" and main.is_scored(job)
            and datetime.fromisoformat(touches[job.result_path][-1].date) >= since]


def _model_free(document: Any) -> changes.ResultFiles:
    """A result with the metrics alone that need no model, without its items."""
    metrics = {name: value for name, value in document["metrics"].items()
               if METRICS[name].model is None}
    return changes.ResultFiles(json_bytes({**document, "metrics": metrics}))
