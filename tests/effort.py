"""What a piece of work costs, told in turns of a Python loop: no slow or busy machine changes that.

Seconds differ from machine to machine and from minute to minute. So each time is divided by what a
million turns of a loop take just then, and the least of several tries counts.
"""

import resource
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

A_SECOND = 30.0
"""Millions of turns that a machine of 2024 does in a second."""
TRIES = 5


def seconds() -> float:
    """CPU seconds of this process and of its children that ended."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def least(work: Callable[[], Result], enough: float,
          clock: Callable[[], float] = time.process_time) -> tuple[Result, float]:
    """The last result of ``work``, and its least CPU time in millions of turns of a loop.

    Tries up to TRIES times, and no more once it took ``enough`` or less: another program may have
    been in the way of the tries before. ``clock`` gives CPU seconds. The first try is compared
    with a tenth of the turns, for most work takes far less than a million.
    """
    costs: list[float] = []
    while not costs or (min(costs) > enough and len(costs) < TRIES):
        million = _a_million_turns(10**6 if costs else 10**5)
        began = clock()
        result = work()
        costs.append((clock() - began) / million)
    return result, min(costs)


def within(millions: float, work: Callable[[], Result]) -> Result:
    """The result of ``work``; fails if it takes more than so many millions of turns of a loop."""
    result, cost = least(work, millions)
    assert cost <= millions, f"{cost:.1f} million turns of a loop, more than {millions:g}"
    return result


def _a_million_turns(turns: int) -> float:
    """The CPU seconds of a million turns, from so many."""
    began, total = time.process_time(), 0
    for turn in range(turns):
        total += turn & 7
    return (time.process_time() - began) * 10**6 / turns
