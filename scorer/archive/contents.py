"""What goes into an archive: every file of a commit, and a built site."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scorer.ci.git import EXECUTABLE, FILE, Repository
from scorer.errors import DataError, UsageError
from scorer.files import COMMIT_FILE

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
