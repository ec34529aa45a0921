"""Files in another form than predictions have: told once, and written anew by ``--fix``."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer import board as boards
from scorer.cli import main
from scorer.reading.forms import LONGEST_LINE
from scorer.reading.tsv import LARGEST_FILE
from tests.effort import A_SECOND, within
from tests.form_cases import GRAPH, table
from tests.fuzz_helpers import judged

ROOT = Path(__file__).resolve().parent.parent


def gold(board: str, *columns: int) -> list[list[str]]:
    """Some columns of a practice board's dev split."""
    lines = (ROOT / "boards" / board / "data" / "dev.tsv").read_text("utf-8").splitlines()
    return [[line.split("\t")[column] for column in columns] for line in lines]


TASKS = {"explagraphs-practice": (("stance", "graph"), gold("explagraphs-practice", 2, 3)),
         "anli-practice": (("label",), gold("anli-practice", 5)),
         "anlg-practice": (("hypothesis",), gold("anlg-practice", 2))}
DIALECTS = {
    "commas": {"delimiter": ","}, "semicolons": {"delimiter": ";"}, "bars": {"delimiter": "|"},
    "quotes": {"delimiter": "\t", "quoting": csv.QUOTE_ALL},
    "commas and quotes": {"delimiter": ",", "quoting": csv.QUOTE_ALL},
}


@pytest.mark.parametrize("board", TASKS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_with_header_and_index_is_told_once_and_fix_writes_its_rows(
    board: str, dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names, rows = TASKS[board]
    file = tmp_path / "p.csv"
    file.write_bytes(b"\xef\xbb\xbf" + table(rows, header=names, index=0, **DIALECTS[dialect])
                     .replace(b"\n", b"\r\n"))
    options = ["--board", board, "--split", "dev"]
    assert main(["check", str(file), *options]) == 2
    *_, told, total = capsys.readouterr().err.splitlines()
    assert "p.csv:1:1 TSV-FORM " in told
    assert dialect.split()[0] in told
    assert (f"an index column on {len(rows)} of {len(rows) + 1} lines, a header; expected "
            f"{len(names)} column") in told
    assert total == "NOT accepted: 1 error"
    assert main(["check", str(file), *options, "--fix", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "p.csv").read_text("utf-8").splitlines() == [
        "\t".join(row) for row in rows]


def test_ids_stay_before_the_answers_in_their_own_order(tmp_path: Path) -> None:
    rows = gold("anli-practice", 0, 5)[::-1]
    (tmp_path / "p.csv").write_bytes(table(rows, header=("story_id", "label")))
    assert main(["check", str(tmp_path / "p.csv"), "--board", "anli-practice", "--split", "dev",
                 "--fix", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "p.csv").read_text("utf-8").splitlines() == [
        "\t".join(row) for row in rows]


def test_an_index_from_0_before_texts_is_no_context_id(tmp_path: Path) -> None:
    _, rows = TASKS["anlg-practice"]
    (tmp_path / "p.tsv").write_bytes(table(rows, index=0, delimiter="\t"))
    assert main(["check", str(tmp_path / "p.tsv"), "--board", "anlg-practice", "--split", "dev",
                 "--fix", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "p.tsv").read_text("utf-8").splitlines() == [
        row[0] for row in rows]


@pytest.mark.parametrize("name", ["inputs-before-the-columns", "json-lines"])
def test_what_is_not_surely_around_the_answers_is_told_and_not_rewritten(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ROOT / "tests" / "cases" / "rejected" / name / "predictions.tsv"
    assert main(["check", str(file), "--board", "explagraphs-practice",
                 "--fix", str(tmp_path / "new")]) == 2
    told = capsys.readouterr().err
    assert "nothing that --fix corrects, so no copy was written" in told
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("board", ["anlg-practice", "anli-practice", "explagraphs-practice"])
def test_a_json_array_is_told_once_and_never_as_rows_too_many_or_too_few(
    board: str, indent: int | None
) -> None:
    for values in (["Ann ran, home."] * 90, [{"label": "1", "graph": "(a; is a; b)"}] * 5):
        report = judged(boards.load(board), json.dumps(values, indent=indent).encode(), rows=40)
        [problem] = report.problems
        assert (report.total, problem.rule, problem.found) == (1, "TSV-FORM", "a JSON array")
        assert problem.advice == (
            "write a line for each item, its values alone, a tab between them")


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a million columns": lambda: b"support" + b"," * 10**6,
    "a million columns in each of seven lines": lambda: (b"," * 10**6 + b"\n") * 7,
    "the longest lines, all quotes": lambda: (b'"' * LONGEST_LINE + b"\n") * 99,
    "the longest lines, quotes and commas": lambda: (b'"",' * (LONGEST_LINE // 3) + b"\n") * 99,
    "the longest lines, four quotes and a letter":
        lambda: (b'""""a,' * (LONGEST_LINE // 6) + b"\n") * 99,
    "the longest lines, one quote each": lambda: (b'"a,' * (LONGEST_LINE // 3) + b"\n") * 99,
    "the longest lines, braces": lambda: (b"{" * (LONGEST_LINE - 1) + b"}\n") * 99,
    "more letters than are looked at": lambda: (b"\"" * LONGEST_LINE + b"\n") * 400,
    "commas alone": lambda: b"," * LARGEST_FILE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_made_to_tire_whoever_looks_for_its_form_is_refused_in_a_second(name: str) -> None:
    board, content = boards.load("explagraphs-practice"), HOSTILE[name]()
    assert len(content) <= LARGEST_FILE
    assert not within(A_SECOND, lambda: judged(board, content, rows=400)).ok


def test_nine_of_ten_lines_make_a_form_and_fewer_do_not() -> None:
    board = boards.load("explagraphs-practice")
    for commas, rules in ((36, ["TSV-FORM"]), (35, ["TSV-COLUMNS"] * 35)):
        lines = [f"support,{GRAPH}"] * commas + [f"support\t{GRAPH}"] * (40 - commas)
        report = judged(board, "\n".join(lines).encode(), rows=40)
        assert [problem.rule for problem in report.problems] == rules
