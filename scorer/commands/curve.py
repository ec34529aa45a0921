"""``scorer curve``: how well a system does, by what it reads and how many items it learns from."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from scorer.commands import options, running
from scorer.commands.options import Action, option
from scorer.commands.training import (
    HEEDED,
    OUT,
    SMALL,
    TUNING,
    alone,
    check_task,
    data_of,
    in_words,
    options_of,
)
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.lab.systems.records import Data

NAMES = ("encoder", "bag-of-words", "svm")


def run(args: argparse.Namespace) -> int:
    """Train and ask every point; what is finished in the folder is not trained again."""
    from scorer import boards
    from scorer.lab.systems.curve import Curve
    from scorer.lab.systems.records import Request
    from scorer.lab.systems.registry import SYSTEMS

    board, system = boards.load(args.board, args.boards), SYSTEMS[args.system]
    check_task(system, board)
    options_of(args, HEEDED, system, system.options)
    measured, train = data_of(board, args.home, args.split), _train(board, args)
    request = Request(args.encoder or SMALL, args.out, args.seed, args.epochs, args.every_weight,
                      args.bf16)
    with alone(args.out), in_words("nothing was trained"):
        curve = Curve(system, board, args.split, measured, train, request, args.runs)
        points = curve.points([(items, form) for items in args.items or [None]
                               for form in args.form or [None]])
        print(f"learned from {'train' if train else f'parts of {args.split} itself'}, measured on "
              f"{args.split} of {board.id}; mean of {args.runs} runs and their standard deviation")
        print(f"{'form':24} {'learned':>7} {'asked':>6}  {'right':>6} {'sd':>5}  95 % interval   "
              "against the first form")
        for found in points:
            _show(found)
    return 0


def _train(board: Board, args: argparse.Namespace) -> Data | None:
    """The train split, if it is at hand and another than the measured one."""
    at_hand = ("train" in board.splits and args.split != "train"
               and board.split("train").gold == "public"
               and board.data_file("train", args.home) is not None)
    return data_of(board, args.home) if at_hand and not args.folds else None


def _show(found: dict[str, Any]) -> None:
    from statistics import stdev

    runs = found["runs"]
    print(f"{found['form'] or '-':24} {found['learned']:7d} {found['asked']:6d}  "
          f"{found['right']:6.3f} {stdev(runs) if len(runs) > 1 else 0:5.3f}  "
          f"{_shown(found['interval']):15} "
          + (f"{found['against_first']:+.3f} {_shown(found['against_first_interval'], '+')}"
             if "against_first" in found else ""), flush=True)


def _shown(interval: list[float] | None, sign: str = "") -> str:
    return "" if interval is None else f"[{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"


VERB = Action("curve", "train a system several times, by form and items, and measure it", run,
              """\
scorer curve encoder --board anli --form hypothesis-only --form fully-connected --out curves/forms
scorer curve encoder --board anli --items 100 --items 400 --items 1000 --out curves/items""", (
    option("system", choices=NAMES, help="which system (scorer handbook systems)"),
    option("--board", required=True, help="board name or path"),
    option("--split", choices=SPLITS, default="dev", help="what is measured on (default: dev)"),
    OUT,
    option("--form", action="append",
           help="encoder: a form of input; may be repeated; all are compared with the first"),
    option("--items", type=running.whole, action="append", metavar="N",
           help="number of items to learn from; may be repeated (default: all)"),
    option("--runs", type=running.count, default=5, help="runs of each point (default: 5)"),
    option("--folds", action="store_true",
           help="learn from the other folds of the measured split even where train is at hand"),
    *TUNING,
    options.boards,
    options.home,
))
