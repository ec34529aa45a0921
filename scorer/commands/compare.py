"""``scorer compare``: is one system better than another, and how sure is that?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import comparing_logs, named, options
from scorer.commands.options import Action, number, option, p_equals, p_text

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.core.results import Result
    from scorer.scoring.results.leaderboard import LeaderboardDocument
    from scorer.statistics.comparison import Comparison

_ROWS = 5


def run(args: argparse.Namespace) -> int:
    """Compare the metrics that both have, item by item."""
    from scorer import boards
    from scorer.core.errors import UsageError

    if comparing_logs.are_logs(args):
        return comparing_logs.run(args)
    for_logs = [name for name in ("lower", "cluster") if getattr(args, name)]
    if for_logs:
        raise UsageError(f"--{for_logs[0]} is for logs of other harnesses, named without --board")
    missing = [f"--{name}" for name in ("board", "split") if getattr(args, name) is None]
    if missing:
        args.parser.error(f"the following arguments are required: {', '.join(missing)}")
    board = boards.load(args.board, args.boards)
    if args.a == args.b:
        raise UsageError(f"{args.a} twice; name two systems")
    folders = args.results or [Path("results"), args.home / "results"]
    find = partial(_result, board, args.split, folders, args.home, args.boards)
    pair = compare(board, (args.a, args.b), (find(args.a), find(args.b)), args.metric or ())
    if args.json:
        options.write_json(args.json, document(pair))
    if args.json != "-":
        print(text(pair, _leaderboard(board, args.split, folders)))
    return 0


@dataclass(frozen=True)
class Pair:
    """Two systems on one split."""

    board: Board
    names: tuple[str, str]
    results: tuple[Result, Result]
    metrics: Mapping[str, Comparison]
    both_passed: Mapping[str, Comparison]
    """On the items where both systems' graphs passed, of metrics that grade graphs."""
    left_out: Mapping[str, str]
    """Why each of the other metrics is not compared."""

    @property
    def tags(self) -> dict[str, list[str]]:
        """What must be known of each system."""
        return {side: [*(result.tags or ())]
                for side, result in zip("ab", self.results, strict=True)}

    @property
    def passed(self) -> dict[str, dict[str, Any]]:
        """Metrics that grade graphs: each system's mean over the graphs that passed every gate."""
        from scorer.metrics.catalogue import METRICS

        return {metric: {side: {"value": one.metrics[metric].passed.value,
                                "n": one.metrics[metric].passed.n}
                         for side, one in zip("ab", self.results, strict=True)}
                for metric in self.metrics if METRICS[metric].graded}


def compare(
    board: Board, names: tuple[str, str], results: tuple[Result, Result], asked: Sequence[str]
) -> Pair:
    """Two results on the metrics that both have; ``asked``: those alone, or all of the board's.

    Raises UsageError if none may be compared, or not one that was asked for; DataError for items
    that are not the same.
    """
    from scorer.core.errors import DataError, UsageError, excerpt
    from scorer.metrics.catalogue import METRICS
    from scorer.scoring.results.ranks import compared, on_both_passed, same_items, why_not

    for metric in asked:
        if metric not in board.metrics:
            raise UsageError(f"board {board.id} has no metric {excerpt(metric)}; "
                             f"choose from: {', '.join(board.metrics)}")
    wanted = asked or board.metrics
    left_out = {metric: why for metric in wanted if (why := why_not(metric, *results))}
    metrics = [metric for metric in wanted if metric not in left_out]
    if left_out and (asked or not metrics):
        raise UsageError("\n".join(f"{metric} cannot be compared: {why}"
                                   for metric, why in left_out.items()))
    if not same_items(*results):
        raise DataError(f"the saved items of {names[0]} and {names[1]} are not the same items; "
                        "score both again")
    both = {metric: on_both_passed(metric, *results, board.task.passed)
            for metric in metrics if METRICS[metric].graded}
    return Pair(board, names, results, {metric: compared(metric, *results) for metric in metrics},
                {metric: one for metric, one in both.items() if one is not None}, left_out)


