"""Only the commands that use it need ``scorer/lab``: the rest works with the folder gone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILE = "submissions/explagraphs-practice/reference/gold/predictions.dev.tsv"
BOARD = ("--board", "explagraphs-practice")

Program = Callable[..., str]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """``scorer`` of a copy of this checkout that has no lab."""
    root = tmp_path_factory.mktemp("without") / "checkout"
    shutil.copytree(ROOT / "scorer", root / "scorer",
                    ignore=shutil.ignore_patterns("lab", "__pycache__"))
    for name in ("boards", "submissions", "results", "annotations", "templates", "site", "docs",
                 "mkdocs.yml", "README.md", "CHANGELOG.md", ".github", "locks"):
        (root / name).symlink_to(ROOT / name)
    environment = os.environ | {"PYTHONPATH": str(root)}

    def run(*arguments: str, code: str = "") -> str:
        words = ("-c", code) if code else ("-m", "scorer", *arguments)
        done = subprocess.run([sys.executable, *words], cwd=root, text=True,
                              env=environment, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.whole
def test_files_are_checked_and_scored_without_the_lab(program: Program) -> None:
    program("check", FILE, *BOARD)
    assert "StCA" in program("score", FILE, *BOARD, "--split", "dev", "--models", "no")


@pytest.mark.site
def test_the_site_is_built_without_the_lab(program: Program, tmp_path: Path) -> None:
    program("site", "build", "--out", str(tmp_path / "site"))
    assert (tmp_path / "site/index.html").is_file()


@pytest.mark.whole
def test_every_module_of_the_pipeline_is_imported_without_the_lab(program: Program) -> None:
    folder = ROOT / "scorer" / "pipeline"
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts)
             for path in sorted(folder.rglob("*.py"))]
    program(code=f"import {', '.join(names)}")


def test_help_is_there_without_the_lab(program: Program) -> None:
    assert program("--help").startswith("usage")
    program(code="from scorer.cli import parser\n"
                 "for verb in ('ci', 'gold', 'submit', 'board'): parser(verb).format_help()")
