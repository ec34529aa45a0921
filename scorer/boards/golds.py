"""The gold of a board: its file as read, with the errata that hold in the board's version."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.boards import LARGEST_GOLD, Board, errata
from scorer.boards.errata import Erratum
from scorer.core.errors import DataError, counted, report
from scorer.core.files import sha256
from scorer.core.reading.tsv import File, Problems, open_file, read_rows


@dataclass(frozen=True)
class Golds:
    """The items of a split."""

    items: tuple[Any, ...]
    """The task's gold records, one a row."""
    sha256: str
    """Of the file, and of the errata that change it."""
    errata: tuple[Erratum, ...] = ()
    """Those that changed ``items``."""


def public_golds(board: Board, split: str, home: Path, *, with_errata: bool = True
                 ) -> Golds | None:
    """The gold of a split; None where it is not public or not at hand. Raises as ``read_golds``."""
    path = board.data_file(split, home) if board.split(split).gold == "public" else None
    return None if path is None else read_golds(board, split, path, with_errata=with_errata)


def needed_golds(board: Board, split: str, home: Path) -> Golds:
    """The gold of a split. Raises DataError where it is not public or not at hand, and as
    ``read_golds``."""
    golds = public_golds(board, split, home)
    if golds is None:
        raise absent(board, split)
    return golds


def absent(board: Board, split: str) -> DataError:
    """What is said where the gold of a split, or its inputs, are needed and not at hand."""
    described = board.split(split)
    if described.file is None:
        return DataError(f"{board.id} {split}: no file of it is public")
    return DataError(f"{board.id} {split}: {described.file} is not on this machine; run: "
                     f"{board.how_to_bring}")


def read_golds(board: Board, split: str, path: Path, *, with_errata: bool = True) -> Golds:
    """The gold of a split from its file, corrected by its errata unless told otherwise.

    Raises DataError if the file is not the one the board names, or cannot be read as gold.
    """
    return golds_of(board, split, open_file(path, largest=LARGEST_GOLD), with_errata=with_errata)


def input_texts(board: Board, split: str, home: Path) -> tuple[tuple[str, ...], ...] | None:
    """The input texts of a split, if its file is at hand. Raises DataError if it has faults."""
    path = board.data_file(split, home)
    if path is None:
        return None
    names = board.task.input_columns
    columns, _ = board.task.gold_columns
    file = open_file(path, largest=LARGEST_GOLD)
    table = read_rows(file, columns, optional=len(columns) - len(names))
    if table.problems.total:
        raise DataError(f"inputs of {board.id} {split}:\n"
                        f"{report(table.problems.kept, table.problems.total)}")
    return tuple(row.fields[: len(names)] for row in table.rows)


def needed_texts(board: Board, split: str, home: Path) -> tuple[tuple[str, ...], ...]:
    """The same. Raises DataError too if it is not at hand."""
    texts = input_texts(board, split, home)
    if texts is None:
        raise absent(board, split)
    return texts


def golds_of(board: Board, split: str, file: File, *, with_errata: bool = True) -> Golds:
    """The same of a gold file that may not be written yet."""
    wanted, digest = board.split(split), sha256(file.content)
    holding: tuple[Erratum, ...] = ()
    if with_errata:
        corrections, faults = errata.read(board)
        if faults:
            raise DataError(report(faults, len(faults)))
        holding = errata.applied(board, corrections, split)
    items, problems = parsed(board, file, holding)
    if problems.total:
        raise DataError(f"gold of {board.id} {split}:\n{report(problems.kept, problems.total)}")
    if wanted.sha256 is not None and digest != wanted.sha256:
        raise DataError(f"{file.shown}: SHA-256 is {digest}, board {board.id} names "
                        f"{wanted.sha256}; run: {board.how_to_bring}")
    if len(items) != wanted.rows:
        raise DataError(f"{file.shown}: {counted(len(items), 'row')}, board {board.id} names "
                        f"{wanted.rows}")
    return Golds(items, errata.digest(digest, holding), holding)


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