# ---- finding the two -------------------------------------------------------------------------


def _result(
    board: Board, split: str, folders: Sequence[Path], home: Path, boards: Path | None, name: str
) -> Result:
    """A system's result with its items: a saved one, else scored here and now without models."""
    from scorer.boards.submission import SUBMISSIONS, predictions_path
    from scorer.core.errors import UsageError, excerpt
    from scorer.scoring.results import files

    gold = board.split(split).gold
    if gold != "public":
        raise UsageError(f"{board.id} {split}: gold is {gold}, so there are no scores of "
                         "single items, and two systems cannot be compared")
    place = _team_and_system(name)
    tops = (Path(SUBMISSIONS), home / SUBMISSIONS) if place else ()
    files_here = (predictions_path(top.joinpath(board.id, *place or ()), split) for top in tops)
    here = next((file for file in files_here if file.is_file()), None)
    path = files.find(folders, board.id, *place, split) if place else None
    saved = files.read(path) if path else None
    if saved is not None and saved.items:
        _warn_of_change(saved, name, here)
        return saved
    file = _file_named(board, split, Path(name)) or here
    if file is not None:
        return _scored(board, split, file, named_itself=file == Path(name), home=home,
                       boards=boards)
    if place is None:
        raise UsageError(f"{excerpt(name)}; expected TEAM/SYSTEM, a submission's folder or a file "
                         "of predictions")
    if saved is not None:
        raise UsageError(f"{name}: the items of its result for {board.id} {split} are not "
                         "at hand; score it again, or name its folder instead")
    shown = " and ".join(map(str, folders))
    raise UsageError(f"{name} has no result for {board.id} {split} in {shown}; name its "
                     "folder or its file of predictions, or save its result: scorer score FOLDER")


def _team_and_system(name: str) -> tuple[str, str] | None:
    """Team and system, if a name has the form TEAM/SYSTEM."""
    from scorer.core.reading.values import is_slug

    team, _, system = name.partition("/")
    return (team, system) if is_slug(team) and is_slug(system) else None


def _file_named(board: Board, split: str, path: Path) -> Path | None:
    """The predictions that a path leads to: a file, or those in a submission's folder.

    Raises UsageError for a folder of another board or split.
    """
    from scorer.boards.submission import place_of, predictions_path, splits_in
    from scorer.core.errors import UsageError

    if path == named.STDIN or path.is_file():
        return path
    if not (path.is_dir() and splits_in(path)):
        return None
    if place_of(path).board != board.id:
        raise UsageError(f"{path} is a submission to {place_of(path).board}, not to {board.id}")
    if split not in splits_in(path):
        raise UsageError(f"{path} has no predictions.{split}.tsv; it answers "
                         f"{', '.join(splits_in(path))}")
    return predictions_path(path, split)


def _warn_of_change(result: Result, name: str, file: Path | None) -> None:
    """Say that a saved result is of other predictions than those that lie here now."""
    from scorer.core.errors import printable
    from scorer.core.files import sha256_file

    if file and sha256_file(file) != result.predictions.sha256:
        print(printable(f"note: the saved result of {name} is of other predictions than {file}; "
                        "score it again, or name that file"), file=sys.stderr)


def _scored(
    board: Board, split: str, file: Path, *, named_itself: bool, home: Path, boards: Path | None
) -> Result:
    """A file scored in memory. Raises SubmissionError with every fault."""
    from scorer.boards.submission import REFERENCE, predictions_path, read
    from scorer.scoring.submissions import ScorerRecipe, open_submission

    recipe = ScorerRecipe(home, boards, with_null=False, models={"allowed": False})
    scorer, folder = recipe.scorer(), file.absolute().parent
    reference = folder.resolve().parent.name == REFERENCE
    if reference and file == predictions_path(file.parent, split):
        return scorer.split(open_submission(folder), split)
    source = named.opened(file) if named_itself else file
    result = scorer.file(board, source, split, scorer.gold(board, split))
    sent = read(folder, reserved=True)[0] if file == predictions_path(folder, split) else None
    tags = list(sent.meta.tags) if sent is not None else []
    return result.replace(tags=tags)


