"""Dual adversarial filtering: what it removes, what it leaves, and how its command behaves."""

import json
import random
from itertools import product

import numpy as np
import pytest

from scorer.cli import main
from scorer.lab.systems import filtering
from scorer.lab.systems.filtering import HypothesisPool
from scorer.lab.systems.records import TrainingRequest
from tests.tiny_systems import tiny_encoder

pytest.importorskip("sklearn")
pytestmark = pytest.mark.slow

CONTEXTS, POOL = 200, 4
THINGS = [f"{a}{b}" for a, b in product("bdfgklmnprst", ("ail", "end", "oat", "ump", "ick"))]


def pairs_of(cue: str, contexts: int = CONTEXTS, pool: int = POOL) -> str:
    """Pairs whose plausible hypotheses end in ``cue``, but for one of each context."""
    rng = random.Random(1)
    lines = []
    for context in range(contexts):
        for number in range(pool):
            right, wrong = (" ".join(rng.choices(THINGS, k=5)) for _ in range(2))
            right = f"{right} {cue}" if cue and number != pool - 1 else right
            label = rng.choice("12")
            both = (right, wrong) if label == "1" else (wrong, right)
            lines.append("\t".join((f"s{context}-{number}", f"Before {context}.",
                                    f"After {context}.", *both, label)))
    return "\n".join(lines) + "\n"


def filtered(folder, text: str, *more: str):
    """The report of the command, and the rows that it kept."""
    (folder / "pairs.tsv").write_text(text)
    report, out = folder / "report.json", folder / "out.tsv"
    assert main(["filter", str(folder / "pairs.tsv"), "--out", str(out), "--report", str(report),
                 *more]) == 0
    return json.loads(report.read_bytes()), out.read_text().splitlines()


@pytest.mark.claim("The filter's temperatures are those of the paper.")
def test_temperatures_are_those_of_the_paper():
    temperatures = [filtering.temperature(number, 50) for number in (0, 25, 49)]
    # t_e + (t_s - t_e) / (1 + e^(.3 (i - 37.5))): .2 + .8 / (1 + e^-11.25), e^-3.75, e^3.45
    assert temperatures == pytest.approx([0.99999, 0.981618, 0.224615], abs=1e-6)


@pytest.mark.claim("The filter removes a planted artefact within 50 rounds.")
def test_a_planted_artefact_is_filtered_out_within_fifty_rounds(tmp_path):
    text = pairs_of("suddenly")
    report, rows = filtered(tmp_path, text)
    assert report["told_apart_before"] >= 0.9
    assert report["told_apart_after"] <= 0.6
    assert len(report["rounds"]) == 50
    assert len(rows) == CONTEXTS
    assert sum("suddenly" in row for row in rows) < CONTEXTS / 2
    # Every pair that is kept is one of its context.
    pools: dict[str, tuple[set[str], set[str]]] = {}
    for line in text.splitlines():
        _, before, _, *both, label = line.split("\t")
        for hypotheses, at in zip(pools.setdefault(before, (set(), set())),
                                  (int(label) - 1, 2 - int(label)), strict=True):
            hypotheses.add(both[at])
    for row in rows:
        _, before, _, *both, label = row.split("\t")
        assert both[int(label) - 1] in pools[before][0]
        assert both[2 - int(label)] in pools[before][1]


@pytest.mark.claim("The filter removes nothing but noise from a clean set.")
def test_a_clean_set_stays_as_hard_as_it_was_and_no_word_becomes_rare(tmp_path):
    report, rows = filtered(tmp_path, pairs_of(""))
    assert abs(report["told_apart_before"] - 0.5) < 0.1
    assert abs(report["told_apart_after"] - 0.5) < 0.1
    counts = [sum(row.split().count(thing) for row in rows) for thing in THINGS]
    # 200 contexts x 2 x 5 words, 60 things: 33 each, standard deviation 6
    assert 33 - 5 * 6 < min(counts) <= max(counts) < 33 + 5 * 6


def test_to_the_letter_chance_itself_is_filtered_until_the_contrary_is_learnable(tmp_path):
    report, _ = filtered(tmp_path, pairs_of(""), "--to-the-letter")
    assert report["told_apart_after"] < 0.4


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(tmp_path):
    one, two, other = (filtered(tmp_path, pairs_of("suddenly", 40), "--rounds", "3", "--seed", seed)
                       for seed in "112")
    assert one == two
    assert two[1] != other[1]


