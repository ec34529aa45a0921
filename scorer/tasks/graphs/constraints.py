"""What a graph breaks: every structural constraint, and the strict findings beside them.

The constraints are those of ``metrics/eval.py`` of github swarnaHub/ExplaGraphs at commit 67ecab1,
leniencies included: concepts occur as substrings, repeats and more than 8 edges are allowed. What
the paper asks beyond that is strict.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from scorer.core import graph as notation
from scorer.core.errors import counted
from scorer.core.graph import Graph
from scorer.core.records import Edge, Finding, Findings
from scorer.core.rules import DETAILS, text_rule
from scorer.tasks.graphs.graph_items import GraphRules, InputText, Settings

MOST_OF_A_RULE = 20
"""Findings of one rule kept for one graph; a hostile graph may break a rule thousands of times."""

MOST_CULPRITS = 40
"""Edges and concepts named by one finding."""

MOST_SYNTAX = 5
"""Departures from the exact form that are named of one string; the others are counted."""

_ODD = re.compile(r"[();\t]")
_APART = re.compile(r"\) +\(")


def findings(settings: Settings, texts: Sequence[str], graph: Graph) -> Findings:
    """Broken constraints and strict findings of a predicted graph; needs no gold.

    Without ``texts`` nothing is reported about concepts in them. Findings come in
    this order: counts, per edge, repeats, connectedness, cycle, texts. Of a rule at most
    MOST_OF_A_RULE are named; one more says how many there are beyond them.
    """
    return findings_of_pieces(settings.graph, settings.texts, texts, graph.pieces,
                              notation.syntax_faults(graph.text, MOST_SYNTAX))


def findings_of_pieces(
    rules: GraphRules, inputs: Sequence[InputText], texts: Sequence[str],
    parts: Sequence[tuple[str, ...]], syntax: Sequence[str] = (),
    details: Mapping[str, str] = DETAILS,
) -> Findings:
    """The same of edges that were read in another way, lower-cased.

    ``inputs`` describe the texts; ``syntax``: what their notation breaks; ``details``: the
    sentences of findings.
    """
    numbered = [(i, part) for i, part in enumerate(parts) if isinstance(part, Edge)]
    edges = list(dict.fromkeys(edge for _, edge in numbered))
    concepts = notation.concepts(edges)
    count = len(parts)
    broken, strict = _Findings(details), _Findings(details)
    if count < rules.least_edges:
        broken.add("EG-FEW-FACTS", count=count, least=rules.least_edges)
    if rules.most_edges is not None and count > rules.most_edges:
        broken.add("EG-MANY-FACTS", count=count, most=rules.most_edges)
    _edge_findings(broken, rules, parts, numbered, concepts)
    _shape_findings(broken, rules, numbered, edges)
    if rules.strict_most_edges is not None and count > rules.strict_most_edges:
        strict.add("EG-MANY-FACTS", count=count, most=rules.strict_most_edges)
    _strict_edge_findings(strict, numbered, concepts)
    for fault in syntax:
        strict.add("EG-SYNTAX", fault=fault)
    if texts:
        for text, content in zip(inputs, texts, strict=True):
            _text_findings(broken, strict, text, content.lower(), concepts)
    return Findings(broken.findings(), strict.findings())


class _Findings:
    """Findings rule by rule, rules in the order in which they were first broken."""

    def __init__(self, details: Mapping[str, str]) -> None:
        self._details = details
        self._count: dict[str, int] = {}
        self._kept: dict[str, list[Finding]] = {}

    def add(self, rule: str, variant: str = "", edges: Sequence[int] = (),
            concepts: Sequence[str] = (), /, *, key: str = "", **values: object) -> None:
        """Count one more finding of a rule; keep it in words if there are not too many.

        ``variant``: the word that tells apart what the rule may say; ``key``: the rule under which
        its sentence stands, if another.
        """
        self._count[rule] = self._count.get(rule, 0) + 1
        if self._count[rule] <= MOST_OF_A_RULE:
            sentence = self._details[f"{key or rule} {variant}".strip()]
            self._kept.setdefault(rule, []).append(
                Finding(rule, sentence.format_map(values), tuple(edges[:MOST_CULPRITS]),
                        tuple(concepts[:MOST_CULPRITS])))

    def findings(self) -> tuple[Finding, ...]:
        """Everything kept; the last of a rule says how many more there are."""
        shown: list[Finding] = []
        for rule, kept in self._kept.items():
            shown += kept
            more = self._count[rule] - len(kept)
            if more:
                shown.append(Finding(rule, self._details["more"].format(count=more)))
        return tuple(shown)


def _edge_findings(broken: _Findings, rules: GraphRules, parts: Sequence[tuple[str, ...]],
                   numbered: Sequence[tuple[int, Edge]], concepts: Sequence[str]) -> None:
    for index, part in enumerate(parts):
        if len(part) != 3:
            variant = ("semicolon" if any(";" in text for text in part)
                       else "brackets" if any(map(_APART.search, part)) else "")
            broken.add("EG-PARTS", variant, [index], number=index + 1, parts=len(part))
    known = set(rules.relations)
    faults = _concept_faults(rules, concepts)
    for index, edge in numbered:
        source, relation, target = edge
        if faults:
            for concept in (source, target)[: 1 + (source != target)]:
                if concept in faults:
                    broken.add(faults[concept], "", [index], [concept] if concept else [],
                               number=index + 1, concept=concept, words=_words(concept),
                               most=rules.concept_words)
        if known and relation not in known:
            near: list[str] = []  # the relation that was probably meant; looking for it is slow
            if index < MOST_OF_A_RULE:
                near = difflib.get_close_matches(relation[:60], rules.relations, n=1, cutoff=0.8)
            broken.add("EG-REL", "near" if near else "", [index], number=index + 1,
                       relation=relation, near="".join(near))
        if rules.acyclic and source == target:
            broken.add("EG-SELF", "", [index], [source], number=index + 1, concept=source)


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


def _shape_findings(broken: _Findings, rules: GraphRules, numbered: Sequence[tuple[int, Edge]],
                    edges: Sequence[Edge]) -> None:
    groups = notation.components(edges)
    if rules.connected and len(groups) > 1:
        apart = {concept for group in groups[1:] for concept in group}
        broken.add("EG-DISCONNECTED", "", [i for i, edge in numbered if edge.source in apart],
                   sorted(apart), count=len(groups),
                   parts=" / ".join(", ".join(group[:4]) for group in groups[:4]))
    cycle = notation.find_cycle(edges) if rules.acyclic else []
    if cycle:
        steps = set(pairwise(cycle))
        culprits = [i for i, edge in numbered if (edge.source, edge.target) in steps]
        broken.add("EG-CYCLE", "", culprits, list(dict.fromkeys(cycle)),
                   cycle=" → ".join(cycle[:12]) + (" → ..." if len(cycle) > 12 else ""))


def _strict_edge_findings(strict: _Findings, numbered: Sequence[tuple[int, Edge]],
                          concepts: Sequence[str]) -> None:
    odd = set(filter(_ODD.search, concepts))
    seen: dict[Edge, int] = {}
    for index, edge in numbered:
        first = seen.setdefault(edge, index)
        if first != index:
            strict.add("EG-DUP", "", [index], number=index + 1, first=first + 1)
        if odd and (edge.source in odd or edge.target in odd):
            culprits = [c for c in dict.fromkeys((edge.source, edge.target)) if c in odd]
            strict.add("EG-CHAR", "", [index], culprits, number=index + 1, concept=culprits[0])


def _text_findings(broken: _Findings, strict: _Findings, text: InputText, content: str,
                   concepts: Sequence[str]) -> None:
    inside = [concept for concept in concepts if concept in content]
    if len(inside) < text.concepts:
        broken.add(text_rule(text.name), "", (), inside, key="EG-TEXT-CONCEPTS",
                   count=counted(len(inside), "concept"), text=text.name, least=text.concepts,
                   concepts=", ".join(inside) or "none")
    for concept in inside if text.concepts else ():
        if concept and not _stands_alone(concept, content):
            strict.add("EG-W-INSIDE", "", (), [concept], concept=concept, text=text.name)


def _stands_alone(concept: str, text: str) -> bool:
    """Whether a concept occurs in a text somewhere with no letter or digit on either side.

    Looked for by hand: an expression for each concept takes longer to compile than all the rest.
    """
    start = text.find(concept)
    while start >= 0:
        around = text[max(0, start - 1) : start] + text[start + len(concept) :][:1]
        if not any(character.isalnum() or character == "_" for character in around):
            return True
        start = text.find(concept, start + 1)
    return False
