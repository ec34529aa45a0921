"""``scorer board new``: a board from data, whole or not at all, that reads at once."""

from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
import yaml

from scorer import boards
from scorer.boards import Board
from scorer.boards.reading import PLACEHOLDER, open_fields
from scorer.cli import main
from scorer.core.errors import SubmissionError, UsageError
from scorer.core.files import sha256_file
from scorer.core.reading import schema
from scorer.pipeline.adopting.board import new, write

Printed = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parent.parent
PRACTICE = ROOT / "boards" / "explagraphs-practice" / "data"
LIKE = boards.load("explagraphs", ROOT / "boards")
TEXTS = ("cats are good pets", "cats purr at home")
GRAPH = "(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"


def data(folder: Path, **files: Sequence[Sequence[str]]) -> Path:
    """A folder with a file of rows for each split named."""
    folder.mkdir(exist_ok=True)
    for split, rows in files.items():
        text = "".join("\t".join(row) + "\n" for row in rows)
        (folder / f"{split}.tsv").write_text(text, "utf-8")
    return folder


def made(tmp_path: Path, rows: Sequence[Sequence[str]], like: Board = LIKE) -> Board:
    """The board of a dev split of these rows, written and read again."""
    board = new("mine", like, data(tmp_path / "data", dev=rows))
    return boards.load(write(board, tmp_path / "boards"))


def run(*words: object) -> int:
    return main([str(word) for word in words])


def test_a_new_board_passes_its_check_at_once(tmp_path: Path, capsys: Printed) -> None:
    folder = tmp_path / "boards"
    assert run("board", "new", "mine", "--like", "explagraphs", "--data", PRACTICE,
               "--boards", folder) == 0
    assert run("board", "check", "mine", "--boards", folder) == 0
    said = capsys.readouterr().out
    for line in ("labels support, counter", "28 relations, all known", "train: 24 items",
                 "dev: 40 items", "test: 24 items, up to two golds an item",
                 "mine dev: 40 items, gold reads", "mine: fine"):
        assert line in said
    for name in ("summary", "licence", "attribution", "citation"):
        assert f"note: {name} is still to be filled in" in said


def test_rows_are_those_of_the_files_and_rules_those_of_the_like_board(tmp_path: Path) -> None:
    board = boards.load(write(new("mine", LIKE, PRACTICE), tmp_path))
    assert {name: (split.rows, split.golds) for name, split in board.splits.items()} == {
        "train": (24, 1), "dev": (40, 1), "test": (24, 2)}
    for name, split in board.splits.items():
        assert split.sha256 == sha256_file(PRACTICE / f"{name}.tsv")
    assert board.settings == LIKE.settings
    assert board.metrics == LIKE.metrics
    assert (board.downloads, board.third_party, board.links) == ((), (), ())
    assert "Saha" not in (tmp_path / "mine" / "board.yaml").read_text("utf-8")


def test_labels_and_their_metrics_are_those_of_the_data(tmp_path: Path) -> None:
    plain = made(tmp_path, [(*TEXTS, GRAPH), (*TEXTS, GRAPH, GRAPH)])
    assert plain.settings.labels is None
    assert not {"SA", "SeCA", "EA"} & {*plain.metrics, *plain.ranking}
    assert (plain.ranking, plain.splits["dev"].golds) == (("StCA",), 2)
    rows = [(*TEXTS, "entailed", GRAPH), (*TEXTS, "refuted", GRAPH)]
    board = boards.load(write(new("second", plain, data(tmp_path / "more", dev=rows)), tmp_path))
    assert board.settings.labels.name == "label"
    assert board.settings.labels.values == ("entailed", "refuted")


def test_other_relations_replace_those_of_the_like_board(tmp_path: Path) -> None:
    graph = "(cats; is a; pets)(cats; does not eat; Grass)(grass; grows in; gardens)"
    board = made(tmp_path, [(*TEXTS, "support", graph)] * 2)
    rules = board.settings.graph
    assert rules.relations == ("does not eat", "grows in", "is a")
    assert rules.negated == ("does not eat",)
    assert board.settings.null.relation in rules.relations


def test_long_and_short_gold_graphs_move_the_limits_that_they_would_break(tmp_path: Path) -> None:
    chain = "".join(f"(c{i}; causes; c{i + 1})" for i in range(12))
    board = made(tmp_path, [(*TEXTS, "support", chain), (*TEXTS, "counter", "(cats; is a; pets)")])
    rules = board.settings.graph
    assert (rules.least_edges, rules.most_edges, rules.strict_most_edges) == (1, None, 12)
    assert board.settings.ged_constant == 12 + 13  # edges and nodes of the chain


