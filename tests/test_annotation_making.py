"""Batches made of gold, submissions and triplets: which items, what they show, what they hide."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scorer.cli import main
from scorer.core.errors import DataError
from scorer.core.records import Edge
from scorer.lab.systems.cckg import system
from scorer.lab.systems.cckg.graphs import Triplet
from scorer.people import batches
from scorer.people.making import sample
from scorer.people.records import Batch
from scorer.people.stages import ItemCandidate
from scorer.people.validate import Workplace, check_file
from tests.annotation_world import Ran

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = "explagraphs-practice"
TWO = [str(ROOT / "submissions" / PRACTICE / name)
       for name in ("whyboard/structured", "reference/edited-gold")]


@pytest.fixture
def make(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Make a batch of the practice board's dev split."""

    def run(name: str, form: str, *more: str, board: str = PRACTICE) -> Ran:
        code = main(["annotations", "make-batch", name, "--form", form, "--board", board,
                     "--split", "dev", f"--annotations={tmp_path}", f"--home={tmp_path}", *more])
        return Ran(code, *capsys.readouterr())

    return run


def sound(folder: Path, name: str) -> Batch:
    """A batch that was made."""
    batch, problems = Workplace(folder).batch(name)
    assert not problems
    assert batch is not None
    return batch


@pytest.mark.claim("One command samples two systems' graphs for people, with the systems hidden.")
def test_two_systems_are_sampled_for_verifiers_who_cannot_tell_them_apart(
    make: Any, tmp_path: Path
) -> None:
    ran = make("v", "verify", "--submission", *TWO, "--items", "10")
    assert ran.code == 0
    batch, origins = sound(tmp_path, "v"), Workplace(tmp_path).key("v").items
    assert {one.system for one in origins.values()} == {"whyboard/structured",
                                                        "reference/edited-gold"}
    assert Counter(one.system for one in origins.values()).most_common()[0][1] == 10
    text = (tmp_path / "batches/v.json").read_text("utf-8")
    assert not any(word in text for word in ("structured", "edited", "reference", "dev:", "label"))
    systems = [origins[item.id].system for item in batch.items]
    assert systems != sorted(systems)
    assert set(origins) == set(batch.by_id)
    assert Workplace(tmp_path).key("v").chosen == ""


def test_a_sample_of_chosen_labels_says_that_it_counts_for_no_system(
    make: Any, tmp_path: Path
) -> None:
    ran = make("v", "verify", "--submission", *TWO, "--items", "4", "--labels", "support")
    assert "no random sample, so votes on them count for no system" in ran.out
    assert Workplace(tmp_path).key("v").chosen == "its items have chosen labels: support"


