"""The gold of a board at hand: read, measured, and set against what board.yaml acknowledges.

Only public gold is read; of other splits the inputs are, and whether gold stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import needed_texts, parsed, read_golds
from scorer.boards.reading import PLACEHOLDER
from scorer.core.errors import DataError, Problem, counted, report
from scorer.core.reading.tsv import open_file
from scorer.core.rules import lookup
from scorer.tasks.gold_quality import GoldQuality, Leak, RuleBroken, measure

EXPECTED = "gold that keeps the board's rules"


@dataclass(frozen=True)
class SplitAtHand:
    """One split whose file is there, or any file of items."""

    name: str
    path: Path
    texts: Sequence[Sequence[str]]
    """The input columns of every item."""
    golds: Sequence[Any] = ()
    """Every item, or empty if its gold is not public."""
    errata: int = 0
    """Accepted errata that change its gold."""


class GoldFault(NamedTuple):
    """A rule of which board.yaml does not say what is true of the gold of a split."""

    split: str
    rule: str
    broken: RuleBroken | None
    """The rows that break it; None if none does."""
    acknowledged: int | None
    """How many board.yaml says there are, if it names the rule."""

    @property
    def summary(self) -> str:
        """In one line: how many rows of which split, the first of them, and what is wrong."""
        if self.broken is None:
            return (f"acknowledged says that {counted(self.acknowledged or 0, 'row')} of "
                    f"{self.split} break{'s' * (self.acknowledged == 1)} {self.rule}, but none "
                    "does; remove that entry")
        rows = self.broken.rows
        first = ", ".join(str(row) for row, _ in self.broken.named)
        more = ", ..." if len(rows) > len(self.broken.named) else ""
        message = (f"{counted(len(rows), 'gold row')} of {self.split} "
                   f"break{'s' * (len(rows) == 1)} {self.rule} ({first}{more})")
        return message if self.acknowledged is None else (
            f"{message}, but acknowledged says {self.acknowledged}")


def at_hand(board: Board, home: Path) -> Iterator[SplitAtHand]:
    """Every split whose file is there. Raises DataError for one that cannot be read, and for one
    with hidden gold that has more columns than the inputs."""
    for name, split in board.splits.items():
        path = board.data_file(name, home)
        if path is None:
            continue
        if split.gold == "public":
            gold = read_golds(board, name, path)
            texts: Sequence[Sequence[str]] = [item.texts for item in gold.items]
            yield SplitAtHand(name, path, texts, gold.items, len(gold.errata))
            continue
        texts = needed_texts(board, name, home)
        columns = list(board.task.input_columns)
        if split.gold == "hidden":
            if path.stat().st_size > LARGEST_GOLD:
                raise DataError(f"{path}: too large to be read")
            wide = [number for number, line in enumerate(path.read_bytes().split(b"\n"), start=1)
                    if line.count(b"\t") >= len(columns)]
            if wide:
                raise DataError(
                    f"{path}:{wide[0]}: {counted(len(wide), 'row')} with more columns than "
                    f"{', '.join(columns)}, but the gold of {name} is hidden; keep those columns "
                    "alone, and if the file was ever pushed, count its gold as published")
        yield SplitAtHand(name, path, texts)


def items_of_file(board: Board, path: Path) -> SplitAtHand:
    """The items of any gold file in the board's columns. Raises DataError for its faults."""
    golds, problems = parsed(board, open_file(path, largest=LARGEST_GOLD))
    if problems.total:
        raise DataError(report(problems.kept, problems.total))
    return SplitAtHand(path.name, path, [gold.texts for gold in golds], golds)


def faults(board: Board, quality: GoldQuality) -> list[GoldFault]:
    """Rules that gold breaks unacknowledged, and acknowledgements that are not true."""
    acknowledged = {(entry.split, entry.rule): entry.rows for entry in board.acknowledged}
    problems = []
    for split in quality.splits:
        if not split.has_gold:
            continue
        broken = {entry.rule: entry for entry in split.broken}
        named = {rule for name, rule in acknowledged if name == split.name}
        for rule in [*broken, *sorted(named - broken.keys())]:
            expected, breach = acknowledged.get((split.name, rule)), broken.get(rule)
            if expected != (len(breach.rows) if breach else None):
                problems.append(GoldFault(split.name, rule, breach, expected))
    return problems


def null_warnings(board: Board, splits: Sequence[SplitAtHand]) -> list[str]:
    """A line for each split with items whose null cannot be measured, and the first reason."""
    warnings: list[str] = []
    for split in splits:
        faults = [(row, fault) for row, texts in enumerate(split.texts, start=1)
                  if (fault := board.task.null_fault(texts))]
        if faults:
            row, fault = faults[0]
            warnings.append(
                f"{split.path}:{row}:1: warning: {fault}; so it is with {len(faults)} of "
                f"{counted(len(split.texts), 'item')}. Rows that are compared with their "
                "null prove nothing there; list the nodes in a text, or write nodes: text in "
                "board.yaml")
    return warnings


def board_faults(board: Board, home: Path) -> list[GoldFault]:
    """The same of a board's data at hand. Raises DataError for data that cannot be read."""
    return faults(board, measure(board.task, list(at_hand(board, home))))


def report_lines(board: Board, splits: Sequence[SplitAtHand],
                 problems: Sequence[GoldFault]) -> list[str]:
    """What a person reads of some faults: the first rows of each, how many there are, what to do.
    """
    paths = {split.name: str(split.path) for split in splits}
    lines: list[str] = []
    entries: list[str] = []
    for fault in problems:
        if fault.broken is not None:
            advice = lookup(fault.rule).advice
            lines += [str(Problem(paths[fault.split], row, 1, fault.rule,
                                  detail.removesuffix("."), EXPECTED, advice))
                      for row, detail in fault.broken.named]
            entries.append(f"  - {{split: {fault.split}, rule: {fault.rule}, rows: "
                           f"{len(fault.broken.rows)}, reason: \"{PLACEHOLDER} why they stay.\"}}")
        lines.append(f"{board.id}: {fault.summary}")
    if entries:
        lines += ["Correct the gold, or the rule in board.yaml if that is wrong. Gold that must "
                  "stay as it is belongs into board.yaml, with the reason:", "acknowledged:",
                  *entries]
    return lines


def leak_line(board: Board, leak: Leak) -> str:
    """What one split has of another, in one line."""
    counts = {**leak.shared, **({"any of these": leak.any} if len(leak.shared) > 1 else {})}
    return (f"{board.id}: {counted(leak.items, 'row')} of {leak.later}, also in {leak.earlier}: "
            + ", ".join(f"{what} {rows}" + (f" ({100 * rows / leak.items:.1f} %)" if leak.items
                                            else "") for what, rows in counts.items()))
