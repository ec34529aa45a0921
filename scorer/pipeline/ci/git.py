"""Git objects as data: trees, modes, blobs and changes, read without ever checking out a file.

Nothing of a pull request touches the disk under its own name: names are bytes between NULs, a
symlink is a mode, filters and hooks are not asked. Calls have fixed words, no configuration of the
machine and no hooks.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from scorer.core import git
from scorer.core.errors import DataError
from scorer.pipeline.ci.runner import TryAgain

FILE, EXECUTABLE, SYMLINK, SUBMODULE = "100644", "100755", "120000", "160000"
NOTHING = "000000"
"""The mode of a side of a change at which the path does not exist."""
BRANCH = "main"
MOST_CHANGES = 50_000
"""Between two commits: a tree of few objects can hold millions of paths."""
_USAGE = 129
"""How git ends when it does not know an option."""
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOVED = re.compile(rb"\[(?:remote )?rejected\]|fetch first|non-fast-forward|cannot lock ref")
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
    "submodule.recurse=false", "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false",
    "protocol.allow=never", "protocol.https.allow=always", "protocol.ssh.allow=always",
    "protocol.file.allow=always", "user.name=whyboard",
    "user.email=whyboard@users.noreply.github.com", "merge.renameLimit=1000",
)
_KEPT = ("PATH", "HOME", "TMPDIR", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "HTTPS_PROXY", "NO_PROXY")
_FIXED = {"LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
          "GIT_ATTR_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
"""Variables of every call; objects that are not here are fetched only where that is asked for."""


class TreeEntry(NamedTuple):
    """One path of a tree."""

    mode: str
    oid: str
    path: str
    """Bytes that are no UTF-8 are surrogates, as in ``os.fsdecode``."""


class Change(NamedTuple):
    """One path that differs between two trees; renames are a deletion and an addition."""

    mode: str
    oid: str
    path: str
    added: bool
    """Whether there was nothing before."""


class Touch(NamedTuple):
    """One commit of a branch that wrote or removed a path."""

    commit: str
    date: str
    """The commit's date as YYYY-MM-DDTHH:MM:SSZ."""
    number: int
    """How many commits of the branch that touched the same folders came before."""
    mode: str
    oid: str
    """The object that it wrote."""

    @property
    def removed(self) -> bool:
        """Whether the path was there no longer."""
        return self.mode == NOTHING


