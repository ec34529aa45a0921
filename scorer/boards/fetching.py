"""Fetching a board's files: at a fixed commit, checked by digest, never half written.

Files go to ``<home>/data/<board>/`` and are never committed. They come from the network, or from a
folder, in whose zip files they may be too.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from scorer.boards import Board, Download
from scorer.boards.golds import public_golds
from scorer.boards.importing import make
from scorer.boards.item_files import read_answers, read_ratings
from scorer.core.errors import DataError, UsageError
from scorer.core.files import sha256, sha256_file, write_atomically

LARGEST = 256 * 1024 * 1024

BLOCK = 64 * 1024
MOST_FILES = 50_000
"""Files below a folder that are looked at."""

TIMEOUT = 10.0
"""Seconds to wait for an answer."""


@dataclass(frozen=True)
class Fetched:
    """What became of a board's files."""

    written: tuple[Path, ...]
    """Downloads that were written."""
    missing: tuple[str, ...]
    """Of each download that a folder lacks, and may lack: that it does."""
    made: Mapping[Path, int]
    """Files that were made of downloads, and how many rows each has."""


def complete(board: Board, home: Path) -> bool:
    """Whether nothing is left to fetch, or to make of what can be fetched."""
    folder, have = home / "data" / board.id, present(board, home)
    return (all(download.path in have for download in board.downloads if download.url)
            and all((folder / recipe.to).is_file() for recipe in board.recipes
                    if {*recipe.files} <= {*have}))


def present(board: Board, home: Path) -> list[str]:
    """The paths of those downloads that are there with the right digest."""
    folder = home / "data" / board.id
    return [
        download.path
        for download in board.downloads
        if (folder / download.path).is_file()
        and sha256_file(folder / download.path) == download.sha256
    ]


def fetch(board: Board, home: Path, *, source: Path | None = None, partly: bool = False
          ) -> Fetched:
    """Bring every file of a board that is not there yet, and make of them what board.yaml says.

    ``source``: a folder; else each file's own URL. ``partly``: a folder may lack every file. Raises
    DataError naming every file that failed, and everything that cannot be made of the others.
    """
    if not board.downloads:
        raise UsageError(f"board {board.id} carries its data; there is nothing to fetch")
    folder = home / "data" / board.id
    have = set(present(board, home))
    written, faults, missing = [], [], []
    lacking = [download for download in board.downloads if download.path not in have]
    below = _below(source, home) if lacking and source is not None else []
    for download in lacking:
        if source is None and download.url is None and download.optional:
            continue
        try:
            content = (_of_network(download) if source is None else
                       _of_folder(download, source, below))
        except FileNotFoundError as fault:
            lack = f"not in {source}{fault}"
            if download.optional or partly:
                missing.append(f"{download.path} is {lack}")
            else:
                faults.append(f"{download.path}: {lack}; expected a file of that path or name")
        except (OSError, ValueError, http.client.HTTPException) as fault:
            reason = getattr(fault, "reason", None) or str(fault) or type(fault).__name__
            faults.append(f"{download.path}: {reason}")
            if isinstance(fault, (urllib.error.URLError, TimeoutError)) and not isinstance(
                fault, urllib.error.HTTPError
            ):
                break  # no network: the other files would only wait as long again
        else:
            write_atomically(folder / download.path, content)
            written.append(folder / download.path)
            have.add(download.path)
    made = make(board, home, have) if partly or not faults else {}
    if faults:
        raise DataError(
            f"data of {board.id} not complete: {'; '.join(faults)}. "
            f"Try again, or: scorer data fetch {board.id} --from FOLDER"
        )
    return Fetched(tuple(written), tuple(missing), made)


