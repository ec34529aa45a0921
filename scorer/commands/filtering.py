"""``scorer filter``: of many hypotheses a context, keep the two that are hard to tell apart."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import running
from scorer.commands.options import Action, option
from scorer.commands.training import SMALL, in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.lab.systems.filtering import Adversary, Candidate

WORDS, VECTORS, ENCODER = "words", "minilm-l6", "encoder"
TUNED = ("encoder", "every_weight", "epochs")
"""Options of the last."""


def run(args: argparse.Namespace) -> int:
    """Filter, write the pairs and what every round did."""
    from scorer.core.errors import UsageError

    for name in TUNED:
        if args.adversary != ENCODER and getattr(args, name) not in (None, False):
            raise UsageError(f"--{name.replace('_', '-')} is for --adversary {ENCODER}; leave it "
                             "out")
    with in_words("nothing was filtered"):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from scorer.core.files import json_bytes, write_atomically
    from scorer.lab.systems import filtering

    read = filtering.read(args.file, args.labels)
    settings = filtering.FilterSettings(rounds=args.rounds, seed=args.seed,
                                        level=None if args.to_the_letter else filtering.LEVEL)
    adversary = _adversary(args, read.candidates)
    pairs = filtering.first_pairs(read.pools)
    before = filtering.told_apart(pairs, adversary, args.seed)
    print(f"{len(read.pools)} contexts, {len(read.candidates)} hypotheses; the adversary "
          f"({args.adversary}) tells {before:.3f} of the first pairs apart")
    print("round  temperature  told apart  exchanged")
    rounds = []
    for one in filtering.rounds(read.pools, pairs, adversary, settings):
        print(f"{one.number:5d}  {one.temperature:11.6f}  {one.right / max(1, one.asked):10.3f}  "
              f"{one.exchanged:9d}", flush=True)
        rounds.append(one._asdict())
    after = filtering.told_apart(pairs, adversary, args.seed)
    write_atomically(args.out, filtering.written(read, pairs, args.seed))
    print(f"{args.out}: {len(pairs)} pairs, of which a new adversary tells {after:.3f} apart")
    if args.report:
        tuned: dict[str, Any] = {} if args.adversary != ENCODER else {
            "encoder": args.encoder or SMALL, "every_weight": args.every_weight,
            "epochs": args.epochs}
        write_atomically(args.report, json_bytes({
            "adversary": args.adversary, "seed": args.seed, "contexts": len(read.pools),
            "hypotheses": len(read.candidates), "told_apart_before": round(before, 6),
            "told_apart_after": round(after, 6), "rounds": rounds, **tuned,
        }))
    return 0


def _adversary(args: argparse.Namespace, candidates: Sequence[Candidate]) -> Adversary:
    """The one asked for. Raises NotMeasured or ImportError where this machine lacks something."""
    from scorer.lab.systems import filtering
    from scorer.lab.systems.records import Request
    from scorer.models.registry import Models

    if args.adversary == WORDS:
        return filtering.words(candidates)
    if args.adversary == VECTORS:
        sources, how = running.models_of(args)
        return filtering.encoded(candidates, Models(sources, **how)(VECTORS))
    from scorer.lab.systems import choices

    return choices.adversary(candidates, Request(
        args.encoder or SMALL, Path(), args.seed, args.epochs, args.every_weight))


VERB = Action(
    "filter", "keep the pair of hypotheses of each context that a model finds hardest", run, """\
scorer filter pairs.tsv --out filtered.tsv
scorer filter train.jsonl --labels train-labels.lst --out filtered.tsv --report filtered.json""", (
    option("file", type=Path,
           help="pairs of hypotheses, several of one context: a gold file of an aNLI board, or "
           "JSON lines as ART's train.jsonl"),
    option("--labels", type=Path, help="the labels of JSON lines, 1 or 2 a line"),
    option("--out", type=Path, required=True, metavar="FILE",
           help="where one pair of each context goes, as a gold file"),
    option("--report", type=Path, metavar="FILE", help="where every round's figures go, as JSON"),
    option("--adversary", choices=(WORDS, VECTORS, ENCODER), default=WORDS,
           help="a regression on the hypothesis' words, or on a fixed encoder's vectors of it and "
           f"its context; or an encoder that is tuned anew in every round (default: {WORDS})"),
    option("--encoder", metavar="SOURCE",
           help=f"what --adversary {ENCODER} tunes: hub:NAME@COMMIT, package:NAME or a folder "
           f"(default: {SMALL})"),
    option("--every-weight", action="store_true",
           help=f"--adversary {ENCODER}: train every weight, not low-rank adapters"),
    option("--epochs", type=running.count,
           help=f"--adversary {ENCODER}: at most so many in a round (default: the system's own)"),
    option("--rounds", type=running.count, default=50, help="how many (default: the paper's 50)"),
    option("--to-the-letter", action="store_true",
           help="exchange pairs also in rounds whose adversary is no better than a coin, as the "
           "paper's algorithm does"),
    option("--seed", type=running.seed, default=5, help="decides all chance (default: 5)"),
    partial(running.model_options, cached=False),
))
