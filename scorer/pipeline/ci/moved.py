"""Whether a change keeps committed results, read from the objects of git: ``scorer ci moved``.

What counts as moved, ``scorer/scoring/results/changes.py`` says. Lines of past values
are only ever added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from scorer.core.errors import Problem
from scorer.pipeline.ci.git import FILE, Repository, TreeEntry
from scorer.pipeline.ci.main_branch import RESULTS, is_of_system
from scorer.pipeline.ci.runner import value_at
from scorer.scoring.results import changes

LARGEST = 64 * 1024 * 1024
"""Bytes of a file of results that are read."""
PAST = ".past.jsonl"
ERROR = "error.json"
"""The end of names of records of errors, those of runs and the publisher's."""


def base_of(event: Mapping[str, Any]) -> str | None:
    """The commit that an event's change is to be merged into; None for any other event.

    A push is the publisher's own, which may replace what maintainers removed.
    """
    base = value_at(event, "pull_request", "base", "sha")
    return base if isinstance(base, str) else None


def moved(repository: Repository, base: str, head: str) -> list[Problem]:
    """Every result of ``base`` that ``head`` moves or removes without a reason, and every old line
    of past values that it rewrites.

    Raises DataError if one of the commits is not here.
    """
    old, new = ({entry.path: entry
                 for entry in repository.tree(repository.commit(name), RESULTS)}
                for name in (base, head))
    changed = {path: entry for path, entry in old.items() if new.get(path) != entry}
    results = {f"{path.removesuffix('.json').removesuffix(changes.ITEMS)}.json" for path in changed
               if is_of_system(path) and path.endswith((".json", changes.ITEMS))
               and not path.endswith(ERROR)}
    return [*(problem for path in sorted(results) for problem in changes.findings(
                path, _files(repository, path, old), _files(repository, path, new))),
            *_rewritten(repository, {path: entry for path, entry in changed.items()
                                     if path.endswith(PAST)}, new)]


def _rewritten(repository: Repository, old: Mapping[str, TreeEntry],
               new: Mapping[str, TreeEntry]) -> Iterator[Problem]:
    """Files of past values that lost or changed a line."""
    contents = repository.blobs([side[path].oid for path in old for side in (old, new)
                                 if path in side])
    for path, entry in sorted(old.items()):
        lines = contents[entry.oid].split(b"\n")[:-1]
        now = contents[new[path].oid].split(b"\n")[:-1] if path in new else []
        if now[:len(lines)] != lines:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(lines, now, strict=False))
            yield Problem(path, sum(1 for _ in same) + 1, 1, "PAST-REWRITTEN",
                          "an old line is gone or changed",
                          "every old line as it was, new ones after them", "restore the file")


def _files(repository: Repository, path: str, side: Mapping[str, TreeEntry],
           ) -> changes.ResultFiles:
    """A result's files; nothing is in a link, or in one that is too large."""
    items = path.removesuffix(".json") + changes.ITEMS
    return changes.ResultFiles(*(
        None if (entry := side.get(name)) is None
        else (repository.blob(entry.oid, LARGEST) if entry.mode == FILE else None) or b""
        for name in (path, items)))
