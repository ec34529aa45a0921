"""``scorer data``: fetch or import a board's official files, or fetch WordNet for METEOR."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import options
from scorer.commands.options import Action, VerbGroup, option
from scorer.core.errors import counted

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.boards.importing import Made


def _fetch(given: argparse.Namespace) -> int:
    """Fetch, then write the predictions by others as rows."""
    from scorer import boards
    from scorer.core.errors import UsageError
    from scorer.models import wordnet

    if given.board is not None and given.all:
        raise UsageError("a board and --all: name one of them")
    if given.board is None:
        return _fetch_all(given)
    if given.board == wordnet.INFO.name:
        return _fetch_wordnet(given)
    board = boards.load(given.board, given.boards)
    _bring(board, given)
    return _status(given)


def _fetch_wordnet(given: argparse.Namespace) -> int:
    from scorer.boards import fetching
    from scorer.models.wordnet import make

    path = make.fetch(given.home, source=given.source, download=lambda url: fetching.from_url(
        url, "wordnet", given.timeout, _bar()))
    print(f"wordnet: {path} written")
    return _status(given)


def _fetch_all(given: argparse.Namespace) -> int:
    """Fetch what there is of every board; a folder may lack files, but not hold wrong ones."""
    from scorer import boards
    from scorer.core.errors import DataError

    faults = []
    for board in boards.load_all(given.boards or boards.boards_folder()):
        if not board.downloads:
            continue
        try:
            _bring(board, given, partly=True)
        except DataError as fault:
            faults.append(str(fault))
            print(f"{board.id}: {fault}")
        _print_at_hand(board, given.home)
    if faults:
        raise DataError("\n".join(faults))
    return 0


def _bar() -> Any:
    from tqdm import tqdm

    return partial(tqdm, unit="B", unit_scale=True, leave=False)


def _bring(board: Board, given: argparse.Namespace, *, partly: bool = False) -> None:
    """Fetch a board's files, make what is made of them, and say so."""
    from scorer.boards import fetching

    got = fetching.fetch(board, given.home, source=given.source, timeout=given.timeout, bar=_bar(),
                         partly=partly)
    files = counted(len(got.written), "file")
    print(f"{board.id}: {files} fetched to {given.home / 'data' / board.id}")
    for said in got.missing:
        print(f"{board.id}: {said}" + ("" if partly else "; the board works without it"))
    for one in got.imported:
        print(f"{board.id} {one.split}: {one.items} items, {one.path}")
    _print_made(board, got.made)
    fetching.check_made(board, given.home)
    _write_others(board, given.home)


def _print_made(board: Board, made: Sequence[Made]) -> None:
    for one in made:
        changed = (f"; in {counted(one.changed, 'text')} signs were replaced or left out"
                   if one.changed else "")
        print(f"{board.id}: {one.path} made, {counted(one.rows, 'row')}{changed}")


def _write_others(board: Board, home: Path) -> None:
    """Write the predictions by others that are at hand as rows.

    Raises DataError with every fault of those that no row can be, and of their probabilities.
    """
    from scorer.boards.probabilities import read_probabilities
    from scorer.core.errors import DataError
    from scorer.scoring import reference

    faults = []
    for row in board.third_party:
        try:
            read_probabilities(board, row.system, row.split, home)
            reference.write_third_party(board, row, home, home / "submissions")
        except DataError as fault:
            faults.append(str(fault))
    if faults:
        raise DataError("\n".join(faults))


def _status(given: argparse.Namespace) -> int:
    """Say what of a board is at hand."""
    from scorer import boards
    from scorer.models import wordnet

    if given.board == wordnet.INFO.name:
        return _wordnet(given)
    _print_at_hand(boards.load(given.board, given.boards), given.home)
    return 0


def _print_at_hand(board: Board, home: Path) -> None:
    from scorer.boards import fetching

    have = fetching.present(board, home)
    if board.downloads:
        print(f"{board.id}: {len(have)} of {len(board.downloads)} files fetched")
    for split, described in board.splits.items() if board.imports or not board.brought else ():
        path = board.data_file(split, home)
        print(f"{board.id} {split}: {path or f'not on this machine; run: {_how(board, split)}'}, "
              f"{described.rows} items")
    print(f"licence: {board.licence}")


