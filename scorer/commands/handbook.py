"""``scorer handbook``: what a maintainer reads, as it is for this version of the program."""

from __future__ import annotations

import argparse

from scorer.commands.options import Action, option
from scorer.core.package_data import HANDBOOK, handbook


def run(given: argparse.Namespace) -> int:
    """Print a page; the first page lists them all."""
    print(handbook(given.page or "README"), end="")
    return 0


VERB = Action("handbook", "print a page of the handbook", run, """\
scorer handbook run-a-board
scorer handbook""", (
    option("page", nargs="?", choices=HANDBOOK, metavar="PAGE",
           help=f"one of: {', '.join(HANDBOOK)} (default: the page that lists them)"),
))
