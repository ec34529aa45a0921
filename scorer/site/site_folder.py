"""The folder of a built site: its successor is made beside it, then takes its place as a whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scorer.core.errors import DataError, UsageError
from scorer.core.files import holding, writing

MARKS = ("index.html", "404.html", "assets/vis-network.min.js")
"""Files by which a built site is known."""


@dataclass(frozen=True)
class Aside:
    """What lies beside a site while its successor is made."""

    out: Path

    @property
    def folder(self) -> Path:
        """The folder of all this, which one build has at a time."""
        return self.out.parent / f".{self.out.name}.building"

    @property
    def new(self) -> Path:
        """The site that is made."""
        return self.folder / "new"

    @property
    def old(self) -> Path:
        """The one that was there, while it is replaced."""
        return self.folder / "old"

    @property
    def stage(self) -> Path:
        """What the theme reads and writes."""
        return self.folder / "stage"


class Output:
    """The files of one build, which are written aside; each process that writes has one."""

    def __init__(self, aside: Aside) -> None:
        self.made: set[str] = set()
        """Paths below the site's folder."""
        self._out = aside.out
        self._new = aside.new
        self._folders: set[str] = set()
        """Those that are known to be there."""

    def put(self, path: str, content: bytes) -> None:
        """Write a file. Raises DataError if the machine does not let us."""
        self.made.add(path)
        with writing(self._out):
            folder, _, _ = path.rpartition("/")
            if folder not in self._folders:
                (self._new / folder).mkdir(parents=True, exist_ok=True)
                self._folders.add(folder)
            (self._new / path).write_bytes(content)

    def put_all(self, files: Iterable[tuple[str, bytes]]) -> list[str]:
        """Write files; their paths. Raises DataError if the machine does not let us."""
        paths = []
        for path, content in files:
            self.put(path, content)
            paths.append(path)
        return paths


@contextmanager
def beside(out: Path) -> Iterator[Aside]:
    """A folder beside ``out`` to make its successor in; what is there at the end takes its place.

    After an exception, or a kill, the old site is where it was. Raises UsageError if ``out`` is
    nothing that may be replaced, DataError if the machine does not let us, or another process is
    building there.
    """
    aside = Aside(out)
    with writing(out):
        _check(out)
    with holding(aside.folder, wait=False, shown=out) as ours:
        if not ours:
            raise DataError(f"{out}: another build is writing it; wait until it has finished")
        try:
            with writing(out):
                _clear(aside)
                aside.new.mkdir()
            yield aside
            with writing(out):
                _swap(aside)
        finally:
            _clear(aside)
            shutil.rmtree(aside.folder, ignore_errors=True)


def _swap(aside: Aside) -> None:
    if aside.out.exists():
        aside.out.rename(aside.old)
    aside.new.rename(aside.out)


def _clear(aside: Aside) -> None:
    """Put the old site back if nothing took its place, and remove what a build left."""
    if aside.old.exists() and not aside.out.exists():
        aside.old.rename(aside.out)
    for path in (aside.new, aside.old, aside.stage):
        shutil.rmtree(path, ignore_errors=True)


def _check(out: Path) -> None:
    """Nothing is replaced that somebody else keeps there."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file; expected a folder, or nothing")
    if os.path.lexists(out / ".git"):
        raise UsageError(f"{out}: holds .git, and a site is replaced as a whole with its history; "
                         "build into another folder and copy the site from there")
    if out.is_dir() and any(out.iterdir()) and not all((out / name).is_file() for name in MARKS):
        raise UsageError(f"{out}: holds something that is no whole site; expected a built site, an "
                         "empty folder or nothing: name another folder, or empty this one")
