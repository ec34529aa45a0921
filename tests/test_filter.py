"""Dual adversarial filtering: what it removes, what it leaves, and how its command behaves."""

import json
import random
from itertools import product

import numpy as np
import pytest

from scorer.cli import main
from scorer.lab.systems import filtering
from scorer.lab.systems.filtering import FilterSettings, HypothesisPair, HypothesisPool
from scorer.lab.systems.records import TrainingRequest
from tests.tiny_systems import tiny_encoder

pytest.importorskip("sklearn")

CONTEXTS, POOL = 200, 4
THINGS = [f"{a}{b}" for a, b in product("bdfgklmnprst", ("ail", "end", "oat", "ump", "ick"))]


def made(cue: str, seed: int = 1, contexts: int = CONTEXTS, pool: int = POOL) -> str:
    """Pairs whose plausible hypotheses end in ``cue``, but for one of each context."""
    chance = random.Random(seed)
    lines = []
    for context in range(contexts):
        for place in range(pool):
            right, wrong = (" ".join(chance.choices(THINGS, k=5)) for _ in range(2))
            right = f"{right} {cue}" if cue and place != pool - 1 else right
            label = chance.choice("12")
            both = (right, wrong) if label == "1" else (wrong, right)
            lines.append("\t".join((f"s{context}-{place}", f"Before {context}.",
                                    f"After {context}.", *both, label)))
    return "\n".join(lines) + "\n"


def filtered(folder, text: str, *more: str):
    (folder / "pairs.tsv").write_text(text)
    report, out = folder / "report.json", folder / "out.tsv"
    code = main(["filter", str(folder / "pairs.tsv"), "--out", str(out), "--report", str(report),
                 *more])
    return code, json.loads(report.read_bytes()), out.read_text().splitlines()


@pytest.mark.claim("The filter's temperatures are those of the paper.")
def test_temperatures_are_those_of_the_paper():
    found = [filtering.temperature(number, FilterSettings()) for number in (0, 25, 49)]
    # t_e + (t_s - t_e) / (1 + e^(.3 (i - 37.5))): .2 + .8 / (1 + e^-11.25), e^-3.75, e^3.45
    assert found == pytest.approx([0.99999, 0.981618, 0.224615], abs=1e-6)


@pytest.mark.claim("The filter removes a planted artefact within 50 rounds.")
def test_a_planted_artefact_is_filtered_out_within_fifty_rounds(tmp_path):
    code, report, rows = filtered(tmp_path, made("suddenly"))
    assert code == 0
    assert report["told_apart_before"] >= 0.9
    assert report["told_apart_after"] <= 0.6
    assert len(report["rounds"]) == 50
    assert len(rows) == CONTEXTS
    assert sum("suddenly" in row for row in rows) < CONTEXTS / 2


@pytest.mark.claim("The filter removes nothing but noise from a clean set.")
def test_a_clean_set_stays_as_hard_as_it_was_and_no_word_becomes_rare(tmp_path):
    text = made("")
    _, report, rows = filtered(tmp_path, text)
    assert abs(report["told_apart_before"] - 0.5) < 0.1
    assert abs(report["told_apart_after"] - 0.5) < 0.1
    counts = [sum(row.split().count(thing) for row in rows) for thing in THINGS]
    # 200 contexts x 2 x 5 words, 60 things: 33 each, standard deviation 6
    assert 33 - 5 * 6 < min(counts) <= max(counts) < 33 + 5 * 6


def test_to_the_letter_chance_itself_is_filtered_until_the_contrary_is_learnable(tmp_path):
    _, report, _ = filtered(tmp_path, made(""), "--to-the-letter")
    assert report["told_apart_after"] < 0.4


