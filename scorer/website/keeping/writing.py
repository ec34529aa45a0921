"""The files of a built site: what differs from what is there is written, what is not made goes.

All is written aside, and what is still the same is linked from the old site, so that the new one
can take its place at once. A build that keeps notes of what it wrote writes nothing twice; one that
keeps none looks at nothing that is there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scorer.files import write_atomically, writing
from scorer.website.keeping.swapping import Aside


class Stamp(NamedTuple):
    """A file as it lies there."""

    size: int
    changed: int
    """Nanoseconds since 1970."""


_LINK = Stamp(-1, 0)
"""A link is no file of ours, whatever it leads to."""


class Note(NamedTuple):
    """What a file was made from, and how it lay there then."""

    source: str
    stamp: Stamp


class Output:
    """The files of one build; ``notes`` is the file that remembers what was written, if any does.
    """

    def __init__(self, aside: Aside, notes: Path | None = None) -> None:
        self.made: set[str] = set()
        """Paths below the site's folder, in this build."""
        self._aside = aside
        self._place = notes
        self._notes: dict[str, Note] = {}
        self._there: dict[str, Stamp] = {}
        self._written: set[str] = set()
        self._folders: set[str] = set()
        """Those that are known to be there."""
        if notes is not None:
            self._there = dict(_files(str(aside.out), ""))
            self._notes = {path: note for path, note in _read(notes).items()
                           if self._there.get(path) == note.stamp}

    @property
    def written(self) -> int:
        """How many files were written."""
        return len(self._written)

    def has(self, path: str, source: str) -> bool:
        """Whether a file made from ``source`` is there already; then it stays."""
        note = self._notes.get(path)
        if note is None or note.source != source:
            return False
        self.made.add(path)
        return True

    def put(self, path: str, content: bytes, source: str = "") -> None:
        """Write a file unless it is there; ``source`` names what it was made from, for ``has``.

        Raises DataError if the machine does not let us.
        """
        self.made.add(path)
        self._notes.pop(path, None)
        stamp = self._there.get(path)
        if path in self._written or stamp is None or not self._same(path, stamp, content):
            with writing(self._aside.out):
                self._make_folder_of(path)
                place = self._aside.new / path
                place.write_bytes(content)
                stamp = _stamp(place.stat())
            self._written.add(path)
        if source and self._place is not None:
            self._notes[path] = Note(source, stamp)

    def _same(self, path: str, stamp: Stamp, content: bytes) -> bool:
        return stamp.size == len(content) and (self._aside.out / path).read_bytes() == content

    def _make_folder_of(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            (self._aside.new / folder).mkdir(parents=True, exist_ok=True)
            self._folders.add(folder)

    def finish(self) -> None:
        """Put the new site in its place unless it is the old one, and keep the notes.

        Raises DataError if the machine does not let us.
        """
        if self._written or self.made != self._there.keys():
            with writing(self._aside.out):
                for path in sorted(self.made - self._written):
                    self._make_folder_of(path)
                    _link(f"{self._aside.out}/{path}", f"{self._aside.new}/{path}")
                self._aside.swap()
        if self._place is not None:
            notes = {path: [note.source, *note.stamp] for path, note in sorted(self._notes.items())
                     if path in self.made}
            write_atomically(self._place, json.dumps(notes, separators=(",", ":")).encode())


def _link(old: str, new: str) -> None:
    """The same file in a second place, or a copy of the same age where there are no links."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copy2(old, new)


def _files(folder: str, below: str) -> Iterator[tuple[str, Stamp]]:
    """Every file below a folder with its path from there; pathlib takes ten times as long."""
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        for one in found:
            if one.is_dir(follow_symlinks=False):
                yield from _files(one.path, f"{below}{one.name}/")
            else:
                yield below + one.name, _LINK if one.is_symlink() else _stamp(one.stat())


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns)


def _read(place: Path) -> dict[str, Note]:
    """Notes of an earlier build; none if the file is not there or not ours."""
    try:
        return {path: Note(source, Stamp(size, changed)) for path, (source, size, changed)
                in json.loads(place.read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
