"""Options that several verbs share. Every folder is an option with a stated default."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

DEFAULT_HOME = ".whyboard"


def home(parser: argparse.ArgumentParser) -> None:
    """``--home``: fetched data and what is made from them."""
    parser.add_argument(
        "--home", type=Path, default=Path(os.environ.get("WHYBOARD_HOME", DEFAULT_HOME)),
        help="where fetched data and results made from them lie (default: $WHYBOARD_HOME or "
        f"{DEFAULT_HOME})",
    )


def boards(parser: argparse.ArgumentParser) -> None:
    """``--boards``: a folder of board folders."""
    parser.add_argument(
        "--boards", type=Path, default=None, metavar="DIR",
        help="folder of boards (default: those that come with the program)",
    )


def submissions(parser: argparse.ArgumentParser) -> None:
    """``--submissions``: the committed submissions."""
    parser.add_argument(
        "--submissions", type=Path, default=Path("submissions"), metavar="DIR",
        help="folder of submissions (default: submissions)",
    )
