"""What one page is, before it is rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

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
    header: Any = None
    """Of a page of a board: what ``boards.tabs.header`` gives."""

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
    def slim(self) -> bool:
        """Whether it does without the theme's side bars, which lead to no page of a board."""
        return self.path.startswith("boards/")

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
