"""Whether results are what they should be: weekly on the main branch, and before a change.

``scorer ci audit``: every result has its submission and every submission its result, documents are
what the data give, and new rows score again to the same numbers. ``scorer ci moved``: a change
keeps committed results, read from the objects of git. What counts as moved,
``scorer/scoring/results/changes.py`` says; lines of past values are only ever added.
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
from scorer.core.errors import DataError, Problem
from scorer.core.files import json_bytes
from scorer.metrics.catalogue import METRICS
from scorer.people import published
from scorer.people.validate import ROOT, Workplace, uncounted
from scorer.pipeline.ci import owners, score
from scorer.pipeline.ci.git import FILE, Repository, TreeEntry
from scorer.pipeline.ci.main_branch import (
    ITEMS,
    PAST,
    RESULT,
    RESULTS,
    CiJob,
    Main,
    is_of_system,
)
from scorer.pipeline.ci.publish import leaderboards
from scorer.pipeline.ci.pull import described, shown, team_of
from scorer.pipeline.ci.runner import say
from scorer.scoring.results import changes, leaderboard
from scorer.scoring.results.files import from_bytes

LONGEST_WAIT_DAYS = 2
"""A submission that is queued for longer is stranded."""
RECENT_DAYS = 8
"""Rows that were published since then are scored again: a week, and a day for a late run."""
LONGEST = 5 * 60.0
"""Seconds that one of them may take."""
MEMORY = 2.0
"""GiB that it may take."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file of results that are compared."""
_ERROR = "error.json"
"""The end of names of records of errors, those of runs and the publisher's."""


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
    for state in main.states(str(today.date())):
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
    return datetime.fromisoformat(
        main.repository.line("show", "--no-patch", "--format=%cI", main.commit))


def orphans(main: Main) -> Iterator[str]:
    """Results of teams that submitted nothing; maintainers' own rows may come from elsewhere."""
    have = {tuple(entry.path.split("/")[1:4]) for entry in main.entries}
    for path in main.results:
        _, *name = path.split("/")[:4]
        if not is_of_system(path):
            if published.at(path) is None and not leaderboard.is_path(path):
                yield f"{shown(path)}: not a result's path"
        elif tuple(name) not in have and name[1] not in RESERVED:
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


def late(main: Main) -> Iterator[str]:
    """Answers of annotators that count nowhere, such as those that came after closing."""
    workplace = Workplace(main.folder.parent / ROOT)
    try:
        yield from uncounted(workplace)
    except DataError as fault:
        yield from str(fault).splitlines()


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


CHECKS: tuple[Callable[[Main], Iterator[str]], ...] = (
    stranded, orphans, outdated_leaderboards, late, unreadable)
"""What is looked at without scoring."""


def scored_again(main: Main, home: Path) -> Iterator[str]:
    """New rows of public gold whose numbers without models are other ones when scored again."""
    jobs = [job for job in recent(main) if main.board(job).data_file(job.split, home) is not None]
    with tempfile.TemporaryDirectory(prefix="whyboard-") as folder:
        score.run(jobs, main, score.ScoringSettings(home, "no", memory=MEMORY, seconds=LONGEST),
                  Path(folder))
        for job in jobs:
            path = Path(folder, f"{job.key}{RESULT}")
            if not path.is_file():
                yield f"{job.result()}: published, and cannot be scored again"
                continue
            old, new = map(_model_free, (main.documents[job.result()],
                                         json.loads(path.read_bytes())))
            for problem in changes.findings(job.result(), old, new):
                yield f"{job.result()}: scored again, {problem.found}"


def recent(main: Main) -> list[CiJob]:
    """Jobs with public gold whose result was published in the last days."""
    since = _date(main) - timedelta(days=RECENT_DAYS)
    touches = main.repository.touches(main.commit, RESULTS)
    return [job for job in main.jobs if main.is_public(job) and main.is_scored(job)
            and datetime.fromisoformat(touches[job.result()][-1].date) >= since]


def _model_free(document: Any) -> changes.ResultFiles:
    """A result with the metrics alone that need no model, without its items."""
    metrics = {name: value for name, value in document["metrics"].items()
               if METRICS[name].model is None}
    return changes.ResultFiles(json_bytes({**document, "metrics": metrics}))


# ---- before and after a change -------------------------------------------------------------------


def moved(repository: Repository, base: str, head: str) -> Iterator[Problem]:
    """Every result of ``base`` that ``head`` moves or removes without a reason, and every old line
    of past values that it rewrites.

    Raises DataError if one of the commits is not here.
    """
    old, new = ({entry.path: entry
                 for entry in repository.tree(repository.commit(name), RESULTS)}
                for name in (base, head))
    changed = sorted(path for path, entry in old.items() if new.get(path) != entry)
    results = {f"{path.removesuffix(RESULT).removesuffix(ITEMS)}{RESULT}" for path in changed
               if is_of_system(path) and path.endswith((RESULT, ITEMS))
               and not path.endswith(_ERROR)}
    for path in sorted(results):
        names = (path, path.removesuffix(RESULT) + ITEMS)
        before, after = (changes.ResultFiles(*(_content(repository, side.get(name))
                                               for name in names)) for side in (old, new))
        yield from changes.findings(path, before, after)
        try:
            from_bytes(before.document or b"")
        except DataError as fault:
            say(f"{shown(path)}: not compared, for what it was cannot be read: {fault}")
    for path in changed:
        if path.endswith(PAST):
            oid = old[path].oid  # whole, or nothing would be held against what it is now
            lines = repository.blobs([oid])[oid].split(b"\n")[:-1]
            now = (_content(repository, new.get(path)) or b"").split(b"\n")[:-1]
            first = next((number for number, line in enumerate(lines)
                          if now[number:number + 1] != [line]), None)
            if first is not None:
                yield Problem(path, first + 1, 1, "PAST-REWRITTEN",
                              "an old line is gone or changed",
                              "every old line as it was, new ones after them", "restore the file")


def _content(repository: Repository, entry: TreeEntry | None) -> bytes | None:
    """A file's bytes, None if it is not there; nothing is in a link, or in one that is too large.
    """
    if entry is None:
        return None
    return (repository.blob(entry.oid, LARGEST) if entry.mode == FILE else None) or b""
