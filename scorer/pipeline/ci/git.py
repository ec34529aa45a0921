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
from scorer.core.files import sha256
from scorer.pipeline.ci.runner import TryAgain

FILE, EXECUTABLE, SYMLINK, SUBMODULE = "100644", "100755", "120000", "160000"
NOTHING = "000000"
"""The mode of a side of a change at which the path does not exist."""

_USAGE = 129
"""How git ends when it does not know an option."""
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
    "submodule.recurse=false", "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false",
    "protocol.allow=never", "protocol.https.allow=always", "protocol.ssh.allow=always",
    "protocol.file.allow=always", "user.name=whyboard",
    "user.email=whyboard@users.noreply.github.com", "merge.renameLimit=1000",
)
MOST_CHANGES = 50_000
"""Between two commits: a tree of few objects can hold millions of paths."""
_KEPT = ("PATH", "HOME", "TMPDIR", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "HTTPS_PROXY", "NO_PROXY")


class TreeEntry(NamedTuple):
    """One path of a tree."""

    mode: str
    oid: str
    path: str
    """Bytes that are no UTF-8 are surrogates, as in ``os.fsdecode``."""


class Change(NamedTuple):
    """One path that differs between two trees; renames are a deletion and an addition."""

    status: str
    """A, M, D or T (the kind changed)."""
    old_mode: str
    mode: str
    oid: str
    path: str


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

    def run(self, *words: str, stdin: bytes = b"", index: Path | None = None,
            lazy: bool = False, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run git. ``lazy``: whether missing objects may be fetched.

        Raises DataError with git's words (ASCII) if it fails and ``check``.
        """
        ran = git.run(self.folder, *words, stdin=stdin, settings=_SETTINGS,
                      environment={**_environment(index, lazy), **self.environment})
        if check and ran.returncode:
            message = ascii(ran.stderr.decode(errors="replace").strip()[-300:])
            raise DataError(f"git {words[0]} failed in {self.folder}: {message}")
        return ran

    def commit(self, name: str) -> str:
        """The commit that a name or digest means. Raises DataError if there is none."""
        ran = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}",
                       check=False)
        oid = ran.stdout.decode().strip()
        if ran.returncode or not _OID.fullmatch(oid):
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
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *under).stdout
        entries = []
        for line in _fields(listed):
            words, _, path = line.partition(b"\t")
            mode, _, oid = words.decode().split(" ")
            entries.append(TreeEntry(mode, oid, os.fsdecode(path)))
        return entries

    def changes(self, base: str, head: str) -> list[Change]:
        """What differs from one commit to another, sorted by path; nothing behind MOST_CHANGES."""
        listed = self.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
                          "--ignore-submodules=none", base, head).stdout
        fields = list(islice(_fields(listed), 2 * MOST_CHANGES))
        entries = []
        for words, path in zip(fields[::2], fields[1::2], strict=True):
            old_mode, mode, _, oid, status = words.decode().removeprefix(":").split(" ")
            entries.append(Change(status, old_mode, mode, oid, os.fsdecode(path)))
        return entries

    def blob(self, oid: str, most: int) -> bytes | None:
        """A blob's bytes, or None if it has more than ``most`` or was left out for its size."""
        size = self.run("cat-file", "-s", oid, check=False)
        if size.returncode or int(size.stdout) > most:
            return None
        return self.run("cat-file", "blob", oid).stdout

    def blobs(self, oids: Sequence[str]) -> dict[str, bytes]:
        """Many blobs of a branch that is trusted. Raises DataError if one is missing."""
        return dict(self._each(oids))

    def digests(self, oids: Sequence[str]) -> dict[str, str]:
        """The SHA-256 of many blobs, of which one is held at a time; 64 hexadecimal digits each.

        Raises DataError if one is missing.
        """
        return {oid: sha256(content) for oid, content in self._each(oids)}

    def _each(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Blobs, each once, read one after another by one process."""
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return
        with tempfile.TemporaryFile() as requests:
            requests.write("".join(f"{oid}\n" for oid in wanted).encode())
            requests.seek(0)
            with git.begin(self.folder, "cat-file", "--batch", stdin=requests.fileno(),
                           settings=_SETTINGS, environment={
                               **_environment(None, lazy=False), **self.environment}) as ran:
                assert ran.stdout is not None
                for oid in wanted:
                    head = ran.stdout.readline().split()
                    if len(head) != 3 or head[1] != b"blob":
                        raise DataError(f"{self.folder}: the blob {oid} is missing; "
                                        "clone it whole")
                    yield oid, ran.stdout.read(int(head[2]))
                    ran.stdout.read(1)  # the line end after it

    def touches(self, commit: str, *under: str) -> dict[str, list[Touch]]:
        """For each path that ever was below some folders: the commits of the branch that wrote or
        removed it, in the branch's order.

        Follows first parents only: what a merge brought came with the merge.
        """
        listed = self.run(
            "log", "--reverse", "--first-parent", "--diff-merges=first-parent", "--no-renames",
            "--raw", "--no-abbrev", "-z", "--format=%x01%H %ct", commit, "--", *under).stdout
        history: dict[str, list[Touch]] = {}
        commit, date, number = "", "", -1
        fields = _fields(listed)
        for one in fields:
            word = one.lstrip(b"\n")
            if word.startswith(b"\x01"):
                commit, seconds = word[1:].decode().split(" ")
                date = datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                number += 1
            elif word:
                _, mode, _, oid, _ = word.decode().split(" ")
                touch = Touch(commit, date, number, mode, oid)
                history.setdefault(os.fsdecode(next(fields)), []).append(touch)
        return history

    def fetch(self, *wanted: str, largest: int | None = None) -> None:
        """Fetch references from ``origin``; blobs larger than ``largest`` bytes stay there.

        Raises TryAgain if it cannot be reached.
        """
        only = (f"--filter=blob:limit={largest}",) if largest is not None else ()
        ran = self.run("fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
                       "--no-write-fetch-head", *only, "origin", *wanted, lazy=True, check=False)
        if ran.returncode:
            message = ascii(ran.stderr.decode(errors="replace").strip()[-300:])
            raise TryAgain(f"origin could not be fetched: {message}")

    def committed(self, parent: str, files: Mapping[str, bytes], message: str,
                  gone: Sequence[str] = ()) -> str:
        """A new commit: ``parent`` with some files written and others, ``gone``, removed.

        Touches neither branch nor work tree. Returns ``parent`` itself if nothing changes.
        """
        tree = self.tree_with(parent, files, gone)
        if tree == self.run("rev-parse", f"{parent}^{{tree}}").stdout.decode().strip():
            return parent
        made = self.run("commit-tree", tree, "-p", parent, stdin=message.encode())
        return made.stdout.decode().strip()

    def tree_with(self, parent: str, files: Mapping[str, bytes], gone: Sequence[str] = ()) -> str:
        """A new tree: that of a commit with some files written, their bytes as they are, and the
        paths ``gone`` left out."""
        with tempfile.TemporaryDirectory() as folder:
            index = Path(folder) / "index"
            self.run("read-tree", parent, index=index)
            if gone:
                self.run("update-index", "--force-remove", "-z", "--stdin", index=index,
                         stdin=b"".join(os.fsencode(path) + b"\0" for path in gone))
            for path, content in sorted(files.items()):
                stored = self.run("hash-object", "-w", "--stdin", stdin=content).stdout
                oid = stored.decode().strip()
                self.run("update-index", "--add", "--cacheinfo", f"{FILE},{oid},{path}",
                         index=index)
            return self.run("write-tree", "--missing-ok", index=index).stdout.decode().strip()

    def push(self, commit: str, branch: str) -> bool:
        """Push a commit to a branch of ``origin``; False if the branch has moved on meanwhile."""
        ran = self.run("push", "--quiet", "--porcelain", "--no-verify", "origin",
                       f"{commit}:refs/heads/{branch}", lazy=True, check=False)
        output = ran.stdout + ran.stderr
        if ran.returncode and not _MOVED.search(output):
            raise TryAgain(f"origin took no push: {output.decode(errors='replace')[-300:]!a}")
        return ran.returncode == 0


_MOVED = re.compile(rb"\[(?:remote )?rejected\]|fetch first|non-fast-forward|cannot lock ref")


def is_oid(text: object) -> bool:
    """Whether a value is a full object id."""
    return isinstance(text, str) and _OID.fullmatch(text) is not None


def _environment(index: Path | None, lazy: bool) -> dict[str, str]:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {"LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
                    "GIT_ATTR_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    if not lazy:
        environment["GIT_NO_LAZY_FETCH"] = "1"
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    return environment


def _fields(listed: bytes) -> Iterator[bytes]:
    return (field for field in listed.split(b"\0") if field)
