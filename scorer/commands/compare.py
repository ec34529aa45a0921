"""``scorer compare``: is one system better than another, and how sure is that?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import options
from scorer.commands.options import Action, option
from scorer.records import SPLITS

if TYPE_CHECKING:
    from scorer.board import Board
    from scorer.records import Result
    from scorer.statistics.comparison import Comparison


_ROWS = 5


def run(given: argparse.Namespace) -> int:
    """Compare the metrics that both have, item by item."""
    from scorer import board as boards
    from scorer.errors import UsageError
    from scorer.metrics.catalogue import METRICS
    from scorer.statistics.comparison import compare

    board = boards.load(given.board, given.boards)
    if given.a == given.b:
        raise UsageError(f"{given.a} twice; name two systems")
    a, b = _read(board, given, given.a), _read(board, given, given.b)
    metrics, left_out = _metrics(board, given, a, b)
    found = {}
    for metric in metrics:
        info = METRICS[metric]
        found[metric] = compare(
            [item.scores[metric].value for item in a.items],
            [item.scores[metric].value for item in b.items],
            binary=info.binary, better=info.better,
        )
    if given.json:
        options.write_json(given.json, _document(board, given, found, left_out))
    if given.json != "-":
        print(table(board, given, found, left_out))
    return 0


def _read(board: Board, given: argparse.Namespace, name: str) -> Result:
    """A system's result with its items, from the first folder that has both."""
    from scorer.errors import UsageError, excerpt
    from scorer.results import files as results

    gold = board.split(given.split).gold
    if gold != "public":
        raise UsageError(f"{board.id} {given.split}: gold is {gold}, so there are no scores of "
                         "single items, and two systems cannot be compared")
    team, slash, system = name.partition("/")
    if not (team and slash and system) or "/" in system:
        raise UsageError(f"{excerpt(name)}; expected TEAM/SYSTEM")
    folders = given.results or [Path("results"), given.home / "results"]
    paths = [results.result_path(folder, board.id, team, system, given.split)
             for folder in folders]
    there = [path for path in paths if path.is_file()]
    if not there:
        shown = " and ".join(map(str, folders))
        raise UsageError(f"{name} has no result for {board.id} {given.split} in {shown}; score it "
                         "with scorer score, or name a folder with --results")
    for path in there:
        if results.items_path(path).is_file():
            return results.read(path)
    raise UsageError(f"{there[0]}: its items are not at hand (data that may not be committed); "
                     f"make them with: scorer score SUBMISSION --results {given.home / 'results'}")


def _metrics(
    board: Board, given: argparse.Namespace, a: Result, b: Result
) -> tuple[list[str], dict[str, str]]:
    """The metrics to compare, and why each of the others may not be.

    Raises UsageError if none may, or one that was named.
    """
    from scorer.errors import UsageError, excerpt

    wanted = given.metric or board.metrics
    for metric in wanted:
        if metric not in board.metrics:
            raise UsageError(f"board {board.id} has no metric {excerpt(metric)}; "
                             f"choose from: {', '.join(board.metrics)}")
    left_out = {metric: why for metric in wanted if (why := _why_not(metric, a, b))}
    found = [metric for metric in wanted if metric not in left_out]
    if left_out and (given.metric or not found):
        raise UsageError("\n".join(f"{metric} cannot be compared: {why}"
                                   for metric, why in left_out.items()))
    return found, left_out


def _why_not(metric: str, a: Result, b: Result) -> str:
    """Why a metric of two results may not be compared; empty if it may."""
    from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT
    from scorer.results.signature import difference

    if METRICS[metric].total is not None:
        return f"{WHOLE_SPLIT}; compare the intervals of both"
    if not (_measured(a, metric) and _measured(b, metric)):
        return ("not measured for one of them or both; score them again, with --models auto if it "
                "needs a model")
    differing = difference(a.metrics[metric].signature, b.metrics[metric].signature)
    return (f"different signatures ({'; '.join(differing)}); score both with the same"
            if differing else "")


def _measured(result: Result, metric: str) -> bool:
    """Whether there is a score of every item."""
    return (metric in result.metrics and result.metrics[metric].value is not None
            and all(metric in item.scores for item in result.items))


