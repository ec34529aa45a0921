"""Checking predictions without scoring them: needs the standard library and PyYAML only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.board import Board
from scorer.errors import MOST_SHOWN, Problem, SubmissionError, UsageError, report
from scorer.records import Finding
from scorer.tsv import Problems, Row, Table, read_bytes, read_file


@dataclass(frozen=True)
class CheckReport:
    """What is wrong with some predictions, and what their graphs break."""

    rows: int
    """Rows that could be read."""
    problems: tuple[Problem, ...]
    """The first 50 faults that reject the file."""
    total: int
    """All faults that reject the file."""
    notes: tuple[Problem, ...]
    broken: tuple[tuple[Finding, ...], ...]
    """For each row read, the constraints its graph breaks, whatever its label."""
    strict: tuple[tuple[Finding, ...], ...]
    """For each row read, diagnostics that never change a number."""

    @property
    def ok(self) -> bool:
        """Whether the predictions can be scored."""
        return self.total == 0

    def counts(self) -> dict[str, int]:
        """How many rows break each constraint."""
        return _rows_by_rule(self.broken)

    def strict_counts(self) -> dict[str, int]:
        """How many rows have each strict diagnostic."""
        return _rows_by_rule(self.strict)

    def __str__(self) -> str:
        if not self.ok:
            return report(self.problems, self.total)
        sound = sum(not findings for findings in self.broken)
        lines = [f"{self.rows} rows, every row readable; {sound} graphs keep every constraint"]
        for title, counts in (("breaks StCA", self.counts()), ("strict", self.strict_counts())):
            lines += [f"  {title}: {rule} in {n} rows" for rule, n in counts.items()]
        return "\n".join(lines)


def _rows_by_rule(findings: Sequence[Sequence[Finding]]) -> dict[str, int]:
    counts = Counter(rule for row in findings for rule in {finding.rule for finding in row})
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def check_table(
    board: Board, table: Table, *, rows: int | None = None,
    texts: Sequence[Sequence[str]] | None = None,
) -> tuple[CheckReport, tuple[Any, ...]]:
    """Judge a table of predictions; also returns the predictions that could be read.

    ``rows``: how many there must be. ``texts``: the input texts of each item; without them the
    constraints that speak of texts are not judged.
    """
    problems = table.problems
    lost = problems.total > 0  # lines whose faults are told already: counting rows says no more
    read = board.task.read_prediction
    answers = [(row, read(board.settings, row, problems)) for row in table.rows]
    if rows is not None and len(table.rows) != rows and not lost:
        _wrong_number(table, rows, problems)
    predictions = [(row, answer) for row, answer in answers if answer is not None]
    judged = [
        board.task.diagnose(board.settings, _texts_of(row, texts), answer)
        for row, answer in predictions
    ]
    result = CheckReport(
        len(table.rows), tuple(sorted(problems.kept)), problems.total, table.notes,
        tuple(tuple(broken) for broken, _ in judged), tuple(tuple(strict) for _, strict in judged),
    )
    return result, tuple(answer for _, answer in predictions)


def _texts_of(row: Row, texts: Sequence[Sequence[str]] | None) -> Sequence[str]:
    return texts[row.line - 1] if texts is not None and row.line <= len(texts) else ()


def _wrong_number(table: Table, rows: int, problems: Problems) -> None:
    found = len(table.rows)
    place = table.rows[rows].line if found > rows else found + 1
    problems.add(place, 1, "TSV-ROWS", f"{found} rows", f"{rows} rows",
                 f"remove {found - rows} rows" if found > rows else f"add {rows - found} rows")


def check_file(
    board: Board, path: Path, *, split: str | None = None,
    texts: Sequence[Sequence[str]] | None = None, shown: str | None = None,
) -> tuple[CheckReport, tuple[Any, ...]]:
    """Read and judge a predictions file; ``split`` fixes the number of rows."""
    table = read_file(path, board.task.prediction_columns(board.settings), shown=shown)
    rows = board.split(split).rows if split is not None else None
    return check_table(board, table, rows=rows, texts=texts)


def predictions_of(board: Board, rows: Sequence[Sequence[str]], what: str) -> Table:
    """A table made of plain lists, judged by the same reader as a file."""
    if isinstance(rows, (str, bytes)):
        raise UsageError(f"{what}: expected a list of rows; use scorer.check_file for a file")
    text = "".join("\t".join(row) + "\n" for row in rows)
    return read_bytes(text.encode(), board.task.prediction_columns(board.settings), shown=what)


def input_texts(board: Board, split: str, home: Path) -> tuple[tuple[str, ...], ...] | None:
    """The input texts of a split, if its file is at hand."""
    path = board.data_file(split, home)
    if path is None:
        return None
    names = board.task.input_columns(board.settings)
    columns, _ = board.task.gold_columns(board.settings)
    table = read_file(path, columns, optional=len(columns) - len(names))
    return tuple(row.fields[: len(names)] for row in table.rows)


def raise_if_wrong(found: CheckReport) -> None:
    """Raise SubmissionError with everything found."""
    if not found.ok:
        raise SubmissionError(found.problems[:MOST_SHOWN], found.total)
