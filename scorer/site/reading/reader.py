"""Where the site's files are looked for, and what was left out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer.boards.submission import SUBMISSIONS
from scorer.core.errors import WhyboardError
from scorer.scoring.judging import Judges
from scorer.site.reading.states import States
from scorer.site.records import SHOWN_ROWS

PUBLISHED = ("results", SUBMISSIONS)
"""Folders of the repository that hold what is scored."""


@dataclass
class SiteReader:
    """Where to look, and what was left out."""

    root: Path
    home: Path
    warnings: list[str] = field(default_factory=list)
    judges: Judges = field(default_factory=Judges)
    day: str | None = None
    """The day of the commit that is shown; None if nothing tells it."""
    changed: Mapping[str, str] = field(default_factory=dict)
    """The commit that last changed each result and each file of a submission of the checkout, by
    its path."""
    known_states: States | None = None
    """What became of every submission, if anything tells that."""
    rows: int = SHOWN_ROWS
    """So many rows of a split have their answers to single items read."""
    archived: str = ""
    """The commit that an unpacked archive was made from, which has all of its results."""
    processes: int = 1
    """So many read rows at once."""

    def attempt(self, what: Callable[[], Any]) -> Any:
        """The value of a call, or None after noting why there is none."""
        try:
            return what()
        except WhyboardError as fault:
            self.warn(str(fault))
            return None

    def warn(self, text: str) -> None:
        """Note what was left out, once, with paths as they are in the folders."""
        for folder in (self.root, self.home):
            text = text.replace(f"{folder}/", "")
        if text not in self.warnings:
            self.warnings.append(text)

    def places(self) -> tuple[Path, ...]:
        """The home folder, where results were computed just now, then the checkout."""
        return tuple(dict.fromkeys((self.home, self.root)))

    def document(self, name: str, read: Callable[[bytes], Any], command: str) -> tuple[Path, Any]:
        """The document at a path below the home folder, else below the checkout, and where it is;
        None after a warning that ``command`` makes it again, or if there is none."""
        path = next((path for folder in self.places() if (path := folder / name).is_file()),
                    self.root / name)
        try:
            return path, read(path.read_bytes()) if path.is_file() else None
        except ValueError as fault:
            self.warn(f"{path}: {fault}; {again(command, path)}")
            return path, None

    def commit_of(self, path: Path) -> str:
        """The commit that last changed a file of the checkout; empty if nothing tells it."""
        inside = path.is_relative_to(self.root)
        return (self.changed.get(path.relative_to(self.root).as_posix(), self.archived)
                if inside else "")

    def is_committed(self, path: Path) -> bool:
        """Whether a result or a submission's file is part of the repository, as far as git tells.
        """
        inside = any(path.is_relative_to(self.root / top) for top in PUBLISHED)
        return inside and (not self.changed or bool(self.commit_of(path)))

    def submission(self, board: str, team: str, system: str) -> Path:
        """A submission's folder: in the checkout if it is there, else in the home folder."""
        folders = [folder / "submissions" / board / team / system
                   for folder in reversed(self.places())]
        return next((folder for folder in folders if folder.is_dir()), folders[-1])


def again(command: str, path: Path) -> str:
    """How a document is made again by a command of ours."""
    return f"run: scorer {command} --json {path}"
