"""``scorer train``: train a system on a board's train split."""

from __future__ import annotations

import argparse
from pathlib import Path

from scorer.commands import options, running
from scorer.commands.options import Action, option
from scorer.commands.training import (
    HEEDED,
    OUT,
    SMALL,
    TUNING,
    alone,
    check_task,
    in_words,
    options_of,
    train_of,
)

NAMES = ("structured", "label", "label-with-graph", "rationalizing", "reasoning", "encoder", "svm",
         "bag-of-words", "gpt2", "cckg")
ORDERS = ("depth-first", "random")


def run(args: argparse.Namespace) -> int:
    """Train and report; resumes where a run was stopped."""
    from scorer import boards
    from scorer.core.errors import UsageError
    from scorer.lab.systems.records import Request
    from scorer.lab.systems.registry import SYSTEMS

    board = boards.load(args.board, args.boards)
    system = SYSTEMS[args.system]
    check_task(system, board)
    if not system.trains:
        raise UsageError(f"{system.name} needs no training; run: scorer predict {system.name} "
                         f"--board {board.id} --split SPLIT --out DIR")
    request = Request(args.encoder or SMALL, args.out, args.seed, args.epochs, args.every_weight,
                      args.bf16, options_of(args, HEEDED, system, system.options))
    with alone(args.out), in_words("nothing was trained"):
        found = system.fit(train_of(board, args.home, args.learn_from), request)
    print(f"{args.out}: {found.system} trained on {found.items} items of {board.id} in "
          f"{found.seconds} s, weights {found.weights[:12]}")
    for name, value in sorted(found.figures.items()):
        print(f"  {name}: {value:g}")
    print(f"run: scorer predict {args.out} --board {args.board} --split SPLIT "
          f"--out submissions/{board.id}/TEAM/SYSTEM")
    return 0


VERB = Action("train", "train a system on a board's train split", run, """\
scorer train structured --board explagraphs --out systems/structured
scorer train label --board explagraphs-practice --out systems/label --epochs 3
scorer train encoder --board anli --form linear-chain --out systems/encoder""", (
    option("system", choices=NAMES, help="which system (scorer handbook systems)"),
    option("--board", required=True, help="board name or path"),
    OUT,
    option("--base", metavar="SOURCE",
           help="rationalizing, reasoning: the encoder-decoder that writes graphs, a source as of "
           "--encoder, or tiny-t5, which is made here of random weights; gpt2: the language model"),
    option("--edge-order", choices=ORDERS,
           help="rationalizing, reasoning: in which order it learns to write a graph's edges "
           f"(default: {ORDERS[0]})"),
    option("--learning-rate", type=running.share,
           help="rationalizing, reasoning: of the encoder-decoder (default: 3e-5); gpt2: 5e-5"),
    option("--graphs-only", action="store_true",
           help="train no label model; predict then needs --labels"),
    option("--learn-from", type=Path, metavar="FILE",
           help="train on this gold file in the board's columns, if the board has no train split"),
    option("--inputs", help="gpt2: what is read before a hypothesis (scorer handbook art)"),
    option("--inferences", type=Path, metavar="FILE",
           help="gpt2: the inferences of every training context, one row each"),
    option("--form", help="encoder: what is read of an item (scorer handbook art)"),
    *TUNING,
    options.boards,
    options.home,
))
