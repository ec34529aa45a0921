"""Batches made of gold, submissions and triplets: which items, what they show, what they hide."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer import board as boards
from scorer.annotations import keys, making
from scorer.annotations.drawn import Drawing
from scorer.annotations.making import Candidate, sample
from scorer.annotations.records import Batch
from scorer.annotations.validate import Workplace, check_file
from scorer.cli import main
from scorer.errors import DataError
from scorer.records import Edge
from scorer.systems.cckg import triplets
from scorer.systems.cckg.graphs import Triplet

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = "explagraphs-practice"
TWO = [str(ROOT / "submissions" / PRACTICE / name)
       for name in ("whyboard/structured", "reference/edited-gold")]


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


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
    batch, origins = sound(tmp_path, "v"), keys.read(tmp_path, "v").origins
    assert {one.system for one in origins.values()} == {"whyboard/structured",
                                                        "reference/edited-gold"}
    assert Counter(one.system for one in origins.values()).most_common()[0][1] == 10
    text = (tmp_path / "batches/v.json").read_text("utf-8")
    assert not any(word in text for word in ("structured", "edited", "reference", "dev:", "label"))
    systems = [origins[item.id].system for item in batch.items]
    assert systems != sorted(systems)
    assert set(origins) == set(batch.by_id)
    assert keys.read(tmp_path, "v").chosen == ""


def test_a_sample_of_chosen_labels_says_that_it_counts_for_no_system(
    make: Any, tmp_path: Path
) -> None:
    ran = make("v", "verify", "--submission", *TWO, "--items", "4", "--labels", "support")
    assert "no random sample, so votes on them count for no system" in ran.out
    assert keys.read(tmp_path, "v").chosen == "its items have chosen labels: support"


def test_a_seed_decides_and_nothing_else(make: Any, tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        make(name, "stance", "--gold", "--items", "10", "--seed", seed)
    texts = {name: {item.texts["argument"] for item in sound(tmp_path, name).items}
             for name in "abc"}
    assert texts["a"] == texts["b"] != texts["c"]
    ids = [{item.id for item in sound(tmp_path, name).items} for name in "ab"]
    assert ids[0].isdisjoint(ids[1])


def test_a_sample_is_in_proportion_and_nested_over_systems() -> None:
    every = [Candidate(f"b:{row}", "one", "counter" if row % 3 else "support", {})
             for row in range(90)]
    found = sample(every, 10, seed=7)
    assert Counter(one.label for one in found) == {"counter": 7, "support": 3}
    some = [one._replace(system="two") for one in every
            if one in found or len(one.source) % 2]
    assert {one.source for one in sample(some, 10, seed=7)} == {one.source for one in found}
    assert sample(every, 10, seed=7) == found


@pytest.fixture
def drawn(make: Any, tmp_path: Path) -> Any:
    """What is wrong with a batch of two systems once its key, its batch, or nothing was changed."""
    assert make("v", "verify", "--submission", *TWO, "--items", "10").code == 0
    files = [tmp_path / f"batches/v{end}" for end in (".key.json", ".json")]
    before = [path.read_text("utf-8") for path in files]

    def told(key: Any = str, batch: Any = str) -> list[str]:
        for path, text, change in zip(files, before, (key, batch), strict=True):
            path.write_text(change(text), "utf-8")
        place = Workplace(tmp_path, Drawing(ROOT, tmp_path).why_not)
        return [one.found for one in check_file(place, files[0], handed_in=True).problems]

    return told


NOT_DRAWN = ["other items or origins than its seed draws"]


def test_a_key_whose_items_the_seed_does_not_draw_is_refused(drawn: Any) -> None:
    def put(old: str, new: str) -> Any:
        return lambda text: text.replace(old, new, 1)

    assert drawn() == []
    assert drawn(put('"label": "support"', '"label": "counter"')) == NOT_DRAWN
    assert drawn(put('"items of each system": "10"', '"items of each system": "9"')) == NOT_DRAWN
    assert drawn(batch=put("; causes; ", "; not causes; ")) == NOT_DRAWN
    for count in ("30", "0", "-1", "ten"):
        [found] = drawn(put('"items of each system": "10"', f'"items of each system": "{count}"'))
        assert found.startswith("a draw that cannot be made again (")
    [found] = drawn(lambda text: re.sub(r',\s*"predictions": "\w+"', "", text))
    assert found == "'reference/edited-gold' without the digest of its predictions"


@pytest.mark.parametrize(("old", "new"), [
    ("whyboard/structured", "reference/edited-gold"), ("-dev:1", "-dev:2"),
    ('"seed": "1"', '"seed": "2"')])
def test_ids_of_items_bind_a_key_that_comes_later(drawn: Any, old: str, new: str) -> None:
    # Nothing has to be at hand for it: an id is a digest of seed, row, system and batch.
    assert drawn(lambda text: text.replace(old, new)) == [
        "origins that the items' ids do not stand for"]


def test_what_is_not_at_hand_is_not_drawn_again_and_hides_nothing_else(drawn: Any) -> None:
    def not_at_hand(text: str, systems: str = r"[\w/-]+") -> str:
        return re.sub(rf'("system": "{systems}"[^}}]*"predictions": ")\w{{4}}', r"\1beef", text)

    assert drawn(not_at_hand) == []
    structured = partial(not_at_hand, systems="whyboard/structured")
    assert drawn(structured) == []
    other = "reference/edited-gold"
    assert drawn(lambda text: re.sub(
        rf'("system": "{other}",\s*"label": ")support', r"\1counter", structured(text), count=1)
        ) == NOT_DRAWN


def test_a_digest_that_nobody_has_does_not_hide_what_was_picked(drawn: Any) -> None:
    """Of one system's items the last names other predictions, as if the system were not at hand."""
    def lie(text: str) -> str:
        key = json.loads(text)
        [*_, last] = [one for one in key["items"].values()
                      if one["system"] == "whyboard/structured"]
        last["predictions"] = "beef" * 16
        return json.dumps(key)

    assert drawn(lie) == ["several predictions of one system"]


