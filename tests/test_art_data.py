"""ART's official files: brought by the user, known by digest, and what they score."""

import json
import shutil
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.files import sha256
from scorer.models.registry import Models
from scorer.scoring.reference import write_baseline
from scorer.scoring.submissions import Scorer
from tests.test_board_import import as_yaml

Printed = pytest.CaptureFixture[str]
ROOT = Path(__file__).parent.parent
ITEMS = b"".join(
    json.dumps({"story_id": f"s{n}", "obs1": "a", "obs2": "b", "hyp1": "c", "hyp2": f"d {n}"})
    .encode() + b"\n" for n in range(3))
LABELS = b"1\n2\n2\n"
ROWS = b"s0\ta\tb\tc\td 0\t1\ns1\ta\tb\tc\td 1\t2\ns2\ta\tb\tc\td 2\t2\n"


@pytest.fixture
def art(data: Path) -> Path:
    folder = data / "art"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


# ---- importing -----------------------------------------------------------------------------------


def small(folder: Path, items: bytes = ITEMS, labels: bytes = LABELS) -> Path:
    """The practice board with a dev split of three rows, made of two files that users have."""
    place = folder / "boards" / "anli-practice"
    place.mkdir(parents=True)
    described = yaml.safe_load((ROOT / "boards" / place.name / "board.yaml").read_text("utf-8"))
    names = ("story_id", "obs1", "obs2", "hyp1", "hyp2")
    (place / "board.yaml").write_text(as_yaml(described | {
        "splits": {"dev": {"file": "dev.tsv", "rows": 3, "gold": "public", "sha256": sha256(ROWS)}},
        "downloads": [{"path": "dev.jsonl", "title": "A", "sha256": sha256(items)},
                      {"path": "labels.lst", "title": "A", "sha256": sha256(labels),
                       "url": "https://example.org/dev-labels.lst"}],
        "import": [{
            "to": "dev.tsv", "source": {"file": "dev.jsonl", "format": "jsonl"},
            "join": [{"name": "label", "source": {"file": "labels.lst", "format": "lines"},
                      "key": "@key", "matches": "@key"}],
            "columns": [*({"name": name, "field": name} for name in names),
                        {"name": "label", "field": "@label"}]}]}), "utf-8")
    return place


def official(folder: Path, items: bytes = ITEMS, labels: bytes = LABELS) -> None:
    folder.mkdir(parents=True)
    (folder / "dev.jsonl").write_bytes(items)
    (folder / "dev-labels.lst").write_bytes(labels)


def imported(folder: Path, verb: str = "import") -> int:
    return main(["data", verb, "anli-practice", "--boards", str(folder / "boards"),
                 "--from", str(folder / "official"), "--home", str(folder / "home")])


@pytest.mark.parametrize("where", ["anli", "zip"])
def test_official_files_become_gold_wherever_they_lie(where: str, tmp_path: Path) -> None:
    board, folder = boards.load(small(tmp_path)), tmp_path / "official"
    if where == "zip":
        folder.mkdir()
        with zipfile.ZipFile(folder / "anli.zip", "w") as archive:
            archive.writestr("anli/dev.jsonl", ITEMS)
            archive.writestr("anli/dev-labels.lst", LABELS)
    else:
        official(folder / where)
    assert imported(tmp_path) == 0
    made = board.data_file("dev", tmp_path / "home")
    assert made == tmp_path / "home" / "data" / "anli-practice" / "dev.tsv"
    assert made.read_bytes() == ROWS


@pytest.mark.parametrize(("packed", "damage", "message"), [
    (zipfile.ZIP_DEFLATED, b"PK no zip", "anli.zip: cannot be read as a zip file"),
    (zipfile.ZIP_DEFLATED, b"\xff" * 8, "anli.zip: cannot be read as a zip file (Error -3"),
    (zipfile.ZIP_BZIP2, b"", "no file of anli-practice is there"),
])
def test_a_zip_file_that_does_not_unpack_piece_by_piece_is_no_crash(
    tmp_path: Path, capsys: Printed, packed: int, damage: bytes, message: str
) -> None:
    small(tmp_path)
    path = tmp_path / "official" / "anli.zip"
    (path.parent / "a-folder.zip").mkdir(parents=True)
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("dev.jsonl", ITEMS * 9)
    content = path.read_bytes()
    start = content.index(b"dev.jsonl") + len("dev.jsonl")
    path.write_bytes(damage if damage.startswith(b"PK") else
                     content[:start] + damage + content[start + len(damage):])
    assert imported(tmp_path) == 3
    assert message in "".join(capsys.readouterr())


def test_a_file_without_an_address_is_never_fetched(tmp_path: Path, capsys: Printed) -> None:
    where = ["--boards", str(small(tmp_path).parent), "--home", str(tmp_path / "home")]
    labels = tmp_path / "home" / "data" / "anli-practice" / "labels.lst"
    labels.parent.mkdir(parents=True)
    labels.write_bytes(LABELS)
    assert main(["data", "fetch", "anli-practice", *where]) == 3
    assert "dev.jsonl: it is published nowhere; name a folder" in capsys.readouterr().err


