"""Imports that older documentation named still work, and give the very modules of today."""

import importlib.util
import subprocess
import sys

import pytest

from scorer.core.renamed import RENAMED


def test_an_old_import_gives_the_module_of_today() -> None:
    for old, new in RENAMED.items():
        module = importlib.import_module(old)
        assert module is importlib.import_module(new)
        assert (module.__name__, module.__spec__.name) == (new, new)


LINES = """
from scorer.records import Edge, ItemScore
from scorer import graph
from scorer.errors import excerpt
from scorer.board import Board
from scorer.integrity import flags, survey
from scorer.results.signature import short
import scorer.reading.tsv
from scorer.website.views.base import ExampleView
import scorer.board.golds, scorer.boards.golds
import scorer.website.pages, scorer.site.pages
import sys
assert sys.modules['scorer.board.golds'] is sys.modules['scorer.boards.golds']
assert sys.modules['scorer.website.pages'] is sys.modules['scorer.site.pages']
"""


@pytest.mark.whole
def test_lines_of_the_documentation_of_version_0_1_run_and_load_nothing_twice() -> None:
    subprocess.run([sys.executable, "-c", LINES], check=True)


def test_a_name_that_never_was_is_still_unknown() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"scorer\.boardless"):
        importlib.import_module("scorer.boardless")
    assert importlib.util.find_spec("scorer.board.nowhere") is None
