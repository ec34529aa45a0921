"""What is read from a model's answer: strictly, by documented rules, and never repaired.

``cases/answers.json`` has texts as models write them, each with the kind and the columns that it
must have. Prompts and boards are those that come with the program.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.prompts import Prompt, prompts_of, read_answer
from scorer.cli import main
from scorer.core.files import home_folder
from scorer.core.package_data import handbook
from scorer.scoring.checking import check_file
from scorer.tasks.answers import KINDS, Answered, is_fence

CASES = json.loads((Path(__file__).parent / "cases" / "answers.json").read_text("utf-8"))
BOARDS = {name: boards.load(name)
          for name in ("explagraphs-practice", "anli-practice", "anlg-practice")}
PROMPTS: dict[str, tuple[Board, Prompt]] = {
    name: (board, prompt) for board in BOARDS.values()
    for name, prompt in prompts_of(board).items()}


def read(name: str, text: str, cut: bool = False) -> Answered:
    board, prompt = PROMPTS[name]
    return read_answer(prompt, board, text, cut=cut)


@pytest.mark.claim("A model's answer is read by documented rules and never repaired: refusals, "
                   "several answers, fences and cut answers each have their kind.")
@pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one['prompt']}: {one['case']}")
def test_an_answer_has_the_kind_and_the_columns_that_its_case_says(case: dict[str, Any]) -> None:
    found = read(case["prompt"], case["text"], case.get("cut", False))
    assert (found.kind, list(found.columns)) == (case["kind"], case["columns"]), found.said
    assert (found.said == "") == (found.kind == "answered")


def test_every_kind_and_every_shipped_prompt_has_cases() -> None:
    assert {case["kind"] for case in CASES} == {*KINDS}
    assert {case["prompt"] for case in CASES} | {"reasoning"} == {*PROMPTS}
    assert f"{len(CASES)} answers as models write them" in handbook("models")


PIECES = some.sampled_from([
    "Stance: ", "Graph: ", "Label: ", "Hypothesis: ", "support", "counter", "1", "2", "-", "\n",
    "\r", "\t", "```", "```python\n", "<think>", "</think>", "(a; is a; b)", "(", ")", "; ", "**",
    "stance = ", "graph = ", "[", "]", ",", '"', "'", "\\", "#", "I'm sorry", "\u2028", "\0",
    "\u202e", "\ud800", "\U0001f600", "x" * 300,
])
TEXTS = some.one_of(some.text(), some.lists(PIECES, max_size=30).map("".join))


@pytest.mark.claim("Whatever a model writes becomes a row that scorer check accepts.")
@given(text=TEXTS, cut=some.booleans())
@pytest.mark.parametrize("name", PROMPTS)
def test_any_text_gives_a_row_that_the_board_reads(name: str, text: str, cut: bool,
                                                   tmp_path_factory: Any) -> None:
    board, prompt = PROMPTS[name]
    found = read_answer(prompt, board, text, cut=cut)
    assert found.kind in KINDS
    assert found.said.isprintable()
    before = [column or "A text." for column in board.task.unanswered]
    path = tmp_path_factory.getbasetemp() / f"{name}.tsv"
    path.write_bytes("".join("\t".join(row) + "\n" for row in (before, found.columns)).encode())
    _, prediction = check_file(board, path).accepted()
    assert tuple(board.task.write_prediction(prediction)) == found.columns


@pytest.mark.parametrize("text", [
    "(" * 100_000, "#" * 100_000, "graph = [" + '("a", ' * 50_000, "*" * 100_000,
    "graph = " + "#\n" * 50_000, " " * 200_000 + "x", "`" * 100_000, "Stance:" * 50_000,
    "graph = [\n" * 20_000,
])
@pytest.mark.parametrize("name", ["code", "rationalizing", "choice"])
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(name: str, text: str) -> None:
    assert read(name, text).kind != "answered"


def test_a_line_of_many_marks_is_read_in_time_with_its_length() -> None:
    assert not is_fence("~" * 1_000_000 + "`")


def test_a_value_that_would_fill_a_file_is_none() -> None:
    edge = "(cats; is a; pets)"
    for count, kind in ((455, "answered"), (456, "unparsable")):
        assert (len(edge) * count > 8192) == (kind == "unparsable")
        assert read("rationalizing", f"Stance: support\nGraph: {edge * count}").kind == kind


# ---- rows without an answer ----------------------------------------------------------------------


def gold_rows(name: str) -> list[tuple[str, ...]]:
    board = BOARDS[name]
    path = board.data_file("dev", home_folder())
    assert path is not None
    return [tuple(line.split("\t")) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.claim("A row without an answer scores as wrong, and no guess takes its place.")
@pytest.mark.parametrize(("name", "metric", "width"), [
    ("explagraphs-practice", "SA", 2), ("explagraphs-practice", "StCA", 2),
    ("anli-practice", "accuracy", 5)])
def test_an_item_without_an_answer_is_wrong_whatever_gold_is(
    name: str, metric: str, width: int
) -> None:
    golds = gold_rows(name)
    none = BOARDS[name].task.unanswered
    rows = [none if place % 4 == 0 else gold[width:] for place, gold in enumerate(golds)]
    result = scorer.score(rows, golds, board=name, metrics=[metric])
    assert result.metrics[metric].value == pytest.approx(1 - rows.count(none) / len(rows))
    assert scorer.score([none] * len(golds), golds, board=name,
                        metrics=[metric]).metrics[metric].value == 0


def test_the_confusion_counts_no_answer_apart_and_only_where_there_is_one() -> None:
    golds = gold_rows("anli-practice")
    for rows, keys in (([("-",), ("1",)] * 24, {"1", "2", "-"}),
                       ([("1",), ("2",)] * 24, {"1", "2"})):
        counts = scorer.score(rows, golds, board="anli-practice").counts
        confusion = counts["confusion"]
        assert {*confusion["1"]} == {*confusion["2"]} == keys
        assert sum(row.get("-", 0) for row in confusion.values()) == rows.count(("-",))
        assert rows.count(("1",)) == sum(row["1"] for row in confusion.values())


def test_check_accepts_rows_without_an_answer_and_tells_them_in_one_line(tmp_path: Path) -> None:
    board, path = BOARDS["explagraphs-practice"], tmp_path / "predictions.tsv"
    path.write_text("-\t-\nsupport\t(a; is a; b)\nsupport\t-\n", "utf-8")
    report = check_file(board, path)
    assert report.ok
    assert report.strict_counts()["TSV-NO-ANSWER"] == 1
    assert all(report.broken), "a graph that was not read breaks rules"


def test_a_board_without_labels_has_the_graph_alone() -> None:
    board = BOARDS["explagraphs-practice"]
    plain = replace(board, settings=replace(board.settings, labels=None))
    prompt = prompts_of(plain)["rationalizing"]
    assert read_answer(prompt, plain, "Graph: (a; is a; b)").columns == ("(a; is a; b)",)
    assert plain.task.unanswered == ("-",)


def test_labels_with_gaps_are_no_labels_for_a_system_to_start_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "predictions.tsv"
    path.write_text("support\t-\n" * 39 + "-\t-\n", "utf-8")
    out = tmp_path / "explagraphs-practice" / "a-team" / "a-system"
    assert main(["predict", "structured", "--board", "explagraphs-practice", "--split", "dev",
                 "--labels", str(path), "--out", str(out)]) == 2
    assert "a row has - for a label" in capsys.readouterr().err
    assert not out.exists()


def test_an_answer_that_begins_as_json_does_not_turn_the_file_into_another_form() -> None:
    board, _ = PROMPTS["hypothesis"]
    for text in ('Hypothesis: {"a": 1}', "Hypothesis: { a"):
        found = read("hypothesis", text)
        assert (found.kind, found.columns) == ("unparsable", board.task.unanswered)
