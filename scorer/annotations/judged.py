"""What scored results say of systems that people judged: gates passed, a judge's verdicts, and how
far each metric agrees with people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from scorer import board as boards
from scorer.annotations.aggregation import Judged, Results, Rules, SystemVotes
from scorer.annotations.metric_agreement import Agreements, Measured, agreements, rated
from scorer.board import Board
from scorer.board.policy import HumanRanking
from scorer.errors import WhyboardError
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.results import files
from scorer.tasks.registry import TASKS

_SYSTEM = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")


def judged(result: Result) -> Judged:
    """What a result with its items says. Metrics are looked at in the order in which it has them;
    the first that a judge gave counts."""
    gate = TASKS[result.task].gate_metric
    passed = frozenset(item.row for item in result.items
                       if gate is None or item.scores[gate].value > 0)
    digest = result.provenance.get("predictions", {}).get("sha256", "")
    for name, value in result.metrics.items():
        if METRICS[name].judge and METRICS[name].binary and value.value is not None:
            told = {item.row: item.scores[name].value for item in result.items
                    if item.row in passed}
            return Judged(len(result.items), passed, told, name, value.signature, digest)
    return Judged(len(result.items), passed, predictions=digest)


def in_folder(results: Path) -> Results:
    """The results of a folder; a system without one, or without its items, has none. A result
    that cannot be read raises DataError."""
    def find(split: str, system: str) -> Judged | None:
        board, _, name = split.rpartition("-")
        if not _SYSTEM.fullmatch(system):
            return None
        team, _, folder = system.partition("/")
        path = files.result_path(results, board, team, folder, name)
        return judged(files.read(path)) if files.items_path(path).is_file() else None

    return find


def rules_of(board: Board | None) -> HumanRanking:
    """What a board asks; the default for one that is not at hand."""
    return HumanRanking() if board is None else board.people


def in_boards() -> Rules:
    """What boards ask that can be loaded by their names."""
    def find(split: str) -> HumanRanking:
        try:
            return rules_of(boards.load(split.rpartition("-")[0]))
        except WhyboardError:
            return rules_of(None)

    return find


def measured(results: Mapping[str, Result], passed: Mapping[str, frozenset[int]],
             metrics: Iterable[str]) -> list[Measured]:
    """What metrics say of items that passed. A number of the whole split says nothing of one; of a
    metric with several signatures, such as of two judges, that of most systems counts."""
    found = []
    for name in metrics:
        known = {system: result for system, result in results.items()
                 if METRICS[name].total is None and _value(result, name)}
        signatures = Counter(result.metrics[name].signature for result in known.values())
        most = next(iter(signatures.most_common(1)), ("", 0))[0]
        scores = {system: _of_items(result, name, passed[system])
                  for system, result in known.items()
                  if result.metrics[name].signature == most}
        if scores:
            found.append(Measured(name, METRICS[name].better, scores))
    return found


def _value(result: Result, metric: str) -> bool:
    found = result.metrics.get(metric)
    return (found is not None and found.value is not None
            and any(metric in item.scores for item in result.items[:1]))


def _of_items(result: Result, metric: str, passed: frozenset[int]) -> dict[Hashable, float]:
    return {item.row: item.scores[metric].value for item in result.items
            if item.row in passed and metric in item.scores}


def metrics_beside_people(votes: Mapping[str, SystemVotes], results: Mapping[str, Result],
             metrics: Iterable[str]) -> Agreements:
    """Every metric beside people's verdicts on the systems of one split.

    Only items that people read count, and of these only those that passed every gate: what fails
    one is 0 to people and metrics alike, so a metric would gain by the gate. ``votes``,
    ``results``: by system; those without items' scores are left out.
    """
    known = {system: one for system, one in votes.items()
             if one.judged is not None and system in results and results[system].items}
    return agreements(
        rated({system: one.read for system, one in known.items()}),
        measured({system: results[system] for system in known},
                 {system: one.judged.passed for system, one in known.items() if one.judged},
                 metrics))
