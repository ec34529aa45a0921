"""Hidden gold does not get into git: ignored by what we write, and refused where it is there."""

import json
import shutil
from pathlib import Path

import pytest

from scorer import boards
from scorer.cli import main
from scorer.pipeline.ci import hidden_gold
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.hidden import sealed
from tests.ci_world import git

ROOT = Path(__file__).resolve().parent.parent
GRAPH = "(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"
ROWS = [(f"cats {n} are good pets", f"cats {n} purr at home") for n in range(40)]
SECRET = f"AGE-SECRET-KEY-1{'QPZRY9X8GF' * 5}QPZRY9X8"
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEA" * 3
INPUTS = "".join(f"{belief}\t{argument}\n" for belief, argument in ROWS)
HIDDEN = "".join(f"{belief}\t{argument}\tsupport\t{GRAPH}\n" for belief, argument in ROWS)


def run(*words: object) -> int:
    return main([str(word) for word in words])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host's repository: made by `board init` and `board new`, with hidden gold lying about."""
    folder = tmp_path_factory.mktemp("host")
    git(folder, "init", "--quiet")
    assert run("board", "init", "--title", "Mine", "--root", folder) == 0
    data = folder / "data"
    data.mkdir()
    (data / "dev.tsv").write_text(f"cats are good pets\tcats purr at home\tsupport\t{GRAPH}\n" * 2)
    (data / "test.tsv").write_text(INPUTS)
    (data / "test.gold.tsv").write_text(HIDDEN)
    (folder / "gold.tsv").write_text(HIDDEN)
    sealed.write_private(folder / "whyboard.key", sealed.new_identity().encode())
    opened = sealed.new("mine", "test", HIDDEN.encode())
    (folder / "mine.test.gold").write_bytes(opened.to_bytes())
    assert run("board", "new", "mine", "--data", data, "--boards", folder / "boards") == 0
    return folder


