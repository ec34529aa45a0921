"""Stages: pairs that keep their stance are collected, graphs verified, faulty ones refined; and
the tables of labels, rounds and authors."""

from pathlib import Path

import pytest

from scorer.core.records import Share
from scorer.people import organisers, stages
from scorer.people.answered import decided
from scorer.people.records import Answers, Item
from scorer.people.stages import CORRECT, PENDING, WRONG, Stages, label_votes, rounds_table
from scorer.people.validate import Workplace
from tests.annotation_world import sound
from tests.people_world import BAD, PAIRS, WORDS, Rounds

GOOD, FISH = PAIRS[0][4], PAIRS[2][4]
CATS, DOGS = PAIRS[0][0], "Dogs cost money."
VOTES = {"ann": ("support", "counter", "support"), "bob": ("support", "neutral", "support"),
         "cleo": ("counter", "support", "support")}


@pytest.fixture
def world(tmp_path: Path) -> Rounds:
    """Three pairs that three people voted on; the second has no majority."""
    found = Rounds(tmp_path)
    (tmp_path / "pairs.tsv").write_text("".join(f"{belief}\t{argument}\n" for belief, argument in (
        PAIRS[0][:2], (DOGS, "Dogs eat."), PAIRS[2][:2])), "utf-8")
    assert found.run("make-batch", "s", "--form", "stance", "--texts", str(tmp_path / "pairs.tsv"),
                     "--needed", "3") == 0
    for who, votes in VOTES.items():
        assert not found.answer("s", who, {belief: {"label": vote} for belief, vote in zip(
            (CATS, DOGS, PAIRS[2][0]), votes, strict=True)})
    return found


def make(world: Rounds, name: str, form: str, of: str) -> int:
    return world.run("make-batch", name, "--form", form, "--from-batch", of)


def items_of(world: Rounds, name: str) -> tuple[Item, ...]:
    return sound(Workplace(world.annotations), name).items


def states(world: Rounds) -> list[str]:
    return sorted(one.state for one in Stages(Workplace(world.annotations)).histories())


def vote(label: str) -> Answers:
    """A verifier's answers."""
    return {"label": label} | ({"reasons": ("meaningless",)} if label == "incorrect" else {})


def verify(world: Rounds, name: str, cats: tuple[str, ...], fish: tuple[str, ...]) -> None:
    """Three verifiers, none of whom wrote a graph."""
    for who, first, second in zip(("dan", "eve", "fay"), cats, fish, strict=True):
        assert not world.answer(name, who, {CATS: vote(first), "Fish are calm.": vote(second)})


