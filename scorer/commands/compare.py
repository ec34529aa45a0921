"""``scorer compare``: is one system better than another, and how sure is that?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import comparing_logs, named, options, placing
from scorer.commands.options import Action, number, option, p_equals, p_text

if TYPE_CHECKING:
    from scorer.board import Board
    from scorer.records import Result
    from scorer.statistics.comparison import Comparison


_ROWS = 5


def run(given: argparse.Namespace) -> int:
    """Compare the metrics that both have, item by item."""
    from scorer import board as boards
    from scorer.errors import DataError, UsageError

    if comparing_logs.are_logs(given):
        return comparing_logs.run(given)
    for_logs = [name for name in ("lower", "cluster") if getattr(given, name)]
    if for_logs:
        raise UsageError(f"--{for_logs[0]} is for logs of other harnesses, named without --board")
    missing = [f"--{name}" for name in ("board", "split") if getattr(given, name) is None]
    if missing:
        given.parser.error(f"the following arguments are required: {', '.join(missing)}")
    board = boards.load(given.board, given.boards)
    if given.a == given.b:
        raise UsageError(f"{given.a} twice; name two systems")
    folders = given.results or [Path("results"), given.home / "results"]
    a, b = _read(board, given, folders, given.a), _read(board, given, folders, given.b)
    metrics, left_out = _metrics(board, given, a, b)
    if not same_items(a, b):
        raise DataError(f"the saved items of {given.a} and {given.b} are not the same items; score "
                        "both again")
    found = {metric: compared(metric, a, b) for metric in metrics}
    beside = _passed(found, a, b)
    both = _both_passed(beside, a, b, board.task.passed)
    if given.json:
        document = _document(board, given, found, left_out) | _tagged(a, b)
        options.write_json(given.json, document | {
            "passed": beside,
            "both_passed": {metric: _figures(one) for metric, one in both.items()}})
    if given.json != "-":
        known = placing.document(board, given.split, folders)
        said = placing.between(known, given.a, given.b) if known else ""
        print(table(board, given, found, left_out, _passed_text(beside, both, a, b), said))
    return 0


def compared(metric: str, a: Result, b: Result) -> Comparison:
    """Two results with the same items on a metric of which ``why_not`` has nothing to say."""
    from scorer.metrics.catalogue import METRICS
    from scorer.results.ranks import corpus_of
    from scorer.statistics.comparison import compare, compare_corpora

    info = METRICS[metric]
    one, two = corpus_of(a, metric), corpus_of(b, metric)
    if one is not None and two is not None:
        return compare_corpora(one, two, better=info.better)
    scores = ([item.scores[metric].value for item in result.items] for result in (a, b))
    return compare(*scores, binary=info.binary, better=info.better)


def _tagged(a: Result, b: Result) -> dict[str, Any]:
    return {"tags": {"a": [*a.provenance.get("tags", ())], "b": [*b.provenance.get("tags", ())]}}


def _passed(metrics: Iterable[str], a: Result, b: Result) -> dict[str, Any]:
    """Metrics that grade graphs: each system's mean over the graphs that passed every gate."""
    from scorer.metrics.catalogue import METRICS

    return {metric: {side: {"value": value.passed, "n": value.n_passed}
                     for side, value in (("a", a.metrics[metric]), ("b", b.metrics[metric]))}
            for metric in metrics if METRICS[metric].graded}


def _both_passed(
    metrics: Iterable[str], a: Result, b: Result, passed: str
) -> dict[str, Comparison]:
    """The same metrics on the items where both systems' graphs passed, tested in pairs.

    ``passed``: the annotation of such an item. Rows in it count those items alone.
    """
    from scorer.metrics.catalogue import METRICS
    from scorer.statistics.comparison import compare

    both = [pair for pair in zip(a.items, b.items, strict=True)
            if all(item.verdict.annotation == passed for item in pair)]
    return {metric: compare([one.scores[metric].value for one, _ in both],
                            [other.scores[metric].value for _, other in both],
                            binary=METRICS[metric].binary, better=METRICS[metric].better)
            for metric in metrics if both}


def _passed_text(
    beside: Mapping[str, Any], both: Mapping[str, Comparison], a: Result, b: Result
) -> list[str]:
    """The last two as text, where a system enforces constraints in decoding."""
    from scorer.errors import counted
    from scorer.statistics.comparison import verdict
    from scorer.submission import CONSTRAINED

    sides = [side.upper() for side, tags in _tagged(a, b)["tags"].items() if CONSTRAINED in tags]
    if not sides or not beside:
        return []
    lines = [f"  {' and '.join(sides)}: {CONSTRAINED}; among graphs that passed every gate "
             "(of different items, so these do not compare):"]
    for metric, values in beside.items():
        shown = (f"{number(values[side]['value'], metric)} of {values[side]['n']}"
                 if values[side]["n"]
                 else "none passed" for side in ("a", "b"))
        lines.append(f"    {metric:22}" + "".join(f"{one:>18}" for one in shown))
    n = next((one.n for one in both.values()), 0)
    lines.append(f"  on the {counted(n, 'item')} that both passed:" if both
                 else "  no item that both passed")
    lines += [f"    {metric:22}{_three(metric, one)}  {p_equals(one.p)}: "
              f"{verdict(one, number=partial(number, metric=metric))}"
              for metric, one in both.items()]
    return [*lines, ""]


