"""Batches made of gold, submissions and triplets: which items, what they show, what they hide."""

from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.core.errors import DataError
from scorer.core.records import Edge
from scorer.lab.systems.cckg import system
from scorer.lab.systems.cckg.graphs import Triplet
from scorer.people import organisers
from scorer.people.records import Batch
from scorer.people.validate import Workplace, check_file
from tests.annotation_world import Ran, cases, expanded, sound
from tests.conftest import ROOT

PRACTICE = "explagraphs-practice"
TWO = [str(ROOT / "submissions" / PRACTICE / name)
       for name in ("whyboard/structured", "reference/edited-gold")]
PAIRS = ("Cats are good pets\tCats purr\tPets\n"
         "Schools need music\tMusic trains memory\tSchools\n"
         "Cats are good pets\tCats scratch\tPets\n")
TRIPLETS = system.content({"board": "b"}, [[
    Triplet(Edge("opening_business", "Causes", "jobs"), "premise", "neither"),
    Triplet(Edge("jobs", "IsA", "good thing"), "neither", "conclusion")]]).decode()
"""As `scorer predict cckg` writes it."""


class Maker:
    """Makes batches by the command."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def run(self, name: str, form: str, *more: str) -> Ran:
        code = main(["annotations", "make-batch", name, "--form", form, *more,
                     f"--annotations={self.folder}", f"--home={self.folder}"])
        return Ran(code, *self.capsys.readouterr())

    def __call__(self, name: str, form: str, *more: str, board: str = PRACTICE) -> Ran:
        """Of the dev split of a board."""
        return self.run(name, form, "--board", board, "--split", "dev", *more)

    def of_texts(self, form: str, text: str) -> Ran:
        return self.run("b", form, "--texts", self.file("my pairs.tsv", text))

    def of_triplets(self, text: str) -> Ran:
        return self("k", "csk", "--triplets", self.file("t.tsv", text), "--labels", "all",
                    "--topics", self.file("topics.txt", "Work\n"))

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, "utf-8")
        return str(self.folder / name)

    def batch(self, name: str) -> Batch:
        """One that was made."""
        return sound(Workplace(self.folder), name)


@pytest.fixture
def make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Maker:
    return Maker(tmp_path, capsys)


@pytest.mark.claim("One command samples two systems' graphs for people, with the systems hidden.")
def test_two_systems_are_sampled_for_verifiers_who_cannot_tell_them_apart(
    make: Maker, tmp_path: Path
) -> None:
    assert make("v", "verify", "--submission", *TWO, "--items", "10").code == 0
    batch, key = make.batch("v"), Workplace(tmp_path).key("v")
    assert Counter(one.system for one in key.items.values()) == {
        "whyboard/structured": 10, "reference/edited-gold": 10}
    text = (tmp_path / "batches/v.json").read_text("utf-8")
    assert not any(word in text for word in ("structured", "edited", "reference", "dev:", "label"))
    systems = [key.items[item.id].system for item in batch.items]
    assert len([*groupby(systems)]) > 4  # neither before the other
    assert set(key.items) == set(batch.by_id)
    assert key.chosen == ""


def test_a_sample_of_chosen_labels_says_that_it_counts_for_no_system(
    make: Maker, tmp_path: Path
) -> None:
    ran = make("v", "verify", "--submission", *TWO, "--items", "4", "--labels", "support")
    assert "no random sample, so votes on them count for no system" in ran.out
    assert Workplace(tmp_path).key("v").chosen == "its items have chosen labels: support"


def test_a_seed_decides_and_nothing_else(make: Maker) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        make(name, "stance", "--gold", "--items", "10", "--seed", seed)
    first, again, other = ({item.texts["argument"]: item.id for item in make.batch(name).items}
                           for name in "abc")
    assert first.keys() == again.keys() != other.keys()
    assert {*first.values()}.isdisjoint(again.values())


def test_a_batch_binds_everything_that_its_key_says(make: Maker, tmp_path: Path) -> None:
    assert make("v", "verify", "--submission", *TWO, "--items", "10").code == 0
    key = organisers.path_of(tmp_path, "v", organisers.KEY_SUFFIX)
    assert not check_file(Workplace(tmp_path), key).problems
    text = key.read_text("utf-8")
    for old, new in (('"label": "support"', '"label": "counter"'), ("-dev:1", "-dev:2"),
                     ("whyboard/structured", "reference/edited-gold"),
                     ('"seed": "1"', '"seed": "2"')):
        assert old in text
        key.write_text(text.replace(old, new, 1), "utf-8")
        [problem] = check_file(Workplace(tmp_path), key).problems
        assert problem.found.startswith("a key with SHA-256")
        with pytest.raises(DataError, match="META-VALUE"):
            Workplace(tmp_path).key("v")


def test_only_graphs_that_pass_every_gate_are_shown_unless_asked_for(
    make: Maker, tmp_path: Path
) -> None:
    refused = make("v", "verify", "--submission", TWO[0], "--items", "30")
    assert refused.code == 2
    assert "whyboard/structured: 22 items may be judged, fewer than 30" in refused.err
    assert make("v", "verify", "--submission", TWO[0], "--every-item").code == 0
    assert len(make.batch("v").items) == 40
    assert not check_file(Workplace(tmp_path), tmp_path / "batches/v.json").problems


def test_knowledge_graphs_have_topics_colours_and_supporting_arguments_alone(
    make: Maker, tmp_path: Path
) -> None:
    topics = make.file("topics.txt", "Animals\nFood\n")
    assert make("k", "csk", "--gold", "--topics", topics).code == 0
    batch, origins = make.batch("k"), Workplace(tmp_path).key("k").items
    assert [topic.text for topic in batch.topics] == ["Animals", "Food"]
    assert {one.label for one in origins.values()} == {"support"}
    for item in batch.items:
        assert {*item.nodes} == {concept for edge in item.triplets
                                 for concept in (edge.source, edge.target)}
        for concept, origin in item.nodes.items():
            inside = [concept in item.texts[name].lower() for name in ("premise", "conclusion")]
            assert origin == {(True, False): "premise", (False, True): "conclusion",
                              (True, True): "both", (False, False): "neither"}[tuple(inside)]


def test_a_list_of_triplets_keeps_its_order_and_its_colours(make: Maker) -> None:
    assert make.of_triplets(TRIPLETS).code == 0
    [item] = make.batch("k").items
    assert item.triplets == (Edge("opening business", "Causes", "jobs"),
                             Edge("jobs", "IsA", "good thing"))
    assert item.nodes == {"opening business": "premise", "jobs": "neither",
                          "good thing": "conclusion"}


def test_a_text_behind_triplets_that_items_lack_is_named_unless_it_is_optional(
    make: Maker, tmp_path: Path
) -> None:
    (tmp_path / "forms").mkdir()
    form = """{schema: 1, kind: mine, folder: mine, format: mine/1, guideline: mine-1, title: Mine,
      about: About., needed: 1, questions: [{id: why, label: why, text: Say why., answer: text}],
      item: [{name: graph, title: Graph, kind: triplets},
             {name: hint, title: Hint, kind: text%s}]}"""
    make.file("forms/mine.yaml", form % "")
    refused = make("m", "mine", "--gold")
    assert (refused.code, "form mine needs hint" in refused.err) == (2, True)
    make.file("forms/mine.yaml", form % ", optional: yes")
    assert make("m", "mine", "--gold", "--items", "3").code == 0
    assert {origin for item in make.batch("m").items for origin in item.nodes.values()} == {
        "neither"}


def test_a_batch_that_is_too_large_becomes_several(make: Maker) -> None:
    topics = make.file("topics.txt", "Work\n")
    assert make("k", "csk", "--gold", "--labels", "all", "--topics", topics).code == 0
    assert [len(make.batch(name).items) for name in ("k-1", "k-2")] == [20, 20]


def test_a_batch_is_never_written_over(make: Maker, tmp_path: Path) -> None:
    assert make("s", "stance", "--gold").code == 0
    before = (tmp_path / "batches/s.json").read_bytes()
    again = make("s", "stance", "--gold", "--seed", "2")
    assert (again.code, "is there already" in again.err) == (2, True)
    assert (tmp_path / "batches/s.json").read_bytes() == before
    assert make("../s", "stance", "--gold").code == 2


def test_a_file_of_pairs_becomes_a_batch_and_its_topics_stand_in_the_key_alone(
    make: Maker, tmp_path: Path
) -> None:
    assert make.of_texts("stance", PAIRS).code == 0
    batch, origins = make.batch("b"), Workplace(tmp_path).key("b").items
    assert {tuple(one.texts.values()) for one in batch.items} == {
        tuple(line.split("\t")[:2]) for line in PAIRS.splitlines()}
    assert Counter(one.topic for one in origins.values()) == {"Pets": 2, "Schools": 1}
    assert {one.source for one in origins.values()} == {f"my-pairs.tsv:{n}" for n in (1, 2, 3)}
    assert "topic" not in (tmp_path / "batches/b.json").read_text("utf-8")


def test_what_no_batch_can_be_made_of_is_said(make: Maker, tmp_path: Path) -> None:
    refused = [(make.of_triplets(expanded(TRIPLETS.replace(*case["swap"]))), case["said"])
               for case in cases("making")["triplets"]]
    refused += [(make.of_texts(case["form"], expanded(case["text"])), case["said"])
                for case in cases("making")["texts"]]
    refused += [(make("b", case["form"], *case["words"].split()), case["said"])
                for case in cases("making")["words"]]
    (tmp_path / "more").mkdir()
    files = [make.file(name, text) for name, text in (("t.tsv", "a\tb"), ("more/t.tsv", "c\td"))]
    refused += [(make.run("b", "stance", "--texts", *files), "one name")]
    for ran, said in refused:
        assert ran.code in (2, 3)
        assert said in ran.err
    assert not (tmp_path / "batches").exists()
