"""Which commit is shown, and of which day: from git, or from the file an archive has instead."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from scorer import git
from scorer.files import COMMIT_FILE


def commit(root: Path) -> str | None:
    """The commit that is checked out in ``root``, read from the files of git; None without git.

    An unpacked archive has a file that names it instead.
    """
    place = root / ".git"
    if place.is_file():
        place = (root / place.read_text("utf-8").partition("gitdir: ")[2].strip()).resolve()
    try:
        head = (place / "HEAD").read_text("utf-8").strip() if place.exists() else _told(root)[0]
        reference = head.partition("ref: ")[2]
        common = place / "commondir"
        base = (place / common.read_text("utf-8").strip()).resolve() if common.is_file() else place
        found = _reference(base, reference) if reference else head
    except OSError:
        return None
    return found if found is not None and re.fullmatch(r"[0-9a-f]{40,64}", found) else None


def day_of_commit(root: Path) -> str | None:
    """The day (``YYYY-MM-DD``, UTC) of the commit that ``commit`` tells; None if nothing does."""
    try:
        if not (root / ".git").exists():
            day = _told(root)[1]
            return day if re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) else None
        told = git.run(root, "log", "-1", "--format=%ct")
        return datetime.fromtimestamp(int(told.stdout), UTC).date().isoformat()
    except (OSError, ValueError):
        return None


def last_changes(root: Path, *folders: str) -> dict[str, str]:
    """The commit that last changed each file below folders, by its path from ``root``.

    Empty without git: an archive does not tell.
    """
    if not (root / ".git").exists():
        return {}
    try:
        told = git.run(root, "log", "--format=commit %H", "--name-only", "--relative", "--",
                       *folders)
    except OSError:
        return {}
    found: dict[str, str] = {}
    now = ""
    for line in os.fsdecode(told.stdout).split("\n") if not told.returncode else ():
        if line.startswith("commit "):
            now = line.removeprefix("commit ")
        elif line:
            found.setdefault(line, now)
    return found


def _told(root: Path) -> tuple[str, str]:
    """Commit and day as an archive's file has them. Raises OSError if there is none."""
    first, _, second = (root / COMMIT_FILE).read_text("utf-8").partition("\n")
    return first.strip(), second.strip()


def _reference(place: Path, name: str) -> str | None:
    loose = place / name
    if loose.is_file():
        return loose.read_text("utf-8").strip()
    packed = place / "packed-refs"
    lines = packed.read_text("utf-8").split("\n") if packed.is_file() else []
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {name}")), None)
