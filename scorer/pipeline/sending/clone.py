"""The clone that a branch is made in: git as its user has set it up."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scorer.core import git
from scorer.core.errors import DataError, UsageError, excerpt
from scorer.pipeline.sending.remotes import Remote

_LOCAL = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX")
"""What a caller may have set of another repository."""
_SECRET = re.compile(r"(?<=://)[^/\s]*@")


@dataclass(frozen=True)
class Clone:
    """A checkout."""

    top: Path

    def run(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run git with its user's configuration, however it ends."""
        environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
        return git.run(self.top, *words, stdin=stdin, settings=("user.useConfigOnly=true",),
                       environment={**environment, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"})

    def text(self, *words: str) -> str:
        """What git answers, without the line end; empty if it fails."""
        ran = self.run(*words)
        return "" if ran.returncode else os.fsdecode(ran.stdout).removesuffix("\n")

    def must(self, advice: str, *words: str, stdin: bytes = b"") -> str:
        """The same. Raises UsageError with git's words and what to do if it fails."""
        ran = self.run(*words, stdin=stdin)
        if ran.returncode:
            raise UsageError(f"git {words[0]} failed: {_message(ran)}; {advice}")
        return os.fsdecode(ran.stdout).removesuffix("\n")

    def commit(self, reference: str) -> str:
        """The commit that a full reference names; empty if there is none."""
        return self.text("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")

    def remotes(self) -> list[Remote]:
        """Every remote; of addresses that git rewrites, the one that a browser opens."""
        return [Remote(name, self._address(name), self._address(name, "--push"))
                for name in self.text("remote").splitlines()]

    def _address(self, name: str, *push: str) -> str:
        addresses = (self.text("remote", "get-url", *push, name),
                     self.text("config", "--get", f"remote.{name}.url"))
        return next(filter(None, map(git.web_address, addresses)), "")

    def push(self, words: tuple[str, ...]) -> str:
        """Push, with whatever git is set up to sign in with; git's message. Raises DataError."""
        ran = self.run(*words)
        if ran.returncode:
            raise DataError(f"git could not push: {_message(ran)}; the branch is made: push it "
                            "again by the command above when that is mended")
        return _SECRET.sub("", ran.stderr.decode(errors="replace")).strip()


def find(folder: Path, root: Path | None) -> Clone:
    """The clone to make the branch in: ``root`` if it is named, else that of the working folder,
    else that which the submission lies in. Raises UsageError.
    """
    for path in [Path(), folder] if root is None else [root]:
        try:
            top = Clone(path).text("rev-parse", "--show-toplevel")
        except OSError as fault:
            raise UsageError("git is needed to make a branch; install it") from fault
        if top:
            return Clone(Path(top))
    raise UsageError(f"{excerpt(str(root or folder))} is no checkout; run this in a clone of the "
                     "benchmark's repository, or name it with --root")


def _message(ran: subprocess.CompletedProcess[bytes]) -> str:
    """Git's message, without a name, a password or a token in an address."""
    message = (ran.stderr or ran.stdout).decode(errors="replace").strip()
    return " ".join(_SECRET.sub("", message)[-600:].split()) or f"exit {ran.returncode}"
