"""Which metric agrees with people: from results and votes to a table, a command and a page."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from scorer.cli import main
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import Result
from scorer.people.documents import MetaResults
from scorer.people.meta import metric_agreement
from scorer.people.metric_agreement import metrics_beside_people
from scorer.people.records import Origin
from scorer.people.verdicts import ItemVerdicts, SystemVotes, judged
from scorer.scoring.results import files
from tests.test_annotation_results import World
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


def votes_of(system: Result, right: Sequence[int], voters: int = 3) -> SystemVotes:
    """So many of the votes on each item find it right."""
    found = judged(system)
    read = tuple(ItemVerdicts(row, "support", ("support",) * count
                              + ("counter",) * (voters - count))
                 for row, count in enumerate(right, start=1) if row in found.passed)
    return SystemVotes(read, ("ann", "ben", "cleo"), found)


@pytest.fixture
def world() -> tuple[dict[str, SystemVotes], dict[str, Result]]:
    """Three systems of 30 items, of which the last five failed a gate: GED follows people, lower
    being better, EA is noise, StCA is 1 where the gate is passed."""
    rng = np.random.default_rng(1)
    votes, results = {}, {}
    for at, system in enumerate(SYSTEMS):
        right = rng.integers(0, 4, N)
        scores = {"StCA": [1.0] * 25 + [0.0] * 5,
                  "GED": (1 - right / 3 + rng.normal(0, .1, N)).tolist(),
                  "EA": rng.random(N).tolist(), "SeCA": (right >= 2 - at % 2).astype(float)}
        results[system] = result_of(system, {name: list(one) for name, one in scores.items()})
        votes[system] = votes_of(results[system], right.tolist())
    return votes, results


def test_only_items_that_people_read_and_that_passed_count(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    found = metrics_beside_people(*world, ["StCA", "GED", "EA", "SeCA"])
    assert (found.rated, found.ratings) == (75, 225)
    assert {name: one.rated for name, one in found.metrics.items()} == dict.fromkeys(
        ("StCA", "GED", "EA", "SeCA"), 75)


def test_a_metric_that_follows_people_agrees_one_of_noise_does_not_and_a_gate_says_nothing(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    metrics = metrics_beside_people(*world, ["StCA", "GED", "EA"]).metrics
    found = {name: one.tau_b for name, one in metrics.items()}
    assert found["GED"].ci[0] > .5
    assert found["EA"].ci[0] < 0 < found["EA"].ci[1]
    assert (found["StCA"].value, found["StCA"].note) == (None, "no variation")


@pytest.mark.claim("Agreement of metrics with people equals scipy's on every figure that scipy "
                   "has.")
def test_figures_equal_those_of_scipy(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    votes, results = world
    alone = metrics_beside_people({"t/one": votes["t/one"]}, results, ["EA", "GED"])
    people = [sum(vote == "support" for vote in one.votes) for one in votes["t/one"].read]
    for (name, one), sign in zip(alone.metrics.items(), (1, -1), strict=True):
        values = [sign * item.scores[name].value
                  for item in results["t/one"].items[:25]]
        assert one.tau_b.value == pytest.approx(kendalltau(values, people).statistic)
        assert one.spearman.value == pytest.approx(spearmanr(values, people).statistic)
    whole = metrics_beside_people(votes, results, ["EA"]).metrics["EA"]
    means = [(np.mean([item.scores["EA"].value for item in results[name].items[:25]]),
              np.mean([sum(vote == "support" for vote in one.votes) for one in votes[name].read]))
             for name in SYSTEMS]
    theirs = kendalltau(*zip(*means, strict=True)).statistic
    assert whole.system_tau_b.value == pytest.approx(theirs)


def test_systems_graphs_for_one_item_are_compared_by_the_same_function_as_rated_answers(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    votes, results = world
    found = metrics_beside_people(votes, results, ["EA"]).metrics["EA"]
    people = [[sum(vote == "support" for vote in votes[name].read[row].votes) for name in SYSTEMS]
              for row in range(25)]
    values = [[results[name].items[row].scores["EA"].value for name in SYSTEMS]
              for row in range(25)]
    tau = [kendalltau(x, y).statistic for x, y in zip(values, people, strict=True)]
    assert found.within.tau_b.value == pytest.approx(np.nanmean(tau))
    assert (found.within.items, found.within.answers) == (25, 75)


def test_measures_over_systems_are_scipys() -> None:
    rng = np.random.default_rng(2)
    for x, y in rng.integers(0, 5, (20, 2, 8)) / 4:
        found = metric_agreement(*({str(at): {0: value} for at, value in enumerate(side.tolist())}
                                   for side in (x, y)))
        assert found.system_tau_b.value == pytest.approx(kendalltau(x, y).statistic)
        assert found.system_spearman.value == pytest.approx(spearmanr(x, y).statistic)
        assert found.system_pairwise.value == pytest.approx(np.mean(
            [np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i in range(8) for j in range(i)]))


def test_two_systems_are_not_ordered_and_the_reason_is_told(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    votes, results = world
    votes.pop("t/three")
    found = metrics_beside_people(votes, results, ["GED"]).metrics["GED"].system_tau_b
    assert (found.value, found.note) == (None, "fewer than 3 systems")


def test_of_two_judges_the_one_of_most_systems_counts(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    votes, results = world
    values = [item.scores["EA"].value for item in results["t/one"].items]
    results["t/one"] = result_of("t/one", {"StCA": [1.0] * N, "EA": values}, "another judge")
    assert metrics_beside_people(votes, results, ["EA"]).metrics["EA"].systems == 2


def test_a_system_without_scores_of_items_is_left_out(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    votes, results = world
    votes["t/two"] = votes["t/two"]._replace(judged=None)
    assert metrics_beside_people(votes, results, ["GED"]).systems == ["t/one", "t/three"]
    assert metrics_beside_people({}, {}, ["GED"]).metrics == {}


def test_the_document_is_read_back_and_has_no_nan(
    world: tuple[dict[str, SystemVotes], dict[str, Result]]
) -> None:
    document = metrics_beside_people(*world, ["StCA", "GED", "SeCA"])
    whole = MetaResults(format="metric-agreement/1", splits={"b-dev": document}, simulated=[],
                        rated={})
    text = json.dumps(whole.to_json(), allow_nan=False)
    assert MetaResults.model_validate(json.loads(text)) == whole
    assert document.metrics["StCA"].tau_b.value is None
    assert document.metrics["GED"].accuracy is None


# ---- the command ---------------------------------------------------------------------------


PRACTICE = ("reference/edited-gold", "whyboard/label", "whyboard/structured")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A closed batch on twelve graphs of each of three systems whose results are committed."""
    world = World(tmp_path)
    letters, origins = {}, {}
    for at, system in enumerate(PRACTICE):
        found = judged(files.read(files.result_path(
            ROOT / "results", "explagraphs-practice", *system.split("/"), "dev")))
        for row in sorted(found.passed)[:12]:
            name = f"v{at}-{row}"
            letters[name] = "SSS" if row % 3 else "SSI"
            origins[name] = Origin(source=f"explagraphs-practice-dev:{row}", system=system,
                                   label="support", predictions=found.predictions)
    world.labels("v", "verify", letters, origins=origins)
    return world.folder


def test_the_command_shows_each_metric_beside_people(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--annotations", str(place), "--results", str(ROOT / "results")]
    assert main(["meta", *given]) == 0
    told = capsys.readouterr().out
    assert "explagraphs-practice-dev: 36 graphs of 3 systems, 108 votes" in told
    assert "GED" in told
    assert "(no variation)" in told
    assert main(["meta", *given, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["splits"]["explagraphs-practice-dev"]["rated"] == 36
    assert main(["meta", *given, "--split", "other-dev"]) == 2
    assert "there are some of: explagraphs-practice-dev" in capsys.readouterr().err


def test_the_command_names_systems_without_scores(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--annotations", str(place), "--results", str(tmp_path / "none")]
    assert main(["meta", *given]) == 0
    assert "left out: explagraphs-practice-dev: reference/edited-gold" in capsys.readouterr().out
