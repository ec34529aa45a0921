"""What scored results say of systems that people judged: gates passed, a judge's verdicts, and how
far each metric agrees with people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from scorer import boards
from scorer.boards import Board
from scorer.boards.policy import HumanRanking
from scorer.core.errors import WhyboardError
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.people.aggregation import Judged, Results, Rules, SystemVotes
from scorer.people.documents import MetaDocument, MetricAgreement
from scorer.people.meta import Scores, item_level, split_half, system_level
from scorer.people.verdicts import shares
from scorer.people.within import within_items
from scorer.scoring.results import files
from scorer.tasks.registry import TASKS

_SYSTEM = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")


def judged(result: Result) -> Judged:
    """What a result with its items says. Metrics are looked at in the order in which it has them;
    the first that a judge gave counts."""
    gate = TASKS[result.task].gate_metric
    passed = frozenset(item.row for item in result.items
                       if gate is None or item.scores[gate].value > 0)
    digest = result.predictions.sha256
    for name, value in result.metrics.items():
        if METRICS[name].judge and METRICS[name].binary and value.value is not None:
            scores = {item.row: item.scores[name].value for item in result.items
                    if item.row in passed}
            return Judged(len(result.items), passed, scores, name, value.signature, digest)
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


def metrics_beside_people(votes: Mapping[str, SystemVotes], results: Mapping[str, Result],
                          metrics: Iterable[str]) -> MetaDocument:
    """Every metric beside people's verdicts on the systems of one split.

    Only items that people read count, and of these only those that passed every gate: what fails
    one is 0 to people and metrics alike, so a metric would gain by the gate. ``votes``,
    ``results``: by system; those without items' scores are left out.
    """
    known = {system: one for system, one in votes.items()
             if one.judged is not None and system in results and results[system].items}
    people = {system: shares(one.read) for system, one in known.items()}
    people = {system: rated for system, rated in people.items() if rated}
    ratings = [[float(vote == one.wanted) for vote in one.votes]
               for system in known.values() for one in system.read if one.votes]
    reliability = split_half(ratings)
    scores = {name: _scores(name, results, known) for name in metrics
              if METRICS[name].total is None}
    return MetaDocument(
        systems=list(people), rated=sum(map(len, people.values())),
        ratings=sum(map(len, ratings)), **reliability._asdict(),
        metrics={name: _agreement(of_systems, people, METRICS[name].better)
                 for name, of_systems in scores.items() if of_systems})


def _scores(metric: str, results: Mapping[str, Result], known: Mapping[str, SystemVotes],
            ) -> dict[str, dict[Hashable, float]]:
    """What a metric says of items that passed, by system. Of a metric with several signatures,
    such as of two judges, that of most systems counts."""
    found = {system: results[system] for system in known if _has(results[system], metric)}
    signatures = Counter(result.metrics[metric].signature for result in found.values())
    most = next(iter(signatures.most_common(1)), ("", 0))[0]
    return {system: {item.row: item.scores[metric].value for item in result.items
                     if (one := known[system].judged) and item.row in one.passed
                     and metric in item.scores}
            for system, result in found.items() if result.metrics[metric].signature == most}


def _has(result: Result, metric: str) -> bool:
    found = result.metrics.get(metric)
    return (found is not None and found.value is not None
            and any(metric in item.scores for item in result.items[:1]))


def _agreement(metric: Scores, people: Scores, better: str) -> MetricAgreement:
    items = item_level(metric, people, better=better)
    systems = system_level(metric, people, better=better)
    return MetricAgreement(
        better=better, rated=items.ratings, systems=items.systems, accuracy=items.accuracy,
        tau_b=items.tau_b, spearman=items.spearman, pairwise=items.pairwise,
        threshold=items.threshold, system_tau_b=systems.tau_b, system_spearman=systems.spearman,
        system_pairwise=systems.pairwise, within=within_items(metric, people, better=better))
