"""Results as pandas DataFrames, tidy: one row for each metric of each result."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorer.core.errors import UsageError
from scorer.core.results import Interval, MetricValue, Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import files

COLUMNS = (
    "board", "board_version", "split", "team", "system", "metric", "value", "low", "high",
    "interval", "n", "passed", "n_passed", "flagged", "null", "lift", "p_versus_null",
    "clustered_se", "reason", "signature", "key",
)
"""Documented in docs/results.md."""


def load_results(folder: str | os.PathLike[str]) -> Any:
    """Every result below a folder (``<board>/<team>/<system>/<split>.json``) in one DataFrame.

    One row for each metric of each result, in the order of the paths; the columns are ``COLUMNS``.
    What was not measured has NaN as its value, and a reason. Needs pandas (extra ``site``). Raises
    UsageError if there is no such folder, DataError if a file is no result.
    """
    top = Path(folder)
    if not top.is_dir():
        raise UsageError(f"{top} is no folder of results; name one such as results")
    found = [files.read(path) for path in sorted(top.glob("*/*/*/*.json"))
             if not path.name.endswith("error.json")]
    return frame_of(*found)


def frame_of(*found: Result) -> Any:
    """The same of results at hand."""
    import pandas as pd

    rows = [row for result in found for row in _rows(result)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = ["value", "low", "high", "passed", "null", "lift", "p_versus_null", "clustered_se"]
    return frame.astype(dict.fromkeys(numbers, "float64"))


def _rows(result: Result) -> Iterator[tuple[Any, ...]]:
    for name, value in result.metrics.items():
        yield (result.board, result.board_version, result.split, result.team, result.system, name,
               value.value, *_bounds(value.interval), value.n, *_beside(name, value), value.reason,
               value.signature, getattr(result, "key", None))


def _bounds(interval: Interval | None) -> tuple[float | None, float | None, str | None]:
    return (None, None, None) if interval is None else (interval.low, interval.high,
                                                        interval.method)


def _beside(name: str, value: MetricValue) -> tuple[Any, ...]:
    p = value.versus_null.p if value.versus_null else None
    lift = METRICS[name].lift(value) if name in METRICS else value.lift
    return (value.passed.value, value.passed.n, value.flagged, value.null, lift, p,
            value.clustered_se)
