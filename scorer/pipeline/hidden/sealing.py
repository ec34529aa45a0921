"""Gold files sealed, opened and sealed again: what a person does with gold by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorer.boards import Board
from scorer.core.errors import UsageError
from scorer.core.files import write_atomically
from scorer.pipeline.hidden import age, envelope
from scorer.pipeline.hidden.age import Identity
from scorer.pipeline.hidden.envelope import Envelope
from scorer.pipeline.hidden.faults import GoldError, guarded
from scorer.pipeline.hidden.items import read_items


def seal(gold_file: Path, board: Board, split: str, recipients: Sequence[str],
         out: Path) -> Envelope:
    """Seal a gold file under a fresh key, once its rows are those of the split.

    Raises UsageError, GoldError.
    """
    described = board.split(split)
    if described.gold != "hidden":
        raise UsageError(f"{board.id} {split}: gold is {described.gold}; only hidden gold is "
                         "sealed")
    if not gold_file.is_file():
        raise UsageError(f"{gold_file}: no such file; name a gold file")
    gold = envelope.new(board.id, split, gold_file.read_bytes())
    unnamed = replace(described, gold_hmac=None)  # board.yaml may still name earlier gold
    read_items(replace(board, splits={split: unnamed}), gold)
    write_atomically(out, age.seal(gold.to_bytes(), recipients))
    return gold


def read(sealed: Path, identity: Identity | None) -> Envelope:
    """Open a sealed file. Raises GoldError."""
    if identity is None:
        raise GoldError("GOLD-IDENTITY")
    content = identity.open(guarded("GOLD-MISSING", str(sealed), sealed.read_bytes), "")
    return guarded("GOLD-ENVELOPE", "", lambda: envelope.parse(content))


def unseal(sealed: Path, identity: Identity | None, out: Path, *, whole: bool) -> Envelope:
    """Open a sealed file into a new one that only its owner can read.

    ``whole``: with the envelope's first line. Raises GoldError.
    """
    gold = read(sealed, identity)
    age.write_private(out, gold.to_bytes() if whole else gold.rows)
    return gold


def rotate(sealed: Path, identity: Identity | None, recipients: Sequence[str]) -> Envelope:
    """Seal the same gold to other recipients, in its place. Raises GoldError."""
    gold = read(sealed, identity)
    write_atomically(sealed, age.seal(gold.to_bytes(), recipients))
    return gold
