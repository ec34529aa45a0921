"""What tests prove, as a page for readers: ``docs/verified.md``, written by ``make docs``.

A test with ``@pytest.mark.claim("A sentence.")`` stands behind that sentence. ``python -m
tests.claims`` reads them and writes the page; ``--check`` fails if it is stale.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests import case_files

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "verified.md"

AREAS: dict[str, list[str]] = {
    area: names.split() for area, names in case_files.read("areas.yaml").items()}
"""Parts of the page, and the files whose claims stand in them."""

NEEDS = {"browser": "a browser", "models": "models", "ray": "Ray",
         "wheel": "a built wheel", "vectors": "recorded vectors", "data": "official data"}
"""Markers and fixtures that tell what a test cannot run without."""

HEAD = """\
# What is verified

Each sentence has a test behind it; `make test` runs them all. A test that lacks what stands beside
it skips and says so, and fails in continuous integration.
"""


class Claim(NamedTuple):
    """A sentence, and the test behind it."""

    sentence: str
    test: str
    """``tests/test_x.py::test_name``."""
    needs: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The test's file from the top of the repository."""
        return self.test.partition("::")[0]


class _File:
    """The tests and fixtures of a file, as its source says."""

    def __init__(self, path: Path) -> None:
        self.name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text("utf-8"))
        self.tests = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        self.marks = [mark for node in tree.body if isinstance(node, ast.Assign)
                      and "pytestmark" in map(ast.unparse, node.targets)
                      for mark in getattr(node.value, "elts", [node.value])]
        self.fixtures = {node.name: _asked(node) for node in self.tests
                         if any("fixture" in _name(one) for one in node.decorator_list)}
        self.imported = {name.name for node in tree.body if isinstance(node, ast.ImportFrom)
                         for name in node.names}

    def claims(self, fixtures: Mapping[str, set[str]]) -> Iterator[Claim]:
        """Its claims; ``fixtures``: what those ask for that it has from elsewhere."""
        known = {**fixtures, **self.fixtures}
        for node in self.tests:
            marks = [(_name(mark).rpartition(".")[2], mark)
                     for mark in (*self.marks, *node.decorator_list)]
            words = {name for name, _ in marks}
            if "claim" in words:
                words |= _closure(_asked(node) - _cases(node), known)
            needs = tuple(text for name, text in NEEDS.items() if name in words)
            for name, mark in marks:
                if name == "claim" and isinstance(mark, ast.Call):
                    yield Claim(ast.literal_eval(mark.args[0]), f"{self.name}::{node.name}", needs)


def _name(mark: ast.expr) -> str:
    """``pytest.mark.slow``."""
    return ast.unparse(mark.func if isinstance(mark, ast.Call) else mark)


def _asked(node: ast.FunctionDef) -> set[str]:
    """The arguments of a test or a fixture."""
    return {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}


def _cases(node: ast.FunctionDef) -> set[str]:
    """The arguments that a table of cases fills in."""
    named = [ast.literal_eval(mark.args[0]) for mark in node.decorator_list
             if isinstance(mark, ast.Call) and _name(mark) == "pytest.mark.parametrize"]
    return {name for one in named for name in ([one] if isinstance(one, str) else one)}


def _closure(names: set[str], fixtures: Mapping[str, set[str]]) -> set[str]:
    """Fixtures, and those that they ask for."""
    found, waiting = set[str](), [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += fixtures.get(name, ())
    return found


def collect() -> list[Claim]:
    """Every claim of the tests, one for all cases of a test."""
    files = [_File(path) for path in sorted((ROOT / "tests").rglob("*.py"))
             if path.name == "conftest.py" or b"mark.claim" in path.read_bytes()]
    shared = {name: asked for file in files if file.name.endswith("conftest.py")
              for name, asked in file.fixtures.items()}
    theirs = {name: asked for file in files for name, asked in file.fixtures.items()}
    return [claim for file in files for claim in file.claims(
        shared | {name: theirs[name] for name in file.imported & theirs.keys()})]


def page(claims: Iterable[Claim]) -> str:
    """The page. Raises ValueError for a claim without area, or that is no sentence of its own."""
    area_of = {f"tests/{folder}test_{name}.py": area for area, names in AREAS.items()
               for name in names for folder in ("", "browser/")}
    lines: dict[str, list[str]] = {area: [] for area in AREAS}
    seen: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda claim: claim.test):
        if claim.file not in area_of:
            raise ValueError(f"{claim.file} has a claim and no area; add it to cases/areas.yaml")
        if not re.fullmatch(r"[A-Z][^\n]{10,200}\.", claim.sentence):
            raise ValueError(f"{claim.test}: a claim is a sentence: {claim.sentence!r}")
        if claim.sentence in seen:
            raise ValueError(f"{claim.test}: claimed by {seen[claim.sentence].test} too")
        seen[claim.sentence] = claim
        lines[area_of[claim.file]].append(_line(claim))
    parts = [f"\n## {area}\n\n" + "".join(told) for area, told in lines.items() if told]
    return HEAD + "".join(parts)


def _line(claim: Claim) -> str:
    needs = f", needs {', '.join(claim.needs)}" if claim.needs else ""
    name = claim.test.rpartition("::")[2]
    return f"- {claim.sentence}\n  [`{name}`](../{claim.file}){needs}\n"


def main(words: list[str]) -> int:
    """Write the page, or with ``--check`` say whether it is what the tests claim."""
    wanted = page(collect())
    if words == ["--check"]:
        fresh = PAGE.is_file() and PAGE.read_text("utf-8") == wanted
        print("docs/verified.md is up to date" if fresh else "docs/verified.md is stale: make docs")
        return 0 if fresh else 1
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
