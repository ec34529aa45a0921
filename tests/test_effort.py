"""The measure of ``tests/effort.py``: work is told from more work, and one bad try is forgiven."""

import pytest

from tests.effort import TRIES, least, within


def turn(times: int) -> int:
    return sum(1 for _ in range(times))


def test_ten_times_the_work_costs_about_ten_times_as_much() -> None:
    small, large = (least(lambda n=n: turn(n), 0.0)[1] for n in (3 * 10**5, 3 * 10**6))
    assert 4 < large / small < 25


def test_too_much_work_fails_after_the_last_try() -> None:
    tries: list[int] = []
    with pytest.raises(AssertionError, match=r"million turns of a loop, more than 0\.01"):
        within(0.01, lambda: tries.append(turn(10**6)))
    assert len(tries) == TRIES


def test_one_slow_try_is_forgiven_and_the_last_result_is_returned() -> None:
    turns = iter([10**7, 10, 20])
    assert within(2, lambda: turn(next(turns))) == 10