def table(
    board: Board, given: argparse.Namespace, found: Mapping[str, Comparison],
    left_out: Mapping[str, str],
) -> str:
    """The comparison as text."""
    from scorer.errors import counted
    from scorer.metrics.catalogue import METRICS
    from scorer.statistics.comparison import verdict

    [n] = {one.n for one in found.values()}
    lines = [f"{board.id} {given.split}, {counted(n, 'item')}", f"  A  {given.a}",
             f"  B  {given.b}", "",
             f"  {'metric':24}{'A':>8}{'B':>8}{'A - B':>9}  {'95 % interval':20}{'p':>8}"
             f"{'mid-p':>8}{'A wins':>8}{'loses':>7}{'ties':>6}  test"]
    for metric, one in found.items():
        bounds = (f"{one.interval.low:+.4f} to {one.interval.high:+.4f}" if one.interval.given
                  else "none")
        mid = "" if one.p_mid is None else _p(one.p_mid)
        lines.append(
            f"  {metric:24}{one.a:>8.4f}{one.b:>8.4f}{one.difference:>+9.4f}  {bounds:20}"
            f"{_p(one.p):>8}{mid:>8}{len(one.wins):>8}{len(one.losses):>7}{one.ties:>6}  "
            f"{_TESTS[one.test]}"
        )
    lines.append("")
    for metric, one in found.items():
        notes = ["lower is better"] if METRICS[metric].better == "lower" else []
        if one.effect is not None:
            notes.append(f"{one.effect_name} {one.effect:.2f}")
        beside = f" ({'; '.join(notes)})" if notes else ""
        lines.append(f"  {metric}: {verdict(one)}{beside}")
        lines += [f"    {word} {_first(rows)}" for word, rows in
                  (("A wins on row", one.wins), ("B wins on row", one.losses)) if rows]
    lines += [f"  {metric}: not compared: {why}" for metric, why in left_out.items()]
    return "\n".join([*lines, "", _FOOT])


_TESTS = {"mcnemar": "exact McNemar", "permutation": "permutation"}

_FOOT = """\
Each test is two-sided, at 5 % by itself: among ten metrics without any difference, one or more is
called in up to 40 of 100 comparisons. The exact p decides; mid-p rejects too often, so it is only
shown. All of it speaks of new items of the same topics. See scorer handbook statistics."""


def _first(rows: tuple[int, ...]) -> str:
    more = f" and {len(rows) - _ROWS} more" if len(rows) > _ROWS else ""
    return ", ".join(map(str, rows[:_ROWS])) + more


def _p(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def _document(
    board: Board, given: argparse.Namespace, found: Mapping[str, Comparison],
    left_out: Mapping[str, str],
) -> dict[str, Any]:
    from dataclasses import asdict

    from scorer.statistics.comparison import verdict

    return {
        "board": board.id, "split": given.split, "a": given.a, "b": given.b,
        "metrics": {
            metric: {
                **asdict(one), "difference": one.difference, "ties": one.ties,
                "better": one.better, "verdict": verdict(one),
            }
            for metric, one in found.items()
        },
        "not_compared": dict(left_out),
    }


VERB = Action("compare", "test whether one system is better than another", run, """\
scorer compare my-team/first my-team/second --board explagraphs --split dev
scorer compare my-team/first reference/nearest-neighbour --board explagraphs-practice --split dev
scorer compare a/x b/y --board explagraphs --split dev --metric GED --metric G-BLEU --json -""", (
    option("a", metavar="A", help="TEAM/SYSTEM"),
    option("b", metavar="B", help="TEAM/SYSTEM"),
    option("--board", required=True, help="board name or path"),
    option("--split", required=True, choices=SPLITS,
           help="split whose items are compared"),
    option("--metric", action="append", metavar="ID",
           help="compare this metric only; may be said again (default: all)"),
    option("--results", type=Path, action="append", metavar="DIR",
           help="folder of results; may be said again (default: results, then "
           "results below --home)"),
    option("--json", metavar="OUT",
           help="write every number and row there; - for standard output"),
    options.boards,
    options.home,
))
