"""Fetching a board's files: at a fixed commit, checked by digest, never half written.

Files go to ``<home>/data/<board>/`` and are never committed. A source may be the network (the
default), another base URL, or a folder.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.board import Board, Download
from scorer.board.importing import Made, make
from scorer.errors import DataError, UsageError
from scorer.files import sha256, sha256_file, write_atomically

LARGEST = 256 * 1024 * 1024
BLOCK = 64 * 1024

Bar = Callable[..., Any]
"""Makes a progress bar: ``bar(total=bytes, desc=name)`` as a context manager with ``update``."""


@dataclass(frozen=True)
class Fetched:
    """What became of a board's files."""

    written: tuple[Path, ...]
    """Downloads that were written."""
    missing: tuple[str, ...]
    """Optional downloads that a folder lacks."""
    made: tuple[Made, ...]
    """Files that were made of downloads."""


def complete(board: Board, home: Path) -> bool:
    """Whether nothing is left to fetch or to make."""
    folder = home / "data" / board.id
    have = present(board, home)
    return (len(have) == len(board.downloads)
            and all((folder / one.to).is_file() for one in board.recipes))


def present(board: Board, home: Path) -> list[str]:
    """The paths of those downloads that are there with the right digest."""
    folder = home / "data" / board.id
    return [
        download.path
        for download in board.downloads
        if (folder / download.path).is_file()
        and sha256_file(folder / download.path) == download.sha256
    ]


def fetch(
    board: Board, home: Path, *, source: str | None = None, timeout: float = 60.0, bar: Bar,
) -> Fetched:
    """Bring every file of a board that is not there yet, and make of them what board.yaml says.

    ``source``: a folder, or a URL that ends where the files' paths begin; else each file's own
    URL. ``timeout``: seconds without an answer. Raises DataError naming every file that failed.
    """
    if not board.downloads:
        if board.imports:
            raise UsageError(f"board {board.id} takes files that you have; "
                             f"run: {board.how_to_bring}")
        raise UsageError(f"board {board.id} carries its data; there is nothing to fetch")
    have = set(present(board, home))
    folder = home / "data" / board.id
    written, faults, missing = [], [], []
    for download in board.downloads:
        if download.path in have:
            continue
        try:
            content = _bring(download, source, timeout, bar)
            _check(download, content)
        except (OSError, ValueError, http.client.HTTPException) as fault:
            if download.optional and isinstance(fault, FileNotFoundError):
                missing.append(download.path)
                continue
            reason = (f"not in {source}; expected a file of that path or name"
                      if isinstance(fault, FileNotFoundError) else
                      getattr(fault, "reason", None) or str(fault) or type(fault).__name__)
            faults.append(f"{download.path}: {reason}")
            if isinstance(fault, (urllib.error.URLError, TimeoutError)) and not isinstance(
                fault, urllib.error.HTTPError
            ):
                break  # no network: the other files would only wait as long again
            continue
        write_atomically(folder / download.path, content)
        written.append(folder / download.path)
        have.add(download.path)
    if faults:
        raise DataError(
            f"data of {board.id} not complete: {'; '.join(faults)}. "
            f"Try again, or: scorer data fetch {board.id} --from FOLDER"
        )
    return Fetched(tuple(written), tuple(missing), tuple(make(board, home, have)))


def _bring(download: Download, source: str | None, timeout: float, bar: Bar) -> bytes:
    if source is None:
        return from_url(download.url, download.path, timeout, bar)
    if source.startswith(("https://", "http://")):
        return from_url(f"{source.rstrip('/')}/{download.path}", download.path, timeout, bar)
    place = Path(source) / download.path
    beside = Path(source) / place.name  # where somebody put the files of a board by themselves
    return (beside if beside.is_file() and not place.is_file() else place).read_bytes()


def from_url(url: str, name: str, timeout: float, bar: Bar) -> bytes:
    """The content behind a URL. Raises OSError, ValueError or HTTPException."""
    # The URL is https from board.yaml, or http(s) from the command line: checked by the callers.
    request = urllib.request.Request(url, headers={"User-Agent": "whyboard"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=timeout) as answer:  # noqa: S310
        total = int(answer.headers.get("Content-Length") or 0) or None
        blocks = []
        with bar(total=total, desc=name) as progress:
            while block := answer.read(BLOCK):
                blocks.append(block)
                progress.update(len(block))
                if sum(map(len, blocks)) > LARGEST:
                    raise ValueError(f"more than {LARGEST} bytes")
    return b"".join(blocks)


def _check(download: Download, content: bytes) -> None:
    found = sha256(content)
    if found != download.sha256:
        raise ValueError(f"SHA-256 is {found[:12]}..., expected {download.sha256[:12]}...")
