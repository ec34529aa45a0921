"""Two systems compared item by item on one split: tested, and where they are looked for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from scorer.boards import Board, submission
from scorer.boards.submission import REFERENCE, SUBMISSIONS, place_of, predictions_path
from scorer.core.errors import DataError, UsageError, counted, excerpt, printable
from scorer.core.files import sha256_file
from scorer.core.reading.tsv import STDIN, open_named
from scorer.core.reading.values import is_slug
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.leaderboard import numbers
from scorer.scoring.leaderboard.numbers import p_cell, plain
from scorer.scoring.results import files
from scorer.scoring.results.ranks import compared, on_both_passed, same_items, why_not
from scorer.scoring.submissions import Scorer, open_submission
from scorer.statistics.comparison import Comparison, verdict

_ROWS = 5
"""Rows that one system wins and that are named."""


def number(value: float, metric: str, signed: bool = False) -> str:
    """A metric's value as a terminal shows it: percent, or three decimals of a distance."""
    return plain(numbers.number(value, METRICS[metric], signed))


@dataclass(frozen=True)
class ComparedPair:
    """Two systems on one split."""

    board: Board
    names: tuple[str, str]
    results: tuple[Result, Result]
    metrics: Mapping[str, Comparison]
    both_passed: Mapping[str, Comparison]
    """On the items where both systems' graphs passed, of metrics that grade graphs."""
    left_out: Mapping[str, str]
    """Why each of the other metrics is not compared."""


def compare(
    board: Board, names: tuple[str, str], results: tuple[Result, Result], selected: Sequence[str]
) -> ComparedPair:
    """Two results on the metrics that both have; ``selected``: those alone, or all of the board's.

    Raises UsageError if none may be compared, or not one that was asked for; DataError for items
    that are not the same.
    """
    for metric in selected:
        if metric not in board.metrics:
            raise UsageError(f"board {board.id} has no metric {excerpt(metric)}; "
                             f"choose from: {', '.join(board.metrics)}")
    wanted = selected or board.metrics
    left_out = {metric: why for metric in wanted if (why := why_not(metric, *results))}
    metrics = [metric for metric in wanted if metric not in left_out]
    if left_out and (selected or not metrics):
        raise UsageError("\n".join(f"{metric} cannot be compared: {why}"
                                   for metric, why in left_out.items()))
    if not same_items(*results):
        raise DataError(f"the saved items of {names[0]} and {names[1]} are not the same items; "
                        "score both again")
    both = {metric: test for metric in metrics if METRICS[metric].graded
            and (test := on_both_passed(metric, *results, board.task.passed))}
    return ComparedPair(board, names, results,
                        {metric: compared(metric, *results) for metric in metrics}, both, left_out)


# ---- printing them ---------------------------------------------------------------------------


def text(pair: ComparedPair) -> str:
    """The comparison as text."""
    [n] = {comparison.n for comparison in pair.metrics.values()}
    a, b = map(printable, pair.names)
    lines = [f"{pair.board.id} {pair.results[0].split}, {counted(n, 'item')}; in percent, "
             "distances from 0 to 1", f"  A  {a}", f"  B  {b}", "",
             f"  {'metric':24}{'A':>8}{'B':>8}{'A - B':>9}  {'95 % interval':20}{'p':>8}"
             f"{'mid-p':>8}{'A wins':>8}{'loses':>7}{'ties':>6}  test"]
    for metric, test in pair.metrics.items():
        low, high = test.interval.low, test.interval.high
        difference = number(test.difference, metric, signed=True)
        bounds = ("none" if low is None or high is None else
                  f"{number(low, metric, True)} to {number(high, metric, True)}")
        mid = "" if test.p_mid is None else p_cell(test.p_mid)
        lines.append(
            f"  {metric:24}{number(test.a, metric):>8}{number(test.b, metric):>8}"
            f"{difference:>9}  {bounds:20}"
            f"{p_cell(test.p):>8}{mid:>8}{len(test.wins):>8}{len(test.losses):>7}{test.ties:>6}  "
            f"{_TESTS[test.test]}"
        )
    lines.append("")
    for metric, test in pair.metrics.items():
        notes = ["lower is better"] if METRICS[metric].better == "lower" else []
        if test.effect is not None:
            notes.append(f"{test.effect_name} {test.effect:.2f}")
        beside = f" ({'; '.join(notes)})" if notes else ""
        lines.append(f"  {metric}: {verdict(test, number=partial(number, metric=metric))}{beside}")
        for side, rows in (("A", test.wins), ("B", test.losses)):
            if rows:
                more = f" and {len(rows) - _ROWS} more" if len(rows) > _ROWS else ""
                lines.append(f"    {side} wins on row {', '.join(map(str, rows[:_ROWS]))}{more}")
    lines += [f"  {metric}: not compared: {why}" for metric, why in pair.left_out.items()]
    return "\n".join([*lines, "", _FOOT])


