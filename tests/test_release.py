"""The rule of release as properties: whose turn is when, and what a rounded value shows."""

import datetime
import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.boards.policy import GRIDS, Policy, chosen, finest
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.hidden.scoring import Turn, release, rounded, step
from tests.fuzz_helpers import thorough

pytestmark = pytest.mark.whole

START = datetime.date(2026, 1, 1)
grids = st.sampled_from(GRIDS)
shares = st.floats(0, 1)


# ---- turns ---------------------------------------------------------------------------------


def turn(at: int, day: int, *owners: int) -> Turn:
    """The file number ``at`` of a team with some owners, merged so many days after the start."""
    return Turn(f"file-{at}", f"{at:040x}", START + datetime.timedelta(day), frozenset(owners))


@st.composite
def histories(draw: st.DrawFn) -> list[Turn]:
    """Merges, in order, up to four days apart, of teams that have one or two of six owners."""
    gaps = draw(st.lists(st.integers(0, 4), max_size=14))
    owners = st.sets(st.integers(1, 6), min_size=1, max_size=2)
    return [turn(at, sum(gaps[: at + 1]), *draw(owners)) for at in range(len(gaps))]


def groups(turns: list[Turn]) -> list[set[str | int]]:
    """Which owners are connected by the teams of some turns."""
    found: list[set[str | int]] = []
    for one in turns:
        linked = [group for group in found if not group.isdisjoint(one.owners)]
        found = [group for group in found if group not in linked]
        found.append(set(one.owners).union(*linked))
    return found


@pytest.mark.claim("Teams that ever shared an owner share one value a period.")
@thorough(200)
@given(histories(), st.integers(0, 10))
def test_teams_that_are_connected_by_owners_wait_for_each_other(
    turns: list[Turn], wait: int
) -> None:
    days = release(turns, wait)
    for at, one in enumerate(turns):
        [group] = [group for group in groups(turns[: at + 1]) if one.owners <= group]
        earlier = [day for day, other in zip(days[:at], turns[:at], strict=True)
                   if other.owners <= group]
        wanted = max([one.merged, *(day + datetime.timedelta(wait) for day in earlier)])
        assert days[at] == wanted


@pytest.mark.claim("A later submission never changes the day of an earlier one.")
@thorough(200)
@given(histories(), st.integers(0, 10), st.integers(0, 14))
def test_a_later_file_never_changes_an_earlier_day(
    turns: list[Turn], wait: int, first: int
) -> None:
    assert release(turns[:first], wait) == release(turns, wait)[:first]


@pytest.mark.parametrize("values", [1, 2, 3, 4, 5])
def test_two_values_a_submission_make_an_owner_wait_twice_as_long(values: int) -> None:
    days = release([turn(at, 0, 1) for at in range(30)], Policy(values=values).wait)
    assert {(later - day).days for day, later in pairwise(days)} == {28 * values}
    year = [day for day in days if (day - START).days <= 365]
    assert len(year) * values == (14, 14, 15, 16, 15)[values - 1]


# ---- values --------------------------------------------------------------------------------


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


@pytest.mark.parametrize("metric", ["SA", "METEOR", "CIDEr"])
def test_no_single_item_moves_an_exact_value_by_more_than_half_a_step(metric: str) -> None:
    """Whatever is the most that a metric gives an item."""
    highest, items = METRICS[metric].highest, 400
    for policy in (Policy(), Policy(grid="0.5")):
        grid = chosen(policy, items)
        assert grid is not None
        assert highest / items <= step(grid, highest) / 2
        assert rounded(highest, grid, highest) == highest
