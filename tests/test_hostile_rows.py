"""What strangers send to do harm: ``cases/hostile.yaml`` says where each kind of it is tested.

Rows 1 to 60 were thought of before the pipeline was written, the rest is what an attack from
outside found. What can be judged by itself is judged once more, to measure what that costs.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards
from scorer.boards.submission import Meta, SubmissionName
from scorer.cli import main
from scorer.core.errors import MOST_SHOWN, report
from scorer.core.reading import schema
from scorer.pipeline.ci import main_branch
from tests.case_files import read
from tests.effort import A_SECOND, within
from tests.fuzz_helpers import (
    assert_fit_for_a_log,
    assert_inside,
    hostile_bytes,
    judged,
    thorough,
)
from tests.hostile_specimens import specimens
from tests.test_submission import GOOD, META_FAULTS
from tests.test_tsv import HOSTILE, NOTED, TAMPERED, TIRING, practice

HERE = Path(__file__).parent

ROWS: dict[int, list[str]] = read("hostile.yaml")
PULLS = (36, 37, *range(39, 45), 50, 51, 52, 56, 58, 59, 60, *range(61, 70))
"""Rows about pull requests, artifacts and keys: ``test_ci_validate`` and ``test_ci_artifact``
measure what judging one costs."""
SENT = tuple(row for row in (*range(1, 70), 75) if row not in PULLS)
"""Others of which something can be judged by itself; the rest is about a whole run."""
CASES_OF: dict[str, Iterable[str]] = {
    "TAMPERED": TAMPERED, "NOTED": NOTED, "HOSTILE": HOSTILE, "TIRING": TIRING,
    "META_FAULTS": META_FAULTS}
"""Tables whose cases begin with their row."""


@cache
def names_in(module: str) -> frozenset[str]:
    """What a test module defines at its top."""
    folder, _, name = module.rpartition("/")
    path = HERE / folder / (name if name.startswith("test_") else f"test_{name}")
    found = set()
    for node in ast.parse(path.with_suffix(".py").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id for target in targets for name in ast.walk(target)
                      if isinstance(name, ast.Name)}
    return frozenset(found)


@pytest.mark.claim("Each of 78 kinds of hostile input has a test.")
def test_every_row_of_the_list_has_a_test() -> None:
    assert list(ROWS) == list(range(1, 79))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_tested_where_the_table_says(row: int) -> None:
    for where in ROWS[row]:
        module, _, name = where.partition("::")
        if name:
            assert name in names_in(module), where
            cases = CASES_OF.get(name)
            assert cases is None or any(case.startswith(f"row {row}:") for case in cases), where
        else:
            file = "case.yaml" if where.startswith("pulls/") else "expected.txt"
            assert (HERE / "cases" / where / file).is_file(), where


# ---- rows that no other module has ---------------------------------------------------------

def test_rows_in_another_order_are_legal_because_the_format_has_no_ids() -> None:  # row 20
    rows = [b"support\t(a; is a; b)\n", b"counter\t(c; is a; d)\n"]
    for content in (b"".join(rows), b"".join(rows[::-1])):
        assert judged(practice(), content, rows=2).ok


def test_public_gold_may_be_handed_in() -> None:  # row 49
    board = practice()
    path = board.data_file("dev", Path("nowhere"))
    assert path is not None
    golds = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    content = "".join(f"{label}\t{graph}\n" for _, _, label, graph in golds).encode()
    report = judged(board, content, rows=len(golds), texts=[row[:2] for row in golds])
    assert report.ok
    assert not any(report.broken)


def test_a_new_version_of_the_board_makes_every_key_new() -> None:  # row 52
    board, place = practice(), SubmissionName("explagraphs-practice", "a-team", "a-system")
    old = main_branch.key(board, place, "dev", "p")
    assert main_branch.key(practice(), place, "dev", "p") == old
    assert main_branch.key(replace(board, version="9.9"), place, "dev", "p") != old


def test_no_format_echoes_the_input() -> None:  # row 54: nothing to compare, so nothing to shift
    for name in boards.known_boards(boards.boards_folder()):
        task = boards.load(name).task
        assert not {*task.prediction_columns} & {*task.input_columns}


# ---- what judging them costs ---------------------------------------------------------------

MOST_MEMORY = 100_000
"""KiB that judging takes beyond what the program takes."""


@pytest.mark.claim("Each hostile input that can be judged by itself takes less than a second.")
@pytest.mark.slow
@pytest.mark.parametrize("row", SENT)
def test_each_row_is_judged_in_less_than_a_second(row: int, tmp_path: Path) -> None:
    count = 0
    for judge, refused in specimens(row, ROWS[row], tmp_path / "predictions.dev.tsv"):
        faults = within(A_SECOND, judge)
        assert refused is None or refused == bool(faults)
        count += 1
    assert count


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_all_rows_are_judged_in_little_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.hostile_specimens", tmp_path / "predictions.dev.tsv"]
    ran = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    assert 10_000 < int(ran.stdout) < MOST_MEMORY


@pytest.mark.parametrize("name", [
    "row 13: two million private characters", "row 57: 65,536 lines with an error each"])
def test_of_a_hostile_file_little_is_printed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "predictions.dev.tsv"
    path.write_bytes(HOSTILE[name][0]())
    assert main(["check", str(path), "--board", "explagraphs-practice", "--split", "dev"]) == 2
    printed = "".join(capsys.readouterr())
    assert len(printed.splitlines()) <= MOST_SHOWN + 20
    assert_fit_for_a_log(printed)


# ---- properties of the readers -------------------------------------------------------------

lines_of_metadata = st.lists(st.sampled_from([
    *GOOD.splitlines(), "links: [{title: a, url: 'javascript:x'}]", "models: [a, b]", "team: [x]",
    "nonsense: [[]]", "links: []", "links: [{title: a, url: b}]", "models: x", "seeds: {a: b}",
    "saw_dev_gold: on", "verified: true", "training_data: ''", "system: '\u202e'", "a: &x b", "\tb",
    "- c", "description: |\n  <script>", "",
    *(f"k{number}: v" for number in range(30)),
]), max_size=90).map(lambda lines: "\n".join(lines).encode())


@thorough(200)
@given(hostile_bytes | lines_of_metadata)
def test_any_metadata_give_a_report_of_fifty_at_most_and_the_same_twice(content: bytes) -> None:
    made, problems = schema.load(Meta, content, "m")
    printed = report(problems, len(problems))
    assert len(printed.split("\n")) <= MOST_SHOWN + 1
    assert_fit_for_a_log(printed)
    assert (made is None) == bool(problems)
    assert schema.load(Meta, content, "m") == (made, problems)
    for problem in problems:
        assert_inside(problem, content.removeprefix(b"\xef\xbb\xbf"))