_TESTS = {"mcnemar": "exact McNemar", "permutation": "permutation"}

_FOOT = """\
Each test is two-sided, at 5 % by itself: of ten metrics without any difference, at least one comes
out significant in up to 40 of 100 comparisons. Decisions use the exact p-value; mid-p is shown for
information. Intervals show how much scores could change on new items from the same topics. See:
scorer handbook statistics"""


def document(pair: ComparedPair) -> dict[str, Any]:
    """Every number and row as JSON."""
    sides = dict(zip("ab", pair.results, strict=True))
    return {
        "board": pair.board.id, "split": pair.results[0].split,
        "a": pair.names[0], "b": pair.names[1],
        "metrics": {metric: {**_figures(test), "wins": test.wins, "losses": test.losses}
                    for metric, test in pair.metrics.items()},
        "not_compared": dict(pair.left_out),
        "tags": {side: [*(result.tags or ())] for side, result in sides.items()},
        "passed": {metric: {side: {"value": (value := result.metrics[metric].passed).value,
                                   "n": value.n} for side, result in sides.items()}
                   for metric in pair.metrics if METRICS[metric].graded},
        "both_passed": {metric: _figures(test) for metric, test in pair.both_passed.items()},
    }


def _figures(test: Comparison) -> dict[str, Any]:
    """A comparison without its rows."""
    shown = {**asdict(test), "interval": test.interval.to_json(), "difference": test.difference,
             "ties": test.ties, "better": test.better, "verdict": verdict(test)}
    return {name: value for name, value in shown.items() if name not in ("wins", "losses")}


# ---- finding the two -------------------------------------------------------------------------


@dataclass(frozen=True)
class Finder:
    """Where systems of one split are looked for."""

    board: Board
    split: str
    folders: Sequence[Path]
    """Of results."""
    home: Path
    boards: Path | None

    def result(self, name: str) -> Result:
        """A system's result with its items: a saved one, else scored here and now without models.
        """
        board, split = self.board, self.split
        gold = board.split(split).gold
        if gold != "public":
            raise UsageError(f"{board.id} {split}: gold is {gold}, so there are no scores of "
                             "single items, and two systems cannot be compared")
        team, _, system = name.partition("/")
        is_key = is_slug(team) and is_slug(system)
        path = files.find(self.folders, board.id, team, system, split) if is_key else None
        saved = files.read(path) if path else None
        tops = (Path(SUBMISSIONS), self.home / SUBMISSIONS) if is_key else ()
        paths = (predictions_path(top / board.id / name, split) for top in tops)
        here = next((file for file in paths if file.is_file()), None)
        if saved is not None and saved.items:
            if here and sha256_file(here) != saved.predictions.sha256:
                print(printable(f"note: the saved result of {name} is of other predictions than "
                                f"{here}; score it again, or name that file"), file=sys.stderr)
            return saved
        if file := self._file_named(Path(name)) or here:
            return self._scored(file, named_itself=file == Path(name))
        if not is_key:
            raise UsageError(f"{excerpt(name)}; expected TEAM/SYSTEM, a submission's folder or a "
                             "file of predictions")
        if saved is not None:
            raise UsageError(f"{name}: the items of its result for {board.id} {split} are not "
                             "at hand; score it again, or name its folder instead")
        shown = " and ".join(map(str, self.folders))
        raise UsageError(f"{name} has no result for {board.id} {split} in {shown}; name its folder "
                         "or its file of predictions, or save its result: scorer score FOLDER")

    def _file_named(self, path: Path) -> Path | None:
        """The predictions that a path leads to: a file, or those in a submission's folder.

        Raises UsageError for a folder of another board or split.
        """
        if path == STDIN or path.is_file():
            return path
        if not (path.is_dir() and submission.splits_in(path)):
            return None
        board, splits = place_of(path).board, submission.splits_in(path)
        if board != self.board.id:
            raise UsageError(f"{path} is a submission to {board}, not to {self.board.id}")
        if self.split not in splits:
            raise UsageError(f"{path} has no predictions.{self.split}.tsv; it answers "
                             f"{', '.join(splits)}")
        return predictions_path(path, self.split)

    def _scored(self, file: Path, *, named_itself: bool) -> Result:
        """A file scored in memory. Raises SubmissionError with every fault."""
        scorer = Scorer(Models(allowed=False), self.home, self.boards, with_null=False)
        folder = file.absolute().parent
        reference = folder.resolve().parent.name == REFERENCE
        if reference and file == predictions_path(file.parent, self.split):
            return scorer.split(open_submission(folder), self.split).result
        source = open_named(file) if named_itself else file
        gold = scorer.gold(self.board, self.split)
        result = scorer.file(self.board, source, self.split, gold).result
        own = file == predictions_path(folder, self.split)
        sent = submission.read(folder, reserved=True)[0] if own else None
        return result.replace(tags=list(sent.meta.tags) if sent is not None else [])
