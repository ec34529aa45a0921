"""``scorer gold``: seal, open and rotate hidden gold; see what a submission would have released."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, Args, VerbGroup, from_environment, option

if TYPE_CHECKING:
    from scorer.pipeline.hidden.sealed import Envelope


def _key(args: Args) -> None:
    from scorer.pipeline.hidden import sealed

    text = sealed.new_identity()
    sealed.write_private(args.out, text.encode("ascii"))
    print(sealed.Identity(text).recipient)


def _seal(args: Args) -> None:
    from scorer.pipeline.hidden import sealed

    board = options.board_of(args)
    gold = sealed.seal(args.gold, board, args.split, args.to, args.out)
    print(f"gold_hmac: {gold.hmac}")


def _open(args: Args) -> None:
    from scorer.pipeline.hidden import sealed

    gold = sealed.unsealed(args.sealed, sealed.own_identity(args.identity), str(args.sealed))
    sealed.write_private(args.out, gold.rows)
    _describe(gold)


def _rotate(args: Args) -> None:
    from scorer.pipeline.hidden import sealed

    gold = sealed.rotate(args.sealed, sealed.own_identity(args.identity), args.to)
    print("The old file stays readable for the old recipients wherever it was published.",
          file=sys.stderr)
    _describe(gold)


def _describe(gold: Envelope) -> None:
    print(f"{gold.board} {gold.split}\ngold_hmac: {gold.hmac}")


def _score(args: Args) -> None:
    from scorer.pipeline.ci.score import LONGEST
    from scorer.pipeline.hidden import sealed
    from scorer.pipeline.hidden.scoring import HiddenScoring, score_folder
    from scorer.scoring.engines.process import no_core_file, usual_memory

    no_core_file()
    board = options.board_of(args)
    identity = sealed.own_identity(args.identity)
    gold = sealed.opened(args.source, identity, board, args.split, args.home)
    work = HiddenScoring(board.folder.resolve(), gold, args.home, *options.models_of(args))
    result = score_folder(work, args.submission, LONGEST, usual_memory())
    options.write_json("-", result.to_json())


_SPLIT = (options.board, options.split, options.boards)
_TO = option("--to", "age1..., once for everybody who may open it", action="append", required=True,
             metavar="RECIPIENT")
_IDENTITY = options.file("--identity", "identity file (default: $WHYBOARD_GOLD_IDENTITY, the key "
                         "itself)")
_SEALED = option("sealed", "sealed file", type=Path)
GOLD = VerbGroup((
    Action("key", "write a new identity; print its public recipient", _key,
           "scorer gold key ~/whyboard.key",
           (option("out", "new file, readable by you alone", type=Path),)),
    Action("seal", "seal a gold file; print what board.yaml names", _seal, """\
scorer gold seal test.tsv --board my-board --split test --to age1... --out my-board.test.age""", (
        option("gold", "gold file in the board's columns", type=Path), *_SPLIT, _TO,
        option("--out", "the sealed file", type=Path, required=True))),
    Action("open", "open a sealed file into one only you can read", _open,
           "scorer gold open my-board.test.age --identity ~/whyboard.key --out test.tsv", (
        _SEALED, _IDENTITY,
        option("--out", "new file for the gold", type=Path, required=True))),
    Action("rotate", "seal the same gold to other recipients, in its place", _rotate,
           "scorer gold rotate my-board.test.age --identity ~/whyboard.key --to age1...",
           (_SEALED, _TO, _IDENTITY)),
    Action("score", "print the result that would be released of a submission", _score, """\
scorer gold score submissions/my-board/team/system --board my-board --split test \\
    --source age:gold""", (
        option("submission", "the submission's folder", type=Path),
        *_SPLIT, options.home, _IDENTITY,
        *options.model_options(cached=False),
        from_environment("--source", "WHYBOARD_GOLD_SOURCE", "", metavar="SOURCE",
                         help="age:PATH, the folder of sealed gold (default: "
                         "$WHYBOARD_GOLD_SOURCE)"))),
))
