"""What stands above every page of a board: its parts as tabs, its splits as a switch. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scorer.website.boards.quality import FOLDER as QUALITY
from scorer.website.records import BoardView, SplitView

LEADERBOARD, EXAMPLES, COMPARE, PLOTS, DATA, ABOUT = (
    "Leaderboard", "Examples", "Compare", "Plots", "Data", "About")
_OF_SPLIT = {"": LEADERBOARD, "compare": COMPARE, "plots": PLOTS}


class Tab(NamedTuple):
    """A link that may be the page itself."""

    title: str
    path: str
    here: bool


class Header(NamedTuple):
    """The links above a page of a board."""

    splits: tuple[Tab, ...]
    """The same part of every split that has it; empty where there is nothing to choose."""
    tabs: tuple[Tab, ...]


class Parts(NamedTuple):
    """What a board has pages of."""

    board: BoardView
    paths: Mapping[str, Sequence[str]]
    """Of each split with rows, in the board's order: its tabs, best first."""

    @property
    def main(self) -> SplitView | None:
        """The split that the board's own pages lead to."""
        known = [view for view in self.board.splits if view.name in self.paths]
        return next((view for view in known if COMPARE in self.paths[view.name]),
                    known[0] if known else None)


def header(parts: Parts, path: str) -> Header:
    """The header of a page of the board."""
    folders = path.removeprefix(f"boards/{parts.board.board.id}/").rstrip("/").split("/")
    view = next((one for one in parts.board.splits if one.name == folders[0]), None)
    here = _here(folders, view)
    chosen = view if view and view.name in parts.paths else parts.main
    tabs = [(name, f"{chosen.path}{_folder(name)}") for name in parts.paths[chosen.name]
            ] if chosen else []
    own = f"boards/{parts.board.board.id}/"
    tabs.insert(1, (EXAMPLES, f"{own}examples/"))
    tabs += [(DATA, f"{own}data/"), (ABOUT, own)]
    return Header(_splits(parts, view, here),
                  tuple(Tab(name, link, name == here) for name, link in tabs))


def _here(folders: Sequence[str], view: SplitView | None) -> str:
    part = folders[1] if view and len(folders) > 1 else ""
    if folders[0] == "examples" or part.startswith("examples"):
        return EXAMPLES
    if view:
        return _OF_SPLIT.get(part, LEADERBOARD)
    if folders[0] in ("data", QUALITY.partition("/")[0]):
        return DATA
    return LEADERBOARD if folders[0] == "systems" else ABOUT


def _folder(name: str) -> str:
    return next((f"{folder}/" if folder else "" for folder, tab in _OF_SPLIT.items()
                 if tab == name), "")


def _splits(parts: Parts, view: SplitView | None, here: str) -> tuple[Tab, ...]:
    if view is None or here not in _OF_SPLIT.values():
        return ()
    links = [(one, f"{one.path}{_folder(here) if here in parts.paths[one.name] else ''}")
             for one in parts.board.splits if one.name in parts.paths]
    return tuple(Tab(one.name, link, one is view) for one, link in links) if len(links) > 1 else ()
