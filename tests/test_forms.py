"""Files in another form than predictions have: told once, in one sentence."""

import csv
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.cli import main
from scorer.core.reading.tsv import LARGEST_FILE
from tests.conftest import ROOT
from tests.effort import A_SECOND, within
from tests.form_cases import table
from tests.fuzz_helpers import judged

PRACTICE = "explagraphs-practice"


def gold() -> list[list[str]]:
    """Stances and graphs of the practice board's dev split."""
    lines = (ROOT / "boards" / PRACTICE / "data" / "dev.tsv").read_text("utf-8").splitlines()
    return [line.split("\t")[2:4] for line in lines]


@pytest.mark.parametrize(("dialect", "form"), [
    ({"delimiter": ","}, "commas between columns"),
    ({"delimiter": ";", "quoting": csv.QUOTE_ALL}, "semicolons between columns"),
    ({"delimiter": "|"}, "bars between columns"),
    ({"delimiter": "\t", "quoting": csv.QUOTE_ALL}, "quotes around columns")])
def test_a_table_of_another_program_is_told_in_one_sentence_with_what_to_do(
    dialect: dict[str, Any], form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.csv"
    file.write_bytes(table(gold(), header=("stance", "graph"), index=0, **dialect))
    assert main(["check", str(file), "--board", PRACTICE, "--split", "dev"]) == 2
    assert capsys.readouterr().err.splitlines()[-2:] == [
        f"{file}:1:1 TSV-FORM {form} on 41 of 41 lines; expected 2 columns (stance, graph) and "
        "nothing else; write a tab between columns, and no quotes, header or index (pandas: "
        r"to_csv(FILE, sep='\t', header=False, index=False, quoting=3))",
        "NOT accepted: 1 error"]


def test_labels_behind_commas_have_a_form_and_texts_with_commas_have_none() -> None:
    for board, line, rules in (("anli-practice", "some-id,1", {"TSV-FORM"}),
                               ("anlg-practice", "Ann ran, home.", {"TSV-ROWS"})):
        report = judged(boards.load(board), f"{line}\n".encode() * 5, rows=40)
        assert {problem.rule for problem in report.problems} == rules


def test_what_pandas_writes_as_the_advice_says_is_accepted(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame(gold())
    rows.to_csv(tmp_path / "p.tsv", sep="\t", header=False, index=False, quoting=3)
    assert main(["check", str(tmp_path / "p.tsv"), "--board", PRACTICE, "--split",
                 "dev"]) == 0


@pytest.mark.parametrize("content", [
    b"support" + b"," * 10**6, (b"," * 10**6 + b"\n") * 7, (b'"' * 20_000 + b"\n") * 400,
    (b"{" * 20_000 + b"}\n") * 400, b"," * LARGEST_FILE],
    ids=["a million columns", "seven lines of them", "quotes", "braces", "commas alone"])
def test_a_file_made_to_tire_whoever_looks_for_its_form_is_refused_in_a_second(
    content: bytes
) -> None:
    board = boards.load(PRACTICE)
    assert len(content) <= LARGEST_FILE
    assert not within(A_SECOND, lambda: judged(board, content, rows=400)).ok
