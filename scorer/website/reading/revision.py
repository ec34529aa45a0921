"""Which commit is shown, and of which day: from git, or from the file an archive has instead."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from scorer import git
from scorer.files import COMMIT_FILE


def commit(root: Path) -> str | None:
    """The commit that is checked out in ``root``, or that an unpacked archive was made from; None
    if nothing tells it."""
    name = _head(root)[0]
    return name if re.fullmatch(r"[0-9a-f]{40,64}", name) else None


def day_of_commit(root: Path) -> str | None:
    """The day (``YYYY-MM-DD``, UTC) of that commit; None if nothing tells it."""
    day = _head(root)[1]
    return day if re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) else None


def _head(root: Path) -> tuple[str, str]:
    """Commit and day, as git or the archive's file has them."""
    try:
        if not (root / ".git").exists():
            name, _, day = (root / COMMIT_FILE).read_text("utf-8").partition("\n")
            return name.strip(), day.strip()
        told = git.run(root, "log", "-1", "--format=%H %ct").stdout.decode()
        name, _, seconds = told.partition(" ")
        return name, datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (OSError, ValueError):
        return "", ""


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
