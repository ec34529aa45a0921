"""How far annotators agree: recorded vectors, two libraries as oracles, intervals over items."""

import json
import random
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from scorer.people import bootstrap
from scorer.people.agreement import cohen_kappa, cohen_matrix, measured
from scorer.people.answered import majority
from scorer.people.documents import Estimate

STAGE_1 = ["SSSSS", "CCCCS", "SSSNN", "CCNNS", "CCCCC", "NNNSS"]


def value(measure: str, units: Sequence[Sequence[Any]], order: Sequence[Any] = ()) -> float | None:
    """One measure of an ``Agreement``, or Cohen's kappa."""
    if measure == "cohen_kappa":
        return cohen_kappa([(first, other) for first, other in units if None not in (first, other)])
    found: Estimate | None = getattr(measured(units, order), measure)
    return None if found is None else found.value


def read(vectors: Path, name: str) -> Any:
    return json.loads((vectors / "human" / name).read_text("utf-8"))


def same(ours: float | None, theirs: float) -> bool:
    """Whether both are undefined or equal."""
    return (np.nan if ours is None else ours) == pytest.approx(theirs, nan_ok=True)


@pytest.mark.claim("Agreement of annotators equals every recorded vector to 1e-12.")
def test_every_measure_of_the_vectors_is_equal(vectors: Path) -> None:
    names = {"fleiss_kappa": "fleiss", "alpha_nominal": "alpha", "alpha_ordinal": "alpha_ordinal",
             "cohen_kappa": "cohen_kappa"}
    cases = [case for case in read(vectors, "agreement.json")
             if case["measure"] != "alpha_interval"]  # which is measured nowhere
    assert {case["measure"] for case in cases} == set(names)
    for case in cases:
        wanted = None if case["exact"] is None else float(Fraction(case["exact"]))
        order = case["order"] if case["measure"] == "alpha_ordinal" else ()
        found = value(names[case["measure"]], case["units"], order)
        assert found == pytest.approx(wanted, abs=1e-12), (case["name"], case["measure"])


def test_a_majority_is_more_than_half_of_the_votes(vectors: Path) -> None:
    for case in read(vectors, "majority.json"):
        assert majority(case["votes"]) == case["majority"], case["votes"]
    assert majority([None, "a", None]) == "a"
    assert majority([None]) is None


def test_the_bootstrap_draws_the_items_of_the_vector(vectors: Path) -> None:
    case = read(vectors, "stats.json")["bootstrap_fleiss_stage1"]
    assert (case["seed"], case["B"]) == (bootstrap.SEED, bootstrap.DRAWS)
    [first, *_] = np.concatenate(list(bootstrap.times(6)))
    assert first.tolist() == np.bincount(case["first_draw"], minlength=6).tolist()
    fleiss = measured(STAGE_1).fleiss
    assert fleiss.ci == pytest.approx(case["ci"], abs=case["tolerance"])


@given(st.lists(st.lists(st.sampled_from([None, 1, 2, 3, 4]), min_size=4, max_size=4),
                min_size=1, max_size=12))
def test_alpha_equals_the_library_krippendorff(units: list[list[int | None]]) -> None:
    data = np.array([[np.nan if vote is None else vote for vote in unit] for unit in units]).T
    found = measured(units, [1, 2, 3, 4])
    for scale, ours in (("nominal", found.alpha.value), ("ordinal", found.alpha_ordinal.value)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = krippendorff.alpha(data, level_of_measurement=scale,
                                            value_domain=[1, 2, 3, 4])
        except ValueError:
            theirs = np.nan
        assert same(ours, theirs)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=3), min_size=1, max_size=12))
