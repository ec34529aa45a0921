"""Checking predictions without scoring them: no model, no number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.core.errors import (
    Problem,
    SubmissionError,
    UsageError,
    counted,
    refusal,
    report,
)
from scorer.core.reading.tsv import (
    File,
    Problems,
    ReadTable,
    Row,
    form_of,
    open_file,
    read_lines,
    rows_bytes,
)
from scorer.core.records import Finding, Findings
from scorer.core.rules import HINTS
from scorer.tasks.base import Answer


@dataclass(frozen=True)
class CheckReport:
    """What is wrong with some predictions, and what they break."""

    rows: int
    """Rows that could be read."""
    problems: tuple[Problem, ...]
    """The first faults that reject the file, 50 unless more were asked for."""
    total: int
    """All faults that reject the file."""
    notes: tuple[Problem, ...]
    findings: tuple[Findings, ...]
    """What each row read breaks, whatever its label; scoring takes these and asks no rule again."""
    constrained: str | None = None
    """What the constraints are about, in a word; None if the task has none."""
    gate_metric: str | None = None
    """The metric that counts an item with a broken constraint as failed."""
    lines: tuple[Problem | str, ...] = ()
    """What a submitter reads of the faults: the first of each rule, and how many more."""
    answered: tuple[Row, ...] = ()
    """The row behind each of ``findings``."""

    @property
    def ok(self) -> bool:
        """Whether the predictions can be scored."""
        return self.total == 0

    @property
    def broken(self) -> tuple[tuple[Finding, ...], ...]:
        """For each row read, the constraints it breaks."""
        return tuple(finding.broken for finding in self.findings)

    @property
    def strict(self) -> tuple[tuple[Finding, ...], ...]:
        """For each row read, strict findings."""
        return tuple(finding.strict for finding in self.findings)

    def counts(self) -> dict[str, int]:
        """How many rows break each constraint."""
        return _rows_by_rule(self.broken)

    def strict_counts(self) -> dict[str, int]:
        """How many rows have each strict finding."""
        return _rows_by_rule(self.strict)

    def __str__(self) -> str:
        if not self.ok:
            return report(self.problems, self.total)
        lines = [f"{counted(self.rows, 'row')}, all readable"]
        if self.constrained is not None:
            sound = sum(not findings for findings in self.broken)
            kept = f"{counted(sound, self.constrained)} keep{'s' if sound == 1 else ''}"
            lines[0] += f"; {kept} every constraint"
        breaks = f"breaks {self.gate_metric}"
        for title, counts in ((breaks, self.counts()), ("strict", self.strict_counts())):
            lines += [f"  {title}: {rule} in {counted(n, 'row')}" for rule, n in counts.items()]
        return "\n".join(lines)

    @property
    def errors(self) -> list[str]:
        """``lines`` as texts."""
        return [*map(str, self.lines)]


def _rows_by_rule(findings: Sequence[Sequence[Finding]]) -> dict[str, int]:
    counts = Counter(rule for row in findings for rule in {finding.rule for finding in row})
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def check_file(
    board: Board, path: Path | File, *, split: str | None = None, rows: int | None = None,
    texts: Sequence[Sequence[str]] | None = None, shown: str | None = None,
) -> tuple[CheckReport, tuple[Any, ...]]:
    """Read and check a predictions file; also returns the predictions that could be read.

    ``split``, ``rows``, else ``texts`` says how many rows there must be. ``texts``: the input texts
    of each item; without them, or with lines too many or too few, the constraints that speak of
    texts are not checked. ``shown``: the file's path in messages. A fault of the file's whole form
    is told once, in place of all others.
    """
    if split is not None:
        rows = board.split(split).rows
    elif rows is None and texts is not None:
        rows = len(texts)
    file = path if isinstance(path, File) else open_file(path, shown=shown)
    report, answers = _check_rows(board, board.task.read_table(file, rows=rows, texts=texts), rows,
                                  texts)
    columns, problems = board.task.prediction_columns, Problems(file.shown)
    lines = () if report.ok else read_lines(file, rows=rows).lines
    form, count = form_of(lines, len(columns), text=board.task.empty_line == "text",
                          json=board.task.reads_json)
    if not form:
        return report, answers
    hint = form if f"TSV-FORM {form}" in HINTS else ""
    problems.say(1, 1, f"TSV-FORM {form}", hint, count=count, lines=len(lines),
                 wanted=counted(len(columns), "column"), names=", ".join(columns))
    return replace(report, rows=0, problems=tuple(problems.kept), total=1, findings=(),
                   lines=tuple(problems.lines()), answered=(),
                   notes=tuple(note for note in report.notes if note.rule.startswith("TSV-"))), ()


def _check_rows(
    board: Board, table: ReadTable, rows: int | None, texts: Sequence[Sequence[str]] | None,
) -> tuple[CheckReport, tuple[Any, ...]]:
    problems = table.problems
    read = board.task.read_prediction
    answers = [(row, read(row, problems)) for row in table.rows]
    empty = problems.by_rule["TSV-BLANK"]
    if rows is not None and table.lines is not None and rows not in (
            table.lines, table.lines + empty):  # an empty line may stand for the row that lacks
        hint = "remove" if table.lines > rows else "add"
        problems.say(max(1, min(table.lines, rows + 1)), 1, "TSV-ROWS", hint,
                     count=counted(table.lines, "row"), rows=rows,
                     difference=counted(abs(table.lines - rows), "row"))
    predictions = [(row, answer) for row, answer in answers if answer is not None]
    if any(problems.by_rule[rule] for rule in ("TSV-ROWS", "TSV-BLANK", "TSV-HEADER")):
        texts = None  # nobody knows which row answers which item
    diagnoses = tuple(
        board.task.diagnose(texts[row.place - 1] if texts and row.place <= len(texts) else (),
                            answer)
        for row, answer in predictions)
    notes = board.task.notes(problems.path, [
        Answer(*answer, findings) for answer, findings in zip(predictions, diagnoses, strict=True)])
    result = CheckReport(
        len(table.rows), tuple(sorted(problems.kept)), problems.total, (*table.notes, *notes),
        diagnoses, board.task.constrained, board.task.gate_metric, tuple(problems.lines()),
        tuple(row for row, _ in predictions),
    )
    return result, tuple(answer for _, answer in predictions)


def plain_bytes(rows: Sequence[Sequence[str]], what: str) -> bytes:
    """Plain lists as the bytes of a file. Raises UsageError for rows that no file can hold."""
    if isinstance(rows, (str, bytes)):
        raise UsageError(f"{what}: expected a list of rows; use `scorer check` for a file")
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str) or not all(isinstance(value, str) for value in row):
            raise UsageError(f"{what}: row {number} is not a list of texts, one a column")
        if any("\t" in value or "\n" in value for value in row):
            raise UsageError(f"{what}: row {number} has a tab or line feed inside a column, which "
                             "no file can hold; replace it with a space")
    return rows_bytes(rows, "surrogatepass")


def raise_if_wrong(result: CheckReport) -> None:
    """Raise SubmissionError with everything found."""
    if not result.ok:
        raise SubmissionError(result.problems, result.total,
                              "\n".join([*result.errors, refusal(result.total)]))
