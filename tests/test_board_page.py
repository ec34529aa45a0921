"""The page docs/board.md: its commands, and its list of the boards that come with one command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scorer import boards
from tests.test_recipes import run
from tests.walks import commands

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "board.md"


@pytest.mark.site
@pytest.mark.claim("Files that somebody else published become a board with rows by a description "
                   "of their fields, without code.")
def test_the_commands_of_the_page_lead_from_a_stranger_s_file_to_a_leaderboard(
    tmp_path: Path,
) -> None:
    run(commands(PAGE), tmp_path, ROOT)
    made = (tmp_path / ".whyboard/data/why-wet/dev.tsv").read_text("utf-8")
    assert made.split("\n")[0].split("\t") == [
        "Why is the street wet?", "(rain; causes; wet street)(clouds; bring; rain)",
        "(street; near to; sea)"]
    page = (tmp_path / "_site/boards/why-wet/dev/index.html").read_text("utf-8")
    for row in ("third-party--theirs", "reference--null", "reference--gold"):
        assert f"{row}/" in page
    example = (tmp_path / "_site/boards/why-wet/dev/1/index.html").read_text("utf-8")
    assert "puddles" in example
    assert "CC0 1.0" in example


def test_every_board_whose_files_can_be_fetched_stands_there_with_its_command() -> None:
    listed = set(re.findall(r"\| `make demo(?: BOARD=([a-z0-9-]+))?` \|", PAGE.read_text("utf-8")))
    wanted = {name for name in boards.known_boards(ROOT / "boards")
              if boards.load(ROOT / "boards" / name).downloads}
    assert wanted - {"explagraphs"} <= listed
    assert "" in listed, "make demo brings explagraphs"
