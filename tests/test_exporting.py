"""A board's data for other tools: each file is read back by the tool that it is made for."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer import boards
from scorer.boards import Board, exporting
from scorer.cli import main
from scorer.core.errors import UsageError

Printed = pytest.CaptureFixture[str]
PRACTICE = ("explagraphs-practice", "anli-practice", "anlg-practice")
needs_pyarrow = pytest.mark.skipif(not exporting.has_parquet(), reason="pyarrow is not installed")


def rows_of(board: str, split: str) -> list[list[str]]:
    """A gold file as it lies there, read by nothing of ours."""
    text = (boards.boards_folder() / board / "data" / f"{split}.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()]


def copy_of(board: str, folder: Path, *changes: tuple[str, str]) -> Board:
    """A board with other words in its board.yaml."""
    there = folder / board
    shutil.copytree(boards.boards_folder() / board, there)
    text = (there / "board.yaml").read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (there / "board.yaml").write_text(text, "utf-8")
    return boards.load(there)


def export(tmp_path: Path, board: str = "explagraphs-practice", *more: str) -> Path:
    assert main(["export", "hub", "--board", board, "--out", str(tmp_path / "out"), *more]) == 0
    return tmp_path / "out"


# ---- what may leave --------------------------------------------------------------------------


@pytest.mark.claim("No export holds items that may not be shown, nor gold that is not public.")
@pytest.mark.parametrize("board", ["explagraphs", "anli", "anlg"])
def test_data_that_are_not_ours_never_leave(board: str, tmp_path: Path, capsys: Printed) -> None:
    assert main(["export", "hub", "--board", board, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert f"no data of board {board} may be given away. train: " in said or board == "anlg"
    assert "each user brings it" in said or "no item may be shown" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("old", "new", "reason"), [
    ("practice: yes", "practice: yes\nexamples: private", "no item may be shown"),
    ('licence: "CC0 1.0: do with it what you like."', 'licence: "To fill in: which one."',
     "the licence in board.yaml is still to be filled in"),
])
def test_private_and_unlicensed_items_stay(old: str, new: str, reason: str, tmp_path: Path) -> None:
    board = copy_of("anli-practice", tmp_path, (old, new))
    assert exporting.items_of(board) == ()
    assert reason in exporting.why_not(board, "dev")
    with pytest.raises(UsageError, match=reason):
        exporting.dataset_files(board)


def test_gold_that_is_not_public_is_null_even_if_the_file_has_it(tmp_path: Path) -> None:
    line = ("  test: {file: test.tsv, rows: 24, gold: public, sha256: "
            "f19d0aaee5383f65052c6c5777364222ba21df82bba2c8d22d057d9fe2831e53, golds: 2}")
    board = copy_of("explagraphs-practice", tmp_path,
                    (line, "  test: {file: test.tsv, rows: 24, gold: hidden}"))
    *_, test = exporting.items_of(board)
    assert (test.split, test.gold, test.sha256, len(test.rows)) == ("test", False, "", 24)
    assert test.columns == ("belief", "argument", "stance", "graph")
    assert {row[2:] for row in test.rows} == {(None, None)}
    inputs = [tuple(row[:2]) for row in rows_of("explagraphs-practice", "test")]
    assert [row[:2] for row in test.rows] == inputs
    told = yaml.safe_load(exporting.eval_yaml(board, exporting.items_of(board)))["tasks"]
    assert {"id": "test-stca", "config": "default", "split": "test"} in told  # a row may name it


def test_accepted_errata_change_what_leaves(tmp_path: Path) -> None:
    board = copy_of("anli-practice", tmp_path, ('version: "1.0"', 'version: "1.1"'))
    was = rows_of("anli-practice", "dev")[4][-1]
    now = "1" if was == "2" else "2"
    (board.folder / "errata").mkdir()
    (board.folder / "errata" / "0001.yaml").write_text(
        f'schema: 1\nsplit: dev\nrow: 5\nfound: wrong\ndecision: accepted\nreason: seen\n'
        f'since: "1.1"\nchange: {{label: "{now}"}}\n', "utf-8")
    _, dev = exporting.items_of(board)
    assert dev.rows[4][-1] == now
    assert dev.sha256 != exporting.items_of(boards.load("anli-practice"))[1].sha256


# ---- Parquet ---------------------------------------------------------------------------------


@needs_pyarrow
def test_all_splits_have_one_typed_schema_and_equal_input_gives_equal_bytes() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    board = boards.load("explagraphs-practice")
    once, again = (exporting.parquet_files(board, exporting.items_of(board)) for _ in range(2))
    assert once == again
    schemas = [pq.read_schema(io.BytesIO(content)) for content in once.values()]
    assert all(schema.equals(schemas[0]) for schema in schemas)
    assert schemas[0].field("row") == pa.field("row", pa.int32(), nullable=False)
    assert schemas[0].field("graph") == pa.field("graph", pa.string(), nullable=False)
    assert schemas[0].field("second graph") == pa.field("second graph", pa.string())
    told = json.loads(schemas[1].metadata[b"whyboard"])
    assert told == {"board": board.id, "version": "1.0", "split": "dev",
                    "gold": board.splits["dev"].sha256}


def test_without_pyarrow_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Printed
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    out = str(tmp_path / "out")
    assert main(["export", "hub", "--board", "anli-practice", "--out", out]) == 3
    assert "pip install 'whyboard[parquet]'" in capsys.readouterr().err


# ---- Croissant -------------------------------------------------------------------------------


@needs_pyarrow
@pytest.mark.claim("The Croissant metadata of a public board pass mlcroissant's validation, and "
                   "its records are the board's.")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PRACTICE)
def test_mlcroissant_validates_the_metadata_and_reads_our_rows(name: str, tmp_path: Path) -> None:
    mlc = pytest.importorskip("mlcroissant")

    document = export(tmp_path, name) / "croissant.json"
    dataset = mlc.Dataset(str(document))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    for split in boards.load(name).splits:
        found = [[value.decode() if isinstance(value, bytes) else value
                  for value in record.values() if value is not None]
                 for record in dataset.records(split)]
        assert found == [[number, *row] for number, row in enumerate(rows_of(name, split), 1)]


# ---- the Hub ---------------------------------------------------------------------------------

@pytest.mark.parametrize("name", PRACTICE)
def test_eval_yaml_names_the_task_of_every_metric_once(name: str) -> None:
    """As docs/hub/eval-results.md of github huggingface/hub-docs (commit 064c754) asks."""
    board = boards.load(name)
    found = yaml.safe_load(exporting.eval_yaml(board, exporting.items_of(board)))
    tasks = found.pop("tasks")
    assert {*found} == {"name", "description", "evaluation_framework"}
    assert all({*map(type, one.values())} == {str} for one in (found, *tasks))
    assert all({*one} == {"id", "config", "split"} for one in tasks)
    named = [one["id"] for one in tasks]
    assert len({*named}) == len(named)
    assert {*named} == {exporting.task_id(split, metric)
                        for split in board.splits for metric in board.metrics}


@needs_pyarrow
@pytest.mark.filterwarnings("ignore")
def test_the_folder_loads_as_the_hub_loads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    loaded = datasets.load_dataset(str(export(tmp_path)), cache_dir=str(tmp_path / "cache"))
    assert {split: data.num_rows for split, data in loaded.items()} == {
        "train": 24, "dev": 40, "test": 24}
    assert loaded["dev"][0]["graph"] == rows_of("explagraphs-practice", "dev")[0][3]
    assert loaded["dev"][0]["second graph"] is None


@needs_pyarrow
def test_the_card_begins_with_what_programs_read_and_escapes_the_rest(tmp_path: Path) -> None:
    board = copy_of("anli-practice", tmp_path, ("title: aNLI practice", 'title: "a <b> [c](d) *e"'))
    text = exporting.card(board, exporting.items_of(board)).decode()
    head: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    assert head["license"] == "cc0-1.0"
    assert head["configs"][0]["data_files"][1] == {"split": "dev", "path": "data/dev.parquet"}
    assert "# a \\<b\\> \\[c\\](d) \\*e\n" in text


def test_a_licence_is_named_only_where_the_words_are_plain() -> None:
    for text, known in (("CC0 1.0: do with it what you like.", "cc0-1.0"), ("MIT", "mit"),
                        ("CC BY-SA 4.0.", "cc-by-sa-4.0"), ("Not MIT", "other"),
                        ("MIT licence in one place, CC BY-SA 4.0 elsewhere.", "other"),
                        ("MIT-like", "other"), ("CC BY 4.0 with conditions", "other")):
        assert exporting.licence(text).id == known


@needs_pyarrow
def test_an_export_overwrites_itself_and_nothing_else(tmp_path: Path, capsys: Printed) -> None:
    def refused(name: str) -> bool:
        assert main(["export", "hub", "--board", "explagraphs-practice", "--out", str(out)]) == 2
        return f"holds {name!r}, which is no part of an export" in capsys.readouterr().err

    out = export(tmp_path)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert export(tmp_path) == out
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    (out / "notes.txt").write_text("mine", "utf-8")
    assert refused("notes.txt")
    (out / "notes.txt").unlink()
    (out / "data").rename(tmp_path / "elsewhere")
    (out / "data").symlink_to(tmp_path / "elsewhere")
    assert refused("data")
