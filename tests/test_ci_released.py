"""What is published of hidden gold: the released form on its day, whatever a machine hands over."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scorer.core.errors import DataError
from scorer.core.files import json_bytes
from scorer.core.reading.schema import schema_of
from scorer.core.results import Result
from scorer.pipeline.ci import publish, score
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.hidden.sealed import Identity
from scorer.scoring.results.files import Unscored
from tests import canary, case_files, hidden_world
from tests.ci_world import MALLORY
from tests.hidden_world import GOLD
from tests.test_ci_artifact import put, refused

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow
CASES: dict[str, Any] = case_files.read("forged_releases.yaml")


class Scored:
    """Two merged submissions of one owner, one of another's that lacks a row, and what an honest
    machine hands over for the first."""

    def __init__(self, seed: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        world = hidden_world.make(seed, folder)
        for number, team in enumerate(("alice", "alice-two"), start=1):
            world.push(world.submission(team, number))
        world.push({path: content.partition(b"\n")[2] if path.endswith(".tsv") else content
                    for path, content in world.submission("mallory", 2, MALLORY).items()})
        self.checkout, self.handed = world.clone("checkout"), folder / "handed"
        self.home = folder / "home"
        monkeypatch.chdir(self.checkout)
        monkeypatch.setattr(score, "PACE", 0.0)
        self.main = Main(Repository(self.checkout), world.tip, self.checkout / "boards")
        jobs = {job.team: job for job in self.main.jobs}
        self.job, self.faulty = jobs["alice"], jobs["mallory"]
        self.today = str(self.main.release_days[self.job.path])
        assert self.score(self.handed) == []
        self.result = self.document(self.handed)

    def score(self, out: Path, *others: CiJob, **changes: Any) -> Any:
        source, secret = GOLD
        settings = score.ScoringSettings(**{
            "home": self.home, "models": "no", "source": source, "identity": Identity(secret),
            **changes})
        return score.run([*others, self.job], self.main, settings, out)

    def document(self, handed: Path) -> Any:
        return json.loads((handed / f"{self.job.key}.json").read_bytes())

    def read(self, handed: Path, day: str = "") -> Result | Unscored | None:
        return publish.read(handed, self.job, self.main, day or self.today)


@pytest.fixture(scope="module")
def scored(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Scored:
    with pytest.MonkeyPatch.context() as patch:
        return Scored(seed, tmp_path_factory.mktemp("released"), patch)


@pytest.mark.claim("No score of a single hidden item is in what a scoring machine hands over.")
def test_what_is_released_is_taken_and_is_all_that_is_handed_over(scored: Scored) -> None:
    job, document = scored.job, scored.result
    assert [path.name for path in scored.handed.iterdir()] == [f"{job.key}.json"]
    outcome = scored.read(scored.handed)
    assert isinstance(outcome, Result)
    assert outcome.items == ()
    jsonschema.validate(document, schema_of(Result, ""))
    assert document["counts"] == {"items": 40, "broken": {}, "strict": {}}
    assert set(document["metrics"]) == set(canary.ALL_METRICS)
    sa = document["metrics"].pop("SA")
    assert set(sa) == {"value", "grid", "n", "signature"}
    assert (sa["value"], sa["grid"]) == (0.9, 2 / 40)  # 35 / 40 is a tie, and goes up
    assert {*map(frozenset, document["metrics"].values())} == {frozenset(("value", "n", "reason"))}
    assert {value["value"] for value in document["metrics"].values()} == {None}
    document["metrics"]["SA"] = sa
    digest = document["gold"]["hmac_sha256"]
    assert document["gold"] == {"golds": 1, "hmac_sha256": digest, "public": False,
                                "id": f"canary/dev@{digest[:12]}"}
    assert document["release"] == {"day": scored.today}


@pytest.mark.parametrize("name", CASES)
def test_anything_else_than_the_released_form_is_refused(
    name: str, scored: Scored, tmp_path: Path,
) -> None:
    document = scored.document(scored.handed)
    put(document, CASES[name]["result"])
    (tmp_path / f"{scored.job.key}.json").write_bytes(json_bytes(document))
    assert refused(scored.read(tmp_path)) == CASES[name]["code"]


def test_no_value_is_taken_before_its_day(scored: Scored) -> None:
    assert refused(scored.read(scored.handed, "2000-01-01")) == "RESULT-KEY"


def test_gold_that_cannot_be_opened_costs_no_submission_anything(
    scored: Scored, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert scored.score(tmp_path, source="age:nowhere") == [scored.job]
    assert scored.read(tmp_path) is None
    assert [path.name for path in tmp_path.iterdir()] == [score.LEFT], "a machine was there"
    assert "| canary dev: GOLD-MISSING\n" in capsys.readouterr().out


def test_a_hidden_file_with_faults_is_rejected_by_its_rule_and_holds_up_nobody(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(score, "PACE", 0.0)
    assert scored.score(tmp_path, scored.faulty, source=f"age:{scored.checkout / 'gold'}") == []
    assert publish.read(tmp_path, scored.faulty, scored.main, scored.today) == (
        Unscored.first(scored.faulty.key, rule="TSV-ROWS"))
    assert scored.document(tmp_path) == scored.result


def test_a_machine_that_cannot_read_a_hidden_submission_tries_it_again(
    scored: Scored, tmp_path: Path,
) -> None:
    metrics: Any = lambda: pytest.fail  # noqa: E731  # asked of nothing
    recipe = score.WorkerRecipe(scored.checkout, "0" * 40, scored.checkout / "boards", scored.home,
                                {"allowed": False}, tmp_path, tmp_path, hidden=metrics)
    assert recipe()(scored.job) == score.AGAIN


@pytest.mark.parametrize(("fault", "code"), [(DataError("s3cret"), None),
                                             (ValueError("s3cret"), "SCORER-FAULT")])
def test_a_hidden_split_without_a_worker_is_tried_again_unless_the_scorer_is_at_fault(
    fault: Exception, code: str | None, scored: Scored, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise fault

    monkeypatch.setattr(score, "PACE", 0.0)
    monkeypatch.setattr(score, "confined", failing)
    scored.score(tmp_path, source=f"age:{scored.checkout / 'gold'}")
    assert refused(scored.read(tmp_path)) == code
    assert "s3cret" not in capsys.readouterr().out
