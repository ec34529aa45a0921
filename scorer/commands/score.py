"""``scorer score``: score submissions or a predictions file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options

if TYPE_CHECKING:
    from scorer.records import Result
    from scorer.scoring import Scorer

EXAMPLE = """examples:
  scorer score submissions/explagraphs-practice/my-team/my-system --results results
  scorer score predictions.tsv --board explagraphs --split dev --json -
  scorer score predictions.tsv --task explagraphs --gold my-gold.tsv --metrics SA,StCA,GED
"""


def register(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "score", help="score submissions or a predictions file", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", nargs="*", type=Path, help="submission folder or TSV file")
    parser.add_argument("--all", action="store_true",
                        help="every submission below --submissions and below --home")
    parser.add_argument("--board", help="board name or path; with --all: this board only")
    parser.add_argument("--task", help="a task or board whose rules a file with --gold follows")
    parser.add_argument("--split", choices=("train", "dev", "test"), help="split of a TSV file")
    parser.add_argument("--gold", type=Path, help="any gold file in the board's columns")
    parser.add_argument("--metrics", help="comma-separated metric ids (default: the board's)")
    parser.add_argument("--json", metavar="OUT",
                        help="write the result there; - for standard output")
    parser.add_argument("--items", metavar="OUT", help="write one JSON line per item there")
    parser.add_argument("--results", type=Path, metavar="DIR",
                        help="write <board>/<team>/<system>/<split>.json below this folder")
    parser.add_argument("--reuse", type=Path, metavar="DIR",
                        help="take model-based metrics from results there whose digests still fit")
    parser.add_argument("--models", choices=("auto", "no", "fetch"), default="auto",
                        help="auto: models at hand; no: none; fetch: also from the network")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=SOURCE",
                        help="hub:NAME@REVISION, package:NAME or a folder")
    parser.add_argument("--quiet", action="store_true", help="one line instead of tables")
    parser.add_argument("--no-null", action="store_true", help="do not score the null as well")
    options.submissions(parser)
    options.boards(parser)
    options.home(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Score every target; a faulty submission is reported and the others go on."""
    from scorer.errors import UsageError
    from scorer.models import Models
    from scorer.scoring import Scorer

    if not given.target and not given.all:
        raise UsageError("nothing to score: name a submission or a file, or say --all")
    scorer = Scorer(
        Models(_sources(given.model), allowed=given.models != "no",
                 network=given.models == "fetch"),
        given.home, given.boards, _metrics(given.metrics), not given.no_null, given.reuse,
    )
    results, worst = _score_all(scorer, given)
    _write(results, given)
    if given.quiet:
        taken = (f"; {scorer.reused} values that need a model are those of {given.reuse}, whose "
                 "digests still fit") if given.reuse else ""
        print(f"{len(results)} results{taken}")
    return worst


def _sources(pairs: list[str]) -> dict[str, str]:
    from scorer.errors import UsageError, excerpt

    sources = {}
    for pair in pairs:
        name, equals, source = pair.partition("=")
        if not equals or not source:
            raise UsageError(f"--model {excerpt(pair)}: write NAME=SOURCE")
        sources[name] = source
    return sources


def _metrics(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text else ()


def _score_all(scorer: Scorer, given: argparse.Namespace) -> tuple[list[Result], int]:
    from tqdm import tqdm

    from scorer.errors import WhyboardError
    from scorer.scoring import find_all

    targets = list(given.target)
    if given.all:
        targets += find_all([given.submissions, given.home / "submissions"], given.board)
    results: list[Result] = []
    worst = 0
    for target in tqdm(targets, unit="submission", disable=len(targets) < 2 or None):
        try:
            results += _score_one(scorer, target, given)
        except WhyboardError as fault:
            if len(targets) == 1:
                raise
            tqdm.write(f"{target}: {fault}", file=sys.stderr)
            worst = max(worst, fault.exit_code)
    return results, worst


def _score_one(scorer: Scorer, target: Path, given: argparse.Namespace) -> list[Result]:
    from scorer import board as boards
    from scorer.errors import DataError, UsageError
    from scorer.scoring import gold_file, open_submission

    if target.is_dir():
        sent = open_submission(target)
        if given.board not in (None, sent.board):
            raise UsageError(f"{target} is a submission to {sent.board}; leave out --board")
        results = scorer.submission(sent)
        if not results and not given.all:
            raise DataError(f"{target}: no split of it has public gold, so nothing is scored here")
        return results
    if not target.exists():
        raise UsageError(f"{target}: no such file or folder; name predictions or a submission")
    if given.gold is not None and not given.gold.exists():
        raise UsageError(f"{given.gold}: no such file; name a gold file")
    name = given.board or given.task
    if name is None:
        raise UsageError(f"{target} is a file: name its board with --board")
    board = boards.load(boards.for_task(name, given.boards), given.boards)
    if given.gold is not None:
        gold = gold_file(board, given.gold)
    elif given.split is not None:
        gold = scorer.gold(board, given.split)
    else:
        raise UsageError(f"{target}: name its gold with --split or --gold FILE")
    return [scorer.file(board, target, given.split or "given", gold)]


def _write(results: list[Result], given: argparse.Namespace) -> None:
    from scorer.errors import UsageError
    from scorer.files import json_bytes, write_atomically
    from scorer.results import items_bytes, to_json, write

    if (given.json or given.items) and len(results) != 1:
        raise UsageError(f"--json and --items take one result, not {len(results)}; use --results")
    for result in results:
        if given.results is not None:
            write(result, given.results)
        if given.json == "-":
            sys.stdout.write(json_bytes(to_json(result)).decode())
        elif not given.quiet:
            print(table(result))
    if given.json and given.json != "-":
        write_atomically(Path(given.json), json_bytes(to_json(results[0])))
    if given.items:
        write_atomically(Path(given.items), items_bytes(results[0].items))


def table(result: Result) -> str:
    """A result as text: one line a metric."""
    title = "/".join(part for part in (result.board, result.team, result.system) if part)
    counts = result.counts
    lines = [
        f"{title} {result.split}: {counts['items']} items, "
        + ", ".join(f"{n} {name}" for name, n in counts.items()
                    if isinstance(n, int) and name != "items"),
        f"  {'metric':24}{'value':>9}{'P':>9}{'R':>9}{'passed':>9}{'null':>9}{'lift':>9}",
    ]
    for value in result.metrics.values():
        if value.value is None:
            lines.append(f"  {value.metric:24}{'-':>9}  not measured: {value.reason}")
            continue
        cells = (value.value, value.parts.get("precision"), value.parts.get("recall"),
                 value.passed, value.null, value.lift)
        shown = "".join(f"{'' if cell is None else format(cell, '.4f'):>9}" for cell in cells)
        flagged = f"  {value.flagged} bounds" if value.flagged else ""
        lines.append(f"  {value.metric:24}{shown}{flagged}")
    return "\n".join(lines)
