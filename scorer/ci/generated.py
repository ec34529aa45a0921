"""What only the pipeline writes, the ledger and results: did somebody else change it?

Our own commits are known by their committer, whom GitHub sets for whatever it merges. Only what
came after the last of them is looked at: nothing is published over a change by a stranger. Whether
a change keeps committed results (``scorer ci moved``) is read from the objects of git; what counts
as moved, ``scorer/results/changes.py`` says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from scorer.ci.git import EMAIL, FILE, Repository, TreeEntry
from scorer.ci.github import MergedPull
from scorer.ci.ledger import RELEASES, TOP
from scorer.ci.main_branch import RESULTS, is_of_system
from scorer.ci.runner import reach
from scorer.ci.scope import GENERATED, shown
from scorer.errors import Problem
from scorer.results import changes
from scorer.runs.error_records import FILE_NAME as ERROR

MOST = 100
"""Commits that are asked about; there are as many only before anything was published."""
RESTORE = "restore it by a branch with the label maintenance; until then nothing is scored"
LARGEST = 64 * 1024 * 1024
"""Bytes of a file of results that are read."""
PAST = ".past.jsonl"
_BASES = (("pull_request", "base", "sha"), ("merge_group", "base_sha"))


def changed_by_others(repository: Repository, tip: str, base: str = "") -> list[str]:
    """Commits of others that touched what only the pipeline writes, since our last one or since
    ``base``; the newest first.
    """
    span = f"{base}..{tip}" if base else tip
    listed = repository.run("log", "--first-parent", "--diff-merges=first-parent",
                            "--format=%H %ce", span, "--", *GENERATED).stdout
    lines = (line.split(" ") for line in listed.decode(errors="replace").splitlines())
    return [line[0] for line in takewhile(lambda line: line[1:] != [EMAIL], lines)]


def foreign(repository: Repository, tip: str,
            pull_of: Callable[[str], MergedPull | None]) -> Iterator[str]:
    """Every file that a pull request changed which no maintainer marked, and that was not restored.

    ``pull_of``: the pull request of a commit, None for one by hand. Raises as that does.
    """
    now = {entry.path: (entry.mode, entry.oid) for entry in repository.tree(tip, *GENERATED)}
    for commit in changed_by_others(repository, tip)[:MOST]:
        pull = pull_of(commit)
        if pull is None or pull.trusted:
            continue
        parent = f"{commit}^"
        before = {entry.path: (entry.mode, entry.oid)
                  for entry in repository.tree(parent, *GENERATED)}
        for change in repository.changes(parent, commit):
            path = change.path
            if path.split("/")[0] in GENERATED and now.get(path) != before.get(path):
                yield (f"{shown(path)}: changed by pull request {pull.number} in commit "
                       f"{commit[:12]}, and only the pipeline may; {RESTORE}")


def base_of(event: Mapping[str, Any]) -> str | None:
    """The commit that an event's change is to be merged into; None for any other event.

    A push is the publisher's own, which may replace what maintainers removed.
    """
    found = (reach(event, *names) for names in _BASES)
    return next((commit for commit in found if isinstance(commit, str)), None)


def moved(repository: Repository, base: str, head: str) -> list[Problem]:
    """Every result of ``base`` that ``head`` moves or removes without a reason, and every old line
    of the ledger or of past values that it rewrites.

    Raises DataError if one of the commits is not here.
    """
    old, new = (_files(repository, repository.commit(name)) for name in (base, head))
    changed = {path for path, entry in old.items() if new.get(path) != entry}
    before = {path: _document(repository, old[path]) for path in changed}
    after = {path: _document(repository, new[path]) for path in changed & new.keys()}
    return [*changes.findings(before, after), *rewritten(repository, base, head)]


def rewritten(repository: Repository, base: str, head: str) -> Iterator[Problem]:
    """Files of which lines are only ever appended, and that lost or changed one."""
    old, new = ({entry.path: entry.oid
                 for entry in repository.tree(repository.commit(name), TOP, RESULTS)
                 if _grows(entry.path)} for name in (base, head))
    changed = [path for path, oid in sorted(old.items()) if new.get(path) != oid]
    contents = repository.blobs([side[path] for path in changed for side in (old, new)
                                 if path in side])
    for path in changed:
        lines = contents[old[path]].split(b"\n")[:-1]
        now = contents[new[path]].split(b"\n")[:-1] if path in new else []
        if now[:len(lines)] != lines:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(lines, now, strict=False))
            yield Problem(path, sum(1 for _ in same) + 1, 1, "LEDGER-REWRITTEN",
                          "an old line is gone or changed",
                          "every old line as it was, new ones after them", "restore the file")


def _grows(path: str) -> bool:
    """Whether lines of a file are only ever appended: the ledger's own, and past values."""
    own = path.startswith(f"{TOP}/") and not path.startswith(RELEASES)
    return (own and path.endswith(".jsonl")) or path.endswith(PAST)


def _files(repository: Repository, commit: str) -> dict[str, TreeEntry]:
    """Results of systems and their items, without records of errors, by path."""
    return {entry.path: entry for entry in repository.tree(commit, RESULTS)
            if is_of_system(entry.path) and entry.path.endswith((".json", changes.ITEMS))
            and entry.path.rpartition("/")[2] != ERROR}


def _document(repository: Repository, entry: TreeEntry) -> Any:
    content = repository.blob(entry.oid, LARGEST) if entry.mode == FILE else None
    try:
        if content is None or entry.path.endswith(changes.ITEMS):
            return content
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
