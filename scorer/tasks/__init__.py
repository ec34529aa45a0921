"""The tasks this program knows, by name."""

from __future__ import annotations

from scorer.tasks.anlg import TASK as ANLG
from scorer.tasks.anli import TASK as ANLI
from scorer.tasks.base import MetricUse, Task
from scorer.tasks.explanation_graphs import TASK as EXPLANATION_GRAPHS

TASKS = {task.name: task for task in (EXPLANATION_GRAPHS, ANLI, ANLG)}

__all__ = ["TASKS", "MetricUse", "Task"]
