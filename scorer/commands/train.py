"""``scorer train``, ``curve`` and ``filter``: systems that learn from a board."""

from __future__ import annotations

from pathlib import Path
from statistics import stdev
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Args, Verb, flag, option
from scorer.core.errors import UsageError, counted
from scorer.core.files import json_bytes, write_atomically
from scorer.lab.systems.registry import CHOICES, SMALL, SYSTEMS, of_task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.boards import Board
    from scorer.lab.systems.filtering import Adversary, Hypothesis
    from scorer.lab.systems.records import TrainingRequest

OUT = options.folder("--out", "folder for what is trained; a run that was stopped resumes there",
                     required=True)
SEED = option("--seed", "decides what is held out, and every random choice (default: 5)",
              type=options.seed, default=5)
TUNING = (
    option("--encoder", f"hub:NAME@COMMIT, package:NAME or a folder (default: {SMALL})",
           metavar="SOURCE"),
    flag("--every-weight", "train every weight of the encoder, not low-rank adapters"),
    option("--epochs", "train for at most so many (default: the system's own)", type=options.count),
    SEED,
    flag("--bf16", "train in bfloat16"),
)
"""How an encoder is tuned."""


def _prepared(args: Args) -> tuple[Board, TrainingRequest]:
    """The board, and how its system is trained. Raises UsageError for a system that is not for it,
    and for an option that it does not take."""
    from scorer.lab.systems.records import TrainingRequest

    board, system = options.board_of(args), SYSTEMS[args.system]
    system.check_task(board)
    if not system.trains:
        raise UsageError(f"{system.name} needs no training; run: scorer predict {system.name} "
                         f"--board {board.id} --split SPLIT --out DIR")
    return board, TrainingRequest(args.encoder or SMALL, args.out, args.seed, args.epochs,
                                  args.every_weight, args.bf16,
                                  system.heeded(vars(args), "options"))


# ---- train -------------------------------------------------------------------------------------


ORDERS = ("depth-first", "random")


def _train(args: Args) -> None:
    from scorer.lab.systems.records import alone, in_words, train_of

    board, request = _prepared(args)
    with alone(args.out), in_words("nothing was trained"):
        report = SYSTEMS[args.system].loaded().fit(
            args.system, train_of(board, args.home, args.learn_from), request)
    print(f"{args.out}: {report.system} trained on {counted(report.items, 'item')} of "
          f"{board.id} in {report.seconds} s, weights {report.weights[:12]}")
    for name, value in sorted(report.figures.items()):
        print(f"  {name}: {value:g}")
    print(f"run: scorer predict {args.out} --board {args.board} --split SPLIT "
          f"--out submissions/{board.id}/TEAM/SYSTEM")


TRAIN = Verb(_train, """\
scorer train structured --board explagraphs --out systems/structured
scorer train label --board explagraphs-practice --out systems/label --epochs 3
scorer train encoder --board anli --form linear-chain --out systems/encoder""", (
    option("system", "which system (scorer handbook systems)", choices=SYSTEMS),
    options.board, OUT,
    option("--base", "rationalizing, reasoning: the encoder-decoder that writes graphs, a source "
           "as of --encoder, or tiny-t5, which is made here of random weights; gpt2: the language "
           "model", metavar="SOURCE"),
    option("--edge-order", "rationalizing, reasoning: in which order it learns to write a graph's "
           f"edges (default: {ORDERS[0]})", choices=ORDERS),
    flag("--graphs-only", "train no label model; predict then needs --labels"),
    options.learn_from,
    option("--inputs", "gpt2: what is read before a hypothesis (scorer handbook art)"),
    options.file("--inferences", "gpt2: the inferences of every training context, one row each"),
    option("--form", "encoder: what is read of an item (scorer handbook art)"),
    *TUNING, *options.folders,
))


# ---- curve -------------------------------------------------------------------------------------


def _curve(args: Args) -> None:
    """Train and ask every point; what is finished in the folder is not trained again."""
    from scorer.lab.systems.curve import Curve
    from scorer.lab.systems.records import alone, data_of, in_words

    board, request = _prepared(args)
    measured, train = data_of(board, args.home, "dev"), None
    if "train" in board.splits and board.data_file("train", args.home) is not None:
        train = data_of(board, args.home)
    with alone(args.out), in_words("nothing was trained"):
        curve = Curve(SYSTEMS[args.system], board, measured, train, request, args.runs)
        points = curve.points([(items, form) for items in args.items or [None]
                               for form in args.form or [None]])
        print(f"learned from {'train' if train else 'parts of dev itself'}, measured on dev of "
              f"{board.id}; mean of {args.runs} runs and their standard deviation")
        print(f"{'form':24} {'learned':>7} {'asked':>6}  {'right':>6} {'sd':>5}  95 % interval   "
              "against the first form")
        for point in points:
            runs = point["runs"]
            print(f"{point['form'] or '-':24} {point['learned']:7d} {point['asked']:6d}  "
                  f"{point['right']:6.3f} {stdev(runs) if len(runs) > 1 else 0:5.3f}  "
                  f"{_shown(point['interval']):15} "
                  + (f"{point['against_first']:+.3f} {_shown(point['against_first_interval'], '+')}"
                     if "against_first" in point else ""), flush=True)