@dataclass(frozen=True)
class Repository:
    """A repository by its folder; every method reads objects, never the work tree."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Variables of every call beside the fixed ones."""

    def run(self, *words: str, stdin: bytes = b"", check: bool = True, **environment: str
            ) -> subprocess.CompletedProcess[bytes]:
        """Run git, with further variables. Raises DataError with git's words (ASCII) if it fails
        and ``check``."""
        ran = git.run(self.folder, *words, stdin=stdin, settings=_SETTINGS,
                      environment=self._environment(environment))
        if check and ran.returncode:
            raise DataError(f"git {words[0]} failed in {self.folder}: {_last(ran.stderr)}")
        return ran

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return {**kept, **_FIXED, **more, **self.environment}

    def line(self, *words: str, stdin: bytes = b"", **environment: str) -> str:
        """The one line that git answers."""
        return self.run(*words, stdin=stdin, check=True, **environment).stdout.decode().strip()

    def commit(self, name: str) -> str:
        """The commit that a name or digest means. Raises DataError if there is none."""
        ran = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}",
                       check=False)
        oid = ran.stdout.decode().strip()
        if ran.returncode or not is_oid(oid):
            raise DataError(f"{self.folder}: no commit {name!a}; fetch it first")
        return oid

    def has(self, oid: str) -> bool:
        """Whether an object is here."""
        return is_oid(oid) and not self.run("cat-file", "-e", oid, check=False).returncode

    def merge_bases(self, commit: str, other: str) -> list[str]:
        """The commits at which two histories parted: none if they share none, several if they
        crossed; whoever writes one of the histories decides which of several comes first.
        """
        return self.run("merge-base", "--all", commit, other, check=False).stdout.decode().split()

    def merged(self, base: str, head: str) -> str | None:
        """The tree that merging one commit into another gives; None if they cannot be merged.

        Raises DataError if this git is too old to tell.
        """
        ran = self.run("merge-tree", "--write-tree", "--no-messages", base, head, check=False)
        if ran.returncode == _USAGE:
            raise DataError("git cannot merge without a work tree; install git 2.38 or newer")
        tree = ran.stdout.decode(errors="replace").split("\n")[0]
        return tree if ran.returncode == 0 and is_oid(tree) else None

    def tree(self, commit: str, *under: str) -> list[TreeEntry]:
        """Every path of a commit that is no folder, below some folders or all."""
        entries = []
        for line in _fields(self.run(
                "ls-tree", "-r", "-z", "--full-tree", commit, "--", *under).stdout):
            words, _, path = line.partition(b"\t")
            mode, _, oid = words.decode().split(" ")
            entries.append(TreeEntry(mode, oid, os.fsdecode(path)))
        return entries

    def changes(self, base: str, head: str) -> list[Change]:
        """What differs from one commit to another, sorted by path; nothing behind MOST_CHANGES."""
        fields = islice(_fields(self.run(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
            "--ignore-submodules=none", base, head).stdout), 2 * MOST_CHANGES)
        entries = []
        for words in fields:
            _, mode, _, oid, status = words.decode().split(" ")
            entries.append(Change(mode, oid, os.fsdecode(next(fields)), status == "A"))
        return entries

    def touches(self, commit: str, *under: str) -> dict[str, list[Touch]]:
        """For each path that ever was below some folders: the commits of the branch that wrote or
        removed it, in the branch's order.

        Follows first parents only: what a merge brought came with the merge.
        """
        fields = _fields(self.run(
            "log", "--reverse", "--first-parent", "--diff-merges=first-parent", "--no-renames",
            "--raw", "--no-abbrev", "-z", "--format=%x01%H %ct", commit, "--", *under).stdout)
        history: dict[str, list[Touch]] = {}
        commit, date, number = "", "", -1
        for one in fields:
            word = one.lstrip(b"\n")
            if word.startswith(b"\x01"):
                commit, seconds = word[1:].decode().split(" ")
                date = datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                number += 1
            elif word:
                _, mode, _, oid, _ = word.decode().split(" ")
                history.setdefault(os.fsdecode(next(fields)), []).append(
                    Touch(commit, date, number, mode, oid))
        return history

    def blob(self, oid: str, most: int) -> bytes | None:
        """A blob's bytes, or None if it has more than ``most``, was left out for its size, or is no
        blob at all."""
        size = self.sizes([oid]).get(oid, most + 1)
        return None if size > most else self.run("cat-file", "blob", oid).stdout

    def sizes(self, oids: Sequence[str]) -> dict[str, int]:
        """How many bytes each blob has, of those that are here."""
        sizes: dict[str, int] = {}
        while oids:
            ran = self.run("cat-file", "--batch-check", check=False,
                           stdin="".join(f"{oid}\n" for oid in oids).encode())
            lines = ran.stdout.decode().splitlines()
            for oid, kind, *size in map(str.split, lines):
                if kind == "blob":
                    sizes[oid] = int(size[0])
            oids = oids[len(lines) + 1:]  # git ends at one that was left at the origin
        return sizes

    def blobs(self, oids: Sequence[str]) -> dict[str, bytes]:
        """Many blobs of a branch that is trusted. Raises DataError if one is missing."""
        return dict(self.each(oids))

    def each(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The same one after another, each once: one is held at a time, all by one process."""
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return
        with tempfile.TemporaryFile() as requests:
            requests.write("".join(f"{oid}\n" for oid in wanted).encode())
            requests.seek(0)
            with git.begin(self.folder, "cat-file", "--batch", stdin=requests.fileno(),
                           settings=_SETTINGS, environment=self._environment({})) as ran:
                assert ran.stdout is not None
                for oid in wanted:
                    head = ran.stdout.readline().split()
                    if len(head) != 3 or head[1] != b"blob":
                        raise DataError(f"{self.folder}: the blob {oid} is missing; "
                                        "clone it whole")
                    yield oid, ran.stdout.read(int(head[2]))
                    ran.stdout.read(1)  # the line end after it

    def fetch(self, *wanted: str, largest: int | None = None) -> None:
        """Fetch references from ``origin``; blobs larger than ``largest`` bytes stay there.

        Raises TryAgain if it cannot be reached.
        """
        only = (f"--filter=blob:limit={largest}",) if largest is not None else ()
        ran = self.run("fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
                       "--no-write-fetch-head", *only, "origin", *wanted, check=False,
                       GIT_NO_LAZY_FETCH="0")
        if ran.returncode:
            raise TryAgain(f"origin could not be fetched: {_last(ran.stderr)}")

    def fetch_main(self) -> str:
        """The commit of the main branch as ``origin`` has it now. Raises TryAgain."""
        self.fetch(f"+refs/heads/{BRANCH}:refs/remotes/origin/{BRANCH}")
        return self.commit(f"refs/remotes/origin/{BRANCH}")

    def push(self, commit: str) -> bool:
        """Push a commit to the main branch of ``origin``; False if that has moved on meanwhile."""
        ran = self.run("push", "--quiet", "--porcelain", "--no-verify", "origin",
                       f"{commit}:refs/heads/{BRANCH}", check=False, GIT_NO_LAZY_FETCH="0")
        output = ran.stdout + ran.stderr
        if ran.returncode and not _MOVED.search(output):
            raise TryAgain(f"origin took no push: {_last(output)}")
        return ran.returncode == 0

    def committed(self, parent: str, files: Mapping[str, bytes | None], message: str) -> str:
        """A new commit: ``parent`` with some files written, and those removed that are None.

        Touches neither branch nor work tree. Returns ``parent`` itself if nothing changes.
        """
        tree = self.tree_with(parent, files)
        if tree == self.line("rev-parse", f"{parent}^{{tree}}"):
            return parent
        return self.line("commit-tree", tree, "-p", parent, stdin=message.encode())

    def tree_with(self, parent: str, files: Mapping[str, bytes | None]) -> str:
        """A new tree: that of a commit with some files written, their bytes as they are, and
        without those that are None."""
        entries = []
        for path, content in files.items():
            mode, oid = ("0", "0" * len(parent)) if content is None else (
                FILE, self.line("hash-object", "-w", "--stdin", stdin=content))
            entries.append(f"{mode} {oid}\t{path}\0")
        with tempfile.TemporaryDirectory() as folder:
            index = f"{folder}/index"
            self.run("read-tree", parent, GIT_INDEX_FILE=index)
            self.run("update-index", "-z", "--index-info", stdin=os.fsencode("".join(entries)),
                     GIT_INDEX_FILE=index)
            return self.line("write-tree", "--missing-ok", GIT_INDEX_FILE=index)


def is_oid(text: object) -> bool:
    """Whether a value is a full object id."""
    return isinstance(text, str) and _OID.fullmatch(text) is not None


def _last(words: bytes) -> str:
    """The end of what git says, in ASCII."""
    return ascii(words.decode(errors="replace").strip()[-300:])


def _fields(listed: bytes) -> Iterator[bytes]:
    return (part for part in listed.split(b"\0") if part)