@pytest.fixture
def host(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that a test may change."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(folder: Path) -> list[str]:
    git(folder, "add", ".")
    return git(folder, "ls-files").split("\n")


def findings(folder: Path) -> list[str]:
    hidden = [split for board in boards.load_all(folder / "boards")
              for split in hidden_gold.inputs_of(board, folder / ".whyboard")]
    return list(hidden_gold.of_work_tree(Repository(folder), hidden))


# ---- ignored ---------------------------------------------------------------------------------


def test_git_add_takes_the_board_s_data_once_and_no_hidden_gold(host: Path) -> None:
    names = listed(host)
    assert "boards/mine/data/dev.tsv" in names
    assert "boards/mine/data/test.tsv" in names
    own = [name for name in names if not name.startswith(".github/")]
    assert not [name for name in own if name.startswith("data/") or "gold" in name
                or name.endswith(".key")]
    assert (host / "boards/mine/data/test.tsv").read_text() == INPUTS
    assert findings(host) == []


@pytest.mark.parametrize("place", ["gold", "boards/mine/gold"])
def test_of_a_folder_of_gold_git_takes_what_is_sealed(place: str, host: Path) -> None:
    folder = host / place
    folder.mkdir()
    (folder / "mine.test.age").write_bytes(b"age-encryption.org/v1\n")
    (folder / "test.tsv").write_text(HIDDEN)
    assert [name for name in listed(host) if "gold/" in name] == [f"{place}/mine.test.age"]


def test_a_gitignore_of_one_s_own_keeps_its_lines_and_gets_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / ".gitignore"
    path.write_text("*.pyc\n.whyboard/")
    assert run("board", "init", "--root", tmp_path) == 0
    assert ", .gitignore (lines that it lacked)\n" in capsys.readouterr().out
    lines = path.read_text().split("\n")
    assert lines[:2] == ["*.pyc", ".whyboard/"]
    assert {"/data/", "*.gold"} <= set(lines)
    assert lines.count(".whyboard/") == 1
    before = path.read_text()
    assert run("board", "init", "--root", tmp_path) == 0
    assert path.read_text() == before


# ---- refused ---------------------------------------------------------------------------------


def test_the_doctor_refuses_gold_that_git_has_or_would_take(host: Path) -> None:
    (host / "notes").mkdir()
    (host / "notes" / "labels.txt").write_text(HIDDEN)
    (host / "notes" / "few.txt").write_text("".join(HIDDEN.splitlines(keepends=True)[:4]))
    (host / "notes" / "fewer.txt").write_text("".join(HIDDEN.splitlines(keepends=True)[:3]))
    git(host, "add", "--force", "whyboard.key", "mine.test.gold")
    assert findings(host) == [  # and not a word of the gold itself
        "mine.test.gold holds opened gold of mine test",
        "notes/few.txt holds gold of mine test, 4 rows",
        "notes/labels.txt holds gold of mine test, 40 rows",
        "whyboard.key holds a secret key"]


@pytest.mark.parametrize("text", [
    f"key: '{SECRET}' # mine", f"{'x' * 5000}\n{SECRET}\n", SECRET.lower(),
    json.dumps({"deploy": PEM}), PEM.replace("\n", "\r\n    ")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_secret_key_is_found_wherever_in_a_file_it_stands(text: str, encoding: str) -> None:
    assert hidden_gold.held(text.encode(encoding), []) == "a secret key"


@pytest.mark.parametrize(("rows", "wanted"), [(1, 1), (2, 2), (3, 3), (20, 3), (40, 4), (999, 100)])
def test_a_tenth_of_the_rows_is_gold_but_one_or_two_of_many_are_not(rows: int, wanted: int) -> None:
    cells = frozenset(frozenset({str(number)}) for number in range(rows))
    assert hidden_gold.HiddenInputs("mine", "test", cells, frozenset()).enough == wanted


@pytest.mark.parametrize("content", [
    HIDDEN.encode(),
    HIDDEN.replace("\n", "\r\n").encode(),
    HIDDEN.encode("utf-16"),
    HIDDEN.upper().replace("\t", " \t ").encode(),
    "".join(f"support\t{b}\t{a}\n" for a, b in ROWS).encode(),
    "".join(f'"{a}",support,"{b}"\n' for a, b in ROWS).encode(),
], ids=range(6))
def test_gold_is_known_by_its_inputs_in_any_order_and_format(content: bytes, made: Path) -> None:
    hidden = list(hidden_gold.inputs_of(boards.load("mine", made / "boards"), made / ".whyboard"))
    assert [(one.board, one.split, len(one.rows)) for one in hidden] == [("mine", "test", 40)]
    assert hidden_gold.held(content, hidden) == "gold of mine test, 40 rows"


@pytest.mark.parametrize("content", [
    INPUTS.encode(), INPUTS.replace("\n", "\t\n").encode(),
    b"support\t(cats; is a; pets)\n" * 40, b"x," * 100_000,
    b"AGE-SECRET-KEY-1...\n", b"\xff\xfe\x00", b""], ids=range(7))
def test_inputs_alone_and_anything_else_are_no_gold(content: bytes, made: Path) -> None:
    hidden = list(hidden_gold.inputs_of(boards.load("mine", made / "boards"), made / ".whyboard"))
    assert hidden_gold.held(content, hidden) is None


def test_this_repository_holds_no_hidden_gold() -> None:
    assert findings(ROOT) == []


# ---- what waits for a person -----------------------------------------------------------------


@pytest.mark.site
def test_a_build_warns_of_open_fields_and_pages_mark_them(
    host: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    assert run("site", "build") == 0
    report = capsys.readouterr().err
    for field in ("summary", "licence", "attribution", "citation"):
        assert f": {field} is still to be filled in" in report
    assert "warning: site/index.md:" in report
    for page in ("boards/", "boards/mine/", "boards/mine/data/", "about/"):
        html = (host / "_site" / page / "index.html").read_text("utf-8")
        assert 'class="wb-open">To fill in:' in html, page
