"""ART's official files: brought by the user, known by digest, and what they score."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards.golds import needed_golds
from scorer.cli import main
from scorer.models.registry import Models
from scorer.scoring.reference import write_baseline
from scorer.scoring.submissions import Scorer

Printed = pytest.CaptureFixture[str]
ROOT = Path(__file__).parent.parent


@pytest.fixture
def art(data: Path) -> Path:
    folder = data / "art"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


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
    return needed_golds(boards.load(board), "dev", home).items


@pytest.mark.whole
def test_the_official_dev_of_anli_has_its_rows_and_its_majority(art: Path, tmp_path: Path) -> None:
    golds = brought("anli", art, tmp_path)
    assert Counter(gold.label for gold in golds) == {"1": 781, "2": 751}
    shutil.copyfile(art / "dev-labels.lst", tmp_path / "gold.lst")
    (tmp_path / "ones.lst").write_text("1\n" * 1532)
    board, run = boards.load("anli"), Scorer(Models(allowed=False), tmp_path)
    for name, wanted in (("ones.lst", 781 / 1532), ("gold.lst", 1.0)):
        result = run.file(board, tmp_path / name, "dev", run.gold(board, "dev")).result
        assert result.metrics["accuracy"].value == wanted
    assert pytest.approx(.509791122715404) == 781 / 1532  # V12


@pytest.mark.whole
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
