"""``scorer data``: fetch a board's official files."""

from __future__ import annotations

import argparse
from functools import partial

from scorer.commands import options

EXAMPLE = """examples:
  scorer data fetch explagraphs
  scorer data fetch explagraphs --from ../downloads/explagraphs
"""


def register(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "data", help="fetch a board's files, checked by digest", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("fetch", "status"))
    parser.add_argument("board", help="board name")
    parser.add_argument("--from", dest="source", metavar="PATH|URL",
                        help="a folder with the files, or a URL that ends where their paths begin")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds to wait for an answer")
    options.boards(parser)
    options.home(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Fetch, then write the predictions by others as rows."""
    from scorer import board as boards
    from scorer import data

    board = boards.load(given.board, given.boards)
    if given.what == "fetch":
        from tqdm import tqdm

        from scorer import reference

        bar = partial(tqdm, unit="B", unit_scale=True, leave=False)
        written = data.fetch(board, given.home, source=given.source, timeout=given.timeout, bar=bar)
        print(f"{board.id}: {len(written)} files fetched to {given.home / 'data' / board.id}")
        for row in board.third_party:
            reference.write_third_party(board, row, given.home, given.home / "submissions")
    have = data.present(board, given.home)
    print(f"{board.id}: {len(have)} of {len(board.downloads)} files at hand")
    print(f"licence: {board.licence}")
    return 0
