"""What merging a pull request would do to the main branch: the tree it gives, and nothing later.

A merge is judged by its outcome, as git computes it, never by what one side changed: with crossed
histories, merging may undo what the branch itself never touched. What a check says must also hold
if other branches are merged between the check and the merge. So no commit that the branch brings
may hold anything but its one submission: else that commit could be merged first, and the branch
would then undo it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from scorer.ci.git import NOTHING, Change, Repository
from scorer.ci.scope import Place, Scope
from scorer.errors import counted

MOST_COMMITS = 250
"""Commits of a branch that are looked at; a longer one is refused."""


def merged_tree(repository: Repository, base: str, head: str, scope: Scope) -> str | None:
    """The tree of the main branch after the merge; None, with a fault in ``scope``, if there can be
    none, or none that everybody agrees on.
    """
    bases = repository.merge_bases(base, head)
    if len(bases) != 1:
        scope.submits = True
        found = (f"{len(bases)} commits at which it left the main branch" if bases
                 else "no commit in common with the main branch")
        scope.add("PR-CROSSED" if bases else "PR-BASE", ".", found,
                  "a branch made from the main branch once")
        return None
    tree = repository.merged(base, head)
    if tree is None:
        scope.submits = True
        scope.add("PR-CONFLICT", ".", "changes that conflict with those of the main branch",
                  "a branch that can be merged")
    return tree


def judge_commits(repository: Repository, base: str, head: str, tree: str, place: Place,
                  scope: Scope) -> None:
    """Refuse a branch of which some commit holds more than its submission.

    What the main branch has by now, and the merge keeps, may stand in a commit too: somebody who
    works on from a branch that was merged by squashing has it.
    """
    commits = repository.own_commits(base, head, MOST_COMMITS + 1)
    if len(commits) > MOST_COMMITS:
        scope.add("PR-HISTORY", ".", f"more than {counted(MOST_COMMITS, 'commit')}",
                  f"at most {MOST_COMMITS}")
        return
    for commit in _strays(repository, base, tree, place, commits):
        scope.add("PR-HISTORY", ".", f"commit {commit[:12]}, which holds more than that",
                  "commits that touch one submission alone")
        return


def _strays(repository: Repository, base: str, tree: str, place: Place,
            commits: list[tuple[str, bool]]) -> Iterator[str]:
    """Commits that hold something outside of a submission that the main branch has not, or that
    the merge would take away.
    """
    straight = not any(is_merge for _, is_merge in commits)
    kept = _Kept(repository, base, tree)
    bases: list[str] = []
    for commit, _ in commits:
        if not (straight and bases):
            bases = repository.merge_bases(base, commit)
        if len(bases) != 1 or not all(
                kept.has(change) for change in repository.changes(bases[0], commit)
                if not change.path.startswith(f"{place.path}/")):
            yield commit


@dataclass
class _Kept:
    """What is the same on the main branch and after the merge."""

    repository: Repository
    base: str
    tree: str

    def has(self, change: Change) -> bool:
        """Whether both have what a change made, or both have nothing there if it removed it."""
        made = None if change.mode == NOTHING else (change.mode, change.oid)
        return all(side.get(change.path) == made for side in self._sides)

    @cached_property
    def _sides(self) -> list[dict[str, tuple[str, str]]]:
        return [{entry.path: (entry.mode, entry.oid) for entry in self.repository.tree(side)}
                for side in (self.base, self.tree)]
