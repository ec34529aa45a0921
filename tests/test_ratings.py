"""People's ratings of gold answers: from the source's own file to numbers beside the gold."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from scorer.boards.golds import read_golds
from scorer.boards.item_files import read_ratings
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from tests.test_board_import import GRAPH, RECIPE, board, lines

RECORDS = (
    {"id": 7, "fact": "The ground is wet.", "right": 1, "why": [
        {"mean": 2.5, "said": [2, 3], "edges": [["rain", "Causes", "wet ground"]]},
        {"mean": 4, "said": [5, 3, 4], "edges": [["rain", "Falls On", "ground"]]}]},
    {"id": 8, "fact": "The lamp glows.", "right": 0, "why": [
        {"mean": 1, "said": [1], "edges": [["current", "Heats", "wire"]]}]},
)
COLUMN = {"name": "ratings", "each": "why", "highest_first": "mean", "field": "said",
          "form": "listing"}
RATINGS = {"to": "dev-ratings.tsv", "source": {"file": "facts.jsonl", "format": "jsonl"},
           "columns": [COLUMN]}


def rated_board(folder: Path, records: Any = RECORDS, **changed: Any) -> tuple[Any, list[str]]:
    """A board with ratings, and the command that fetches its files."""
    content = lines(records)
    (folder / "facts.jsonl").write_bytes(content)
    gold = ("The ground is wet.\tyes\t(rain; falls on; ground)\t(rain; causes; wet ground)\n"
            "The lamp glows.\tno\t(current; heats; wire)\n")
    recipe = RECIPE | {"columns": [*RECIPE["columns"][:2], GRAPH]}
    told = board(folder, content, **{"splits": {"dev": {
        "file": "dev.tsv", "rows": 2, "gold": "public", "golds": 3,
        "sha256": hashlib.sha256(gold.encode()).hexdigest(),
        "ratings": {"file": "dev-ratings.tsv", "lowest": 1, "highest": 5}}},
        "import": [recipe, RATINGS], **changed})
    return told, ["data", "fetch", "facts", "--boards", str(folder / "boards"), "--from",
                  str(folder), "--home", str(folder / "home")]


def test_ratings_come_in_the_order_of_the_gold_answers(tmp_path: Path) -> None:
    told, run = rated_board(tmp_path)
    assert main(run) == 0
    path = told.ratings_file("dev", tmp_path / "home")
    assert path.read_text("utf-8") == "5 | 3 | 4\t2 | 3\n1\n"
    golds = read_golds(told, "dev", told.data_file("dev", tmp_path / "home")).items
    counts = list(map(told.task.gold_count, golds))
    assert read_ratings(told, "dev", path, counts) == (((5, 3, 4), (2, 3)), ((1,),))


@pytest.mark.parametrize(("content", "said"), [
    ("5 | 6\t1\n1\n", "ratings.tsv:1:1 TSV-RATINGS '5 | 6'; expected numbers from 1 to 5 with | "
                      "between, or -"),
    ("5\tnan\n1\n", "ratings.tsv:1:3 TSV-RATINGS 'nan'; expected numbers"),
    ("5\t4\n1\t2\n", "ratings.tsv:2:1 TSV-RATINGS 2 columns; expected 1, one a gold answer"),
    ("5\t4\n", "ratings.tsv:1:1 TSV-RATINGS 1 row; expected 2, one an item"),
    ("5\t\n1\n", "ratings.tsv:1:3 TSV-RATINGS ''; expected numbers"),
])
def test_ratings_that_do_not_fit_the_gold_are_told_with_their_place(
    tmp_path: Path, content: str, said: str
) -> None:
    told, _ = rated_board(tmp_path)
    path = tmp_path / "ratings.tsv"
    path.write_text(content, "utf-8")
    with pytest.raises(DataError) as found:
        read_ratings(told, "dev", path, [2, 1])
    assert said in str(found.value)


def test_an_answer_that_nobody_rated_has_no_ratings(tmp_path: Path) -> None:
    told, _ = rated_board(tmp_path)
    path = tmp_path / "ratings.tsv"
    path.write_text("-\t4\n1|2.5\n", "utf-8")
    assert read_ratings(told, "dev", path, [2, 1]) == (((), (4,)), ((1, 2.5),))


def test_fetching_refuses_ratings_out_of_their_range(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = json.loads(json.dumps(RECORDS))
    odd[1]["why"][0]["said"] = [0]
    _, run = rated_board(tmp_path, odd)
    assert main(run) == 3
    assert "dev-ratings.tsv:2:1 TSV-RATINGS '0'; expected numbers" in capsys.readouterr().err


def test_an_import_to_a_file_that_nothing_names_is_refused(tmp_path: Path) -> None:
    other = RATINGS | {"to": "other.tsv"}
    with pytest.raises(SubmissionError, match=r"an import to other\.tsv; expected the file of a "
                                              "split, of its ratings or its answers"):
        rated_board(tmp_path, **{"import": [RECIPE, other]})
