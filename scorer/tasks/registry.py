"""The tasks this program knows, and their baselines, by name. The only table of tasks."""

from __future__ import annotations

from scorer.tasks.anlg import baselines as anlg
from scorer.tasks.anlg.task import TASK as ANLG
from scorer.tasks.anli import baselines as anli
from scorer.tasks.anli.task import TASK as ANLI
from scorer.tasks.baselines import Baseline
from scorer.tasks.graphs import baselines as graphs
from scorer.tasks.graphs.task import TASK as GRAPHS

TASKS = {task.name: task for task in (GRAPHS, ANLI, ANLG)}

BASELINES: dict[str, dict[str, Baseline]] = {
    GRAPHS.name: graphs.BASELINES,
    ANLI.name: anli.BASELINES,
    ANLG.name: anlg.BASELINES,
}
"""The baselines of every task, by their names."""
