"""The trial of metrics against people's ratings: its figures beside scipy's, and its candidates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks import candidates
from benchmarks.bench_agreement import RATED, shipped
from benchmarks.within_items import BEST, OTHERS, Item, Values, agreement, alone, scores
from scorer import boards
from scorer.core.graph import Graph
from scorer.models.registry import Models
from scorer.people.meta import within_items

ITEMS, PEOPLE = 40, 6


def edges(text: str) -> candidates.Graph:
    """The edges of a bracketed graph."""
    return Graph(text).edges


def chain(length: int) -> candidates.Graph:
    """A graph of so many edges."""
    return edges("".join(f"(c{at}; causes; c{at + 1})" for at in range(length)))


@pytest.fixture(scope="module")
def items() -> list[Item]:
    """Made-up items, two of one origin each, with ties among ratings and lengths."""
    chance = np.random.default_rng(1)
    return [Item(str(row // 2), "", (), tuple(map(chain, chance.integers(1, 4, PEOPLE))),
                 tuple(chance.integers(1, 9, PEOPLE) / 2)) for row in range(ITEMS)]


@pytest.fixture(scope="module")
def values(items: list[Item]) -> Values:
    """A made-up metric with ties that knows a little of ratings and lengths."""
    chance = np.random.default_rng(2)
    return [np.round(np.add.outer([rating + len(graph) for rating, graph
                                   in zip(item.ratings, item.graphs, strict=True)],
                                  np.zeros(PEOPLE)) + chance.integers(0, 6, (PEOPLE, PEOPLE)))
            for item in items]


@pytest.mark.parametrize("against", [BEST, OTHERS])
def test_figures_equal_those_of_scorer_meta_and_signs_of_pairs(
    against: str, items: list[Item], values: Values
) -> None:
    people = alone(items, lambda item: item.ratings)
    lengths = alone(items, lambda item: [len(graph) for graph in item.graphs])
    sides = [scores(items, one, against) for one in (values, people, lengths)]
    first, best = values[0].copy(), int(np.argmax(items[0].ratings))
    np.fill_diagonal(first, -1)  # never against itself
    assert sides[0][0].tolist() == (np.delete(first[:, best], best) if against == BEST
                                    else first.max(axis=1)).tolist()
    metric, ratings, edges_of = ({place: {row: item[place] for row, item in enumerate(side)}
                                  for place in range(len(side[0]))} for side in sides)
    within = within_items(metric, ratings, [edges_of])
    *ours, equal = agreement(items, sides[0], against).figures()
    assert ours == pytest.approx([within.spearman.value, within.tau_b.value, within.partial.value])
    signs = [np.sign((a[i] - a[j]) * (b[i] - b[j])) for a, b, c in zip(*sides, strict=True)
             for i in range(len(a)) for j in range(i) if c[i] == c[j] and b[i] != b[j]]
    assert equal == pytest.approx(np.mean(signs))
    # Nothing of the number of edges is left when it is given.
    assert agreement(items, sides[2], against).figures()[2:].tolist() == [0, 0]


def test_a_difference_has_an_interval_over_origins(items: list[Item], values: Values) -> None:
    silent = scores(items, [np.zeros((PEOPLE, PEOPLE)) if place % 2 else one
                            for place, one in enumerate(values)], OTHERS)
    ours = agreement(items, silent, OTHERS)
    # A metric that says nothing of an item counts 0 there.
    assert ours.figures()[0] == pytest.approx(np.mean([
        0.0 if place % 2 else spearmanr(one, item.ratings).statistic
        for place, (one, item) in enumerate(zip(silent, items, strict=True))]))
    assert ours.parts.shape[0] == ITEMS // 2
    assert ours.told(ours).startswith("rho 0.000 [0.000, 0.000], tau-b 0.000 [0.000, 0.000]")


# ---- what is compared ----------------------------------------------------------------------


def test_metrics_that_ship_are_asked_of_every_explanation_against_every_other() -> None:
    item = Item("", "", (), (edges("(cats; desires; a warm home)"),
                             edges("(cats; desires; a warm home)(mice; is a; food)")), ())
    [rouge], [ged] = (shipped(name, [item], boards.load(RATED), Models())
                      for name in ("G-ROUGE-2", "GED"))
    # one edge of two found: F1 of precision and recall 1 and 1/2, either way round
    assert rouge == pytest.approx(np.array([[1, 2 / 3], [2 / 3, 1]]))
    # two concepts and an edge apart, of 21 and gold's own; lower is better, so the sign is turned
    assert ged == pytest.approx(np.array([[0, -3 / (21 + 6)], [-3 / (21 + 3), 0]]))


# ---- candidates ----------------------------------------------------------------------------

CATS = edges("(cats; desires; warm home)(mice; is a; food)")
KITTENS, SNOW = edges("(kittens; desires; house)"), edges("(snow; is a; rain)")
VECTORS = {"cats; desires; warm home": (1.0, 0.0), "mice; is a; food": (0.0, 1.0),
           "kittens; desires; house": (0.8, 0.6), "snow": (0.6, 0.8), "snow; is a; rain": (-1., 0.)}


def embed(text: str) -> np.ndarray:
    """A vector of length 1."""
    return np.array(VECTORS[text], dtype=np.float32)


def same(one: str, other: str) -> bool:
    """Equal words, or two of one meaning."""
    return one == other or {one, other} in ({"cats", "kittens"}, {"home", "house"})


def test_edges_are_matched_by_the_cosine_of_their_vectors() -> None:
    # one pair of cosine 0.8 among two predicted edges and one of gold
    assert candidates.edges_by_meaning(CATS, KITTENS, embed) == pytest.approx(
        (0.8 / 2, 0.8 / 1, 2 * 0.4 * 0.8 / (0.4 + 0.8)))
    assert candidates.edges_by_meaning(CATS[:1], SNOW, embed) == (0, 0, 0), "a negative one is 0"


def test_words_and_whole_concepts_find_their_synonyms() -> None:
    # cats and home of cats, warm, home, mice, food; kittens and house of two
    assert candidates.words_by_synonyms(CATS, KITTENS, same) == pytest.approx(
        (2 / 5, 2 / 2, 2 * 0.4 * 1 / (0.4 + 1)))
    # cats with kittens: 1; warm home with house: 2 * 1 / (2 + 1); of four and of two concepts
    assert candidates.concepts_by_synonyms(CATS, KITTENS, same)[:2] == pytest.approx(
        ((1 + 2 / 3) / 4, (1 + 2 / 3) / 2))
    for of in (candidates.concepts_by_synonyms, candidates.words_by_synonyms):
        assert (of(CATS, SNOW, same), of(CATS, CATS, same)) == ((0, 0, 0), (1, 1, 1))


def test_a_text_is_covered_by_its_closest_edge_and_an_edge_grounded_in_its_closest_text() -> None:
    texts = ("snow", "cats; desires; warm home")
    # snow: 0.6 and 0.8 to the two edges, the other text: 1 and 0
    assert candidates.texts_covered(CATS, texts, embed) == pytest.approx((0.8 + 1) / 2)
    assert candidates.edges_grounded(CATS, texts, embed) == pytest.approx((1 + 0.8) / 2)
