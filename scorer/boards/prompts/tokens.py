"""How many tokens messages have: by a model's own tokenizer where it is at hand, else estimated.

Nothing here uses the network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.boards.prompts.prompt import Message
from scorer.core.errors import DataError, NotMeasured, UsageError
from scorer.models.sources import locate

FILE_NAME = "tokenizer.json"
CHARACTERS = 4
"""Characters of a token, where nobody has counted."""
A_MESSAGE = 4
"""Tokens that a chat's form adds for each message: an assumption, for it differs by model."""


class TokenCounter(NamedTuple):
    """A way to count, and how it is called."""

    count: Callable[[str], int]
    said: str


def estimate(text: str) -> int:
    """A token for every four characters begun.

    >>> estimate("cats are pets")
    4
    """
    return math.ceil(len(text) / CHARACTERS)


ESTIMATED = TokenCounter(estimate, f"estimated: a token for every {CHARACTERS} characters")


def tokenizer(source: str) -> TokenCounter:
    """The tokenizer of a model: a folder or file, or a source as ``--model`` has it.

    Of a hub only what is in the local cache. Raises UsageError if it cannot be had, DataError
    without the extra.
    """
    path = Path(source)
    if source.partition(":")[0] in ("hub", "package"):
        try:
            path = locate(source)
        except NotMeasured as reason:
            fault = DataError if isinstance(reason.__cause__, ImportError) else UsageError
            raise fault(str(reason).replace("--model NAME=SOURCE", "--model-tokenizer")
                        ) from reason
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise UsageError(f"{path}: no such file; --model-tokenizer takes a folder with a "
                         f"{FILE_NAME}, hub:NAME@COMMIT or package:NAME")
    try:
        from tokenizers import Tokenizer
    except ImportError as missing:
        raise DataError("--model-tokenizer needs the models extra: pip install 'whyboard[models]'"
                        ) from missing
    try:
        encoder = Tokenizer.from_file(str(path))
    except Exception as fault:  # the library raises bare ones
        raise UsageError(f"{path}: no tokenizer that can be read; name a folder with a "
                         f"{FILE_NAME}") from fault
    encoder.no_truncation()
    encoder.no_padding()

    def count(text: str) -> int:
        return len(encoder.encode(text, add_special_tokens=False).ids)

    return TokenCounter(count, f"by the tokenizer of {source}")


def of(messages: Sequence[Message], tokens: TokenCounter) -> int:
    """Tokens of the messages that ask about one item."""
    return sum(tokens.count(message.content) + A_MESSAGE for message in messages)
