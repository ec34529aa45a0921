"""``scorer rescore``: compute every result again."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options, running
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.runs.planning import JobOutcome, Shard, SplitJob


def run(given: argparse.Namespace) -> int:
    """Score what was ever scored, from its predictions alone, and say how many results that is."""
    from scorer.errors import UsageError, counted
    from scorer.runs.planning import shard
    from scorer.scoring.submissions import ScorerRecipe

    if not given.results.is_dir():
        raise UsageError(f"{given.results}: no such folder; name one with --results")
    if given.leaderboards:
        return leaderboards(given.results, given)
    part = shard(given.shard) if given.shard else None
    engine = running.engine_of(given, "local")
    sources, models = running.models_of(given)
    recipe = ScorerRecipe(given.home, given.boards, sources=sources, models=models)
    folders, lost = _find(given, part)
    count = 0

    def told(job: SplitJob, answer: JobOutcome) -> None:
        nonlocal count
        count += 1

    worst = running.run_all(recipe, folders, given, engine=engine,
                            out=given.out or given.results, told=told, records=True)
    print(f"{counted(count, 'result')} computed again")
    return max(worst, 3 if lost else 0)


def leaderboards(folder: Path, given: argparse.Namespace) -> int:
    """Write the leaderboard documents of results at hand; nothing is scored."""
    from scorer.errors import counted

    print(f"{counted(write_leaderboards(folder, given), 'leaderboard')} written")
    return 0


def write_leaderboards(folder: Path, given: argparse.Namespace) -> int:
    """Write them with what the annotators beside the submissions said; returns how many."""
    from scorer.annotations.leaderboard import people_in
    from scorer.annotations.validate import ROOT
    from scorer.scoring.leaderboard.files import write

    people = people_in(given.submissions.parent / ROOT)
    return len(write(folder, given.boards, given.submissions, given.board, people))


def _find(given: argparse.Namespace, part: Shard | None) -> tuple[list[Path], int]:
    """The folders of what was ever scored, and how many of them are not at hand."""
    from scorer.scoring.submissions import scored_places
    from scorer.submission import SubmissionName

    folders, lost = [], 0
    for place in map(SubmissionName._make, scored_places(given.results, given.board)):
        if part is not None and not part.has(place):
            continue
        homes = [home.joinpath(*place) for home in (given.submissions, given.home / "submissions")]
        there = next((home for home in homes if home.is_dir()), None)
        if there is not None:
            folders.append(there)
        else:
            lost += 1
            print(f"{place}: its predictions are not at hand, so its results stay as they are",
                  file=sys.stderr)
    return folders, lost


VERB = Action("rescore", "compute every result there is again", run, """\
scorer rescore --results results
scorer rescore --board explagraphs --timeout 600 --memory 8
scorer rescore --shard 2/8 --out part-2      # part 2 of a job matrix
scorer rescore --leaderboards                # from the results there are
scorer rescore --engine ray --address head:6379""", (
    option("--board", help="this board only"),
    option("--results", type=Path, default=Path("results"), metavar="DIR",
           help="submissions with results here are scored (default: results)"),
    option("--out", type=Path, metavar="DIR",
           help="write there instead (default: where --results are)"),
    option("--leaderboards", action="store_true",
           help="score nothing: only write leaderboard.<split>.json of each board from the results "
           "in --results"),
    running.model_options,
    options.submissions,
    options.boards,
    options.home,
    partial(running.engine_options, default="local"),
))
