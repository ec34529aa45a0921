"""others.yaml: predictions that others made, from their files to rows of ours, or refused."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer import boards
from scorer.boards import Board, fetching
from scorer.boards.item_files import read_probabilities
from scorer.boards.submission import read as read_submission
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import sha256
from scorer.core.reading.values import Link
from scorer.models import wordnet
from tests.test_board_import import lines
from tests.test_real_rows import ANLI, EXPLAGRAPHS, GRF

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ITEMS = (("Cats are good.", "Cats purr.", "support"), ("Rain is bad.", "Rain waters fields.",
         "counter"), ("Tea is hot.", "Tea is brewed.", "support"))
GRAPHS = ("(cats; capable of; purr)", "(rain; used for; fields)", "(tea; has property; hot)")
GIVEN = "".join(f"B: {belief} A: {argument} S: {stance}\n" for belief, argument, stance in ITEMS)
SETTINGS = {
    "texts": [{"name": "belief", "concepts": 0}, {"name": "argument", "concepts": 0}],
    "labels": {"name": "stance", "values": ["support", "counter"]},
    "graph": {"relations": "any", "least_edges": 1, "acyclic": True, "connected": False},
    "ged_constant": 17, "null": {"relation": "is", "most": 4}}
BY_LINE = {
    "name": "by-line", "source": {"format": "lines"},
    "join": [{"name": "given", "source": {"file": "given.txt", "format": "lines"},
              "key": "@key", "matches": "@key"}],
    "checks": [{"field": "@given", "begins": "B: {belief} A: {argument} S: "}],
    "columns": [{"name": "stance", "field": "@given", "after": "S: "},
                {"name": "graph", "field": ".", "default": "-"}],
}
BY_TEXTS = {
    "name": "by-texts", "source": {"format": "inputs"},
    "join": [{"name": "theirs", "source": {"format": "jsonl"}, "key": ["b", "a"],
              "matches": ["belief", "argument"], "optional": True}],
    "columns": [{"name": "stance", "field": "@theirs.stance", "default": "-"},
                {"name": "graph", "field": "@theirs.made.graph", "default": "-"}],
}
ROW = {"system": "tree", "title": "Tree", "by": "Somebody 2026", "what": "authors",
       "description": "A tree.", "date": "2026-01", "saw_dev_gold": False}


def board_yaml(folder: Path, items: Sequence[Sequence[str]] = ITEMS, **changed: Any) -> Path:
    """A board of three items that carries its gold."""
    place = folder / "boards" / "mini"
    (place / "data").mkdir(parents=True, exist_ok=True)
    gold = "".join("\t".join((*item, graph)) + "\n"
                   for item, graph in zip(items, GRAPHS, strict=True))
    (place / "data" / "dev.tsv").write_text(gold, "utf-8")
    described = {
        "schema": 1, "id": "mini", "version": "1.0", "task": "explanation_graphs", "title": "Mini",
        "summary": "Why?", "licence": "CC0", "attribution": "Ours.", "citation": "@misc{mini}",
        "metrics": ["SA", "G-ROUGE-2"], "ranking": ["SA"],
        "splits": {"dev": {"file": "dev.tsv", "rows": 3, "gold": "public"}}, "settings": SETTINGS,
        **changed}
    (place / "board.yaml").write_text(yaml.safe_dump(described, sort_keys=False), "utf-8")
    return place


def others_of(form: Mapping[str, Any] | None, files: Mapping[str, bytes], **row: Any,
              ) -> dict[str, Any]:
    """An others.yaml with one system, which answers by the first file."""
    listed = [{"path": f"out/{name}", "to": name, "title": "A file",
               "sha256": sha256(content)} for name, content in files.items()]
    used = {"form": form["name"]} if form else {}
    return {"sources": [{"repository": "owner/name", "commit": COMMIT, "licence": "MIT",
                         "files": listed}],
            **({"forms": [dict(form)]} if form else {}),
            "systems": [{**ROW, "splits": {"dev": {"file": next(iter(files)), **used}}, **row}]}


def test_whoever_asks_for_no_predictions_by_others_reads_the_board_alone(tmp_path: Path) -> None:
    place = board_yaml(tmp_path)
    (place / "others.yaml").write_text("systems: none\n", "utf-8")
    with pytest.raises(SubmissionError, match=r"others\.yaml"):
        boards.load(place)
    assert boards.load(place, third_party=False).third_party == ()


def others(folder: Path, described: Mapping[str, Any], **changed: Any) -> Board:
    place = board_yaml(folder, **changed)
    (place / "others.yaml").write_text(yaml.safe_dump(dict(described), sort_keys=False), "utf-8")
    return boards.load(place)


def fetched(folder: Path, files: Mapping[str, bytes], capsys: Any = None) -> int:
    """Fetch the board's files from a folder in which they lie a level down."""
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    (source / "somewhere").mkdir(parents=True)
    for name, content in files.items():
        (source / "somewhere" / name).write_bytes(content)
    return main(["data", "fetch", "mini", "--boards", str(folder / "boards"), "--from",
                 str(source), "--home", str(folder / "home")])


