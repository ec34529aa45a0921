"""The commands that a row's page shows compute the row again, in a checkout of its own.

Which they are, ``cases/reproduce.yaml`` says.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.core.results import Result
from scorer.lab.systems import records
from scorer.scoring.results import files as results
from scorer.scoring.results.reproduce import AGAIN, SHIPPED, commands
from tests import case_files
from tests.ci_world import git
from tests.values import near

ROOT = Path(__file__).resolve().parent.parent
CASES: dict[str, dict[str, Any]] = case_files.read("reproduce.yaml")


def committed(row: str) -> Result:
    return results.read(ROOT / "results" / f"{row}.json")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_row_has_the_commands_of_its_case(case: dict[str, Any]) -> None:
    row = committed(case["row"]).replace(**case.get("as", {}))
    wanted = [*case["commands"]]
    if wanted:
        wanted[-1] += case.get("models", " --models fetch")
    assert [*commands(load(row.board), row)] == wanted


def test_where_gold_is_hidden_there_is_no_command_and_a_commit_comes_first() -> None:
    row, board = committed("explagraphs-practice/reference/null/dev"), load("explagraphs-practice")
    assert commands(board, row, "a" * 40)[0] == f"git switch --detach {'a' * 40}"
    splits = {**board.splits, "dev": replace(board.splits["dev"], gold="hidden")}
    assert commands(replace(board, splits=splits), row) == ()


def test_a_row_s_name_is_a_system_s_only_where_the_program_has_its_weights() -> None:
    assert {*SHIPPED} == {*records.FOLDERS}


def same_numbers(folder: Path, row: Result, metrics: Sequence[str]) -> bool:
    path = results.result_path(folder / AGAIN, row.board, row.team, row.system, row.split)
    again = results.read(path).metrics
    return all(near(again[name].to_json(), row.metrics[name].to_json(), 0, 1e-12)
               for name in metrics)


@pytest.mark.slow
@pytest.mark.claim("The commands shown on a row's page give its numbers again.")
def test_the_commands_of_a_reference_row_give_its_numbers_in_a_clone(tmp_path: Path) -> None:
    """A row without models' values, in a clone of the program with the board of the row."""
    for part in ("scorer", "boards/anli-practice"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=Start")
    row, commit = committed("anli-practice/reference/majority/dev"), git(
        tmp_path, "rev-parse", "HEAD")
    (tmp_path / "boards/anli-practice/data/dev.tsv").write_text("changed since\n")
    git(tmp_path, "commit", "--quiet", "--all", "--message=Later")
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("WHYBOARD", "PYTHONPATH"))}
    for line in commands(load("anli-practice"), row, commit):
        words = shlex.split(line)
        if words[0] == "scorer":
            words = [sys.executable, "-m", *words]
        ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=environment,
                             check=False)
        assert ran.returncode == 0, f"{line}\n{ran.stderr}"
    assert same_numbers(tmp_path, row, [*row.metrics])


@pytest.mark.slow
def test_the_commands_of_predictions_by_others_give_their_numbers(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the metrics that take no time; vectors have all of this row."""
    row = committed("explagraphs/third-party/max-margin/dev")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHYBOARD_HOME", raising=False)
    fetch, score = (shlex.split(line.removesuffix(" --models fetch"))
                    for line in commands(load("explagraphs"), row))
    assert main([*fetch[1:], "--from", str(data / "explagraphs")]) == 0
    assert main([*score[1:], "--models", "no", "--metrics", "SA,StCA,GED"]) == 0
    assert same_numbers(tmp_path, row, ["SA", "StCA", "GED"])