def test_every_pair_that_is_kept_is_one_of_its_context(tmp_path):
    text = made("suddenly")
    _, _, rows = filtered(tmp_path, text)
    given: dict[str, tuple[set[str], set[str]]] = {}
    for line in text.splitlines():
        _, before, _, *both, label = line.split("\t")
        right, wrong = given.setdefault(before, (set(), set()))
        right.add(both[int(label) - 1])
        wrong.add(both[2 - int(label)])
    for row in rows:
        _, before, _, *both, label = row.split("\t")
        assert both[int(label) - 1] in given[before][0]
        assert both[2 - int(label)] in given[before][1]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(tmp_path):
    texts = []
    for folder, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / folder).mkdir()
        filtered(tmp_path / folder, made("suddenly"), "--rounds", "5", "--seed", seed)
        texts.append((tmp_path / folder / "out.tsv").read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_only_pairs_that_the_adversary_tells_apart_are_exchanged_and_only_for_harder_ones():
    # One context is learned from, one is asked about; hypothesis 3 of 0 to 7 is most plausible.
    pools = [HypothesisPool((0, 1), (2,)), HypothesisPool((3, 4), (5, 6))]
    worth = np.array([0.0, 0, 0, 9, 5, 1, 7])
    settings = FilterSettings(rounds=1, learned_from=0.5, level=None, seed=2)
    pairs = [HypothesisPair(0, 2), HypothesisPair(3, 5)]
    [done] = filtering.rounds(pools, pairs, lambda right, wrong: worth, settings)
    asked_second = done.right == 1
    assert done.exchanged == asked_second
    if asked_second:
        assert pairs[1] in {HypothesisPair(4, 5), HypothesisPair(3, 6), HypothesisPair(4, 6)}


def test_any_adversary_can_be_used_such_as_one_that_knows_nothing():
    pools = [HypothesisPool((2 * n,), (2 * n + 1,)) for n in range(20)]
    flat = np.zeros(40)
    assert filtering.told_apart(filtering.first_pairs(pools), lambda *_: flat, 1) == 0.5


def test_a_hypothesis_of_both_pools_is_in_neither(tmp_path):
    (tmp_path / "pairs.tsv").write_text(
        "s1\tBefore.\tAfter.\tone\ttwo\t1\ns2\tBefore.\tAfter.\ttwo\tthree\t1\n")
    read = filtering.read(tmp_path / "pairs.tsv")
    assert [one.text for one in read.candidates] == ["one", "three"]
    assert read.pools == (HypothesisPool((0,), (1,)),)


@pytest.mark.parametrize(("text", "said"), [
    ("s1\tBefore.\tAfter.\tone\ttwo\t3\n", "pairs.tsv:1:27 TSV-GOLD label '3'"),
    ("s1\tBefore.\tAfter.\tone\tone\t1\n", "no context has a plausible and an implausible"),
    ("", "TSV-EMPTY"),
])
def test_a_file_without_pairs_is_refused_in_words(tmp_path, capsys, text, said):
    (tmp_path / "pairs.tsv").write_text(text)
    assert main(["filter", str(tmp_path / "pairs.tsv"), "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_json_lines_and_labels_are_read_as_the_official_files_are(tmp_path):
    rows = [{"story_id": f"s{n}", "obs1": "B.", "obs2": "A.", "hyp1": f"one {n}",
             "hyp2": f"two {n}"} for n in range(3)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "a.lst").write_text("1\n2\n1\n")
    read = filtering.read(tmp_path / "a.jsonl", tmp_path / "a.lst")
    assert {read.candidates[n].text for n in read.pools[0].plausible} == {"one 0", "two 1", "one 2"}


def test_words_are_read_from_the_hypothesis_alone():
    one = [filtering.Hypothesis(("secret", ""), "a b"), filtering.Hypothesis(("other", ""), "a b"),
           filtering.Hypothesis(("secret", ""), "a c"), filtering.Hypothesis(("other", ""), "a c")]
    worth = filtering.words(one)(np.array([0, 1]), np.array([2, 3]))
    assert worth[0] == worth[1] > worth[2] == worth[3]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> str:
    texts = [*THINGS, "suddenly Before After .", " ".join(map(str, range(60)))]
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder"), texts))


@pytest.mark.models
def test_an_encoder_that_is_tuned_anew_in_every_round_filters_a_planted_artefact_out(
    tmp_path, encoder
):
    (tmp_path / "pairs.tsv").write_text(made("suddenly", contexts=80, pool=2))
    read = filtering.read(tmp_path / "pairs.tsv")
    from scorer.lab.systems import choices

    request = TrainingRequest(encoder, tmp_path, 5, 12)
    adversary = choices.adversary(read.candidates, request)
    pairs = filtering.first_pairs(read.pools)
    settings = FilterSettings(rounds=6, learned_from=0.5)
    rounds = [*filtering.rounds(read.pools, pairs, adversary, settings)]
    assert rounds[0].right >= 0.9 * rounds[0].asked
    cues = sum("suddenly" in read.candidates[pair.plausible].text for pair in pairs)
    assert cues <= 0.75 * 80
    worth = adversary(*np.array(filtering.first_pairs(read.pools)).T)
    assert (worth == adversary(*np.array(filtering.first_pairs(read.pools)).T)).all()


@pytest.mark.models
def test_the_command_tunes_the_encoder_it_is_given_and_its_report_says_which(
    tmp_path, encoder, monkeypatch
):
    monkeypatch.setattr(filtering, "FOLDS", 2)
    code, report, rows = filtered(
        tmp_path, made("", contexts=12, pool=2), "--adversary", "encoder", "--encoder", encoder,
        "--epochs", "1", "--rounds", "1")
    assert code == 0
    assert len(rows) == 12
    assert {name: report[name] for name in ("adversary", "encoder", "epochs", "every_weight")} == {
        "adversary": "encoder", "encoder": encoder, "epochs": 1, "every_weight": False}


@pytest.mark.parametrize("option", [("--epochs", "2"), ("--every-weight",), ("--encoder", "x")])
def test_an_option_that_the_adversary_would_ignore_is_refused(tmp_path, capsys, option):
    (tmp_path / "pairs.tsv").write_text(made("", contexts=2))
    assert main(["filter", str(tmp_path / "pairs.tsv"), "--out", str(tmp_path / "out"),
                 *option]) == 2
    assert f"{option[0]} is for --adversary encoder" in capsys.readouterr().err
