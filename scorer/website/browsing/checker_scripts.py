"""The scripts of the checker page: the general ones of ``site/``, and those beside each view.

A view has its scripts in ``views/<view>/check/``; the one that its ``checker_script`` names exports
``judging`` and ``showing``. On the site all of them lie in one folder, and import each other there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from scorer import package_data
from scorer.website.views.registry import VIEWS

FOLDER = "assets/check"
"""Where the scripts are, below the site's root."""
WORKER = "judge"
"""The script that runs in a worker, which asks for it."""
_TABLE = "kinds"
_FOLDERS = Path(__file__).parent.parent / "views"


def stage(docs: Path) -> None:
    """Put every script below ``docs``, and the table of views by task that they import."""
    folder = docs / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for script in _scripts():
        shutil.copyfile(script, folder / script.name)
    (folder / f"{_TABLE}.js").write_text(_table(), "utf-8")


def modules() -> list[str]:
    """Addresses of all but the worker, one importing the next: a page asks for them at once."""
    names = {_TABLE, *(script.stem for script in _scripts())} - {WORKER}
    return [f"{FOLDER}/{name}.js" for name in sorted(names)]


def _scripts() -> Iterator[Path]:
    yield from package_data.path("site").glob(f"{FOLDER}/*.js")
    yield from _FOLDERS.glob("*/check/*.js")


def _table() -> str:
    """The table of views as a script."""
    scripts = {task: view.checker_script for task, view in VIEWS.items()}
    imports = (f'import * as {name} from "./{name}.js";' for name in scripts.values())
    listed = ", ".join(f"{task}: {name}" for task, name in scripts.items())
    return "\n".join([
        "/* Every kind of task by its name: how its predictions are judged and shown. */", "",
        *imports, "", f"export const KINDS = {{ {listed} }};", ""])