def _how(board: Board, split: str) -> str:
    """The command that brings a split: official files that are no downloads are the user's."""
    digests = {one.sha256 for one in board.downloads}
    mine = [one for one in board.imports if one.split == split]
    fetched = not mine or any({file.sha256 for file in one.files} <= digests for one in mine)
    return board.how_to_bring if fetched else f"scorer data import {board.id} --from DIR"


def _import(given: argparse.Namespace) -> int:
    """Make gold files of official files; 0 if any split was made."""
    from scorer import boards
    from scorer.boards import fetching, importing, imports
    from scorer.core.errors import DataError, UsageError

    board = boards.load(given.board, given.boards)
    if given.source is None:
        raise UsageError(f"name the folder with the official files: {board.how_to_bring}")
    made = imports.bring(board, Path(given.source), given.home)
    for one in made:
        print(f"{board.id} {one.split}: "
              + (f"{one.items} items, {one.path}" if one.path else f"not imported: {one.said}"))
    if not any(one.path for one in made):
        raise DataError(f"{given.source}: no split of {board.id} could be imported")
    _print_made(board, importing.make(board, given.home, fetching.present(board, given.home)))
    _write_others(board, given.home)
    print(f"licence: {board.licence}")
    return 0


def _leaks(given: argparse.Namespace) -> int:
    """Say what later splits share with earlier ones, or one file with another."""
    from scorer import boards
    from scorer.core.errors import DataError, UsageError, counted
    from scorer.scoring import gold_report
    from scorer.tasks.gold_quality import leaks

    board = boards.load(given.board, given.boards)
    if (given.train is None) != (given.test is None):
        raise UsageError("name both files, with --train and --test, or none")
    if given.train is not None:
        splits = [gold_report.items_of_file(board, path) for path in (given.train, given.test)]
    else:
        splits = [one.items for one in gold_report.at_hand(board, given.home)]
    if len(splits) < 2:
        raise DataError(f"{board.id}: {counted(len(splits), 'split')} at hand, but a leak is "
                        "between two; fetch the data, or name files with --train and --test")
    for one in leaks(board.task, splits):
        print(gold_report.leak_line(board, one))
    return 0


def _wordnet(given: argparse.Namespace) -> int:
    from scorer.core.errors import NotMeasured
    from scorer.models import wordnet

    try:
        known = wordnet.read(wordnet.folder(given.home))
        print(f"wordnet: WordNet 3.0, {len(known.names)} entries at hand")
    except NotMeasured as reason:
        print(f"wordnet: {reason}")
    print("licence: WordNet 3.0 licence, Princeton University")
    return 0


_FOLDERS = (options.boards, options.home)
_BOARD = (option("board", help="board name, or wordnet"), *_FOLDERS)
VERB = VerbGroup("data", "fetch or import a board's files, and check their digests", (
    Action("fetch", "fetch a board's files or WordNet", _fetch,
           "scorer data fetch explagraphs\nscorer data fetch --all --from ../downloads\n"
           "scorer data fetch wordnet", (
        option("board", nargs="?", help="board name, or wordnet (default: every board)"),
        *_FOLDERS,
        option("--all", action="store_true", help="every board; a folder may lack files"),
        option("--from", dest="source", metavar="PATH|URL",
               help="a folder with the files, by path or by name, at any depth; or a URL that ends "
               "where their paths begin; of WordNet: a folder or an archive"),
        option("--timeout", type=float, default=60.0, help="seconds to wait for an answer"))),
    Action("import", "make gold files from official files on your disk", _import,
           "scorer data import anli --from ../downloads/anli", (
               option("board", help="board name"), *_FOLDERS,
               option("--from", dest="source", metavar="PATH",
                      help="a folder with the official files or zip files of them"))),
    Action("leaks", "count rows that repeat a text or gold answer of an earlier split", _leaks,
           "scorer data leaks explagraphs-practice\nscorer data leaks graphqa-explagraphs --train "
           "my-train.tsv --test my-test.tsv", (
               option("board", help="board name"), *_FOLDERS,
               option("--train", type=Path, metavar="FILE",
                      help="a gold file in the board's columns, of any other split"),
               option("--test", type=Path, metavar="FILE",
                      help="the gold file whose rows are looked for in it"))),
    Action("status", "list the files that are on this machine", _status,
           "scorer data status explagraphs", _BOARD),
))
