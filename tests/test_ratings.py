"""People's ratings of gold answers: from the source's own file to numbers beside the gold."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import Board
from scorer.boards.item_files import read_ratings
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import sha256
from tests.test_board_import import GRAPH, RECIPE, board, lines

RECORDS: tuple[dict[str, Any], ...] = (
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


def rated_board(folder: Path, records: Any = RECORDS, to: str = "dev-ratings.tsv",
                ) -> tuple[Board, list[str]]:
    """A board with ratings, and the command that fetches its files."""
    content = lines(records)
    (folder / "facts.jsonl").write_bytes(content)
    gold = ("The ground is wet.\tyes\t(rain; falls on; ground)\t(rain; causes; wet ground)\n"
            "The lamp glows.\tno\t(current; heats; wire)\n")
    made = board(folder, content, **{"splits": {"dev": {
        "file": "dev.tsv", "rows": 2, "gold": "public", "golds": 3, "sha256": sha256(gold.encode()),
        "ratings": {"file": "dev-ratings.tsv", "lowest": 1, "highest": 5}}},
        "import": [RECIPE | {"columns": [*RECIPE["columns"][:2], GRAPH]}, RATINGS | {"to": to}]})
    return made, ["data", "fetch", "facts", "--boards", str(folder / "boards"), "--from",
                  str(folder), "--home", str(folder / "home")]


def test_ratings_come_in_the_order_of_the_gold_answers(tmp_path: Path) -> None:
    rated, fetch = rated_board(tmp_path)
    assert main(fetch) == 0
    path = rated.ratings_file("dev", tmp_path / "home")
    assert path is not None
    assert path.read_text("utf-8") == "5 | 3 | 4\t2 | 3\n1\n"
    assert read_ratings(rated, "dev", path, [2, 1]) == (((5, 3, 4), (2, 3)), ((1,),))
    path.write_text("-\t4\n1|2.5\n", "utf-8")  # nobody rated the first answer
    assert read_ratings(rated, "dev", path, [2, 1]) == (((), (4,)), ((1, 2.5),))


@pytest.mark.parametrize(("content", "fault"), [
    ("5 | 6\t1\n1\n", "1:1 TSV-RATINGS '5 | 6'; expected numbers from 1 to 5 with | between, or -"),
    ("5\tnan\n1\n", "1:3 TSV-RATINGS 'nan'"), ("5\t\n1\n", "1:3 TSV-RATINGS ''"),
    ("5\t4\n1\t2\n", "2:1 TSV-RATINGS 2 columns; expected 1, one a gold answer"),
    ("5\t4\n", "1:1 TSV-RATINGS 1 row; expected 2, one an item")])
def test_ratings_that_do_not_fit_the_gold_are_told_with_their_place(
    tmp_path: Path, content: str, fault: str
) -> None:
    (tmp_path / "ratings.tsv").write_text(content, "utf-8")
    with pytest.raises(DataError, match=re.escape(f"ratings.tsv:{fault}")):
        read_ratings(rated_board(tmp_path)[0], "dev", tmp_path / "ratings.tsv", [2, 1])


def test_fetching_refuses_ratings_out_of_their_range(
    tmp_path: Path, fails: Callable[..., None]
) -> None:
    [answer] = RECORDS[1]["why"]
    _, fetch = rated_board(tmp_path, [RECORDS[0], RECORDS[1] | {"why": [answer | {"said": [0]}]}])
    fails(3, "dev-ratings.tsv:2:1 TSV-RATINGS '0'; expected numbers", *fetch)


def test_an_import_to_a_file_that_nothing_names_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"an import to other\.tsv; expected the file of a "
                                              "split, of its ratings or its answers"):
        rated_board(tmp_path, to="other.tsv")
