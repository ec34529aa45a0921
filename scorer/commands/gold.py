"""``scorer gold``: seal, open and rotate hidden gold; score with it."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options, running
from scorer.commands.options import Action, VerbGroup, from_environment, option

if TYPE_CHECKING:
    from scorer.hidden.age import Identity
    from scorer.hidden.envelope import Envelope


def _found(given: argparse.Namespace) -> Identity | None:
    from scorer.hidden.age import own_identity

    return own_identity(given.identity)


def _key(given: argparse.Namespace) -> int:
    from scorer.hidden import age

    text = age.new_identity()
    age.write_private(given.out, text.encode("ascii"))
    print(age.Identity(text).recipient)
    return 0


def _seal(given: argparse.Namespace) -> int:
    from dataclasses import replace

    from scorer import board as boards
    from scorer.errors import UsageError
    from scorer.files import write_atomically
    from scorer.hidden import age, envelope
    from scorer.hidden.items import read_items

    board = boards.load(given.board, given.boards)
    if board.split(given.split).gold != "hidden":
        raise UsageError(f"{board.id} {given.split}: gold is {board.split(given.split).gold}; "
                         "only hidden gold is sealed")
    if not given.gold.is_file():
        raise UsageError(f"{given.gold}: no such file; name a gold file")
    gold = envelope.new(board.id, given.split, given.gold.read_bytes())
    renamed = replace(board.split(given.split), gold_hmac=None)  # that of earlier gold
    read_items(replace(board, splits={given.split: renamed}), gold)
    write_atomically(given.out, age.seal(gold.to_bytes(), given.to))
    print(f"gold_hmac: {gold.hmac}")
    return 0


def _open(given: argparse.Namespace) -> int:
    from scorer.hidden import age

    gold = _opened(given)
    age.write_private(given.out, gold.to_bytes() if given.envelope else gold.rows)
    print(f"{gold.board} {gold.split}\ngold_hmac: {gold.hmac}")
    return 0


def _rotate(given: argparse.Namespace) -> int:
    from scorer.files import write_atomically
    from scorer.hidden import age

    gold = _opened(given)
    write_atomically(given.sealed, age.seal(gold.to_bytes(), given.to))
    print(f"{gold.board} {gold.split}\ngold_hmac: {gold.hmac}")
    print("The old file stays readable for the old recipients wherever it was published.",
          file=sys.stderr)
    return 0


def _opened(given: argparse.Namespace) -> Envelope:
    from scorer.hidden import envelope
    from scorer.hidden.faults import GoldError, guarded

    identity = _found(given)
    if identity is None:
        raise GoldError("GOLD-IDENTITY")
    sealed = guarded("GOLD-MISSING", str(given.sealed), given.sealed.read_bytes)
    content = identity.open(sealed, "")
    return guarded("GOLD-ENVELOPE", "", lambda: envelope.parse(content))


def _score(given: argparse.Namespace) -> int:
    import datetime

    from scorer import board as boards
    from scorer.engines.process import no_core_file, usual_memory
    from scorer.errors import UsageError
    from scorer.hidden import scoring as hidden
    from scorer.hidden import sources
    from scorer.hidden.release import history

    no_core_file()
    identity = _found(given)
    board = boards.load(given.board, given.boards)
    try:
        as_of = datetime.date.fromisoformat(given.as_of)
        entries = history.read(given.history.read_bytes(), str(given.history))
    except ValueError as fault:
        raise UsageError(f"--as-of {given.as_of!r}: write YYYY-MM-DD") from fault
    except OSError as fault:
        raise UsageError(f"{given.history}: cannot be read ({fault.strerror})") from fault
    if board.split(given.split).gold != "hidden":
        raise UsageError(f"{board.id} {given.split}: gold is not hidden; use scorer score")
    gold = sources.opened(sources.named(given.source, identity), board.id, given.split)
    work = hidden.HiddenScoring(board.folder.resolve(), gold, given.home, *running.models_of(given))
    places = hidden.Places(given.submissions, given.results, given.ledger, given.home)
    outcomes = hidden.score_split(board, gold, entries, places, as_of=as_of, identity=identity,
                                  work=work, seconds=given.seconds,
                                  memory=given.memory or usual_memory())
    for outcome in outcomes:
        if outcome.fault is not None:
            print(f"{outcome.entry.name}: {outcome.fault}", file=sys.stderr)
        else:
            assert outcome.decision is not None
            print(f"{outcome.entry.name}: {outcome.decision.word}")
    return max((one.fault.exit_code for one in outcomes if one.fault is not None), default=0)


_SPLIT = (option("--board", required=True, help="board name or path"), options.split,
          options.boards)
_TO = option("--to", action="append", required=True, metavar="RECIPIENT",
             help="age1... or a public SSH key, once for everybody who may open it")
_IDENTITY = option("--identity", type=Path, metavar="FILE",
                   help="identity file, or to open and rotate a private SSH key without "
                   "passphrase (default: $WHYBOARD_GOLD_IDENTITY, the key itself)")
_SEALED = option("sealed", type=Path, help="sealed file")
VERB = VerbGroup("gold", "seal hidden gold, score with it", (
    Action("key", "write a new identity; print its public recipient", _key,
           "scorer gold key ~/whyboard.key",
           (option("out", type=Path, help="new file, readable by you alone"),)),
    Action("seal", "seal a gold file; print what board.yaml names", _seal,
           "scorer gold seal test.tsv --board my-board --split test --to age1... "
           "--out my-board.test.age", (
               option("gold", type=Path, help="gold file in the board's columns"), *_SPLIT, _TO,
               option("--out", type=Path, required=True, help="the sealed file"))),
    Action("open", "open a sealed file into one only you can read", _open,
           "scorer gold open my-board.test.age --identity ~/whyboard.key --out test.tsv", (
               _SEALED, _IDENTITY,
               option("--out", type=Path, required=True, help="new file for the gold"),
               option("--envelope", action="store_true",
                      help="with its first line, as a folder of opened gold needs it"))),
    Action("rotate", "seal the same gold to other recipients, in its place", _rotate,
           "scorer gold rotate my-board.test.age --identity ~/whyboard.key --to age1...",
           (_SEALED, _TO, _IDENTITY)),
    Action("score", "score a hidden split and write what its policy releases", _score,
           "scorer gold score --board my-board --split test --source age:boards/my-board/gold "
           "\\\n    --history history.jsonl --as-of 2026-11-30 --results results "
           "--ledger ledger", (
               *_SPLIT, options.submissions, options.home, _IDENTITY,
               partial(running.model_options, cached=False),
               from_environment("--source", "WHYBOARD_GOLD_SOURCE", "", metavar="SOURCE",
                                help="folder:PATH, age:PATH or command:PROGRAM ARGS (default: "
                                "$WHYBOARD_GOLD_SOURCE)"),
               option("--history", type=Path, required=True, metavar="FILE",
                      help="JSON lines: team, system, owner, merged, predictions"),
               option("--as-of", required=True, metavar="DAY",
                      help="day of the commit that is built, YYYY-MM-DD"),
               option("--results", type=Path, required=True, metavar="DIR",
                      help="where results and sealed exact scores are written"),
               option("--ledger", type=Path, required=True, metavar="DIR",
                      help="where the query ledger is written"),
               option("--seconds", type=float, default=3600.0,
                      help="limit for one submission (default: 3600)"),
               option("--memory", type=running.positive, metavar="GB",
                      help="most memory of the process that scores, in GiB (Linux; default: "
                      "three quarters of the machine's)"))),
))
