"""Pull requests out of ``cases/pulls/<rules>.<what>/case.yaml``, as real git objects.

A case says what differs from the usual one: mallory, whom nobody knows, sends a sound first
submission to a main branch on which alice owns a team and maintainers began another one.

    author: alice#1001           who opens it (mallory#6666)
    own: true                    from a branch of the repository itself
    into: cleanup                for another branch than main
    sends: [alice/second]        sound submissions, each with owners if its team is new
    head: {path: content}        further changes of the branch
    before: {path: content}      changes of main before the branch begins
    main: {path: content}        changes of main after that
    behind: 500                  further commits of main
    history: [...]               instead: all commits, as name, from, sends, change, like
    faults: 20                   how many faults there are
    says: [text]                 what the summary has

Content is a text, null for nothing, or a mapping: ``text`` (with ``times``), ``rows`` (sound
predictions that nobody else has; with ``split``, or with one text ``instead`` of another),
``zeros``, ``commit`` or ``secret``; with ``mode``, and with ``each`` for that many files whose path
has ``{n}``. Objects are written without git, so that nothing has a say in what a name may be.
"""

import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scorer.core.reading.values import is_slug
from scorer.pipeline.ci.owners import first_file
from scorer.pipeline.ci.pull import TEAMS, Owner
from tests.ci_world import BOARD, GOLD, META, git

FOLDER = Path(__file__).parent / "cases" / "pulls"
AUTHOR = "mallory#6666"
NUMBERS = {"alice": 1001, "bob": 1002, "mallory": 6666}
EVIL = 'zzz";echo${IFS}"pwned";#`id`$(id)${{ secrets.X }}\n::error::pwned'

Files = dict[str, tuple[str, str]]
"""Mode and object of every path of a commit."""


def names() -> list[str]:
    """Every case by its folder."""
    return sorted(path.parent.name for path in FOLDER.glob("*/case.yaml"))


