"""Imports that older documentation named still work, and give the very modules of today."""

import importlib.util
import subprocess
import sys

import pytest

from scorer.core.renamed import RENAMED


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_import_gives_the_module_of_today(old: str) -> None:
    module = importlib.import_module(old)
    assert module is importlib.import_module(RENAMED[old])
    assert module.__name__ == RENAMED[old]
    assert module.__spec__.name == RENAMED[old]


@pytest.mark.parametrize("line", [
    "from scorer.records import Edge, ItemScore",
    "from scorer import graph",
    "from scorer.errors import excerpt",
    "from scorer.board import Board",
    "from scorer.integrity import flags, survey",
    "from scorer.results.signature import short",
    "import scorer.reading.tsv",
    "from scorer.website.views.base import ExampleView",
])
def test_a_line_of_the_documentation_of_version_0_1_runs(line: str) -> None:
    subprocess.run([sys.executable, "-c", line], check=True)


def test_a_name_that_never_was_is_still_unknown() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"scorer\.boardless"):
        importlib.import_module("scorer.boardless")


def test_a_part_of_an_old_name_is_not_loaded_a_second_time() -> None:
    code = ("import scorer.board.golds, scorer.boards.golds\n"
            "import scorer.website.pages, scorer.site.pages\n"
            "import sys\n"
            "assert sys.modules['scorer.board.golds'] is sys.modules['scorer.boards.golds']\n"
            "assert sys.modules['scorer.website.pages'] is sys.modules['scorer.site.pages']\n")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_part_that_an_old_name_never_had_is_unknown() -> None:
    assert importlib.util.find_spec("scorer.board.nowhere") is None
