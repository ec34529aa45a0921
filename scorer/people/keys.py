"""Where the items of a batch come from: ``batches/<batch>.key.json``.

Only validation, aggregation and rounds load a key; pages never do, for annotators must not know
whose graph they judge. The batch names the digest of its key, so a key with one other origin is
found. Keys are the organisers' own: that a seed drew what it says is their word.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from scorer.core.errors import DataError, Problem
from scorer.core.files import sha256
from scorer.core.reading import strict_json
from scorer.core.reading.schema import of_node
from scorer.core.reading.values import Choice, Items, Text
from scorer.people.batches import KEY_SUFFIX
from scorer.people.forms import BATCHES
from scorer.people.records import BATCH_NAME, LOGIN, SHA256, Batch

FORMAT = "annotation-key/1"
GOLD = "gold"
"""The system of what the gold file says."""
SEED, COUNT, LABELS, ALL = "seed", "items of each system", "labels", "all"
"""What a key says of a draw: which random order, how many items, and items of which labels."""
EVERY, MADE_OF = "every item", "made of"
"""Also whether items that fail a gate were drawn too, and what they were made of, in words."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where one item comes from."""

    source: Annotated[str, Text(200), "Board, split and row, `explagraphs-dev:151`; batch and "
                      "item, `collect-1:a1b2c3d4`; or file and line, `pairs.tsv:12`."]
    system: Annotated[str, Text(120), "The submission, `team/system`, or `gold`."] = ""
    authors: Annotated[tuple[Annotated[str, LOGIN], ...], Items(0, 20),
                       "Annotators who wrote a version of its graph."] = ()
    label: Annotated[str, Text(40), "The gold label, where the item must not tell it."] = ""
    predictions: Annotated[str, SHA256, "The digest of the submission's predictions, whose answer "
                           "people read."] = ""
    topic: Annotated[str, Text(300), "What it is about, where a file of texts says so."] = ""


@dataclass(frozen=True)
class Key:
    """What a key says of its batch, as its file has it."""

    format: Annotated[str, Choice((FORMAT,)), "The format."]
    sampled: Annotated[Mapping[Annotated[str, Text(60)], Annotated[str, Text(300)]], Items(0, 20),
                       "How items were chosen, as `make-batch` writes it."]
    items: Annotated[Mapping[Annotated[str, BATCH_NAME], Origin], Items(0, 1000), "Origins by "
                     "item."]

    @property
    def chosen(self) -> str:
        """Why its items are no random sample of what could be judged; empty if they are one."""
        labels = self.sampled.get(LABELS, "not said which")
        return "" if labels == ALL else f"its items have chosen labels: {labels}"


def path_of(annotations: Path, batch: str) -> Path:
    """Where the key of a batch lies."""
    return annotations / BATCHES / f"{batch}{KEY_SUFFIX}"


def read(annotations: Path, name: str, batch: Batch | None = None) -> Key:
    """The key of a batch; an empty one if it has none.

    ``batch``: held against the key, if given. Raises DataError for a faulty key.
    """
    key, problems = examined(annotations, name, batch)
    if problems:
        raise DataError("\n".join(map(str, problems)))
    return key


def examined(annotations: Path, name: str, batch: Batch | None) -> tuple[Key, list[Problem]]:
    """The key of a batch, and everything that is wrong with it."""
    path = path_of(annotations, name)
    if not path.is_file():
        return Key(FORMAT, {}, {}), []
    content = path.read_bytes()
    root, problems = strict_json.read(content, str(path))
    key = None
    if root is not None:
        key, problems = of_node(Key, root, str(path))
    if key is None:
        return Key(FORMAT, {}, {}), problems
    return key, [*_misfits(path, key, sha256(content), batch)]


def _misfits(path: Path, key: Key, digest: str, batch: Batch | None) -> Iterator[Problem]:
    if SEED not in key.sampled:
        yield _problem(path, "no seed", f'"sampled" with "{SEED}"', "make the batch again")
    if batch is not None and digest != batch.key_sha256:
        yield _problem(path, f"a key with SHA-256 {digest[:12]}...",
                       f"the key that was made with the batch, {batch.key_sha256[:12]}..."
                       if batch.key_sha256 else "a batch that names its key_sha256",
                       "bring back the key, or make the batch again")


def _problem(path: Path, found: str, expected: str, advice: str) -> Problem:
    return Problem(str(path), 1, 1, "META-VALUE", found, expected, advice)


def item_id(kind: str, seed: str, origin: Origin, name: str) -> str:
    """What an item is called, which tells annotators nothing.

    >>> item_id("verify", "1", Origin(source="board-dev:3", system="team/one"), "v-1")
    'verify-ea5ebf80'
    """
    digest = sha256(f"{seed}|{origin.source}|{origin.system}|{name}".encode())
    return f"{kind}-{digest[:8]}"


def content(origins: Mapping[str, Origin], sampled: Mapping[str, str]) -> bytes:
    """A key's bytes."""
    items = {}
    for name, one in sorted(origins.items()):
        items[name] = {key: list(value) if isinstance(value, tuple) else value
                       for key, value in vars(one).items() if value}
    document = {"format": FORMAT, "sampled": dict(sampled), "items": items}
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