def rows(folder: Path, name: str = "third-party/tree.dev.tsv") -> str:
    return (folder / "home" / "data" / "mini" / name).read_text("utf-8")


def made(folder: Path, form: Mapping[str, Any], files: Mapping[str, bytes], **row: Any) -> str:
    others(folder, others_of(form, files, **row))
    assert fetched(folder, files) == 0
    return rows(folder)


def refused(folder: Path, form: Mapping[str, Any], files: Mapping[str, bytes], capsys: Any) -> str:
    """What is said of files that do not fit, less the first line; nothing must be written."""
    others(folder, others_of(form, files))
    assert fetched(folder, files) == 3
    home = folder / "home"
    assert not [*home.rglob("tree.dev*")]
    assert not (home / "submissions").exists()
    return str(capsys.readouterr().err)


# ---- forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("begin", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_graph_a_line_joins_a_stance_out_of_a_longer_text(
    tmp_path: Path, begin: str, end: str,
) -> None:
    theirs = "\n".join((GRAPHS[0], "", GRAPHS[2])) + end
    assert made(tmp_path, BY_LINE, {"dev.txt": theirs.encode(), "given.txt": (
        begin + GIVEN).encode()}) == (
        f"support\t{GRAPHS[0]}\ncounter\t-\nsupport\t{GRAPHS[2]}\n")


def record(place: int, **more: Any) -> dict[str, Any]:
    belief, argument, stance = ITEMS[place]
    return {"b": belief, "a": argument, "stance": stance, "made": {"graph": GRAPHS[place]}, **more}


def test_records_in_an_order_of_their_own_join_by_two_texts_and_no_item_is_dropped(
    tmp_path: Path,
) -> None:
    theirs = lines([record(2), record(0, stance="counter")])
    assert made(tmp_path, BY_TEXTS, {"dev.jsonl": theirs}) == (
        f"counter\t{GRAPHS[0]}\n-\t-\nsupport\t{GRAPHS[2]}\n")


def test_items_stand_behind_their_inputs_alone_never_their_gold(
    tmp_path: Path, capsys: Any,
) -> None:
    for gold in ("stance", "graph"):
        form = {**BY_TEXTS, "columns": [{"name": "stance", "field": gold}]}
        said = refused(tmp_path / gold, form, {"dev.jsonl": lines([record(0)])}, capsys)
        assert f"record 1: field '{gold}': nothing there" in said
        assert "there are 'belief, argument'" in said


def test_a_predictions_file_is_taken_as_it_is(tmp_path: Path) -> None:
    theirs = "".join(f"support\t{graph}\n" for graph in GRAPHS).encode()
    board = others(tmp_path, others_of(None, {"theirs.tsv": theirs}))
    assert board.recipes == ()
    assert fetched(tmp_path, {"theirs.tsv": theirs}) == 0
    folder = tmp_path / "home" / "submissions" / "mini" / "third-party" / "tree"
    assert (folder / "predictions.dev.tsv").read_bytes() == theirs


