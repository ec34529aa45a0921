"""What a graph breaks: every structural constraint, and the strict findings beside them.

The constraints are those of ``metrics/eval.py`` of github swarnaHub/ExplaGraphs at commit 67ecab1,
leniencies included: concepts occur as substrings, repeats and more than 8 edges are allowed. What
the paper asks beyond that is strict.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from scorer.core import graph as notation
from scorer.core.errors import counted
from scorer.core.graph import Graph
from scorer.core.messages import DETAILS
from scorer.core.records import Edge, Finding, Findings
from scorer.core.rules import text_rule
from scorer.tasks.graphs.graph_items import GraphRules, InputText, Settings

MOST_OF_A_RULE = 20
"""Findings of one rule kept for one graph; a hostile graph may break a rule thousands of times."""

MOST_CULPRITS = 40
"""Edges and concepts named by one finding."""

MOST_SYNTAX = 5
"""Departures from the exact form told of one string; the others are counted."""

_ODD = re.compile(r"[();\t]")
_APART = re.compile(r"\) +\(")


def findings(settings: Settings, texts: Sequence[str], graph: Graph) -> Findings:
    """Broken constraints and strict findings of a predicted graph; needs no gold.

    Without ``texts`` nothing is reported about concepts in them. Findings come in
    this order: counts, per edge, repeats, connectedness, cycle, texts. Of a rule at most
    MOST_OF_A_RULE are named; one more says how many there are beyond them.
    """
    return findings_of_pieces(settings.graph, settings.texts, texts, graph.pieces, (
        Finding("EG-SYNTAX", _detail("EG-SYNTAX", fault=fault))
        for fault in notation.syntax_faults(graph.text, MOST_SYNTAX)))


def findings_of_pieces(
    rules: GraphRules, inputs: Sequence[InputText], texts: Sequence[str],
    parts: Sequence[tuple[str, ...]], syntax: Iterable[Finding] = (),
) -> Findings:
    """The same of edges that were read in another way, lower-cased; ``inputs`` describe the texts,
    ``syntax`` is what their notation breaks."""
    lowered = [text.lower() for text in texts]
    numbered = [(i, part) for i, part in enumerate(parts) if isinstance(part, Edge)]
    edges = list(dict.fromkeys(edge for _, edge in numbered))
    concepts = notation.concepts(edges)
    broken, strict = _Findings(), _Findings()
    broken.all(_count_findings(rules, len(parts)))
    _edge_findings(broken, rules, parts, numbered, concepts)
    broken.all(_shape_findings(rules, numbered, edges))
    _strict_edge_findings(strict, rules, len(parts), numbered, concepts)
    strict.all(syntax)
    if lowered:
        broken.all(_text_findings(inputs, lowered, concepts))
        strict.all(_inside_findings(inputs, lowered, concepts))
    return Findings(broken.findings(), strict.findings())


class _Findings:
    """Findings rule by rule, rules in the order in which they were first broken.

    A hostile graph breaks a rule thousands of times, so whoever has many findings asks for
    ``room`` before it words one.
    """

    def __init__(self) -> None:
        self._count: dict[str, int] = {}
        self._kept: dict[str, list[Finding]] = {}

    def room(self, rule: str) -> bool:
        """Count one more finding of a rule; whether it is to be told."""
        count = self._count[rule] = self._count.get(rule, 0) + 1
        return count <= MOST_OF_A_RULE

    def keep(self, finding: Finding) -> None:
        """Keep a finding that there was room for."""
        self._kept.setdefault(finding.rule, []).append(finding)

    def all(self, flaws: Iterable[Finding]) -> None:
        """Count findings, and keep those that there is room for."""
        for finding in flaws:
            if self.room(finding.rule):
                self.keep(finding)

    def findings(self) -> tuple[Finding, ...]:
        """Everything kept; the last of a rule says how many more there are."""
        shown: list[Finding] = []
        for rule, kept in self._kept.items():
            shown += kept
            if self._count[rule] > len(kept):
                shown.append(Finding(rule, _detail("more", count=self._count[rule] - len(kept))))
        return tuple(shown)


def _detail(key: str, **values: object) -> str:
    return DETAILS[key].format_map(values)


def _count_findings(rules: GraphRules, count: int) -> Iterator[Finding]:
    if count < rules.least_edges:
        yield Finding("EG-FEW-FACTS", _detail("EG-FEW-FACTS", edges=counted(count, "edge"),
                                              least=rules.least_edges))
    if rules.most_edges is not None and count > rules.most_edges:
        yield Finding("EG-MANY-FACTS", _detail("EG-MANY-FACTS", count=count, most=rules.most_edges))


def _edge_findings(kept: _Findings, rules: GraphRules, parts: Sequence[tuple[str, ...]],
                   numbered: Sequence[tuple[int, Edge]], concepts: Sequence[str]) -> None:
    for index in (i for i, part in enumerate(parts) if len(part) != 3):
        if kept.room("EG-PARTS"):
            detail = _detail(_of_parts(parts[index]), number=index + 1, parts=len(parts[index]))
            kept.keep(Finding("EG-PARTS", detail, (index,)))
    known = set(rules.relations)
    faults = _concept_faults(rules, concepts)
    for index, edge in numbered:
        source, relation, target = edge
        if faults:
            for concept in (source, target)[: 1 + (source != target)]:
                if concept in faults and kept.room(faults[concept]):
                    detail = _detail(faults[concept], number=index + 1, concept=concept,
                                     words=_words(concept), most=rules.concept_words)
                    culprits = (concept,) if concept else ()
                    kept.keep(Finding(faults[concept], detail, (index,), culprits))
        if known and relation not in known and kept.room("EG-REL"):
            near = _nearest(relation, rules.relations) if index < MOST_OF_A_RULE else ""
            detail = _detail("EG-REL near" if near else "EG-REL", number=index + 1,
                             relation=relation, near=near)
            kept.keep(Finding("EG-REL", detail, (index,)))
        if rules.acyclic and source == target and kept.room("EG-SELF"):
            detail = _detail("EG-SELF", number=index + 1, concept=source)
            kept.keep(Finding("EG-SELF", detail, (index,), (source,)))


def _of_parts(parts: Sequence[str]) -> str:
    """Which sentence says why an edge does not have three parts."""
    if any(";" in part for part in parts):
        return "EG-PARTS semicolon"
    return "EG-PARTS brackets" if any(_APART.search(part) for part in parts) else "EG-PARTS"


def _concept_faults(rules: GraphRules, concepts: Sequence[str]) -> dict[str, str]:
    """The concepts that are wrong by themselves, each with the rule that it breaks."""
    most = rules.concept_words
    faults: dict[str, str] = {}
    for concept in concepts:
        if not concept:
            faults[concept] = "EG-EMPTY"
        elif most is not None and _words(concept) > most:
            faults[concept] = "EG-LONG"
    return faults


def _words(concept: str) -> int:
    return concept.count(" ") + 1


def _nearest(relation: str, relations: Sequence[str]) -> str:
    """The relation that was probably meant; "" if none is near."""
    near = difflib.get_close_matches(relation[:60], relations, n=1, cutoff=0.8)
    return near[0] if near else ""


def _shape_findings(
    rules: GraphRules, numbered: Sequence[tuple[int, Edge]], edges: Sequence[Edge]
) -> Iterator[Finding]:
    groups = notation.components(edges)
    if rules.connected and len(groups) > 1:
        apart = {concept for group in groups[1:] for concept in group}
        culprits = tuple(i for i, edge in numbered if edge.source in apart)
        shown = " / ".join(", ".join(group[:4]) for group in groups[:4])
        yield Finding("EG-DISCONNECTED", _detail("EG-DISCONNECTED", count=len(groups), parts=shown),
                      culprits[:MOST_CULPRITS], tuple(sorted(apart))[:MOST_CULPRITS])
    cycle = notation.find_cycle(edges) if rules.acyclic else []
    if cycle:
        steps = set(pairwise(cycle))
        culprits = tuple(i for i, edge in numbered if (edge.source, edge.target) in steps)
        shown = " → ".join(cycle[:12]) + (" → ..." if len(cycle) > 12 else "")
        yield Finding("EG-CYCLE", _detail("EG-CYCLE", cycle=shown),
                      culprits[:MOST_CULPRITS], tuple(dict.fromkeys(cycle))[:MOST_CULPRITS])


def _text_findings(
    texts: Sequence[InputText], lowered: Sequence[str], concepts: Sequence[str]
) -> Iterator[Finding]:
    for text, content in zip(texts, lowered, strict=True):
        inside = [concept for concept in concepts if concept in content]
        if len(inside) < text.concepts:
            detail = _detail("EG-TEXT-CONCEPTS" if inside else "EG-TEXT-CONCEPTS none",
                             count=counted(len(inside), "concept"), text=text.name,
                             least=text.concepts, concepts=", ".join(inside))
            yield Finding(text_rule(text.name), detail, (), tuple(inside))


def _strict_edge_findings(kept: _Findings, rules: GraphRules, count: int,
                          numbered: Sequence[tuple[int, Edge]], concepts: Sequence[str]) -> None:
    if rules.strict_most_edges is not None and count > rules.strict_most_edges:
        kept.all([Finding("EG-MANY-FACTS", _detail("EG-MANY-FACTS strict", count=count,
                                                   most=rules.strict_most_edges))])
    odd = set(filter(_ODD.search, concepts))
    seen: dict[Edge, int] = {}
    for index, edge in numbered:
        first = seen.setdefault(edge, index)
        if first != index and kept.room("EG-DUP"):
            detail = _detail("EG-DUP", number=index + 1, first=first + 1)
            kept.keep(Finding("EG-DUP", detail, (index,)))
        if odd and (edge.source in odd or edge.target in odd) and kept.room("EG-CHAR"):
            culprits = [c for c in dict.fromkeys((edge.source, edge.target)) if c in odd]
            detail = _detail("EG-CHAR", number=index + 1, concept=culprits[0])
            kept.keep(Finding("EG-CHAR", detail, (index,), tuple(culprits)))


def _inside_findings(
    texts: Sequence[InputText], lowered: Sequence[str], concepts: Sequence[str]
) -> Iterator[Finding]:
    for text, content in zip(texts, lowered, strict=True):
        for concept in concepts:
            if text.concepts and concept and concept in content and not _whole(concept, content):
                detail = _detail("EG-W-INSIDE", concept=concept, text=text.name)
                yield Finding("EG-W-INSIDE", detail, (), (concept,))


def _whole(concept: str, text: str) -> bool:
    """Whether a concept occurs in a text somewhere with no letter or digit on either side."""
    start = text.find(concept)
    while start >= 0:
        around = text[max(0, start - 1) : start] + text[start + len(concept) :][:1]
        if not any(character.isalnum() or character == "_" for character in around):
            return True
        start = text.find(concept, start + 1)
    return False
