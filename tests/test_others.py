"""others.yaml: predictions that others made, from their files to rows of ours, or refused.

Forms and files stand in ``cases/others.yaml``, beside what is made of them or is wrong.
"""

import contextlib
import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards import Board, fetching
from scorer.boards.item_files import read_probabilities
from scorer.boards.submission import read as read_submission
from scorer.cli import main
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import sha256
from scorer.core.reading.values import Link
from scorer.models import wordnet
from tests import case_files
from tests.test_board_import import as_tsv, as_yaml, content_of
from tests.test_real_rows import MEASURED

Printed = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parent.parent
CASES = case_files.read("others.yaml")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ROW = {"system": "tree", "title": "Tree", "by": "Somebody 2026", "what": "authors",
       "description": "A tree.", "date": "2026-01", "saw_dev_gold": False}
BY_LINE, CHOICES = CASES["forms"]["by line"], CASES["forms"]["choices"]
GOOD = {"dev.txt": CASES["files"]["graphs"], "given.txt": CASES["files"]["given"]}
GRAPHS = [row[3] for row in CASES["boards"]["mini"]["gold"]]

Files = Mapping[str, Any]
Changes = Mapping[str, Any]


def others_of(form: Changes | None, files: Files, *, system: Changes | None = None,
              repository: Changes | None = None) -> dict[str, Any]:
    """An others.yaml with one system, which answers by the first file."""
    listed = [{"path": f"out/{name}", "to": name, "title": "A file",
               "sha256": sha256(content_of(content))} for name, content in files.items()]
    used = {"form": form["name"]} if form else {}
    return {"sources": [{"repository": "owner/name", "commit": COMMIT, "licence": "MIT",
                         "files": listed, **(repository or {})}],
            **({"forms": [dict(form)]} if form else {}),
            "systems": [{**ROW, "splits": {"dev": {"file": next(iter(files)), **used}},
                         **(system or {})}]}


def others(folder: Path, described: Changes, name: str = "mini") -> Board:
    """A board of few items that carries its gold, with this others.yaml."""
    place = folder / "boards" / "mini"
    (place / "data").mkdir(parents=True, exist_ok=True)
    (place / "data" / "dev.tsv").write_text(as_tsv(CASES["boards"][name]["gold"]), "utf-8")
    (place / "board.yaml").write_text(as_yaml(CASES["boards"][name]["described"]), "utf-8")
    (place / "others.yaml").write_text(as_yaml(described), "utf-8")
    return boards.load(place)


def fetch(folder: Path) -> int:
    """Fetch the board's files from the folder ``source``."""
    return main(["data", "fetch", "mini", "--boards", str(folder / "boards"), "--from",
                 str(folder / "source"), "--home", str(folder / "home")])


def fetched(folder: Path, files: Files) -> int:
    """Fetch the board's files from a folder in which they lie a level down."""
    below = folder / "source" / "somewhere"
    shutil.rmtree(below.parent, ignore_errors=True)
    below.mkdir(parents=True)
    for name, content in files.items():
        (below / name).write_bytes(content_of(content))
    return fetch(folder)


def rows(folder: Path, name: str = "third-party/tree.dev.tsv") -> str:
    return (folder / "home" / "data" / "mini" / name).read_text("utf-8")


def submission(folder: Path) -> Path:
    return folder / "home" / "submissions" / "mini" / "third-party" / "tree"


def made(folder: Path, form: Changes, files: Files, **more: Any) -> str:
    others(folder, others_of(form, files, **more))
    assert fetched(folder, files) == 0
    return rows(folder)


def faults(folder: Path, case: Mapping[str, Any]) -> list[str]:
    """What is said of a case's files, which do not fit; nothing may be written."""
    described = others_of(case.get("form"), case["files"])
    others(folder, described, case.get("board", "mini"))
    with contextlib.redirect_stdout(io.StringIO()), (
            contextlib.redirect_stderr(io.StringIO())) as err:
        assert fetched(folder, case["files"]) == 3
    assert not [*(folder / "home").rglob("tree.dev*")]
    assert not (folder / "home" / "submissions").exists()
    said = err.getvalue().replace(f"{folder / 'home' / 'data' / 'mini'}/", "")
    return [line for line in said.splitlines() if not line.endswith(" cannot be made:")]


