"""The folder of a built site: its successor is made beside it, then takes its place as a whole.

Two renames do that, so whoever looks finds all of the old site or all of the new one. A process
that is killed between them leaves none for the moment: the old one lies aside, and whoever builds
or serves next puts it back.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from scorer.errors import DataError, UsageError
from scorer.files import holding, writing

MARKS = ("index.html", "404.html", "assets/vis-network.min.js")
"""Files by which a built site is known."""


class Aside:
    """What lies beside a site, in a folder that one process has at a time."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.place = out.parent / f".{out.name}.building"
        self.new = self.place / "new"
        """The site that is made."""
        self.old = self.place / "old"
        """The one that was there, while it is replaced."""

    @cached_property
    def stage(self) -> Path:
        """A folder for what is made on the way; a theme that outlives its build has another."""
        with writing(self.out):
            return Path(tempfile.mkdtemp(prefix="stage.", dir=self.place))

    def swap(self) -> None:
        """Put the new site in the place of the old one."""
        if self.out.exists():
            self.out.rename(self.old)
        self.new.rename(self.out)

    def mend(self) -> None:
        """Put back the old site if it was not replaced, and remove the rest."""
        if not self.out.exists() and self.old.exists():
            self.old.rename(self.out)
        for path in (self.old, self.new, *self.place.glob("stage.*")):
            shutil.rmtree(path, ignore_errors=True)


class Output:
    """The files of one build, which are written aside; each process that writes has one."""

    def __init__(self, aside: Aside) -> None:
        self.made: set[str] = set()
        """Paths below the site's folder."""
        self._aside = aside
        self._folders: set[str] = set()
        """Those that are known to be there."""

    def put(self, path: str, content: bytes) -> None:
        """Write a file. Raises DataError if the machine does not let us."""
        self.made.add(path)
        with writing(self._aside.out):
            folder, _, _ = path.rpartition("/")
            if folder not in self._folders:
                (self._aside.new / folder).mkdir(parents=True, exist_ok=True)
                self._folders.add(folder)
            (self._aside.new / path).write_bytes(content)

    def put_all(self, files: Iterable[tuple[str, bytes]]) -> list[str]:
        """Write files; their paths. Raises DataError if the machine does not let us."""
        paths = []
        for path, content in files:
            self.put(path, content)
            paths.append(path)
        return paths

    def finish(self) -> None:
        """Put the new site in its place. Raises DataError if the machine does not let us."""
        with writing(self._aside.out):
            self._aside.swap()


@contextmanager
def beside(out: Path) -> Iterator[Aside]:
    """A place beside ``out`` to make its successor in; it is gone at the end, however that comes.

    Raises UsageError if ``out`` is nothing that may be replaced, DataError if the machine does not
    let us, or another process is building there.
    """
    aside = Aside(out)
    with writing(out):
        _check(out)
    with _held(aside, wait=False):
        with writing(out):
            aside.mend()
            aside.new.mkdir()
        try:
            yield aside
        finally:
            with suppress(OSError):
                aside.mend()


def restore(out: Path) -> None:
    """Put back a site that a killed build took away; nothing happens if there is none."""
    aside = Aside(out)
    if not out.exists() and aside.old.exists():
        with _held(aside, wait=True), writing(out):
            aside.mend()


@contextmanager
def _held(aside: Aside, *, wait: bool) -> Iterator[None]:
    """Have the folder aside to ourselves, and remove it at the end if it is empty."""
    with holding(aside.place, wait=wait, shown=aside.out) as ours:
        if not ours:
            raise DataError(f"{aside.out}: another build is writing it; wait until it has finished")
        try:
            yield
        finally:
            with suppress(OSError):
                aside.place.rmdir()


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