def _read(board: Board, given: argparse.Namespace, folders: Sequence[Path], name: str) -> Result:
    """A system's result with its items: a saved one, else scored here and now without models."""
    from scorer.errors import UsageError, excerpt

    gold = board.split(given.split).gold
    if gold != "public":
        raise UsageError(f"{board.id} {given.split}: gold is {gold}, so there are no scores of "
                         "single items, and two systems cannot be compared")
    place = _place_named(name)
    there = saved(folders, board, place, given.split) if place else None
    if there is not None and there.items:
        _warn_of_change(there, name, _among_submissions(board, given, place))
        return there
    file = _file_named(board, given, name, place)
    if file is not None:
        return _scored(board, given, file, name)
    if place is None:
        raise UsageError(f"{excerpt(name)}; expected TEAM/SYSTEM, a submission's folder or a file "
                         "of predictions")
    if there is not None:
        raise UsageError(f"{name}: the items of its result for {board.id} {given.split} are not "
                         "at hand; score it again, or name its folder instead")
    shown = " and ".join(map(str, folders))
    raise UsageError(f"{name} has no result for {board.id} {given.split} in {shown}; name its "
                     "folder or its file of predictions, or save its result: scorer score FOLDER")


def saved(
    folders: Sequence[Path], board: Board, place: tuple[str, str], split: str
) -> Result | None:
    """A system's result from the first folder that has it with its items, else without them."""
    from scorer.results.files import read

    path = saved_at(folders, board, place, split)
    return read(path) if path else None


def saved_at(
    folders: Sequence[Path], board: Board, place: tuple[str, str], split: str
) -> Path | None:
    """Where that result lies."""
    from scorer.results.files import items_path, result_path

    paths = [result_path(folder, board.id, *place, split) for folder in folders]
    there = [path for path in paths if path.is_file()]
    return next((path for path in there if items_path(path).is_file()), next(iter(there), None))


def _place_named(name: str) -> tuple[str, str] | None:
    """Team and system, if a name has the form TEAM/SYSTEM."""
    from scorer.reading.values import is_slug

    team, _, system = name.partition("/")
    return (team, system) if is_slug(team) and is_slug(system) else None


def _file_named(
    board: Board, given: argparse.Namespace, name: str, place: tuple[str, str] | None
) -> Path | None:
    """The predictions that a name leads to: a file, a submission's folder, or TEAM/SYSTEM among the
    submissions here. Raises UsageError for a folder of another board or split."""
    from scorer.errors import UsageError
    from scorer.runs.planning import place_of
    from scorer.submission import predictions_path, splits_in

    path = Path(name)
    if path == named.STDIN or path.is_file():
        return path
    if path.is_dir() and splits_in(path):
        if place_of(path).board != board.id:
            raise UsageError(f"{path} is a submission to {place_of(path).board}, not to {board.id}")
        if given.split not in splits_in(path):
            raise UsageError(f"{path} has no predictions.{given.split}.tsv; it answers "
                             f"{', '.join(splits_in(path))}")
        return predictions_path(path, given.split)
    return _among_submissions(board, given, place)


def _among_submissions(
    board: Board, given: argparse.Namespace, place: tuple[str, str] | None
) -> Path | None:
    """The predictions of a system among the submissions here."""
    from scorer.submission import SUBMISSIONS, predictions_path

    tops = (Path(SUBMISSIONS), given.home / SUBMISSIONS) if place else ()
    files = (predictions_path(top.joinpath(board.id, *place or ()), given.split) for top in tops)
    return next((file for file in files if file.is_file()), None)


def _warn_of_change(result: Result, name: str, file: Path | None) -> None:
    """Say that a saved result is of other predictions than those that lie here now."""
    from scorer.errors import printable
    from scorer.files import sha256_file

    if file and sha256_file(file) != result.provenance.get("predictions", {}).get("sha256"):
        print(printable(f"note: the saved result of {name} is of other predictions than {file}; "
                        "score it again, or name that file"), file=sys.stderr)


def _scored(board: Board, given: argparse.Namespace, file: Path, name: str) -> Result:
    """Score the file that a name led to, in memory. Raises SubmissionError with every fault."""
    from scorer.scoring.submissions import ScorerRecipe, open_submission
    from scorer.submission import REFERENCE, predictions_path, read

    recipe = ScorerRecipe(given.home, given.boards, with_null=False, models={"allowed": False})
    scorer, folder = recipe.scorer(), file.absolute().parent
    reference = folder.resolve().parent.name == REFERENCE
    if reference and file == predictions_path(file.parent, given.split):
        return scorer.split(open_submission(folder), given.split)
    source = named.opened(file) if file == Path(name) else file
    result = scorer.file(board, source, given.split, scorer.gold(board, given.split))
    sent = read(folder, reserved=True)[0] if file == predictions_path(folder, given.split) else None
    tags = list(sent.meta.tags) if sent is not None else []
    return replace(result, provenance={**result.provenance, "tags": tags})


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
    left_out = {metric: why for metric in wanted if (why := why_not(metric, a, b))}
    found = [metric for metric in wanted if metric not in left_out]
    if left_out and (given.metric or not found):
        raise UsageError("\n".join(f"{metric} cannot be compared: {why}"
                                   for metric, why in left_out.items()))
    return found, left_out


