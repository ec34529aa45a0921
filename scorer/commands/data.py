"""``scorer data``: fetch or import a board's official files, or fetch WordNet for METEOR."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from scorer.commands import options
from scorer.commands.options import Action, VerbGroup, option


def _fetch(given: argparse.Namespace) -> int:
    """Fetch, then write the predictions by others as rows."""
    from tqdm import tqdm

    from scorer import board as boards
    from scorer.board import fetching as data
    from scorer.models import wordnet
    from scorer.models.wordnet import make
    from scorer.scoring import reference

    bar = partial(tqdm, unit="B", unit_scale=True, leave=False)
    if given.board == wordnet.INFO.name:
        path = make.fetch(given.home, source=given.source,
                          download=lambda url: data.from_url(url, "wordnet", given.timeout, bar))
        print(f"wordnet: {path} written")
        return _status(given)
    board = boards.load(given.board, given.boards)
    written = data.fetch(board, given.home, source=given.source, timeout=given.timeout, bar=bar)
    print(f"{board.id}: {len(written)} files fetched to {given.home / 'data' / board.id}")
    for row in board.third_party:
        reference.write_third_party(board, row, given.home, given.home / "submissions")
    return _status(given)


def _status(given: argparse.Namespace) -> int:
    """Say what of a board is at hand."""
    from scorer import board as boards
    from scorer.board import fetching as data
    from scorer.models import wordnet

    if given.board == wordnet.INFO.name:
        return _wordnet(given)
    board = boards.load(given.board, given.boards)
    have = data.present(board, given.home)
    if board.downloads:
        print(f"{board.id}: {len(have)} of {len(board.downloads)} files at hand")
    for split, described in () if board.downloads else board.splits.items():
        path = board.data_file(split, given.home)
        print(f"{board.id} {split}: {path or f'not at hand; run: {board.how_to_bring}'}, "
              f"{described.rows} items")
    print(f"licence: {board.licence}")
    return 0


def _import(given: argparse.Namespace) -> int:
    """Make gold files of official files; 0 if any split was made."""
    from scorer import board as boards
    from scorer.board import imports
    from scorer.errors import DataError, UsageError

    board = boards.load(given.board, given.boards)
    if given.source is None:
        raise UsageError(f"name the folder with the official files: {board.how_to_bring}")
    made = imports.bring(board, Path(given.source), given.home)
    for one in made:
        print(f"{board.id} {one.split}: "
              + (f"{one.items} items, {one.path}" if one.path else f"not imported: {one.said}"))
    if not any(one.path for one in made):
        raise DataError(f"{given.source}: no split of {board.id} could be imported")
    print(f"licence: {board.licence}")
    return 0


def _wordnet(given: argparse.Namespace) -> int:
    from scorer.errors import NotMeasured
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
VERB = VerbGroup("data", "fetch or import a board's files, checked by digest", (
    Action("fetch", "bring a board's files or WordNet", _fetch,
           "scorer data fetch explagraphs\nscorer data fetch explagraphs --from "
           "../downloads/explagraphs\nscorer data fetch wordnet", (
        *_BOARD,
        option("--from", dest="source", metavar="PATH|URL",
               help="a folder with the files, or a URL that ends where their paths begin; of "
               "WordNet: a folder or an archive"),
        option("--timeout", type=float, default=60.0, help="seconds to wait for an answer"))),
    Action("import", "make gold files of official files that you have", _import,
           "scorer data import anli --from ../downloads/anli", (
               option("board", help="board name"), *_FOLDERS,
               option("--from", dest="source", metavar="PATH",
                      help="a folder with the official files or zip files of them"))),
    Action("status", "say what is at hand", _status, "scorer data status explagraphs", _BOARD),
))
