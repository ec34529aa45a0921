"""What merging a pull request does to the main branch, by two comparisons.

The merge is made as git makes it, into a tree and no branch. What changes from the main branch to
that tree happens if it is merged now. What changed on the branch since it left the main branch may
happen later: where the main branch has the same change already, the first comparison does not show
it, but once the main branch takes it back, merging brings it again. So both must be harmless.

Branches are squashed, so nothing else of a branch's history ever reaches the main branch.
"""

from __future__ import annotations

from dataclasses import dataclass

from scorer.core.errors import Problem
from scorer.pipeline.ci.git import MOST_CHANGES, Change, Repository
from scorer.pipeline.ci.scope import problem

ANEW = ("make the branch anew and copy your files to it: git fetch REMOTE main && git switch -c "
        "anew FETCH_HEAD")


@dataclass(frozen=True)
class Merge:
    """A pull request that can be merged in one way."""

    base: str
    """The commit of the main branch."""
    tree: str
    """What the main branch would hold."""
    changes: tuple[Change, ...]
    """What the branch changed, and what its merge changes; what both name stands here once."""


def merge(repository: Repository, base: str, head: str) -> Merge | Problem:
    """The merge of a commit into the main branch, or why there is none that everybody agrees on."""
    parted = repository.merge_bases(base, head)
    if not parted:
        return problem("PR-BASE", ".", "no commit in common with the main branch",
                       "a branch made from the main branch", ANEW)
    if len(parted) > 1:
        return problem("PR-CROSSED", ".", f"{len(parted)} commits at which it left the main branch",
                       "a branch made from the main branch once", ANEW)
    tree = repository.merged(base, head)
    if tree is None:
        return problem("PR-CONFLICT", ".", "changes that conflict with those of the main branch",
                       "a branch that can be merged", ANEW)
    sides = [repository.changes(parted[0], head), repository.changes(base, tree)]
    if any(len(side) >= MOST_CHANGES for side in sides):
        return problem("PR-SCOPE", ".", f"{MOST_CHANGES} changes or more, of which nobody sees all",
                       "fewer")
    changes = (*sides[0], *sides[1])
    return Merge(base, tree, tuple(dict.fromkeys(changes)))
