"""What annotators of closed batches said, from files to one document and to the terminal."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulate_annotators import file_of_rows
from scorer.boards.policy import HumanRanking
from scorer.cli import main
from scorer.core.records import Edge
from scorer.core.results import Result
from scorer.people.aggregation import aggregated, votes_on_systems
from scorer.people.records import Answers, Item, Origin, Topic
from scorer.people.validate import Workplace, uncounted
from scorer.people.verdicts import Judged, SystemVotes
from tests.annotation_world import cases, sound
from tests.ci_world import git
from tests.people_world import GRAPH, World, judged_result

ODD = {f"i{row}": "SSS" if row % 2 else "IIS" for row in range(1, 13)}
"""Votes on twelve graphs, of which those on odd rows are right."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def ran(world: World, *words: str) -> int:
    return main(["annotations", *words, f"--annotations={world.folder}"])


def uncounted_of(world: World) -> list[str]:
    return [*uncounted(Workplace(world.folder))]


def of_system(votes: Iterable[str], system: str = "t/one", predictions: str = "a" * 64,
              ) -> dict[str, Origin]:
    """Items i1, i2 ... as a system's graphs for the rows of these numbers."""
    return {item: Origin(source=f"board-dev:{item[1:]}", system=system, label="support",
                         predictions=predictions) for item in votes}


def verified(world: World, predictions: str = "a" * 64) -> None:
    """Graphs of two systems on rows 1 to 12: right ones on odd rows."""
    for at, system in enumerate(("t/one", "t/two"), 1):
        world.labels(f"verify-{at}", "verify", ODD, origins=of_system(ODD, system, predictions))


def verdicts(world: World, **scored: Result) -> Any:
    """What the document says of the board's split; ``scored``: results of team t's systems."""
    results = {f"t/{name}": result for name, result in scored.items()}
    return world.results(results)["verdicts"]["board-dev"]


def votes_of(world: World) -> SystemVotes:
    """The votes on the only system, without a result."""
    found = votes_on_systems(Workplace(world.folder), lambda _, __: None)["board-dev"]
    return found.votes["t/one"]


def rule(world: World, by: str, **values: str) -> None:
    """Rulings of somebody on items of batch s1."""
    place = Workplace(world.folder)
    (world.folder / "adjudication").mkdir(exist_ok=True)
    (world.folder / "adjudication/s1.tsv").write_bytes(file_of_rows(
        place.forms["adjudicate"], sound(place, "s1"), by, "2026-11-21T03:50:00Z",
        [(item, "", "label", value, "edge-case", "") for item, value in values.items()]))


def test_figures_count_what_the_closing_names_and_nothing_that_was_merged_later(
    world: World,
) -> None:
    world.labels("s1", "stance", {"a": "SSC", "b": "CCS"})
    before = world.results()
    assert "simulated" not in before
    folder = world.folder / "stance/s1"
    text = (folder / "ann.tsv").read_text("utf-8")
    (folder / "mallory.tsv").write_text(text.replace("\tann\n", "\tmallory\n"), "utf-8")
    assert world.results() == before
    (folder / "ann.tsv").write_text(text.replace("support", "neutral"), "utf-8")
    assert world.results()["labels"]["s1"]["votes"] == 4
    (folder / "ben.tsv").unlink()
    (folder / "cleo.tsv").unlink()
    (folder / "cleo.tsv").symlink_to("ann.tsv")
    assert [(line.partition(": counts nowhere")[0], line.rpartition("run: scorer ")[2])
            for line in uncounted_of(world)] == [
        ("annotations/stance/s1/ann.tsv", "annotations withdraw s1 ann"),
        ("annotations/stance/s1/ben.tsv", "annotations withdraw s1 ben"),
        ("annotations/stance/s1/cleo.tsv", "annotations withdraw s1 cleo"),
        ("annotations/stance/s1/mallory.tsv", "annotations validate")]
    for name in "ann", "ben", "cleo":
        assert ran(world, "withdraw", "s1", name) == 0
    assert len(uncounted_of(world)) == 1


