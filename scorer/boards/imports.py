"""Official files that a user has, made into a board's gold files; nothing is ever fetched.

Files are known by name, in the folder itself, one folder below it, or inside its zip files. Those
with a digest in board.yaml must have it; whatever is made must be the split that board.yaml
describes. The files made go to ``<home>/data/<board>/`` and are never committed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scorer.boards import LARGEST_GOLD, Board, Import, SourceFile
from scorer.boards.golds import golds_of
from scorer.core.errors import DataError, UsageError
from scorer.core.files import sha256, write_atomically
from scorer.core.reading.tsv import File


@dataclass(frozen=True)
class Imported:
    """What became of one split."""

    split: str
    path: Path | None
    """The gold file that was written, or None."""
    items: int = 0
    said: str = ""
    """What was missing or wrong."""


def bring(board: Board, folder: Path, home: Path) -> list[Imported]:
    """Make the gold file of every split whose official files are in a folder.

    Raises UsageError if the board takes no such files, or if there is no such folder.
    """
    if not board.imports:
        raise UsageError(f"board {board.id} takes no official files; run: scorer data fetch "
                         f"{board.id}")
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name the one with the official files")
    return [_split(board, split, folder, home)
            for split in dict.fromkeys(one.split for one in board.imports)]


def _split(board: Board, split: str, folder: Path, home: Path) -> Imported:
    """One split out of the first of its imports whose files are all there and right."""
    said = []
    for one in board.imports:
        if one.split != split:
            continue
        try:
            return _made(board, one, folder, home)
        except (DataError, UsageError) as fault:
            said.append(str(fault))
    return Imported(split, None, said="; ".join(said))


def _made(board: Board, one: Import, folder: Path, home: Path) -> Imported:
    files = {file.role: _content(board, file, folder) for file in one.files}
    content = board.task.gold_of(files)
    names = " + ".join(file.name for file in one.files)
    # Which files these are is settled by their own digests, or else by that of what they make.
    described = board.split(one.split)
    known = all(file.sha256 for file in one.files)
    if described.sha256 is None and not known:
        raise DataError(f"{names}: no digest says whether these are the official files")
    made = golds_of(board, one.split, File(content, names, LARGEST_GOLD))
    assert described.file is not None
    path = home / "data" / board.id / described.file
    write_atomically(path, content)
    return Imported(one.split, path, len(made.items))


def _content(board: Board, file: SourceFile, folder: Path) -> bytes:
    """An official file's bytes. Raises DataError if there is none, or only others of its name."""
    digests = []
    for content in _called(file.name, folder):
        found = sha256(content)
        if file.sha256 in (None, found):
            return content
        digests.append(found)
    if digests:
        raise DataError(f"{file.name}: SHA-256 is {digests[0][:12]}..., board {board.id} names "
                        f"{str(file.sha256)[:12]}...")
    raise DataError(f"{file.name} is not there")


def _called(name: str, folder: Path) -> Iterator[bytes]:
    """The contents of every file of that name, the folder's own first."""
    for path in [folder / name, *sorted(folder.glob(f"*/{name}"))]:
        if path.is_file() and path.stat().st_size <= LARGEST_GOLD:
            yield path.read_bytes()
    for path in sorted(folder.glob("*.zip")):
        yield from _zipped(name, path)


def _zipped(name: str, path: Path) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                plain = not entry.is_dir() and entry.file_size <= LARGEST_GOLD
                if plain and entry.filename.rpartition("/")[2] == name:
                    with archive.open(entry) as file:
                        yield file.read(LARGEST_GOLD)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as fault:
        raise DataError(f"{path}: cannot be read as a zip file ({fault})") from fault