def test_a_seed_decides_and_nothing_else(make: Any, tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        make(name, "stance", "--gold", "--items", "10", "--seed", seed)
    texts = {name: {item.texts["argument"] for item in sound(tmp_path, name).items}
             for name in "abc"}
    assert texts["a"] == texts["b"] != texts["c"]
    ids = [{item.id for item in sound(tmp_path, name).items} for name in "ab"]
    assert ids[0].isdisjoint(ids[1])


def test_a_sample_is_in_proportion_and_nested_over_systems() -> None:
    every = [ItemCandidate(f"b:{row}", {}, "counter" if row % 3 else "support", "one")
             for row in range(90)]
    found = sample(every, 10, seed=7)
    assert Counter(one.label for one in found) == {"counter": 7, "support": 3}
    some = [one._replace(system="two") for one in every
            if one in found or len(one.source) % 2]
    assert {one.source for one in sample(some, 10, seed=7)} == {one.source for one in found}
    assert sample(every, 10, seed=7) == found


def test_a_batch_binds_everything_that_its_key_says(make: Any, tmp_path: Path) -> None:
    assert make("v", "verify", "--submission", *TWO, "--items", "10").code == 0
    key = batches.path_of(tmp_path, "v", batches.KEY_SUFFIX)
    assert not check_file(Workplace(tmp_path), key).problems
    text = key.read_text("utf-8")
    for old, new, said in (
        ('"label": "support"', '"label": "counter"', "a key with SHA-256"),
        ("whyboard/structured", "reference/edited-gold", "a key with SHA-256"),
        ("-dev:1", "-dev:2", "a key with SHA-256"),
        ('"predictions": "', '"predictions": "beef', "68 characters"),
        ('"seed": "1"', '"seed": "2"', "a key with SHA-256"),
    ):
        assert old in text
        key.write_text(text.replace(old, new, 1), "utf-8")
        assert said in "\n".join(map(str, check_file(Workplace(tmp_path), key).problems))
        with pytest.raises(DataError, match="META-VALUE"):
            Workplace(tmp_path).origins("v")


def test_only_graphs_that_pass_every_gate_are_shown_unless_asked_for(
    make: Any, tmp_path: Path
) -> None:
    refused = make("v", "verify", "--submission", TWO[0], "--items", "30")
    assert (refused.code, "whyboard/structured: 22 items may be judged, fewer than 30"
            in refused.err) == (2, True)
    assert make("v", "verify", "--submission", TWO[0], "--every-item").code == 0
    assert len(sound(tmp_path, "v").items) == 40
    assert not check_file(Workplace(tmp_path), tmp_path / "batches/v.json").problems


def test_knowledge_graphs_have_topics_colours_and_supporting_arguments_alone(
    make: Any, tmp_path: Path
) -> None:
    assert make("k", "csk", "--gold").code == 2
    topics = tmp_path / "topics.txt"
    topics.write_text("Animals\nFood\n", "utf-8")
    assert make("k", "csk", "--gold", "--topics", str(topics)).code == 0
    batch, origins = sound(tmp_path, "k"), Workplace(tmp_path).key("k").items
    assert [topic.text for topic in batch.topics] == ["Animals", "Food"]
    assert {one.label for one in origins.values()} == {"support"}
    for item in batch.items:
        assert {*item.nodes} == {concept for edge in item.triplets
                                 for concept in (edge.source, edge.target)}
        for concept, origin in item.nodes.items():
            inside = [concept in item.texts[name].lower() for name in ("premise", "conclusion")]
            assert origin == {(True, False): "premise", (False, True): "conclusion",
                              (True, True): "both", (False, False): "neither"}[tuple(inside)]


TRIPLETS = system.content({"board": "b"}, [[
    Triplet(Edge("opening_business", "Causes", "jobs"), "premise", "neither"),
    Triplet(Edge("jobs", "IsA", "good thing"), "neither", "conclusion")]]).decode()
"""As `scorer predict cckg` writes it."""


def test_a_list_of_triplets_keeps_its_order_and_its_colours(make: Any, tmp_path: Path) -> None:
    for name, text in (("t.tsv", TRIPLETS), ("topics.txt", "Work\n")):
        (tmp_path / name).write_text(text, "utf-8")
    ran = make("k", "csk", "--triplets", str(tmp_path / "t.tsv"), "--labels", "all", "--topics",
               str(tmp_path / "topics.txt"))
    assert ran.code == 0
    item = sound(tmp_path, "k").items[0]
    assert item.triplets == (Edge("opening business", "Causes", "jobs"),
                             Edge("jobs", "IsA", "good thing"))
    assert item.nodes == {"opening business": "premise", "jobs": "neither",
                          "good thing": "conclusion"}


@pytest.mark.parametrize(("old", "new", "said"), [
    ("cckg-triplets/1", "cckg-triplets/9", "t.tsv:1: format 'cckg-triplets/9'"),
    ("1\tjobs", "9999\tjobs", "t.tsv:5: '9999 jobs IsA good thing neither conclusion'; expected"),
    ("\tconclusion", "\tpink", "neither pink'; expected"),
    ("\tconclusion", "", "t.tsv:5: '1 jobs IsA good thing neither'; expected"),
    ("good thing", "good\u202e", "good\\u202e"),
    ("good thing", "good" * 51, "each of up to 200 characters"),
    ("\tgood thing", "\t", "t.tsv:5: '1 jobs IsA"),
])
def test_a_faulty_list_of_triplets_is_refused_at_its_line(
    make: Any, tmp_path: Path, old: str, new: str, said: str
) -> None:
    for name, text in (("t.tsv", TRIPLETS.replace(old, new)), ("topics.txt", "Work\n")):
        (tmp_path / name).write_text(text, "utf-8")
    ran = make("k", "csk", "--triplets", str(tmp_path / "t.tsv"), "--labels", "all", "--topics",
               str(tmp_path / "topics.txt"))
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_a_batch_that_is_too_large_becomes_several(make: Any, tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text("Work\n", "utf-8")
    ran = make("k", "csk", "--gold", "--labels", "all", "--topics", str(tmp_path / "topics.txt"))
    assert ran.code == 0
    assert [len(sound(tmp_path, name).items) for name in ("k-1", "k-2")] == [20, 20]


def test_stories_are_judged_by_forms_that_are_data_alone(make: Any, tmp_path: Path) -> None:
    systems = sorted(map(str, (ROOT / "submissions/anlg-practice/reference").iterdir()))
    assert make("h", "art-hypothesis", "--gold", "--submission", *systems, "--items", "5",
                board="anlg-practice").code == 0
    assert len(sound(tmp_path, "h").items) == 5 * (1 + len(systems))
    assert make("t", "art-transition", "--gold", board="anli-practice").code == 0
    shown = {item.texts["obs1"]: item.texts["hypothesis"] for item in sound(tmp_path, "t").items}
    lines = (ROOT / "boards/anli-practice/data/dev.tsv").read_text("utf-8").splitlines()
    golds = [line.split("\t") for line in lines]
    assert all(shown[first] == (two if label == "1" else one)
               for _, first, _, one, two, label in golds)


@pytest.mark.parametrize(("form", "more", "said"), [
    ("essay", ["--gold"], "no form 'essay'"),
    ("adjudicate", ["--gold"], "settles answers"),
    ("art-hypothesis", ["--gold"], "needs obs1"),
    ("stance", [], "name what the items come from"),
    ("stance", ["--gold", "--topics", "{folder}/x"], "cannot be read"),
    ("stance", ["--submission", "{folder}"], "no such file"),
])
def test_what_cannot_be_made_is_said(
    make: Any, tmp_path: Path, form: str, more: list[str], said: str
) -> None:
    ran = make("b", form, *(one.format(folder=tmp_path) for one in more))
    assert ran.code in (2, 3)
    assert said in ran.err


def test_a_batch_is_never_written_over(make: Any, tmp_path: Path) -> None:
    assert make("s", "stance", "--gold").code == 0
    before = (tmp_path / "batches/s.json").read_bytes()
    again = make("s", "stance", "--gold", "--seed", "2")
    assert (again.code, "is there already" in again.err) == (2, True)
    assert (tmp_path / "batches/s.json").read_bytes() == before
    assert json.loads(before)["items"]
    assert make("../s", "stance", "--gold").code == 2


# ---- texts of one's own --------------------------------------------------------------------------

PAIRS = ("Cats are good pets\tCats purr\tPets\n"
         "Schools need music\tMusic trains memory\tSchools\n"
         "Cats are good pets\tCats scratch\tPets\n")


@pytest.fixture
def of_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Make a batch of a file of texts."""

    def run(form: str, text: str) -> Ran:
        file = tmp_path / "my pairs.tsv"
        file.write_text(text, "utf-8")
        code = main(["annotations", "make-batch", "b", "--form", form, "--texts", str(file),
                     f"--annotations={tmp_path}"])
        return Ran(code, *capsys.readouterr())

    return run


def test_a_file_of_pairs_becomes_a_batch_and_its_topics_stand_in_the_key_alone(
    of_file: Any, tmp_path: Path
) -> None:
    assert of_file("stance", PAIRS).code == 0
    batch, origins = sound(tmp_path, "b"), Workplace(tmp_path).key("b").items
    assert {tuple(one.texts.values()) for one in batch.items} == {
        tuple(line.split("\t")[:2]) for line in PAIRS.splitlines()}
    assert Counter(one.topic for one in origins.values()) == {"Pets": 2, "Schools": 1}
    assert {one.source for one in origins.values()} == {f"my-pairs.tsv:{n}" for n in (1, 2, 3)}
    assert "topic" not in (tmp_path / "batches/b.json").read_text("utf-8")


@pytest.mark.parametrize(("form", "text", "said"), [
    ("stance", "a\tb\nc\nd\te\tf\tg\n", "3:1 TSV-COLUMNS"),
    ("stance", "a\tb\na\tb\n", "2:1 META-VALUE the texts of line 1 again"),
    ("stance", "a\tb\t" + "t" * 301, "1:1 META-VALUE a topic of 301 characters"),
    ("stance", "", "TSV-EMPTY"),
    ("csk", PAIRS, "form csk needs triplets"),
    ("collect", "a\tb\tmaybe\n", "expected one of: support, counter"),
    ("verify", "a\tno graph\n", "The graph is not of the form"),
])
def test_a_file_of_texts_that_does_not_fit_is_refused(
    of_file: Any, tmp_path: Path, form: str, text: str, said: str
) -> None:
    ran = of_file(form, text)
    assert ran.code == 2
    assert said in ran.err
    assert not (tmp_path / "batches").exists()
