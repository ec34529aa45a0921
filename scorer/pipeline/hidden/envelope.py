"""Gold as it is sealed: the rows with a first line that binds them to a board, a split and a key.

    whyboard-gold 1 <board> <split> <64 hexadecimal digits>

The digits are a random key that nobody sees without opening the envelope. Published is the HMAC of
the rows under that key: a plain digest of a small label file could be found by trying labels.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

from scorer.core.records import SPLITS

_HEAD = re.compile(rb"whyboard-gold 1 ([a-z0-9-]{1,40}) (%s) ([0-9a-f]{64})\n"
                   % "|".join(SPLITS).encode())


@dataclass(frozen=True)
class Envelope:
    """Opened gold. Its text form shows neither rows nor key."""

    board: str
    split: str
    rows: bytes = field(repr=False)
    """A gold file in the board's columns."""
    key: bytes = field(repr=False)
    """32 random bytes."""

    @property
    def hmac(self) -> str:
        """What may be published: HMAC-SHA256 of board, split and rows, 64 hexadecimal digits."""
        named = f"{self.board} {self.split}\n".encode()
        return hmac.new(self.key, named + self.rows, hashlib.sha256).hexdigest()

    def to_bytes(self) -> bytes:
        """The envelope as it is sealed."""
        return f"whyboard-gold 1 {self.board} {self.split} {self.key.hex()}\n".encode() + self.rows


def new(board: str, split: str, rows: bytes) -> Envelope:
    """An envelope with a fresh key."""
    return Envelope(board, split, rows, secrets.token_bytes(32))


def parse(content: bytes) -> Envelope:
    """The envelope of some bytes. Raises ValueError without quoting them."""
    head = _HEAD.match(content)
    if head is None:
        raise ValueError("no envelope")
    board, split, key = (part.decode("ascii") for part in head.groups())
    return Envelope(board, split, content[head.end():], bytes.fromhex(key))