def test_a_file_with_errors_that_was_merged_by_mistake_does_not_close_with_its_batch(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.labels("s1", "stance", {"a": "SSS", "b": "CCS"}, status="open")
    path = world.folder / "stance/s1/ann.tsv"
    path.write_text(path.read_text("utf-8").replace("support", "maybe"), "utf-8")
    assert ran(world, "close", "s1") == 0
    assert "s1: 1 file with errors will not count" in capsys.readouterr().out
    path.write_text(path.read_text("utf-8").replace("maybe", "support"), "utf-8")
    assert world.results()["labels"]["s1"]["votes"] == 4


def test_a_maintainer_takes_answers_back_after_closing(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.labels("s1", "stance", {"a": "SSS", "b": "CCS"})
    assert ran(world, "withdraw", "s1", "ann") == 0
    assert not (world.folder / "stance/s1/ann.tsv").exists()
    assert world.results()["labels"]["s1"]["votes"] == 4
    assert not uncounted_of(world)
    assert ran(world, "validate") == 0
    assert ran(world, "withdraw", "s1", "ann") == 2
    assert "has no answers of 'ann'" in capsys.readouterr().err


def test_answers_count_in_the_order_in_which_they_were_merged(world: World) -> None:
    world.labels("s1", "stance", {"a": "SSS"}, status="open")
    git(world.folder, "init", "-q")
    for who in ("cleo", "ann", "ben"):
        git(world.folder, "add", f"stance/s1/{who}.tsv")
        git(world.folder, "commit", "-qm", who)
    assert ran(world, "close", "s1") == 0
    workplace = Workplace(world.folder)
    [batch] = workplace.batches()
    assert [one.annotator for one in workplace.annotations(batch)] == ["cleo", "ann", "ben"]


def collected(items: str) -> dict[str, Origin]:
    """Items as graphs that zoe wrote in a batch before."""
    return {item: Origin(source=f"collect-1:{item}", label="support", authors=("zoe",))
            for item in items}


def test_rounds_follow_items_from_batch_to_batch(world: World) -> None:
    world.labels("verify-1", "verify", {"a": "SSS", "b": "SIC", "c": "III"},
                 origins=collected("abc"))
    world.add("refine-1", "refine", [Item("r", {
        "belief": "b", "argument": "a", "stance": "support", "graph": GRAPH, "label": "incorrect",
        "round": "2"})], {}, origins={"r": Origin(source="verify-1:c", label="support")})
    world.labels("verify-2", "verify", {"d": "SSC"}, origins={
        "d": Origin(source="refine-1:r", label="support", authors=("zoe", "yan"))})
    found = world.results()
    one, two = found["rounds"]
    assert (one["decided"], one["correct"], one["incorrect"], one["no_majority"]) == (3, 1, 1, 1)
    assert (two["decided"], two["correct"], two["pending"]) == (2, 2, 1)
    assert {name: (row["graphs"], row["correct"]) for name, row in found["authors"].items()} == {
        "zoe": (3, 1), "yan": (1, 1)}


def test_nobody_is_named_for_a_graph_of_a_batch_that_still_takes_answers(world: World) -> None:
    pairs = [Item(item, {"belief": "b", "argument": "a", "stance": "support"}) for item in "ab"]
    world.labels("verify-1", "verify", {"a": "SSS", "b": "III"}, origins=collected("ab"))
    for status, authors in (("open", []), ("closed", ["zoe"])):
        world.add("collect-1", "collect", pairs, {}, status=status)
        found = world.results()
        assert (found["rounds"][0]["correct"], [*found["authors"]]) == (1, authors)


# ---- verdicts on systems -------------------------------------------------------------------------


def test_people_s_verdicts_stand_by_board_and_system(world: World) -> None:
    verified(world)
    found = verdicts(world)
    one = found["systems"]["t/one"]
    assert one["votes"]["value"] == pytest.approx((6 * 1 + 6 / 3) / 12)
    assert (one["votes"]["n"], one["votes"]["method"]) == (36, "bootstrap")
    assert (one["majority"]["value"], one["majority"]["method"]) == (6 / 12, "wilson")
    assert not {"all_items", "powered"} & {*one}
    assert found["why_not_ranked"][0] == "no row has people's verdicts"
    # Row 12, which failed a gate, is left out.
    one = verdicts(world, one=judged_result(80, range(1, 12)))["systems"]["t/one"]
    assert (one["majority"]["value"], one["majority"]["n"]) == (6 / 11, 11)


def test_with_results_people_correct_the_judge_over_all_items(world: World) -> None:
    verified(world)
    result = judged_result(80, range(1, 41), range(1, 41, 2))
    found = verdicts(world, one=result, two=result)
    one = found["systems"]["t/one"]
    assert one["all_items"]["value"] == pytest.approx((6 + 6 / 3) / 12 * 40 / 80)
    powered = one["powered"]
    assert (powered["verified"], powered["passed"], powered["items"]) == (12, 40, 80)
    assert 0 < powered["weight"] <= 1
    assert (one["judge"], one["signature"]) == ("SeCA", "SeCA:1|people:verify-1")
    # 6 of 12 items with three votes agree, the others by a third.
    assert found["agreement"]["fleiss"]["value"] == pytest.approx(
        (2 / 3 - (1 / 9 + 4 / 9)) / (1 - (1 / 9 + 4 / 9)))
    assert found["why_not_ranked"] == [
        "annotators agree too little: Fleiss's kappa is 0.250, and it must be 0.4 at least"]


def test_votes_on_earlier_predictions_of_a_system_do_not_count(world: World) -> None:
    verified(world)
    results = {name: judged_result(40, range(1, 41), predictions=digest * 64)
               for name, digest in (("one", "a"), ("two", "b"))}
    one, two = verdicts(world, **results)["systems"].values()
    assert (one["votes"]["n"], "outdated" in one) == (36, False)
    assert (two["votes"]["n"], two["votes"]["value"], two["outdated"]) == (0, None, 12)
    assert two["all_items"]["value"] is None
    verified(world, predictions="")  # on nobody knows which predictions
    assert verdicts(world, **results)["systems"]["t/one"]["outdated"] == 12


def test_graphs_that_were_drawn_and_lack_votes_are_counted(world: World) -> None:
    verified(world)
    result = judged_result(40, range(1, 13), range(1, 13))
    whole = verdicts(world, one=result, two=result)
    assert not any("missing" in reason for reason in whole["why_not_ranked"])
    # Row 21 is drawn and read by two; row 22 failed a gate, so nobody has to read it.
    votes = {"i21": "SS.", "i22": "..."}
    world.labels("more", "verify", votes, origins=of_system(votes))
    passed = {*range(1, 13), 21}
    result = judged_result(40, passed, passed)
    found = verdicts(world, one=result, two=result)
    assert "votes are missing on graphs that were drawn: t/one on 1" in found["why_not_ranked"]


def test_nobody_s_votes_are_verdicts_on_systems_of_their_own_team(world: World) -> None:
    verified(world)
    (world.folder / "annotators.yml").write_text("ben: {teams: [t]}\ncleo: {teams: [u]}\n", "utf-8")
    one = verdicts(world)["systems"]["t/one"]
    # ann and cleo are left. They say SS on odd rows, IS on even ones.
    assert (one["votes"]["n"], one["votes"]["value"]) == (24, pytest.approx((6 + 6 / 2) / 12))


@pytest.mark.parametrize("sampled", [{"seed": "1"}, {"seed": "1", "labels": "support"}])
def test_votes_on_graphs_that_were_not_drawn_at_random_do_not_count(
    world: World, sampled: dict[str, str]
) -> None:
    verified(world)
    world.labels("verify-3", "verify", {"i20": "III", "i21": "III"}, sampled=sampled,
                 origins=of_system(("i20", "i21")))
    one, two = verdicts(world)["systems"].values()
    assert (one["votes"]["n"], one["chosen"]) == (12 * 3, 2)
    assert "chosen" not in two


def test_a_vote_too_many_moves_neither_the_value_nor_the_agreement(world: World) -> None:
    result = judged_result(2, {1, 2}, {1})
    found = []
    for votes in ({"i1": "SSI", "i2": "III"}, {"i1": "SSISS", "i2": "IIISS"}):
        world.labels("verify-1", "verify", votes, origins=of_system(votes))
        found.append(verdicts(world, one=result))
    assert found[0] == found[1]


def test_a_graph_that_two_batches_ask_about_counts_in_the_one_that_is_finished(
    world: World,
) -> None:
    for name, votes in (("verify-1", "SS"), ("verify-2", "ISI"), ("verify-3", "SSS")):
        world.labels(name, "verify", {"i1": votes}, origins=of_system(["i1"]))
    assert [read.votes for read in votes_of(world).read] == [("incorrect", "support", "incorrect")]


def test_a_result_s_judge_is_the_first_metric_of_zero_and_one_that_a_judge_gave() -> None:
    # Of 40 items 20 passed, of which the judge finds every second one right.
    passed = range(1, 21)
    judged = Judged(judged_result(40, passed, range(1, 21, 2)))
    assert (judged.metric, judged.passed) == ("SeCA", frozenset(passed))
    assert judged.scores("SeCA") == {row: float(row % 2) for row in passed}
    assert Judged(judged_result(40, passed)).metric == ""


# ---- who answered, and what was settled ----------------------------------------------------------


def test_simulated_votes_are_named_in_every_figure_that_has_them_and_order_no_rows(
    world: World,
) -> None:
    (world.folder / "annotators.yml").write_text("ben: {simulated: yes}\n", "utf-8")
    verified(world)
    world.labels("s1", "stance", {"a": "S.C", "b": "S.S"}, needed=2)
    rule(world, "simulated-2", a="support")
    world.labels("s2", "stance", {"a": "S", "b": "S"}, needed=1)
    world.labels("s3", "stance", {"a": "S.S", "b": "SSC"}, needed=2)
    world.labels("v1", "verify", {"a": "SSS"}, origins={
        "a": Origin(source="collect-1:a", authors=("simulated-1",), label="support")})
    given: Answers = {"q1": "1", "q2": "y", "q3": "y", "q3_1": "Cats have joy.", "q4": "1",
                      "q5": ("1",)}
    world.add("c1", "csk", [Item("a", {"premise": "Cats purr.", "conclusion": "Cats give joy."},
                                 (Edge("cats", "HasA", "joy"),))],
              {"simulated-1": {"a": given}}, topics=(Topic("1", "Cats"),),
              origins={"a": Origin(source="board-dev:1", system="t/one")})
    place = Workplace(world.folder)
    results = aggregated(place, votes_on_systems(place, lambda _, __: None),
                         lambda _: HumanRanking(10, 0.4))
    found = results.to_json()["simulated"]
    assert found == cases("simulated")
    assert results.is_simulated("labels", "s3")
    assert not results.is_simulated("labels", "s2")
    assert results.is_simulated("verdicts")
    assert not results.is_simulated("metrics")
    assert results.verdicts["board-dev"].why_not_ranked[-1] == "votes are simulated: those of ben"


def test_units_are_settled_by_rulings_once_none_is_open(world: World) -> None:
    world.labels("s1", "stance", {"a": "SSS", "b": "SNC", "c": "NNC", "d": "SC."})
    assert world.results()["settled"] == {}
    rule(world, "maria", b="counter")
    assert world.results()["settled"] == {}, "d is still open"
    rule(world, "maria", b="counter", d="support")
    assert world.results()["settled"] == {"stance": {"label": {"": {
        "units": 4, "ruled": 2, "values": {"support": 2, "counter": 1, "neutral": 1}}}}}


# ---- the commands --------------------------------------------------------------------------------


def test_the_commands_write_and_show_what_is_there_and_which_answers_are_simulated(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.folder / "annotators.yml").write_text("ben: {simulated: yes}\n", "utf-8")
    world.labels("s1", "stance", {"a": "SSS", "b": "SSC", "c": "CC."})
    out = tmp_path / "results" / "human"
    assert ran(world, "aggregate", "--out", str(out), "--results", str(tmp_path / "none")) == 0
    text = capsys.readouterr().out
    assert "1 closed batch" in text
    assert "simulated answers are in 1 of them: those of ben" in text
    document = json.loads((out / "human-results.json").read_text("utf-8"))
    assert document["generated_from"]["commit"] is None
    assert list(document["generated_from"]["batches"]) == ["s1"]
    assert ran(world, "status") == 0
    assert "3 (1 simulated)" in capsys.readouterr().out
    measured = document["questions"]["stance"]["label"]["agreement"]
    # Pairs that agree: 3 of 3, 1 of 3, 1 of 1.
    assert (measured["units"], measured["raters"]) == (3, [2, 3])
    assert measured["raw"]["value"] == pytest.approx(7 / 9)
