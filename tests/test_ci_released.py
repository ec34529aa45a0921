"""What is published of hidden gold: the released form on its day, whatever a machine hands over."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.boards.policy import Policy
from scorer.core.errors import Problem
from scorer.core.files import json_bytes
from scorer.pipeline.ci import artifact, score
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.review import Review
from scorer.pipeline.ci.runner import Refused
from scorer.pipeline.hidden.age import Identity
from scorer.pipeline.hidden.release import unmeasured
from scorer.scoring.results import files as results
from tests import hidden_world
from tests.hidden_world import BOARD, SECRET, HiddenWorld

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow

Falsify = Callable[[dict[str, Any]], object]


class Scored:
    """Two merged submissions of one owner, and what an honest machine hands over for the first."""

    def __init__(self, seed: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        world: HiddenWorld = hidden_world.make(seed, folder / "w", folder / "apart")
        for number, team in enumerate(("alice", "alice-two")):
            world.push(world.submission(team, number))
        checkout = world.clone("checkout")
        monkeypatch.chdir(checkout)
        monkeypatch.setattr(score, "PACE", 0.0)
        self.checkout, self.home, self.handed = checkout, folder / "home", folder / "handed"
        self.main = Main.read(Repository(checkout), world.tip, checkout / "boards")
        self.jobs = {job.team: job for job in self.main.jobs if job.board == BOARD}
        self.today = str(self.main.release_days[self.jobs["alice"].path])
        assert self.score([self.jobs["alice"]], self.handed) == []

    def score(self, jobs: list[CiJob], out: Path, **changes: Any) -> Any:
        settings = score.ScoringSettings(**{
            "home": self.home, "models": "no", "source": "age:gold", "identity": Identity(SECRET),
            **changes})
        return score.run(jobs, self.main, settings, out)

    def read(self, handed: Path, day: str = "") -> artifact.Outcome:
        return artifact.read(handed, self.jobs["alice"], self.main, day or self.today)


@pytest.fixture(scope="module")
def scored(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = tmp_path_factory.mktemp("released")
    (folder / "w").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        return Scored(seed, folder, patch)


@pytest.fixture
def handed(scored: Scored, tmp_path: Path) -> Path:
    return Path(shutil.copytree(scored.handed, tmp_path / "handed"))


def at(*keys: str, value: Any) -> Falsify:
    """Put a value at a place of a document."""
    def change(document: dict[str, Any]) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value
    return change


def rewritten(scored: Scored, handed: Path, change: Falsify) -> str:
    """The code that a changed result is refused by."""
    path = handed / f"{scored.jobs['alice'].key}.json"
    document = json.loads(path.read_bytes())
    change(document["result"])
    path.write_bytes(json_bytes(document))
    found = scored.read(handed)
    assert (found.kind, found.files) == ("error", {})
    return found.reason


@pytest.mark.claim("No score of a single hidden item is in what a scoring machine hands over.")
def test_what_is_released_is_taken_and_is_all_that_is_handed_over(
    scored: Scored, handed: Path,
) -> None:
    job = scored.jobs["alice"]
    assert [path.name for path in handed.iterdir()] == [f"{job.key}.json"]
    found = scored.read(handed)
    assert (found.kind, [*found.files]) == ("scored", [job.result_path])
    assert found.result is not None
    assert found.result.items == ()
    assert found.result.metrics["SA"].value == 1.0


SHOWN = {"value": 0.9, "n": 40, "grid": 0.05, "signature": "StCA"}
WITHHELD = {"value": None, "n": 40, "reason": Policy().withheld}


@pytest.mark.parametrize(("falsify", "code"), [
    (at("metrics", "SA", "value", value=0.87), "RESULT-LEAK"),
    (at("metrics", "SA", "value", value=1.05), "RESULT-RANGE"),
    (at("metrics", "SA", "grid", value=0.001), "RESULT-LEAK"),
    (at("metrics", "SA", "n", value=39), "RESULT-LEAK"),
    (at("counts", "items", value=4000), "RESULT-LEAK"),
    (at("metrics", "SA", "null", value=0.5), "RESULT-FORMAT"),
    (at("metrics", "SA", "signature", value="kanari"), "RESULT-KEY"),
    (at("metrics", "SA", value={"value": None, "n": 40, "reason": "kanari"}), "RESULT-LEAK"),
    (at("metrics", "SA", value={"value": 0.9, "n": 40, "signature": "SA"}), "RESULT-FORMAT"),
    (at("metrics", "SeCA", "reason", value="kanari"), "RESULT-LEAK"),
    (at("metrics", "SeCA", "reason", value=Policy(values=2).withheld), "RESULT-LEAK"),
    (at("metrics", "GED", "reason", value=unmeasured("SeCA")), "RESULT-LEAK"),
    (at("counts", "broken", value={"EG-CYCLE": 3}), "RESULT-LEAK"),
    (at("release", "day", value="2000-01-01"), "RESULT-KEY"),
    (at("release", value={}), "RESULT-FORMAT"),
    (at("gold", "against", value="kanari"), "RESULT-KEY"),
    (at("gold", "hmac_sha256", value="0" * 64), "RESULT-KEY"),
    (at("gold", "public", value=True), "RESULT-FORMAT"),
    (at("models", value={"kanari": "kanari"}), "RESULT-KEY"),
])
def test_anything_else_than_the_released_form_is_refused(
    falsify: Falsify, code: str, scored: Scored, handed: Path,
) -> None:
    assert rewritten(scored, handed, falsify) == code


@pytest.mark.parametrize("metrics", [
    {"StCA": SHOWN}, {"StCA": SHOWN, "SA": WITHHELD}, {"SA": WITHHELD},
], ids=["two", "another", "none"])
def test_other_values_than_those_the_board_releases_are_refused(
    metrics: dict[str, Any], scored: Scored,
) -> None:
    job = scored.jobs["alice"]
    document = json.loads((scored.handed / f"{job.key}.json").read_bytes())["result"]
    artifact.check_released(results.from_json(document), job, scored.main, scored.today)
    document["metrics"] |= metrics
    with pytest.raises(Refused, match="RESULT-LEAK"):
        artifact.check_released(results.from_json(document), job, scored.main, scored.today)


def test_no_value_is_taken_before_its_day(scored: Scored, handed: Path) -> None:
    assert scored.read(handed, "2000-01-01").reason == "RESULT-KEY"


def test_faults_of_a_hidden_file_are_answered_before_gold_is_opened(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = Review([Problem("a.tsv", 1, 1, "TSV-ROWS", "1 row", "2 rows", "add one")])
    monkeypatch.setattr(score, "PACE", 0.0)
    monkeypatch.setattr(score, "read_submission", lambda *_: broken)
    job = scored.jobs["alice"]
    assert scored.score([job], tmp_path / "out", source="folder:nowhere") == []
    document = json.loads((tmp_path / "out" / f"{job.key}.json").read_bytes())
    assert (document["outcome"], document["rule"]) == ("rejected", "TSV-ROWS")


def test_the_device_reaches_the_models_of_hidden_splits(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def score_nothing(work: Any, *_: Any) -> Any:
        asked.append(work.models)
        return []

    monkeypatch.setattr("scorer.pipeline.hidden.scoring.score", score_nothing)
    monkeypatch.setattr(score, "PACE", 0.0)
    monkeypatch.chdir(scored.checkout)
    scored.score([scored.jobs["alice"]], tmp_path / "out", models="auto", device="cuda")
    assert asked == [{"allowed": True, "network": False, "device": "cuda"}]