@pytest.mark.parametrize("seed", [2, 3])
def test_only_pairs_that_the_adversary_tells_apart_are_exchanged_and_only_for_harder_ones(
    seed, monkeypatch
):
    monkeypatch.setattr(filtering, "LEARNED_FROM", 0.5)
    # One context is learned from, one is asked about. In the first the wrong hypothesis, 2, leads
    # already, though with 1 it would lead by more; in the second the right one, 3, leads 5 by 8.
    pools = [HypothesisPool((0, 1), (2,)), HypothesisPool((3, 4), (5, 6))]
    worth = np.array([0.0, -5, 1, 9, 5, 1, 7])
    pairs = np.array([(0, 2), (3, 5)])
    [done] = filtering.rounds(pools, pairs, lambda right, wrong: worth, count=1, seed=seed,
                              level=None)
    if seed == 2:
        assert (done.asked, done.right, done.exchanged) == (1, 1, 1)
        assert tuple(pairs[1]) in {(4, 5), (3, 6), (4, 6)}
    else:
        assert (done.asked, done.right, done.exchanged) == (1, 0, 0)
        assert pairs.tolist() == [[0, 2], [3, 5]]


def test_a_hypothesis_of_both_pools_is_in_neither(tmp_path):
    (tmp_path / "pairs.tsv").write_text(
        "s1\tBefore.\tAfter.\tone\ttwo\t1\ns2\tBefore.\tAfter.\ttwo\tthree\t1\n")
    read = filtering.read(tmp_path / "pairs.tsv")
    assert [one.text for one in read.candidates] == ["one", "three"]
    assert read.pools == (HypothesisPool((0,), (1,)),)


@pytest.mark.parametrize(("text", "more", "words"), [
    ("s1\tBefore.\tAfter.\tone\ttwo\t3\n", (), "pairs.tsv:1:27 TSV-GOLD label '3'"),
    ("s1\tBefore.\tAfter.\tone\tone\t1\n", (), "no context has a plausible and an implausible"),
    ("", (), "TSV-EMPTY"),
    (pairs_of("", contexts=2), ("--encoder", "x"), "--encoder is for --adversary encoder"),
], ids=["label", "no pool", "nothing", "option"])
def test_a_file_without_pairs_or_an_idle_option_is_refused(tmp_path, fails, text, more, words):
    (tmp_path / "pairs.tsv").write_text(text)
    fails(2, words, "filter", str(tmp_path / "pairs.tsv"), "--out", str(tmp_path / "out"), *more)
    assert not (tmp_path / "out").exists()


def test_json_lines_and_labels_are_read_as_the_official_files_are(tmp_path):
    rows = [{"story_id": f"s{n}", "obs1": "B.", "obs2": "A.", "hyp1": f"one {n}",
             "hyp2": f"two {n}"} for n in range(3)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "a.lst").write_text("1\n2\n1\n")
    read = filtering.read(tmp_path / "a.jsonl", tmp_path / "a.lst")
    assert {read.candidates[n].text for n in read.pools[0].plausible} == {"one 0", "two 1", "one 2"}


def test_words_are_read_from_the_hypothesis_alone():
    adversary = filtering.words([filtering.Hypothesis((before, ""), text)
                                 for text in ("a b", "a c") for before in ("secret", "other")])
    worth = adversary(np.array([0, 1]), np.array([2, 3]))
    assert worth[0] == worth[1] > worth[2] == worth[3]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    texts = [*THINGS, "suddenly Before After .", " ".join(map(str, range(60)))]
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder"), texts))


@pytest.mark.models
@pytest.mark.slow
def test_an_encoder_tells_a_planted_artefact_apart_and_twice_in_the_same_way(tmp_path, encoder):
    from scorer.lab.systems import choices

    (tmp_path / "pairs.tsv").write_text(pairs_of("suddenly", contexts=60, pool=2))
    read = filtering.read(tmp_path / "pairs.tsv")
    adversary = choices.adversary(read.candidates, TrainingRequest(encoder, tmp_path, 5, 12))
    pairs = filtering.first_pairs(read.pools)
    worth = adversary(*pairs[:40].T)
    right, wrong = pairs[40:].T
    assert (worth[right] > worth[wrong]).mean() >= 0.9
    assert (worth == adversary(*pairs[:40].T)).all()


@pytest.mark.models
def test_the_command_tunes_the_encoder_that_its_report_names(tmp_path, encoder, monkeypatch):
    monkeypatch.setattr(filtering, "FOLDS", 2)
    report, rows = filtered(
        tmp_path, pairs_of("", contexts=12, pool=2), "--adversary", "encoder", "--encoder", encoder,
        "--rounds", "1")
    assert len(rows) == 12
    assert (report["adversary"], report["encoder"]) == ("encoder", encoder)
