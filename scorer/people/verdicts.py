"""People's verdicts on a system's graphs: how many are right, how sure that is, what may be ranked.

A graph is right in the eyes of an annotator who gives it the label that its item has, without
having seen that. An item counts the share of its votes that do, so that no rule for ties is
needed; the share of items with a majority stands beside it. People read a random sample of the
items that passed every gate; the others count 0 for people as for a judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from scorer import boards
from scorer.boards.policy import HumanRanking
from scorer.core.errors import WhyboardError
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.people import agreement
from scorer.people.answered import majority
from scorer.people.bootstrap import of_ratio
from scorer.people.documents import Agreement, Powered, VerdictDocument, VerdictsDocument
from scorer.people.powered import powered
from scorer.scoring.results import files
from scorer.tasks.registry import TASKS

_SYSTEM = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")


class ItemVerdicts(NamedTuple):
    """What people said of one item of one system."""

    item: Any
    """The item's name in the gold file, such as its row."""
    wanted: str
    """The label that a right graph has."""
    votes: tuple[str, ...]
    """Those that count, in their order."""
    done: bool = True
    """Whether they are as many as its batch needs."""

    @property
    def right(self) -> int:
        """Votes that give the item its own label."""
        return self.votes.count(self.wanted)

    @property
    def shown(self) -> list[str]:
        """Its votes in words, such as ``2 support``, most first."""
        return [f"{count} {label}" for label, count in Counter(self.votes).most_common()]


@dataclass(frozen=True)
class Judged:
    """A system's result with its items: which of them passed, and what a judge said of these."""

    result: Result

    @cached_property
    def passed(self) -> frozenset[int]:
        """Rows of the items that passed every gate."""
        gate = TASKS[self.result.task].gate_metric
        return frozenset(item.row for item in self.result.items
                         if gate is None or item.scores[gate].value > 0)

    @cached_property
    def metric(self) -> str:
        """The first metric of 0 and 1 that a judge gave, in the result's order; empty if none."""
        return next((name for name, value in self.result.metrics.items() if METRICS[name].judge
                     and METRICS[name].binary and value.value is not None), "")

    def scores(self, metric: str) -> dict[int, float]:
        """What a metric says of the items that passed, by row."""
        return {item.row: item.scores[metric].value for item in self.result.items
                if item.row in self.passed and metric in item.scores}


class SystemVotes(NamedTuple):
    """What people said of one system's graphs."""

    read: tuple[ItemVerdicts, ...]
    """Of graphs that passed every gate, as far as anybody knows."""
    voters: tuple[str, ...]
    judged: Judged | None
    outdated: int = 0
    """Graphs of earlier predictions that people read; their votes do not count."""
    chosen: int = 0
    """Graphs of batches that are no random sample; their votes do not count."""

    @property
    def unfinished(self) -> int:
        """Graphs in ``read`` with fewer votes than their batch needs."""
        return sum(not graph.done for graph in self.read)

    @property
    def shares(self) -> dict[Any, float]:
        """The share of its votes that find an item right, of those with votes."""
        return {graph.item: graph.right / len(graph.votes) for graph in self.read if graph.votes}

    def verdict(self, guideline: str) -> VerdictDocument:
        """The figures of all that; ``guideline``: the version of what people were asked.

        An interval is Wilson's of one vote an item; of several, items are drawn with all their
        votes. Raises KeyError for an item in ``read`` that the judge did not read.
        """
        voted = [graph for graph in self.read if graph.votes]
        more: dict[str, Any] = {name: count for name, count in (
            ("outdated", self.outdated), ("chosen", self.chosen)) if count}
        if self.judged is not None:
            metric, items = self.judged.metric, len(self.judged.result.items)
            more["all_items"] = powered(self.shares, dict.fromkeys(self.judged.passed, 0.0), items,
                                        0.0)
            if metric:
                signature = self.judged.result.metrics[metric].signature
                more |= {"powered": powered(self.shares, self.judged.scores(metric), items),
                         "judge": metric, "signature": f"{signature}|people:{guideline}"}
        return VerdictDocument(
            votes=of_ratio((graph.item, vote == graph.wanted, 1)
                           for graph in voted for vote in graph.votes),
            majority=of_ratio((graph.item, majority(graph.votes) == graph.wanted, 1)
                              for graph in voted),
            agreement=agreement.measured([graph.votes for graph in voted]), **more)