def check_made(board: Board, home: Path) -> None:
    """Raise DataError if what was made is not the gold, or what people said of it, that board.yaml
    describes."""
    made = {recipe.to for recipe in board.recipes}
    for name, split in board.splits.items():
        if made.isdisjoint({split.file, split.answers and split.answers.file}):
            continue
        golds = public_golds(board, name, home)
        if golds is None:
            continue
        rated, answered = board.ratings_file(name, home), board.answers_file(name, home)
        if rated is not None:
            read_ratings(board, name, rated, list(map(board.task.gold_count, golds.items)))
        if answered is not None:
            read_answers(board, name, answered, [item.texts for item in golds.items])


def _fault(download: Download, content: bytes) -> str:
    """How some bytes differ from those that are meant; empty if they do not."""
    digest = sha256(content)
    return ("" if digest == download.sha256 else
            f"SHA-256 is {digest[:12]}..., expected {download.sha256[:12]}...")


def _of_network(download: Download) -> bytes:
    """The file's bytes from its URL. Raises as ``from_url``, and ValueError for others."""
    if download.url is None:
        raise ValueError("it is published nowhere; name a folder that has it with --from")
    content = from_url(download.url, download.path)
    fault = _fault(download, content)
    if fault:
        raise ValueError(fault)
    return content


def from_url(url: str, name: str) -> bytes:
    """The content behind a URL. Raises OSError, ValueError or HTTPException."""
    from tqdm import tqdm

    # The URL is https: of board.yaml, or of the official archive of WordNet.
    request = urllib.request.Request(url, headers={"User-Agent": "whyboard"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
        total = int(answer.headers.get("Content-Length") or 0) or None
        content = bytearray()
        with tqdm.wrapattr(answer, "read", total=total, desc=name, leave=False, disable=None
                           ) as body:
            while block := body.read(BLOCK):
                content += block
                if len(content) > LARGEST:
                    raise ValueError(f"more than {LARGEST} bytes")
    return bytes(content)


# ---- a folder of the user ------------------------------------------------------------------

_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways to pack that unpack piece by piece; others unpack to any size at once."""


def _below(folder: Path, home: Path) -> list[Path]:
    """What is below a folder, MOST_FILES at most, less what is fetched."""
    return [path for path in sorted(islice(folder.rglob("*"), MOST_FILES))
            if not path.is_relative_to(home)]


def _of_folder(download: Download, folder: Path, below: Sequence[Path]) -> bytes:
    """The first file with the right digest: at its path, or of its name, here, further below or in
    a zip file.

    Raises ValueError for another file at the path or of the name here, FileNotFoundError if there
    is none; others elsewhere may be anything's, so they are no more than named.
    """
    names = download.names
    here = [folder / download.path, folder / names[0]]
    files = [*here, *(path for name in names for path in below if path.name == name)]
    wrong: list[tuple[Path, str]] = []
    for path in dict.fromkeys(path for path in files if path.is_file()):
        too_large = path.stat().st_size > LARGEST
        content = b"" if too_large else path.read_bytes()
        fault = f"more than {LARGEST} bytes" if too_large else _fault(download, content)
        if not fault:
            return content
        at = path.relative_to(folder).as_posix()
        wrong.append((path, fault if at == download.path else f"{at}: {fault}"))
    for path in (path for path in below if path.name.endswith(".zip") and path.is_file()):
        try:
            for content in _zipped(path, names):
                fault = _fault(download, content)
                if not fault:
                    return content
                wrong.append((path, f"{path.name}: {fault}"))
        except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError) as broken:
            wrong.append((path, f"{path}: cannot be read as a zip file ({broken})"))
    wrong.sort(key=lambda pair: pair[0].name != names[0])
    if wrong and wrong[0][0] in here:
        raise ValueError(wrong[0][1])
    raise FileNotFoundError(f" ({wrong[0][1]})" if wrong else "")


def _zipped(archive: Path, names: Sequence[str]) -> Iterator[bytes]:
    """The files of some names in a zip file that are not too large."""
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            if entry.filename.rpartition("/")[2] not in names or entry.compress_type not in _PLAIN:
                continue
            with opened.open(entry) as unpacked:  # whatever size its header names
                content = unpacked.read(LARGEST + 1)
            if len(content) <= LARGEST:
                yield content
