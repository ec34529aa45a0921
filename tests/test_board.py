"""board.yaml: what a board may say, what contradicts itself, and gold that is not what it says."""

import shutil
from pathlib import Path

import pytest

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.core.errors import DataError, SubmissionError, UsageError
from scorer.core.files import sha256
from tests.fuzz_helpers import assert_fit_for_a_log

PRACTICE = boards.boards_folder() / "explagraphs-practice"
LINES = (PRACTICE / boards.FILE_NAME).read_text("utf-8")


def board_of(tmp_path: Path, *changes: tuple[str, str], more: str = "") -> boards.Board:
    """The practice board with some text of its board.yaml changed."""
    folder = tmp_path / "explagraphs-practice"
    shutil.copytree(PRACTICE, folder, dirs_exist_ok=True)
    text = LINES
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / boards.FILE_NAME).write_text(text + more, "utf-8")
    return boards.load(folder)


def refusal(tmp_path: Path, *changes: tuple[str, str], more: str = "") -> str:
    """What is said about a changed board, without the file's path."""
    with pytest.raises(SubmissionError) as raised:
        board_of(tmp_path, *changes, more=more)
    assert_fit_for_a_log(str(raised.value))
    return str(raised.value).replace(str(tmp_path / "explagraphs-practice" / "board.yaml"), "")


def test_the_boards_that_come_with_the_program_are_fine() -> None:
    tasks = {"anlg": "anlg", "anlg-practice": "anlg", "anli": "anli", "anli-practice": "anli",
             "copa-sse": "explanation_graphs", "e-care": "explained_choices",
             "entailment-bank": "explanation_graphs",
             "explagraphs": "explanation_graphs", "explagraphs-practice": "explanation_graphs",
             "explained-practice": "explained_choices",
             "graph-stance-practice": "graph_labels", "graphqa-explagraphs": "graph_labels",
             "graphqa-explagraphs-random": "graph_labels", "r4c": "explanation_graphs"}
    assert boards.known_boards(boards.boards_folder()) == list(tasks)
    for name in boards.known_boards(boards.boards_folder()):
        board = boards.load(name)
        assert board.id == name
        assert board.ranking
        assert board.task.name == tasks[name]


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


WRONG = {
    "an id that is not the folder": (
        ("id: explagraphs-practice", "id: other"),
        ":1:1 META-VALUE id other; expected the folder's name explagraphs-practice; "
        "rename one of them"),
    "an unknown task": (
        ("task: explanation_graphs", "task: poetry"),
        ":5:7 META-VALUE no known task; expected task: one of explanation_graphs, anli, anlg, "
        "graph_labels, explained_choices; name the task"),
    "an unknown metric": (
        ("  - G-BLEU\n", "  - B-GLEU\n"),
        "META-VALUE metrics: 'B-GLEU'; expected one of: accuracy, BERTScore,"),
    "a ranking by a metric that the board has not": (
        ("ranking: [StCA]", "ranking: [SeCA]"),
        ":1:1 META-VALUE ranking metric SeCA; expected one of the board's metrics; "
        "add it to metrics"),
    "a label accuracy without labels": (
        ("  labels: {name: stance, values: [support, counter]}\n", ""),
        ":1:1 META-VALUE metric SA; expected labels in settings; add labels or remove SA"),
    "a negated relation that is no relation": (
        ("    negated:\n", "    negated:\n      - not knows\n"),
        ":1:1 META-VALUE negated relation 'not knows'; expected one of the relations; "
        "add it to relations"),
    "two columns of one name": (
        ("name: stance", "name: belief"),
        ":1:1 META-VALUE two columns belief; expected columns of different names; "
        "rename one of them"),
    "public gold without a file": (
        ("train: {file: train.tsv, rows: 24", "train: {rows: 24"),
        ":1:1 META-VALUE split train with public gold and no file; expected a file; "
        "name its file"),
    "a split of another name": (
        ("  train: {file", "  trial: {file"),
        "META-VALUE splits: 'trial'; expected train, dev or test; mend the value"),
    "a path that leaves the folder": (
        ("train: {file: train.tsv", "train: {file: ../train.tsv"),
        "META-VALUE splits: 'train': file: '../train.tsv'; expected a relative path without ..; "
        "mend the value"),
    "no rows": (
        ("rows: 40", "rows: 0"),
        "META-VALUE splits: 'dev': rows: '0'; expected a whole number from 1 to 1000000; "
        "write a whole number"),
    "another schema": (
        ("schema: 1", "schema: 2"),
        ":2:9 META-VALUE schema: '2'; expected a whole number from 1 to 1; write a whole number"),
    "an anchor": (
        ("schema: 1", "schema: &one 1"),
        ":2:9 META-YAML an anchor (&name); expected one plain YAML document; "
        "use plain keys, strings and lists"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_board_is_told_where_and_what(name: str, tmp_path: Path) -> None:
    change, words = WRONG[name]
    assert words in refusal(tmp_path, change)


def test_no_board_has_the_name_of_the_folder_of_owners(tmp_path: Path) -> None:
    message = refusal(tmp_path, ("id: explagraphs-practice", "id: teams"))
    assert "id teams; expected a board's name; that folder holds the owners of teams" in message


def test_every_fault_of_a_board_is_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, ("rows: 40", "rows: 0"), ("schema: 1", "schema: x"),
                   ("practice: yes", "practice: perhaps"), ("least_edges", "fewest_edges"))
    assert [line.partition(" ")[2].partition(";")[0] for line in said.split("\n")[:-1]] == [
        "META-VALUE schema: 'x'", "META-VALUE practice: 'perhaps'",
        "META-VALUE splits: 'dev': rows: '0'", "META-FIELD settings: graph: no field 'least_edges'",
        "META-FIELD settings: graph: unknown field 'fewest_edges'",
    ]
    assert said.endswith("\n5 errors")


def test_an_unknown_board_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no board 'explagraph'; choose one of: anlg, .*, "
                                         r"explagraphs-practice, .*, or give the path"):
        boards.load("explagraph")
    with pytest.raises(UsageError, match="choose one of: none"):
        boards.load("x", tmp_path)
    with pytest.raises(UsageError) as raised:
        boards.load("\x1b[31m\n::error::x")
    assert_fit_for_a_log(str(raised.value))


