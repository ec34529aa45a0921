"""One classic script of all modules of a page, for pages that work from a disk too.

Browsers load no modules from ``file:`` addresses. Ours are written in few ways, which is what a few
lines can put together: each becomes a function that returns what it exports, called when it is
first imported. Anything else is refused. Pure but for ``stage``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from scorer.core.errors import DataError

ENTRIES = ("adjudicate.js", "annotate.js")
"""Scripts below the folder that become one of all that they import."""
_IMPORT = re.compile(r'^import (\{[^{}]*\}|\* as \w+) from "(\.[^"]*)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) ([\w$]+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport(?:\(|\.).*", re.MULTILINE)
_SCRIPT = """(() => {
"use strict";
const modules = {
%s};
const loaded = {};
const $load = (name) => loaded[name] ??= modules[name]();
$load("%s");
})();
"""


def stage(docs: Path) -> None:
    """Put the scripts of ``ENTRIES`` below ``docs`` together, where all modules lie."""
    folder = docs / "assets"
    for name in ENTRIES:
        script = bundle(name, lambda path: (folder / path).read_text("utf-8"))
        (folder / name).write_text(script, "utf-8")


def bundle(entry: str, read: Callable[[str], str]) -> str:
    """The script of an entry by its path; ``read`` gives a module's text by its path.

    Raises DataError for modules that are written in another way.
    """
    functions: dict[str, str] = {}
    waiting = [entry]
    for name in waiting:
        if name not in functions:
            functions[name], imported = _function(name, read(name))
            waiting += imported
    return _SCRIPT % ("".join(functions.values()), entry)


def _function(name: str, text: str) -> tuple[str, list[str]]:
    """A module as a function, and the paths of what it imports."""
    imported: list[str] = []

    def path(address: str) -> str:
        imported.append(posixpath.normpath(posixpath.join(posixpath.dirname(name), address)))
        return imported[-1]

    def constants(match: re.Match[str]) -> str:
        names = re.sub(r"(\w)\s+as\s+", r"\1: ", match[1].removeprefix("* as "))
        return f'const {names} = $load("{path(match[2])}");'

    exported = _EXPORT.findall(text)
    text = _EXPORT.sub("", _IMPORT.sub(constants, text))
    if left := _LEFT.search(text):
        raise DataError(f"{name}: {left[0]}: not a way in which modules of these pages import or "
                        "export")
    return f'"{name}": () => {{\n{text}return {{ {", ".join(exported)} }};\n}},\n', imported
