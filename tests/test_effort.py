"""The measure of ``tests/effort.py``: too much work fails, and slow tries are forgiven."""

from itertools import accumulate

import pytest

from tests.effort import TRIES, least, within


def test_one_slow_try_is_forgiven_and_the_last_result_is_returned() -> None:
    clock, results = iter([0, 1000, 1000, 1000]), iter("ab")
    assert least(lambda: next(results), 1, lambda: next(clock)) == ("b", 0)


def test_too_much_work_fails_after_the_last_try() -> None:
    clock = accumulate([1000] * 2 * TRIES)
    assert least(lambda: None, 1, lambda: next(clock))[1] > 1000
    assert not [*clock]
    with pytest.raises(AssertionError, match=r"million turns of a loop, more than 1e-09"):
        within(1e-9, lambda: sum(range(1000)))
    assert within(100, lambda: 7) == 7
