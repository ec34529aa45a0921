"""What one page is, before it is rendered, and what stands above every page of a board. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from scorer.site.records import BoardView

LEADERBOARD, EXAMPLES, COMPARE, PLOTS, DATA, ABOUT = (
    "Leaderboard", "Examples", "Compare", "Plots", "Data", "About")
_OF_SPLIT = {LEADERBOARD: "", COMPARE: "compare/", PLOTS: "plots/"}
"""Folders below a split's."""


class Tab(NamedTuple):
    """A link that may be the page itself."""

    title: str
    path: str
    here: bool


class BoardHeader(NamedTuple):
    """The links above a page of a board."""

    splits: tuple[Tab, ...]
    """The same part of every split that has it; empty where there is nothing to choose."""
    tabs: tuple[Tab, ...]


def header(board: BoardView, parts: Mapping[str, Sequence[str]], path: str) -> BoardHeader:
    """The header of a page of a board; ``parts``: the tabs of each split with rows, best first."""
    own = f"boards/{board.board.id}/"
    folder, _, rest = path.removeprefix(own).partition("/")
    splits = {view.name: view for view in board.splits}
    of_board = {"examples": EXAMPLES, "data": DATA, "systems": LEADERBOARD}
    here = of_board.get(folder, ABOUT)
    if folder in splits:
        here = EXAMPLES if rest.startswith("examples") else next(
            (tab for tab, part in _OF_SPLIT.items() if part and rest.startswith(part)), LEADERBOARD)
    compared = [name for name, tabs in parts.items() if COMPARE in tabs]
    chosen = folder if folder in parts else next(iter([*compared, *parts]), "")
    tabs = [(name, f"{splits[chosen].path}{_OF_SPLIT[name]}")
            for name in parts.get(chosen, ())]
    tabs.insert(1, (EXAMPLES, f"{own}examples/"))
    tabs += [(DATA, f"{own}data/"), (ABOUT, own)]
    others = parts if folder in splits and here in _OF_SPLIT and len(parts) > 1 else ()
    return BoardHeader(
        # Its leaderboard where another split lacks the same part.
        tuple(Tab(name, splits[name].path + (_OF_SPLIT[here] if here in parts[name] else ""),
                  name == folder) for name in others),
        tuple(Tab(name, link, name == here) for name, link in tabs))


DOCS = "docs/"
"""The page that lists every page."""
SECTIONS = {"annotate": "docs", "human": "docs", "judges": "metrics", "submissions": "submit"}
"""Folders that the navigation shows below another one."""


@dataclass(frozen=True)
class Page:
    """One page: where it is, its title, its template and what the template may use."""

    path: str
    """Relative to the site's root, with a final slash."""
    title: str
    template: str
    context: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    """Called once the page is rendered, where it takes long to find out."""
    nav: bool = False
    """Whether the navigation leads to it."""
    modules: tuple[str, ...] = ()
    """Scripts of ours that the page will import, below the site's root."""
    script: str = ""
    """One of these that runs as soon as it is there: before the theme's, and maybe before the page
    is there to its end."""
    fetched: tuple[str, ...] = ()
    """Files that they will fetch first, below the site's root."""
    header: BoardHeader | None = None
    """Of a page of a board."""

    @property
    def names(self) -> dict[str, Any]:
        """Everything that the template may use."""
        context = self.context() if callable(self.context) else self.context
        return {**context, "root": self.root, "header": self.header}

    @property
    def section(self) -> str:
        """The part of the site it belongs to: the first folder that the navigation names."""
        first = self.path.partition("/")[0]
        return "examples" if "/examples" in self.path else SECTIONS.get(first, first)

    @property
    def root(self) -> str:
        """The way from this page to the site's root."""
        return "../" * self.path.count("/")

    @property
    def head(self) -> str:
        """What tells the browser, before any script runs, which files will be wanted."""
        modules = [f'<link rel="modulepreload" href="{self.root}{escape(path)}">'
                   for path in self.modules]
        if self.script:
            modules.append(
                f'<script type="module" async src="{self.root}{escape(self.script)}"></script>')
        return "".join([*modules, *(
            f'<link rel="preload" as="fetch" crossorigin href="{self.root}{escape(path)}">'
            for path in self.fetched)])
