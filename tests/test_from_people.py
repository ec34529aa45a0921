"""The commands of docs/from-people.md, as they stand there, from an empty folder to a board."""

import json
import re
from pathlib import Path

import pytest

from scorer import boards
from scorer.tasks.graphs.diff import read_rounds, round_columns
from tests.walks import ROOT, Walk, walked

pytestmark = [pytest.mark.wheel, pytest.mark.site]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """What the page makes; the board is taken aside before the rehearsal is removed."""
    folder = tmp_path_factory.mktemp("walk")
    page = folder / "page.md"
    text = (ROOT / "docs/from-people.md").read_text("utf-8")
    before = "rm -r annotations "
    assert text.count(before) == 1
    begun = "scorer board init --title 'Reasons'"
    script = ROOT / "benchmarks/simulate_annotators.py"
    assert (text.count(begun), text.count("copy it into the folder")) == (1, 1)
    page.write_text(text.replace(before, f"cp -r . ../rehearsed\n{before}").replace(
        begun, f"{begun}\ncp {script} ."), "utf-8")
    return walked(page, folder, "reasons", "git status --porcelain")


@pytest.mark.claim("From an empty folder to a benchmark made by people by the commands of one "
                   "page.")
def test_the_commands_of_the_page_make_a_board_of_what_people_found_correct(walk: Walk) -> None:
    rehearsed = walk.made.parent / "rehearsed"
    board = boards.load(rehearsed / "boards" / "reasons")
    pairs = [tuple(line.split("\t")[:4]) for line in
             (rehearsed / "truth.tsv").read_text("utf-8").splitlines()]
    topics = dict(zip((one[:2] for one in pairs), (
        line.split("\t")[2] for line in (rehearsed / "pairs.tsv").read_text(
            "utf-8").splitlines()), strict=True))
    gold = {split: [tuple(line.split("\t")) for line in
                    (board.folder / f"data/{split}.tsv").read_text("utf-8").splitlines()]
            for split in board.splits}
    found = [row for rows in gold.values() for row in rows]
    assert len(found) >= 6
    assert {row[:3] for row in found} <= {one[:3] for one in pairs}
    assert {row[2] for row in found} == {"support", "counter"}
    where = [{topics[row[:2]] for row in rows} for rows in gold.values()]
    assert where[0].isdisjoint(where[1])
    assert f"{len(found)} items found correct" in walk.said
    assert "reasons: fine" in walk.said
    assert board.practice
    assert board.title == "Reasons (simulated)"


def test_its_exports_are_the_official_layouts(walk: Walk) -> None:
    rehearsed = walk.made.parent / "rehearsed"
    settings = boards.load(rehearsed / "boards" / "reasons").settings
    names, optional = round_columns(settings)
    rows = [line.split("\t") for line in
            (rehearsed / "rounds.tsv").read_text("utf-8").splitlines()]
    assert all(len(names) - optional <= len(row) <= len(names) for row in rows)
    items = read_rounds(settings, rows)
    assert max(len(item.graphs) for item in items) == 2
    correct = (rehearsed / "gold.tsv").read_text("utf-8").splitlines()
    assert {(*item.texts, item.label) for item in items} >= {
        tuple(line.split("\t")[:3]) for line in correct}


def test_the_site_shows_board_and_answers_as_simulated(walk: Walk) -> None:
    site = walk.made.parent / "rehearsed" / "_site"
    for page in ("boards/reasons/dev/index.html", "human/index.html", "annotate/index.html"):
        assert "simulated" in (site / page).read_text("utf-8"), page
    people = (site / "annotate/index.html").read_text("utf-8")
    assert {*re.findall(r">([a-z]+-\d)</", people)} == {
        "stance-1", "collect-1", "verify-1", "refine-1", "verify-2"}
    assert "Gold (ceiling)" in (site / "boards/reasons/dev/index.html").read_text("utf-8")


def test_what_is_left_after_the_rehearsal_is_a_first_batch_for_people(walk: Walk) -> None:
    batch = json.loads((walk.made / "annotations/batches/stance-1.json").read_text("utf-8"))
    assert len(batch["items"]) == 8
    assert not list(Path(walk.made / "annotations").rglob("*.tsv"))
    assert not (walk.made / "boards/reasons").exists()
    status = "8      0         5       0           0"
    assert walk.said.rstrip().endswith(status)  # git has nothing left to commit
