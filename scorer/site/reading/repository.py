"""The repository of a site: where it is, how to install from it, which commit is shown; and where
files are looked for in its checkout, with what was left out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core import git
from scorer.core.errors import WhyboardError
from scorer.core.files import COMMIT_FILE
from scorer.scoring.judging import Judges
from scorer.site.reading.states import States
from scorer.site.records import SHOWN_ROWS

SETTINGS = "mkdocs.yml"
_SETTING = re.compile(rf"^repo_url:\s*[\"']?({git.ADDRESS})[\"']?\s*(?:#.*)?$", re.MULTILINE)


class SiteRepository(NamedTuple):
    """A repository, as far as the site's build knows it."""

    url: str = ""
    """Its address in a browser; empty if it is not known."""
    github: bool = False
    """Whether it is one of GitHub's, with issues, forks and ``gh``."""
    install: str = "pip install 'whyboard[site]'"
    """What installs the program in a clone."""

    @property
    def name(self) -> str:
        """Owner and name."""
        return self.url.partition("://")[2].partition("/")[2]

    @property
    def issues(self) -> str:
        """Where issues with our forms can be opened; empty if nowhere."""
        return self.url if self.github else ""

    @property
    def folder(self) -> str:
        """What a clone is called."""
        return self.name.rpartition("/")[2]

    @property
    def fork(self) -> str:
        """What to clone a fork from, by the account's name."""
        owner = self.name.rpartition("/")[0]
        return f"{self.url.removesuffix(f'{owner}/{self.folder}')}YOUR-ACCOUNT/{self.folder}.git"


def repository(root: Path) -> SiteRepository:
    """The repository of a checkout: as ``repo_url`` of its mkdocs.yml names it, else as GitHub's
    jobs do, else its git as ``origin``."""
    server = os.environ.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/")
    name = os.environ.get("GITHUB_REPOSITORY", "")
    try:
        setting = _SETTING.search((root / SETTINGS).read_text("utf-8"))
    except (OSError, ValueError):
        setting = None
    url = git.web_address(setting[1]) if setting else ""
    if not url:
        url = git.web_address(f"{server}/{name}" if name else _origin(root))
    install = SiteRepository().install
    if (root / "scorer").is_dir() and (root / "pyproject.toml").is_file():
        install = "pip install '.[site]'"  # the program's own checkout installs itself
    elif (root / "requirements.txt").is_file():
        install = "pip install -r requirements.txt"  # one that pins the program names its version
    return SiteRepository(url, url.startswith((f"{server}/", "https://github.com/")), install)


def _origin(root: Path) -> str:
    if not (root / ".git").exists():
        return ""
    try:
        output = git.run(root, "config", "--get", "remote.origin.url")
    except OSError:
        return ""
    return os.fsdecode(output.stdout).strip()


# ---- the commit that is shown: from git, or from the file that an archive has instead -----------


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
        output = git.run(root, "log", "-1", "--format=%H %ct").stdout.decode()
        name, _, seconds = output.partition(" ")
        return name, datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (OSError, ValueError):
        return "", ""


# ---- files, from the checkout or the home folder -------------------------------------------------


@dataclass
class SiteReader:
    """Where to look, and what was left out."""

    root: Path
    home: Path
    warnings: list[str] = field(default_factory=list)
    judges: Judges = field(default_factory=Judges)
    day: str | None = None
    """The day of the commit that is shown; None if nothing tells it."""
    known_states: States | None = None
    """What became of every submission, if anything tells that."""
    rows: int = SHOWN_ROWS
    """So many rows of a split have their answers to single items read."""
    processes: int = 1
    """So many read rows at once."""

    def attempt(self, function: Callable[..., Any], *values: Any) -> Any:
        """What a function makes of values, or None after noting why there is nothing."""
        try:
            return function(*values)
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

    def submission(self, board: str, team: str, system: str) -> Path:
        """A submission's folder: in the checkout if it is there, else in the home folder."""
        folders = [folder / "submissions" / board / team / system
                   for folder in reversed(self.places())]
        return next((folder for folder in folders if folder.is_dir()), folders[-1])


def again(command: str, path: Path) -> str:
    """How a document is made again by a command of ours."""
    return f"run: scorer {command} --json {path}"
