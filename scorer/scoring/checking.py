"""Checking predictions without scoring them: no model, no number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.core.errors import Problem, SubmissionError, UsageError, counted, refusal, report
from scorer.core.reading.tsv import (
    File,
    Problems,
    ReadTable,
    form_of,
    open_file,
    read_lines,
    rows_bytes,
)
from scorer.core.records import Finding
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
    answers: tuple[Answer[Any], ...]
    """Each row that holds a prediction, with what that breaks, whatever its label; scoring takes
    these and asks no rule again."""
    lines: tuple[Problem | str, ...]
    """What a submitter reads of the faults: the first of each rule, and how many more."""
    constrained: str | None
    """What the constraints are about, in a word; None if the task has none."""
    gate_metric: str | None
    """The metric that counts an item with a broken constraint as failed."""

    @property
    def ok(self) -> bool:
        """Whether the predictions can be scored."""
        return self.total == 0

    @property
    def broken(self) -> tuple[tuple[Finding, ...], ...]:
        """For each of ``answers``, the constraints it breaks."""
        return tuple(answer.found.broken for answer in self.answers)

    @property
    def strict(self) -> tuple[tuple[Finding, ...], ...]:
        """For each of ``answers``, strict findings."""
        return tuple(answer.found.strict for answer in self.answers)

    def counts(self) -> dict[str, int]:
        """How many rows break each constraint."""
        return _rows_by_rule(self.broken)

    def strict_counts(self) -> dict[str, int]:
        """How many rows have each strict finding."""
        return _rows_by_rule(self.strict)

    @property
    def predictions(self) -> tuple[Any, ...]:
        """Those that could be read."""
        return tuple(answer.prediction for answer in self.answers)

    def accepted(self) -> tuple[Any, ...]:
        """The prediction of every row. Raises SubmissionError with everything found."""
        if not self.ok:
            raise SubmissionError(self.problems, self.total,
                                  "\n".join([*self.errors, refusal(self.total)]))
        return self.predictions

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


def _rows_by_rule(rows: Iterable[Sequence[Finding]]) -> dict[str, int]:
    counts = Counter(rule for row in rows for rule in {finding.rule for finding in row})
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def check_file(board: Board, path: Path | File, *, rows: int | None = None,
               texts: Sequence[Sequence[str]] | None = None) -> CheckReport:
    """Read and check a predictions file.

    ``rows``: how many there must be; if left out, as many as ``texts``, the input texts of each
    item. Without these, or with lines too many or too few, the constraints that speak of texts are
    not checked. A fault of the file's whole form is told once, in place of all others.
    """
    task, file = board.task, path if isinstance(path, File) else open_file(path)
    if rows is None and texts is not None:
        rows = len(texts)
    checked = _check_rows(board, task.read_table(file, rows=rows, texts=texts), rows, texts)
    if checked.ok:
        return checked
    columns, problems = task.prediction_columns, Problems(file.shown)
    lines = read_lines(file, rows=rows).lines
    form, count = form_of(lines, len(columns), text=task.empty_line == "text", json=task.reads_json)
    if not form:
        return checked
    hint = form if f"TSV-FORM {form}" in HINTS else ""
    problems.say(1, 1, f"TSV-FORM {form}", hint, count=count, lines=len(lines),
                 wanted=counted(len(columns), "column"), names=", ".join(columns))
    return replace(checked, rows=0, problems=tuple(problems.kept), total=1, answers=(),
                   lines=tuple(problems.lines()),
                   notes=tuple(note for note in checked.notes if note.rule.startswith("TSV-")))


def _check_rows(board: Board, table: ReadTable, rows: int | None,
                texts: Sequence[Sequence[str]] | None) -> CheckReport:
    task, problems = board.task, table.problems
    read = [(row, task.read_prediction(row, problems)) for row in table.rows]
    empty = problems.by_rule["TSV-BLANK"]
    if rows is not None and table.lines is not None and rows not in (
            table.lines, table.lines + empty):  # an empty line may stand for the row that lacks
        hint = "remove" if table.lines > rows else "add"
        problems.say(max(1, min(table.lines, rows + 1)), 1, "TSV-ROWS", hint,
                     count=counted(table.lines, "row"), rows=rows,
                     difference=counted(abs(table.lines - rows), "row"))
    if texts is None or any(problems.by_rule[rule]
                            for rule in ("TSV-ROWS", "TSV-BLANK", "TSV-HEADER")):
        texts = ()  # nobody knows which row answers which item
    answers = tuple(
        Answer(row, prediction, task.diagnose(
            texts[row.place - 1] if row.place <= len(texts) else (), prediction))
        for row, prediction in read if prediction is not None)
    return CheckReport(
        len(table.rows), tuple(sorted(problems.kept)), problems.total,
        (*table.notes, *task.notes(problems.path, answers)), answers, tuple(problems.lines()),
        task.constrained, task.gate_metric)


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
