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
from scorer.ci.scope import GENERATED, TOP, Scope
from scorer.errors import counted
from scorer.submission import SubmissionName

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


def check_commits(repository: Repository, base: str, head: str, place: SubmissionName | None,
                  scope: Scope) -> None:
    """Refuse a branch of which some commit holds more than its submission.

    ``place``: None for a branch without one, of which no commit may hold a submission or a file of
    the pipeline's. What the main branch has by now, and the branch too, may stand in a commit:
    somebody who works on from a branch that was merged by squashing has it.
    """
    commits = repository.own_commits(base, head, MOST_COMMITS + 1)
    if place is not None and len(commits) > MOST_COMMITS:
        scope.add("PR-HISTORY", ".", f"more than {counted(MOST_COMMITS, 'commit')}",
                  f"at most {MOST_COMMITS}")
        return
    for commit in _strays(repository, base, head, place, commits):
        scope.submits = True
        scope.add("PR-HISTORY", ".", f"commit {commit[:12]}, which holds more than that",
                  "commits that touch one submission alone")
        return


def _strays(repository: Repository, base: str, head: str, place: SubmissionName | None,
            commits: list[tuple[str, bool]]) -> Iterator[str]:
    """Commits that, merged before the branch, would bring something that the branch takes away."""
    straight = not any(is_merge for _, is_merge in commits)
    sides = _Sides(repository, base, head)
    bases: list[str] = []
    for commit, _ in commits:
        if not (straight and bases):
            bases = repository.merge_bases(base, commit)
        if len(bases) != 1 or any(
                _is_outside(change.path, place) and not sides.agree(change)
                for change in repository.changes(bases[0], commit)):
            yield commit


def _is_outside(path: str, place: SubmissionName | None) -> bool:
    if place is None:
        return path.split("/")[0] in (TOP, *GENERATED)
    return not path.startswith(f"{place.path}/")


@dataclass
class _Sides:
    """What lies on the main branch and on a branch."""

    repository: Repository
    base: str
    head: str

    def agree(self, change: Change) -> bool:
        """Whether both have the same at a path, so that merging the branch changes nothing there.

        That must be what the commit has; or else something that the main branch got since the
        commit left it, at a path that was not there then: such a commit cannot be merged.
        """
        main, mine = (side.get(change.path) for side in self._sides)
        made = None if change.mode == NOTHING else (change.mode, change.oid)
        return main == mine and (main == made or (main is not None and change.status == "A"))

    @cached_property
    def _sides(self) -> list[dict[str, tuple[str, str]]]:
        return [{entry.path: (entry.mode, entry.oid) for entry in self.repository.tree(side)}
                for side in (self.base, self.head)]
