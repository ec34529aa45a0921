"""``import:`` in board.yaml: a board's files made of its source's, in the run that fetches them."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import read_golds
from scorer.boards.importing import made_of
from scorer.boards.recipes import Recipe
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.core.reading import schema

ROOT = Path(__file__).resolve().parent.parent
RECORDS = (
    {"id": 7, "fact": "The ground is wet.", "right": 1, "why": [
        {"mean": 2.5, "edges": [["rain", "Causes", "wet ground"]]},
        {"mean": 4, "edges": [["rain", "FallsOn", "ground (outside)"],
                              ["ground", "Is", "wet; cold"]]},
        {"mean": 4, "edges": [["clouds", "Causes", "rain"]]}]},
    {"id": 8, "fact": "The lamp\tglows.\n", "right": 0, "why": [
        {"mean": 1, "edges": [["the\u200b current", "Heats", "  wire "]]}]},
)
GRAPH = {"name": "graph", "each": "why", "highest_first": "mean", "field": "edges",
         "form": "triples", "words": True}
RECIPE: dict[str, Any] = {
    "to": "dev.tsv", "source": {"file": "facts.jsonl", "format": "jsonl"},
    "columns": [{"name": "fact", "field": "fact"},
                {"name": "label", "field": "right", "values": {"0": "no", "1": "yes"}}, GRAPH],
}
GOLD = (
    "The ground is wet.\tyes\t(rain; falls on; ground [outside])(ground; is; wet, cold)"
    "\t(clouds; causes; rain)\t(rain; causes; wet ground)\n"
    "The lamp glows.\tno\t(the current; heats; wire)\n"
)


def lines(records: Sequence[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def recipe(described: Mapping[str, Any]) -> Recipe:
    found, problems = schema.load(Recipe, yaml.safe_dump(described).encode(), "r.yaml")
    assert found is not None, problems
    return found


def made(folder: Path, described: Mapping[str, Any], **files: bytes) -> str:
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    return made_of(recipe(described), folder)[0].decode()


def fault(folder: Path, described: Mapping[str, Any], **files: bytes) -> str:
    with pytest.raises(DataError) as found:
        made(folder, described, **files)
    return str(found.value)


def board(folder: Path, content: bytes, digest: str | None = None, **changed: Any) -> Board:
    """A board whose one split is made of a download."""
    place = folder / "boards" / "facts"
    place.mkdir(parents=True)
    sha256 = hashlib.sha256(content).hexdigest()
    told = {
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
        "downloads": [{"path": "facts.jsonl", "url": "https://example.org/f", "sha256": sha256,
                       "title": "Facts"}],
        "import": [RECIPE], **changed,
    }
    (place / "board.yaml").write_text(yaml.safe_dump(told, sort_keys=False))
    return boards.load(place)


def test_records_become_rows_with_any_number_of_gold_graphs(tmp_path: Path) -> None:
    assert made(tmp_path, RECIPE, facts_jsonl=lines(RECORDS)) == GOLD


def test_fetching_makes_the_files_in_the_same_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    content = lines(RECORDS)
    described = board(tmp_path, content)
    (tmp_path / "facts.jsonl").write_bytes(content)
    run = ["data", "fetch", "facts", "--boards", str(tmp_path / "boards"), "--from",
           str(tmp_path), "--home", str(tmp_path / "home")]
    assert main(run) == 0
    path = tmp_path / "home" / "data" / "facts" / "dev.tsv"
    assert path.read_bytes() == GOLD.encode()
    assert "dev.tsv made, 2 rows; in 4 texts signs were replaced" in capsys.readouterr().out
    [first, second] = read_golds(described, "dev", path).items
    assert (len(first.graphs), len(second.graphs)) == (3, 1)
    path.unlink()
    assert main(run) == 0, "what is fetched already is made again"
    assert path.read_bytes() == GOLD.encode()


def test_a_made_split_of_another_digest_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    content = lines(RECORDS)
    board(tmp_path, content, digest="0" * 64)
    (tmp_path / "facts.jsonl").write_bytes(content)
    assert main(["data", "fetch", "facts", "--boards", str(tmp_path / "boards"), "--from",
                 str(tmp_path), "--home", str(tmp_path / "home")]) == 3
    assert "board facts names 000000" in capsys.readouterr().err


@pytest.mark.parametrize(("optional", "status"), [(True, 0), (False, 3)])
def test_a_folder_may_lack_what_is_optional(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], optional: bool, status: int,
) -> None:
    content = lines(RECORDS)
    downloads = [{"path": name, "url": "https://example.org/f", "title": "F",
                  "sha256": hashlib.sha256(content).hexdigest(), "optional": name != "facts.jsonl"
                  and optional} for name in ("facts.jsonl", "more.jsonl")]
    board(tmp_path, content, downloads=downloads)
    (tmp_path / "facts.jsonl").write_bytes(content)
    assert main(["data", "fetch", "facts", "--boards", str(tmp_path / "boards"), "--from",
                 str(tmp_path), "--home", str(tmp_path / "home")]) == status
    said = capsys.readouterr()
    assert "more.jsonl" in said.out if optional else (
        f"more.jsonl: not in {tmp_path}; expected a file of that path or name" in said.err)


def test_a_file_that_is_there_with_another_digest_makes_nothing(tmp_path: Path) -> None:
    content = lines(RECORDS)
    digest = hashlib.sha256(content).hexdigest()
    downloads = [{"path": name, "url": "https://example.org/f", "title": "F", "sha256": digest,
                  "optional": name == "facts.jsonl"} for name in ("facts.jsonl", "more.jsonl")]
    board(tmp_path, content, downloads=downloads)
    (tmp_path / "more.jsonl").write_bytes(content)
    home = tmp_path / "home" / "data" / "facts"
    home.mkdir(parents=True)
    (home / "facts.jsonl").write_bytes(lines(RECORDS[:1]))
    assert main(["data", "fetch", "facts", "--boards", str(tmp_path / "boards"), "--from",
                 str(tmp_path), "--home", str(tmp_path / "home")]) == 0
    assert not (home / "dev.tsv").exists()


def test_records_of_other_files_are_joined_and_numbers_stay_as_written(tmp_path: Path) -> None:
    described = {
        "to": "dev.tsv", "source": {"file": "gold.json", "format": "json", "records": "all"},
        "join": [{"name": "asked", "source": {"file": "asked.tsv", "format": "tsv",
                                              "header": True}, "key": "id", "matches": "@key"},
                 {"name": "said", "source": {"file": "said.json", "format": "json"},
                  "key": "@key", "matches": "@key"}],
        "columns": [{"name": "question", "field": "@asked.question"},
                    {"name": "weight", "field": "weight"},
                    {"name": "graph", "field": "@said", "form": "triples", "default": "-",
                     "parts": ["1.0", "1.1", "1.2"]}],
    }
    gold = {"all": {"b": {"weight": 1}, "a": {"weight": 2}}}
    text = json.dumps(gold).replace("1}", "1.50}").replace("2}", "10000000000000000000000e3}")
    said = {"a": [], "b": [["title", ["head", "is", "tail"]]]}
    assert made(tmp_path, described, gold_json=text.encode(), said_json=json.dumps(said).encode(),
                asked_tsv=b"id\tquestion\na\tWhy?\nb\tHow?\n") == (
        "How?\t1.50\t(head; is; tail)\nWhy?\t10000000000000000000000e3\t-\n")


STEPS = {
    "to": "dev.tsv", "source": {"file": "said.tsv", "format": "tsv"},
    "columns": [{"name": "graph", "field": "0", "form": "steps",
                 "steps": {"relation": "entails", "before": "$proof$ ="}}],
}


def test_steps_become_edges(tmp_path: Path) -> None:
    said = b"$proof$ = s1 & s2 -> i1: a (b); c; i1 -> end;\n"
    assert "without ->" in fault(tmp_path, STEPS, said_tsv=said)
    assert "step 1 with two ->" in fault(tmp_path, STEPS, said_tsv=b"((s1 -> s2) -> s3)\n")
    said = b"$proof$ = s1 & s2 -> i1: a (b); i1 & s3 -> end;\ns1 -> end\n"
    loose = {**STEPS, "columns": [{**STEPS["columns"][0], "steps": {
        **STEPS["columns"][0]["steps"], "loose": True}}]}
    assert made(tmp_path, loose, said_tsv=b"s1 -> i1; what; s2 & -> i1\n") == (
        "(s1; entails; i1)(what)(s2 & -> i1)\n")
    assert made(tmp_path, STEPS, said_tsv=said) == (
        "(s1; entails; i1: a [b])(s2; entails; i1: a [b])(i1; entails; end)(s3; entails; end)\n"
        "(s1; entails; end)\n")


def test_a_mapping_becomes_a_listing_and_records_may_be_left_out(tmp_path: Path) -> None:
    described = {**RECIPE, "where": [{"field": "right", "values": ["1"]}],
                 "columns": [{"name": "all", "field": "texts", "form": "listing"}]}
    records = [{"right": 0, "texts": {}}, {"right": 1, "texts": {"s1": "one", "s2": "two"}}]
    assert made(tmp_path, described, facts_jsonl=lines(records)) == "s1: one | s2: two\n"


@pytest.mark.parametrize(("parts", "expected"), [
    (["text"], "desk / table | river\n"), (["label", "text"], "A: desk / table | B: river\n")])
def test_a_listing_takes_texts_out_of_its_entries(
    tmp_path: Path, parts: list[str], expected: str,
) -> None:
    described = {**RECIPE, "columns": [{"name": "all", "field": "choices", "form": "listing",
                                        "parts": parts}]}
    records = [{"choices": [{"label": "A", "text": "desk | table"},
                            {"label": "B", "text": "river"}]}]
    assert made(tmp_path, described, facts_jsonl=lines(records)) == expected


THEORIES = lines([
    {"theory": "Cats purr.", "asked": {"Q1": {"text": "Do cats?"}, "Q2": {"text": "Do dogs?"}}},
    {"theory": "Ice melts.", "asked": {}}, {"theory": "Owls hoot.", "asked": [{"text": "Who?"}]}])


def test_records_within_records_make_rows_and_lead_to_those_around_them(tmp_path: Path) -> None:
    described = {
        **RECIPE, "source": {**RECIPE["source"], "each": "asked"},
        "join": [{"name": "more", "source": {"file": "more.tsv", "format": "tsv"}, "key": "0",
                  "matches": "@record.theory", "optional": True}],
        "columns": [{"name": "theory", "field": "@record.theory"}, {"name": "id", "field": "@key"},
                    {"name": "fact", "field": "text"},
                    {"name": "more", "field": "@more.1", "default": "-"}]}
    assert made(tmp_path, described, facts_jsonl=THEORIES, more_tsv=b"Owls hoot.\tyes\n") == (
        "Cats purr.\tQ1\tDo cats?\t-\nCats purr.\tQ2\tDo dogs?\t-\nOwls hoot.\t1\tWho?\tyes\n")


def test_a_bad_record_within_another_is_told_with_both(tmp_path: Path) -> None:
    described = {**RECIPE, "source": {**RECIPE["source"], "each": "asked"},
                 "columns": [{"name": "fact", "field": "right"}]}
    told = fault(tmp_path, described, facts_jsonl=THEORIES + lines([{"theory": "None."}]))
    assert "facts.jsonl: record 1, entry 'Q2': field 'right': nothing there" in told
    assert "record 4: field 'asked': nothing there; expected a list or a mapping" in told
    assert "there are 'theory'" in told


def test_columns_with_commas_between_are_read_as_programs_write_them(tmp_path: Path) -> None:
    described = {**RECIPE, "source": {"file": "facts.csv", "format": "csv", "header": True},
                 "join": [{"name": "why", "source": {"file": "why.csv", "format": "csv"},
                           "key": "0", "matches": "id"}],
                 "columns": [{"name": "fact", "field": "fact"}, {"name": "why", "field": "@why.1"}]}
    assert made(tmp_path, described, why_csv=b"2,Glass\r\n1,\"Rain, or \"\"sleet\"\"\"\r\n",
                facts_csv=b"id,fact\r\n\r\n1,\"Wet,\r\ncold\"\r\n2,Bright\r\n") == (
        'Wet, cold\tRain, or "sleet"\nBright\tGlass\n')


TABLE = {"to": "dev.tsv", "columns": [{"name": "fact", "field": "fact"}],
         "source": {"file": "said.tsv", "format": "tsv", "header": True, "quotes": True}}


@pytest.mark.parametrize(("content", "said"), [
    (b"fact\tfact\na\tb\n", "said.tsv: line 1: the column 'fact' twice; expected each name once"),
    (b'"fact"x\tlabel\na\tb\n', "said.tsv: line 1: quotes that cannot be read"),
    (b'fact\tlabel\na\tb\n"a\tb\n', "said.tsv: line 3: quotes that cannot be read"),
    (b"fact\tlabel\na\n\na\tb\n", "record 1: 1 column; expected 2, as the first line has"),
    (b"fact\tlabel\na\n\na\tb\n", "record 2: 0 columns; expected 2, as the first line has"),
])
def test_a_table_that_cannot_be_read_is_told_with_its_place(
    tmp_path: Path, content: bytes, said: str,
) -> None:
    assert said in fault(tmp_path, TABLE, said_tsv=content)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028", "\x0b", "\x85"])
def test_words_stay_apart_where_a_line_ended(tmp_path: Path, end: str) -> None:
    content = f'fact\tlabel\n"One{end}lamp."\tyes\n'.encode()
    assert made(tmp_path, TABLE, said_tsv=content) == "One lamp.\n"


@pytest.mark.parametrize("said", [" ", "\u200b", "$proof$ =", ";;"])
def test_what_is_empty_once_it_is_read_has_the_default(tmp_path: Path, said: str) -> None:
    column = {**STEPS["columns"][0], "default": "-"}
    assert made(tmp_path, {**STEPS, "columns": [column]}, said_tsv=said.encode()) == "-\n"


def test_a_text_that_is_empty_once_it_is_read_has_the_default(tmp_path: Path) -> None:
    described = {**RECIPE, "columns": [{"name": "fact", "field": "fact", "default": "-"}]}
    assert made(tmp_path, described, facts_jsonl=lines([{"fact": " "}, {"fact": "\u200b"}])) == (
        "-\n-\n")


NODES = {"nodes": [{"id": 1, "text": "Rain falls"}, {"id": 2, "text": "It is wet (outside)"}],
         "edges": [{"from": 1, "to": 2, "kind": "supports"}]}
BY_ID = {"name": "graph", "field": "edges", "form": "triples", "nodes": {"field": "nodes"},
         "parts": ["from", "kind", "to"]}


@pytest.mark.claim("Graphs whose edges name nodes by ids are imported without a line of Python.")
@pytest.mark.parametrize(("record", "nodes", "expected"), [
    (NODES, {"field": "nodes"}, "(Rain falls; supports; It is wet [outside])\n"),
    (NODES, {"field": "nodes", "ids": True},
     "(1: Rain falls; supports; 2: It is wet [outside])\n"),
    ({**NODES, "nodes": {"1": "Rain", "2": "Wet"}}, {"field": "nodes", "id": "@key", "text": "."},
     "(Rain; supports; Wet)\n"),
    ({**NODES, "nodes": ["Rain", "Wet"]}, {"field": "nodes", "id": "@key", "text": "."},
     "(Rain; supports; Wet)\n"),
])
def test_the_texts_of_nodes_are_looked_up_by_their_ids(
    tmp_path: Path, record: Any, nodes: dict[str, Any], expected: str,
) -> None:
    described = {**RECIPE, "columns": [{**BY_ID, "nodes": nodes}]}
    assert made(tmp_path, described, facts_jsonl=lines([record])) == expected
    described["columns"] = [{**BY_ID, "nodes": nodes, "each": "graphs"}]
    assert made(tmp_path, described, facts_jsonl=lines([{"graphs": [record]}])) == expected


def test_the_nodes_and_edges_of_the_handbook_make_the_graph_that_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs/board.md").read_text("utf-8")
    section = page.partition("### Nodes and edges\n")[2].partition("\n## ")[0]
    record, columns = (section.partition(f"```{language}\n")[2].partition("```")[0]
                       for language in ("json", "yaml"))
    described = {**RECIPE, **yaml.safe_load(columns)}
    expected = re.findall(r"This makes `(.*)`", section)
    assert made(tmp_path, described, facts_jsonl=lines([json.loads(record)])) == (
        f"Cats are good pets\t{expected[0]}\n")


@pytest.mark.parametrize(("change", "said"), [
    ({"edges": [{"from": 1, "to": 3, "kind": "x"}]}, "edges.0.to': '3'; expected the id of a node"),
    ({"nodes": []}, "'edges.0.from': '1'; expected the id of a node, of which there is none"),
    ({"nodes": "none"}, "field 'nodes': the text 'none'; expected a list or a mapping of nodes"),
    ({"nodes": [*NODES["nodes"], {"id": 1, "text": "x"}]}, "field 'nodes.2': the id '1' again"),
    ({"nodes": [{"id": 1}]}, "field 'nodes.0.text': nothing there; expected a text"),
])
def test_a_node_that_is_not_there_is_told_with_record_and_field(
    tmp_path: Path, change: dict[str, Any], said: str,
) -> None:
    told = fault(tmp_path, {**RECIPE, "columns": [BY_ID]}, facts_jsonl=lines([{**NODES, **change}]))
    assert "facts.jsonl: record 1: " in told
    assert said in told


@pytest.mark.parametrize("name", ["a: b", "(a)", "a;", "a ", "", "a\u200b"])
def test_an_id_that_reads_as_another_is_refused_where_concepts_begin_with_ids(
    tmp_path: Path, name: str
) -> None:
    record = {**NODES, "nodes": [{"id": name, "text": "c"}]}
    column = {**BY_ID, "nodes": {"field": "nodes", "ids": True}}
    said = fault(tmp_path, {**RECIPE, "columns": [column]}, facts_jsonl=lines([record]))
    assert "field 'nodes.0': the id" in said
    assert "expected an id that can stand before `: `" in said


@pytest.mark.claim("Gold that is wrong is reported at the record and field of its source.")
def test_a_bad_label_is_told_with_record_and_field_of_the_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    content = lines([RECORDS[0], {**RECORDS[1], "right": "perhaps"}])
    recipe = {**RECIPE, "columns": [RECIPE["columns"][0], {"name": "label", "field": "right"},
                                    GRAPH]}
    board(tmp_path, content, **{"import": [recipe]})
    (tmp_path / "facts.jsonl").write_bytes(content)
    assert main(["data", "fetch", "facts", "--boards", str(tmp_path / "boards"), "--from",
                 str(tmp_path), "--home", str(tmp_path / "home")]) == 3
    error = capsys.readouterr().err
    assert "facts.jsonl: record 1: field 'right': " in error
    assert "facts.jsonl: record 2: field 'right': " in error
    assert "'perhaps'" in error
    assert not (tmp_path / "home" / "data" / "facts" / "dev.tsv").exists()


def test_a_board_of_ids_whose_texts_list_none_is_warned_of_its_null(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    described = board(tmp_path, lines(RECORDS))
    path = described.folder / "board.yaml"
    path.write_text(path.read_text("utf-8").replace("least_edges", "nodes: id\n    least_edges"))
    (described.folder / "data").mkdir()
    (described.folder / "data" / "dev.tsv").write_text(GOLD, "utf-8")
    check = ["board", "check", str(described.folder), "--home", str(tmp_path / "home")]
    assert main(check) == 0
    said = capsys.readouterr()
    assert "facts: fine, but its null is meaningless" in said.out
    assert "dev.tsv:1:1: warning: its texts list fewer than two ids" in said.err
    assert "2 of 2 items" in said.err


def changed(**values: Any) -> bytes:
    return lines([RECORDS[0], {**RECORDS[1], **values}])


@pytest.mark.parametrize(("content", "said"), [
    (changed(fact=None), "facts.jsonl: record 2: field 'fact': nothing there; expected a text"),
    (changed(fact=[]), "record 2: field 'fact': a list; expected a text or a number"),
    (changed(fact=" "), "record 2: field 'fact': an empty text; expected a text"),
    (changed(right=2), "record 2: field 'right': '2'; expected one of: 0, 1"),
    (changed(why=[]), "record 2: field 'why': nothing there; expected a list with an entry"),
    (changed(why={"a": 1}), "record 2: field 'why': a mapping; expected a list with an entry"),
    (changed(why=[{"edges": [["a", "B", "c"]]}]),
     "record 2: field 'why.0.mean': nothing there; expected a number"),
    (changed(why=[{"mean": 1, "edges": [["a", "B"]]}]),
     "record 2: field 'why.0.edges.0.2': nothing there; expected a text"),
    (changed(why=[{"mean": 1, "edges": [["a", "B", ""]]}]),
     "record 2: field 'why.0.edges.0.2': an empty part of an edge; expected a text"),
    (changed(why=[{"mean": 1, "edges": []}]),
     "record 2: field 'why.0.edges': no edge; expected an edge or more"),
    (changed(why=[{"mean": "1e999", "edges": []}]), "field 'why.0.mean': the text '1e999'"),
    (b'{"a": 1', "facts.jsonl: record 1: no JSON (Expecting ',' delimiter"),
    (b'{"a": 1}\n{"a": "\xff"}', "facts.jsonl: line 2: not UTF-8"),
    (changed(why=[{"mean": True, "edges": []}]),
     "record 2: field 'why.0.mean': true or false; expected a number"),
    (changed(why=[{"mean": 1, "edges": ["a"]}]),
     "field 'why.0.edges.0.0': the text 'a' at why.0.edges.0; expected something"),
    (b'{"a": 1\n[2\n', "facts.jsonl: record 1: no JSON"),
    (b'{"a": 1\n[2\n', "facts.jsonl: record 2: no JSON"),
    (b'"only a text"', "record 1: field 'fact': the text 'only a text' at .; expected something"),
])
def test_a_bad_source_is_told_with_file_record_and_field(
    tmp_path: Path, content: bytes, said: str,
) -> None:
    assert said in fault(tmp_path, RECIPE, facts_jsonl=content)


@pytest.mark.parametrize(("path", "said"), [
    ("facts", "there are 'id, fact, right, why'"), ("why.0.edge", "there are 'mean, edges'"),
    ("why.3.mean", "there are 0 to 2"), ("@more.9", "there are 0 to 1"),
])
def test_a_field_that_is_not_there_is_told_with_those_that_are(
    tmp_path: Path, path: str, said: str,
) -> None:
    described = {**RECIPE, "columns": [{"name": "fact", "field": path}],
                 "join": [{"name": "more", "source": {"file": "more.tsv", "format": "tsv"},
                           "key": "0", "matches": "id", "optional": True}]}
    told = fault(tmp_path, described, facts_jsonl=lines(RECORDS), more_tsv=b"7\tx\n")
    assert f"nothing there; expected a text or a number; {said}" in told


def test_a_row_has_no_optional_column_where_its_field_is_empty(tmp_path: Path) -> None:
    described = {**RECIPE, "columns": [{"name": "fact", "field": "fact"}, *(
        {"name": name, "field": name, "optional": True} for name in ("one", "two", "three"))]}
    records = [{"fact": "a", "one": "b", "two": " ", "three": "c"}, {"fact": "d", "one": None}]
    assert made(tmp_path, described, facts_jsonl=lines(records)) == "a\tb\tc\nd\n"
    described["columns"] = described["columns"][1:2]
    assert made(tmp_path, described, facts_jsonl=lines(records)) == "b\n\n", "an empty text"


def test_empty_lines_between_records_of_json_are_none(tmp_path: Path) -> None:
    first, second = lines(RECORDS).splitlines()
    assert made(tmp_path, RECIPE, facts_jsonl=b"\n".join([first, b"", second, b" ", b""])) == GOLD


def test_a_list_of_records_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    described = {**RECIPE, "source": {"file": "a.json", "format": "json", "records": "al"}}
    assert ("a.json: field 'al': nothing there; expected a list or a mapping of records; there are "
            "'all, more'") in fault(tmp_path, described, a_json=b'{"all": [], "more": []}')


def test_an_entry_that_is_no_edge_is_told_with_its_place(tmp_path: Path) -> None:
    described = {**RECIPE, "columns": [{**GRAPH, "highest_first": "mean", "field": "."}]}
    assert "record 1: field 'why.1': a mapping; expected a list of edges" in fault(
        tmp_path, described, facts_jsonl=lines(RECORDS))


def test_every_fault_is_told_at_once_and_only_so_many_written_out(tmp_path: Path) -> None:
    told = fault(tmp_path, RECIPE, facts_jsonl=lines([{"fact": None}] * 30))
    assert told.startswith("dev.tsv cannot be made:\n")
    assert told.endswith("\nand 10 more")
    assert told.count("record ") == 20


def test_a_missing_partner_and_two_records_of_one_name_are_told(tmp_path: Path) -> None:
    described = {**RECIPE, "join": [{"name": "more", "source": {"file": "more.tsv",
                                                                "format": "tsv"},
                                     "key": "0", "matches": "id"}],
                 "columns": [{"name": "more", "field": "@more.1"}]}
    told = fault(tmp_path, described, facts_jsonl=lines(RECORDS), more_tsv=b"7\tx\n7\ty\n")
    assert "more.tsv: record 2: field '0': '7' as in record 1" in told
    assert "facts.jsonl: record 2: field 'id': '8'; expected a record of that name" in told


def test_a_missing_partner_of_an_optional_join_leaves_its_fields_empty(tmp_path: Path) -> None:
    described = {**RECIPE, "join": [{"name": "more", "source": {"file": "more.tsv",
                                                                "format": "tsv"},
                                     "key": "0", "matches": "id", "optional": True}],
                 "columns": [{"name": "more", "field": "@more.1", "default": "-"}]}
    files = {"facts_jsonl": lines(RECORDS), "more_tsv": b"7\tx\n"}
    assert made(tmp_path, described, **files) == "x\n-\n"
    described["columns"] = [{"name": "more", "field": "@more.1"}]
    assert "record 2: field '@more.1': nothing there" in fault(tmp_path, described, **files)


@pytest.mark.parametrize(("name", "said"), [
    ("../facts.jsonl", "a relative path without .."), ("/etc/passwd", "a relative path"),
    ("other.jsonl", "one of the downloads"),
])
def test_a_recipe_reads_downloads_alone(tmp_path: Path, name: str, said: str) -> None:
    described = {**RECIPE, "source": {"file": name, "format": "jsonl"}}
    with pytest.raises(SubmissionError, match=said):
        board(tmp_path, b"", **{"import": [described]})


@pytest.mark.parametrize(("change", "said"), [
    ({"to": "else.tsv"}, "the file of a split"),
    ({"columns": [{"name": "graph", "field": "f", "form": "steps"}]}, "the field steps"),
    ({"columns": [{"name": "graph", "field": "@more.a"}]}, "behind @ the name of a join"),
    ({"where": [{"field": "@more.a", "values": ["1"]}]}, "behind @ the name of a join"),
    ({"columns": [{"name": "graph", "field": "a..b"}]}, "a path such as a.0.b"),
    ({"columns": [{"name": "graph", "field": "@record.a"}]}, "@record where the source has `each`"),
    ({"columns": [{"name": "graph", "field": "a", "form": "triples", "parts": ["0", "1"]}]},
     "2 parts in column graph of form triples; expected three"),
    ({"columns": [{"name": "graph", "field": "a", "default": "-", "optional": True}]},
     "column graph with `optional` and default; expected optional columns by themselves"),
    ({"source": {"file": "facts.jsonl", "format": "jsonl", "records": "all"}},
     "records of a source of format jsonl; expected that field for json alone"),
])
def test_what_does_not_fit_the_board_is_told(
    tmp_path: Path, change: dict[str, Any], said: str,
) -> None:
    with pytest.raises(SubmissionError, match=said):
        board(tmp_path, b"", **{"import": [{**RECIPE, **change}]})


def test_no_board_folder_has_python() -> None:
    assert not [*ROOT.glob("boards/**/*.py")]


def scored(place: Path, home: Path, out: Path) -> dict[str, Any]:
    assert main(["score", str(place), "--home", str(home), "--results", str(out),
                 "--models", "no", "--quiet"]) == 0
    folder = out / place.parent.parent.name / place.parent.name / place.name
    return json.loads((folder / "dev.json").read_text())["metrics"]


@pytest.mark.slow
def test_copa_sse_is_brought_checked_and_scored_with_every_gold(
    tmp_path: Path, outside: Path,
) -> None:
    home = tmp_path / "home"
    assert main(["data", "fetch", "copa-sse", "--from", str(outside / "copa-sse"), "--home",
                 str(home)]) == 0
    assert main(["baseline", "second-gold", "held-out-gold", "--split", "dev", "--board",
                 "copa-sse", "--home", str(home), "--out", str(tmp_path / "rows")]) == 0
    place = tmp_path / "rows" / "copa-sse" / "reference"
    second = scored(place / "second-gold", home, tmp_path / "results")
    others = scored(place / "held-out-gold", home, tmp_path / "results")
    # Computed apart from this program's boards, by its metrics alone, from the published file.
    assert second["G-ROUGE-2"]["value"] == pytest.approx(0.1233, abs=5e-5)
    assert "golds:1" in second["G-ROUGE-2"]["signature"]
    assert "golds:8" in others["G-ROUGE-2"]["signature"]
    assert others["G-ROUGE-2"]["value"] > second["G-ROUGE-2"]["value"]


def test_rows_of_a_split_that_others_drew_are_taken_in_their_order(tmp_path: Path) -> None:
    table = {"to": "dev.tsv", "rows": "dev.rows", "columns": [{"name": "fact", "field": "fact"}],
             "source": {"file": "facts.tsv", "format": "tsv", "header": True, "quotes": True}}
    content = b'fact\tlabel\n"The ""big"" lamp"\tyes\nRain.\tno\nA 2" nail.\tno\n'
    (tmp_path / "facts.tsv").write_bytes(content)

    def rows(numbers: str) -> str:
        (tmp_path / "dev.rows").write_text(numbers, "utf-8")
        return made_of(recipe(table), tmp_path, tmp_path)[0].decode()

    assert rows("3\n1\n") == 'A 2" nail.\nThe "big" lamp\n'
    for numbers, said in (("1\n4\n", "dev.rows: '4'"), ("0\n", "'0'"), ("1\nx\n", "'x'"),
                          ("2\n2\n", "a number twice")):
        with pytest.raises(DataError, match=f"{said}; expected numbers of records of facts.tsv"):
            rows(numbers)
    (tmp_path / "facts.tsv").write_bytes(b'fact\n"open\n')
    with pytest.raises(DataError, match=r"facts.tsv: line 2: quotes that cannot be read"):
        rows("1\n")
