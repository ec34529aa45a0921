"""A research group's own benchmark, from a folder to scores and pages, without touching Python.

The board is of another shape than ExplaGraphs: one text, no label, twelve relations of its own,
cycles welcome, an upper limit of edges. Its twelve items, written for this test, ask why something
keeps itself going; the answers are loops.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.scoring.results.files import read as read_result
from scorer.tasks.graphs.graph_items import Prediction
from tests.fuzz_helpers import judged

Printed = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parent.parent

LOOPS = ROOT / "tests" / "cases" / "loops"
GOLD = [line.split("\t") for line in (LOOPS / "data" / "dev.tsv").read_text().splitlines()]
CHANGED = {
    8: "(debt; causes; interest)(interest; raises; debt)(debt; raises; debt)",
    9: "(hares; raises; lynxes)(moon; follows; sun)",
    10: "(itch; leads to; scratching)" * 7,
    11: "(heat; triggers; sweating)(sweating; lowers; heat)",
    12: "(dance; causes; dancers)(dancers; raises; dance)",
}
"""A self loop, which is fine here; then one broken constraint each."""

BROKEN = {"EG-DISCONNECTED": 1, "EG-MANY-FACTS": 1, "EG-REL": 1, "EG-QUESTION-CONCEPTS": 1}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of the group's own: the board and its data."""
    shutil.copytree(LOOPS, tmp_path / "boards" / "loops")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answers() -> list[str]:
    return [CHANGED.get(number, row[1]) for number, row in enumerate(GOLD, start=1)]


def submit(root: Path) -> Path:
    """A submission as ``scorer new`` makes it, filled in."""
    assert main(["new", "loops", "a-team", "copyist", "--boards", "boards"]) == 0
    folder = root / "submissions" / "loops" / "a-team" / "copyist"
    text = (folder / "submission.yaml").read_text()
    for field, value in (("date", "2026-01-31"), ("description", "Copies gold, badly."),
                         ("training_data", "Gold."), ("saw_dev_gold", "yes")):
        text = text.replace(f"\n{field}:\n", f"\n{field}: {value}\n")
    (folder / "submission.yaml").write_text(text)
    (folder / "predictions.dev.tsv").write_text("".join(f"{graph}\n" for graph in answers()))
    return folder


def test_the_board_is_fine_and_says_its_columns(root: Path, capsys: Printed) -> None:
    assert main(["board", "check", "--boards", "boards"]) == 0
    assert capsys.readouterr().out == (
        "loops dev: 12 items, gold reads\nloops test: no file, not at hand\nloops: fine\n")


def test_the_boards_own_rules_judge_a_submission(root: Path, capsys: Printed) -> None:
    folder = submit(root)
    assert "(columns: graph; no header)" in capsys.readouterr().out
    shutil.copyfile(folder / "predictions.dev.tsv", folder / "predictions.test.tsv")
    assert main(["check", str(folder), "--boards", "boards"]) == 0
    said = capsys.readouterr().out
    assert "can be scored on loops test: 12 rows" in said, "though its gold is hidden"
    assert "can be scored on loops dev: 12 rows, all readable; 8 graphs keep every" in said
    told = re.findall(r"breaks StCA: (\S+) in (\d+) row", said)
    assert {rule: int(count) for rule, count in told} == BROKEN


@pytest.mark.claim("A benchmark of another shape is added as data, without code.")
def test_a_submission_is_scored_by_the_program(root: Path) -> None:
    folder = submit(root)
    assert main(["score", str(folder), "--boards", "boards", "--results", "results"]) == 0
    result = read_result(root / "results" / "loops" / "a-team" / "copyist" / "dev.json")
    assert result.board == "loops"
    assert result.counts["broken"] == BROKEN
    assert (result.counts["stance_incorrect"], result.counts["struct_correct"]) == (0, 8)
    values = {name: value.value for name, value in result.metrics.items()}
    assert set(values) == {"StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED"}
    assert values["StCA"] == 8 / 12
    # Seven rows repeat gold, row 8 has one edge more (gold: 2 nodes + 2 edges + 13), four count 1.
    assert values["GED"] == pytest.approx((1 / 17 + 4) / 12)
    assert "|constant:13|board:loops-1.0|golds:2|" in result.signature("GED")
    assert all(value.null is not None for value in result.metrics.values())
    assert len(result.items) == 12


def test_the_null_of_the_board_is_a_chain_of_its_one_text() -> None:
    board = boards.load(LOOPS)
    golds = read_golds(board, "dev", LOOPS / "data" / "dev.tsv").items
    said = board.task.null(golds[0], Prediction(None, Graph("(any; thing)")))
    assert (said.label, said.graph.text) == (
        None, "(why; leads to; does)(does; leads to; thermostat)(thermostat; leads to; hold)")
    assert golds[4].graphs == tuple(map(Graph, GOLD[4][1:]))


def test_a_file_of_one_column_has_its_own_words() -> None:
    report = judged(boards.load(LOOPS), b"graph\n(a; raises; b)\tx\n\n", rows=3)
    assert [str(problem).partition(";")[0] for problem in report.problems] == [
        "predictions.tsv:1:1 TSV-HEADER the column name 'graph'",
        "predictions.tsv:1:1 TSV-ROWS 1 row", "predictions.tsv:2:1 TSV-COLUMNS 2 columns",
        "predictions.tsv:3:1 TSV-BLANK an empty line"]


@pytest.mark.site
def test_the_board_has_pages_for_its_rows_and_for_every_example(root: Path) -> None:
    from scorer.site.boards.anatomy import part_tables
    from scorer.site.build import build
    from scorer.site.reading.read import read_site
    from scorer.site.views.registry import view_of

    submit(root)
    for name in ("site", "templates"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copyfile(ROOT / "mkdocs.yml", root / "mkdocs.yml")
    assert main(["score", "--all", "--boards", "boards", "--results", "results",
                 "--home", "home"]) == 0
    out = root / "built" / "_site"
    report = build(root, out, home=root / "home")
    assert report.warnings == ()
    assert report.examples == len(GOLD)
    for number, (question, *_) in enumerate(GOLD, start=1):
        page = (out / "boards" / "loops" / "dev" / str(number) / "index.html").read_text("utf-8")
        words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", page))
        assert question in words
        assert "stance" not in words.lower()
    table = (out / "boards" / "loops" / "dev" / "index.html").read_text("utf-8")
    assert "copyist" in table
    assert not (out / "boards" / "loops" / "test").exists(), "no rows, no leaderboard"
    view = read_site(root, root / "home").boards[0].splits[0]
    [entry] = view.entries
    assert [gate.text for gate in view_of(view.board).gates(view, entry)] == [
        "items of the split", "with a correct structure too"], "none for labels"
    assert "label" not in [division.by.id for division, _ in part_tables(view, entry)]
    assert json.loads((out / "data" / "loops" / "dev" / "index.json").read_text("utf-8"))
