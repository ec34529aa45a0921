"""``import:`` in board.yaml: a board's files made of its source's, in the run that fetches them.

Recipes and sources stand in ``cases/imports.yaml``, beside what is made of them or is wrong.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import read_golds
from scorer.boards.importing import rows_of
from scorer.boards.recipes import Recipe
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.core.reading import schema
from tests import case_files

Printed = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parent.parent
CASES = case_files.read("imports.yaml")
RECIPE, RECORDS = CASES["facts"], CASES["records"]
FAULTS = [*CASES["faults"], *(
    {"case": json.dumps(odd), "recipe": RECIPE, "at": [f"facts.jsonl: record 2: field '{field}'"],
     "files": {"facts.jsonl": [RECORDS[0], RECORDS[1] | odd]}} for odd, field in CASES["odd"])]


class Plain(yaml.SafeDumper):
    """Writes equal values out, each time: boards take no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def as_yaml(value: Any) -> str:
    return str(yaml.dump(value, Dumper=Plain, sort_keys=False))


def lines(records: Sequence[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def content_of(source: Any) -> bytes:
    """A file of a case."""
    return (source.encode("utf-8", "surrogateescape") if isinstance(source, str)
            else lines(source))


def as_tsv(rows: Sequence[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


GOLD = as_tsv(CASES["made"][0]["rows"])


def made(folder: Path, described: Mapping[str, Any], files: Mapping[str, Any]) -> str:
    """The file that a recipe makes of others."""
    for name, source in files.items():
        (folder / name).write_bytes(content_of(source))
    recipe, problems = schema.load(Recipe, as_yaml(described).encode(), "r.yaml")
    assert recipe is not None, problems
    return as_tsv([[text for text, _ in row] for row in rows_of(recipe, folder, folder)])


def faults(folder: Path, described: Mapping[str, Any], files: Mapping[str, Any]) -> list[str]:
    """What is wrong with the files that a recipe names."""
    with pytest.raises(DataError) as caught:
        made(folder, described, files)
    return str(caught.value).removeprefix("dev.tsv cannot be made:\n").split("\n")


def board(folder: Path, content: bytes, digest: str | None = None, **changed: Any) -> Board:
    """A board whose one split is made of a download, which lies in the folder."""
    place = folder / "boards" / "facts"
    place.mkdir(parents=True)
    (folder / "facts.jsonl").write_bytes(content)
    (place / "board.yaml").write_text(as_yaml({
        "schema": 1, "id": "facts", "version": "1.0", "task": "explanation_graphs",
        "title": "Facts", "summary": "Why?", "licence": "CC0", "attribution": "Ours.",
        "citation": "@misc{facts}", "metrics": ["SA", "G-ROUGE-2"], "ranking": ["SA"],
        "splits": {"dev": {"file": "dev.tsv", "rows": 2, "gold": "public", "golds": 3,
                           "sha256": digest or hashlib.sha256(GOLD.encode()).hexdigest()}},
        "settings": {
            "texts": [{"name": "fact", "concepts": 0}],
            "labels": {"name": "label", "values": ["yes", "no"]},
            "graph": {"relations": "any", "least_edges": 1, "acyclic": True, "connected": False},
            "ged_constant": 17, "null": {"relation": "is", "most": 4}, "most_graphs": 3},
        "downloads": [download("facts.jsonl", content)], "import": [RECIPE], **changed}))
    return boards.load(place)


def download(name: str, content: bytes, **more: Any) -> dict[str, Any]:
    return {"path": name, "url": "https://example.org/f", "title": "F",
            "sha256": hashlib.sha256(content).hexdigest(), **more}


def fetch(folder: Path, verb: str = "fetch") -> int:
    """Bring the board's data from the folder that it lies in."""
    return main(["data", verb, "facts", "--boards", str(folder / "boards"), "--from",
                 str(folder), "--home", str(folder / "home")])


def misfits(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Changes of the recipe that the board does not allow, and what is said of each."""
    for number, change in enumerate(CASES["misfits"]):
        with pytest.raises(SubmissionError) as caught:
            board(folder / str(number), b"", **{"import": [RECIPE | change]})
        yield json.dumps(change), [str(one).partition("board.yaml:")[2]
                                   for one in caught.value.problems]


@pytest.mark.claim("Graphs whose edges name nodes by ids are imported without a line of Python.")
@pytest.mark.parametrize("case", CASES["made"], ids=lambda case: case["case"])
def test_a_recipe_makes_these_rows_of_these_files(case: dict[str, Any], tmp_path: Path) -> None:
    assert made(tmp_path, case["recipe"], case["files"]) == as_tsv(case["rows"])


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case["case"])
def test_a_fault_of_a_source_has_its_record_and_field(case: dict[str, Any], tmp_path: Path) -> None:
    found = faults(tmp_path, case["recipe"], case["files"])
    assert [line[:len(at)] for line, at in zip(found, case["at"], strict=True)] == case["at"]


def test_only_so_many_faults_are_written_out(tmp_path: Path) -> None:
    found = faults(tmp_path, RECIPE, {"facts.jsonl": [{"fact": None}] * 30})
    assert (len(found), found[-1]) == (21, "and 10 more")


def test_fetching_makes_the_files_in_the_same_run(tmp_path: Path, capsys: Printed) -> None:
    described = board(tmp_path, lines(RECORDS))
    assert fetch(tmp_path) == 0
    path = tmp_path / "home" / "data" / "facts" / "dev.tsv"
    assert path.read_bytes() == GOLD.encode()
    assert "dev.tsv made, 2 rows" in capsys.readouterr().out
    assert [len(gold.graphs) for gold in read_golds(described, "dev", path).items] == [3, 1]
    path.unlink()
    assert fetch(tmp_path) == 0, "what is fetched already is made again"
    assert path.read_bytes() == GOLD.encode()


def test_a_made_split_of_another_digest_is_refused(tmp_path: Path, capsys: Printed) -> None:
    board(tmp_path, lines(RECORDS), digest="0" * 64)
    assert fetch(tmp_path) == 3
    assert "board facts names 000000" in capsys.readouterr().err


@pytest.mark.parametrize("optional", [True, False])
def test_a_folder_may_lack_optional_files(tmp_path: Path, capsys: Printed, optional: bool) -> None:
    content = lines(RECORDS)
    board(tmp_path, content, downloads=[
        download("facts.jsonl", content), download("more.jsonl", content, optional=optional)])
    assert fetch(tmp_path) == (0 if optional else 3)
    said = capsys.readouterr()
    assert "more.jsonl" in said.out if optional else (
        f"more.jsonl: not in {tmp_path}; expected a file of that path or name" in said.err)


def test_a_file_that_is_there_with_another_digest_makes_nothing(tmp_path: Path) -> None:
    content = lines(RECORDS)
    board(tmp_path, content, downloads=[
        download("facts.jsonl", content, optional=True), download("more.jsonl", content)])
    (tmp_path / "facts.jsonl").rename(tmp_path / "more.jsonl")
    home = tmp_path / "home" / "data" / "facts"
    home.mkdir(parents=True)
    (home / "facts.jsonl").write_bytes(lines(RECORDS[:1]))
    assert fetch(tmp_path) == 0
    assert not (home / "dev.tsv").exists()


@pytest.mark.parametrize(("packed", "damage", "message"), [
    (zipfile.ZIP_DEFLATED, b"", "dev.tsv made, 2 rows"),
    (zipfile.ZIP_DEFLATED, b"PK no zip", "facts.zip: cannot be read as a zip file"),
    (zipfile.ZIP_DEFLATED, b"\xff" * 8, "facts.zip: cannot be read as a zip file (Error -3"),
    (zipfile.ZIP_BZIP2, b"", "no file of facts is there"),
])
def test_a_file_is_taken_from_a_zip_file_that_unpacks_piece_by_piece(
    tmp_path: Path, capsys: Printed, packed: int, damage: bytes, message: str
) -> None:
    board(tmp_path, lines(RECORDS))
    (tmp_path / "facts.jsonl").unlink()
    (tmp_path / "a-folder.zip").mkdir()
    path = tmp_path / "facts.zip"
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("in/facts.jsonl", lines(RECORDS))
    content = path.read_bytes()
    start = content.index(b"facts.jsonl") + len("facts.jsonl")
    path.write_bytes(damage if damage.startswith(b"PK") else
                     content[:start] + damage + content[start + len(damage):])
    assert fetch(tmp_path, "import") == (0 if "made" in message else 3)
    assert message in "".join(capsys.readouterr())


def test_a_file_without_an_address_is_never_fetched(tmp_path: Path, capsys: Printed) -> None:
    content = lines(RECORDS)
    described = board(tmp_path, content, downloads=[
        {"path": "facts.jsonl", "title": "F", "sha256": hashlib.sha256(content).hexdigest()}])
    assert main(["data", "fetch", str(described.folder), "--home", str(tmp_path / "home")]) == 3
    assert "facts.jsonl: it is published nowhere; name a folder" in capsys.readouterr().err


def test_the_nodes_and_edges_of_the_handbook_make_the_graph_that_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs/board.md").read_text("utf-8")
    section = page.partition("### Nodes and edges\n")[2].partition("\n## ")[0]
    record, columns = (section.partition(f"```{language}\n")[2].partition("```")[0]
                       for language in ("json", "yaml"))
    expected = re.findall(r"This makes `(.*)`", section)
    assert made(tmp_path, RECIPE | yaml.safe_load(columns), {
        "facts.jsonl": [json.loads(record)]}) == f"Cats are good pets\t{expected[0]}\n"


@pytest.mark.claim("Gold that is wrong is reported at the record and field of its source.")
def test_a_bad_label_is_told_with_record_and_field_of_the_source(
    tmp_path: Path, capsys: Printed,
) -> None:
    fact, label, graph = RECIPE["columns"]
    recipe = RECIPE | {"columns": [fact, {"name": "label", "field": label["field"]}, graph]}
    board(tmp_path, lines([RECORDS[0], RECORDS[1] | {"right": "perhaps"}]), **{"import": [recipe]})
    assert fetch(tmp_path) == 3
    error = capsys.readouterr().err
    assert "facts.jsonl: record 1: field 'right': " in error
    assert "facts.jsonl: record 2: field 'right': " in error
    assert "'perhaps'" in error
    board(tmp_path / "none", lines(RECORDS), **{"import": [
        recipe | {"where": [{"field": "right", "values": ["2"]}]}]})
    assert fetch(tmp_path / "none") == 3
    assert "dev.tsv: line 1: TSV-EMPTY no rows" in capsys.readouterr().err
    assert not [*tmp_path.rglob("dev.tsv")]


def test_a_board_of_ids_without_ids_in_its_texts_is_warned(tmp_path: Path, capsys: Printed) -> None:
    described = board(tmp_path, lines(RECORDS))
    path = described.folder / "board.yaml"
    path.write_text(path.read_text("utf-8").replace("least_edges", "nodes: id\n    least_edges"))
    (described.folder / "data").mkdir()
    (described.folder / "data" / "dev.tsv").write_text(GOLD, "utf-8")
    assert main(["board", "check", str(described.folder), "--home", str(tmp_path / "home")]) == 0
    said = capsys.readouterr()
    assert "facts: fine, but its null is meaningless" in said.out
    assert "dev.tsv:1:1: warning: its texts list fewer than two ids" in said.err
    assert "2 of 2 items" in said.err


def test_no_board_folder_has_python() -> None:
    assert not [*ROOT.glob("boards/**/*.py")]


@pytest.mark.slow
def test_copa_sse_is_brought_and_scored_with_every_gold(tmp_path: Path, outside: Path) -> None:
    home, rows = tmp_path / "home", tmp_path / "rows"
    assert main(["data", "fetch", "copa-sse", "--from", str(outside / "copa-sse"), "--home",
                 str(home)]) == 0
    assert main(["baseline", "second-gold", "held-out-gold", "--split", "dev", "--board",
                 "copa-sse", "--home", str(home), "--out", str(rows)]) == 0
    systems = ("copa-sse/reference/second-gold", "copa-sse/reference/held-out-gold")
    assert main(["score", *(str(rows / name) for name in systems), "--home", str(home),
                 "--results", str(tmp_path / "results"), "--models", "no", "--quiet",
                 "--metrics", "G-ROUGE-2", "--no-null"]) == 0
    second, others = (json.loads((tmp_path / "results" / name / "dev.json").read_text())[
        "metrics"]["G-ROUGE-2"] for name in systems)
    # Computed apart from this program's boards, by its metrics alone, from the published file.
    assert second["value"] == pytest.approx(0.1233, abs=5e-5)
    assert "golds:1" in second["signature"]
    assert "golds:8" in others["signature"]
    assert others["value"] > second["value"]