def _leaderboard(board: Board, split: str, folders: Sequence[Path]) -> LeaderboardDocument | None:
    """The document of a split in the first folder of results that has one of this version."""
    from scorer.scoring.results.leaderboard import path_of, read

    there = (path for folder in folders if (path := path_of(folder, board.id, split)).is_file())
    return next((one for one in map(read, there) if one.board_version == board.version), None)


# ---- printing them ---------------------------------------------------------------------------


def text(pair: Pair, known: LeaderboardDocument | None) -> str:
    """The comparison as text; ``known``: the leaderboard of the split, if there is one."""
    from scorer.core.errors import counted, printable
    from scorer.metrics.catalogue import METRICS
    from scorer.statistics.comparison import verdict

    [n] = {one.n for one in pair.metrics.values()}
    a, b = map(printable, pair.names)
    lines = [f"{pair.board.id} {pair.results[0].split}, {counted(n, 'item')}; in percent, "
             "distances from 0 to 1", f"  A  {a}", f"  B  {b}", "",
             f"  {'metric':24}{'A':>8}{'B':>8}{'A - B':>9}  {'95 % interval':20}{'p':>8}"
             f"{'mid-p':>8}{'A wins':>8}{'loses':>7}{'ties':>6}  test"]
    for metric, one in pair.metrics.items():
        low, high = one.interval.low, one.interval.high
        bounds = ("none" if low is None or high is None else
                  f"{number(low, metric, True)} to {number(high, metric, True)}")
        mid = "" if one.p_mid is None else p_text(one.p_mid)
        lines.append(
            f"  {metric:24}{_three(metric, one)}  {bounds:20}"
            f"{p_text(one.p):>8}{mid:>8}{len(one.wins):>8}{len(one.losses):>7}{one.ties:>6}  "
            f"{_TESTS[one.test]}"
        )
    lines += ["", *_passed_text(pair)]
    for metric, one in pair.metrics.items():
        notes = ["lower is better"] if METRICS[metric].better == "lower" else []
        if one.effect is not None:
            notes.append(f"{one.effect_name} {one.effect:.2f}")
        beside = f" ({'; '.join(notes)})" if notes else ""
        lines.append(f"  {metric}: {verdict(one, number=partial(number, metric=metric))}{beside}")
        lines += [f"    {word} {_first(rows)}" for word, rows in
                  (("A wins on row", one.wins), ("B wins on row", one.losses)) if rows]
    lines += [f"  {metric}: not compared: {why}" for metric, why in pair.left_out.items()]
    ranks = on_leaderboard(known, *pair.names) if known else ""
    return "\n".join([*lines, *filter(None, [ranks]), "", _FOOT])


def _passed_text(pair: Pair) -> Iterator[str]:
    """The graphs that passed, where a system enforces constraints in decoding."""
    from scorer.boards.submission import CONSTRAINED
    from scorer.core.errors import counted
    from scorer.statistics.comparison import verdict

    sides = [side.upper() for side, tags in pair.tags.items() if CONSTRAINED in tags]
    if not sides or not pair.passed:
        return
    yield (f"  {' and '.join(sides)}: {CONSTRAINED}; among graphs that passed every gate "
           "(of different items, so these do not compare):")
    for metric, values in pair.passed.items():
        shown = (f"{number(one['value'], metric)} of {one['n']}" if one["n"] else "none passed"
                 for one in values.values())
        yield f"    {metric:22}" + "".join(f"{one:>18}" for one in shown)
    n = next((one.n for one in pair.both_passed.values()), 0)
    yield (f"  on the {counted(n, 'item')} that both passed:" if n
           else "  no item that both passed")
    for metric, one in pair.both_passed.items():
        yield (f"    {metric:22}{_three(metric, one)}  {p_equals(one.p)}: "
               f"{verdict(one, number=partial(number, metric=metric))}")
    yield ""


def _three(metric: str, one: Comparison) -> str:
    """A, B and A less B."""
    difference = number(one.difference, metric, signed=True)
    return f"{number(one.a, metric):>8}{number(one.b, metric):>8}{difference:>9}"


