"""Release rules as properties: rounding, waiting, nearness, the Ladder, and decisions that last."""

import datetime
import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.board.policy import GRIDS, Policy, chosen, finest, shown
from scorer.errors import DataError
from scorer.hidden.release import history
from scorer.hidden.release.decisions import Decision, Sent, bits, decide, query_ledger, turns
from scorer.hidden.release.history import HistoryEntry
from scorer.hidden.release.rules import is_better, is_near, release_days, rounded, step
from scorer.metrics.catalogue import METRICS
from tests.fuzz_helpers import assert_fit_for_a_log, hostile_bytes, thorough

pytestmark = pytest.mark.whole

START = datetime.date(2026, 1, 1)
FOREVER = datetime.date(2100, 1, 1)
grids = st.sampled_from(GRIDS)
shares = st.floats(0, 1)


def decided(sent: list[Sent], policy: Policy, as_of: datetime.date) -> list[Decision]:
    """Decisions as they are made: first those that need no scores."""
    return decide(sent, turns(sent, policy, as_of), policy)


# ---- the grid ------------------------------------------------------------------------------


@thorough(300)
@given(shares, grids)
def test_a_rounded_value_is_on_the_grid_and_near_and_stays(value: float, grid: str) -> None:
    found = rounded(value, grid)
    width = Fraction(grid) / 100
    steps = Fraction(found).limit_denominator(10**6) / width
    assert steps.denominator == 1
    assert float(steps * width) == found
    assert abs(found - value) <= step(grid) / 2 + 1e-9
    assert rounded(found, grid) == found


@thorough(200)
@given(st.integers(40, 4000), st.data())
def test_the_finest_grid_holds_two_items_and_the_next_finer_does_not(
    items: int, data: st.DataObject
) -> None:
    grid = finest(items)
    assert grid is not None
    assert Fraction(grid) / 100 >= Fraction(2, items)
    finer = GRIDS[: GRIDS.index(grid)]
    assert all(Fraction(other) / 100 < Fraction(2, items) for other in finer)
    right = data.draw(st.integers(0, items))
    exact = math.floor(Fraction(right, items) / (Fraction(grid) / 100) + Fraction(1, 2))
    assert rounded(right / items, grid) == float(exact * Fraction(grid) / 100)


def test_a_board_may_choose_a_coarser_grid_but_no_finer_one() -> None:
    assert chosen(Policy(grid="0.5"), 400) == "0.5"
    assert chosen(Policy(grid="5"), 400) == "5"
    assert chosen(Policy(grid="0.1"), 400) is None
    assert chosen(Policy(), 39) is None


@thorough(200)
@given(st.integers(40, 4000))
def test_the_usual_grid_is_the_finest_of_four_items_or_the_coarsest(items: int) -> None:
    grid = chosen(Policy(), items)
    assert grid is not None
    wide = [other for other in GRIDS if Fraction(other) / 100 * items >= 4]
    assert grid == (wide[0] if wide else GRIDS[-1])
    assert Fraction(grid) / 100 * items >= 2


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_is_no_value(value: float) -> None:
    with pytest.raises(ValueError, match="only a finite number"):
        rounded(value, "0.5")


# ---- waiting -------------------------------------------------------------------------------


def entry(at: int, owner: int, day: int) -> HistoryEntry:
    merged = (START + datetime.timedelta(days=day)).isoformat()
    return HistoryEntry("team", f"s{at}", owner, merged, f"{at:064x}")


merges = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4)), max_size=14).map(
    lambda drawn: [entry(at, owner, sum(gap for _, gap in drawn[: at + 1]))
                   for at, (owner, _) in enumerate(drawn)]
)
"""Merges of three owners, in order, up to four days apart."""


@thorough(200)
@given(merges, st.integers(0, 10))
def test_an_owner_waits_between_releases_and_never_longer_than_his_queue(
    entries: list[HistoryEntry], days: int
) -> None:
    found = release_days(entries, days)
    for owner in {entry.owner for entry in entries}:
        own = [(day, one.day) for day, one in zip(found, entries, strict=True)
               if one.owner == owner]
        assert all(day >= merged for day, merged in own)
        assert all((b - a).days >= days for (a, _), (b, _) in pairwise(own))
        assert all(day == merged or (day - before).days == days
                   for (before, _), (day, merged) in pairwise(own))


@thorough(200)
@given(merges, st.integers(1, 40), st.integers(1, 5))
def test_no_owner_has_more_values_released_in_a_year_than_the_policy_says(
    entries: list[HistoryEntry], days: int, values: int
) -> None:
    policy = Policy(days=days, values=values)
    found = release_days(entries, policy.wait)
    for first, one in zip(found, entries, strict=True):
        year = [day for day, other in zip(found, entries, strict=True)
                if other.owner == one.owner and 0 <= (day - first).days <= 365]
        assert len(year) * values <= policy.values_a_year


