"""Where the items of a batch come from: ``batches/<batch>.key.json``.

Only validation, aggregation and rounds load a key; pages never do, for annotators must not know
whose graph they judge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, NamedTuple

from scorer.annotations.batches import KEY_SUFFIX
from scorer.annotations.forms import BATCHES
from scorer.annotations.records import BATCH_NAME, LOGIN
from scorer.errors import DataError
from scorer.files import sha256
from scorer.reading import strict_json
from scorer.reading.schema import of_node
from scorer.reading.values import Choice, Items, Text

FORMAT = "annotation-key/1"
GOLD = "gold"
"""The system of what the gold file says."""
SEED, COUNT, LABELS, ALL = "seed", "items of each system", "labels", "all"
"""What a key says of a draw: which random order, how many items, and items of which labels."""
EVERY, MADE_OF = "every item", "made of"
"""Also whether items that fail a gate were drawn too, and what they were made of, in words."""
_NUMBERED = re.compile(r"-[1-9][0-9]*$", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where one item comes from."""

    source: Annotated[str, Text(200), "Board, split and row, `explagraphs-dev:151`; batch and "
                      "item, `collect-1:a1b2c3d4`; or file and line, `pairs.tsv:12`."]
    system: Annotated[str, Text(120), "The submission, `team/system`, or `gold`."] = ""
    authors: Annotated[tuple[Annotated[str, LOGIN], ...], Items(0, 20),
                       "Annotators who wrote a version of its graph."] = ()
    label: Annotated[str, Text(40), "The gold label, where the item must not tell it."] = ""
    predictions: Annotated[str, Text(64, "[0-9a-f]{64}", "a SHA-256"), "The digest of the "
                           "submission's predictions, whose answer people read."] = ""
    topic: Annotated[str, Text(300), "What it is about, where a file of texts says so."] = ""


class Key(NamedTuple):
    """What a key says of its batch."""

    origins: Mapping[str, Origin] = {}
    """By item."""
    sampled: Mapping[str, str] = {}
    """How items were chosen, as `make-batch` writes it: SEED, LABELS and more."""

    @property
    def chosen(self) -> str:
        """Why its items are no random sample of what could be judged; empty if they are one."""
        if SEED not in self.sampled:
            return "its key does not say how its items were drawn"
        if self.sampled.get(LABELS) != ALL:
            return f"its items have chosen labels: {self.sampled.get(LABELS, '')}"
        return ""


@dataclass(frozen=True, kw_only=True)
class _KeyFile:
    """The fields of a key's file."""

    format: Annotated[str, Choice((FORMAT,)), "The format."]
    sampled: Annotated[Mapping[Annotated[str, Text(60)], Annotated[str, Text(300)]], Items(0, 20),
                       "How items were chosen, in words."] = field(default_factory=dict)
    items: Annotated[Mapping[Annotated[str, BATCH_NAME], Origin], Items(0, 1000), "Origins by "
                     "item."]


def path_of(annotations: Path, batch: str) -> Path:
    """Where the key of a batch lies."""
    return annotations / BATCHES / f"{batch}{KEY_SUFFIX}"


def read(annotations: Path, batch: str) -> Key:
    """The key of a batch; an empty one if it has none. Raises DataError for a faulty one."""
    path = path_of(annotations, batch)
    if not path.exists() and not path.is_symlink():
        return Key()
    if path.is_symlink() or not path.is_file():
        raise DataError(f"{path}: no regular file; commit the key itself")
    root, problems = strict_json.read(path.read_bytes(), str(path))
    value = None
    if root is not None:
        value, problems = of_node(_KeyFile, root, str(path))
    if value is None:
        raise DataError("\n".join(map(str, problems)))
    return Key(value.items, value.sampled)


def item_id(kind: str, seed: str, origin: Origin, name: str) -> str:
    """What an item is called: it tells annotators nothing, and binds whoever shows the key later.

    >>> item_id("verify", "1", Origin(source="board-dev:3", system="team/one"), "v-1")
    'verify-ea5ebf80'
    """
    digest = sha256(f"{seed}|{origin.source}|{origin.system}|{name}".encode())
    return f"{kind}-{digest[:8]}"


def made_as(batch: str) -> tuple[str, ...]:
    """The names that a batch may have been made by: a large one becomes several, numbered.

    >>> made_as("verify-1"), made_as("verify")
    (('verify-1', 'verify'), ('verify',))
    """
    return tuple(dict.fromkeys((batch, _NUMBERED.sub("", batch))))


def content(origins: Mapping[str, Origin], sampled: Mapping[str, str]) -> bytes:
    """A key's bytes."""
    items = {}
    for name, one in sorted(origins.items()):
        items[name] = {key: list(value) if isinstance(value, tuple) else value
                       for key, value in vars(one).items() if value}
    document = {"format": FORMAT, **({"sampled": dict(sampled)} if sampled else {}), "items": items}
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
