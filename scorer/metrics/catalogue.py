"""Every metric, from the files that hold them. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from scorer import metrics
from scorer.metrics.base import WHOLE_SPLIT, MetricInfo
from scorer.metrics.fooled import FOOLED_BY


def _found() -> Iterator[MetricInfo]:
    """What the modules of this folder define at their top, by itself or in tuples."""
    for module in iter_modules(metrics.__path__):
        if module.name != "catalogue":
            for value in vars(import_module(f"{metrics.__name__}.{module.name}")).values():
                yield from (one for one in (value if isinstance(value, tuple) else (value,))
                            if isinstance(one, MetricInfo))


METRICS = {metric.id: metric for metric in sorted(_found(), key=lambda one: one.id.casefold())}
"""Every metric by its id. A board's columns stand in the order of its board.yaml."""


def options_text(options: dict[str, Any]) -> list[str]:
    """Options as parts of a signature.

    >>> options_text({"constant": 17})
    ['constant:17']
    """
    return [f"{name}:{value}" for name, value in sorted(options.items())]


__all__ = ["FOOLED_BY", "METRICS", "WHOLE_SPLIT", "MetricInfo", "options_text"]
