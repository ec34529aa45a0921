"""Stages: pairs that keep their stance are collected, graphs verified, faulty ones refined."""

import json
from pathlib import Path

import pytest

from scorer.people import batches
from scorer.people.records import Answers, Batch
from scorer.people.stages import CORRECT, PENDING, WRONG, Stages
from scorer.people.validate import Workplace
from tests.rounds_world import BAD, PAIRS, Rounds

GOOD, FISH = PAIRS[0][4], PAIRS[2][4]
DOGS = "Dogs cost money."


@pytest.fixture
def world(tmp_path: Path) -> Rounds:
    """Three pairs that three people voted on; the second has no majority."""
    made = Rounds(tmp_path)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{belief}\t{argument}\n" for belief, argument in (
        PAIRS[0][:2], (DOGS, "Dogs eat."), PAIRS[2][:2])), "utf-8")
    assert made.run("make-batch", "s", "--form", "stance", "--texts", str(pairs),
                    "--needed", "3") == 0
    for who, *votes in (("ann", "support", "counter", "support"),
                        ("bob", "support", "neutral", "support"),
                        ("cleo", "counter", "support", "support")):
        beliefs = (PAIRS[0][0], DOGS, PAIRS[2][0])
        assert not made.answer("s", who, {belief: {"label": vote} for belief, vote in zip(
            beliefs, votes, strict=True)})
    return made


def make(world: Rounds, name: str, form: str, of: str) -> int:
    return world.run("make-batch", name, "--form", form, "--from-batch", of)


def batch_of(world: Rounds, name: str) -> Batch:
    batch, problems = Workplace(world.annotations).batch(name)
    assert batch is not None, problems
    return batch


def states(world: Rounds) -> list[str]:
    return sorted(one.state for one in Stages(Workplace(world.annotations)).histories())


def vote(label: str) -> Answers:
    """A verifier's answers."""
    return {"label": label} | ({"reasons": ("meaningless",)} if label == "incorrect" else {})


def verify(world: Rounds, name: str, cats: tuple[str, ...], fish: tuple[str, ...]) -> None:
    """Three verifiers, none of whom wrote a graph."""
    for who, first, second in zip(("dan", "eve", "fay"), cats, fish, strict=True):
        assert not world.answer(name, who, {"Cats give joy.": vote(first),
                                            "Fish are calm.": vote(second)})


def test_an_item_goes_from_pair_to_refined_graph(
    world: Rounds, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(world, "c", "collect", "s") == 0
    assert {item.texts["belief"]: item.texts["stance"] for item in batch_of(world, "c").items} == {
        "Cats give joy.": "support", "Fish are calm.": "support"}
    assert make(world, "v", "verify", "c") == 2
    assert "batch c: no item goes on to verify, by the answers" in capsys.readouterr().err
    assert not world.answer("c", "ann", {"Cats give joy.": {"graph": BAD},
                                         "Fish are calm.": {"graph": FISH}})
    assert {*states(world)} == {PENDING}

    assert make(world, "v", "verify", "c") == 0
    text = batches.path_of(world.annotations, "v").read_text("utf-8")
    assert "argument" not in text
    assert "ann" not in json.dumps([item["graph"] for item in json.loads(text)["items"]])
    assert world.answer("v", "ann", {"Cats give joy.": vote("counter")}) == ["EG-SELF-VERIFY"]
    (world.annotations / "verify/v/ann.tsv").unlink()
    verify(world, "v", ("counter", "incorrect", "support"), ("support", "support", "incorrect"))
    assert states(world) == [CORRECT, WRONG]

    assert make(world, "r", "refine", "v") == 0
    (item,) = batch_of(world, "r").items
    assert item.texts == {"belief": "Cats give joy.", "argument": "Cats purr at home.",
                          "stance": "support", "graph": BAD, "label": "none", "round": "2"}
    assert item.counts == {"votes": {"counter": 1, "incorrect": 1, "support": 1}}
    assert world.answer("r", "ann", {"Cats give joy.": {"graph": GOOD}}) == ["EG-SELF-REFINE"]
    (world.annotations / "refine/r/ann.tsv").unlink()
    assert not world.answer("r", "bob", {"Cats give joy.": {"graph": GOOD}})

    assert make(world, "v2", "verify", "r") == 0
    (origin,) = Workplace(world.annotations).key("v2").items.values()
    assert (origin.authors, origin.label) == (("ann", "bob"), "support")
    verify(world, "v2", ("support",) * 3, ("support",) * 3)
    out, gold = world.annotations / "out.tsv", world.annotations / "gold.tsv"
    capsys.readouterr()
    assert world.run("export-refinement", str(out), "--correct", str(gold)) == 0
    assert capsys.readouterr().err == "2 items: 2 correct, 0 to refine, 0 to verify\n"
    assert sorted(out.read_text("utf-8").splitlines()) == [
        f"Cats give joy.\tCats purr at home.\tsupport\t{BAD}\t{GOOD}",
        f"Fish are calm.\tFish swim in water.\tsupport\t{FISH}"]
    assert sorted(line.split("\t")[3] for line in gold.read_text("utf-8").splitlines()) == [
        GOOD, FISH]


def test_the_first_answers_by_export_count_and_ties_go_by_name(world: Rounds) -> None:
    assert not world.answer("s", "aaa", {DOGS: {"label": "support"}})
    [place] = [one for one in Stages(Workplace(world.annotations)).of("s")
               if one.item.texts["belief"] == DOGS]
    assert [name for name, _ in place.answers] == ["aaa", "ann", "bob"]
    assert place.label == "none"


def test_a_stage_that_leads_nowhere_is_said(
    world: Rounds, capsys: pytest.CaptureFixture[str]
) -> None:
    for form, of, said in (("verify", "s", "no stage leads from a batch of stance to verify"),
                           ("refine", "s", "no stage leads"),
                           ("verify", "z", "no stage leads from a batch of no such name")):
        assert make(world, "x", form, of) == 2
        assert said in capsys.readouterr().err
