"""The folder of a built site: what differs from what is there is written, what is not made goes.

A cold build empties the folder first. One that keeps notes of what it wrote leaves alone whatever
is still the same: nothing is written twice, and what deploys a site sees what changed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scorer.files import write_atomically


class Stamp(NamedTuple):
    """A file as it lies there."""

    size: int
    changed: int
    """Nanoseconds since 1970."""


class Note(NamedTuple):
    """What a file was made from, and how it lay there then."""

    source: str
    stamp: Stamp


class Output:
    """The folder; ``notes`` is the file that remembers what was written there, if any does."""

    def __init__(self, folder: Path, notes: Path | None = None) -> None:
        self.folder = folder
        self.made: set[str] = set()
        """Paths below the folder, in this build."""
        self.written = 0
        """How many of them were written."""
        self._place = notes
        self._notes: dict[str, Note] = {}
        self._there: dict[str, Stamp] = {}
        self._folders: set[Path] = set()
        """Those that are known to be there."""
        if notes is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            self._there = dict(_files(str(folder), ""))
            self._notes = {path: note for path, note in _read(notes).items()
                           if self._there.get(path) == note.stamp}

    def has(self, path: str, source: str) -> bool:
        """Whether a file made from ``source`` is there already; then it stays."""
        note = self._notes.get(path)
        if note is None or note.source != source:
            return False
        self.made.add(path)
        return True

    def put(self, path: str, content: bytes, source: str = "") -> None:
        """Write a file unless it is there; ``source`` names what it was made from, for ``has``."""
        self.made.add(path)
        place = self.folder / path
        if not self._same(path, place, content):
            self._write(place, content)
        self._notes.pop(path, None)
        if source and self._place is not None:
            self._notes[path] = Note(source, _stamp(place.stat()))

    def _same(self, path: str, place: Path, content: bytes) -> bool:
        stamp = self._there.get(path)
        return (stamp is not None and stamp.size == len(content)
                and place.read_bytes() == content)

    def _write(self, place: Path, content: bytes) -> None:
        if place.parent not in self._folders:
            place.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(place.parent)
        place.write_bytes(content)
        self.written += 1

    def finish(self) -> None:
        """Remove what was not made, and keep the notes."""
        if self._place is None:
            return
        for path in self._there.keys() - self.made:
            place = self.folder / path
            place.unlink()
            _remove_empty(place.parent, self.folder)
        notes = {path: [note.source, *note.stamp] for path, note in sorted(self._notes.items())
                 if path in self.made}
        write_atomically(self._place, json.dumps(notes, separators=(",", ":")).encode())


def _files(folder: str, below: str) -> Iterator[tuple[str, Stamp]]:
    """Every file below a folder with its path from there; pathlib takes ten times as long."""
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        for one in found:
            if one.is_dir(follow_symlinks=False):
                yield from _files(one.path, f"{below}{one.name}/")
            else:
                yield below + one.name, _stamp(one.stat(follow_symlinks=False))


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns)


def _remove_empty(folder: Path, top: Path) -> None:
    """Remove a folder and those above it as far as they are empty."""
    while folder != top:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _read(place: Path) -> dict[str, Note]:
    """Notes of an earlier build; none if the file is not there or not ours."""
    try:
        return {path: Note(source, Stamp(size, changed)) for path, (source, size, changed)
                in json.loads(place.read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
