"""Collect, judge, refine: labels, rounds and authors."""

import pytest

from scorer.core.share import Share
from scorer.people import round_table
from scorer.people.round_table import NONE, decided, label_votes, rounds_table

WORDS = {"S": "support", "C": "counter", "N": "neutral", "I": "incorrect"}


def votes(text: str) -> list[str]:
    return [WORDS[one] for one in text]


def item(wanted: str, *given: str) -> tuple[str, list[str | None]]:
    return WORDS[wanted], [decided(votes(one), 3) for one in given]


def test_a_label_is_decided_by_the_first_votes_that_are_needed_and_by_no_fewer() -> None:
    assert [decided(votes(one), 3) for one in ("SS", "SSCCCC", "SCI")] == [None, "support", NONE]


def test_pairs_go_on_with_a_majority_for_one_of_the_labels_that_are_kept() -> None:
    found = label_votes([votes(one) for one in (
        "SSSSS", "CCCCS", "SSSNN", "CCNNS", "CCCCC", "NNNSS", "SSSS", "SSSCCCC")], 5)
    assert (found.items, found.votes) == (8, 6 * 5 + 4 + 7)
    assert found.kept == {"support": 3, "counter": 2}
    assert found.dropped == {"neutral": 1}
    assert (found.no_majority, found.pending) == (1, 1)
    assert found.agreement.fleiss is not None
    assert found.agreement.units == 7


def test_rounds_are_cumulative_and_every_item_is_in_one_column() -> None:
    items = [item("S", "SSS"), item("S", "SSI"), item("S", "CCS", "SSS"), item("C", "SSC", "CCI"),
             item("S", "III", "IIC"), item("C", "SCI", "CSI"), item("C", "SSS", "SSI"),
             item("C", "III"), item("S", "SS")]
    one, two = rounds_table(items)
    assert (one.round, one.decided, one.correct, one.incorrect) == (1, 8, 2, 2)
    assert one.crossed == {"support>counter": 1, "counter>support": 2}
    assert (one.no_majority, one.pending) == (1, 1)
    # The last but one was wrong in round 1 and is not refined yet: pending in round 2.
    assert (two.decided, two.correct, two.incorrect) == (7, 4, 1)
    assert two.crossed == {"support>counter": 0, "counter>support": 1}
    assert (two.no_majority, two.pending) == (1, 2)
    assert two.ci == pytest.approx(Share(4, 7).interval)
    for row in (one, two):
        assert row.decided == (row.correct + row.incorrect + row.no_majority
                               + sum(row.crossed.values()))
        assert row.decided + row.pending == len(items)
    assert rounds_table([]) == []


def test_a_graph_that_was_correct_stays_so_whatever_later_votes_say() -> None:
    rows = rounds_table([item("S", "SSS", "III")])
    assert [row.correct for row in rows] == [1, 1]


def test_the_best_authors_may_refine() -> None:
    graphs = {"ann": ["SSS"] * 8 + ["III"] * 2, "ben": ["SSS"] * 9 + ["SS"] * 5,
              "cleo": ["SSS"] * 7 + ["CCC"] * 3, "dora": [""]}
    found = round_table.authors((author, "support", decided(votes(one), 3))
                                for author, of in graphs.items() for one in of)
    assert {name: (one.graphs, one.verified, one.correct, one.may_refine)
            for name, one in found.items()} == {
        "ann": (10, 10, 8, True), "ben": (14, 9, 9, False), "cleo": (10, 10, 7, False),
        "dora": (1, 0, 0, False)}
    assert found["ann"].ci == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert found["dora"].ci is None
