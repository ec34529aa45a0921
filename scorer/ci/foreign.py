"""What only the pipeline writes, and somebody else changed: the ledger, and results.

Our own commits are known by their committer, whom GitHub sets for whatever it merges. Only what
came after the last of them is looked at: nothing is published over a change by a stranger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from scorer.ci.git import EMAIL, Repository
from scorer.ci.github import Pull
from scorer.ci.scope import GENERATED, shown

MOST = 100
"""Commits that are asked about; there are as many only before anything was published."""
RESTORE = "restore it by a branch with the label maintenance; until then nothing is scored"


def since(repository: Repository, tip: str, base: str = "") -> list[str]:
    """Commits of others that touched what only the pipeline writes, since our last one or since
    ``base``; the newest first.
    """
    span = f"{base}..{tip}" if base else tip
    listed = repository.run("log", "--first-parent", "--diff-merges=first-parent",
                            "--format=%H %ce", span, "--", *GENERATED).stdout
    lines = (line.split(" ") for line in listed.decode(errors="replace").splitlines())
    return [line[0] for line in takewhile(lambda line: line[1:] != [EMAIL], lines)]


def findings(repository: Repository, tip: str,
             pull_of: Callable[[str], Pull | None]) -> Iterator[str]:
    """Every file that a pull request changed which no maintainer marked, and that was not restored.

    ``pull_of``: the pull request of a commit, None for one by hand. Raises as that does.
    """
    now = {entry.path: (entry.mode, entry.oid) for entry in repository.tree(tip, *GENERATED)}
    for commit in since(repository, tip)[:MOST]:
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