CHOICES = {
    "name": "choices", "source": {"format": "json"},
    "checks": [{"field": "id", "equals": "dev.{place}"}],
    "columns": [{"name": "stance", "field": "prediction",
                 "values": {"0": "support", "1": "counter"}},
                {"name": "graph", "field": "graph"}],
    "probabilities": ["p.0", "p.1"],
}


def choices(*pairs: Sequence[float]) -> bytes:
    return json.dumps([{"id": f"dev.{place}", "prediction": int(pair[1] > pair[0]),
                        "p": pair, "graph": GRAPHS[place]}
                       for place, pair in enumerate(pairs)]).encode()


def test_probabilities_are_kept_as_printed_beside_the_rows(tmp_path: Path) -> None:
    theirs = {"dev.json": choices((0.25, 0.75), (1, 2.5e-17), (0.5, 0.5))}
    assert made(tmp_path, CHOICES, theirs) == (
        f"counter\t{GRAPHS[0]}\nsupport\t{GRAPHS[1]}\nsupport\t{GRAPHS[2]}\n")
    assert rows(tmp_path, "third-party/tree.dev.probabilities.tsv") == (
        "0.25\t0.75\n1\t2.5e-17\n0.5\t0.5\n")
    board = boards.load(tmp_path / "boards" / "mini")
    home = tmp_path / "home"
    assert read_probabilities(board, "tree", "dev", home) == (
        (0.25, 0.75), (1.0, 2.5e-17), (0.5, 0.5))
    assert read_probabilities(board, "other", "dev", home) is None
    assert read_probabilities(board, "tree", "dev", tmp_path) is None


def test_a_row_of_probabilities_that_sums_to_something_else_is_told_with_its_line(
    tmp_path: Path, capsys: Any,
) -> None:
    theirs = choices((0.25, 0.75), (0.5, 0.502), (1.5, -0.5))
    others(tmp_path, others_of(CHOICES, {"dev.json": theirs}))
    assert fetched(tmp_path, {"dev.json": theirs}) == 3
    assert not (tmp_path / "home" / "submissions").exists(), "no row comes of them"
    said = capsys.readouterr().err
    assert "probabilities.tsv:2:1 TSV-PROBABILITIES '0.5 0.502'; expected numbers from 0 to" in said
    assert "probabilities.tsv:3:1 TSV-PROBABILITIES '1.5 -0.5'" in said
    board = boards.load(tmp_path / "boards" / "mini")
    path = tmp_path / "home" / "data" / "mini" / "third-party" / "tree.dev.probabilities.tsv"
    path.write_text("0.5\t0.5\n")
    with pytest.raises(DataError, match="1 row; expected 3, one an item"):
        read_probabilities(board, "tree", "dev", tmp_path / "home")


REFERENCES = {"name": "by-reference", "source": {"format": "lines", "without": ["3", "6-7"]},
              "one_a": "reference", "columns": [{"name": "text", "field": "."}]}
STORIES = {"task": "anlg", "settings": {"most_references": 5, "null": "obs1"},
           "metrics": ["ROUGE-L"], "ranking": ["ROUGE-L"],
           "splits": {"dev": {"file": "dev.tsv", "rows": 2, "gold": "public", "golds": 2}}}


def stories(folder: Path, theirs: bytes) -> int:
    """Two contexts, the first with two references, and a file with a line for each reference."""
    board_yaml(folder, **STORIES)
    (folder / "boards" / "mini" / "data" / "dev.tsv").write_text("a\tb\tr1\tr2\nc\td\tr3\n")
    (folder / "boards" / "mini" / "others.yaml").write_text(yaml.safe_dump(
        others_of(REFERENCES, {"dev.txt": theirs})))
    return fetched(folder, {"dev.txt": theirs})


def test_lines_one_a_reference_make_a_row_an_item(tmp_path: Path) -> None:
    assert stories(tmp_path, b" One.\n One. \nof none\n Two.\n") == 0
    assert rows(tmp_path) == "One.\nTwo.\n"