def test_a_part_of_a_large_draw_is_drawn_again_with_a_system_missing(tmp_path: Path) -> None:
    form = replace(Workplace(tmp_path).forms["verify"], most_items=12)
    board = boards.load(PRACTICE, ROOT / "boards")
    golds = making.golds_of(board, "dev", tmp_path)
    made = making.make(
        making.Wanted(name="v", form=form, board=PRACTICE, made_of=f"{PRACTICE} dev", seed=1,
                      items=10),
        [making.of_submission(board, golds, Path(folder), "dev") for folder in TWO])
    making.write(tmp_path, made)
    again = Drawing(ROOT, tmp_path).why_not
    assert [batch.name for batch, _, _ in made.batches] == ["v-1", "v-2"]
    for batch, _, _ in made.batches:
        key = keys.read(tmp_path, batch.name)
        gone = key._replace(origins={
            item: replace(one, predictions="beef" * 16) if one.system.startswith("ref") else one
            for item, one in key.origins.items()})
        assert again(form, batch, key) == again(form, batch, gone) == ""
        _, left_out, *_ = [item for item in batch.items
                           if gone.origins[item.id].system == "whyboard/structured"]
        fewer = replace(batch, items=tuple(one for one in batch.items if one != left_out))
        assert [again(form, fewer, gone)] == NOT_DRAWN
        one = {item: key.origins[item] for item in (batch.items[0].id,)}
        assert [again(form, replace(batch, items=batch.items[:1]), key._replace(origins=one))
                ] == NOT_DRAWN


def test_items_of_a_split_without_public_gold_are_no_draw(drawn: Any, tmp_path: Path) -> None:
    batch, key = sound(tmp_path, "v"), keys.read(tmp_path, "v")
    hidden = key._replace(origins={item: replace(one, source="explagraphs-test:1")
                                   for item, one in key.origins.items()})
    form = Workplace(tmp_path).forms["verify"]
    assert Drawing(ROOT, tmp_path).why_not(form, batch, hidden).startswith(
        "a draw that cannot be made again (explagraphs test: gold is reported;")


