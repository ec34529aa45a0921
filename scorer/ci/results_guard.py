"""Whether a change keeps committed results, read from the objects of git: ``scorer ci moved``.

What counts as moved, ``scorer/results/changes.py`` says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from scorer.ci.git import FILE, Entry, Repository
from scorer.ci.ledger import RELEASES, TOP
from scorer.ci.runner import reach
from scorer.ci.state import RESULTS
from scorer.errors import Problem
from scorer.results import changes
from scorer.runs.error_records import FILE_NAME as ERROR

LARGEST = 64 * 1024 * 1024
"""Bytes of a file of results that are read."""
PAST = ".past.jsonl"
_BASES = (("pull_request", "base", "sha"), ("merge_group", "base_sha"))


def base_of(event: Mapping[str, Any]) -> str | None:
    """The commit that an event's change is to be merged into; None for any other event.

    A push is the publisher's own, which may replace what maintainers removed.
    """
    found = (reach(event, *names) for names in _BASES)
    return next((commit for commit in found if isinstance(commit, str)), None)


def findings(repository: Repository, base: str, head: str) -> list[Problem]:
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


def _files(repository: Repository, commit: str) -> dict[str, Entry]:
    """Results and their items, without records of errors, by path."""
    return {entry.path: entry for entry in repository.tree(commit, RESULTS)
            if entry.path.endswith((".json", changes.ITEMS))
            and entry.path.rpartition("/")[2] != ERROR}


def _document(repository: Repository, entry: Entry) -> Any:
    content = repository.blob(entry.oid, LARGEST) if entry.mode == FILE else None
    try:
        if content is None or not entry.path.endswith(changes.ITEMS):
            return None if content is None else json.loads(content)
        return [json.loads(line) for line in content.split(b"\n") if line]
    except (ValueError, RecursionError):
        return None