@pytest.mark.parametrize(("theirs", "said"), [
    (b"One.\nOne, too.\nx\nTwo.\n",
     "dev.txt: record 2: 'One, too.'; expected the same as in record 1, for both are of item 1"),
    (b"One.\nOne.\nx\nTwo.\nTwo.\n",
     "dev.txt: 4 records; expected 3, one for each reference of dev"),
    (b"One.\nOne.\n", "dev.txt: 2 records; expected 3, one for each reference of dev"),
])
def test_lines_one_a_reference_that_do_not_fit_are_refused(
    tmp_path: Path, theirs: bytes, said: str, capsys: Any,
) -> None:
    assert stories(tmp_path, theirs) == 3
    assert said in capsys.readouterr().err


# ---- what does not fit ---------------------------------------------------------------------


GOOD = {"dev.txt": ("\n".join(GRAPHS) + "\n").encode(), "given.txt": GIVEN.encode()}
SWAPPED = "".join(GIVEN.splitlines(keepends=True)[place] for place in (1, 0, 2))


@pytest.mark.parametrize(("change", "said"), [
    ({"dev.txt": "\n".join(GRAPHS[:2]).encode()},
     ["dev.txt: 2 records; expected 3, one for each item of dev"]),
    ({"dev.txt": "\n".join((*GRAPHS, GRAPHS[0])).encode()},
     ["dev.txt: 4 records; expected 3, one for each item of dev"]),
    ({"given.txt": SWAPPED.encode()},
     ["given.txt: record 1: field '@given': 'B: Rain is bad. A: Rain waters fields. S: counter'; "
      "expected a text that begins with 'B: Cats are good. A: Cats purr. S: ', as item 1 of dev is",
      "given.txt: record 2: field '@given': 'B: Cats"]),
    ({"given.txt": b"".join(GIVEN.encode().splitlines(keepends=True)[:2])},
     ["dev.txt: record 3: field '@key': '3'; expected a record of that name in given.txt"]),
    ({"given.txt": (GIVEN + "B: more\n").encode()},
     ["given.txt: record 4: of no item of dev; expected records of its items alone"]),
    ({"dev.txt": b"one\n\xff\xfe"}, ["dev.txt: line 2: not UTF-8; expected text"]),
    ({"given.txt": GIVEN.replace(" S: counter", " counter").encode(), "checks": b""},
     ["given.txt: record 2: field '@given': 'B: Rain is bad. A: Rain waters fields. "
      "counter'; expected a text with 'S: ' in it"]),
])
def test_a_file_in_lines_that_does_not_fit_is_refused_with_file_and_line(
    tmp_path: Path, change: dict[str, bytes], said: list[str], capsys: Any,
) -> None:
    form = BY_LINE if "checks" not in change else {**BY_LINE, "checks": []}
    found = refused(tmp_path, form, {**GOOD, **change}, capsys)
    for one in said:
        assert one in found


@pytest.mark.parametrize(("records", "said"), [
    ([record(0), record(1), record(0)],
     "dev.jsonl: record 3: field 'b': 'Cats are good.' and 'Cats purr.' as in record 1; expected "
     "another name for each record"),
    ([record(0), {"b": "Rain is bad."}],
     "dev.jsonl: record 2: field 'a': nothing there; expected a text or a number; there are 'b'"),
    ([record(0), record(1, a="Rain falls.")],
     "dev.jsonl: record 2: of no item of dev; expected records of its items alone"),
    ([record(1), record(0, made="none")], "dev.jsonl: record 2: field '@theirs.made.graph': the "
     "text 'none' at @theirs.made; expected something with 'graph' in it"),
    ([record(0, stance=["support"])], "dev.jsonl: record 1: field '@theirs.stance': a list; "
     "expected a text or a number"),
    ([], "dev.jsonl: 0 records, of no item of dev; expected records of its items"),
    ([record(0, b="Dogs are good.")], "dev.jsonl: 1 record, of no item of dev; expected records"),
])
def test_records_that_do_not_fit_are_refused_with_file_and_record(
    tmp_path: Path, records: list[Any], said: str, capsys: Any,
) -> None:
    assert said in refused(tmp_path, BY_TEXTS, {"dev.jsonl": lines(records)}, capsys)


