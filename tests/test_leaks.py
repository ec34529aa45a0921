"""Leaks: rows of a split of which a text or a gold answer is in an earlier one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.scoring.gold_report import SplitAtHand
from scorer.tasks.gold_quality import leaks
from scorer.tasks.graphs.graph_items import Gold
from tests import case_files

BOARD = "graph-stance-practice"
CASES: dict[str, dict[str, Any]] = case_files.read("leaks.yaml")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_split_shares_with_those_before_it_what_its_case_says(case: dict[str, Any]) -> None:
    task = boards.load(case["board"]).task
    n = len(task.input_columns)
    splits = [SplitAtHand(name, Path(), [tuple(row[:n]) for row in rows],
                         [Gold(tuple(row[:n]), "support", (Graph(row[n]),)) for row in rows
                          if len(row) > n]) for name, rows in case["splits"].items()]
    assert {f"{one.earlier} to {one.later}": [one.items, one.shared, one.any]
            for one in leaks(task, splits)} == case["leaks"]


def test_the_command_prints_every_pair_of_splits_and_any_two_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "leaks", BOARD]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        f"{BOARD}: 40 rows of dev, also in train: belief 0 (0.0 %), argument 0 (0.0 %), "
        "graph 0 (0.0 %), any of these 0 (0.0 %)")
    dev = (boards.boards_folder() / BOARD / "data" / "dev.tsv").read_text("utf-8").splitlines()
    files = tmp_path / "train.tsv", tmp_path / "test.tsv"
    files[0].write_text("".join(f"{line}\n" for line in dev[:10]), "utf-8")
    files[1].write_text("".join(f"{line}\n" for line in dev[8:12]), "utf-8")
    given = ["data", "leaks", BOARD, "--train", str(files[0]), "--test", str(files[1])]
    assert main(given) == 0
    line = capsys.readouterr().out
    assert line.startswith(f"{BOARD}: 4 rows of test.tsv, also in train.tsv: ")
    assert "graph 2 (50.0 %)" in line


@pytest.mark.parametrize(("given", "code", "message"), [
    (["anlg-practice"], 3, "1 split at hand, but a leak is between two"),
    ([BOARD, "--train", "a.tsv"], 2, "name both files, with --train and --test, or none"),
    ([BOARD, "--train", "a.tsv", "--test", "b.tsv"], 3, "a.tsv: cannot be read"),
])
def test_what_cannot_be_compared_is_refused(
    given: list[str], code: int, message: str, fails: Callable[..., None]
) -> None:
    fails(code, message, "data", "leaks", *given)