def test_a_file_of_texts_alone_waits_for_hidden_gold(tmp_path: Path, capsys: Printed) -> None:
    folder = data(tmp_path / "data", dev=[(*TEXTS, "support", GRAPH)], test=[TEXTS] * 3)
    assert run("board", "new", "mine", "--data", folder, "--boards", tmp_path) == 0
    assert "test: 3 items, without gold: it waits for hidden gold" in capsys.readouterr().out
    split = boards.load(tmp_path / "mine").splits["test"]
    assert (split.gold, split.rows, split.gold_hmac) == ("hidden", 3, None)


def test_a_header_of_any_names_is_told_as_that_and_as_nothing_else(tmp_path: Path) -> None:
    for header in (("premise", "claim", "label", "graph"), ("belief", "argument"),
                   ("Belief", "Argument", "Label", "Explanation")):
        rows = [(*TEXTS, "support", GRAPH)[: len(header)]] * 3
        with pytest.raises(SubmissionError) as raised:
            new("mine", LIKE, data(tmp_path / "data", dev=[header, *rows]))
        [problem] = raised.value.problems
        assert (problem.line, problem.rule) == (1, "TSV-HEADER")
    assert made(tmp_path, [("cats", "pets", "support", "(cats; is a; pets)")] * 2), "short texts"


def test_faults_of_all_files_are_told_and_none_is_written(tmp_path: Path, capsys: Printed) -> None:
    good = (*TEXTS, "support", GRAPH)
    folder = data(tmp_path / "data", train=[good, (*TEXTS, "support", "(cats; is a)")],
                  dev=[good, ("one column",), good])
    assert run("board", "new", "Mine!", "--data", folder, "--boards", tmp_path / "boards") == 2
    said = capsys.readouterr().err
    assert "Mine!:1:1 META-SLUG the board's name; expected 1 to 40 of a-z, 0-9" in said
    assert f"{folder}/train.tsv:2:" in said
    assert "TSV-GOLD" in said
    assert f"{folder}/dev.tsv:2:1 TSV-COLUMNS 1 column; expected 4 or 5 columns" in said
    assert "3 errors" in said
    assert not (tmp_path / "boards").exists()


def test_settings_that_no_board_may_have_are_told_as_of_the_file_to_be(tmp_path: Path) -> None:
    graph = f"(cats; {'very ' * 20}like; pets)" + GRAPH
    board = new("mine", LIKE, data(tmp_path / "data", dev=[(*TEXTS, "support", graph)]))
    with pytest.raises(SubmissionError, match=r"boards/mine/board\.yaml:\d+:\d+ META-VALUE"):
        write(board, tmp_path / "boards")
    assert list((tmp_path / "boards").iterdir()) == []


def test_a_filled_in_field_is_no_placeholder_any_more(tmp_path: Path) -> None:
    place = write(new("mine", LIKE, PRACTICE), tmp_path)
    waiting = {name: number for number, name in open_fields(boards.load(place))}
    assert [*waiting] == ["summary", "licence", "attribution", "citation"]
    path = place / "board.yaml"
    lines = path.read_text("utf-8").split("\n")
    assert PLACEHOLDER in lines[waiting["licence"] - 1]
    lines[waiting["licence"] - 1] = "licence: CC0"
    path.write_text("\n".join(lines), "utf-8")
    assert [name for _, name in open_fields(boards.load(place))] == [
        "summary", "attribution", "citation"]
    with pytest.raises(UsageError, match="exists already; choose another name"):
        write(new("mine", LIKE, PRACTICE), tmp_path)


# ---- the writer ------------------------------------------------------------------------------


def test_a_new_board_fits_its_schema_as_any_reader_of_yaml_reads_it() -> None:
    document = yaml.safe_load(new("mine", LIKE, PRACTICE).text)
    fits = schema.schema_of(boards.declaration(LIKE.task), "board.yaml")
    jsonschema.validate(document, fits, cls=jsonschema.Draft202012Validator)


def test_without_train_rows_that_need_it_are_left_out(tmp_path: Path, capsys: Printed) -> None:
    made(tmp_path, [(*TEXTS, "support", GRAPH)] * 2)
    assert run("baseline", "majority-template", "gold", "--board", "mine", "--split", "dev",
               "--boards", tmp_path / "boards", "--out", tmp_path / "out") == 3
    assert "majority-template: no split of mine at hand" in capsys.readouterr().err
    assert [path.parent.name for path in (tmp_path / "out").rglob("submission.yaml")] == ["gold"]