def test_records_of_no_item_may_be_there_where_the_form_says_so_and_one_is_of_an_item(
    tmp_path: Path, capsys: Any,
) -> None:
    form = {**BY_TEXTS, "join": [{**BY_TEXTS["join"][0], "more": True}]}
    said = refused(tmp_path, form, {"dev.jsonl": lines([record(0, b="Dogs are good.")])}, capsys)
    assert "dev.jsonl: 1 record, of no item of dev; expected records of its items" in said
    made(tmp_path, form, {"dev.jsonl": lines([record(0), record(1, a="Rain falls.")])})
    assert rows(tmp_path).startswith(f"support\t{GRAPHS[0]}\n-\t-\n")


PREDICTIONS = "".join(f"{stance}\t{graph}\n"
                      for (_, _, stance), graph in zip(ITEMS, GRAPHS, strict=True))


@pytest.mark.parametrize(("theirs", "said"), [
    (b"".join(PREDICTIONS.encode().splitlines(keepends=True)[:2]),
     "theirs.tsv:2:1 TSV-ROWS 2 rows; expected 3"),
    (PREDICTIONS.replace("counter", "1").encode(), "theirs.tsv:2:1 TSV-LABEL stance '1'; expected"),
    (b"", "theirs.tsv:1:1 TSV-EMPTY no bytes"),
    (b"\x00\xff\n", "theirs.tsv:1:1 TSV-ROWS 1 row; expected 3"),
])
def test_a_predictions_file_that_could_not_be_scored_is_no_row(
    tmp_path: Path, theirs: bytes, said: str, capsys: Any,
) -> None:
    assert said in refused(tmp_path, None, {"theirs.tsv": theirs}, capsys)


def test_ids_in_another_order_are_refused_with_what_was_expected(
    tmp_path: Path, capsys: Any,
) -> None:
    theirs = choices((0, 1), (1, 0), (1, 0)).replace(b"dev.1", b"dev.9")
    said = refused(tmp_path, CHOICES, {"dev.json": theirs}, capsys)
    assert said.count("dev.json: record 2: field 'id': 'dev.9'; expected 'dev.1', as item 2 of dev "
                      "is") == 2  # in the predictions, and in the probabilities


def test_every_fault_comes_in_one_pass(tmp_path: Path, capsys: Any) -> None:
    given = GIVEN.replace("Cats", "Dogs").replace("Tea", "Ice")
    said = refused(tmp_path, BY_LINE, {"dev.txt": "\n".join((*GRAPHS, "x")).encode(),
                                       "given.txt": given.encode()}, capsys)
    assert [line.split("; ")[0] for line in said.strip().split("\n")[1:]] == [
        "dev.txt: 4 records",
        "given.txt: record 1: field '@given': 'B: Dogs are good. A: Dogs purr. S: support'",
        "given.txt: record 3: field '@given': 'B: Ice is hot. A: Ice is brewed. S: support'"]


def test_what_was_made_before_stays_where_new_files_do_not_fit(
    tmp_path: Path, capsys: Any,
) -> None:
    before = made(tmp_path, BY_LINE, GOOD)
    bad = {**GOOD, "dev.txt": b"one\n"}
    others(tmp_path, others_of(BY_LINE, bad))
    assert fetched(tmp_path, bad) == 3
    assert rows(tmp_path) == before
    folder = tmp_path / "home" / "submissions" / "mini" / "third-party" / "tree"
    assert (folder / "predictions.dev.tsv").read_text("utf-8") == before


def test_a_file_of_another_digest_under_its_published_name_is_named_too(
    tmp_path: Path, capsys: Any,
) -> None:
    described = others_of(BY_LINE, GOOD)
    described["sources"][0]["files"][0]["path"] = "out/generations.txt"
    others(tmp_path, described)
    rest = {name: content for name, content in GOOD.items() if name != "dev.txt"}
    assert fetched(tmp_path, {**rest, "generations.txt": b"one\n"}) == 0
    assert "(somewhere/generations.txt: SHA-256 is " in capsys.readouterr().out
    assert fetched(tmp_path, {**rest, "generations.txt": b"one\n", "dev.txt": b"two\n"}) == 0
    assert "(somewhere/dev.txt: SHA-256 is " in capsys.readouterr().out


