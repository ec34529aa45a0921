"""What a maintainer's checkout can tell about its own set-up; the rest is in docs/set-up.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from scorer._version import __version__
from scorer.board import known_boards, load, open_fields
from scorer.ci import hidden_gold, policy, workflows
from scorer.ci.definition import load as load_yaml
from scorer.ci.git import Repository
from scorer.errors import WhyboardError, counted, printable
from scorer.files import HOME
from scorer.scoring import gold_report
from scorer.submission import SUBMISSIONS

NEEDED = (".github/CODEOWNERS", ".github/dependabot.yml", ".github/pull_request_template.md",
          *(f".github/ISSUE_TEMPLATE/{name}.yml"
            for name in ("gold-dispute", "submission-problem", "withdrawal")),
          "locks/ci.txt", "locks/model.txt", "locks/score.txt", "locks/score-torch.txt")
PLACEHOLDER = "@maintainers"
"""What CODEOWNERS says before somebody put an account or a team there."""
OWNED = ("*", "/submissions/")
_DATA = re.compile(r"boards/[^/]+/data/.+")


def findings(root: Path, home: Path | None = None) -> list[str]:
    """What is missing or wrong, one line each with what to do.

    ``home``: where fetched data lie, whose gold is held against the rules too.
    """
    home = home or root / HOME
    found = [f"{name} is missing; take it from the original repository"
             for name in NEEDED if not (root / name).is_file()]
    found += _program(root)
    found += _workflows(root)
    found += _owners(root / ".github" / "CODEOWNERS")
    found += _repository(root, home)
    for name in known_boards(root / "boards"):
        found += _board(root, name, home)
    found += [f"{page}:{line}: a text is still to be filled in"
              for page, line in open_fields.open_lines(root)]
    return found


def _board(root: Path, name: str, home: Path) -> list[str]:
    """What is wrong with a board, with its gold, and what of it waits for a person."""
    try:
        board = load(root / "boards" / name)
        faults = gold_report.board_faults(board, home)
    except WhyboardError as fault:
        return [f"board {name}: {str(fault).splitlines()[0]}"]
    return [*(f"board {name}: {fault.summary}; run: scorer board check {name}"
              for fault in faults),
            *open_fields.described(root, board)]


def _program(root: Path) -> list[str]:
    """Whether a repository without the program pins one version of it, and that is this one."""
    if not workflows.is_adopted(root):
        return []
    lines = (root / workflows.PINNED).read_text("utf-8").splitlines()
    named = [line.strip() for line in lines if line.strip().startswith("whyboard")]
    pinned = [re.search(r"==\s*([0-9][^\s;]*)$|whyboard-([0-9][^-]*)-py3", line) for line in named]
    if len(named) != 1 or pinned[0] is None:
        return [f"{workflows.PINNED} must pin the program once; write whyboard[ci,site]=="
                f"{__version__}, or the https address of its wheel"]
    version = pinned[0][1] or pinned[0][2]
    if version != __version__:
        return [f"{workflows.PINNED} names {version}, this is {__version__}; install what it "
                "names, or change it"]
    return []


class Installable(NamedTuple):
    """Whether the workflows could install the program; ``said`` is empty if so."""

    measured: bool
    said: str = ""


ASK_PIP = ("-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps",
           "--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "-vv",
           "--timeout", "10", "--retries", "1", "-r")
"""As the workflows install it, but for what is there already; and nothing is installed."""
PIP_WITHIN = 120
_NO_ANSWER = re.compile(r"Could not fetch URL \S+: (?!404)|Retrying \(|Max retries exceeded|"
                        r"No module named pip|no such option")


def installable(root: Path) -> Installable:
    """Whether pip finds the version that the repository pins.

    Asks the package index that pip is set up for; without an answer nothing is measured.
    """
    if not workflows.is_adopted(root):
        return Installable(True)
    try:
        ran = subprocess.run(  # noqa: S603  # our own interpreter and a file of the maintainer's
            [sys.executable, *ASK_PIP, str(root / workflows.PINNED)], capture_output=True,
            text=True, errors="replace", check=False, timeout=PIP_WITHIN)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return Installable(False, f"pip gave no answer ({type(fault).__name__})")
    if not ran.returncode:
        return Installable(True)
    if _NO_ANSWER.search(ran.stdout + ran.stderr):
        return Installable(False, "the package index gave no answer")
    errors = re.findall(r"^ERROR: (.*)$", ran.stdout + ran.stderr, re.M)
    return Installable(True, f"{workflows.PINNED}: pip cannot install what it names "
                       f"({printable(errors[-1]) if errors else 'no reason given'}); publish that "
                       "version, name another, or the https address of its wheel")


def _owners(path: Path) -> list[str]:
    """Whether somebody real must review the program, and submissions."""
    if not path.is_file():
        return []
    lines = [line.partition("#")[0].split() for line in path.read_text("utf-8").splitlines()]
    owned = {words[0]: words[1:] for words in lines if words}
    found = [f".github/CODEOWNERS has no owner for {place}; add a line: {place} @your-account"
             for place in OWNED if not owned.get(place)]
    left = sum(PLACEHOLDER in owners for owners in owned.values())
    if left:
        found.append(f".github/CODEOWNERS still says {PLACEHOLDER} in {counted(left, 'line')}; "
                     "write your team or account")
    return found


def _workflows(root: Path) -> list[str]:
    try:
        stale = workflows.stale(root)
    except WhyboardError as fault:
        return [str(fault)]
    found = [f"{name} is not what the program says; run: scorer ci workflows --write"
             for name in stale]
    for path in sorted((root / workflows.FOLDER).glob("*.y*ml")):
        found += policy.findings(load_yaml(path.read_text("utf-8")), path.name)
    return found


def _repository(root: Path, home: Path) -> list[str]:
    repository = Repository(root)
    ran = repository.run("rev-parse", "--is-shallow-repository", check=False)
    if ran.returncode:
        return [f"{root} is no git repository; clone it"]
    found = []
    if ran.stdout.strip() == b"true":
        found.append("this clone is shallow; run: git fetch --unshallow")
    if repository.run("remote", "get-url", "origin", check=False).returncode:
        found.append("there is no remote origin; add it")
    hidden = hidden_gold.all_inputs(root / "boards", home)
    found += [f"{said}; remove it from git and add it to .gitignore. If it was ever pushed, make "
              "new gold or a new key" for said in hidden_gold.of_work_tree(repository, hidden)]
    return found + _twice(repository)


def _twice(repository: Repository) -> list[str]:
    """Data of boards that git has a second time elsewhere."""
    listed = repository.run("ls-files", "-z", "--stage", check=False).stdout
    places: dict[str, list[str]] = {}
    for line in filter(None, listed.split(b"\0")):
        words, _, path = line.partition(b"\t")
        places.setdefault(words.decode().split(" ")[1], []).append(os.fsdecode(path))
    return [f"{ascii(other)[1:-1]} is {path} a second time; run: git rm --cached, and add it to "
            ".gitignore"
            for paths in places.values() for path in paths if _DATA.fullmatch(path)
            for other in paths if not other.startswith(f"{SUBMISSIONS}/")
            and other.partition("/")[0] != "boards"]
