"""board.yaml: what a board may say, what contradicts itself, and gold that is not what it says."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.core.errors import DataError, SubmissionError, UsageError
from scorer.core.files import sha256
from tests import case_files
from tests.fuzz_helpers import assert_fit_for_a_log

PRACTICE = boards.boards_folder() / "explagraphs-practice"
LINES = (PRACTICE / boards.FILE_NAME).read_text("utf-8")
WRONG: dict[str, tuple[str, str, str]] = case_files.read("wrong_boards.yaml")


def board_of(tmp_path: Path, *changes: tuple[str, str]) -> boards.Board:
    """The practice board with some text of its board.yaml changed."""
    folder = tmp_path / "explagraphs-practice"
    shutil.copytree(PRACTICE, folder, dirs_exist_ok=True)
    text = LINES
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / boards.FILE_NAME).write_text(text, "utf-8")
    return boards.load(folder)


def refusal(tmp_path: Path, *changes: tuple[str, str]) -> list[str]:
    """What is said about a changed board, without the file's path."""
    with pytest.raises(SubmissionError) as raised:
        board_of(tmp_path, *changes)
    assert_fit_for_a_log(str(raised.value))
    return [str(problem).partition("board.yaml:")[2] for problem in raised.value.problems]


def wrong(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """What is said of each of the wrong boards."""
    for number, (name, (old, new, _)) in enumerate(WRONG.items()):
        yield name, refusal(tmp_path / str(number), (old, new))


def test_the_constants_of_the_paper_stand_in_the_board_and_nowhere_else() -> None:
    settings = boards.load("explagraphs").settings
    assert len(settings.graph.relations) == 28
    assert (settings.graph.least_edges, settings.graph.most_edges) == (3, None)
    assert (settings.graph.strict_most_edges, settings.graph.concept_words) == (8, 3)
    assert settings.ged_constant == 17
    assert settings.graph == boards.load("explagraphs-practice").settings.graph


def test_relations_are_those_of_the_official_list(data: Path) -> None:
    official = (data / "explagraphs" / "relations.txt").read_text("utf-8-sig").split("\n")
    assert {line.strip() for line in official if line.strip()} == set(
        boards.load("explagraphs").settings.graph.relations
    )


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_board_is_told_by_its_rule(name: str, tmp_path: Path) -> None:
    old, new, rule = WRONG[name]
    assert {said.split(" ")[1] for said in refusal(tmp_path, (old, new))} == {rule}


def test_every_fault_of_a_board_is_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, ("rows: 40", "rows: 0"), ("schema: 1", "schema: x"),
                   ("practice: yes", "practice: perhaps"), ("least_edges", "fewest_edges"))
    assert [line.partition(" ")[2].partition(";")[0] for line in said] == [
        "META-VALUE schema: 'x'", "META-VALUE practice: 'perhaps'",
        "META-VALUE splits: 'dev': rows: '0'", "META-FIELD settings: graph: no field 'least_edges'",
        "META-FIELD settings: graph: unknown field 'fewest_edges'",
    ]


def test_an_unknown_board_of_an_empty_folder_is_told_that_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of: none"):
        boards.load("x", tmp_path)


def test_a_task_names_its_board_that_is_not_for_practice() -> None:
    assert boards.for_task("explanation_graphs") == "explagraphs"
    assert boards.for_task("explagraphs-practice") == "explagraphs-practice"


def test_gold_is_the_file_that_the_board_names(tmp_path: Path) -> None:
    board = board_of(tmp_path)
    path = board.data_file("dev", tmp_path)
    assert path is not None
    gold = read_golds(board, "dev", path)
    assert (len(gold.items), gold.sha256) == (40, sha256(path.read_bytes()))
    path.write_bytes(path.read_bytes() + b"b\ta\tsupport\t(a; is a; b)\n")
    with pytest.raises(DataError, match=r"SHA-256 is \w+, board explagraphs-practice names ffbf"):
        read_golds(board, "dev", path)


@pytest.mark.parametrize(("rows", "words"), [
    ("b\ta\tsupport\t(a; is a; b)\n", r"1 row, board explagraphs-practice names 40$"),
    ("b\ta\tyes\t(a; is a; b)\n" * 70 + "b\ta\tsupport\t(a; b)\t(x)\n",
     r"gold of explagraphs-practice dev:\n(.*\n)*72 errors, the first 50 shown$"),
    ("b\ta\tsupport\t(a; is a; b)\t(a; b)(c)\n",
     r"gold\.tsv:1:26 TSV-GOLD a gold edge of 2 parts; expected \(concept; relation; concept\)"),
], ids=["another length", "more faults than are shown", "an edge of two parts"])
def test_faults_of_gold_are_told_and_all_counted(rows: str, words: str, tmp_path: Path) -> None:
    digest = sha256((PRACTICE / "data" / "dev.tsv").read_bytes())
    board = board_of(tmp_path, (f", sha256: {digest}", ""))
    (tmp_path / "gold.tsv").write_text(rows)
    with pytest.raises(DataError, match=words) as raised:
        read_golds(board, "dev", tmp_path / "gold.tsv")
    assert_fit_for_a_log(str(raised.value))


def test_data_beside_the_board_come_before_fetched_ones(tmp_path: Path) -> None:
    board = board_of(tmp_path)
    assert board.data_file("dev", tmp_path) == board.folder / "data" / "dev.tsv"
    official = boards.load("explagraphs")
    assert official.data_file("dev", tmp_path) is None
    place = tmp_path / "data" / "explagraphs" / "dev.tsv"
    place.parent.mkdir(parents=True)
    place.touch()
    assert official.data_file("dev", tmp_path) == place
