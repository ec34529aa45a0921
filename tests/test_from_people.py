"""The commands of docs/from-people.md, as they stand there, from an empty folder to a board."""

import contextlib
import io
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.simulate_annotators import main as simulate
from scorer import boards
from scorer.cli import main
from scorer.tasks.graphs.diff import read_rounds, round_columns
from tests.walks import ROOT, commands

pytestmark = [pytest.mark.whole, pytest.mark.site]
INSTALL = ("python3 -m venv .venv", ". .venv/bin/activate", "pip install ")


class Walk(NamedTuple):
    """What the commands of the page made."""

    made: Path
    rehearsed: Path
    """A copy of the folder, made before the rehearsal is removed."""
    printed: str


def rows(path: Path) -> list[tuple[str, ...]]:
    return [tuple(line.split("\t")) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The page's commands one by one: those of the program in this process, others in a shell."""
    folder = tmp_path_factory.mktemp("walk")
    printed = io.StringIO()
    lines = commands(ROOT / "docs/from-people.md").replace("\\\n", " ").splitlines()
    assert sum(line.startswith("rm -r annotations ") for line in lines) == 1
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("HOME", str(folder))
        patch.chdir(folder)
        for line in filter(None, (*lines, "git status --porcelain")):
            words = shlex.split(line, comments=True)
            if words[0] == "scorer":
                assert main(words[1:]) == 0, line
            elif words[0] == "python":
                assert simulate(words[2:]) == 0, line
            elif not line.startswith(INSTALL):
                before = "cp -r . ../rehearsed\n" if line.startswith("rm -r annotations ") else (
                    "touch simulate_annotators.py\n" if line.startswith("rm answers.tsv") else "")
                ran = subprocess.run(["bash", "-euc", f"{before}{line}\npwd"], check=True,
                                     capture_output=True, text=True)
                *words, where = ran.stdout.splitlines()
                print("\n".join(words))
                patch.chdir(where)
    return Walk(folder / "reasons", folder / "rehearsed", printed.getvalue())


@pytest.mark.claim("From an empty folder to a benchmark made by people by the commands of one "
                   "page.")
def test_the_commands_of_the_page_make_a_board_of_what_people_found_correct(walk: Walk) -> None:
    rehearsed = walk.rehearsed
    board = boards.load(rehearsed / "boards" / "reasons")
    pairs = [row[:4] for row in rows(rehearsed / "truth.tsv")]
    topics = {pair[:2]: row[2] for pair, row in zip(pairs, rows(rehearsed / "pairs.tsv"),
                                                    strict=True)}
    gold = [rows(board.folder / f"data/{split}.tsv") for split in board.splits]
    correct = [row[:3] for part in gold for row in part]
    assert len(correct) >= 6
    assert {*correct} <= {one[:3] for one in pairs}
    assert {row[2] for row in correct} == {"support", "counter"}
    train, dev = ({topics[row[:2]] for row in part} for part in gold)
    assert train.isdisjoint(dev)
    assert f"{len(correct)} items found correct" in walk.printed
    assert "reasons: fine" in walk.printed
    assert (board.practice, board.title) == (True, "Reasons (simulated)")


def test_its_exports_are_the_official_layouts(walk: Walk) -> None:
    settings = boards.load(walk.rehearsed / "boards" / "reasons").settings
    names, optional = round_columns(settings)
    exported = rows(walk.rehearsed / "rounds.tsv")
    assert all(len(names) - optional <= len(row) <= len(names) for row in exported)
    items = read_rounds(settings, exported)
    assert max(len(item.graphs) for item in items) == 2
    assert {(*item.texts, item.label) for item in items} >= {
        row[:3] for row in rows(walk.rehearsed / "gold.tsv")}


def test_the_site_shows_board_and_answers_as_simulated(walk: Walk) -> None:
    site = walk.rehearsed / "_site"
    for page in ("boards/reasons/dev/index.html", "human/index.html", "annotate/index.html"):
        assert "simulated" in (site / page).read_text("utf-8"), page
    assert {*re.findall(r">([a-z]+-\d)</", (site / "annotate/index.html").read_text("utf-8"))} == {
        "stance-1", "collect-1", "verify-1", "refine-1", "verify-2"}
    assert "Gold (ceiling)" in (site / "boards/reasons/dev/index.html").read_text("utf-8")


def test_what_is_left_after_the_rehearsal_is_a_first_batch_for_people(walk: Walk) -> None:
    batch = json.loads((walk.made / "annotations/batches/stance-1.json").read_text("utf-8"))
    assert len(batch["items"]) == 8
    assert not list(Path(walk.made / "annotations").rglob("*.tsv"))
    assert not (walk.made / "boards/reasons").exists()
    # git has nothing left to commit
    assert walk.printed.rstrip().endswith("8      0         5       0           0")
