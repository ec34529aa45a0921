"""G-BLEU and G-ROUGE against nltk, rouge_score and a search through every matching."""

import random
import warnings
from collections.abc import Callable, Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu as nltk_bleu
from rouge_score.rouge_scorer import RougeScorer
from scipy.optimize import linear_sum_assignment

from scorer.core.records import ItemScore
from scorer.metrics.bleu import bleu_similarity, edge_tokens
from scorer.metrics.catalogue import METRICS as EVERY
from scorer.metrics.matching import PRF, Pair, Similarity, assign, match
from scorer.metrics.rouge import rouge_2_similarity, rouge_l_similarity
from tests.fuzz_helpers import thorough

Metric = Callable[[Sequence[Pair]], list[PRF]]

ROUGE = RougeScorer(["rouge2", "rougeL"], use_stemmer=True)
NOTHING = PRF(0.0, 0.0, 0.0)
PERFECT = PRF(1.0, 1.0, 1.0)
CONCEPTS = ["stray cats", "stray cat", "cats", "mice", "hunting mice", "the hunting mice",
            "clean barns", "a  barn", "barns and cats", "naïve owners", "owner's 3 dogs",
            "generously fed dogs"]
RELATIONS = ["capable of", "is a", "causes", "desires", "not desires", "has context", "part of"]
CAT = "stray cats; capable of; hunting mice"
BARN = "hunting mice; causes; clean barns"


def nltk_similarity(predicted: str, gold: str) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nltk warns of every missing order
        return float(nltk_bleu([edge_tokens(gold)], edge_tokens(predicted)))


def rouge_2(predicted: str, gold: str) -> float:
    return float(ROUGE.score(gold, predicted)["rouge2"].precision)


def rouge_l(predicted: str, gold: str) -> float:
    return float(ROUGE.score(gold, predicted)["rougeL"].precision)


def prf_of(metric: Callable[[Sequence[Pair]], list[ItemScore]]) -> Metric:
    """The metric with its item scores as plain triples, to compare with."""
    return lambda pairs: [PRF(score.parts["precision"], score.parts["recall"], score.value)
                          for score in metric(pairs)]


METRICS = {name: prf_of(EVERY[name].compute) for name in ("G-BLEU", "G-ROUGE-2", "G-ROUGE-L")}
SIMILARITIES = (nltk_similarity, rouge_2, rouge_l)


def made_up_edges(chance: random.Random, most: int) -> list[str]:
    """Up to ``most`` edge sentences; few concepts, so that edges share and repeat."""
    return [f"{chance.choice(CONCEPTS)}; {chance.choice(RELATIONS)}; {chance.choice(CONCEPTS)}"
            for _ in range(chance.randint(1, most))]


def greatest_total(scores: Sequence[Sequence[float]]) -> float:
    """The best total by trying every matching."""
    if len(scores) > len(scores[0]):
        return greatest_total([*zip(*scores, strict=True)])
    return max(sum(row[column] for row, column in zip(scores, chosen, strict=True))
               for chosen in permutations(range(len(scores[0])), len(scores)))


def expected(predicted: list[str], golds: list[list[str]], similarity: Similarity[str]) -> PRF:
    """The definition, written out."""
    outcomes = []
    for gold in golds:
        total = greatest_total([[similarity(ours, theirs) for theirs in gold]
                                for ours in predicted])
        precision, recall = total / len(predicted), total / len(gold)
        f1 = 2 * precision * recall / (precision + recall) if total else 0.0
        outcomes.append(PRF(precision, recall, f1))
    return max(outcomes, key=lambda outcome: round(outcome.f1, 12))


SENTENCES = st.lists(
    st.sampled_from(["cat", "cats", "is a", ";", "; ", "mice", "the", "é", "3", ";x"]), max_size=9
).map(" ".join)


@pytest.mark.claim("BLEU of an edge is nltk's to the last bit.")
@thorough(300)
@given(SENTENCES, SENTENCES)
def test_bleu_is_nltks_to_the_last_bit(predicted: str, gold: str) -> None:
    assert bleu_similarity(predicted, gold) == nltk_similarity(predicted, gold)


@pytest.mark.claim("ROUGE precisions of an edge are those of the package rouge_score.")
@thorough(300)
@given(SENTENCES, SENTENCES)
def test_rouge_precisions_are_those_of_rouge_score(predicted: str, gold: str) -> None:
    assert rouge_2_similarity(predicted, gold) == rouge_2(predicted, gold)
    assert rouge_l_similarity(predicted, gold) == rouge_l(predicted, gold)


@pytest.mark.parametrize(("metric", "similarity"), [
    *zip(METRICS.values(), SIMILARITIES, strict=True)], ids=METRICS)
def test_random_graphs_score_as_the_definition_says(
    metric: Metric, similarity: Similarity[str]
) -> None:
    chance = random.Random(11)
    pairs = [(made_up_edges(chance, 6), [made_up_edges(chance, 6) for _ in range(count)])
             for count in (1, 2) for _ in range(12)]
    for found, (predicted, golds) in zip(metric(pairs), pairs, strict=True):
        assert found == pytest.approx(expected(predicted, golds, similarity), abs=1e-9)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_graphs_without_edges_and_repeated_edges(metric: Metric) -> None:
    wanted: list[tuple[list[str], list[str], PRF]] = [
        ([], [CAT], NOTHING), ([""], [CAT], NOTHING), ([CAT], [], NOTHING),
        ([CAT, BARN], [BARN, CAT], PERFECT), ([CAT, CAT], [CAT, CAT], PERFECT),
        ([CAT, CAT], [CAT], PRF(1 / 2, 1 / 1, 2 / 3))]
    found = metric([(predicted, [gold]) for predicted, gold, _ in wanted])
    assert found == [pytest.approx(one, abs=1e-9) for *_, one in wanted]
    with pytest.raises(ValueError, match="an item needs at least one gold graph"):
        metric([([CAT], [])])


def test_of_two_golds_with_the_same_f1_the_first_counts() -> None:
    small, large = (["a"], (1 / 2, 1 / 1, 2 / 3)), (["a", "b", "x", "y"], (2 / 2, 2 / 4, 2 / 3))
    for (one, wanted), (other, _) in ((small, large), (large, small)):
        found = match(["a", "b"], [one, other], lambda ours, theirs: float(ours == theirs))
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize("draw", [
    lambda chance: chance.random(),
    lambda chance: chance.choice([0.0, 1 / 3, 0.5, 1.0]),
    lambda chance: chance.random() * (chance.random() < 0.2),
], ids=["all differ", "many are equal", "most are 0"])
def test_of_equally_good_matchings_scipy_s_is_taken(draw: Callable[[random.Random], float]) -> None:
    chance = random.Random(7)
    for most in (*[12] * 300, 40):
        rows, columns = chance.randint(1, most), chance.randint(1, most)
        scores = [[draw(chance) for _ in range(columns)] for _ in range(rows)]
        theirs = linear_sum_assignment(scores, maximize=True)
        found = [(pair.pred, pair.gold) for pair in assign(scores)]
        wanted = list(zip(*(side.tolist() for side in theirs), strict=True))
        assert found == (wanted if any(map(any, scores)) else [])


@pytest.mark.claim("The order of the edges changes no score of matched edges.")
@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_the_order_of_edges_does_not_matter(metric: Metric) -> None:
    chance = random.Random(5)
    for _ in range(20):
        predicted, gold = made_up_edges(chance, 7), made_up_edges(chance, 7)
        turned = (predicted[::-1], [gold[::-1]])
        assert metric([turned]) == [pytest.approx(metric([(predicted, [gold])])[0], abs=1e-12)]