@pytest.mark.parametrize("values", [1, 2, 3, 4, 5])
def test_two_values_a_submission_make_an_owner_wait_twice_as_long(values: int) -> None:
    entries = [entry(at, 1, 0) for at in range(30)]
    sent = [Sent(one, {"row": f"{at:08b}"}, np.full(8, float(at % 2)))
            for at, one in enumerate(entries)]
    policy = Policy(values=values, near_duplicate=0)
    days = [decision.day for decision in decided(sent, policy, FOREVER)]
    assert {(later - day).days for day, later in pairwise(days)} == {28 * values}
    year = [day for day in days if (day - START).days <= 365]
    assert len(year) * values == policy.values_a_year == (14, 14, 15, 16, 15)[values - 1]


def test_metrics_that_are_ranked_by_are_released_first() -> None:
    ranking, measured = ("SeCA", "StCA"), ("SA", "StCA", "GED", "SeCA")
    assert [shown(ranking, measured, values) for values in (1, 2, 3, 5)] == [
        ("SeCA",), ("SeCA", "StCA"), ("SeCA", "StCA", "SA"), ("SeCA", "StCA", "SA", "GED")]
    assert shown(ranking, ("GED", "SA"), 1) == ("GED",)
    assert Policy().withheld == "not released: 1 value a submission on this board"
    assert Policy(values=2).withheld == "not released: 2 values a submission on this board"


# ---- nearness ------------------------------------------------------------------------------

labels = st.lists(st.sampled_from("ab"), min_size=200, max_size=200)


@thorough(100)
@given(labels, st.sets(st.integers(0, 199), max_size=6), st.integers(0, 3))
def test_near_means_fewer_than_the_percentage_of_the_rows(
    rows: list[str], changed: set[int], percent: int
) -> None:
    other = ["c" if at in changed else row for at, row in enumerate(rows)]
    near = is_near({"row": rows}, {"row": other}, percent)
    assert near == (len(changed) < 2 * percent)
    assert near == is_near({"row": other}, {"row": rows}, percent)
    same_labels = is_near({"label": rows}, {"label": other}, percent)
    assert same_labels == (near and bool(changed))  # the same labels again tell nothing new


# ---- the Ladder ----------------------------------------------------------------------------


@thorough(200)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=50))
def test_the_ladder_is_the_rule_of_the_paper(pairs: list[tuple[int, int]]) -> None:
    new, best = ([Fraction(pair[at], 8) for pair in pairs] for at in (0, 1))
    gain = [a - b for a, b in zip(new, best, strict=True)]
    n = len(gain)
    mean = sum(gain) / n
    variance = sum((one - mean) ** 2 for one in gain) / (n - 1)
    wanted = mean > 0 and mean**2 > variance / n
    assert bool(is_better(np.array(new, float), np.array(best, float))) == wanted


def test_one_item_more_is_no_improvement_however_many_items_there_are() -> None:
    for n in (2, 3, 10, 400, 3059):
        best, new = np.zeros(n), np.zeros(n)
        new[0] = 1
        assert not is_better(new, best)
        new[1] = 1
        assert is_better(new, best)


# ---- decisions -----------------------------------------------------------------------------

policies = st.builds(Policy, days=st.sampled_from([0, 7]),
                     near_duplicate=st.sampled_from([0, 25]), ladder=st.booleans())


@st.composite
def histories(draw: st.DrawFn) -> list[Sent]:
    """Merges with labels of eight rows, some of which failed to be scored."""
    found = []
    for one in draw(merges):
        said = tuple(draw(st.integers(0, 1)) for _ in range(8))
        failed = draw(st.integers(0, 9)) == 0
        found.append(Sent(one, {"row": said}, None if failed else np.array(said, float)))
    return found


@pytest.mark.claim("A later submission never changes what was released of an earlier one.")
@thorough(200)
@given(histories(), policies, st.integers(0, 14))
def test_a_later_submission_never_changes_an_earlier_decision(
    sent: list[Sent], policy: Policy, first: int
) -> None:
    whole = decided(sent, policy, FOREVER)
    assert decided(sent[:first], policy, FOREVER) == whole[:first]


@thorough(200)
@given(histories(), policies, st.integers(0, 60))
def test_a_later_day_only_opens_what_was_held(sent: list[Sent], policy: Policy, day: int) -> None:
    as_of = START + datetime.timedelta(days=day)
    for then, later in zip(decided(sent, policy, as_of), decided(sent, policy, FOREVER),
                           strict=True):
        assert later.word != "held"
        assert then == later or (then.word == "held" and then.day == later.day > as_of)


