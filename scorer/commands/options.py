"""Options that several verbs share. Every folder is an option with a stated default."""

from __future__ import annotations

import argparse
from pathlib import Path

from scorer.files import HOME, home_folder


def home(parser: argparse.ArgumentParser) -> None:
    """``--home``: fetched data and what is made from them."""
    parser.add_argument(
        "--home", type=Path, default=home_folder(),
        help="where fetched data and results made from them lie (default: $WHYBOARD_HOME or "
        f"{HOME})",
    )


def boards(parser: argparse.ArgumentParser) -> None:
    """``--boards``: a folder of board folders."""
    here = Path("boards")
    parser.add_argument(
        "--boards", type=Path, default=here if any(here.glob("*/board.yaml")) else None,
        metavar="DIR",
        help="folder of boards (default: boards where that holds any, else those that come with "
        "the program)",
    )


def submissions(parser: argparse.ArgumentParser) -> None:
    """``--submissions``: the committed submissions."""
    parser.add_argument(
        "--submissions", type=Path, default=Path("submissions"), metavar="DIR",
        help="folder of submissions (default: submissions)",
    )
