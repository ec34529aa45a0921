"""Classic scripts of a page's modules, for pages that work from a disk too.

Browsers load no modules from ``file:`` addresses. Our own modules are written in few ways, which is
what a few lines can put together: each becomes a function that returns what it exports, the
imported ones before it. What is imported later (``import("./x.js")``) becomes a script of its own
with all that only it needs. Anything else is refused. Pure but for ``stage``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from scorer.core.errors import DataError

ASSETS = "assets"
ENTRIES = ("adjudicate.js", "annotate.js", "annotate_graphs.js")
"""Scripts below the folder that become one of all that they import."""
STYLE = "whyboard.css"
LATER = ".later.js"
"""How scripts end that are fetched when something is first wanted."""
Read = Callable[[str], str]
_IMPORT = re.compile(r'^import (?:(\{[^{}]*\}|\* as \w+) from )?"(\.[^"]*)";\n', re.MULTILINE)
_IMPORT_LATER = re.compile(r'\bimport\("(\.[^"]*)"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function)\b)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:const|class|function) ([\w$]+)", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b|\bimport\(|\bimport\.", re.MULTILINE)
_COMMENT = re.compile(r"^[ ]*(?:/\*.*?\*/[ ]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^[ ]+", re.MULTILINE)
"""No text of ours runs over a line."""
_ADDRESS = "import.meta.url"
_AT_ONCE = "//# allFunctionsCalledOnLoad"
"""Asks Chromium to compile the functions of a script while it loads, not when one is first called:
the first answers are painted sooner. Others take it for a comment.
https://v8.dev/blog/explicit-compile-hints"""
_FETCH = """const fetched = (name, file) => (modules[name] ? Promise.resolve(modules[name]) :
new Promise((done, failed) => {
const made = document.createElement("script");
made.src = new URL(file, assets);
made.onload = () => done(modules[name]);
made.onerror = () => failed(new Error(`no ${file}`));
document.head.append(made);
}));
"""


def stage(docs: Path) -> None:
    """Put the scripts of ``ENTRIES`` below ``docs`` together, where they and all modules lie, and
    take the comments out of the style sheet, which every page loads."""
    folder = docs / ASSETS
    made = bundle(ENTRIES, lambda name: (folder / name).read_text("utf-8"))
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
    style = folder / STYLE
    style.write_text(_COMMENT.sub("", style.read_text("utf-8")), "utf-8")


def bundle(entries: Sequence[str], read: Read) -> dict[str, str]:
    """The scripts of some entries by their paths; ``read`` gives a module's text by its path.

    Raises DataError for modules that import each other, or are written in another way.

    >>> texts = {"a.js": 'import { b } from "./x/b.js";\\nb(import("./c.js"));\\n',
    ...          "x/b.js": "export const b = () => 1;\\n", "c.js": "export const c = 2;\\n"}
    >>> sorted(bundle(["a.js"], texts.__getitem__))
    ['a.js', 'c.later.js']
    """
    first = {entry: _needed(entry, read) for entry in entries}
    scripts = {entry: _script(entry, names, read) for entry, names in first.items()}
    shared = set.intersection(*map(set, first.values()))
    waiting = [later for names in first.values() for later in _later(names, read)]
    for name in waiting:
        path = name.removesuffix(".js") + LATER
        if path not in scripts:
            own = [module for module in _needed(name, read) if module not in shared]
            scripts[path] = _script(path, own, read)
            waiting += _later(own, read)
    return scripts


def _needed(name: str, read: Read) -> list[str]:
    """A module after all that it imports at once."""
    modules: list[str] = []
    _collect(name, read, modules, ())
    return modules


def _script(path: str, names: Collection[str], read: Read) -> str:
    up = "../" * path.count("/") or "./"
    listed = "\n".join(f'modules["{name}"] ??= (() => {{\n{_as_function(name, read(name))}}})();'
                       for name in names)
    return (f"{_AT_ONCE}\n/* Made of {len(names)} modules, which lie beside it. */\n"
            '(() => {\n"use strict";\n'
            f'const assets = new URL("{up}", document.currentScript.src);\n'
            f"const modules = (window.whyboardModules ??= {{}});\n{_FETCH}{listed}\n}})();\n")


def _collect(name: str, read: Read, modules: list[str], above: tuple[str, ...]) -> None:
    """Add a module after all that it imports."""
    if name in modules:
        return
    if name in above:
        raise DataError(f"modules import each other: {' -> '.join((*above, name))}")
    for imported in _IMPORT.finditer(read(name)):
        _collect(_path(name, imported[2]), read, modules, (*above, name))
    modules.append(name)


def _later(names: Collection[str], read: Read) -> Iterator[str]:
    for name in names:
        for match in _IMPORT_LATER.finditer(read(name)):
            yield _path(name, match[1])


def _path(name: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))


def _as_function(name: str, text: str) -> str:
    def constants(match: re.Match[str]) -> str:
        if match[1] is None:
            return ""
        names = re.sub(r"(\w)\s+as\s+", r"\1: ", match[1].removeprefix("* as "))
        return f'const {names} = modules["{_path(name, match[2])}"];\n'

    def fetched(match: re.Match[str]) -> str:
        path = _path(name, match[1])
        return f'fetched("{path}", "{path.removesuffix(".js")}{LATER}")'

    exported = _EXPORTED.findall(text)
    text = _EXPORT.sub("", _IMPORT.sub(constants, _COMMENT.sub("", text)))
    text = _IMPORT_LATER.sub(fetched, text).replace(_ADDRESS, f'new URL("{name}", assets)')
    if left := _LEFT.search(text):
        raise DataError(f"{name}: {text[left.start():].splitlines()[0]}: not a way in which "
                        "modules of these pages import or export")
    return f"{_INDENT.sub('', text)}return {{ {', '.join(exported)} }};\n"
