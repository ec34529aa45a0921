"""The recipes of docs/architecture.md and the commands of docs/board.md, followed literally."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from scorer import boards
from tests import diagram
from tests.walks import commands

ROOT = Path(__file__).resolve().parent.parent
PAGE, BOARD_PAGE = (ROOT / "docs" / name for name in ("architecture.md", "board.md"))
COPIED = ("scorer", "templates", "site", "boards", "submissions", "results",
          ".github/workflows", "docs", "locks", "CHANGELOG.md", "mkdocs.yml", "pyproject.toml")
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)


class Block(NamedTuple):
    """A block of a recipe: a file, a change of one, or commands."""

    language: str
    file: str
    text: str


def recipe(title: str) -> Iterator[Block]:
    """The blocks of one recipe in order."""
    text = PAGE.read_text("utf-8").split(f"### {title}\n")[1].split("\n### ")[0]
    yield from (Block(*found.groups(default="")) for found in _BLOCK.finditer(text))


def follow(title: str, root: Path) -> None:
    """Do what a recipe says."""
    for block in recipe(title):
        path = root / block.file
        if block.language == "sh":
            run(block.text, root)
        elif block.language == "diff":
            path.write_text(changed(path.read_text("utf-8"), block.text), "utf-8")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")


def changed(text: str, change: str) -> str:
    """A file after a change whose lines without ``+`` occur in it once."""
    lines = change.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    assert text.count(before) == 1, f"{text.count(before)} times:\n{before}"
    return text.replace(before, "".join(line[1:] for line in lines if line[0] != "-"))


def run(lines: str, root: Path, program: Path | None = None) -> None:
    """Run lines of a shell with this Python; the first that fails ends it. ``program``: where the
    program's source is, if not in ``root``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", lines], cwd=root, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(program or root), "PATH": path})
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A repository to change, with the practice boards alone, and rows of one."""
    for name in COPIED:
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for top in ("boards", "submissions", "results"):
        for board in [path for path in (tmp_path / top).iterdir() if path.is_dir()]:
            if not board.name.endswith("practice" if top == "boards" else "explagraphs-practice"):
                shutil.rmtree(board)
    (tmp_path / "boards" / "site.yaml").unlink()  # it names boards that went
    return tmp_path


@pytest.mark.site
@pytest.mark.claim("A metric is one file, a line in its task and one in each board.")
def test_the_recipe_of_a_metric_gives_a_column(copy: Path) -> None:
    row = "results/explagraphs-practice/reference/null/dev.json"
    before = json.loads((copy / row).read_text("utf-8"))["metrics"]
    follow("Add a metric", copy)
    after = json.loads((copy / row).read_text("utf-8"))["metrics"]
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {"shared-concepts"}
    page = (copy / "_site/boards/explagraphs-practice/dev/index.html").read_text("utf-8")
    assert 'value="shared-concepts"' in page
    assert "Share of gold concepts" in (copy / "_site/metrics/index.html").read_text("utf-8")


@pytest.mark.site
@pytest.mark.claim("A task is a folder, a view, a line in two registries and a board.")
def test_the_recipe_of_a_task_gives_scores_and_pages(copy: Path) -> None:
    follow("Add a task", copy)
    row = (copy / "_site/boards/my-claims/systems/my-team--my-system/index.html").read_text("utf-8")
    assert "<b>50.0</b>" in row
    assert "Cats bark." in (copy / "_site/boards/my-claims/dev/2/index.html").read_text("utf-8")


@pytest.mark.site
@pytest.mark.claim("A board is a folder of data.")
def test_the_recipe_of_a_board_gives_a_leaderboard(copy: Path) -> None:
    follow("Add a board", copy)
    page = (copy / "_site/boards/my-board/dev/index.html").read_text("utf-8")
    assert "reference--null/" in page


@pytest.mark.site
@pytest.mark.claim("Files that somebody else published become a board with rows by a description "
                   "of their fields, without code.")
def test_the_commands_of_the_page_lead_from_a_stranger_s_file_to_a_leaderboard(
    tmp_path: Path,
) -> None:
    run(commands(BOARD_PAGE), tmp_path, ROOT)
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
    listed = set(re.findall(r"\| `make demo(?: BOARD=([a-z0-9-]+))?` \|",
                            BOARD_PAGE.read_text("utf-8")))
    wanted = {name for name in boards.known_boards(ROOT / "boards")
              if boards.load(ROOT / "boards" / name).downloads}
    assert wanted - {"explagraphs"} <= listed
    assert "" in listed, "make demo brings explagraphs"


def test_the_picture_of_the_rooms_is_drawn_from_the_map() -> None:
    assert diagram.rendered() == PAGE.read_text("utf-8")  # else: make docs


def test_every_room_stands_on_one_floor() -> None:
    floors = [name for names in diagram.FLOORS.values() for name in names.split()]
    assert sorted(floors) == sorted(diagram.rooms())
