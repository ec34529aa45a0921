"""Stages: pairs that keep their stance are collected, graphs verified, faulty ones refined."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.people import batches, sheets
from scorer.people.records import Annotation, Answers
from scorer.people.stages import CORRECT, PENDING, WRONG, History, Stages
from scorer.people.validate import Workplace, check_file

PAIRS = {"p1": ("Cats give joy.", "Cats purr at home."), "p2": ("Dogs cost money.", "Dogs eat."),
         "p3": ("Fish are calm.", "Fish swim in water.")}
GOOD = "(cats; capable of; purr)(purr; causes; joy)(cats; at location; home)"
BAD = "(cats; capable of; purr)(purr; not causes; joy)(cats; at location; home)"
FISH = "(fish; at location; water)(water; has property; calm)(fish; capable of; swim)"


class World:
    """An ``annotations`` folder whose batches are made and answered by the program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "batches").mkdir()
        items = [{"id": name, "belief": belief, "argument": argument}
                 for name, (belief, argument) in PAIRS.items()]
        document = {"format": "annotation-batch/1", "batch": "s", "kind": "stance",
                    "guideline": "stance-1", "needed": 3, "items": items}
        batches.path_of(folder, "s").write_text(json.dumps(document), "utf-8")

    def make(self, name: str, form: str, of: str) -> int:
        return main(["annotations", "make-batch", name, "--form", form, "--from-batch", of,
                     f"--annotations={self.folder}"])

    def answer(self, name: str, who: str, answers: Mapping[str, Answers]) -> list[str]:
        """Hand in answers by belief, or by item; returns what is told of the file."""
        place = Workplace(self.folder)
        batch, _ = place.batch(name)
        assert batch is not None
        by_item = {item.id: answers[key] for item in batch.items
                   for key in (item.id, item.texts["belief"]) if key in answers}
        form = place.forms[batch.kind]
        path = self.folder / form.folder / name / f"{who}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sheets.content(form, batch, Annotation(
            name, batch.kind, who, "2026-11-21T03:50:00Z", by_item)))
        return [one.rule for one in check_file(place, path).faults.kept if not one.warns]

    def histories(self) -> list[History]:
        return Stages(Workplace(self.folder)).histories()


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    for who, votes in {"ann": ("support", "counter", "support"),
                       "bob": ("support", "neutral", "support"),
                       "cleo": ("counter", "support", "support")}.items():
        assert not made.answer("s", who, {name: {"label": vote}
                                          for name, vote in zip(PAIRS, votes, strict=True)})
    return made


def vote(label: str) -> Answers:
    """A verifier's answers."""
    return {"label": label} | ({"reasons": ("meaningless",)} if label == "incorrect" else {})


def verify(world: World, name: str, cats: tuple[str, ...], fish: tuple[str, ...]) -> None:
    """Three verifiers, none of whom wrote a graph."""
    for who, first, second in zip(("dan", "eve", "fay"), cats, fish, strict=True):
        assert not world.answer(name, who, {"Cats give joy.": vote(first),
                                            "Fish are calm.": vote(second)})


def test_an_item_goes_from_pair_to_refined_graph(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert world.make("c", "collect", "s") == 0
    batch, _ = Workplace(world.folder).batch("c")
    assert batch is not None
    assert {item.texts["belief"]: item.texts["stance"] for item in batch.items} == {
        "Cats give joy.": "support", "Fish are calm.": "support"}  # p2 has no majority
    assert world.make("v", "verify", "c") == 2
    assert "batch c: no item goes on to verify, by the answers" in capsys.readouterr().err
    assert not world.answer("c", "ann", {"Cats give joy.": {"graph": BAD},
                                         "Fish are calm.": {"graph": FISH}})
    assert {one.state for one in world.histories()} == {PENDING}

    assert world.make("v", "verify", "c") == 0
    text = batches.path_of(world.folder, "v").read_text("utf-8")
    assert "argument" not in text
    assert "ann" not in json.dumps([item["graph"] for item in json.loads(text)["items"]])
    assert world.answer("v", "ann", {"Cats give joy.": vote("counter")}) == ["EG-SELF-VERIFY"]
    (world.folder / "verify/v/ann.tsv").unlink()
    verify(world, "v", ("counter", "incorrect", "support"), ("support", "support", "incorrect"))
    assert sorted(one.state for one in world.histories()) == [CORRECT, WRONG]

    assert world.make("r", "refine", "v") == 0
    refined, _ = Workplace(world.folder).batch("r")
    assert refined is not None
    (item,) = refined.items
    assert item.texts == {"belief": "Cats give joy.", "argument": "Cats purr at home.",
                          "stance": "support", "graph": BAD, "label": "none", "round": "2"}
    assert item.counts == {"votes": {"counter": 1, "incorrect": 1, "support": 1}}
    assert world.answer("r", "ann", {item.id: {"graph": GOOD}}) == ["EG-SELF-REFINE"]
    (world.folder / "refine/r/ann.tsv").unlink()
    assert not world.answer("r", "bob", {item.id: {"graph": GOOD}})

    assert world.make("v2", "verify", "r") == 0
    (origin,) = Workplace(world.folder).key("v2").items.values()
    assert (origin.authors, origin.label) == (("ann", "bob"), "support")
    verify(world, "v2", ("support",) * 3, ("support",) * 3)
    out, gold = world.folder / "out.tsv", world.folder / "gold.tsv"
    capsys.readouterr()
    assert main(["annotations", "export-refinement", str(out), "--correct", str(gold),
                 f"--annotations={world.folder}"]) == 0
    assert capsys.readouterr().err == "2 items: 2 correct, 0 to refine, 0 to verify\n"
    assert sorted(out.read_text("utf-8").splitlines()) == [
        f"Cats give joy.\tCats purr at home.\tsupport\t{BAD}\t{GOOD}",
        f"Fish are calm.\tFish swim in water.\tsupport\t{FISH}"]
    assert sorted(line.split("\t")[3] for line in gold.read_text("utf-8").splitlines()) == [
        GOOD, FISH]


def test_the_first_answers_by_export_count_and_ties_go_by_name(world: World) -> None:
    assert not world.answer("s", "aaa", {"p2": {"label": "support"}})
    places = {place.item.id: place for place in Stages(Workplace(world.folder)).of("s")}
    assert [name for name, _ in places["p2"].answers] == ["aaa", "ann", "bob"]
    assert places["p2"].label == "none"


def test_a_stage_that_leads_nowhere_is_said(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    for form, of, said in (("verify", "s", "no stage leads from a batch of stance to verify"),
                           ("refine", "s", "no stage leads"),
                           ("verify", "z", "no stage leads from a batch of no such name")):
        assert world.make("x", form, of) == 2
        assert said in capsys.readouterr().err
