"""A branch with a submission: one commit on the main branch with its files, byte by byte.

Neither index nor work tree is read or written; filters, line ends and ignored files of the checkout
do not count. The branch is this program's: it is made anew each time, and refused where it holds
anything else. A commit that is refused is left to ``git gc``.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scorer.boards.submission import RESERVED, SubmissionName
from scorer.core import git
from scorer.core.errors import DataError, UsageError, excerpt
from scorer.core.files import listed
from scorer.pipeline.ci import owners, pull, validate
from scorer.pipeline.ci.git import BRANCH, Repository
from scorer.pipeline.ci.pull import Owner, PullRequest
from scorer.pipeline.ci.validate import Review

_LOCAL = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX")
"""What a caller may have set of another repository."""
_SECRET = re.compile(r"(?<=://)[^/\s]*@")


class Clone(Repository):
    """A checkout whose objects are read without its user's configuration; the rest is asked with
    it."""

    def ask(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run git with its user's configuration, however it ends."""
        environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
        return git.run(self.folder, *words, stdin=stdin, settings=("user.useConfigOnly=true",),
                       environment={**environment, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"})

    def text(self, *words: str) -> str:
        """What git answers, without the line end; empty if it fails."""
        ran = self.ask(*words)
        return "" if ran.returncode else os.fsdecode(ran.stdout).removesuffix("\n")

    def must(self, advice: str, *words: str, stdin: bytes = b"") -> str:
        """The same. Raises UsageError with git's words and what to do if it fails."""
        ran = self.ask(*words, stdin=stdin)
        if ran.returncode:
            raise UsageError(f"git {words[0]} failed: {_message(ran)}; {advice}")
        return os.fsdecode(ran.stdout).removesuffix("\n")

    def tip(self, reference: str) -> str:
        """The commit that a full reference names; empty if there is none."""
        return self.text("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")

    def send(self, words: tuple[str, ...]) -> str:
        """Push, with whatever git is set up to sign in with; git's message. Raises DataError."""
        ran = self.ask(*words)
        if ran.returncode:
            raise DataError(f"git could not push: {_message(ran)}; the branch is made: push it "
                            "again by the command above when that is mended")
        return _SECRET.sub("", ran.stderr.decode(errors="replace")).strip()


def find_clone(root: Path) -> Clone:
    """The clone of a folder. Raises UsageError."""
    try:
        top = Clone(root).text("rev-parse", "--show-toplevel")
    except OSError as fault:
        raise UsageError("git is needed to make a branch; install it") from fault
    if not top:
        raise UsageError(f"{excerpt(str(root))} is no checkout; run this in a clone of the "
                         "benchmark's repository, or name it with --root")
    return Clone(Path(top), {  # which its user's git reads, whoever owns it
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": top,
        "GIT_NO_LAZY_FETCH": "0"})


def _message(ran: subprocess.CompletedProcess[bytes]) -> str:
    """Git's message, without a name, a password or a token in an address."""
    message = (ran.stderr or ran.stdout).decode(errors="replace").strip()
    return " ".join(_SECRET.sub("", message)[-600:].split()) or f"exit {ran.returncode}"


UPSTREAM, ORIGIN, FORK = "upstream", "origin", "fork"
"""What remotes are called by custom: a benchmark's, what was cloned, and one's own."""
_GH = ("gh", "api", "user", "--jq", '"\\(.login)#\\(.id)"')


class Remotes(NamedTuple):
    """The remote of the benchmark and the one to push to; empty if the clone has none."""

    upstream: str
    own: str


def remotes(clone: Clone, wanted: str | None = None) -> Remotes:
    """``upstream``, else ``origin``, is the benchmark's; pushed to is ``wanted``, as the user says,
    else ``fork``, else ``origin``. Raises UsageError.
    """
    names = clone.text("remote").splitlines()
    known = ", ".join(map(excerpt, names)) or "none"
    if wanted is not None and wanted not in names:
        raise UsageError(f"--remote {excerpt(wanted)}: no such remote; there are: {known}")
    upstream = next((name for name in (UPSTREAM, ORIGIN) if name in names), "")
    if names and not upstream:
        raise UsageError(f"no remote is called {UPSTREAM} or {ORIGIN}, of: {known}; name the "
                         f"benchmark's so: git remote rename NAME {UPSTREAM}")
    return Remotes(upstream, wanted or next((name for name in (FORK, ORIGIN) if name in names), ""))


@dataclass(frozen=True)
class Submitted:
    """A commit with a submission, judged, and the branch that is to name it."""

    main: str
    """What the main branch is called that this clone last saw."""
    base: str
    """Its commit."""
    branch: str
    files: Mapping[str, bytes]
    """By their paths in the repository."""
    commit: str
    """The base if it has these files."""
    pushed: str
    """The commit that the fork's branch had last; empty if there was none."""
    review: Review


def submitted(clone: Clone, remotes: Remotes, name: SubmissionName, folder: Path, owner: str | None,
              boards: Path, home: Path) -> Submitted:
    """Make the commit on the main branch of the benchmark's remote, or where there is no remote on
    the one here, and judge it as the check of its pull request will.

    Raises UsageError where it cannot be made.
    """
    upstream, branch = remotes.upstream, f"submit/{name}"
    main = f"{upstream}/{BRANCH}" if upstream else BRANCH
    base = clone.tip(f"refs/remotes/{main}" if upstream else f"refs/heads/{main}")
    if not base:
        raise UsageError(
            f"this clone has no {main}; bring it: git fetch {upstream} "
            f"{BRANCH}:refs/remotes/{main}" if upstream else
            f"this clone has neither a remote nor a branch {BRANCH}; clone the benchmark's "
            "repository")
    if not clone.tree(base, f"boards/{name.board}/board.yaml"):
        raise UsageError(f"{main} has no board {excerpt(name.board)}; run this in a clone of "
                         "the benchmark's repository (or name it with --root), and bring its "
                         "boards up to date: git fetch")
    pushed = clone.tip(f"refs/remotes/{remotes.own}/{branch}") if remotes.own else ""
    ours = (f"{name.path}/", owners.path_of(name.team))
    for tip in {clone.tip(f"refs/heads/{branch}"), pushed} - {""}:
        parted = clone.merge_bases(base, tip)
        if len(parted) != 1 or any(not change.path.startswith(ours)
                                   for change in clone.changes(parted[0], tip)):
            raise UsageError(f"the branch {branch} holds something else than {name.path}; rename "
                             "it: git branch --move")
    files = {f"{name.path}/{path.name}": path.read_bytes() for path in listed(folder)}
    files |= _owners_file(clone, base, name, owner)
    before = dict.fromkeys(entry.path for entry in clone.tree(base, name.path))
    tree = clone.tree_with(base, {**before, **files})
    commit = base
    if tree != clone.text("rev-parse", f"{base}^{{tree}}"):
        clone.must("say who you are, as it will stand in the public commit: git config user.name "
                   "NAME; git config user.email ADDRESS", "var", "GIT_AUTHOR_IDENT")
        verb = "Update" if before else "Add"
        commit = clone.must("see git config --list", "commit-tree", tree, "-p", base, stdin=(
            f"{verb} {name.system} of {name.team} on {name.board}\n").encode())
    review = validate.check(clone, PullRequest(0, base, commit), boards, home)
    return Submitted(main, base, branch, files, commit, pushed, review)


def _owners_file(clone: Clone, base: str, name: SubmissionName, owner: str | None
                 ) -> dict[str, bytes]:
    """The file of owners that a team's first submission brings: as it lies in the work tree, else
    with the account that is named, or that ``gh`` is logged in with. Raises UsageError for none.
    """
    path = owners.path_of(name.team)
    for entry in clone.tree(base, pull.TOP):
        folder = pull.folder_of(entry.path)
        if entry.path == path or (folder is not None and folder.team == name.team):
            return {}
    if name.team in RESERVED:
        return {}
    if (clone.folder / path).is_file():
        return {path: (clone.folder / path).read_bytes()}
    account = Owner.of(owner or _account_of_gh())
    if account is None:
        raise UsageError(
            f"the first submission of {name.team} names its owner; add --owner LOGIN#NUMBER, your "
            "account on GitHub and the id that https://api.github.com/users/LOGIN shows")
    return {path: owners.first_file(name.team, account)}


def _account_of_gh() -> str:
    """The account that GitHub's program is logged in with; empty if it is not here."""
    try:
        ran = subprocess.run(_GH, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if ran.returncode else ran.stdout.strip()
