"""aNLG's metrics: the official numbers, the arithmetic behind them, and what always holds."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scorer import boards
from scorer.boards.golds import GoldId, Golds
from scorer.core.errors import NotMeasured
from scorer.core.records import ItemScore
from scorer.core.results import Result, VersusNull
from scorer.metrics.bertscore import bertscore
from scorer.metrics.captions import CaptionItem
from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT
from scorer.metrics.meteor import align, meteor, runs, score
from scorer.models.wordnet import WordNet
from scorer.scoring.evaluate import Session
from scorer.scoring.summary import summarise, total, with_null_of
from scorer.statistics.intervals import percentiles
from scorer.statistics.resampling import corpus, resampled
from scorer.tasks.texts.items import Gold, Prediction
from tests import case_files
from tests.fakes import LetterEncoder

BLEUS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")
EVERY = (*BLEUS, "METEOR", "ROUGE-L", "CIDEr")
TINY = WordNet.of_lines([
    "n car\tauto automobile car", "v buy\tbuy purchase", "!v bought\tbuy", "n dog\tdog hound",
    "v knit\tknit", "!v knitted\tknit", "v run\trun"])
VECTORS = case_files.read("caption_vectors.yaml")


def item(hypothesis: str, *references: str) -> CaptionItem:
    return hypothesis, references


def scores(metric: str, items: Sequence[CaptionItem], lexicon: Any = None) -> list[ItemScore]:
    info = METRICS[metric]
    return info.compute(items, **({"lexicon": lexicon} if info.lexicon else {}))


def numbers(metric: str, items: Sequence[CaptionItem], lexicon: Any = None) -> list[float]:
    return [one.value for one in scores(metric, items, lexicon)]


def value(metric: str, items: Sequence[CaptionItem], lexicon: Any = None) -> float:
    return total(METRICS[metric], scores(metric, items, lexicon))


# The official numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_bleu_of_a_corpus_and_rouge_and_cider_of_each_item_are_the_official_ones(
    vector: dict[str, Any],
) -> None:
    items = [item(*texts) for texts in vector["items"]]
    assert [value(name, items) for name in BLEUS] == pytest.approx(vector["BLEU"], abs=1e-6)
    for name in ("ROUGE-L", "CIDEr"):
        assert numbers(name, items) == pytest.approx(vector[name], abs=1e-6), name


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_meteor_of_each_item_is_the_official_one(vector: dict[str, Any], lexicon: WordNet) -> None:
    items = [item(*texts) for texts in vector["items"]]
    assert numbers("METEOR", items, lexicon) == pytest.approx(vector["METEOR"], abs=1e-6)


# The arithmetic --------------------------------------------------------------------------------


def test_bleu_adds_counts_before_it_divides() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z")]
    # Words: 4 + 2, of which 4 + 1 are found; pairs: 3 + 1, of which 3 + 0.
    assert value("BLEU-1", items) == pytest.approx(5 / 6)
    assert value("BLEU-2", items) == pytest.approx(math.sqrt(5 / 6 * 3 / 4))
    assert numbers("BLEU-1", items) == pytest.approx([1, 1 / 2])  # the value is no mean
    # Of two references that are as close the shorter counts, so there is no penalty.
    assert numbers("BLEU-1", [item("a b c", "a b c d", "a b")]) == pytest.approx([1])


def test_rouge_takes_precision_and_recall_from_different_references() -> None:
    # P: 4 / 4 of the first; R: 2 / 2 of the second.
    assert numbers("ROUGE-L", [item("a b x y", "a b x y z u v w", "a b")]) == [1.0]


def test_cider_punishes_another_length() -> None:
    items = [item("a b a b", "a b"), item("z", "z")]
    # Words: a and b twice, cut to once: cos 1/2. Pairs: ab twice, ba; 1 / sqrt(5). 3 pairs against
    # 1. No longer n-gram is in the reference.
    cosines = 1 / 2 + 1 / math.sqrt(5)
    expected = 10 * cosines / 4 * math.exp(-(3 - 1) ** 2 / 72)
    assert numbers("CIDEr", items)[0] == pytest.approx(expected)


@pytest.mark.parametrize(("text", "reference", "wanted"), [
    # Equal words, then stems, then synonyms: 3 of 3 words in 1 run.
    ("Lena bought cars", "lena BUY cars", 1 - .5 * (1 / 3) ** 3),
    # A stem counts again as a synonym: m = 3 of 2 words, P = R = 3/2, in 2 runs.
    ("he knitted", "he knit", (1 - .5 * (2 / 3) ** 3) * 3 / 2),
    # Recall counts nine times: m = 1, P = 1/2, R = 1/3.
    ("a x", "a y z", (1 - .5) * (1 / 2) * (1 / 3) / (.9 / 2 + .1 / 3)),
])
def test_meteor_by_hand(text: str, reference: str, wanted: float) -> None:
    assert score(text, reference, TINY) == pytest.approx(wanted)
    assert meteor([item(text, reference)], lexicon=TINY)[0].value == round(wanted, 4)


def test_meteor_matches_the_last_equal_word_first() -> None:
    words = [tuple(enumerate(text.split())) for text in ("the cat", "the the cat")]
    assert align(*words, TINY) == [(0, 1), (1, 2)]
    assert runs([(0, 1), (1, 2)]) == 1


def test_bertscore_weighs_rare_tokens_and_takes_the_mean_of_references() -> None:
    items = [item("alpha beta", "alpha gamma", "zeta"), item("delta", "delta")]
    # Of 3 references each letter occurs in one: all weigh the same but what no reference has:
    # log(4 / 2) = log 2, beta log 4 = 2 log 2.
    precision, recall = 1 / (1 + 2), 1 / 2
    first = round(2 * precision * recall / (precision + recall), 6)
    encoder = LetterEncoder()
    found = [one.value for one in bertscore(items, encoder=encoder)]
    assert found == pytest.approx([(first + 0) / 2, 1])
    assert sorted(encoder.asked) == ["alpha beta", "alpha gamma", "delta", "zeta"], "once each"


# What always holds -----------------------------------------------------------------------------

WORDS = some.sampled_from(["the", "The", "dog", "hound", "ran", "run", "runs", "bought", "car",
                           "knit", "knitted"])
TEXTS = some.lists(WORDS, max_size=9).map(" ".join)
ITEMS = some.lists(some.tuples(TEXTS, some.lists(TEXTS, min_size=1, max_size=4).map(tuple)),
                   min_size=1, max_size=6)


@given(ITEMS, some.randoms(use_true_random=False))
def test_every_value_is_within_its_range_and_the_order_of_items_and_references_changes_nothing(
    items: list[CaptionItem], chance: random.Random
) -> None:
    moved = [(text, tuple(chance.sample(texts, len(texts)))) for text, texts in items]
    chance.shuffle(moved)
    for name in EVERY:
        found = scores(name, items, TINY)
        whole = total(METRICS[name], found)
        assert len(found) == len(items)
        assert all(0 <= number <= METRICS[name].highest + 1e-9
                   for number in (whole, *(one.value for one in found)))
        assert value(name, moved, TINY) == pytest.approx(whole, abs=1e-12)


@given(some.lists(some.lists(WORDS, min_size=4, max_size=9).map(" ".join), min_size=1, max_size=6))
def test_a_text_that_is_a_reference_scores_best(texts: list[str]) -> None:
    items = [item(text, "another one", text) for text in texts]
    for name in (*BLEUS, "ROUGE-L"):
        assert value(name, items) == pytest.approx(1)


# A run -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*EVERY, "BERTScore"])
def test_an_empty_text_scores_0_in_every_metric_even_if_all_are_empty(name: str) -> None:
    sound = item("ann sat down there", "ann sat down there")
    for others in ([sound], [item("", "tom ran")]):
        items = [*others, item("", "ann sat."), item(" ", "ann sat.")]
        found = bertscore(items, encoder=LetterEncoder()) if name == "BERTScore" else scores(
            name, items, TINY)
        assert found[0].value > 0 if others == [sound] else found[0].value == 0
        assert [one.value for one in found[1:]] == [0, 0]


def evaluated(items: Sequence[CaptionItem]) -> Result:
    def model(name: str) -> WordNet:
        if name != "wordnet":
            raise NotMeasured(f"no {name} here")
        return TINY

    run = Session(boards.load("anlg"), model, lambda name: f"lexicon:{name}-0")
    golds = [Gold(("", ""), references=texts) for _, texts in items]
    return run.evaluate(Golds.of(golds, GoldId("0" * 64, 4)),
                        [Prediction(text=text) for text, _ in items], split="dev", with_null=False)


def test_a_run_gives_every_metric_its_own_total_and_an_item_that_comes_twice_counts_twice() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z"), item("x y", "x z")]
    result = evaluated(items)
    for name in EVERY:  # CIDEr's document frequencies, too
        assert result.metrics[name].value == pytest.approx(value(name, items, TINY))
    assert [one.scores["BLEU-1"].value for one in result.items] == pytest.approx([1, .5, .5])
    assert result.metrics["BERTScore"].reason == "no bert-base-uncased here"
    assert result.models == {"wordnet": "lexicon:wordnet-0"}
    assert "|lexicon:wordnet-0|" in result.signature("METEOR")


def test_a_corpus_metric_has_a_bootstrap_interval_and_a_test_against_its_null() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z"), item("u v w", "u w")] * 10
    found, info = scores("BLEU-1", items), METRICS["BLEU-1"]
    whole = summarise(info, found, [True] * 30, [*range(15)] * 2)
    assert whole.interval is not None
    low, high = percentiles(resampled(corpus(found, info.total)))
    assert (whole.interval.low, whole.interval.high) == (round(low, 6), round(high, 6))
    assert low < total(info, found) < high
    assert (whole.interval.method, whole.clustered_se, whole.clusters) == ("bootstrap", None, 15)
    beside = with_null_of(whole, info, found, scores("BLEU-1", [item("q", "a b c d")] * 30))
    assert beside.null == pytest.approx(0, abs=1e-6)
    assert beside.versus_null == VersusNull(p=1e-4, better=True, test="permutation")


def test_a_corpus_metric_has_no_interval_where_gold_is_hidden_or_all_items_are_alike() -> None:
    info, items = METRICS["BLEU-2"], [item("a b c d", "a b c d"), item("x y", "x z")]
    hidden = summarise(info, scores("BLEU-2", items), [True, True], None)
    assert hidden.value == pytest.approx(math.sqrt(5 / 6 * 3 / 4))
    assert (hidden.n, hidden.parts, hidden.passed.value, hidden.interval) == (2, {}, None, None)
    alike = summarise(info, scores("BLEU-2", [item("a b", "a b")] * 3), [True] * 3, range(3))
    assert (alike.interval.low, alike.interval.method) == (None, "none")
    graded = summarise(replace(info, graded=True), scores("BLEU-2", items), [True, False], range(2))
    assert graded.passed.value == pytest.approx(1), "of those that passed"
    assert graded.passed.interval.note == WHOLE_SPLIT
