"""How verbs are declared, and options that several share. Every folder has a stated default."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.files import HOME, home_folder
from scorer.records import SPLITS

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]

Run = Callable[[argparse.Namespace], int]
Option = Callable[[argparse.ArgumentParser], object]


class Action(NamedTuple):
    """One of the things that a verb can do, with options of its own: ``scorer board check``."""

    name: str
    help: str
    run: Run
    example: str
    options: Sequence[Option] = ()


def verb(
    verbs: Verbs, name: str, text: str, example: str, run: Run | None = None
) -> argparse.ArgumentParser:
    """Declare a verb or an action. ``run`` is None where actions follow."""
    parser = verbs.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=run, parser=parser)
    return parser


def actions(parser: argparse.ArgumentParser, table: Sequence[Action]) -> None:
    """Declare a verb's actions; each takes its own options only."""
    under = parser.add_subparsers(dest="what", required=True, metavar="ACTION")
    for action in table:
        example = f"example:\n  {action.example}\n"
        one = verb(under, action.name, action.help, example, action.run)
        for option in action.options:
            option(one)


def option(*names: str, **how: Any) -> Option:
    """One argument of ``add_argument``, to be put in a table."""
    return lambda parser: parser.add_argument(*names, **how)


root = option("--root", type=Path, default=Path(), help="the checkout (default: .)")
split = option("--split", required=True, choices=SPLITS, help="the split")


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


def from_environment(name: str, variable: str, default: str | None = None, **how: Any) -> Option:
    """An option whose default an environment variable may give."""
    return lambda parser: parser.add_argument(
        name, default=os.environ.get(variable) or default, **how)