def test_a_board_with_faults_is_no_fault_of_the_key(drawn: Any, tmp_path: Path) -> None:
    board = tmp_path / f"boards/{PRACTICE}/board.yaml"
    board.parent.mkdir(parents=True)
    board.write_text("title: 7\n")
    batch, key = sound(tmp_path, "v"), keys.read(tmp_path, "v")
    with pytest.raises(DataError, match=rf"^{board}:1:1 META-"):
        Drawing(tmp_path, tmp_path).why_not(
            Workplace(tmp_path).forms["verify"], batch, key)


def test_items_of_several_splits_are_no_draw(make: Any, tmp_path: Path) -> None:
    assert make("v", "verify", "--submission", *TWO, "--items", "10").code == 0
    batch, key = sound(tmp_path, "v"), keys.read(tmp_path, "v")
    first = replace(key.origins[batch.items[0].id], source=f"{PRACTICE}-train:1")
    mixed = key._replace(origins={**key.origins, batch.items[0].id: first})
    form = Workplace(tmp_path).forms["verify"]
    assert Drawing(ROOT, tmp_path).why_not(form, batch, mixed) == "items of several splits"


def test_only_graphs_that_pass_every_gate_are_shown_unless_asked_for(
    make: Any, tmp_path: Path
) -> None:
    refused = make("v", "verify", "--submission", TWO[0], "--items", "30")
    assert (refused.code, "whyboard/structured: 22 items may be judged, fewer than 30"
            in refused.err) == (2, True)
    assert make("v", "verify", "--submission", TWO[0], "--every-item").code == 0
    assert len(sound(tmp_path, "v").items) == 40
    place = Workplace(tmp_path, Drawing(ROOT, tmp_path).why_not)
    assert not check_file(place, tmp_path / "batches/v.json", handed_in=True).problems


def test_knowledge_graphs_have_topics_colours_and_supporting_arguments_alone(
    make: Any, tmp_path: Path
) -> None:
    assert make("k", "csk", "--gold").code == 2
    topics = tmp_path / "topics.txt"
    topics.write_text("Animals\nFood\n", "utf-8")
    assert make("k", "csk", "--gold", "--topics", str(topics)).code == 0
    batch, origins = sound(tmp_path, "k"), keys.read(tmp_path, "k").origins
    assert [topic.text for topic in batch.topics] == ["Animals", "Food"]
    assert {one.label for one in origins.values()} == {"support"}
    for item in batch.items:
        assert {*item.nodes} == {concept for edge in item.triplets
                                 for concept in (edge.source, edge.target)}
        for concept, origin in item.nodes.items():
            inside = [concept in item.texts[name].lower() for name in ("premise", "conclusion")]
            assert origin == {(True, False): "premise", (False, True): "conclusion",
                              (True, True): "both", (False, False): "neither"}[tuple(inside)]


TRIPLETS = triplets.content({"board": "b"}, [[
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
    ("1\tjobs", "9999\tjobs", "t.tsv:5: item '9999'; expected 1 to 40"),
    ("1\tjobs", "-1\tjobs", "t.tsv:5: item '-1'"),
    ("\tconclusion", "\tpink", "t.tsv:5: 'neither, pink'"),
    ("\tconclusion", "", "t.tsv:5: 5 columns"),
    ("good thing", "good\u202e", "t.tsv:5: 'good\\u202e'"),
    ("IsA", "<b>", "rel: '<b>'"),
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


@pytest.mark.parametrize("left", [0, 1])
def test_what_a_killed_run_left_of_a_batch_is_completed(
    make: Any, tmp_path: Path, left: int,
) -> None:
    assert make("s", "stance", "--gold").code == 0
    paths = sorted((tmp_path / "batches").iterdir())
    assert len(paths) == 2
    whole = [path.read_bytes() for path in paths]
    paths[1 - left].unlink()
    assert make("s", "stance", "--gold", "--seed", "2").code == 2
    assert make("s", "stance", "--gold").code == 0
    assert [path.read_bytes() for path in paths] == whole


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
    batch, origins = sound(tmp_path, "b"), keys.read(tmp_path, "b").origins
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
