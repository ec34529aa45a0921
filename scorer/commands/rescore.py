"""``scorer rescore``: compute every result again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options, running

if TYPE_CHECKING:
    from scorer.runs.planning import Job, Shard
    from scorer.runs.run import Answer

EXAMPLE = """examples:
  scorer rescore --results results
  scorer rescore --board explagraphs --timeout 600 --memory 8
  scorer rescore --shard 2/8 --out part-2      # part 2 of a job matrix
  scorer rescore --engine ray --address head:6379
"""


def register(verbs: options.Verbs) -> None:
    """Declare the verb."""
    parser = options.verb(verbs, "rescore", "compute every result there is again", EXAMPLE, run)
    parser.add_argument("--board", help="this board only")
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="DIR",
                        help="submissions with results here are scored (default: results)")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="write there instead (default: where --results are)")
    running.model_options(parser)
    options.submissions(parser)
    options.boards(parser)
    options.home(parser)
    running.engine_options(parser, "local")


def run(given: argparse.Namespace) -> int:
    """Score what was ever scored, from its predictions alone, and say how many results that is."""
    from scorer.errors import UsageError, counted
    from scorer.runs.planning import shard
    from scorer.scoring.submissions import Recipe

    if not given.results.is_dir():
        raise UsageError(f"{given.results}: no such folder; name one with --results")
    part = shard(given.shard) if given.shard else None
    engine = running.engine_of(given, "local")
    sources, models = running.models_of(given)
    recipe = Recipe(given.home, given.boards, sources=sources, models=models)
    folders, lost = _find(given, part)
    count = 0

    def told(job: Job, answer: Answer) -> None:
        nonlocal count
        count += 1

    worst = running.run_all(recipe, folders, given, engine=engine,
                            out=given.out or given.results, told=told, records=True)
    print(f"{counted(count, 'result')} computed again")
    return max(worst, 3 if lost else 0)


def _find(given: argparse.Namespace, part: Shard | None) -> tuple[list[Path], int]:
    """The folders of what was ever scored, and how many of them are not at hand."""
    from scorer.runs.planning import Place
    from scorer.scoring.submissions import scored_places

    folders, lost = [], 0
    for place in map(Place._make, scored_places(given.results, given.board)):
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