def test_an_item_goes_from_pair_to_refined_graph(
    world: Rounds, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(world, "c", "collect", "s") == 0
    assert {item.texts["belief"]: item.texts["stance"] for item in items_of(world, "c")} == {
        CATS: "support", "Fish are calm.": "support"}
    assert make(world, "v", "verify", "c") == 2
    assert "batch c: no item goes on to verify, by the answers" in capsys.readouterr().err
    assert not world.answer("c", "ann", {CATS: {"graph": BAD}, "Fish are calm.": {"graph": FISH}})
    assert states(world) == [PENDING, PENDING]

    assert make(world, "v", "verify", "c") == 0
    text = organisers.path_of(world.annotations, "v").read_text("utf-8")
    assert not any(word in text for word in ("argument", '"ann"'))
    assert world.answer("v", "ann", {CATS: vote("counter")}) == ["EG-SELF-VERIFY"]
    (world.annotations / "verify/v/ann.tsv").unlink()
    verify(world, "v", ("counter", "incorrect", "support"), ("support", "support", "incorrect"))
    assert states(world) == [CORRECT, WRONG]

    assert make(world, "r", "refine", "v") == 0
    [item] = items_of(world, "r")
    assert item.texts == {"belief": CATS, "argument": "Cats purr at home.", "stance": "support",
                          "graph": BAD, "label": "none", "round": "2"}
    assert item.counts == {"votes": {"counter": 1, "incorrect": 1, "support": 1}}
    assert world.answer("r", "ann", {CATS: {"graph": GOOD}}) == ["EG-SELF-REFINE"]
    (world.annotations / "refine/r/ann.tsv").unlink()
    assert not world.answer("r", "bob", {CATS: {"graph": GOOD}})

    assert make(world, "v2", "verify", "r") == 0
    [origin] = Workplace(world.annotations).key("v2").items.values()
    assert (origin.authors, origin.label) == (("ann", "bob"), "support")
    verify(world, "v2", ("support",) * 3, ("support",) * 3)
    out, gold = world.annotations / "out.tsv", world.annotations / "gold.tsv"
    capsys.readouterr()
    assert world.run("export-refinement", str(out), "--correct", str(gold)) == 0
    assert capsys.readouterr().err == "2 items: 2 correct, 0 to refine, 0 to verify\n"
    assert sorted(out.read_text("utf-8").splitlines()) == [
        f"{CATS}\tCats purr at home.\tsupport\t{BAD}\t{GOOD}",
        f"Fish are calm.\tFish swim in water.\tsupport\t{FISH}"]
    assert sorted(line.split("\t")[3] for line in gold.read_text("utf-8").splitlines()) == [
        GOOD, FISH]


def test_the_first_answers_by_export_count_and_ties_go_by_name(world: Rounds) -> None:
    assert not world.answer("s", "aaa", {DOGS: {"label": "support"}})
    [entry] = [one for one in Stages(Workplace(world.annotations)).of("s")
               if one.item.texts["belief"] == DOGS]
    assert [*entry.answers] == ["aaa", "ann", "bob"]
    assert entry.label == "none"


@pytest.mark.parametrize(("form", "of"), [("verify", "s"), ("refine", "s"), ("verify", "z")])
def test_a_stage_that_leads_nowhere_is_said(
    world: Rounds, capsys: pytest.CaptureFixture[str], form: str, of: str
) -> None:
    assert make(world, "x", form, of) == 2
    kind = "stance" if of == "s" else "no such name"
    assert f"no stage leads from a batch of {kind} to {form}" in capsys.readouterr().err


def test_a_faulty_key_that_nothing_leads_through_stops_no_figures(world: Rounds) -> None:
    assert make(world, "c", "collect", "s") == 0
    organisers.path_of(world.annotations, "c", organisers.KEY_SUFFIX).write_text("{", "utf-8")
    world.close("s")
    assert world.run("aggregate", "--out", str(world.folder)) == 0


# ---- tables of rounds --------------------------------------------------------------------------


def votes(text: str) -> list[str]:
    return [WORDS[one] for one in text]


def item(wanted: str, *given: str) -> tuple[str, list[str | None]]:
    return WORDS[wanted], [decided(votes(one), 3) for one in given]


def test_pairs_go_on_with_a_majority_for_one_of_the_labels_that_are_kept() -> None:
    found = label_votes([votes(one) for one in (
        "SSSSS", "CCCCS", "SSSNN", "CCNNS", "CCCCC", "NNNSS", "SSSS", "SSSCCCC")], 5)
    assert (found.items, found.votes) == (8, 6 * 5 + 4 + 7)
    assert found.kept == {"support": 3, "counter": 2}
    assert found.dropped == {"neutral": 1}
    assert (found.no_majority, found.pending) == (1, 1)
    assert found.agreement.units == 7


def test_rounds_are_cumulative_and_every_item_is_in_one_column() -> None:
    items = [item("S", "SSS"), item("S", "SSI"), item("S", "CCS", "SSS"), item("C", "SSC", "CCI"),
             item("S", "III", "IIC"), item("C", "SCI", "CSI"), item("C", "SSS", "SSI"),
             item("C", "III"), item("S", "SS")]
    one, two = rounds_table(items)
    assert (one.round, one.decided, one.correct, one.incorrect) == (1, 8, 2, 2)
    assert one.crossed == {"support>counter": 1, "counter>support": 2}
    assert (one.no_majority, one.pending) == (1, 1)
    # The last but one was wrong in round 1 and is not refined yet: pending in round 2.
    assert (two.decided, two.correct, two.incorrect) == (7, 4, 1)
    assert two.crossed == {"support>counter": 0, "counter>support": 1}
    assert (two.no_majority, two.pending) == (1, 2)
    assert two.ci == pytest.approx(Share(4, 7).interval)
    for row in (one, two):
        assert row.decided == (row.correct + row.incorrect + row.no_majority
                               + sum(row.crossed.values()))
        assert row.decided + row.pending == len(items)
    assert rounds_table([]) == []


def test_the_best_authors_may_refine() -> None:
    graphs = {"ann": ["SSS"] * 8 + ["III"] * 2, "ben": ["SSS"] * 9 + ["SS"] * 5,
              "cleo": ["SSS"] * 7 + ["CCC"] * 3, "dora": [""]}
    found = stages.authors((author, "support", decided(votes(one), 3))
                                for author, of in graphs.items() for one in of)
    assert {name: (one.graphs, one.verified, one.correct, one.may_refine)
            for name, one in found.items()} == {
        "ann": (10, 10, 8, True), "ben": (14, 9, 9, False), "cleo": (10, 10, 7, False),
        "dora": (1, 0, 0, False)}
    assert found["ann"].ci == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert found["dora"].ci is None
