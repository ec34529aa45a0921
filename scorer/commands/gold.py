"""``scorer gold``: seal, open and rotate hidden gold; score with it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options, running

if TYPE_CHECKING:
    from scorer.hidden.age import Identity

EXAMPLE = """examples:
  scorer gold key ~/whyboard.key
  scorer gold seal test.tsv --board my-board --split test --to age1... --out my-board.test.age
  scorer gold open my-board.test.age --identity ~/whyboard.key --out test.tsv
  scorer gold rotate my-board.test.age --identity ~/whyboard.key --to age1...
  scorer gold score --board my-board --split test --source age:boards/my-board/gold \\
      --history history.jsonl --as-of 2026-11-30 --results results --ledger ledger
"""


def register(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "gold", help="seal hidden gold, score with it", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="what", required=True, metavar="ACTION")
    key = actions.add_parser("key", help="write a new identity; print its public recipient")
    key.add_argument("out", type=Path, help="new file, readable by you alone")
    key.set_defaults(run=_key)
    seal = actions.add_parser("seal", help="seal a gold file; print what board.yaml names")
    seal.add_argument("gold", type=Path, help="gold file in the board's columns")
    _of_split(seal)
    _recipients(seal)
    seal.add_argument("--out", type=Path, required=True, help="the sealed file")
    seal.set_defaults(run=_seal)
    opening = actions.add_parser("open", help="open a sealed file into one only you can read")
    opening.add_argument("sealed", type=Path, help="sealed file")
    opening.add_argument("--out", type=Path, required=True, help="new file for the gold")
    opening.add_argument("--envelope", action="store_true",
                         help="with its first line, as a folder of opened gold needs it")
    _identity(opening)
    opening.set_defaults(run=_open)
    rotate = actions.add_parser("rotate", help="seal the same gold to other recipients")
    rotate.add_argument("sealed", type=Path, help="sealed file, replaced")
    _recipients(rotate)
    _identity(rotate)
    rotate.set_defaults(run=_rotate)
    _register_score(actions)


def _register_score(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    score = actions.add_parser(
        "score", help="score a hidden split and write what its policy releases")
    _of_split(score)
    score.add_argument("--source", default=os.environ.get("WHYBOARD_GOLD_SOURCE", ""),
                       metavar="SOURCE", help="folder:PATH, age:PATH or command:PROGRAM ARGS "
                       "(default: $WHYBOARD_GOLD_SOURCE)")
    score.add_argument("--history", type=Path, required=True, metavar="FILE",
                       help="JSON lines: team, system, owner, merged, predictions")
    score.add_argument("--as-of", required=True, metavar="DAY",
                       help="day of the commit that is built, YYYY-MM-DD")
    score.add_argument("--results", type=Path, required=True, metavar="DIR",
                       help="where results and sealed exact scores are written")
    score.add_argument("--ledger", type=Path, required=True, metavar="DIR",
                       help="where the query ledger is written")
    score.add_argument("--seconds", type=float, default=3600.0,
                       help="limit for one submission (3600)")
    score.add_argument("--memory", type=running.positive, metavar="GB",
                       help="most memory of the process that scores, in GiB (Linux; default: three "
                       "quarters of the machine's)")
    running.model_options(score, cached=False)
    options.submissions(score)
    options.home(score)
    _identity(score)
    score.set_defaults(run=_score)


def _of_split(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--board", required=True, help="board name or path")
    parser.add_argument("--split", required=True, choices=("train", "dev", "test"),
                        help="the split")
    options.boards(parser)


def _recipients(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", action="append", required=True, metavar="RECIPIENT",
                        help="age1... or a public SSH key, once for everybody who may open it")


def _identity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--identity", type=Path, metavar="FILE",
                        help="identity file, or to open and rotate a private SSH key without "
                        "passphrase (default: $WHYBOARD_GOLD_IDENTITY, the key itself)")


def _found(given: argparse.Namespace) -> Identity | None:
    from scorer.hidden.age import own_identity

    return own_identity(given.identity)


def _needed(given: argparse.Namespace) -> Identity:
    from scorer.hidden.faults import GoldError

    identity = _found(given)
    if identity is None:
        raise GoldError("GOLD-IDENTITY")
    return identity


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
    from scorer.hidden import age, envelope
    from scorer.hidden.faults import guarded

    content = _needed(given).open(_sealed(given), "")
    gold = guarded("GOLD-ENVELOPE", "", lambda: envelope.parse(content))
    age.write_private(given.out, gold.to_bytes() if given.envelope else gold.rows)
    print(f"{gold.board} {gold.split}\ngold_hmac: {gold.hmac}")
    return 0


def _rotate(given: argparse.Namespace) -> int:
    from scorer.files import write_atomically
    from scorer.hidden import age, envelope
    from scorer.hidden.faults import guarded

    content = _needed(given).open(_sealed(given), "")
    gold = guarded("GOLD-ENVELOPE", "", lambda: envelope.parse(content))
    write_atomically(given.sealed, age.seal(content, given.to))
    print(f"{gold.board} {gold.split}\ngold_hmac: {gold.hmac}")
    print("The old file stays readable for the old recipients wherever it was published.",
          file=sys.stderr)
    return 0


def _sealed(given: argparse.Namespace) -> bytes:
    from scorer.hidden.faults import guarded

    content: bytes = guarded("GOLD-MISSING", str(given.sealed), given.sealed.read_bytes)
    return content


def _score(given: argparse.Namespace) -> int:
    import datetime

    from scorer import board as boards
    from scorer.engines.limits import usual_memory
    from scorer.engines.quiet import no_core_file
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
    work = hidden.Scoring(board.folder.resolve(), gold, given.home, *running.models_of(given))
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