def misfits(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Changes of a good others.yaml, and what is said of each."""
    for number, change in enumerate(CASES["misfits"]):
        form = BY_LINE | change.get("form", {})
        more = {name: change[name] for name in ("system", "repository") if name in change}
        with pytest.raises(SubmissionError) as caught:
            others(folder / str(number), others_of(form, GOOD, **more))
        yield json.dumps(change), [str(one).partition("others.yaml:")[2]
                                   for one in caught.value.problems]


# ---- forms, and files that do not fit them --------------------------------------------------


@pytest.mark.parametrize("case", CASES["made"], ids=lambda case: case["case"])
def test_a_form_makes_these_rows_of_these_files(case: dict[str, Any], tmp_path: Path) -> None:
    others(tmp_path, others_of(case["form"], case["files"]), case.get("board", "mini"))
    assert fetched(tmp_path, case["files"]) == 0
    assert rows(tmp_path) == as_tsv(case["rows"])


@pytest.mark.parametrize("case", CASES["faults"], ids=lambda case: case["case"])
def test_a_fault_of_a_file_has_its_record_and_field(case: dict[str, Any], tmp_path: Path) -> None:
    found = faults(tmp_path, case)
    assert [line[:len(at)] for line, at in zip(found, case["at"], strict=True)] == case["at"]


def test_whoever_asks_for_no_predictions_by_others_reads_the_board_alone(tmp_path: Path) -> None:
    place = others(tmp_path, others_of(BY_LINE, GOOD)).folder
    (place / "others.yaml").write_text("systems: none\n", "utf-8")
    with pytest.raises(SubmissionError, match=r"others\.yaml"):
        boards.load(place)
    assert boards.load(place, third_party=False).third_party == ()


def test_a_predictions_file_is_taken_as_it_is(tmp_path: Path) -> None:
    files = {"theirs.tsv": "".join(f"support\t{graph}\n" for graph in GRAPHS)}
    assert others(tmp_path, others_of(None, files)).recipes == ()
    assert fetched(tmp_path, files) == 0
    assert (submission(tmp_path) / "predictions.dev.tsv").read_text() == files["theirs.tsv"]


def choices(*pairs: Sequence[float]) -> dict[str, str]:
    """A file with the probabilities of two labels for each item."""
    return {"dev.json": json.dumps([
        {"id": f"dev.{place}", "prediction": int(pair[1] > pair[0]), "p": pair,
         "graph": GRAPHS[place]} for place, pair in enumerate(pairs)])}


def test_probabilities_are_kept_as_printed_beside_the_rows(tmp_path: Path) -> None:
    assert made(tmp_path, CHOICES, choices((0.25, 0.75), (1, 2.5e-17), (0.5, 0.5))) == as_tsv(
        [*zip(("counter", "support", "support"), GRAPHS, strict=True)])
    assert rows(tmp_path, "third-party/tree.dev.probabilities.tsv") == (
        "0.25\t0.75\n1\t2.5e-17\n0.5\t0.5\n")
    board, home = boards.load(tmp_path / "boards" / "mini"), tmp_path / "home"
    assert read_probabilities(board, "tree", "dev", home) == (
        (0.25, 0.75), (1.0, 2.5e-17), (0.5, 0.5))
    assert read_probabilities(board, "other", "dev", home) is None
    assert read_probabilities(board, "tree", "dev", tmp_path) is None


def test_probabilities_with_another_sum_have_their_line(tmp_path: Path, capsys: Printed) -> None:
    files = choices((0.25, 0.75), (0.5, 0.502), (1.5, -0.5))
    board = others(tmp_path, others_of(CHOICES, files))
    assert fetched(tmp_path, files) == 3
    assert not submission(tmp_path).exists(), "no row comes of them"
    said = capsys.readouterr().err
    assert "probabilities.tsv:2:1 TSV-PROBABILITIES '0.5 0.502'" in said
    assert "probabilities.tsv:3:1 TSV-PROBABILITIES '1.5 -0.5'" in said
    home = tmp_path / "home"
    path = home / "data" / "mini" / "third-party" / "tree.dev.probabilities.tsv"
    path.write_text("0.5\t0.5\n")
    with pytest.raises(DataError, match="1 row; expected 3, one an item"):
        read_probabilities(board, "tree", "dev", home)


def test_a_row_says_who_made_it_what_it_is_and_where_it_lies(tmp_path: Path) -> None:
    title = "Tree (reproduction, Somebody)"
    made(tmp_path, BY_LINE, GOOD, system={"what": "reproduction", "title": title})
    found, problems = read_submission(submission(tmp_path), reserved=True)
    assert found is not None, problems
    meta = found.meta
    assert (meta.system, meta.licence) == (title, "MIT")
    assert meta.description == ("A tree. A reproduction by Somebody 2026, not the predictions of "
                                "the system's authors.")
    assert meta.links == (Link(f"dev.txt of owner/name at {COMMIT[:7]}",
                               f"https://github.com/owner/name/blob/{COMMIT}/out/dev.txt"),)
    assert [one.url for one in boards.load(tmp_path / "boards" / "mini").downloads] == [
        f"https://raw.githubusercontent.com/owner/name/{COMMIT}/out/{name}" for name in GOOD]


# ---- files by name and digest ---------------------------------------------------------------


def test_what_was_made_before_stays_where_new_files_do_not_fit(tmp_path: Path) -> None:
    before = made(tmp_path, BY_LINE, GOOD)
    bad = {**GOOD, "dev.txt": "one\n"}
    others(tmp_path, others_of(BY_LINE, bad))
    assert fetched(tmp_path, bad) == 3
    assert rows(tmp_path) == before
    assert (submission(tmp_path) / "predictions.dev.tsv").read_text("utf-8") == before


@pytest.mark.parametrize("name", ["dev.txt", "generations.txt"])
def test_a_file_of_another_digest_is_named(name: str, tmp_path: Path, capsys: Printed) -> None:
    described = others_of(BY_LINE, GOOD)
    described["sources"][0]["files"][0]["path"] = "out/generations.txt"
    others(tmp_path, described)
    assert fetched(tmp_path, {"given.txt": GOOD["given.txt"], name: "one\n"}) == 0
    assert (f"dev.txt is not in {tmp_path / 'source'} (somewhere/{name}: SHA-256 is "
            f"{sha256(b'one' + bytes([10]))[:12]}..., "
            f"expected {sha256(GOOD['dev.txt'].encode())[:12]}...)") in capsys.readouterr().out
    assert not [*(tmp_path / "home").rglob("tree*")]
    (tmp_path / "source" / "dev.txt").write_bytes(b"one\n")  # at its own path: surely meant
    assert fetch(tmp_path) == 3
    assert "dev.txt: SHA-256 is" in capsys.readouterr().err


def test_a_file_of_too_many_bytes_is_never_read(tmp_path: Path, capsys: Printed) -> None:
    others(tmp_path, others_of(BY_LINE, GOOD))
    (tmp_path / "source").mkdir()
    with (tmp_path / "source" / "dev.txt").open("wb") as file:
        file.truncate(fetching.LARGEST + 1)
    assert fetch(tmp_path) == 3
    assert f"dev.txt: more than {fetching.LARGEST} bytes" in capsys.readouterr().err


def test_the_right_one_of_several_files_of_a_name_is_taken(tmp_path: Path) -> None:
    others(tmp_path, others_of(BY_LINE, GOOD))
    source = tmp_path / "source"
    for name, content in (("a/dev.txt", "one\n"), ("b/c/dev.txt", GOOD["dev.txt"]),
                          ("given.txt", GOOD["given.txt"])):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(content)
    assert fetch(tmp_path) == 0
    assert rows(tmp_path).count("\n") == 3


def test_without_its_gold_a_board_makes_no_rows_of_others(tmp_path: Path) -> None:
    (others(tmp_path, others_of(BY_LINE, GOOD)).folder / "data" / "dev.tsv").unlink()
    assert fetched(tmp_path, GOOD) == 0
    assert not [*(tmp_path / "home").rglob("tree*")]


# ---- what official files make --------------------------------------------------------------


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


@pytest.mark.slow
@pytest.mark.claim("Nine systems of others on ExplaGraphs dev are scored from their own files.")
@pytest.mark.claim("Five systems of others on aNLI test are scored from their own files.")
@pytest.mark.parametrize("name", ["explagraphs dev", "anli test"])
def test_systems_of_others_have_their_figures_and_probabilities(
    name: str, brought: Path, tmp_path: Path,
) -> None:
    (board, split), measured = name.split(), MEASURED[name]
    places = sorted((brought / "submissions" / board / "third-party").glob("*"))
    if not places:
        pytest.skip(f"no predictions of others for {board} among the official data")
    assert [place.name for place in places] == sorted(measured)
    for place in places:
        expected = measured[place.name]
        assert main(["score", str(place), "--home", str(brought), "--results", str(tmp_path),
                     "--models", "no", "--quiet", "--no-null",
                     "--metrics", ",".join(expected)]) == 0
        path = tmp_path / board / "third-party" / place.name / f"{split}.json"
        values = {metric: one["value"] for metric, one in json.loads(path.read_text())[
            "metrics"].items() if one["value"] is not None}
        assert values == pytest.approx(expected, abs=5e-5), place.name
        chances = read_probabilities(boards.load(board), place.name, split, brought)
        assert (chances is None) == (board == "explagraphs")
        answers = (place / f"predictions.{split}.tsv").read_text("utf-8").split()
        assert chances is None or [first >= second for first, second in chances] == [
            label == "1" for label in answers]