def _shown(interval: list[float] | None, sign: str = "") -> str:
    return "" if interval is None else f"[{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"


CURVE = Verb(_curve,
              """\
scorer curve encoder --board anli --form hypothesis-only --form fully-connected --out curves/forms
scorer curve encoder --board anli --items 100 --items 400 --items 1000 --out curves/items""", (
    option("system", "which system (scorer handbook systems)", choices=of_task(CHOICES)),
    options.board, OUT,
    option("--form", "encoder: a form of input; may be repeated; all are compared with the first",
           action="append"),
    option("--items", "number of items to learn from; may be repeated (default: all)",
           type=options.whole, action="append", metavar="N"),
    option("--runs", "runs of each point (default: 5)", type=options.count, default=5),
    *TUNING, *options.folders,
))


# ---- filter ------------------------------------------------------------------------------------


WORDS, VECTORS, ENCODER = "words", "minilm-l6", "encoder"


def _filter(args: Args) -> None:
    from scorer.lab.systems import filtering
    from scorer.lab.systems.records import in_words

    if args.encoder is not None and args.adversary != ENCODER:
        raise UsageError(f"--encoder is for --adversary {ENCODER}; leave it out")
    read = filtering.read(args.file, args.labels)
    pairs, rounds = filtering.first_pairs(read.pools), []
    with in_words("nothing was filtered"):
        adversary = _adversary(args, read.candidates)
        before = filtering.told_apart(pairs, adversary, args.seed)
        print(f"{len(read.pools)} contexts, {len(read.candidates)} hypotheses; the adversary "
              f"({args.adversary}) tells {before:.3f} of the first pairs apart")
        print("round  temperature  told apart  exchanged")
        for row in filtering.rounds(
                read.pools, pairs, adversary, count=args.rounds, seed=args.seed,
                level=None if args.to_the_letter else filtering.LEVEL):
            right = row.right / max(1, row.asked)
            print(f"{row.number:5d}  {row.temperature:11.6f}  {right:10.3f}  {row.exchanged:9d}",
                  flush=True)
            rounds.append(row._asdict())
        after = filtering.told_apart(pairs, adversary, args.seed)
    write_atomically(args.out, filtering.written(read, pairs, args.seed))
    print(f"{args.out}: {len(pairs)} pairs, of which a new adversary tells {after:.3f} apart")
    if args.report:
        write_atomically(args.report, json_bytes({
            "adversary": args.adversary, "seed": args.seed, "contexts": len(read.pools),
            "hypotheses": len(read.candidates), "told_apart_before": round(before, 6),
            "told_apart_after": round(after, 6), "rounds": rounds,
            **({"encoder": args.encoder or SMALL} if args.adversary == ENCODER else {}),
        }))


def _adversary(args: Args, candidates: Sequence[Hypothesis]) -> Adversary:
    from scorer.lab.systems import filtering

    if args.adversary == WORDS:
        return filtering.words(candidates)
    if args.adversary == VECTORS:
        from scorer.models.registry import Models

        return filtering.encoded(candidates, Models()(VECTORS))
    from scorer.lab.systems import choices
    from scorer.lab.systems.records import TrainingRequest

    return choices.adversary(candidates, TrainingRequest(args.encoder or SMALL, Path(), args.seed))


FILTER = Verb(_filter, """\
scorer filter pairs.tsv --out filtered.tsv
scorer filter train.jsonl --labels train-labels.lst --out filtered.tsv --report filtered.json""", (
    option("file", "pairs of hypotheses, several of one context: a gold file of an aNLI board, or "
           "JSON lines as ART's train.jsonl", type=Path),
    option("--labels", "the labels of JSON lines, 1 or 2 a line", type=Path),
    options.file("--out", "where one pair of each context goes, as a gold file", required=True),
    options.file("--report", "where every round's figures go, as JSON"),
    option("--adversary", "a regression on the hypothesis' words, or on a fixed encoder's vectors "
           "of it and its context; or an encoder that is tuned anew in every round (default: "
           f"{WORDS})", choices=(WORDS, VECTORS, ENCODER), default=WORDS),
    option("--encoder", f"--adversary {ENCODER}: hub:NAME@COMMIT, package:NAME or a folder "
           f"(default: {SMALL})", metavar="SOURCE"),
    SEED,
    option("--rounds", "how many (default: the paper's 50)", type=options.count, default=50),
    flag("--to-the-letter", "exchange pairs also in rounds whose adversary is no better than a "
         "coin, as the paper's algorithm does"),
))