@thorough(200)
@given(histories(), policies)
def test_under_the_ladder_what_an_owner_has_released_only_rises(
    sent: list[Sent], policy: Policy
) -> None:
    best: dict[int, float] = {}
    for one, decision in zip(sent, decided(sent, policy, FOREVER), strict=True):
        assert (decision.reason is None) == (decision.word == "released")
        if decision.word == "released" and policy.ladder:
            assert one.ranked is not None
            assert one.ranked.mean() > best.get(one.entry.owner, -1)
            best[one.entry.owner] = one.ranked.mean()


# ---- history and ledger --------------------------------------------------------------------


@thorough(100)
@given(merges)
def test_a_history_survives_being_written_and_read(entries: list[HistoryEntry]) -> None:
    assert list(history.read(history.to_bytes(entries), "history.jsonl")) == entries


@thorough(200)
@given(hostile_bytes)
def test_whatever_else_stands_in_a_history_is_named_by_line(content: bytes) -> None:
    try:
        history.read(content, "history.jsonl")
    except DataError as fault:
        said = str(fault)
    else:
        return
    assert said.startswith("history.jsonl")
    assert_fit_for_a_log(said)


GOOD = json.loads(history.to_bytes([entry(1, 1, 1)]))


@pytest.mark.parametrize(("lines", "said"), [
    ([{**GOOD, "owner": "1"}], ":1: owner is a whole number, everything else a text"),
    ([{**GOOD, "owner": True}], ":1: owner is a whole number, everything else a text"),
    ([{**GOOD, "score": 1}], ":1: expected one JSON object with team, system, owner, merged, "
                             "predictions"),
    ([{**GOOD, "team": ".."}], ":1: a team, system, day or digest of another form"),
    ([{**GOOD, "merged": "2026-02-30"}], ":1: a team, system, day or digest of another form"),
    ([{**GOOD, "merged": "20260102"}], ":1: a team, system, day or digest of another form"),
    ([GOOD, GOOD], ": the same submission stands there twice"),
    ([GOOD, {**GOOD, "system": "x", "merged": "2025-01-01"}],
     ": team/x was merged before team/s1; write the history in the order of the merges"),
])
def test_a_wrong_history_says_what_is_wrong(lines: list[dict[str, object]], said: str) -> None:
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with pytest.raises(DataError) as raised:
        history.read(content, "h")
    assert str(raised.value) == "h" + said


@pytest.mark.parametrize("metric", ["SA", "METEOR", "CIDEr"])
def test_no_single_item_moves_a_value_by_more_than_half_a_step(metric: str) -> None:
    """Whatever is the most that a metric gives an item."""
    highest, items = METRICS[metric].highest, 400
    for policy in (Policy(), Policy(grid="0.5")):
        grid = chosen(policy, items)
        assert grid is not None
        assert highest / items <= step(grid, highest) / 2
        assert rounded(highest, grid, highest) == highest
        values = {rounded(highest * at / 10_000, grid, highest) for at in range(10_001)}
        assert bits(grid, items, 1) == math.log2(len(values))


def test_the_ledger_counts_every_answer_and_no_value() -> None:
    sent = [Sent(entry(at, owner, at), {"row": row}, np.array(ranked))
            for at, (owner, row, ranked) in enumerate([
                (1, "aaaa", [1.0, 1, 0, 0]), (1, "bbbb", [1.0, 1, 0, 1]), (2, "bbbb", [1.0] * 4)])]
    decisions = decided(sent, Policy(), START + datetime.timedelta(days=5))
    assert [one.word for one in decisions] == ["released", "held", "near-duplicate"]
    content = query_ledger([one.entry for one in sent], decisions, grid="5", items=40,
                           metrics=2, before={})
    told = [json.loads(line) for line in content.splitlines()]
    assert [(one["answer"], one["bits"]) for one in told] == [
        ("released", round(1 + 2 * math.log2(21), 3)), ("near-duplicate", 1.0)]


def test_the_ledger_counts_an_answer_each_time_that_it_is_given() -> None:
    """On mended gold, or by another version, a submission is answered again."""
    sent, day = entry(0, 1, 0), Decision("released", START)
    [line] = query_ledger([sent], [day], grid="5", items=40, metrics=1,
                          before={sent.name: 2}).splitlines()
    told = json.loads(line)
    assert (told["answers"], told["bits"]) == (3, round(3 * (1 + math.log2(21)), 3))
