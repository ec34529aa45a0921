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

import scorer
from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.scoring.results.files import read as read_result
from scorer.tasks.graphs.graph_items import Prediction
from tests.fuzz_helpers import judged

ROOT = Path(__file__).resolve().parent.parent

BOARD = """\
schema: 1
id: loops
version: "1.0"
task: explanation_graphs
title: Loops
summary: Why does something keep itself going? Answer by a graph with a cycle in it.
licence: "CC0 1.0"
attribution: "Loops, CC0 1.0."
citation: "@misc{loops, title = {Loops}, year = {2026}}"
metrics: [StCA, G-BLEU, G-ROUGE-2, G-ROUGE-L, GED]
ranking: [StCA, GED]
splits:
  dev: {file: dev.tsv, rows: 12, gold: public, golds: 2}
  test: {rows: 12, gold: hidden}
settings:
  texts:
    - {name: question, concepts: 1}
  graph:
    relations: [raises, lowers, causes, prevents, needs, uses, part of, happens in, kind of,
                follows, made by, leads to]
    negated: [prevents]
    least_edges: 2
    most_edges: 6
    concept_words: 4
    acyclic: no
    connected: yes
  ged_constant: 13
  depth_classes: [{name: short, least: 1, most: 3}, {name: long, least: 4}]
  null: {relation: leads to, most: 4}
"""

GOLD = (
    ("Why does a thermostat hold one temperature?",
     "(temperature; lowers; heating)(heating; raises; temperature)(thermostat; uses; heating)"),
    ("Why does a microphone near a loudspeaker howl?",
     "(loudspeaker; raises; sound)(sound; raises; microphone signal)"
     "(microphone signal; raises; loudspeaker)"),
    ("Why do melting ice caps melt faster?",
     "(ice caps; lowers; heat taken in)(heat taken in; causes; melting)"
     "(melting; lowers; ice caps)"),
    ("Why does a rumour spread ever faster?",
     "(rumour; raises; listeners)(listeners; raises; tellers)(tellers; raises; rumour)"),
    ("Why do queues at a popular stall grow?",
     "(queue; causes; curiosity)(curiosity; raises; queue)(stall; needs; queue)",
     "(queues; causes; attention)(attention; leads to; queues)(attention; part of; popular stall)"),
    ("Why does an unused language die out?",
     "(speakers; raises; use)(use; raises; speakers)(language; needs; use)"),
    ("Why does a path over a lawn stay?",
     "(path; leads to; walkers)(walkers; lowers; grass)(grass; prevents; path)"),
    ("Why does debt grow by itself?",
     "(debt; causes; interest)(interest; raises; debt)"),
    ("Why do hares and lynxes rise and fall in turn?",
     "(hares; raises; lynxes)(lynxes; lowers; hares)"),
    ("Why does a scratched itch itch more?",
     "(itch; leads to; scratching)(scratching; causes; sore skin)(sore skin; causes; itch)"),
    ("Why does sweating end when one is cool?",
     "(heat; causes; sweating)(sweating; lowers; heat)"),
    ("Why do bees return to a rich meadow?",
     "(bees; causes; dance)(dance; leads to; bees)(bees; needs; rich meadow)"),
)

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
    folder = tmp_path / "boards" / "loops"
    (folder / "data").mkdir(parents=True)
    (folder / "board.yaml").write_text(BOARD)
    (folder / "data" / "dev.tsv").write_text("".join("\t".join(row) + "\n" for row in GOLD))
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


def test_the_board_is_fine_and_says_its_columns(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["board", "check", "--boards", "boards"]) == 0
    assert capsys.readouterr().out == (
        "loops dev: 12 items, gold reads\nloops test: no file, not at hand\nloops: fine\n"
    )
    submit(root)
    assert "(columns: graph; no header)" in capsys.readouterr().out


def test_gold_keeps_every_constraint_cycles_and_all(root: Path) -> None:
    board = boards.load(root / "boards" / "loops")
    content = "\n".join(row[1] for row in GOLD).encode()
    report = judged(board, content, rows=12, texts=[row[:1] for row in GOLD])
    assert (report.ok, report.counts()) == (True, {})


def test_the_boards_own_rules_judge_a_submission(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submit(root)
    capsys.readouterr()
    assert main(["check", str(folder), "--boards", "boards"]) == 0
    said = capsys.readouterr().out
    assert "can be scored on loops dev: 12 rows, all readable; 8 graphs keep every" in said
    told = dict(re.findall(r"breaks StCA: (\S+) in (\d+) row", said))
    assert {rule: int(count) for rule, count in told.items()} == BROKEN


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


def test_the_library_scores_the_same(root: Path) -> None:
    board = root / "boards" / "loops"
    result = scorer.score([(graph,) for graph in answers()], GOLD, board=board, null=True)
    assert result.metrics["StCA"].value == 8 / 12
    assert result.metrics["G-BLEU"].value is not None
    assert result.counts["broken"] == BROKEN
    report = scorer.check([(graph,) for graph in answers()], board=board,
                          inputs=[row[:1] for row in GOLD])
    assert report.counts() == BROKEN


def test_the_null_of_the_board_is_a_chain_of_its_one_text(root: Path) -> None:
    board = boards.load(root / "boards" / "loops")
    golds = read_golds(board, "dev", root / "boards" / "loops" / "data" / "dev.tsv").items
    said = board.task.null(golds[0], Prediction(None, Graph("(any; thing)")))
    assert (said.label, said.graph.text) == (
        None, "(why; leads to; does)(does; leads to; thermostat)(thermostat; leads to; hold)"
    )
    assert golds[4].graphs == tuple(map(Graph, GOLD[4][1:]))


def test_a_file_of_one_column_has_its_own_words(root: Path) -> None:
    board = boards.load(root / "boards" / "loops")
    report = judged(board, b"graph\n(a; raises; b)\tx\n\n", rows=3)
    assert [str(problem) for problem in report.problems] == [
        "predictions.tsv:1:1 TSV-HEADER the column name 'graph'; expected the first item's row; "
        "remove the header line",
        "predictions.tsv:2:1 TSV-COLUMNS 2 columns; expected 1 column (graph); separate the "
        "columns by one tab each",
        "predictions.tsv:2:1 TSV-ROWS 2 rows; expected 3; add 1 row",
        "predictions.tsv:3:1 TSV-BLANK an empty line; expected a prediction for item 2; write it "
        "there, or remove the line if it answers no item",
    ]


def test_gold_that_is_hidden_is_not_needed_to_check(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submit(root)
    shutil.copyfile(folder / "predictions.dev.tsv", folder / "predictions.test.tsv")
    capsys.readouterr()
    assert main(["check", str(folder), "--boards", "boards"]) == 0
    assert "can be scored on loops test: 12 rows" in capsys.readouterr().out


def test_a_mistake_in_the_board_is_told_to_the_group(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = root / "boards" / "loops" / "board.yaml"
    path.write_text(BOARD.replace("[StCA, G-BLEU", "[SA, StCA, G-BLEU"))
    assert main(["board", "check", "--boards", "boards"]) == 2
    assert "metric SA; expected labels in settings" in capsys.readouterr().err


@pytest.mark.site
def test_the_board_has_pages_for_its_rows_and_for_every_example(root: Path) -> None:
    from scorer.site.build import build

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
    assert json.loads((out / "data" / "loops" / "dev" / "index.json").read_text("utf-8"))