def test_the_command_says_how_data_come_and_that_none_did(tmp_path: Path, capsys: Printed) -> None:
    home = ["--home", str(tmp_path / "home")]
    assert main(["data", "status", "anli", *home]) == 0
    said = capsys.readouterr().out
    assert "anli test: not on this machine; run: scorer data fetch anli" in said
    assert "anli train: not on this machine; run: scorer data import anli --from DIR" in said
    assert main(["data", "import", "anli", "--from", str(tmp_path), *home]) == 3
    told = capsys.readouterr()
    assert f"anli: dev.jsonl is not in {tmp_path}" in told.out
    assert f"{tmp_path}: no file of anli is there" in told.err


# ---- the real thing ------------------------------------------------------------------------------


def brought(board: str, art: Path, home: Path) -> tuple[Any, ...]:
    """The items of dev, imported."""
    assert main(["data", "import", board, "--from", str(art), "--home", str(home)]) == 0
    described = boards.load(board)
    path = described.data_file("dev", home)
    assert path is not None
    return read_golds(described, "dev", path).items


@pytest.mark.whole
def test_the_official_dev_of_anli_has_its_rows_and_its_majority(art: Path, tmp_path: Path) -> None:
    golds = brought("anli", art, tmp_path)
    assert Counter(gold.label for gold in golds) == {"1": 781, "2": 751}
    shutil.copyfile(art / "dev-labels.lst", tmp_path / "gold.lst")
    (tmp_path / "ones.lst").write_text("1\n" * 1532)
    board, run = boards.load("anli"), Scorer(Models(allowed=False), tmp_path)
    for name, wanted in (("ones.lst", 781 / 1532), ("gold.lst", 1.0)):
        result = run.file(board, tmp_path / name, "dev", run.gold(board, "dev"))
        assert result.metrics["accuracy"].value == wanted
    assert pytest.approx(.509791122715404) == 781 / 1532  # V12


def test_the_contexts_of_anlg_have_all_their_references(art: Path, tmp_path: Path) -> None:
    golds = brought("anlg", art, tmp_path)
    assert Counter(len(gold.references) for gold in golds) == {1: 45, 2: 64, 3: 193, 4: 889, 5: 588}
    assert sum(len(gold.references) for gold in golds) == 7248


@pytest.mark.slow
def test_one_person_against_the_others_scores_as_the_paper_says_of_people(
    art: Path, tmp_path: Path, lexicon: object
) -> None:
    """The paper prints 8.25, 26.71, 30.40 and 53.56 for test; these are the validation contexts."""
    from scorer.tasks.texts.task import AbductiveGeneration

    board = boards.load("anlg")
    brought("anlg", art, tmp_path)
    row = AbductiveGeneration.baselines["held-out-reference"]
    folder = write_baseline(board, row, ["dev"], tmp_path, tmp_path, Models(allowed=False))
    assert folder is not None
    models = Models({"wordnet": str(_wordnet())})
    run = Scorer(models, tmp_path, metrics=("BLEU-4", "METEOR", "ROUGE-L", "CIDEr"),
                 with_null=False)
    [result] = run.score(folder)
    found = {name: 100 * (value.value or 0) for name, value in result.metrics.items()}
    assert found == pytest.approx(
        {"BLEU-4": 7.76, "METEOR": 26.06, "ROUGE-L": 29.93, "CIDEr": 53.22}, abs=.005)
    assert result.counts["items"] == 1779 - 45


OFFICIAL = {"BLEU-1": .681481, "BLEU-2": .553775, "BLEU-3": .434476, "BLEU-4": .329003,
            "METEOR": .591530, "ROUGE-L": .620679, "CIDEr": 2.199209}
"""Corpus scores of the unmodified released evaluation with nltk 3.4.5 for the 50 pairs."""


def test_the_fifty_pairs_have_the_official_numbers_through_the_command(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [line.split("\t") for line in (vectors / "art" / "pairs.tsv").read_text("utf-8")
            .removesuffix("\n").split("\n")]
    monkeypatch.chdir(tmp_path)
    for name, lines in (
        ("p.tsv", [f"{n}\t{row[0]}" for n, row in enumerate(rows, start=1)]),
        ("s.tsv", [f"before {n}\tafter {n}" for n in range(len(rows))]),
        ("r.tsv", ["\t".join(row[1:]) for row in rows]),
    ):
        Path(name).write_text("\n".join(lines) + "\n", "utf-8")
    assert main(["score", "p.tsv", "--board", "anlg", "--split", "test", "--gold-source", "s.tsv",
                 "--gold-references", "r.tsv", "--no-null", "--model",
                 f"wordnet={_wordnet()}", "--models", "no", "--json", "out.json"]) == 0
    found = json.loads(Path("out.json").read_bytes())["metrics"]
    for name, wanted in OFFICIAL.items():
        if found[name]["value"] is None:
            assert name == "METEOR"
            pytest.skip(f"the others agree; {found[name]['reason']}")
        assert found[name]["value"] == pytest.approx(wanted, abs=1e-6)


def _wordnet() -> Path:
    from scorer.core.files import home_folder
    from scorer.models.wordnet import folder

    home = home_folder()
    return folder(home if home.is_absolute() else ROOT / home)
