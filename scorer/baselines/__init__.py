"""Reference rows: systems that know nothing, or everything, so that a reader can place a number.

Every baseline is a function from items to predictions, one per item, in order; each says in its
description what it used.
"""

from __future__ import annotations

from scorer.baselines import anlg, anli, explanation_graphs
from scorer.baselines.base import Against, Baseline

BASELINES: dict[str, dict[str, Baseline]] = {
    "explanation_graphs": explanation_graphs.BASELINES,
    "anli": anli.BASELINES,
    "anlg": anlg.BASELINES,
}
"""The baselines of every task, by their names."""

__all__ = ["BASELINES", "Against", "Baseline"]
