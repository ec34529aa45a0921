"""``scorer check``: is this file or folder a submission that can be scored?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Args, Verb, flag, option
from scorer.core.errors import MOST_SHOWN, UsageError, WhyboardError, counted, printable, refusal
from scorer.core.reading.tsv import STDIN, File, open_file, open_named, shown_name
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.core.records import Finding
    from scorer.scoring.checking import CheckReport

MOST_ROWS = 5
"""Rows of a broken rule that are shown without ``--rows``."""
MOST_KEPT = 20_000
"""Errors of a file that ``--rows`` can show."""
LONGEST = 300
"""Characters of one sentence about a finding."""


@dataclass(frozen=True)
class Checking:
    """How targets are checked: options of ``scorer check``."""

    home: Path
    boards: Path | None
    board: str | None = None
    split: str | None = None
    rows: bool = False
    fix: Path | None = None
    per_reference: bool = False
    order: Path | None = None


def _check(args: Args) -> int:
    options.check_order(args)
    names = (field.name for field in fields(Checking))
    return check(args.target, Checking(**{name: getattr(args, name) for name in names}))


def check(targets: Sequence[Path], how: Checking) -> int:
    """Check every target; 0 if all can be scored, else 2, or 3 if our own data are at fault."""
    worst, errors = 0, 0
    options.named_once(targets)
    for target in targets:
        checked = _Target(how)
        try:
            if target.is_dir():
                checked.folder(target)
            else:
                checked.file(target)
        except WhyboardError as fault:
            checked.lines.append(str(fault))
            worst = max(worst, fault.exit_code)
            failed = True
        else:
            checked.finish()
            failed = bool(checked.errors)
        errors += checked.errors
        for line in checked.notes:
            print(line, file=sys.stderr)
        for line in checked.lines:
            print(line, file=sys.stderr if failed else sys.stdout)
    if errors:
        sys.stdout.flush()
        print(refusal(errors), file=sys.stderr)
    return max(worst, 2 if errors else 0)


class _Target:
    """What is found of one file or folder."""

    def __init__(self, how: Checking) -> None:
        self._how = how
        self.errors = 0
        self.notes: list[str] = []
        self.lines: list[str] = []
        self._sound: list[tuple[Board, str, str | None, CheckReport, bool]] = []
        """Files without errors; the last says whether the split's inputs are at hand."""

    def folder(self, path: Path) -> None:
        """A submission's folder. Raises UsageError for one of no board."""
        from scorer.boards import load, submission

        name = self._how.board or path.resolve().parent.parent.name
        try:
            board = load(name, self._how.boards, third_party=False)
        except UsageError:
            self._folder_itself(path, SPLITS)
            raise
        self._folder_itself(path, list(board.splits))
        for split in submission.splits_in(path):
            if split in board.splits:
                fixed = Path(board.id, path.resolve().parent.name, path.resolve().name)
                file = submission.predictions_path(path, split)
                self._check(board, open_file(file, most=self._most), split, fixed / file.name)

    def _folder_itself(self, path: Path, splits: Sequence[str]) -> None:
        from scorer.boards import submission

        _, problems = submission.read(path, splits=splits)
        self.errors += len(problems)
        self.lines += map(str, problems)

    def file(self, path: Path) -> None:
        """A predictions file. Raises UsageError if its board is not named."""
        from scorer.boards import load
        from scorer.scoring import fixing

        how = self._how
        options.check_exists(path)
        if how.board is None:
            raise UsageError(f"{shown_name(path)} is a file: name its board with --board, and "
                             "its split with --split if it has one")
        board = load(how.board, how.boards, third_party=False)
        if how.split is not None:
            board.split(how.split)
        file = open_named(path, most=self._most)
        if how.per_reference:
            owned = fixing.owners(board, how.split, how.home, how.order)
            self.lines.append(fixing.described(file, owned))
            kept = fixing.one_an_item(board, file, owned)
            file = kept if how.fix is None else replace(kept, shown=file.shown)
        copy = path.stem if path.suffix == ".gz" else path.name
        if path == STDIN:
            copy = f"predictions.{how.split}.tsv" if how.split else "predictions.tsv"
        self._check(board, file, how.split, Path(copy))

    @property
    def _most(self) -> int:
        """How many problems of a file are kept."""
        return MOST_KEPT if self._how.rows else MOST_SHOWN

    def _check(self, board: Board, file: File, split: str | None, copy: Path) -> None:
        """Check a predictions file; ``copy``: where below ``--fix`` a corrected one goes."""
        from scorer.boards.golds import input_texts
        from scorer.scoring import fixing
        from scorer.scoring.checking import check_file

        how = self._how
        texts = input_texts(board, split, how.home) if split is not None else None
        if how.fix is not None:
            done = ["the repeated lines"] if how.per_reference else []
            file, fixed = fixing.copied(board, file, how.fix / copy, split, done)
            self.lines += fixed
        report, _ = check_file(board, file, split=split, texts=texts)
        self.notes += [f"note: {note}" for note in report.notes]
        self.errors += report.total
        if report.ok:
            self._sound.append((board, file.shown, split, report, texts is not None))
        else:
            self.lines += map(str, report.problems) if how.rows else report.errors

    def finish(self) -> None:
        """Say of each file without errors that it can be scored, unless another one cannot."""
        for board, shown, split, report, inputs in self._sound:
            head, *_ = str(report).split("\n")
            where = f"{board.id} {split}" if split else board.id
            verdict = "" if self.errors else f"can be scored on {where}: "
            self.lines.append(printable(f"{shown}: {verdict}{head}"))
            self.lines += map(printable, broken_rules(board, shown, report, every=self._how.rows))
            if split is not None and not inputs and board.task.needs_inputs:
                self.lines.append(
                    f"  the inputs of {board.id} {split} are not at hand, so "
                    f"{board.task.needs_inputs} were not checked; run: {board.how_to_bring}")


