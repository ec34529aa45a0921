"""The tasks this program knows, by name. The only table of tasks."""

from __future__ import annotations

from typing import Any, TypeAlias

from scorer.tasks.base import MetricUse, Task
from scorer.tasks.baselines import Baseline
from scorer.tasks.graph_labels.task import GraphLabels
from scorer.tasks.graphs.task import ExplanationGraphs
from scorer.tasks.texts.task import AbductiveGeneration, AbductiveInference, ExplainedChoices

AnyTask: TypeAlias = Task[Any, Any, Any]
"""One of them, where only a board's name for it is known."""
AnyUse: TypeAlias = MetricUse[Any, Any]
AnyBaseline: TypeAlias = Baseline[Any, Any, Any]

TASKS: dict[str, type[AnyTask]] = {
    task.name: task for task in (
        ExplanationGraphs, AbductiveInference, AbductiveGeneration, GraphLabels, ExplainedChoices)
}
