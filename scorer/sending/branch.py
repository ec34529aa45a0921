"""A branch with a submission: one commit on the main branch with its files, byte by byte.

Everything is first made and judged in a store of its own, so that a refusal leaves nothing behind.
Only then are the same objects written into the clone, and one reference. Neither index nor work
tree is read or written; filters, line ends and ignored files of the checkout do not count.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scorer.ci import ledger, merging, validate
from scorer.ci.git import FILE, Repository
from scorer.ci.scope import NOBODY, TOP, PullContext, Scope
from scorer.ci.validate import BRANCH, Request, Review
from scorer.errors import UsageError, excerpt
from scorer.reading.strict_yaml import LARGEST
from scorer.reading.tsv import LARGEST_FILE
from scorer.sending.clone import Clone
from scorer.sending.remotes import Remote, Roles
from scorer.submission import FILE_NAME, SubmissionName

HEADS, REMOTES = "refs/heads/", "refs/remotes/"
_IDENT = re.compile(r"(.*) ([0-9]+ [+-][0-9]{4})")
_NOT_PLAIN = re.compile(r"[-+]|(?:refs|heads|tags|remotes)/|(?:HEAD|@|tag)$")
"""Names that ``git push`` reads as something else: an option, force, another reference."""
_ASSUMED = 1
"""Stands for the account of a team whose account the ledger does not tell."""


class Base(NamedTuple):
    """The main branch as this clone last saw it."""

    name: str
    commit: str
    day: str
    """The day of its commit, YYYY-MM-DD."""


class Stat(NamedTuple):
    """How one file differs from the base."""

    name: str
    added: int
    removed: int
    old: bool
    """Whether the base has the file."""


@dataclass(frozen=True)
class Planned:
    """A branch, judged and not yet made."""

    clone: Clone
    roles: Roles
    name: SubmissionName
    base: Base
    branch: str
    files: Mapping[str, bytes]
    """By their path in the repository."""
    parent: str
    """The commit that the new one is made on."""
    before: str
    """The commit of the branch by now, here or where it was pushed; empty if there is none."""
    local: str
    """The commit of the branch here; empty if there is none."""
    author: str
    date: str
    commit: str
    """Of the same content, unsigned; the branch's own where nothing changes."""
    review: Review
    stats: tuple[Stat, ...]
    ahead: int
    """Commits that the base does not have."""
    owner: int | None
    """The account that the team belongs to, as far as this clone knows."""
    message: str
    """The commit's."""
    anonymous: str
    """Until when the team is not to be named; empty if it may be."""
    other_board: bool
    """Whether the base describes the board in other words than those it was checked by."""

    @property
    def reference(self) -> str:
        """The branch in full."""
        return HEADS + self.branch

    @property
    def changed(self) -> bool:
        """Whether there is anything that the branch does not have yet."""
        return self.commit != self.before

    def push_words(self, commit: str) -> tuple[str, ...]:
        """What pushes the branch; without a remote that of the page on submitting."""
        own = self.roles.own.name if self.roles.own else "fork"
        there = self.clone.commit(f"{REMOTES}{own}/{self.branch}")
        lease = (f"--force-with-lease={self.branch}:{there}",
                 ) if there and not self.clone.is_before(there, commit) else ()
        return ("push", *lease, own, self.branch)


def planned(clone: Clone, roles: Roles, name: SubmissionName, folder: Path, branch: str | None,
            boards: Path, home: Path) -> Planned:
    """Make the branch's commit in a store that is thrown away, and judge it as the pull request
    will be. Raises UsageError where it cannot be made, and for a board that the base lacks.
    """
    base = base_of(clone, roles.upstream)
    branch = branch or f"submit/{name}"
    own = roles.own.name if roles.own else ""
    with _store(clone) as (apart, repository):
        other_board = _other_board(repository, base, name, boards)
        _check_branch(clone, base, branch)
        local = clone.commit(HEADS + branch)
        pushed = clone.commit(f"{REMOTES}{own}/{branch}") if own else ""
        before = pushed if not local or clone.is_before(local, pushed) else local
        for tip in {pushed, before} - {""}:
            _check_ours(repository, base, tip, branch, name)
        parent = _parent(repository, base, before, name)
        files = _files(folder, name)
        tree = repository.tree_with(base.commit, files, _gone(repository, base.commit, name, files))
        inside = repository.tree_with(parent, files, _gone(repository, parent, name, files))
        update = bool(repository.tree(parent, name.path))
        message = f"{'Update' if update else 'Add'} {name.system} of {name.team} on {name.board}\n"
        author, date = _author(clone)
        commit = parent
        if inside != _tree(repository, parent):
            commit = _committed(apart, inside, parent, date, message)
        review, owner = _judged(repository, base, commit, tree, name, boards, home)
        ahead = len(repository.own_commits(base.commit, commit, merging.MOST_COMMITS))
        return Planned(clone, roles, name, base, branch, files, parent, before, local, author, date,
                       commit, review, tuple(_stats(repository, base, tree, name)), ahead, owner,
                       message, _anonymous(review), other_board)


