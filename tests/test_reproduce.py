"""The commands that a row's page shows compute the row again, in a checkout of its own."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.core.results import Result
from scorer.lab.systems import records
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import files as results
from scorer.scoring.results.reproduce import AGAIN, SHIPPED, commands
from tests.ci_world import git

ROOT = Path(__file__).resolve().parent.parent
PRACTICE, OFFICIAL = load("explagraphs-practice"), load("explagraphs")


def committed(place: str, split: str = "dev") -> Result:
    return results.read(ROOT / "results" / place / f"{split}.json")


def compare(folder: Path, row: Result, unmeasured: frozenset[str] = frozenset()) -> None:
    """Every committed number again to 1e-12, to 1e-6 where a model gave it.

    Models' values are rounded to 1e-6, which processors of different makes may do differently.
    """
    place = (row.board, row.team, row.system, row.split)
    again, before = (json.loads(results.result_path(top, *place).read_bytes())["metrics"]
                     for top in (folder / AGAIN, ROOT / "results"))
    assert again.keys() == before.keys()
    for metric, old in before.items():
        if again[metric]["value"] is None and metric in unmeasured:
            continue
        new, most = numbers(again[metric]), 1e-6 if METRICS[metric].model else 1e-12
        for name, number in numbers(old).items():
            assert new[name] == pytest.approx(number, abs=most, rel=0), (metric, name)
        assert again[metric].get("signature") == old.get("signature")


def numbers(metric: Any) -> dict[str, float]:
    flat = {**metric, **{f"passed {key}": each for key, each in metric.get("passed", {}).items()}}
    return {name: each for name, each in flat.items() if isinstance(each, (int, float))}


NEED_MODELS = frozenset({"G-BERTScore[minilm-l6]", "SeCA", "EA"})


# ---- words ---------------------------------------------------------------------------------


def test_each_kind_of_row_has_its_commands() -> None:
    fetch = "scorer data fetch explagraphs"
    models = " --models fetch"
    row = committed("explagraphs-practice/reference/null")
    assert commands(PRACTICE, row.replace(team="a-team", system="a-system")) == (
        f"scorer score submissions/explagraphs-practice/a-team/a-system --results again{models}",)
    assert commands(PRACTICE, committed("explagraphs-practice/reference/null", "test")) == (
        "scorer baseline null --board explagraphs-practice --split test --out again/submissions",
        "scorer score again/submissions/explagraphs-practice/reference/null --results again"
        f"{models}")
    assert commands(OFFICIAL, committed("explagraphs/third-party/max-margin")) == (
        fetch, "scorer score .whyboard/submissions/explagraphs/third-party/max-margin "
        f"--results again{models}")
    name = "explagraphs/reference/null-of-third-party-max-margin"
    assert commands(OFFICIAL, committed(name)) == (
        fetch, "scorer baseline --null-of .whyboard/submissions/explagraphs/third-party/max-margin "
        "--out again/submissions",
        f"scorer score again/submissions/{name} --results again{models}")


def test_a_row_of_ours_on_data_that_may_not_be_committed_is_predicted_again() -> None:
    row = committed("explagraphs/third-party/max-margin").replace(
        team="whyboard", system="structured-max-margin-stances")
    place = "again/submissions/explagraphs/whyboard/structured-max-margin-stances"
    theirs = ".whyboard/submissions/explagraphs/third-party/max-margin/predictions.dev.tsv"
    assert commands(OFFICIAL, row)[1:] == (
        f"scorer predict structured --labels {theirs} --board explagraphs --split dev "
        f"--out {place}", f"scorer score {place} --results again --models fetch")
    own = commands(OFFICIAL, row.replace(system="structured"))
    assert own[1].startswith("scorer predict structured --board explagraphs ")
    # A row's name is a system's only where the program has its weights.
    assert {*SHIPPED} == {*records.FOLDERS}
    assert commands(OFFICIAL, row.replace(system="our-t5")) == ()
    practice = committed("explagraphs-practice/reference/null").replace(team="whyboard")
    assert commands(PRACTICE, practice)[0].startswith("scorer score submissions/")


def test_a_reference_row_that_no_program_writes_is_scored_as_it_was_committed() -> None:
    row = committed("explagraphs-practice/reference/null").replace(system="by-hand")
    assert commands(PRACTICE, row)[0].startswith(
        "scorer score submissions/explagraphs-practice/reference/by-hand ")


@pytest.mark.parametrize(("tag", "options"), [
    (None, ""), ("encoder:minilm-l6-L6-53aa51172d14", " --models fetch"),
    ("judge:seca-T128-steady-0123456789ab", " --models fetch"),
    ("judge:seca-T128-padded-0123456789ab", " --models fetch --device cuda"),
    ("judge:seca-T128-bfloat16-padded-0123456789ab",
     " --models fetch --device cuda --dtype bfloat16")])
def test_models_run_as_their_signature_says(tag: str | None, options: str) -> None:
    row = committed("explagraphs-practice/reference/null")
    row = row.replace(team="t", models={"x": tag} if tag else {})
    assert commands(PRACTICE, row)[-1].endswith(f"/t/null --results again{options}")


def test_where_gold_is_hidden_there_is_no_command_and_a_commit_comes_first() -> None:
    row = committed("explagraphs-practice/reference/null")
    assert commands(PRACTICE, row, "a" * 40)[0] == f"git switch --detach {'a' * 40}"
    splits = {**PRACTICE.splits, "dev": replace(PRACTICE.splits["dev"], gold="hidden")}
    assert commands(replace(PRACTICE, splits=splits), row) == ()


# ---- run -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.claim("The commands shown on a row's page give its numbers again.")
def test_the_commands_of_a_reference_row_give_its_numbers_in_a_clone(tmp_path: Path) -> None:
    """A row without models' values, in a clone of the program with the board of the row."""
    for part in ("scorer", "boards/anli-practice"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=Start")
    row, commit = committed("anli-practice/reference/majority"), git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "boards/anli-practice/data/dev.tsv").write_text("changed since\n")
    git(tmp_path, "commit", "--quiet", "--all", "--message=Later")
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("WHYBOARD", "PYTHONPATH"))}
    for line in commands(load("anli-practice"), row, commit):
        words = shlex.split(line)
        if words[0] == "scorer":
            words = [sys.executable, "-m", *words]
        ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=environment,
                             check=False)
        assert ran.returncode == 0, f"{line}\n{ran.stderr}"
    compare(tmp_path, row)


@pytest.mark.slow
def test_the_commands_of_predictions_by_others_give_their_numbers(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without models, which read all of these graphs for most of a minute."""
    row = committed("explagraphs/third-party/max-margin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHYBOARD_HOME", raising=False)
    fetch, score = (shlex.split(line.replace("--models fetch", "--models no"))
                    for line in commands(OFFICIAL, row))
    assert main([*fetch[1:], "--from", str(data / "explagraphs")]) == 0
    assert main(score[1:]) == 0
    compare(tmp_path, row, NEED_MODELS)
