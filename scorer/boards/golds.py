"""The gold of a board: its file as read, with the errata that hold in the board's version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from scorer.boards import LARGEST_GOLD, Board, errata
from scorer.boards.errata import Erratum
from scorer.core.errors import DataError, counted, report
from scorer.core.files import sha256
from scorer.core.reading.tsv import File, Problems, open_file, read_rows
from scorer.tasks.baselines import Against

Value = TypeVar("Value")


@dataclass(frozen=True)
class GoldId:
    """Which gold a score is against: its digest, and how many golds an item has at most."""

    sha256: str
    """SHA-256 of public gold (of the file, and of the errata that change it); of hidden gold the
    HMAC that may be published."""
    golds: int
    public: bool = True
    against: str = ""
    """Which part of the gold, where it is not all of it: a word."""


@dataclass(frozen=True)
class Golds:
    """The items of a split, and which gold they are."""

    items: tuple[Any, ...]
    """The task's gold records, one a row: those that are scored."""
    id: GoldId
    texts: tuple[Sequence[str], ...] = ()
    """The input columns of every item of the split."""
    rows: tuple[int, ...] = ()
    """One-based: which of them ``items`` are."""
    errata: tuple[Erratum, ...] = ()
    """Those that changed ``items``."""
    before: Golds | None = None
    """The same without any erratum, if there is one."""

    @classmethod
    def of(cls, items: Sequence[Any], identity: GoldId) -> Golds:
        """Gold of which every item is scored."""
        return cls(tuple(items), identity, tuple(item.texts for item in items),
                   tuple(range(1, len(items) + 1)))

    @property
    def sha256(self) -> str:
        """Of the file, and of the errata that change it."""
        return self.id.sha256

    def trimmed(self, board: Board) -> Golds:
        """With no more golds an item than the board says."""
        items = tuple(board.task.first_golds(item, self.id.golds) for item in self.items)
        return replace(self, items=items, before=self.before and self.before.trimmed(board))

    def left_by(self, board: Board, against: Against[Any]) -> Golds:
        """The gold that a row which answers with gold itself is scored against."""
        left = [(row, item) for row, item in zip(self.rows, map(against.gold, self.items),
                                                 strict=True) if item is not None]
        items = tuple(item for _, item in left)
        most = max(map(board.task.gold_count, items))
        identity = replace(self.id, golds=most, against=against.name)
        before = self.before and self.before.left_by(board, against)
        return replace(self, items=items, id=identity, rows=tuple(row for row, _ in left),
                       before=before)


def public_golds(board: Board, split: str, home: Path) -> Golds | None:
    """The gold of a split; None where it is not public or not at hand. Raises as ``read_golds``."""
    path = board.data_file(split, home) if board.split(split).gold == "public" else None
    return None if path is None else read_golds(board, split, path)


def needed_golds(board: Board, split: str, home: Path) -> Golds:
    """The gold of a split. Raises DataError where it is not public or not at hand, and as
    ``read_golds``."""
    return _needed(public_golds(board, split, home), board, split)


def _needed(value: Value | None, board: Board, split: str) -> Value:
    file = board.split(split).file
    if value is None:
        raise DataError(f"{board.id} {split}: " + (
            "no file of it is public" if file is None else
            f"{file} is not on this machine; run: {board.how_to_bring}"))
    return value


def read_golds(board: Board, split: str, path: Path) -> Golds:
    """The gold of a split from its file, corrected by its errata.

    Raises DataError if the file is not the one the board names, or cannot be read as gold.
    """
    file = open_file(path, largest=LARGEST_GOLD)
    wanted, digest = board.split(split), sha256(file.content)
    corrections, faults = errata.read(board)
    if faults:
        raise DataError(report(faults, len(faults)))
    holding = errata.applied(board, corrections, split)
    whole, problems = parsed(board, file)
    items = whole
    if holding and not problems.total:
        items, problems = parsed(board, file, holding)
    if problems.total:
        raise DataError(f"gold of {board.id} {split}:\n{report(problems.kept, problems.total)}")
    if wanted.sha256 is not None and digest != wanted.sha256:
        raise DataError(f"{file.shown}: SHA-256 is {digest}, board {board.id} names "
                        f"{wanted.sha256}; run: {board.how_to_bring}")
    if len(items) != wanted.rows:
        raise DataError(f"{file.shown}: {counted(len(items), 'row')}, board {board.id} names "
                        f"{wanted.rows}")
    golds = Golds.of(items, GoldId(errata.digest(digest, holding), wanted.golds))
    before = Golds.of(whole, GoldId(digest, wanted.golds)) if holding else None
    return replace(golds, errata=holding, before=before)


def input_texts(board: Board, split: str, home: Path) -> tuple[tuple[str, ...], ...] | None:
    """The input texts of a split, if its file is at hand. Raises DataError if it has faults."""
    path = board.data_file(split, home)
    if path is None:
        return None
    names = board.task.input_columns
    columns, _ = board.task.gold_columns
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns,
                      optional=len(columns) - len(names))
    if table.problems.total:
        raise DataError(f"inputs of {board.id} {split}:\n"
                        f"{report(table.problems.kept, table.problems.total)}")
    return tuple(row.fields[: len(names)] for row in table.rows)


def needed_texts(board: Board, split: str, home: Path) -> tuple[tuple[str, ...], ...]:
    """The same. Raises DataError too if it is not at hand."""
    return _needed(input_texts(board, split, home), board, split)


def gold_files(board: Board, paths: Mapping[str, Path]) -> Golds:
    """Gold out of any files, by their roles, with as many rows as they have."""
    files = {role: open_file(path, largest=LARGEST_GOLD) for role, path in paths.items()}
    content = board.task.gold_of({role: file.content for role, file in files.items()})
    return gold_file(board, File(content, " + ".join(map(str, paths.values())), LARGEST_GOLD))


def gold_file(board: Board, file: File) -> Golds:
    """Gold of any file in the board's columns. Raises SubmissionError with every fault."""
    items, problems = parsed(board, file)
    problems.raise_if_any()
    most = max(map(board.task.gold_count, items))
    return Golds.of(items, GoldId(sha256(file.content), most))


def parsed(board: Board, file: File, holding: tuple[Erratum, ...] = (),
           ) -> tuple[tuple[Any, ...], Problems]:
    """The items of any gold file in the board's columns, and its problems.

    ``holding``: errata that correct it.
    """
    columns, optional = board.task.gold_columns
    table = read_rows(file, columns, optional=optional)
    golds = [board.task.read_gold(row, table.problems)
             for row in errata.corrected(table.rows, columns, holding)]
    return tuple(gold for gold in golds if gold is not None), table.problems
