"""What may not be in an archive: keys, opened gold, fetched data, and scores of items on hidden
gold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from scorer.boards import Board
from scorer.core.files import sha256
from scorer.pipeline.ci.hidden_gold import KEY
from scorer.pipeline.hidden import envelope

CHECKOUT, SITE = "checkout", "site"
"""Folders of an archive."""

_BATCH = re.compile(rf"{CHECKOUT}/annotations/batches/[a-z0-9-]+\.json")
_PRIVATE = frozenset({".whyboard", ".git", "_outcomes"})
"""Folders of fetched data, caches and what the scoring job hands over."""


class Refusals:
    """What is wrong with files of an archive, by the boards of its commit."""

    def __init__(self, boards: Sequence[Board]) -> None:
        self._fetched = {digest: board.id  # of several boards with one file the first is named
                         for board in reversed(boards) for digest in _digests(board)}
        self._private = [pattern for board in boards for pattern in _rows(board)]
        self._absent = {board.id for board in boards if board.brought}

    def of(self, path: str, content: bytes) -> Iterator[str]:
        """What a file is that may not be passed on, and what to do; nothing if it may."""
        board = self._fetched.get(sha256(content))
        if _PRIVATE & set(PurePosixPath(path).parts[:-1]):
            yield f"{path}: of a folder that never leaves this machine; remove it from git"
        elif KEY.search(content):
            yield f"{path}: holds a secret key; make a new one, and remove this one from git"
        elif _is_opened_gold(content):
            yield f"{path}: opened gold; seal it with scorer gold seal"
        elif board is not None:
            yield f"{path}: data of {board}, which may not be passed on; remove it"
        elif (asked := _board_of_batch(path, content)) in self._absent:
            yield (f"{path}: items of {asked}, whose data may not be passed on; remove the batch")
        else:
            yield from (f"{path}: {reason}" for pattern, reason in self._private
                        if pattern.fullmatch(path))


def _board_of_batch(path: str, content: bytes) -> str:
    """The board whose items a batch for annotators holds; empty if it is none."""
    if not _BATCH.fullmatch(path):
        return ""
    try:
        return str(json.loads(content)["board"])
    except (ValueError, LookupError, TypeError):
        return ""


def _digests(board: Board) -> set[str]:
    """Of the files that each user brings, and of those that are made of them."""
    made = {recipe.to for recipe in board.recipes}
    return {download.sha256 for download in board.downloads} | {
        split.sha256 for split in board.splits.values() if split.sha256 and split.file in made}


def _rows(board: Board) -> Iterator[tuple[re.Pattern[str], str]]:
    """Where rows of a board would lie whose data may not be passed on."""
    name = re.escape(board.id)
    if board.brought:
        yield (re.compile(rf"{CHECKOUT}/boards/{name}/data/.*"),
               f"data of {board.id}, which may not be passed on; remove it")
        yield (re.compile(rf"{SITE}/(?:boards/{name}/[a-z]+/\d+/.*|"
                          rf"data/{name}/[a-z]+/index\.json)"),
               f"an example of {board.id}, whose data may not be passed on; build the site without "
               "them: scorer site build --home EMPTY-FOLDER")
    hidden = [split for split, how in board.splits.items() if how.gold == "hidden"]
    if hidden:
        yield (re.compile(rf"{CHECKOUT}/results/{name}/.*/(?:{'|'.join(hidden)})\.items\.tsv"),
               f"scores of items of {board.id}, whose gold is hidden; remove it")


def _is_opened_gold(content: bytes) -> bool:
    try:
        envelope.parse(content)
    except ValueError:
        return False
    return True