def why_not(metric: str, a: Result, b: Result) -> str:
    """Why a metric of two results may not be compared; empty if it may."""
    from scorer.results.signature import difference

    if not (_measured(a, metric) and _measured(b, metric)):
        return ("not measured for one of them or both; score them again, with --models fetch if it "
                "needs a model")
    differing = difference(a.metrics[metric].signature, b.metrics[metric].signature)
    return (f"different signatures ({'; '.join(differing)}); score both with the same"
            if differing else "")


def same_items(a: Result, b: Result) -> bool:
    """Whether two results have the same items in the same order."""
    return [item.row for item in a.items] == [item.row for item in b.items]


def _measured(result: Result, metric: str) -> bool:
    """Whether there is a score of every item."""
    return (metric in result.metrics and result.metrics[metric].value is not None
            and all(metric in item.scores for item in result.items))


def table(
    board: Board, given: argparse.Namespace, found: Mapping[str, Comparison],
    left_out: Mapping[str, str], passed: Sequence[str] = (), known: str = "",
) -> str:
    """The comparison as text; ``passed``: lines about the graphs that passed. ``known``: what the
    leaderboard says of both."""
    from scorer.errors import counted, printable
    from scorer.metrics.catalogue import METRICS
    from scorer.statistics.comparison import verdict

    [n] = {one.n for one in found.values()}
    lines = [f"{board.id} {given.split}, {counted(n, 'item')}; in percent, distances from 0 to 1",
             f"  A  {printable(given.a)}",
             f"  B  {printable(given.b)}", "",
             f"  {'metric':24}{'A':>8}{'B':>8}{'A - B':>9}  {'95 % interval':20}{'p':>8}"
             f"{'mid-p':>8}{'A wins':>8}{'loses':>7}{'ties':>6}  test"]
    for metric, one in found.items():
        low, high = one.interval.low, one.interval.high
        bounds = ("none" if low is None or high is None else
                  f"{number(low, metric, True)} to {number(high, metric, True)}")
        mid = "" if one.p_mid is None else p_text(one.p_mid)
        lines.append(
            f"  {metric:24}{_three(metric, one)}  {bounds:20}"
            f"{p_text(one.p):>8}{mid:>8}{len(one.wins):>8}{len(one.losses):>7}{one.ties:>6}  "
            f"{_TESTS[one.test]}"
        )
    lines += ["", *passed]
    for metric, one in found.items():
        notes = ["lower is better"] if METRICS[metric].better == "lower" else []
        if one.effect is not None:
            notes.append(f"{one.effect_name} {one.effect:.2f}")
        beside = f" ({'; '.join(notes)})" if notes else ""
        lines.append(f"  {metric}: {verdict(one, number=partial(number, metric=metric))}{beside}")
        lines += [f"    {word} {_first(rows)}" for word, rows in
                  (("A wins on row", one.wins), ("B wins on row", one.losses)) if rows]
    lines += [f"  {metric}: not compared: {why}" for metric, why in left_out.items()]
    return "\n".join([*lines, *filter(None, [known]), "", _FOOT])


def _three(metric: str, one: Comparison) -> str:
    """A, B and A less B."""
    difference = number(one.difference, metric, signed=True)
    return f"{number(one.a, metric):>8}{number(one.b, metric):>8}{difference:>9}"


_TESTS = {"mcnemar": "exact McNemar", "permutation": "permutation"}

_FOOT = """\
Each test is two-sided, at 5 % by itself: of ten metrics without any difference, at least one comes
out significant in up to 40 of 100 comparisons. Decisions use the exact p-value; mid-p is shown for
information. Intervals show how much scores could change on new items from the same topics. See:
scorer handbook statistics"""


def _first(rows: tuple[int, ...]) -> str:
    more = f" and {len(rows) - _ROWS} more" if len(rows) > _ROWS else ""
    return ", ".join(map(str, rows[:_ROWS])) + more


def _document(
    board: Board, given: argparse.Namespace, found: Mapping[str, Comparison],
    left_out: Mapping[str, str],
) -> dict[str, Any]:
    return {
        "board": board.id, "split": given.split, "a": given.a, "b": given.b,
        "metrics": {
            metric: {**_figures(one), "wins": one.wins, "losses": one.losses}
            for metric, one in found.items()
        },
        "not_compared": dict(left_out),
    }


def _figures(one: Comparison) -> dict[str, Any]:
    """A comparison without its rows."""
    from dataclasses import asdict

    from scorer.statistics.comparison import verdict

    shown = {**asdict(one), "difference": one.difference, "ties": one.ties,
             "better": one.better, "verdict": verdict(one)}
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
