"""Edges, findings and scores of one graph as lines of a page. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup, escape

from scorer.metrics.catalogue import METRICS
from scorer.records import Edge, Finding, ItemResult
from scorer.rules import lookup
from scorer.tasks.graphs.diff import Diff, Status
from scorer.website.render import score, trusted
from scorer.website.text import shown
from scorer.website.views.graphs.diff import MEANINGS, SYMBOLS
from scorer.website.views.graphs.pairs import Paired


class EdgeLine(NamedTuple):
    """One edge in words."""

    edge: Edge
    status: Status | None
    symbol: str
    note: str
    bad: bool = False
    paired: Paired | None = None
    """The gold edge that the score matches it with."""
    importance: float | None = None
    """By how much a judge is less sure of the gold label without it, where one was asked."""

    @property
    def words(self) -> Markup:
        """The edge as a sentence, escaped."""
        return _words(self.edge)


@lru_cache(maxsize=1024)
def _words(edge: Edge) -> Markup:
    """Remembered: every card of an example shows the gold edges that its graph lacks."""
    source, relation, target = (
        escape(shown(part, limit) or "(empty)")
        for part, limit in zip(edge, (200, 60, 200), strict=True))
    return trusted(f"<bdi>{source}</bdi> <em>{relation}</em> <bdi>{target}</bdi>")


class FindingLine(NamedTuple):
    """One broken constraint or diagnostic, in words."""

    rule: str
    page: str
    text: str
    detail: str


class ScoreLine(NamedTuple):
    """One metric of one item."""

    metric: str
    value: str
    parts: str
    flag: str


def gold_lines(edges: Sequence[Edge]) -> tuple[EdgeLine, ...]:
    """The edges of a gold graph."""
    return tuple(EdgeLine(edge, None, "", "") for edge in edges)


def predicted_lines(
    gold: Sequence[Edge], edges: Sequence[Edge], found: Diff, bad: Collection[int],
    pairs: Sequence[Paired | None], importance: Mapping[int, float],
) -> tuple[EdgeLine, ...]:
    """The edges of a prediction beside those of gold; ``bad`` are at fault, by position."""
    lines = []
    for place, (edge, mark, pair) in enumerate(zip(edges, found.marks, pairs, strict=True)):
        note = MEANINGS[mark.status] if mark.status != "kept" else ""
        if mark.gold is not None and mark.status in ("changed", "reversed"):
            note = f"gold: {' '.join(gold[mark.gold])}"
        lines.append(EdgeLine(edge, mark.status, SYMBOLS[mark.status], note, place in bad, pair,
                              importance.get(place)))
    return tuple(lines)


def missing_lines(gold: Sequence[Edge], found: Diff) -> tuple[EdgeLine, ...]:
    """The edges of gold that a prediction does not have."""
    return tuple(EdgeLine(gold[i], "missing", SYMBOLS["missing"], MEANINGS["missing"])
                 for i in found.missing)


def unreadable(parts: Sequence[tuple[str, ...]], most: int = 5) -> tuple[tuple[int, str], ...]:
    """The first edges that do not have three parts: number, from 1, and text."""
    odd = [(i + 1, "; ".join(part)) for i, part in enumerate(parts) if len(part) != 3]
    return tuple(odd[:most])


def finding_lines(findings: Sequence[Finding]) -> tuple[FindingLine, ...]:
    """Findings with the words of their rules."""
    rules = [(finding, lookup(finding.rule)) for finding in findings]
    return tuple(FindingLine(finding.rule, rule.page, rule.text, finding.detail)
                 for finding, rule in rules)


def score_lines(item: ItemResult, passed: str) -> tuple[ScoreLine, ...]:
    """The graded metrics of one item; ``passed`` is the annotation of items that are graded."""
    lines = []
    stopped = item.verdict.annotation != passed
    for metric, info in METRICS.items():
        found = item.scores.get(metric)
        if found is not None and info.graded:
            parts = {} if stopped or info.judge else found.parts
            told = " ".join(f"{name[0].upper()} {score(v, info)}" for name, v in parts.items())
            lines.append(ScoreLine(metric, score(found.value, info),
                                   "not graded" if stopped else told, found.flag or ""))
    return tuple(lines)
