"""Collect, judge, refine: labels, rounds and authors."""

import json
from pathlib import Path

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
    assert decided(votes("SS"), 3) is None
    assert decided(votes("SSCCCC"), 3) == "support"
    assert decided(votes("SCI"), 3) == NONE


def test_pairs_go_on_with_a_majority_for_one_of_the_labels_that_are_kept() -> None:
    found = label_votes([votes(one) for one in (
        "SSSSS", "CCCCS", "SSSNN", "CCNNS", "CCCCC", "NNNSS", "SSSS", "SSSCCCC")], 5)
    assert (found.items, found.votes) == (8, 6 * 5 + 4 + 7)
    assert found.kept == {"support": 3, "counter": 2}
    assert found.dropped == {"neutral": 1}
    assert (found.no_majority, found.pending) == (1, 1)
    assert found.agreement.fleiss is not None
    assert found.agreement.units == 7


def test_the_stages_of_the_recorded_votes_have_their_kappa(vectors: Path) -> None:
    cases = json.loads((vectors / "human" / "agreement.json").read_text("utf-8"))
    units = next(case["units"] for case in cases if case["name"] == "stage1 5x6")
    found = label_votes(units, 5)
    assert found.agreement.fleiss is not None
    assert found.agreement.fleiss.value == pytest.approx(113 / 293)
    assert found.agreement.alpha.value == pytest.approx(119 / 293)


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
    graphs = [("ann", "support", votes("SSS"))] * 8 + [("ann", "support", votes("III"))] * 2
    graphs += [("ben", "counter", votes("CCC"))] * 9 + [("ben", "counter", votes("CC"))] * 5
    graphs += [("cleo", "support", votes("SSS"))] * 7 + [("cleo", "support", votes("CCC"))] * 3
    found = round_table.authors(
        (author, wanted, decided(given, 3)) for author, wanted, given in graphs)
    assert [*found] == ["ann", "ben", "cleo"]
    ann, ben, cleo = found.values()
    assert (ann.graphs, ann.verified, ann.correct, ann.may_refine) == (10, 10, 8, True)
    assert ann.ci == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert (ben.graphs, ben.verified, ben.may_refine) == (14, 9, False)
    assert (cleo.correct, cleo.verified, cleo.may_refine) == (7, 10, False)
    unread = ("dora", "support", decided([], 3))
    assert round_table.authors([unread])["dora"].ci is None