def test_a_file_of_another_digest_is_not_taken_and_named(tmp_path: Path, capsys: Any) -> None:
    others(tmp_path, others_of(BY_LINE, GOOD))
    assert fetched(tmp_path, {**GOOD, "dev.txt": b"one\n"}) == 0
    said = capsys.readouterr().out
    assert "dev.txt is not in " in said
    assert (f"(somewhere/dev.txt: SHA-256 is {sha256(b'one' + bytes([10]))[:12]}..., "
            f"expected {sha256(GOOD['dev.txt'])[:12]}...)") in said
    assert not [*(tmp_path / "home").rglob("tree*")]
    (tmp_path / "source" / "dev.txt").write_bytes(b"one\n")  # at its own path: surely meant
    assert main(["data", "fetch", "mini", "--boards", str(tmp_path / "boards"), "--from",
                 str(tmp_path / "source"), "--home", str(tmp_path / "home")]) == 3
    assert "dev.txt: SHA-256 is" in capsys.readouterr().err


def test_a_file_of_too_many_bytes_is_not_read_and_said_to_be_such(
    tmp_path: Path, capsys: Any,
) -> None:
    others(tmp_path, others_of(BY_LINE, GOOD))
    source = tmp_path / "source"
    source.mkdir()
    with (source / "dev.txt").open("wb") as file:
        file.truncate(fetching.LARGEST + 1)
    assert main(["data", "fetch", "mini", "--boards", str(tmp_path / "boards"), "--from",
                 str(source), "--home", str(tmp_path / "home")]) == 3
    assert f"dev.txt: more than {fetching.LARGEST} bytes" in capsys.readouterr().err


def test_what_a_killed_run_left_half_written_is_no_file_of_a_submission(tmp_path: Path) -> None:
    made(tmp_path, BY_LINE, GOOD)
    home = tmp_path / "home"
    left = [home / "data" / "mini" / ".dev.txt.a1b2c3d4.partial",
            home / "submissions/mini/third-party/tree/.submission.yaml.a1b2c3d4.partial"]
    for path in left:
        path.write_bytes(b"half")
    assert fetched(tmp_path, GOOD) == 0
    assert read_submission(left[1].parent, reserved=True)[1] == []


def test_the_right_one_of_several_files_of_a_name_is_taken(tmp_path: Path) -> None:
    others(tmp_path, others_of(BY_LINE, GOOD))
    source = tmp_path / "source"
    for folder, content in (("a", b"one\n"), ("b/c", GOOD["dev.txt"])):
        (source / folder).mkdir(parents=True)
        (source / folder / "dev.txt").write_bytes(content)
    (source / "given.txt").write_bytes(GOOD["given.txt"])
    assert main(["data", "fetch", "mini", "--boards", str(tmp_path / "boards"), "--from",
                 str(source), "--home", str(tmp_path / "home")]) == 0
    assert rows(tmp_path).count("\n") == 3


def test_without_its_gold_a_board_makes_no_rows_of_others(tmp_path: Path) -> None:
    others(tmp_path, others_of(BY_LINE, GOOD))
    (tmp_path / "boards" / "mini" / "data" / "dev.tsv").unlink()
    assert fetched(tmp_path, GOOD) == 0
    assert not [*(tmp_path / "home").rglob("tree*")]


# ---- the file itself -----------------------------------------------------------------------


def test_a_row_says_who_made_it_what_it_is_and_where_it_lies(tmp_path: Path) -> None:
    made(tmp_path, BY_LINE, GOOD, what="reproduction", title="Tree (reproduction, Somebody)")
    folder = tmp_path / "home" / "submissions" / "mini" / "third-party" / "tree"
    found, problems = read_submission(folder, reserved=True)
    assert found is not None, problems
    meta = found.meta
    assert meta.system == "Tree (reproduction, Somebody)"
    assert meta.description == ("A tree. A reproduction by Somebody 2026, not the predictions of "
                                "the system's authors.")
    assert meta.links == (Link(f"dev.txt of owner/name at {COMMIT[:7]}",
                               f"https://github.com/owner/name/blob/{COMMIT}/out/dev.txt"),)
    assert meta.licence == "MIT"
    assert [one.url for one in boards.load(tmp_path / "boards" / "mini").downloads] == [
        f"https://raw.githubusercontent.com/owner/name/{COMMIT}/out/{name}" for name in GOOD]