def test_kappas_equal_the_library_statsmodels(units: list[list[str]]) -> None:
    table = np.zeros((3, 3))
    for one, other, _ in units:
        table["abc".index(one), "abc".index(other)] += 1
    with np.errstate(all="ignore"):
        of_all = fleiss_kappa([[Counter(unit)[value] for value in "abc"] for unit in units])
        of_two = cohens_kappa(table, return_results=False)
    assert same(value("fleiss", units), of_all)
    assert same(cohen_kappa([(a, b) for a, b, _ in units]), of_two)


def test_fleiss_needs_units_of_one_size_and_looks_at_those_with_two_votes() -> None:
    assert value("fleiss", ["SS", "SSC"]) is None
    assert value("fleiss", ["SS", "SC", "C"]) == value("fleiss", ["SS", "SC"])


def test_raw_agreement_is_a_mean_over_units_not_over_pairs() -> None:
    # 1 of 1 pair, and 1 of 3; the third unit has no pair.
    assert value("raw", ["aa", "aab", "a"]) == pytest.approx(2 / 3)
    assert value("raw", ["a", []]) is None


def test_a_value_that_the_order_lacks_is_refused_and_one_that_nobody_used_changes_nothing() -> None:
    with pytest.raises(ValueError, match="order does not have"):
        measured([["1", "9"]], ["1", "2"])
    units = ["11", "13", "33"]
    assert value("alpha_ordinal", units, "123") == value("alpha_ordinal", units, "13")


def test_units_of_one_item_are_drawn_together() -> None:
    """Copies of each unit within its item change neither the value, but for alpha's n - 1, nor
    the interval of a measure that is a mean over units."""
    source = random.Random(3)
    units = ["".join(source.choices("ab", weights=[3, 1], k=3)) for _ in range(12)]
    once, thrice = measured(units), measured(units * 3, items=list(range(12)) * 3)
    assert thrice.raw.value == once.raw.value
    assert thrice.units == 3 * once.units
    assert thrice.raw.ci == once.raw.ci
    assert measured(units * 3).raw.ci[0] > thrice.raw.ci[0]


def test_there_is_no_interval_of_four_items_and_no_measure_without_variation() -> None:
    four = measured(["ab", "aa", "bb", "aa"]).raw
    assert (four.value, four.method, four.note) == (3 / 4, "none", "fewer than 5 items")
    constant = measured(["aa"] * 6)
    assert constant.raw.value == 1
    assert (constant.alpha.value, constant.alpha.note) == (None, "no variation")
    alone = measured(["a", [None]])
    assert (alone.units, alone.excluded, alone.raters) == (0, 1, [0, 0])
    assert (alone.raw.value, alone.raw.note) == (None, "no unit with two votes")


def test_draws_without_variation_are_dropped_and_counted() -> None:
    drawn = np.concatenate(list(bootstrap.times(8)))
    undefined = int((drawn[:, 7] == 0).sum())
    assert undefined > 0
    assert measured(["aa"] * 7 + ["ab"]).alpha.note == f"{undefined} of 2000 draws undefined"


def test_each_two_annotators_with_ten_common_units_have_a_kappa_of_their_own() -> None:
    votes = {"ben": "aabbaabbab", "anna": "aabbaabbba", "cleo": "a" * 9}
    # 8 of 10 agree, both say a and b five times: (.8 - .5) / .5.
    [pair] = cohen_matrix([{name: of[unit] for name, of in votes.items() if unit < len(of)}
                           for unit in range(10)])
    assert (pair.annotators, pair.n, pair.kappa) == (["anna", "ben"], 10, 3 / 5)


def test_a_ratio_of_one_vote_an_item_has_wilsons_interval_and_others_a_bootstrap() -> None:
    one = bootstrap.of_ratio((n, n < 8, 1) for n in range(10))
    assert (one.value, one.method, one.ci) == (8 / 10, "wilson", [0.490162, 0.943318])
    several = bootstrap.of_ratio((n // 2, n < 16 and n % 2, 1) for n in range(20))
    assert (several.value, several.n, several.method) == (8 / 20, 20, "bootstrap")
