"""``scorer rescore``: compute every result again."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from scorer.commands import options, running
from scorer.commands.options import Action, option


def run(args: argparse.Namespace) -> int:
    """Score what was ever scored, from its predictions alone, and say how many results that is."""
    from scorer.core.errors import UsageError, counted
    from scorer.scoring.runs.planning import shard
    from scorer.scoring.submissions import ScorerRecipe, scored_places

    if not args.results.is_dir():
        raise UsageError(f"{args.results}: no such folder; name one with --results")
    if args.leaderboards:
        count = write_leaderboards(args.results, args.boards, args.submissions, args.board)
        print(f"{counted(count, 'leaderboard')} written")
        return 0
    part = shard(args.shard) if args.shard else None
    folders, lost = [], 0
    for name in scored_places(args.results, args.board):
        if part is not None and not part.has(name):
            continue
        homes = [top.joinpath(*name) for top in (args.submissions, args.home / "submissions")]
        there = next((home for home in homes if home.is_dir()), None)
        if there is not None:
            folders.append(there)
        else:
            lost += 1
            print(f"{name}: its predictions are not at hand, so its results stay as they are",
                  file=sys.stderr)
    sources, models = running.models_of(args)
    done, worst = running.run_all(
        ScorerRecipe(args.home, args.boards, sources=sources, models=models), folders,
        running.engine_of(args, "local"), out=args.out or args.results, part=args.shard,
        log=args.log or args.home / "score.log")
    print(f"{counted(len(done), 'result')} computed again")
    return max(worst, 3 if lost else 0)


def write_leaderboards(results: Path, boards: Path | None, submissions: Path, only: str | None,
                       ) -> int:
    """Write them with what the annotators beside the submissions said; returns how many."""
    from scorer.people.leaderboard import people_in
    from scorer.people.validate import ROOT
    from scorer.scoring.leaderboard.files import write

    people = people_in(submissions.parent / ROOT)
    return len(write(results, boards, submissions, only, people))


VERB = Action("rescore", "score every existing result again", run, """\
scorer rescore --results results
scorer rescore --board explagraphs --timeout 600 --memory 8
scorer rescore --shard 2/8 --out part-2      # part 2 of a job matrix
scorer rescore --leaderboards                # from the results there are
scorer rescore --engine ray --address head:6379""", (
    option("--board", help="this board only"),
    option("--results", type=Path, default=Path("results"), metavar="DIR",
           help="submissions with results here are scored (default: results)"),
    option("--out", type=Path, metavar="DIR",
           help="write here (default: the folder of --results)"),
    option("--leaderboards", action="store_true",
           help="score nothing: only write leaderboard.<split>.json of each board from the results "
           "in --results"),
    running.model_options,
    options.submissions,
    options.boards,
    options.home,
    partial(running.engine_options, default="local"),
))
