"""Whether a batch of systems' answers is what its seed draws: it is made again from the board and
the submissions, and compared. A key that names another system, row or label is found out so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer import board as boards
from scorer.annotations import keys, making
from scorer.annotations.keys import ALL, COUNT, EVERY, GOLD, LABELS, MADE_OF, SEED, Key
from scorer.annotations.records import TRIPLETS, Batch, Form, Item
from scorer.board import Board
from scorer.errors import DataError, SubmissionError, UsageError, excerpt
from scorer.files import sha256_file
from scorer.reading.values import is_slug
from scorer.submission import SUBMISSIONS, predictions_path


@dataclass(frozen=True)
class Drawing:
    """What batches are made of."""

    root: Path
    """A checkout: its boards and submissions."""
    home: Path
    """Where fetched data lie."""

    def why_not(self, form: Form, batch: Batch, key: Key) -> str:
        """What its seed does not draw of a batch; empty if it does, or if nobody can tell.

        Nobody can where a key names no seed or no system, and where the board or its gold are not
        at hand, nor of systems whose predictions, as people read them, are not. Raises DataError
        for a board.yaml or gold with faults.
        """
        named = {(one.system, one.predictions) for one in key.origins.values() if one.system}
        systems = dict(sorted(named))
        if SEED not in key.sampled or not systems or any(
                one.kind == TRIPLETS for one in form.item):
            return ""
        unnamed = sorted(name for name, digest in systems.items() if not digest and name != GOLD)
        if unnamed:
            return f"{excerpt(unnamed[0], 60)} without the digest of its predictions"
        if len(named) > len(systems):
            return "several predictions of one system"
        if len({one.source.rpartition(":")[0] for one in key.origins.values()}) > 1:
            return "items of several splits"
        try:
            sources = self._sources(key, systems)
            same = not sources or any(self._is_drawn(name, form, batch, key, sources)
                                      for name in keys.made_as(batch.name))
        except (UsageError, SubmissionError) as fault:
            return f"a draw that cannot be made again ({excerpt(str(fault), 200)[1:-1]})"
        return "" if same else "other items or origins than its seed draws"

    @staticmethod
    def _is_drawn(name: str, form: Form, batch: Batch, key: Key,
                  sources: Sequence[making.Source]) -> bool:
        """Whether a batch that was made by a name is what the key's seed draws from sources."""
        labels = key.sampled.get(LABELS, "")
        items = None if key.sampled.get(COUNT) == ALL else _number(key, COUNT)
        if items is not None and items < 1:
            raise UsageError(f"{COUNT}: {items}")
        made = making.make(making.Wanted(
            name=name, form=form, board=batch.board, made_of=key.sampled.get(MADE_OF, ""),
            seed=_number(key, SEED), items=items,
            labels=() if labels == ALL else labels.split(", "), needed=batch.needed,
            topics=[topic.text for topic in batch.topics], licence=batch.licence,
            every=EVERY in key.sampled), sources)
        drawn = {source.system for source in sources}
        origins = {item: one for item, one in key.origins.items() if one.system in drawn}
        shown = tuple(item for item in batch.items if item.id in origins)
        says = keys.content(origins, key.sampled)
        exact = any(one.items == shown and content == says
                    for one, _, content in made.batches if one.name == batch.name)
        if name == batch.name or drawn >= {one.system for one in key.origins.values()} - {""}:
            return exact
        return _may_be_a_part(shown, says, made.batches)

    def _sources(self, key: Key, systems: dict[str, str]) -> list[making.Source]:
        """The answers of those systems that are at hand as people read them."""
        place = next(iter(key.origins.values())).source.rpartition(":")[0]
        name, _, split = place.rpartition("-")
        if name not in boards.known_boards(self.root / "boards"):
            return []
        try:
            board = boards.load(name, self.root / "boards")
        except (UsageError, SubmissionError) as fault:
            raise DataError(str(fault)) from fault
        if split not in board.splits or (board.split(split).gold == "public"
                                         and board.data_file(split, self.home) is None):
            return []
        golds = making.golds_of(board, split, self.home)
        found = []
        for system, digest in sorted(systems.items()):
            if system == GOLD:
                found.append(making.of_gold(board, golds, split))
            elif (folder := self._folder(board, system, split, digest)) is not None:
                found.append(making.of_submission(board, golds, folder, split,
                                                  every=EVERY in key.sampled))
        return found

    def _folder(self, board: Board, system: str, split: str, digest: str) -> Path | None:
        """A submission with these predictions; None if there is none."""
        if not all(map(is_slug, system.split("/"))):
            return None
        folder = self.root / SUBMISSIONS / board.id / system
        path = predictions_path(folder, split)
        return folder if path.is_file() and sha256_file(path) == digest else None


def _number(key: Key, name: str) -> int:
    """What a key says of a draw in a number. Raises UsageError."""
    try:
        return int(key.sampled.get(name, ""))
    except ValueError:
        raise UsageError(f"{name}: no number") from None


def _may_be_a_part(shown: tuple[Item, ...], says: bytes,
                   drawn: Sequence[tuple[Batch, object, bytes]]) -> bool:
    """Whether items of a numbered batch and what its key says of them can be of these batches.

    Where one of several parts begins hangs on all systems, also on those not at hand.
    """
    whole = tuple(item for one, _, _ in drawn for item in one.items)
    part, others = json.loads(says), [json.loads(content) for _, _, content in drawn]
    every = {item: one for other in others for item, one in other["items"].items()}
    return (_is_run(shown, whole) and part["items"].items() <= every.items()
            and all(other["sampled"] == part["sampled"] for other in others))


def _is_run(some: tuple[Item, ...], every: tuple[Item, ...]) -> bool:
    """Whether items follow each other so among all."""
    start = every.index(some[0]) if some and some[0] in every else 0
    return every[start : start + len(some)] == some
