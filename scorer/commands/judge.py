"""``scorer judge``: train a judge model, or measure one, and write its card; show a prompt."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, Args, VerbGroup, flag, option
from scorer.core.errors import UsageError, printable
from scorer.core.records import TextPair
from scorer.lab.systems.registry import SMALL

if TYPE_CHECKING:
    from scorer.models.judge_card import Card

PAPER = {"seca": 3, "ea": 6}
"""Epochs of the released judges, at rate 1e-5 in batches of 32."""
ADAPTER = {"seca": 5, "ea": 8}
"""Epochs of the judges that come with the program."""
RANK = 8
"""Of the adapters of ``--lora``."""


def _train(args: Args) -> None:
    from scorer.lab.systems.records import in_words

    if args.start and not args.lora:
        raise UsageError("--start needs --lora: only an adapter starts from another one")
    with in_words("no judge was trained"):
        from scorer.lab.training.train import SMALL_EPOCH, TrainingSettings, train_judge

        settings = TrainingSettings(
            epochs=args.epochs or (ADAPTER if args.lora else PAPER)[args.name],
            learning_rate=args.learning_rate or (5e-4 if args.lora else 1e-5),
            seed=args.seed, rank=RANK if args.lora else None, patience=3,
            most=SMALL_EPOCH if args.name == "seca" else {}, bfloat16=args.bf16)
        card = train_judge(args.name, args.base, args.data, args.out, settings,
                           command=_command(), start=args.start)
    _print(card)


def _evaluate(args: Args) -> None:
    from scorer.lab.systems.records import in_words

    with in_words("the judge was not measured"):
        from scorer.lab.training.evaluate import measure

        card = measure(args.name, args.judge, args.data, args.out, seed=args.seed,
                       command=_command(), cache=args.home / "answers.sqlite")
    _print(card)


def _prompt(args: Args) -> None:
    from scorer.lab.systems.records import in_words
    from scorer.models import endpoint
    from scorer.models.known import Machine

    described = endpoint.read(args.judge, args.name)
    digest = described.weights
    print(f"{described.tag(digest, Machine())}\ndigest {digest}")
    print(printable(json.dumps(json.loads(described.body(EXAMPLE)), indent=2)))
    if args.ask:
        with in_words("there is no answer"):
            from scorer.models.endpoint_judge import EndpointJudge
            from scorer.models.text_cache import TextCache

            print(printable(EndpointJudge(described, TextCache(None)).trial(EXAMPLE)))


def _command() -> str:
    """The command as it was given, without the folders of this machine."""
    words = ["scorer"]
    for word in sys.argv[1:]:
        kind = next((kind for kind in ("adapter:", "endpoint:") if word.startswith(kind)), "")
        path = Path(word.removeprefix(kind))
        words.append(f"{kind}{path.name}" if path.is_absolute() else word)
    return " ".join(words)


def _print(card: Card) -> None:
    print(f"{card.judge} judge {card.name}, weights {card.weights[:12]}")
    for result in card.evaluations:
        print(f"  {result.name}: right {result.right}")
    if card.fitness is not None:
        for check in card.fitness.checks:
            print(f"  {'passed' if check.passed else 'FAILED'}: {check.name} {check.found}; "
                  f"asked: {check.demand}")
        print(f"  {card.fitness.verdict}{'' if card.fitness.fit else ': SeCA stays unranked'}")


_NAME = option("name", "which judge", choices=("seca", "ea"))
EXAMPLE = TextPair("cats are good pets",
                   "(cats; capable of; purr)(purr; at location; home)(home; used for; pets)")
"""What ``scorer judge prompt`` shows."""
_COMMON = (
    _NAME,
    options.folder("--data", "folder with train.tsv, dev.tsv and refinement_graphs_train.tsv",
                   required=True),
    options.folder("--out", "folder for the judge and its card.json", required=True),
    option("--seed", "decides which beliefs are held out, and all chance (default: 5); a judge "
           "with a card keeps its own", type=options.seed, default=5),
)
JUDGE = VerbGroup((
    Action("train", "train a judge on a board's files", _train,
           "scorer judge train seca --lora --data .whyboard/data/explagraphs "
           "--out judges/seca-small\nscorer judge train seca --base "
           "hub:FacebookAI/roberta-large@COMMIT --data DIR --out judges/seca", (
        *_COMMON,
        option("--base", f"hub:NAME@COMMIT, package:NAME or a folder (default: {SMALL})",
               default=SMALL, metavar="SOURCE"),
        flag("--lora", "train low-rank adapters alone; without it every weight"),
        option("--epochs", "at most so many (default: the paper's 3 for seca and 6 for ea; with "
               "--lora 5 and 8)", type=options.count),
        option("--learning-rate", "default: 1e-5; with --lora 5e-4", type=options.share),
        options.folder("--start", "with --lora, start from the adapter in this folder, such as the "
                       "EA judge's for SeCA"),
        flag("--bf16", "compute in bfloat16"))),
    Action("evaluate", "measure a judge and write its card", _evaluate, """\
scorer judge evaluate ea --judge judges/ea-released --data DIR --out judges/ea-released""", (
        *_COMMON, options.home,
        option("--judge", "adapter:FOLDER, hub:NAME@COMMIT, endpoint:FILE.yaml or a folder",
               required=True, metavar="SOURCE"))),
    Action("prompt", "print what a judge behind an endpoint is sent", _prompt, """\
scorer judge prompt seca --judge endpoint:seca.yaml
scorer judge prompt seca --judge endpoint:seca.yaml --ask""", (
        _NAME,
        option("--judge", "the file with its address, model and prompt", required=True,
               metavar="endpoint:FILE"),
        flag("--ask", "send it, and print the answer"))),
))