def test_an_unknown_split_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="has no split 'val'; choose one of: train, dev, test"):
        boards.load("explagraphs").split("val")


def test_a_task_names_its_board_that_is_not_for_practice() -> None:
    assert boards.for_task("explanation_graphs") == "explagraphs"
    assert boards.for_task("explagraphs-practice") == "explagraphs-practice"


# ---- gold ----------------------------------------------------------------------------------


def test_gold_is_the_file_that_the_board_names(tmp_path: Path) -> None:
    board = board_of(tmp_path)
    path = board.data_file("dev", tmp_path)
    assert path is not None
    gold = read_golds(board, "dev", path)
    assert (len(gold.items), gold.sha256) == (40, sha256(path.read_bytes()))
    path.write_bytes(path.read_bytes() + b"b\ta\tsupport\t(a; is a; b)\n")
    with pytest.raises(DataError, match=r"SHA-256 is \w+, board explagraphs-practice names ffbf"):
        read_golds(board, "dev", path)


DIGEST = "ffbfef41b72faf276a9ba06bbdcac32b3df66b33aedfa8db005df77e0878b258"


@pytest.mark.parametrize(("change", "rows", "words"), [
    ((f", sha256: {DIGEST}", ""), "b\ta\tsupport\t(a; is a; b)\n",
     r"1 row, board explagraphs-practice names 40$"),
    (("", ""), "b\ta\tyes\t(a; is a; b)\n" * 70 + "b\ta\tsupport\t(a; b)\t(x)\n",
     r"gold of explagraphs-practice dev:\n(.*\n)*72 errors, the first 50 shown$"),
    (("", ""), "b\ta\tsupport\t(a; is a; b)\t(a; b)(c)\n",
     r"gold\.tsv:1:26 TSV-GOLD a gold edge of 2 parts; expected \(concept; relation; concept\)"),
], ids=["another length", "more faults than are shown", "an edge of two parts"])
def test_gold_with_faults_is_told_with_all_of_them_counted(
    change: tuple[str, str], rows: str, words: str, tmp_path: Path
) -> None:
    board = board_of(tmp_path, *([change] if change[0] else []))
    path = tmp_path / "gold.tsv"
    path.write_text(rows)
    with pytest.raises(DataError, match=words) as raised:
        read_golds(board, "dev", path)
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
