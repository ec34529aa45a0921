"""``scorer check``: is this file or folder a submission that can be scored?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scorer.commands import options
from scorer.commands.options import Args, Verb, flag, option
from scorer.core.errors import (
    MOST_SHOWN,
    Problem,
    UsageError,
    WhyboardError,
    counted,
    printable,
    refusal,
)
from scorer.core.reading.tsv import STDIN, open_named, shown_name
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.core.reading.tsv import File
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

    @property
    def most(self) -> int:
        """How many problems of a file are kept."""
        return MOST_KEPT if self.rows else MOST_SHOWN


class CheckedFile(NamedTuple):
    """A file of predictions that was read."""

    board: Board
    shown: str
    split: str | None
    report: CheckReport
    inputs: bool
    """Whether the split's inputs are at hand."""


Found = Iterator[str | Problem | CheckedFile]
"""What there is to say of a target: sentences, errors of a folder, files of predictions."""


def _check(args: Args) -> int:
    options.check_order(args)
    names = (field.name for field in fields(Checking))
    return check(args.target, Checking(**{name: getattr(args, name) for name in names}))


def check(targets: Sequence[Path], how: Checking) -> int:
    """Check every target; 0 if all can be scored, else 2, or 3 if our own data are at fault."""
    worst, total = 0, 0
    options.named_once(targets)
    for target in targets:
        lines, files, errors = list[str](), list[CheckedFile](), 0
        try:
            for found in (_folder if target.is_dir() else _file)(target, how):
                if isinstance(found, CheckedFile):
                    files.append(found)
                    errors += found.report.total
                    lines += map(str, found.report.problems if how.rows else found.report.lines)
                else:
                    errors += isinstance(found, Problem)
                    lines.append(str(found))
        except WhyboardError as fault:
            worst, stream = max(worst, fault.exit_code), sys.stderr
            lines.append(str(fault))
        else:
            stream = sys.stderr if errors else sys.stdout
            for file in files:
                if file.report.ok:
                    lines += map(printable, _sound(file, errors, every=how.rows))
        total += errors
        for file in files:
            for note in file.report.notes:
                print(f"note: {note}", file=sys.stderr)
        print(*(f"{line}\n" for line in lines), sep="", end="", file=stream)
    if total:
        sys.stdout.flush()
        print(refusal(total), file=sys.stderr)
    return max(worst, 2 if total else 0)


def _folder(path: Path, how: Checking) -> Found:
    """A submission's folder. Raises UsageError for one of no board."""
    from scorer.boards import load, submission
    from scorer.core.reading.tsv import open_file

    name = how.board or path.resolve().parent.parent.name
    try:
        board = load(name, how.boards, third_party=False)
    except UsageError:
        yield from submission.read(path, splits=SPLITS)[1]
        raise
    yield from submission.read(path, splits=list(board.splits))[1]
    for split in submission.splits_in(path):
        if split in board.splits:
            file = submission.predictions_path(path, split)
            copy = Path(board.id, path.resolve().parent.name, path.resolve().name, file.name)
            yield from _predictions(board, open_file(file, most=how.most), split, copy, how)


def _file(path: Path, how: Checking) -> Found:
    """A predictions file. Raises UsageError if its board is not named."""
    from scorer.boards import load
    from scorer.scoring import fixing

    options.check_exists(path)
    if how.board is None:
        raise UsageError(f"{shown_name(path)} is a file: name its board with --board, and "
                         "its split with --split if it has one")
    board = load(how.board, how.boards, third_party=False)
    if how.split is not None:
        board.split(how.split)
    file = open_named(path, most=how.most)
    if how.per_reference:
        owned = fixing.owners(board, how.split, how.home, how.order)
        yield fixing.described(file, owned)
        kept = fixing.one_an_item(board, file, owned)
        file = kept if how.fix is None else replace(kept, shown=file.shown)
    copy = path.stem if path.suffix == ".gz" else path.name
    if path == STDIN:
        copy = f"predictions.{how.split}.tsv" if how.split else "predictions.tsv"
    yield from _predictions(board, file, how.split, Path(copy), how)


def _predictions(board: Board, file: File, split: str | None, copy: Path, how: Checking) -> Found:
    """A predictions file that is open; ``copy``: where below ``--fix`` a corrected one goes."""
    from scorer.boards.golds import input_texts
    from scorer.scoring import fixing
    from scorer.scoring.checking import check_file

    texts, rows = None, None
    if split is not None:
        texts, rows = input_texts(board, split, how.home), board.split(split).rows
    if how.fix is not None:
        done = ["the repeated lines"] if how.per_reference else []
        file, line = fixing.copied(board, file, how.fix / copy, split, done)
        yield line
    report = check_file(board, file, rows=rows, texts=texts)
    yield CheckedFile(board, file.shown, split, report, texts is not None)


def _sound(file: CheckedFile, errors: int, *, every: bool) -> Iterator[str]:
    """What is said of a file without errors; that it can be scored unless another one has some."""
    board, split = file.board, file.split
    head, *_ = str(file.report).split("\n")
    where = f"{board.id} {split}" if split else board.id
    yield f"{file.shown}: {'' if errors else f'can be scored on {where}: '}{head}"
    yield from broken_rules(file, every=every)
    if split is not None and not file.inputs and board.task.needs_inputs:
        yield (f"  the inputs of {board.id} {split} are not at hand, so {board.task.needs_inputs} "
               f"were not checked; run: {board.how_to_bring}")


def broken_rules(file: CheckedFile, *, every: bool) -> Iterator[str]:
    """Each broken rule with what to do and the rows that break it; ``every``: all rows, and those
    of strict findings too.

    First come rules that are the first one broken in many rows: the others often follow from them.
    A strict rule that a note is about is left to that.
    """
    from scorer.core.rules import lookup

    report = file.report
    noted = {note.rule for note in report.notes}
    for title, counts, broken, most in (
            (f"breaks {report.gate_metric}", report.counts(), report.broken, MOST_ROWS),
            ("strict, not counted", report.strict_counts(), report.strict, 0)):
        if not most and not every:
            counts = {rule: n for rule, n in counts.items() if rule not in noted}
        firsts = Counter(findings[0].rule for findings in broken if findings)
        for rule, count in sorted(counts.items(), key=lambda pair: (-firsts[pair[0]], -pair[1])):
            whole = f"all {count} rows" if count == report.rows > 1 else counted(count, "row")
            yield f"  {title}: {rule} in {whole}; {lookup(rule).advice}"
            yield from islice(_rows(file, rule, strict=not most), count if every else most)
            if most and count > most and not every:
                yield f"    and {counted(count - most, 'row')} more; --rows shows all"


def _rows(file: CheckedFile, rule: str, *, strict: bool) -> Iterator[str]:
    for row, _, found in file.report.answers:
        same = [one for one in (found.strict if strict else found.broken) if one.rule == rule]
        if same:
            column = file.board.task.column(row, same[0])
            detail = same[0].detail
            detail = detail if len(detail) <= LONGEST else detail[:LONGEST] + "..."
            more = f" (and {len(same) - 1} more in this row)" if same[1:] else ""
            yield f"    {file.shown}:{row.line}:{column} {rule} {detail}{more}"


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