def changed_form(**values: Any) -> dict[str, Any]:
    return {"forms": [{**BY_LINE, **values}]}


def changed_row(**values: Any) -> dict[str, Any]:
    [row] = others_of(BY_LINE, GOOD)["systems"]
    return {"systems": [{**row, **values}]}


@pytest.mark.parametrize(("change", "said"), [
    (changed_row(splits={"dev": {"file": "dev.txt", "form": "other"}}),
     "form other of tree; expected one of the forms; mend the name"),
    (changed_row(splits={"dev": {"file": "else.txt", "form": "by-line"}}),
     "the file else.txt of tree; expected a file of sources; add it there"),
    (changed_row(splits={"test": {"file": "dev.txt", "form": "by-line"}}),
     "predictions of tree for test; expected a split with public gold; remove them"),
    (changed_row(what="reproduction"),
     "the title of tree; expected one that says that it is a reproduction"),
    (changed_row(what="copy"), "what: 'copy'; expected one of: authors, reproduction, third-party"),
    (changed_form(checks=[{"field": ".", "equals": "{gold}"}]),
     "{gold} in a check of form by-line; expected one of: argument, belief, place, row"),
    (changed_form(checks=[{"field": ".", "equals": "a", "begins": "a"}]),
     "a check of .; expected equals or begins, one of them"),
    (changed_form(one_a="reference"),
     "one_a: reference in form by-line; expected a task with references"),
    (changed_form(source={"format": "lines", "file": "given.txt"}),
     "form by-line with a file for every source; expected one source without"),
    (changed_form(source={"format": "tsv", "without": ["1"]}),
     "without of a source of format tsv; expected that field for lines alone"),
    (changed_form(join=[{"name": "given", "source": {"format": "inputs"}, "key": "@key",
                         "matches": "@key"}]), "a source of format inputs; expected that format "
     "in others.yaml alone, for the first source"),
    (changed_form(join=[{"name": "given", "source": {"format": "jsonl"}, "key": ["a", "b"],
                         "matches": "@key"}]), "2 fields in key and 1 in matches of join given"),
    (changed_form(source={"format": "lines", "without": ["a-b"]}),
     "a line's number, or first-last"),
    ({"sources": [{**others_of(BY_LINE, GOOD)["sources"][0], "commit": "main"}]},
     "commit: 'main'; expected 40 hexadecimal digits"),
])
def test_what_does_not_fit_is_told_of_the_file(
    tmp_path: Path, change: dict[str, Any], said: str,
) -> None:
    with pytest.raises(SubmissionError) as found:
        others(tmp_path, {**others_of(BY_LINE, GOOD), **change})
    assert said in str(found.value)
    assert "others.yaml:" in str(found.value)


def test_a_wrong_field_is_told_with_its_line_and_column(tmp_path: Path) -> None:
    place = board_yaml(tmp_path)
    text = yaml.safe_dump(others_of(BY_LINE, GOOD), sort_keys=False).replace(
        "saw_dev_gold: false", "saw_dev_gold: perhaps")
    (place / "others.yaml").write_text(text)
    line = next(number for number, one in enumerate(text.split("\n"), start=1) if "perhaps" in one)
    with pytest.raises(SubmissionError, match=f"others.yaml:{line}:17 META-VALUE systems: "
                       "saw_dev_gold: 'perhaps'; expected yes or no"):
        boards.load(place)


