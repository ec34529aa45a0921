"""aNLG's metrics: the official numbers, the arithmetic behind them, and what always holds.

The vectors were made by the unmodified classes of the official evaluation with nltk 3.4.5 and
WordNet 3.0; their sentences were made up for this project.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scorer import boards
from scorer.core.errors import NotMeasured
from scorer.core.records import ItemScore
from scorer.core.results import Result, VersusNull
from scorer.metrics import caption_ngrams
from scorer.metrics.bertscore import bertscore
from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT
from scorer.metrics.meteor import align, meteor, runs, score
from scorer.models.wordnet import WordNet
from scorer.scoring.evaluate import GoldId, Session
from scorer.scoring.results.files import from_json, items_bytes
from scorer.scoring.summary import summarise, total, with_null_of
from scorer.statistics.corpus import corpus, interval, resampled
from scorer.tasks.anlg.anlg_items import Prediction
from scorer.tasks.text_items import Gold
from tests.fakes import LetterEncoder

Item = caption_ngrams.CaptionItem
BLEUS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")
CLOSE = 1e-6

TINY = WordNet.of_lines([
    "n car\tauto automobile car", "v buy\tbuy purchase", "!v bought\tbuy", "n dog\tdog hound",
    "v knit\tknit", "!v knitted\tknit",
    "v run\trun",
])


def scores(metric: str, items: Sequence[Item], lexicon: WordNet | None = None) -> list[ItemScore]:
    info = METRICS[metric]
    options = {"lexicon": lexicon} if info.lexicon else {}
    return info.compute(items, **options)


def value(metric: str, items: Sequence[Item], lexicon: WordNet | None = None) -> float:
    return total(METRICS[metric], scores(metric, items, lexicon))


# The official numbers --------------------------------------------------------------------------


class Vector(NamedTuple):
    """Items and what the official code says of them."""

    name: str
    items: tuple[Item, ...]
    bleu: tuple[float, float, float, float]
    meteor: tuple[float, ...]
    rouge: tuple[float, ...]
    cider: tuple[float, ...]


def item(hypothesis: str, *references: str) -> Item:
    return hypothesis, references


VECTORS = (
    Vector("V1 one item, repeated", (item("The dog slept all day.", "The dog slept all day."),),
           (1, 1, 1, 1), (.996,), (1,), (0,)),
    Vector("V2 case and punctuation count",
           (item("the dog slept all day", "The dog slept all day."),),
           (.6, .547723, .464159, 8.4e-5), (.7938,), (.6,), (0,)),
    Vector("V3 two items, four references",
           (item("Tom missed the bus.", "Tom missed the bus.", "Tom was late for the bus."),
            item("It rained all day.", "There was a storm.", "It rained the whole day.")),
           (.875, .763763, .663176, .617965), (.9922, .7653), (1, .653571), (5.987995, 1.280436)),
    Vector("V4 references of other lengths",
           (item("Ann ran home fast.", "Ann ran home.",
                 "Ann ran all the way home very fast today."),
            item("Bob cried.", "Bob cried a lot last night.")),
           (.404354, .247615, 3e-6, 0), (.6048, .0893), (.698473, .229323), (1.836966, .577882)),
    Vector("V5 nothing shared, and everything",
           (item("Birds sing.", "Snow fell overnight."),
            item("Kim ate lunch at noon.", "Kim ate lunch at noon.")),
           (.619198, .655298, .719358, .7537), (0, .996), (0, 1), (0, 10)),
    Vector("V6 one word", (item("Yes.", "No way."), item("Ok.", "Ok.")),
           (.303265, .000429, 4.8e-5, 1.6e-5), (0, .5), (0, 1), (0, 2.5)),
    Vector("V7 two blanks", (item("Tom  ran.", "Tom ran."),
                             item("Sue sat down there.", "Sue sat down there.")),
           (1, 1, 1, 1), (.9375, .9922), (.829932, 1), (5, 10)),
    Vector("V8 an empty text", (item("", "Tom ran."),
                                item("Sue sat down there.", "Sue sat down there.")),
           (.606531,) * 4, (0, .9922), (0, 1), (0, 10)),
    Vector("V9 stems and synonyms",
           (item("He ran to the bus stop.", "He was running to catch the bus."),
            item("Grandma knitted a sweater.", "Grandma knit her a sweater."),
            item("Lena bought a car.", "Lena purchased an automobile."),
            item("Cats run.", "A cat is running.")),
           (.340725, .148705, 1e-6, 0), (.2174, .9102, .125, .2632),
           (.455224, .653571, .25, 0), (1.141313, 2.365653, .625, 0)),
)

each_vector = pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])


@each_vector
def test_bleu_of_a_corpus_and_rouge_and_cider_of_each_item_are_the_official_ones(
    vector: Vector,
) -> None:
    assert [value(name, vector.items) for name in BLEUS] == pytest.approx(vector.bleu, abs=CLOSE)
    for name, wanted in (("ROUGE-L", vector.rouge), ("CIDEr", vector.cider)):
        found = [one.value for one in scores(name, vector.items)]
        assert found == pytest.approx(wanted, abs=CLOSE), name


@each_vector
def test_meteor_of_each_item_is_the_official_one(vector: Vector, lexicon: WordNet) -> None:
    found = [one.value for one in scores("METEOR", vector.items, lexicon)]
    assert found == pytest.approx(vector.meteor, abs=CLOSE)


# The arithmetic --------------------------------------------------------------------------------


def test_bleu_adds_counts_before_it_divides() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z")]
    # Words: 4 + 2, of which 4 + 1 are found; pairs: 3 + 1, of which 3 + 0.
    assert value("BLEU-1", items) == pytest.approx(5 / 6)
    assert value("BLEU-2", items) == pytest.approx(math.sqrt(5 / 6 * 3 / 4))
    alone = [one.value for one in scores("BLEU-1", items)]
    assert alone == pytest.approx([1, 1 / 2])
    assert sum(alone) / 2 != pytest.approx(5 / 6)  # the value is no mean


def test_rouge_takes_precision_and_recall_from_different_references() -> None:
    [one] = scores("ROUGE-L", [item("a b x y", "a b x y z u v w", "a b")])
    # P: 4 / 4 of the first; R: 2 / 2 of the second.
    assert one.value == 1.0


def test_cider_punishes_another_length() -> None:
    items = [item("a b a b", "a b"), item("z", "z")]
    # Words: a and b twice, cut to once: cos 1/2. Pairs: ab twice, ba; 1 / sqrt(5). 3 pairs against
    # 1. No longer n-gram is in the reference.
    cosines = 1 / 2 + 1 / math.sqrt(5)
    expected = 10 * cosines / 4 * math.exp(-(3 - 1) ** 2 / 72)
    assert scores("CIDEr", items)[0].value == pytest.approx(expected)


def test_meteor_finds_equal_words_then_stems_then_synonyms() -> None:
    words = [tuple(enumerate(text.split())) for text in ("lena bought cars", "lena buy cars")]
    assert align(*words, TINY) == [(0, 0), (1, 1), (2, 2)]
    # 3 of 3 words in 1 run.
    assert score("Lena bought cars", "lena BUY cars", TINY) == pytest.approx(1 - .5 * (1 / 3) ** 3)


def test_meteor_counts_a_stem_again_as_a_synonym() -> None:
    # m = 1 equal + 1 stem + 1 synonym = 3 of 2 words: P = R = 3/2, in 2 runs.
    assert score("he knitted", "he knit", TINY) == pytest.approx((1 - .5 * (2 / 3) ** 3) * 3 / 2)


def test_meteor_counts_recall_nine_times() -> None:
    # m = 1: P = 1/2, R = 1/3.
    mean = (1 / 2) * (1 / 3) / (.9 / 2 + .1 / 3)
    assert score("a x", "a y z", TINY) == pytest.approx((1 - .5) * mean)


def test_meteor_rounds_each_item_to_four_digits() -> None:
    [one] = meteor([item("a x", "a y z")], lexicon=TINY)
    assert one.value == round((1 - .5) * (1 / 6) / (.45 + .1 / 3), 4)


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
    found = [one.value for one in bertscore(items, encoder=LetterEncoder())]
    assert found == pytest.approx([(first + 0) / 2, 1])


def test_bertscore_encodes_every_sentence_once() -> None:
    encoder = LetterEncoder()
    bertscore([item("a", "a", "b"), item("b", "a")], encoder=encoder)
    assert sorted(encoder.asked) == ["a", "b"]


@pytest.mark.models
def test_the_encoder_gives_a_vector_for_every_token(tmp_path: Path) -> None:
    from scorer.models.known import Machine
    from scorer.models.sources import find
    from scorer.models.transformers_encoder import TransformersEncoder
    from tests.tiny_judges import tiny_encoder

    encoder = TransformersEncoder(find(str(tiny_encoder(tmp_path))), 2, Machine())
    texts = ["Tom missed the bus.", "", " Ann ran. ", "ran " * 600]
    tokens, vectors = encoder.tokens(texts), encoder.embed(texts)
    assert [len(one) for one in tokens] == [len(one) for one in vectors] == [7, 2, 5, 512]


# What always holds -----------------------------------------------------------------------------

WORDS = some.sampled_from(["the", "The", "dog", "hound", "ran", "run", "runs", "bought", "car",
                           "knit", "knitted"])
TEXTS = some.lists(WORDS, max_size=9).map(" ".join)
FULL = some.lists(WORDS, min_size=1, max_size=9).map(" ".join)
ITEMS = some.lists(some.tuples(TEXTS, some.lists(TEXTS, min_size=1, max_size=4).map(tuple)),
                   min_size=1, max_size=6)
EVERY = (*BLEUS, "METEOR", "ROUGE-L", "CIDEr")


@given(ITEMS)
def test_every_value_is_within_its_range(items: list[Item]) -> None:
    for name in EVERY:
        found = scores(name, items, TINY)
        assert len(found) == len(items)
        for number in (total(METRICS[name], found), *(one.value for one in found)):
            assert 0 <= number <= METRICS[name].highest + 1e-9


@given(ITEMS, some.randoms(use_true_random=False))
def test_the_order_of_items_and_references_changes_nothing(
    items: list[Item], chance: random.Random
) -> None:
    moved = [(text, tuple(chance.sample(texts, len(texts)))) for text, texts in items]
    chance.shuffle(moved)
    for name in EVERY:
        assert value(name, moved, TINY) == pytest.approx(value(name, items, TINY), abs=1e-12)


@given(some.lists(some.lists(WORDS, min_size=4, max_size=9).map(" ".join), min_size=1, max_size=6))
def test_a_text_that_is_a_reference_scores_best(texts: list[str]) -> None:
    items = [item(text, "another one", text) for text in texts]
    for name in (*BLEUS, "ROUGE-L"):
        assert value(name, items) == pytest.approx(1)
    for one, text in zip(scores("METEOR", items, TINY), texts, strict=True):
        assert one.value >= round(1 - .5 / len(text.split()) ** 3, 4)


@given(ITEMS)
def test_a_further_reference_never_lowers_rouge_or_meteor(items: list[Item]) -> None:
    fewer = [(text, texts[:1]) for text, texts in items]
    for name in ("ROUGE-L", "METEOR"):
        both = zip(scores(name, fewer, TINY), scores(name, items, TINY), strict=True)
        assert all(less.value <= more.value + 1e-12 for less, more in both)


@given(TEXTS, FULL)
def test_meteor_without_quirks_stays_below_one(text: str, reference: str) -> None:
    nothing = WordNet.of_lines(["n zebra\tzebra"])
    assert 0 <= score(text, reference, nothing) < 1


def test_bleu_and_cider_share_one_count() -> None:
    items = [item("a b c", "a b c d"), item("x y", "x z")]
    first = caption_ngrams.counted(tuple(items))
    for name in (*BLEUS, "CIDEr"):
        scores(name, items)
    assert caption_ngrams.counted((*items,)) is first


# The spine -------------------------------------------------------------------------------------


def session(lexicon: WordNet | None = None) -> Session:
    def model(name: str) -> WordNet:
        if lexicon is None or name != "wordnet":
            raise NotMeasured(f"no {name} here")
        return lexicon

    board = replace(boards.load("anlg"), id="texts", version="1.0",
                    metrics=(*EVERY, "BERTScore"))
    return Session(board, model, lambda name: f"lexicon:{name}-0")


def evaluated(run: Session, items: Sequence[Item]) -> Result:
    return run.evaluate([Gold(("", ""), references=texts) for _, texts in items],
                        [Prediction(text) for text, _ in items], split="dev",
                        gold_id=GoldId("0" * 64, 4), with_null=False)


@pytest.mark.parametrize("name", [*EVERY, "BERTScore"])
def test_an_empty_text_scores_0_in_every_metric_even_if_all_are_empty(name: str) -> None:
    sound = item("ann sat down there", "ann sat down there")
    for others in ([sound], [item("", "tom ran")]):
        items = [*others, item("", "ann sat."), item(" ", "ann sat.")]
        found = bertscore(items, encoder=LetterEncoder()) if name == "BERTScore" else scores(
            name, items, TINY)
        assert [one.value > 0 for one in found] == [others == [sound], False, False]
        assert [one.value for one in found[1:]] == [0, 0]


def test_a_run_gives_every_metric_its_own_total() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z"), item("x y", "x z")]
    result = evaluated(session(TINY), items)
    for name in EVERY:
        assert result.metrics[name].value == pytest.approx(value(name, items, TINY))
    assert [one.scores["BLEU-1"].value for one in result.items] == pytest.approx([1, .5, .5])
    assert result.models == {"wordnet": "lexicon:wordnet-0"}
    assert "|lexicon:wordnet-0|" in result.signature("METEOR")


def test_an_item_that_comes_twice_counts_twice_in_document_frequencies() -> None:
    items = [item("a b", "a b"), item("c d", "c d")]
    run = session(TINY)
    first, twice = (evaluated(run, given).metrics["CIDEr"].value for given in (items, items * 2))
    assert first == pytest.approx(value("CIDEr", items))
    assert twice == pytest.approx(value("CIDEr", items * 2))


def test_metrics_that_lack_something_are_null_with_the_reason() -> None:
    result = evaluated(session(), [item("a b", "a b")])
    assert (result.metrics["METEOR"].value, result.metrics["METEOR"].reason) == (
        None, "no wordnet here")
    assert result.metrics["BERTScore"].reason == "no bert-base-uncased here"
    assert result.metrics["BLEU-1"].value == pytest.approx(1)


def test_a_result_file_keeps_what_a_corpus_value_is_made_of() -> None:
    result = evaluated(session(TINY), [item("a b c d", "a b c d"), item("x y", "x z")])
    of_file = {"predictions": {"sha256": "a" * 64, "rows": 2}, "key": "b" * 64}
    again = from_json(result.to_json() | of_file, items_bytes(result))
    for name in EVERY:
        kept = [one.scores[name] for one in again.items]
        assert total(METRICS[name], kept) == result.metrics[name].value


def test_a_corpus_metric_is_summed_up_from_its_items_alone() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z")]
    found = scores("BLEU-2", items)
    told = summarise(METRICS["BLEU-2"], found, [True, True], None)
    assert told.value == pytest.approx(math.sqrt(5 / 6 * 3 / 4))
    assert (told.n, told.parts, told.passed.value, told.interval) == (2, {}, None, None)


def test_a_corpus_metric_has_a_bootstrap_interval_and_a_test_against_its_null() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z"), item("u v w", "u w")] * 10
    found = scores("BLEU-1", items)
    told = summarise(METRICS["BLEU-1"], found, [True] * 30, [*range(15)] * 2)
    assert told.interval is not None
    low, high = interval(resampled(corpus(found, METRICS["BLEU-1"].total)))
    assert (told.interval.low, told.interval.high) == (round(low, 6), round(high, 6))
    assert low < total(METRICS["BLEU-1"], found) < high
    assert (told.interval.method, told.clustered_se, told.clusters) == ("bootstrap", None, 15)
    nulls = scores("BLEU-1", [item("q", "a b c d")] * 30)
    beside = with_null_of(told, METRICS["BLEU-1"], found, nulls)
    assert beside.null == pytest.approx(0, abs=1e-6)
    assert beside.versus_null == VersusNull(p=1e-4, better=True, test="permutation")


def test_a_corpus_metric_that_every_drawn_set_gives_alike_has_no_interval() -> None:
    found = scores("BLEU-1", [item("a b", "a b")] * 3)
    told = summarise(METRICS["BLEU-1"], found, [True] * 3, range(3)).interval
    assert told is not None
    assert (told.low, told.method) == (None, "none")


def test_a_corpus_metric_of_graded_items_has_a_total_of_those_that_passed() -> None:
    found = scores("BLEU-1", [item("a b", "a b"), item("x y", "x z")])
    told = summarise(replace(METRICS["BLEU-1"], graded=True), found, [True, False],
                     range(2))
    assert (told.value, told.passed.value) == (pytest.approx(3 / 4), pytest.approx(1))
    assert told.passed.interval is not None
    assert told.passed.interval.note == WHOLE_SPLIT


def test_a_resampled_corpus_value_is_that_of_the_drawn_items() -> None:
    items = [item("a b c d", "a b c d"), item("x y", "x z"), item("u v w", "u w")]
    found = scores("BLEU-1", items)
    of_sums = METRICS["BLEU-1"].total
    assert of_sums is not None
    drawn = resampled(corpus(found, of_sums))
    possible = {
        round(total(METRICS["BLEU-1"], [found[i], found[j], found[k]]), 12)
        for i in range(3) for j in range(3) for k in range(3)
    }
    assert {round(number, 12) for number in drawn.tolist()} == possible
    low, high = interval(drawn)
    assert low < total(METRICS["BLEU-1"], found) < high


def test_a_resampled_mean_has_the_spread_of_the_mean() -> None:
    found = [ItemScore(0.0, {"score": place % 2, "items": 1}) for place in range(400)]
    drawn = resampled(corpus(found, lambda sums: sums["score"] / sums["items"]))
    assert drawn.mean() == pytest.approx(.5, abs=.005)
    assert drawn.std() == pytest.approx(.5 / math.sqrt(400), rel=.1)
    low, high = interval(drawn)
    assert (high - low) / 2 == pytest.approx(1.96 * .025, rel=.1)
