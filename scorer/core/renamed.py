"""Imports that the documentation named before parts of ``scorer`` were renamed.

``import scorer.board`` gives ``scorer.boards``: the same module, under both names. Code that was
written for version 0.1 keeps working; ours uses the names of today.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

RENAMED = {
    "scorer.board": "scorer.boards",
    "scorer.errors": "scorer.core.errors",
    "scorer.graph": "scorer.core.graph",
    "scorer.integrity": "scorer.boards.integrity",
    "scorer.reading": "scorer.core.reading",
    "scorer.records": "scorer.core.records",
    "scorer.results": "scorer.scoring.results",
    "scorer.submission": "scorer.boards.submission",
    "scorer.website": "scorer.site",
}


class Renamed:
    """Finds a module of an old name, and loads the one of today's name in its place.

    Without the base classes that importlib has for such: to import them takes ten milliseconds.
    """

    def find_spec(self, fullname: str, path: Sequence[str] | None = None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        """A spec for a name of a module that has another by now; None for all others."""
        name = today(fullname)
        if not name or not find_spec(name):
            return None
        return ModuleSpec(fullname, self)  # type: ignore[arg-type]  # no base class

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module will do: today's takes its place."""

    def exec_module(self, module: ModuleType) -> None:
        """The import system gives what stands under the name afterwards; nothing is run twice."""
        sys.modules[module.__name__] = importlib.import_module(today(module.__name__))


def today(name: str) -> str:
    """Today's name of a module that was renamed, else an empty text.

    >>> today("scorer.board.golds"), today("scorer.boards")
    ('scorer.boards.golds', '')
    """
    for old, new in RENAMED.items():
        if name == old or name.startswith(f"{old}."):
            return new + name.removeprefix(old)
    return ""


def install() -> None:
    """Let imports of old names work from now on.

    Before all other finders, for those find ``golds`` in the folder of ``scorer.board`` and would
    load it a second time.
    """
    sys.meta_path.insert(0, Renamed())
