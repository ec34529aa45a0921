"""Runs of inspect_ai inside a test."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any


def evaluated(task: Any, **given: Any) -> Any:
    """The one log of ``inspect_ai.eval``."""
    import inspect_ai

    return _in_a_thread(inspect_ai.eval, task, **given)


def retried(log: str, **given: Any) -> Any:
    """The one log of ``inspect_ai.eval_retry``."""
    import inspect_ai

    return _in_a_thread(inspect_ai.eval_retry, log, **given)


def _in_a_thread(run: Any, *asked: Any, **given: Any) -> Any:
    """Of its own, for browser tests of the same process leave an event loop running in theirs."""
    with ThreadPoolExecutor(1) as pool:
        [log] = pool.submit(run, *asked, **given).result()
    return log
