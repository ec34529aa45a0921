"""What goes into an archive, every file of a commit and a built site, and what may not: keys,
opened gold, fetched data, and scores of items on hidden gold.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from scorer.board import Board
from scorer.ci.git import EXECUTABLE, FILE, Repository
from scorer.ci.hidden_gold import KEY
from scorer.errors import DataError, UsageError
from scorer.files import COMMIT_FILE, sha256
from scorer.hidden import envelope

CHECKOUT, SITE = "checkout", "site"
"""Folders of an archive."""


class Member(NamedTuple):
    """One file of an archive."""

    path: str
    """From the archive's top folder, with slashes."""
    content: bytes
    executable: bool = False


def of_commit(repository: Repository, commit: str) -> Iterator[Member]:
    """Every file of a commit as git has it, and one that names the commit and its day.

    Raises DataError for a link or a submodule, which would lead out of the archive.
    """
    entries = repository.tree(commit)
    for entry in entries:
        if entry.mode not in (FILE, EXECUTABLE):
            raise DataError(f"{entry.path}: a link or a submodule; replace it by a file")
    contents = repository.blobs([entry.oid for entry in entries])
    for entry in entries:
        yield Member(f"{CHECKOUT}/{entry.path}", contents[entry.oid], entry.mode == EXECUTABLE)
    yield Member(f"{CHECKOUT}/{COMMIT_FILE}", f"{commit}\n{_day(repository, commit)}\n".encode())


def _day(repository: Repository, commit: str) -> str:
    """The day of a commit (UTC), which decides who is named on the site."""
    told = repository.run("show", "--no-patch", "--format=%ct", commit).stdout
    return datetime.fromtimestamp(int(told), UTC).date().isoformat()


def of_site(folder: Path) -> Iterator[Member]:
    """Every file of a built site. Raises UsageError if there is none, or if it holds a link."""
    if not (folder / "index.html").is_file():
        raise UsageError(f"{folder}: no built site; make it with: scorer site build --out {folder}")
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place) / name
            if path.is_symlink():
                raise UsageError(f"{path}: a link; build the site again")
            yield Member(f"{SITE}/{path.relative_to(folder).as_posix()}", path.read_bytes())


_BATCH = re.compile(rf"{CHECKOUT}/annotations/batches/[a-z0-9-]+\.json")
_PRIVATE = frozenset({".whyboard", ".git", "_outcomes"})
"""Folders of fetched data, caches and what the scoring job hands over."""


def refusals(members: Iterable[Member], boards: Sequence[Board]) -> Iterator[str]:
    """Every file that may not be in an archive, with what it is and what to do; one line each."""
    fetched = {digest: board.id  # of several boards with one file the first is named
               for board in reversed(boards) for digest in _digests(board)}
    private = [pattern for board in boards for pattern in _rows(board)]
    absent = {board.id for board in boards if board.brought}
    for member in members:
        folders = set(PurePosixPath(member.path).parts[:-1])
        board = fetched.get(sha256(member.content))
        if folders & _PRIVATE:
            yield f"{member.path}: of a folder that never leaves this machine; remove it from git"
        elif KEY.search(member.content):
            yield f"{member.path}: holds a secret key; make a new one, and remove this one from git"
        elif _opened(member.content):
            yield f"{member.path}: opened gold; seal it with scorer gold seal"
        elif board is not None:
            yield f"{member.path}: data of {board}, which may not be passed on; remove it"
        elif (asked := _asked(member)) in absent:
            yield (f"{member.path}: items of {asked}, whose data may not be passed on; remove the "
                   "batch")
        else:
            yield from (f"{member.path}: {said}" for pattern, said in private
                        if pattern.fullmatch(member.path))


def _asked(member: Member) -> str:
    """The board whose items a batch for annotators holds; empty if it is none."""
    if not _BATCH.fullmatch(member.path):
        return ""
    try:
        return str(json.loads(member.content)["board"])
    except (ValueError, LookupError, TypeError):
        return ""


def _digests(board: Board) -> set[str]:
    """Of the files that each user brings, and of those that are made of them."""
    made = {recipe.to for recipe in board.recipes} | {
        board.splits[one.split].file for one in board.imports}
    brought = {file.sha256 for one in board.imports for file in one.files}
    return {digest for digest in brought if digest} | {
        download.sha256 for download in board.downloads} | {
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


def _opened(content: bytes) -> bool:
    try:
        envelope.parse(content)
    except ValueError:
        return False
    return True