def on_leaderboard(known: LeaderboardDocument, a: str, b: str) -> str:
    """What the leaderboard says of two systems; empty where it does not have both."""
    rows = {row.key: row for row in known.rows}
    if a not in rows or b not in rows or known.order.by is None:
        return ""
    ranks = [f"{name} ranks {' to '.join(map(str, dict.fromkeys(row.rank)))}" if row.rank
             else f"{name} has no rank" for name, row in (("A", rows[a]), ("B", rows[b]))]
    p = known.p_of(a, b)
    corrected = "" if p is None else f"; {p_equals(p)} by Holm"
    return f"  on the leaderboard, by {known.order.by}: {', '.join(ranks)}{corrected}"


_TESTS = {"mcnemar": "exact McNemar", "permutation": "permutation"}

_FOOT = """\
Each test is two-sided, at 5 % by itself: of ten metrics without any difference, at least one comes
out significant in up to 40 of 100 comparisons. Decisions use the exact p-value; mid-p is shown for
information. Intervals show how much scores could change on new items from the same topics. See:
scorer handbook statistics"""


def _first(rows: tuple[int, ...]) -> str:
    more = f" and {len(rows) - _ROWS} more" if len(rows) > _ROWS else ""
    return ", ".join(map(str, rows[:_ROWS])) + more


def document(pair: Pair) -> dict[str, Any]:
    """Every number and row as JSON."""
    return {
        "board": pair.board.id, "split": pair.results[0].split,
        "a": pair.names[0], "b": pair.names[1],
        "metrics": {metric: {**_figures(one), "wins": one.wins, "losses": one.losses}
                    for metric, one in pair.metrics.items()},
        "not_compared": dict(pair.left_out), "tags": pair.tags, "passed": pair.passed,
        "both_passed": {metric: _figures(one) for metric, one in pair.both_passed.items()},
    }


def _figures(one: Comparison) -> dict[str, Any]:
    """A comparison without its rows."""
    from scorer.statistics.comparison import verdict

    shown = {**asdict(one), "interval": one.interval.to_json(), "difference": one.difference,
             "ties": one.ties, "better": one.better, "verdict": verdict(one)}
    return {name: value for name, value in shown.items() if name not in ("wins", "losses")}


VERB = Action("compare", "test whether one system is better than another", run, """\
scorer compare my-team/first my-team/second --board explagraphs --split dev
scorer compare my-team/first reference/nearest-neighbour --board explagraphs-practice --split dev
scorer compare predictions.dev.tsv my-team/first --board explagraphs --split dev
scorer compare a/x b/y --board explagraphs --split dev --metric GED --metric G-BLEU --json -
scorer compare logs/first.eval logs/second.eval
scorer compare out/first out/second --metric exact_match --cluster topic""", (
    option("a", metavar="A", help="TEAM/SYSTEM, or a submission's folder or a file of "
           "predictions (packed by gzip or not; - for standard input), which is scored without "
           "models; or, without --board, a log of inspect_ai (.eval, .json) or samples of "
           "lm-evaluation-harness (samples_*.jsonl, or the folder of a run) of any task"),
    option("b", metavar="B", help="the same of the other system"),
    option("--board", help="board name or path; needed for everything but logs"),
    option("--split", help="split whose items are compared; needed for everything but logs"),
    option("--metric", action="append", metavar="ID",
           help="compare this metric only; may be repeated (default: all)"),
    option("--results", type=Path, action="append", metavar="DIR",
           help="folder of results; may be repeated (default: results, then "
           "results below --home)"),
    option("--lower", action="append", metavar="ID",
           help="of logs: lower is better for this metric; may be repeated (default: as the log "
           "says, else higher)"),
    option("--cluster", metavar="FIELD",
           help="of logs: samples with the same value of this field (inspect_ai: metadata, "
           "lm-evaluation-harness: doc) belong together"),
    option("--json", metavar="OUT",
           help="write every number and row there; - for standard output"),
    options.boards,
    options.home,
))
