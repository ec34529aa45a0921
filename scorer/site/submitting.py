"""What the page on submitting shows of this site: its repository, its boards, commands. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from scorer.site.outputs import inputs_path
from scorer.site.reading.repository import Repository
from scorer.site.records import BoardView, SiteView, SplitView
from scorer.site.views.registry import view_of

PARTS = ("commands", "line")
"""Slots of pages, each a part of ``submit.html``."""


class SplitInputs(NamedTuple):
    """Where a submitter finds the inputs of a split."""

    view: SplitView
    here: str
    """The file on this site, relative to its root; empty if it has none."""
    elsewhere: str
    """The address of its owner's file; empty if there is none."""


def inputs_of(board: BoardView) -> list[SplitInputs]:
    """Every split of a board, and its inputs."""
    urls = {file.path: file.url for file in board.board.downloads}
    return [SplitInputs(view, inputs_path(view), urls.get(view.split.file or "") or "")
            for view in board.splits]


def submit_context(site: SiteView, repository: Repository) -> dict[str, Any]:
    """What ``submit.html`` shows."""
    view = _rehearsal(site)
    board = view.board.id if view else "BOARD"
    line = view_of(view.board).references(view.golds[0])[0] if view else ""
    return {
        "repository": repository, "view": view, "board": board, "boards": site.boards,
        "split": view.name if view else "dev", "line": line,
    }


def _rehearsal(site: SiteView) -> SplitView | None:
    """The split that the commands enter: of a practice board if there is one, dev if it has that.

    Its gold lies in the repository, so that they work in a fresh clone.
    """
    views: Sequence[SplitView] = [view for board in site.boards for view in board.splits
                                  if view.golds and view.committed]
    return min(views, key=lambda view: (not view.board.practice, view.name != "dev"), default=None)
