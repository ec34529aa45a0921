"""Every metric, from the files that hold them. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from scorer import metrics
from scorer.metrics.base import WHOLE_SPLIT, MetricInfo


def _found() -> Iterator[MetricInfo]:
    """What the modules of this folder define at their top, by itself or in tuples."""
    for module in iter_modules(metrics.__path__):
        if module.name != "catalogue":
            for value in vars(import_module(f"{metrics.__name__}.{module.name}")).values():
                yield from (metric for metric in (value if isinstance(value, tuple) else (value,))
                            if isinstance(metric, MetricInfo))


METRICS = {metric.id: metric for metric in sorted(_found(), key=lambda info: info.id.casefold())}
"""Every metric by its id. A board's columns stand in the order of its board.yaml."""


def options_text(options: dict[str, Any]) -> list[str]:
    """Options as parts of a signature.

    >>> options_text({"constant": 17})
    ['constant:17']
    """
    return [f"{name}:{value}" for name, value in sorted(options.items())]


FOOLED_BY: Mapping[str, str] = dict(
    line.split("\t") for line in
    Path(__file__).with_name("fooled_by.tsv").read_text("utf-8").splitlines())
"""What gives a metric a good number without a good answer, by its id, with figures of rows in
``results``, in percent as pages show them; a test compares them. A metric that is not here was not
measured on official data."""

__all__ = ["FOOLED_BY", "METRICS", "WHOLE_SPLIT", "MetricInfo", "options_text"]