def made(plan: Planned) -> str:
    """Write the commit and the branch; returns the commit. Raises UsageError."""
    commit = plan.commit
    if plan.changed and plan.commit != plan.parent:
        repository = Repository(plan.clone.top, _trusting(plan.clone))
        gone = _gone(repository, plan.parent, plan.name, plan.files)
        tree = repository.tree_with(plan.parent, plan.files, gone)
        signed = plan.clone.text("config", "--type=bool", "--get", "commit.gpgSign") == "true"
        commit = _committed(plan.clone, tree, plan.parent, plan.date, plan.message,
                            *(("--gpg-sign",) if signed else ()))
    if commit != plan.local:
        plan.clone.must("choose another name with --branch", "update-ref", "-m", "scorer submit",
                        plan.reference, commit, plan.local or "0" * len(commit))
    return commit


def base_of(clone: Clone, upstream: Remote | None) -> Base:
    """The main branch of the benchmark's remote, else, where there is no remote, the one here."""
    name = f"{upstream.name}/{BRANCH}" if upstream else BRANCH
    commit = clone.commit(f"{REMOTES}{name}" if upstream else f"{HEADS}{name}")
    if not commit:
        raise UsageError(
            f"this clone has no {name}; bring it: git fetch {upstream.name} "
            f"{BRANCH}:{REMOTES}{name}" if upstream else
            f"this clone has neither a remote nor a branch {BRANCH}; clone the benchmark's "
            "repository")
    seconds = int(clone.text("show", "--no-patch", "--format=%ct", commit) or 0)
    return Base(name, commit, datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d"))


@contextmanager
def _store(clone: Clone) -> Iterator[tuple[Clone, Repository]]:
    """The clone with a store of objects of its own, which goes away."""
    with tempfile.TemporaryDirectory() as folder:
        there = str(clone.objects()).replace("\\", "\\\\").replace('"', '\\"')
        apart = {"GIT_OBJECT_DIRECTORY": folder, "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{there}"'}
        yield replace(clone, variables=apart), Repository(clone.top, _trusting(clone) | apart)


def _trusting(clone: Clone) -> dict[str, str]:
    """Lets calls without the user's configuration read a clone that the user's git reads."""
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": str(clone.top), "GIT_NO_LAZY_FETCH": "0"}


def _other_board(repository: Repository, base: Base, name: SubmissionName, boards: Path) -> bool:
    """Whether the base's board.yaml is another than that of ``boards``. Raises UsageError for a
    base without it.
    """
    described = f"{name.board}/board.yaml"
    entries = repository.tree(base.commit, f"boards/{described}")
    if not entries:
        raise UsageError(f"{base.name} has no board {excerpt(name.board)}; run this in a clone of "
                         "the benchmark's repository (or name it with --root), and bring its "
                         "boards up to date: git fetch")
    theirs = repository.blob(entries[0].oid, LARGEST)
    ours = boards / described
    return (theirs is not None and ours.is_file()
            and ours.read_bytes().replace(b"\r\n", b"\n") != theirs)


def _check_branch(clone: Clone, base: Base, branch: str) -> None:
    odd = _NOT_PLAIN.match(branch) or branch in (BRANCH, base.name)
    if odd or clone.run("check-ref-format", HEADS + branch).returncode:
        raise UsageError(f"--branch {excerpt(branch)}: not the name of a branch for a submission; "
                         "choose another")
    place = clone.checked_out(HEADS + branch)
    if place:
        raise UsageError(f"the branch {branch} is checked out in {place}; switch to another one "
                         "there, or choose another name with --branch")


def _check_ours(repository: Repository, base: Base, tip: str, branch: str, name: SubmissionName,
                ) -> None:
    """Raise UsageError unless a branch holds the submission alone."""
    parted = repository.merge_bases(base.commit, tip)
    if not parted:
        raise UsageError(f"the branch {branch} has no commit in common with {base.name}; bring "
                         "what lies between (git fetch --unshallow), or choose another name with "
                         "--branch")
    scope = Scope()
    merging.check_commits(repository, base.commit, tip, name, scope)
    if scope.total or len(parted) > 1 or any(
            not change.path.startswith(f"{name.path}/")
            for change in repository.changes(parted[0], tip)):
        raise UsageError(f"the branch {branch} holds something else than {name.path}; choose "
                         "another name with --branch")


def _parent(repository: Repository, base: Base, before: str, name: SubmissionName) -> str:
    """The commit to build on: the branch's last one, so that it can be pushed as it is; the base
    if that has it, or more of the submission by now.
    """
    if not before:
        return base.commit
    [parted] = repository.merge_bases(base.commit, before)
    new = repository.tree(base.commit, name.path) != repository.tree(parted, name.path)
    return base.commit if new or parted == before else before


def _files(folder: Path, name: SubmissionName) -> dict[str, bytes]:
    """Every file of the folder, which was checked to hold nothing else than a submission."""
    found = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            most = LARGEST if path.name == FILE_NAME else LARGEST_FILE
            found[f"{name.path}/{path.name}"] = file.read(most + 1)
    return found


def _gone(repository: Repository, commit: str, name: SubmissionName, files: Mapping[str, bytes],
          ) -> list[str]:
    return [entry.path for entry in repository.tree(commit, name.path) if entry.path not in files]


def _tree(repository: Repository, commit: str) -> str:
    return repository.run("rev-parse", f"{commit}^{{tree}}").stdout.decode().strip()


def _author(clone: Clone) -> tuple[str, str]:
    """Name and address of the author as git has them, and the date: now, unless that is set."""
    found = _IDENT.fullmatch(clone.must(
        "say who you are, as it will stand in the public commit: git config user.name NAME; "
        "git config user.email ADDRESS", "var", "GIT_AUTHOR_IDENT"))
    assert found is not None
    return found[1], found[2]


def _committed(clone: Clone, tree: str, parent: str, date: str, message: str, *more: str) -> str:
    return clone.must(
        "mend that, or for this clone: git config commit.gpgSign false" if more else
        "see git config --list", "commit-tree", tree, "-p", parent, *more, given=message.encode(),
        GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)


def _judged(repository: Repository, base: Base, head: str, tree: str, name: SubmissionName,
            boards: Path, home: Path) -> tuple[Review, int | None]:
    """What the pull request's check will say, and whose the team is.

    It is taken for granted that a team that is there already is the user's.
    """
    told = ledger.read(repository, base.commit)
    owners = told.owners()
    if name.team not in owners and any(entry.path.split("/")[2] == name.team for entry in
                                       repository.tree(base.commit, TOP)
                                       if entry.path.count("/") == 4):
        owners[name.team] = _ASSUMED
    account = owners.get(name.team)
    author = None if account == NOBODY else account
    with tempfile.TemporaryDirectory() as folder:
        asked = Request(0, base.commit, head, PullContext(author))
        review = validate.judged(repository, asked, tree, told, owners, boards, home, Path(folder))
    return review, account


def _anonymous(review: Review) -> str:
    sent = review.reading.submission if review.reading else None
    return sent.meta.anonymous_until or "" if sent else ""


def _stats(repository: Repository, base: Base, tree: str, name: SubmissionName) -> Iterator[Stat]:
    before = {entry.path for entry in repository.tree(base.commit, name.path)
              if entry.mode == FILE}
    listed = repository.run("diff-tree", "-r", "-z", "--numstat", "--no-renames", "--text",
                            base.commit, tree).stdout
    for line in listed.decode(errors="replace").split("\0"):
        if line:
            added, removed, path = line.split("\t", 2)
            yield Stat(path, int(added), int(removed), path in before)