def test_a_board_reads_no_inputs_and_needs_files(tmp_path: Path) -> None:
    recipe = {"to": "dev.tsv", "source": {"format": "inputs"},
              "columns": [{"name": "x", "field": "belief"}]}
    with pytest.raises(SubmissionError, match="a source of format inputs"):
        boards.load(board_yaml(tmp_path, **{"import": [recipe]}))
    recipe["source"] = {"format": "lines"}
    with pytest.raises(SubmissionError, match=r"a source of dev.tsv without a file"):
        boards.load(board_yaml(tmp_path, **{"import": [recipe]}))


@pytest.mark.parametrize("name", boards.known_boards(boards.boards_folder()))
def test_every_system_of_others_names_its_licence_and_where_it_lies(name: str) -> None:
    for row in boards.load(name).third_party:
        assert row.licence
        assert row.by in row.description
        assert row.source.url.startswith("https://github.com/")
        assert row.source.title.partition(" at ")[2] in row.source.url


# ---- what official files make --------------------------------------------------------------


def values(place: Path, home: Path, out: Path, split: str, metrics: Sequence[str],
           ) -> dict[str, float]:
    assert main(["score", str(place), "--home", str(home), "--results", str(out), "--models", "no",
                 "--quiet", "--no-null", "--metrics", ",".join(metrics)]) == 0
    path = out / place.parent.parent.name / "third-party" / place.name / f"{split}.json"
    found = json.loads(path.read_text())["metrics"]
    return {name: one["value"] for name, one in found.items() if one["value"] is not None}


@pytest.fixture(scope="module")
def brought(data: Path, tmp_path_factory: Any) -> Path:
    """A home with what official data lie here, by one command."""
    home: Path = tmp_path_factory.mktemp("others") / "home"
    known = wordnet.folder(Path(os.environ.get("WHYBOARD_HOME") or ROOT / ".whyboard"))
    if known.is_dir():
        wordnet.folder(home).parent.mkdir(parents=True)
        wordnet.folder(home).symlink_to(known.resolve())
    assert main(["data", "fetch", "--all", "--from", str(data), "--home", str(home)]) == 0
    return home


def places(home: Path, board: str) -> list[Path]:
    found = sorted((home / "submissions" / board / "third-party").glob("*"))
    if not found:
        pytest.skip(f"no predictions of others for {board} among the official data")
    return found


@pytest.mark.slow
@pytest.mark.claim("Nine systems of others on ExplaGraphs dev are scored from their own files.")
def test_systems_of_others_on_explagraphs_have_their_figures(brought: Path, tmp_path: Path) -> None:
    rows_there = places(brought, "explagraphs")
    assert {place.name for place in rows_there} == {*EXPLAGRAPHS}
    for place in rows_there:
        names = ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "GED")
        found = values(place, brought, tmp_path, "dev", names)
        for name, expected in zip(names, EXPLAGRAPHS[place.name], strict=True):
            if expected is not None:
                assert found[name] == pytest.approx(expected, abs=5e-5), (place.name, name)


@pytest.mark.slow
@pytest.mark.claim("Five systems of others on aNLI test are scored from their own files.")
def test_systems_of_others_on_anli_have_their_accuracies_and_probabilities(
    brought: Path, tmp_path: Path,
) -> None:
    board = boards.load("anli")
    rows_there = places(brought, "anli")
    assert {place.name for place in rows_there} == {*ANLI}
    for place in rows_there:
        found = values(place, brought, tmp_path, "test", ["accuracy"])
        assert found["accuracy"] == pytest.approx(ANLI[place.name], abs=5e-5)
        chances = read_probabilities(board, place.name, "test", brought)
        assert chances is not None
        assert len(chances) == 3059
        taken = (place / "predictions.test.tsv").read_text().split()
        assert all((first >= second) == (label == "1")
                   for (first, second), label in zip(chances, taken, strict=True))


@pytest.mark.slow
def test_grf_has_its_figures_on_anlg(brought: Path, tmp_path: Path) -> None:
    [place] = places(brought, "anlg")
    found = values(place, brought, tmp_path, "test", [*GRF])
    for name in found:  # METEOR needs WordNet
        assert found[name] == pytest.approx(GRF[name], abs=5e-7)
    assert {*GRF} - {*found} <= {"METEOR"}