@dataclass(frozen=True)
class SplitVotes:
    """What people said of the systems of one split, in closed batches."""

    votes: Mapping[str, SystemVotes]
    """By ``<team>/<system>``."""
    guideline: str
    """The version of what annotators were asked."""
    simulated: tuple[str, ...] = ()
    """Simulated annotators who have part in it."""

    @cached_property
    def systems(self) -> dict[str, VerdictDocument]:
        """The figures of each system."""
        return {system: votes.verdict(self.guideline) for system, votes in self.votes.items()}

    @cached_property
    def agreement(self) -> Agreement:
        """How far people agree on all their graphs."""
        return agreement_of(self.votes.values())

    def document(self, rule: HumanRanking) -> VerdictsDocument:
        """All figures; ``rule``: what the board asks before they may order rows."""
        rows = {system: verdict.powered for system, verdict in self.systems.items()
                if verdict.powered is not None}
        return VerdictsDocument(
            systems=self.systems, agreement=self.agreement, why_not_ranked=list(why_not_ranked(
                rows, self.agreement, rule, self.simulated,
                {system: self.votes[system].unfinished for system in rows})))

    def simulated_of(self, key: str) -> bool:
        """Whether any of a system's votes is simulated."""
        return not set(self.votes[key].voters).isdisjoint(self.simulated)


Results = Callable[[str, str], Result | None]
"""The result of a system (``team/system``) on a board's split (``explagraphs-dev``), if known."""
Rules = Callable[[str], HumanRanking]
"""What a board asks before people's verdicts may order rows, by board and split."""


def agreement_of(votes: Iterable[SystemVotes]) -> Agreement:
    """How far people agree on several systems' graphs: on those that have all their votes."""
    return agreement.measured([graph.votes for system in votes for graph in system.read
                               if graph.done])


def why_not_ranked(rows: Mapping[str, Powered], together: Agreement, rule: HumanRanking,
                   simulated: Sequence[str] = (), unfinished: Mapping[str, int] = {},
                   ) -> tuple[str, ...]:
    """Why a prediction-powered column may not order these rows; nothing if it may.

    ``rows``: by name, those that would be ranked. ``together``: agreement on all their graphs.
    ``simulated``: simulated annotators whose votes are among them, of whom there must be none.
    ``unfinished``: by name, graphs that were drawn and lack votes. There must be none: else
    annotators, by what they answer and leave out, choose the sample that chance has drawn.
    A row of which people read every graph that passed has enough.
    """
    def first(names: Sequence[str]) -> str:
        return f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''}"

    few = [f"{name} has {row.verified}" for name, row in rows.items()
           if row.verified < min(rule.verified, row.passed)]
    reasons = [] if rows else ["no row has people's verdicts"]
    if few:
        reasons.append(f"each row needs {rule.verified} graphs verified by people: {first(few)}")
    if lacking := [f"{name} on {count}" for name, count in unfinished.items() if count]:
        reasons.append(f"votes are missing on graphs that were drawn: {first(lacking)}")
    kappa = together.kappa
    wanted = f"and it must be {rule.agreement:g} at least"
    if kappa is None:
        least, most = together.raters
        why = ", for batches need different numbers of votes" if least != most else ""
        reasons.append(f"Fleiss's kappa of the votes is not defined{why}, {wanted}")
    elif kappa < rule.agreement:
        reasons.append(f"annotators agree too little: Fleiss's kappa is {kappa:.3f}, {wanted}")
    if simulated:
        reasons.append(f"votes are simulated: those of {first(simulated)}")
    return tuple(reasons)


def result_in(results: Path, split: str, system: str) -> Result | None:
    """The result of a folder with its items. Raises DataError if it cannot be read."""
    board, _, name = split.rpartition("-")
    team, _, folder = system.partition("/")
    path = files.result_path(results, board, team, folder, name)
    if not (_SYSTEM.fullmatch(system) and files.items_path(path).is_file()):
        return None
    return files.read(path)


def board_rule(split: str) -> HumanRanking:
    """What a board asks that can be loaded by its name; the default for others."""
    try:
        return boards.load(split.rpartition("-")[0]).people
    except WhyboardError:
        return HumanRanking()
