"""Files that lie at the top of the repository and that the program needs wherever it is installed.

In a checkout they are taken from there; the wheel carries them in ``scorer/_repository``.
"""

from __future__ import annotations

from pathlib import Path

_CARRIED = Path(__file__).parent.parent / "_repository"


HANDBOOK = (
    "tour", "systems", "models", "results", "exports", "signatures",
    "board", "run-a-board", "hidden-gold", "errata", "annotations", "from-people", "art",
    "graph-labels", "explained-choices",
    "metrics", "statistics", "judges", "integrity", "systems-structured",
)
"""The handbook's pages, in the order in which its first page lists them by reader."""


def handbook(page: str = "README") -> str:
    """The text of a page of the handbook; without a name that of its first page."""
    return (path("docs") / f"{page}.md").read_text("utf-8")


def path(name: str) -> Path:
    """Where a file or folder of the repository lies: ``templates``, ``site``, ``CHANGELOG.md`` ...

    >>> path("templates").is_dir(), path("mkdocs.yml").is_file()
    (True, True)
    """
    return (_CARRIED if _CARRIED.is_dir() else Path(__file__).parent.parent.parent) / name


def boards_folder() -> Path:
    """The boards that come with this program: in a checkout, or carried in the wheel."""
    carried = Path(__file__).parent.parent / "_boards"
    return carried if carried.is_dir() else path("boards")


def known_boards(folder: Path) -> list[str]:
    """The names of the boards in a folder."""
    return sorted(file.parent.name for file in folder.glob("*/board.yaml"))
