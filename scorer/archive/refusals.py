"""What may not be in an archive: keys, opened gold, fetched data, and rows made from such data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from scorer.archive.contents import CHECKOUT, SITE, Member
from scorer.board import Board
from scorer.files import sha256
from scorer.hidden import envelope

_PRIVATE = frozenset({".whyboard", ".git", "_outcomes"})
"""Folders of fetched data, caches and what the scoring job hands over."""
_KEY = re.compile(
    rb"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}|-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}"
)
"""An identity of age (https://age-encryption.org/v1), or a private key as PEM."""


def refusals(members: Iterable[Member], boards: Sequence[Board]) -> Iterator[str]:
    """Every file that may not be in an archive, with what it is and what to do; one line each."""
    fetched = {digest: board.id for board in boards for digest in _digests(board)}
    private = [pattern for board in boards for pattern in _rows(board)]
    for member in members:
        folders = set(PurePosixPath(member.path).parts[:-1])
        board = fetched.get(sha256(member.content))
        if folders & _PRIVATE:
            yield f"{member.path}: of a folder that never leaves this machine; remove it from git"
        elif _KEY.search(member.content):
            yield f"{member.path}: holds a secret key; make a new one, and remove this one from git"
        elif _opened(member.content):
            yield f"{member.path}: opened gold; seal it with scorer gold seal"
        elif board is not None:
            yield f"{member.path}: data of {board}, which may not be passed on; remove it"
        else:
            yield from (f"{member.path}: {said}" for pattern, said in private
                        if pattern.fullmatch(member.path))


def _digests(board: Board) -> set[str]:
    """Of the files that are fetched because they may not be part of the repository."""
    return {download.sha256 for download in board.downloads}


def _rows(board: Board) -> Iterator[tuple[re.Pattern[str], str]]:
    """Where rows of a board would lie whose data may not be passed on."""
    name = re.escape(board.id)
    if board.downloads:
        yield (re.compile(rf"{CHECKOUT}/boards/{name}/data/.*"),
               f"data of {board.id}, which may not be passed on; remove it")
        yield (re.compile(rf"{SITE}/(?:boards/{name}/[a-z]+/\d+/.*|"
                          rf"data/{name}/[a-z]+/index\.json)"),
               f"an example of {board.id}, whose data may not be passed on; build the site without "
               "them: scorer site build --home EMPTY-FOLDER")
    splits = [split for split, how in board.splits.items()
              if board.downloads or how.gold == "hidden"]
    if splits:
        yield (re.compile(rf"{CHECKOUT}/results/{name}/.*/(?:{'|'.join(splits)})\.items\.jsonl"),
               f"rows of {board.id}, whose data may not be passed on; remove it")


def _opened(content: bytes) -> bool:
    try:
        envelope.parse(content)
    except ValueError:
        return False
    return True