def broken_rules(board: Board, path: str, audit: CheckReport, *, every: bool) -> Iterator[str]:
    """Each broken rule with what to do and the rows that break it; ``every``: all rows, and those
    of strict findings too.

    First come rules that are the first one broken in many rows: the others often follow from them.
    A strict rule that a note is about is left to that.
    """
    from scorer.core.rules import lookup

    breaks = f"breaks {audit.gate_metric}"
    noted = {note.rule for note in audit.notes}
    for title, counts, rows, most in (
            (breaks, audit.counts(), audit.broken, MOST_ROWS),
            ("strict, not counted", audit.strict_counts(), audit.strict, 0)):
        if not most and not every:
            counts = {rule: n for rule, n in counts.items() if rule not in noted}
        firsts = Counter(row[0].rule for row in rows if row)
        for rule, count in sorted(counts.items(), key=lambda pair: (-firsts[pair[0]], -pair[1])):
            whole = f"all {count} rows" if count == audit.rows > 1 else counted(count, "row")
            yield f"  {title}: {rule} in {whole}; {lookup(rule).advice}"
            lines = _rows(board, path, audit, rows, rule)
            yield from islice(lines, count if every else most)
            if most and count > most and not every:
                yield f"    and {counted(count - most, 'row')} more; --rows shows all"


def _rows(board: Board, path: str, report: CheckReport, rows: Sequence[Sequence[Finding]],
          rule: str) -> Iterator[str]:
    for row, findings in zip(report.answered, rows, strict=True):
        same = [finding for finding in findings if finding.rule == rule]
        if same:
            column = board.task.column(row, same[0])
            detail = same[0].detail
            detail = detail if len(detail) <= LONGEST else detail[:LONGEST] + "..."
            more = f" (and {len(same) - 1} more in this row)" if same[1:] else ""
            yield f"    {path}:{row.line}:{column} {rule} {detail}{more}"


CHECK = Verb(_check, """\
scorer check submissions/explagraphs-practice/my-team/my-system
scorer check predictions.dev.tsv --board explagraphs-practice --split dev
zcat predictions.dev.tsv.gz | scorer check - --board explagraphs-practice --split dev
scorer check predictions.dev.tsv --board explagraphs-practice --split dev --fix corrected""", (
    option("target", options.TARGET, nargs="+", type=Path),
    option("--board", "board name or path (a folder names its own)"),
    option("--split", "split of a TSV file"),
    flag("--rows", "show every row of every error and broken rule (default: the first five)"),
    options.folder("--fix", "write a corrected copy of predictions into this folder (of a "
                   "submission: into <board>/<team>/<system> below it) and check that: line ends, "
                   "byte order mark, header, tabs at the ends of lines, empty lines at the end; no "
                   "answer is changed"),
    options.per_reference, options.order, *options.folders,
))