def load(name: str) -> dict[str, Any]:
    """What a case says."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / name / "case.yaml").read_text("utf-8"))
    return found


def rules(name: str) -> set[str]:
    """The rules that a case breaks, notes included."""
    before = name.partition(".")[0]
    return set() if before == "accepted" else set(before.split("+"))


class Pulls:
    """A bare repository to which every case adds its objects."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        git(folder, "init", "--quiet", "--bare")
        self._written: set[str] = set()
        self._trees: dict[str, Files] = {}
        self.start = self._commit(self._changed({}, self._world()), [])

    def event(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """What GitHub tells a workflow about a case; every text is hostile."""
        base, head = self._made(case)
        login, _, number = case.get("author", AUTHOR).partition("#")
        return {"pull_request": {
            "number": 1, "title": EVIL, "body": EVIL, "labels": [{"name": EVIL}],
            "user": {"login": login, "id": int(number)},
            "base": {"sha": base, "ref": case.get("into", "main"), "repo": {"id": 1}},
            "head": {"sha": head, "ref": EVIL, "repo": {"id": 1 if case.get("own") else 2}}}}

    def _made(self, case: Mapping[str, Any]) -> tuple[str, str]:
        """The commits of a case: the main branch's and the pull request's."""
        if "history" in case:
            made = self._history(case["history"])
            return made["main"], made["head"]
        base = self._next(self.start, case.get("before", {}))
        head = self._next(base, case.get("head", {}), case.get("sends", ["mallory/a-system"]))
        base = self._next(base, case.get("main", {}))
        for number in range(case.get("behind", 0)):
            base = self._next(base, {"docs/index.md": str(number)})
        return base, head

    def _history(self, listed: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        made = {"start": self.start}
        for entry in listed:
            parents = [made[name] for name in entry["from"]]
            like = made[entry["like"]] if "like" in entry else (parents or [self.start])[0]
            sent = _sent(self._trees[like], entry.get("sends", []))
            files = self._changed(self._trees[like], sent, entry.get("change", {}))
            made[entry["name"]] = self._commit(files, parents)
        return made

    def _next(self, parent: str, change: Mapping[str, Any], sends: Sequence[str] = ()) -> str:
        """A commit on another one; that one if nothing changes."""
        files = self._changed(self._trees[parent], _sent(self._trees[parent], sends), change)
        return parent if files == self._trees[parent] else self._commit(files, [parent])

    def _world(self) -> dict[str, Any]:
        text = {path: f"{path}\n" for path in (
            "README.md", "docs/index.md", ".github/workflows/validate.yml",
            "scorer/pipeline/ci/policy.py", f"boards/{BOARD}/board.yaml", "submissions/README.md",
            f"results/{BOARD}/alice/a-system/dev.json")}
        return {**text, **_sent({}, ["alice/a-system", "lab/a-system"]), f"{TEAMS}/lab.yaml": None}

    def _changed(self, files: Files, *changes: Mapping[str, Any]) -> Files:
        files = dict(files)
        for change in changes:
            for path, value in change.items():
                for number in range(value.get("each", 1) if isinstance(value, dict) else 1):
                    name = path.replace("{n}", str(number))
                    files.pop(name, None)
                    if value is not None:
                        files[name] = self._entry(value, number)
        return files

    def _entry(self, value: Any, number: int) -> tuple[str, str]:
        about = value if isinstance(value, dict) else {"text": value}
        mode = about.get("mode", "100644")
        if "commit" in about:
            return mode, about["commit"]
        return mode, self._write("blob", _content(about, number))

    def _commit(self, files: Files, parents: Sequence[str]) -> str:
        who = "Somebody <somebody@example.org> 1700000000 +0000"
        lines = [f"tree {self._tree(files)}", *(f"parent {parent}" for parent in parents),
                 f"author {who}", f"committer {who}", "", f"Change {len(self._trees)}", ""]
        made = self._write("commit", "\n".join(lines).encode())
        self._trees[made] = files
        return made

    def _tree(self, files: Mapping[str, tuple[str, str]]) -> str:
        """A tree of git: names of any bytes, sorted as git sorts them."""
        entries: dict[bytes, tuple[str, str]] = {}
        inside: dict[str, Files] = {}
        for path, entry in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                inside.setdefault(name, {})[rest] = entry
            else:
                entries[os.fsencode(name)] = entry
        for name, below in inside.items():
            entries[os.fsencode(name) + b"/"] = ("40000", self._tree(below))
        return self._write("tree", b"".join(
            b"%s %s\0%s" % (mode.encode(), name.rstrip(b"/"), bytes.fromhex(oid))
            for name, (mode, oid) in sorted(entries.items())))

    def _write(self, kind: str, content: bytes) -> str:
        data = f"{kind} {len(content)}\0".encode() + content
        oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        if oid not in self._written:
            path = self.folder / "objects" / oid[:2] / oid[2:]
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(zlib.compress(data, 1))
            self._written.add(oid)
        return oid


def _sent(files: Files, systems: Sequence[str]) -> dict[str, Any]:
    """Sound submissions for a tree, each with owners if the tree has nothing of its team."""
    known = {path.split("/")[2] for path in files if path.count("/") == 4}
    sent: dict[str, Any] = {}
    for name in systems:
        *board, team, system = name.rsplit("/", 2)
        place = f"submissions/{(board or [BOARD])[0]}/{team}/{system}"
        title = f"{team} and others" if is_slug(team) else "Others"
        sent[f"{place}/submission.yaml"] = META.replace("A team", title)
        sent[f"{place}/predictions.dev.tsv"] = {"rows": f"{team}/{system}"}
        if is_slug(team) and team not in known:
            who = team if team in NUMBERS else "mallory"
            sent[f"{TEAMS}/{team}.yaml"] = first_file(team, Owner(who, NUMBERS[who])).decode()
    return sent


def _content(about: Mapping[str, Any], number: int) -> bytes:
    if "rows" in about:
        mark = hashlib.sha256(about["rows"].encode(errors="surrogateescape")).hexdigest()[:8]
        path = GOLD.with_name(f"predictions.{about.get('split', 'dev')}.tsv")
        old, new = about.get("instead", ("", ""))
        rows = path.read_text("utf-8").replace("(", f"({mark} ", 1)
        return (rows.replace(old, new) if old else rows).encode()
    if "secret" in about:  # in no file, where it would be taken for a key that got out
        return b"key: AGE-SECRET-KEY-1" + b"Q" * 58
    if "zeros" in about:
        return bytes(about["zeros"])
    text: str = about["text"]
    return os.fsencode(text.replace("{n}", str(number)) * about.get("times", 1))
