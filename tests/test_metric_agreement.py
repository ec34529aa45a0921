"""Which metric agrees with people: from results and votes to a table, a command and a page."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import Result
from scorer.people.documents import MetaResults
from scorer.people.metric_agreement import metrics_beside_people
from scorer.people.records import Origin
from scorer.people.verdicts import ItemVerdicts, Judged, SystemVotes
from scorer.scoring.results import files
from tests import people_world
from tests.values import made_result, metric_value

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ("t/one", "t/two", "t/three")
N = 30


def result_of(system: str, scores: Mapping[str, Sequence[float]], signature: str = "s") -> Result:
    """A result whose items all passed but those with 0 in StCA."""
    items = tuple(ItemResult(row, Verdict("struct_correct"), {name: ItemScore(values[row - 1])
                                                    for name, values in scores.items()})
                  for row in range(1, len(next(iter(scores.values()))) + 1))
    team, _, name = system.partition("/")
    return made_result(
        board="explagraphs", board_version="1.0", task="explanation_graphs", split="dev",
        team=team, system=name, counts={}, items=items,
        metrics={name: metric_value(float(np.mean(values)), n=len(values),
                                   signature=f"{name}|{signature}")
                 for name, values in scores.items()})


@pytest.fixture
def world() -> dict[str, SystemVotes]:
    """Three systems of 30 items, of which the last five failed a gate: GED follows people, lower
    being better, EA is noise, StCA is 1 where the gate is passed."""
    rng = np.random.default_rng(1)
    votes = {}
    for at, system in enumerate(SYSTEMS):
        right = rng.integers(0, 4, N)
        read = Judged(result_of(system, {
            "StCA": [1.0] * 25 + [0.0] * 5, "GED": (1 - right / 3 + rng.normal(0, .1, N)).tolist(),
            "EA": rng.random(N).tolist(), "SeCA": (right >= 2 - at % 2).astype(float).tolist()}))
        votes[system] = SystemVotes(tuple(
            ItemVerdicts(row, "support", ("support",) * count + ("counter",) * (3 - count))
            for row, count in enumerate(right, start=1) if row in read.passed),
            ("ann", "ben", "cleo"), read)
    return votes


def scores_of(votes: SystemVotes, metric: str) -> list[float]:
    """What a metric says of a system's items."""
    assert votes.judged is not None
    return [item.scores[metric].value for item in votes.judged.result.items]


def test_items_that_passed_say_which_metric_follows_people_and_which_is_noise(
    world: dict[str, SystemVotes]
) -> None:
    document = metrics_beside_people(world, ["StCA", "GED", "EA", "SeCA"])
    assert (document.rated, document.ratings) == (75, 225)
    assert {one.rated for one in document.metrics.values()} == {75}
    tau = {name: one.tau_b for name, one in document.metrics.items()}
    assert tau["GED"].ci[0] > .5
    assert tau["EA"].ci[0] < 0 < tau["EA"].ci[1]
    assert (tau["StCA"].value, tau["StCA"].note) == (None, "no variation")
    whole = MetaResults(format="metric-agreement/1", splits={"b-dev": document}, simulated=[],
                        rated={})
    assert MetaResults.model_validate(json.loads(json.dumps(
        whole.to_json(), allow_nan=False))) == whole


@pytest.mark.claim("Agreement of metrics with people equals scipy's on every figure that scipy "
                   "has.")
def test_figures_equal_those_of_scipy(world: dict[str, SystemVotes]) -> None:
    people = np.array([[one.votes.count("support") for one in world[name].read]
                       for name in SYSTEMS])
    alone = metrics_beside_people({"t/one": world["t/one"]}, ["EA", "GED"])
    for (name, one), sign in zip(alone.metrics.items(), (1, -1), strict=True):
        values = [sign * value for value in scores_of(world["t/one"], name)[:25]]
        assert one.tau_b.value == pytest.approx(kendalltau(values, people[0]).statistic)
        assert one.spearman.value == pytest.approx(spearmanr(values, people[0]).statistic)
    whole = metrics_beside_people(world, ["EA"]).metrics["EA"]
    scores = np.array([scores_of(world[name], "EA")[:25] for name in SYSTEMS])
    assert whole.system_tau_b.value == pytest.approx(
        kendalltau(scores.mean(axis=1), people.mean(axis=1)).statistic)
    # The systems' graphs for one item are compared as rated answers are.
    tau = [kendalltau(*sides).statistic for sides in zip(scores.T, people.T, strict=True)]
    assert whole.within.tau_b.value == pytest.approx(np.nanmean(tau))
    assert (whole.within.items, whole.within.answers) == (25, 75)


def test_systems_without_scores_of_items_or_of_another_judge_are_left_out(
    world: dict[str, SystemVotes]
) -> None:
    values = scores_of(world["t/one"], "EA")
    of_other_judge = result_of("t/one", {"StCA": [1.0] * N, "EA": values}, "another judge")
    other = world["t/one"]._replace(judged=Judged(of_other_judge))
    assert metrics_beside_people({**world, "t/one": other}, ["EA"]).metrics["EA"].systems == 2
    world["t/two"] = world["t/two"]._replace(judged=None)
    document = metrics_beside_people(world, ["GED"])
    assert document.systems == ["t/one", "t/three"]
    over = document.metrics["GED"].system_tau_b
    assert (over.value, over.note) == (None, "fewer than 3 systems")
    assert metrics_beside_people({}, ["GED"]).metrics == {}


# ---- the command ---------------------------------------------------------------------------


PRACTICE = ("reference/edited-gold", "whyboard/label", "whyboard/structured")


def test_the_command_shows_each_metric_beside_people(
    tmp_path: Path, prints: Callable[..., str], fails: Callable[..., None]
) -> None:
    """On a closed batch of twelve graphs of each of three systems whose results are committed."""
    people = people_world.World(tmp_path)
    letters, origins = {}, {}
    for at, system in enumerate(PRACTICE):
        read = Judged(files.read(ROOT / f"results/explagraphs-practice/{system}/dev.json"))
        for row in sorted(read.passed)[:12]:
            letters[f"v{at}-{row}"] = "SSS" if row % 3 else "SSI"
            origins[f"v{at}-{row}"] = Origin(
                source=f"explagraphs-practice-dev:{row}", system=system, label="support",
                predictions=read.result.predictions.sha256)
    people.labels("v", "verify", letters, origins=origins)
    meta = ["meta", "--annotations", str(people.folder), "--results", str(ROOT / "results")]
    table = prints(*meta)
    for words in ("explagraphs-practice-dev: 36 graphs of 3 systems, 108 votes", "GED",
                  "(no variation)"):
        assert words in table
    document = json.loads(prints(*meta, "--json", "-"))
    assert document["splits"]["explagraphs-practice-dev"]["rated"] == 36
    fails(2, "there are some of: explagraphs-practice-dev", *meta, "--split", "other-dev")
    assert "left out: explagraphs-practice-dev: reference/edited-gold" in prints(
        *meta[:-1], str(tmp_path / "none"))
