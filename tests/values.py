"""Values of metrics and results as scoring makes them, of the few numbers that a test cares for."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from scorer.core.records import ItemResult
from scorer.core.results import (
    SCHEMA,
    Measured,
    MetricValue,
    Passed,
    PredictionsFile,
    PublicGold,
    Released,
    Result,
    ScorerVersion,
    Unmeasured,
)
from scorer.scoring.leaderboard.about import ScoredRow

Row = TypeVar("Row", bound=ScoredRow)


def metric_value(
    value: float | None, reason: str = "no reason", *, n: int = 0, signature: str = "",
    passed: float | None = None, n_passed: int = 0, parts: Mapping[str, float] | None = None,
    null: float | None = None, grid: float | None = None, **more: Any,
) -> MetricValue:
    """One metric: not measured if ``value`` is None, of hidden gold if there is a ``grid``."""
    if value is None:
        return Unmeasured(value=None, reason=reason, n=n)
    if grid is not None:
        return Released(value=value, grid=grid, n=n, signature=signature)
    beside = {} if null is None else {"null": null, "lift": value - null}
    return Measured.model_construct(**{
        **(parts or {}), "value": value, "n": n, "signature": signature, "flagged": 0,
        "passed": Passed(value=passed, n=n_passed), "clustered_se": None, "clusters": 0,
        **beside, **more})


def made_result(
    board: str, board_version: str, task: str, split: str, counts: Mapping[str, Any],
    metrics: Mapping[str, MetricValue], items: Sequence[ItemResult] = (), *, team: str = "a",
    system: str = "b", **more: Any,
) -> Result:
    """One result; its predictions, gold and key are of no file."""
    return Result.model_construct(**{
        "schema": SCHEMA, "board": board, "board_version": board_version, "task": task,
        "split": split, "team": team, "system": system, "counts": counts, "metrics": metrics,
        "predictions": PredictionsFile(sha256="a" * 64, rows=len(items)),
        "gold": PublicGold(id="x", golds=1, public=True, sha256="b" * 64),
        "scorer": ScorerVersion(version="1"), "models": {}, "key": "c" * 64, **more,
    }).replace(items=items)


def described(row: Row, **about: Any) -> Row:
    """A row that says something else of itself."""
    return replace(row, about=row.about.replace(**about))


def moved(row: Row, team: str, system: str, **about: Any) -> Row:
    """The same row of another system."""
    about |= {"key": f"{team}/{system}", "kind": "reference" if team == "reference" else "scored"}
    return replace(described(row, **about), result=row.result.replace(team=team, system=system))


def near(found: Any, wanted: Any, rel_tol: float = 1e-6, abs_tol: float = 1e-8) -> bool:
    """Whether two documents are the same but for the last digits of their numbers."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return found.keys() == wanted.keys() and all(
            near(found[key], wanted[key], rel_tol, abs_tol) for key in found)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(
            near(*both, rel_tol, abs_tol) for both in zip(found, wanted, strict=True))
    if isinstance(found, float) and isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=rel_tol, abs_tol=abs_tol)
    return bool(found == wanted)
