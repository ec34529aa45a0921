"""What a graph breaks: every structural constraint, and the strict diagnostics beside them.

The constraints are those of ``metrics/eval.py`` of github swarnaHub/ExplaGraphs at commit 67ecab1,
leniencies included: concepts occur as substrings, repeats and more than 8 edges are allowed. What
the paper asks beyond that is strict.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from scorer import graph as notation
from scorer.errors import counted
from scorer.records import Edge, Finding
from scorer.rules import text_rule
from scorer.tasks.graph_settings import GraphRules, InputText, Settings

MOST_OF_A_RULE = 20
"""Findings of one rule kept for one graph; a hostile graph may break a rule thousands of times."""

MOST_CULPRITS = 40
"""Edges and concepts named by one finding."""


def findings(
    settings: Settings, texts: Sequence[str], graph_string: str
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Broken constraints and strict diagnostics of a predicted graph; needs no gold.

    Without ``texts`` nothing is said about concepts in them. Findings come in
    this order: counts, per edge, repeats, connectedness, cycle, texts.
    """
    graph = graph_string.lower()
    lowered = [text.lower() for text in texts]
    parts = notation.pieces(graph)
    numbered = [(i, Edge(*part)) for i, part in enumerate(parts) if len(part) == 3]
    edges = [edge for _, edge in numbered]
    broken = [
        *_count_findings(settings.graph, parts),
        *_edge_findings(settings.graph, parts, numbered),
        *_shape_findings(settings.graph, numbered),
        *(_text_findings(settings.texts, lowered, edges) if lowered else ()),
    ]
    strict = [
        *_strict_edge_findings(settings.graph, len(parts), numbered),
        *(Finding("EG-SYNTAX", f"The string: {fault}.") for fault in _faults(graph_string)),
        *(_inside_findings(settings.texts, lowered, edges) if lowered else ()),
    ]
    return _capped(broken), _capped(strict)


def _capped(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """At most MOST_OF_A_RULE findings of one rule; the last says how many more there are."""
    kept: dict[str, list[Finding]] = {}
    for finding in found:
        kept.setdefault(finding.rule, []).append(finding)
    shown = []
    for rule, same in kept.items():
        shown += same[:MOST_OF_A_RULE]
        if len(same) > MOST_OF_A_RULE:
            shown.append(Finding(rule, f"{len(same) - MOST_OF_A_RULE} more of the same."))
    return tuple(shown)


def _faults(graph: str, most: int = 5) -> list[str]:
    faults = notation.syntax_faults(graph)
    return faults[:most] + ([f"{len(faults) - most} more faults"] if len(faults) > most else [])


def _count_findings(rules: GraphRules, parts: Sequence[tuple[str, ...]]) -> Iterator[Finding]:
    if len(parts) < rules.least_edges:
        yield Finding("EG-FEW-FACTS",
                      f"The graph has {counted(len(parts), 'edge')}; at least "
                      f"{rules.least_edges} are needed.")
    if rules.most_edges is not None and len(parts) > rules.most_edges:
        yield Finding("EG-MANY-FACTS",
                      f"The graph has {len(parts)} edges; at most {rules.most_edges} may be.")


def _edge_findings(
    rules: GraphRules, parts: Sequence[tuple[str, ...]], numbered: Sequence[tuple[int, Edge]]
) -> Iterator[Finding]:
    known = set(rules.relations)
    for index, part in enumerate(parts):
        if len(part) != 3:
            yield Finding("EG-PARTS", f"Edge {index + 1} has {len(part)} parts.", (index,))
    for index, edge in numbered:
        for concept in dict.fromkeys((edge.source, edge.target)):
            words = len(concept.split(" "))
            if concept == "":
                yield Finding("EG-EMPTY", f"Edge {index + 1}: a concept is empty.", (index,))
            elif rules.concept_words is not None and words > rules.concept_words:
                yield Finding("EG-LONG", f'Edge {index + 1}: "{concept}" has {words} words; at '
                              f"most {rules.concept_words} may be.", (index,), (concept,))
        if edge.relation not in known:
            near = _nearest(edge.relation, rules.relations) if index < MOST_OF_A_RULE else ""
            yield Finding("EG-REL", f'Edge {index + 1}: "{edge.relation}" is not one of the '
                          f"relations{near or '.'}", (index,))
        if rules.acyclic and edge.source == edge.target:
            yield Finding("EG-SELF", f'Edge {index + 1} connects "{edge.source}" with itself.',
                          (index,), (edge.source,))


def _nearest(relation: str, relations: Sequence[str]) -> str:
    """The relation that was probably meant, to add to a sentence; "" if none is near."""
    near = difflib.get_close_matches(relation[:60], relations, n=1, cutoff=0.8)
    return f'; did you mean "{near[0]}"?' if near else ""


def _shape_findings(rules: GraphRules, numbered: Sequence[tuple[int, Edge]]) -> Iterator[Finding]:
    edges = [edge for _, edge in numbered]
    groups = notation.components(edges)
    if rules.connected and len(groups) > 1:
        apart = {concept for group in groups[1:] for concept in group}
        culprits = tuple(i for i, edge in numbered if edge.source in apart)
        shown = " / ".join(", ".join(group[:4]) for group in groups[:4])
        yield Finding("EG-DISCONNECTED", f"The graph falls into {len(groups)} parts: {shown}.",
                      culprits[:MOST_CULPRITS], tuple(sorted(apart))[:MOST_CULPRITS])
    cycle = notation.find_cycle(edges) if rules.acyclic else []
    if cycle:
        steps = set(pairwise(cycle))
        culprits = tuple(i for i, edge in numbered if (edge.source, edge.target) in steps)
        shown = " → ".join(cycle[:12]) + (" → ..." if len(cycle) > 12 else "")
        yield Finding("EG-CYCLE", f"The edges form a circle: {shown}.",
                      culprits[:MOST_CULPRITS], tuple(dict.fromkeys(cycle))[:MOST_CULPRITS])


def _text_findings(
    texts: Sequence[InputText], lowered: Sequence[str], edges: Sequence[Edge]
) -> Iterator[Finding]:
    concepts = notation.concepts(edges)
    for text, content in zip(texts, lowered, strict=True):
        inside = [concept for concept in concepts if concept in content]
        if len(inside) < text.concepts:
            listed = ": " + ", ".join(inside) if inside else ""
            yield Finding(text_rule(text.name), f"{counted(len(inside), 'concept')} found in the "
                          f"{text.name}; at least {text.concepts} needed{listed}.", (),
                          tuple(inside))


def _strict_edge_findings(
    rules: GraphRules, count: int, numbered: Sequence[tuple[int, Edge]]
) -> Iterator[Finding]:
    if rules.strict_most_edges is not None and count > rules.strict_most_edges:
        yield Finding("EG-MANY-FACTS", f"The graph has {count} edges; the strict reading allows "
                      f"{rules.strict_most_edges}.")
    seen: dict[Edge, int] = {}
    for index, edge in numbered:
        if edge in seen:
            yield Finding("EG-DUP", f"Edge {index + 1} repeats edge {seen[edge] + 1}.", (index,))
        seen.setdefault(edge, index)
        odd = [c for c in dict.fromkeys((edge.source, edge.target)) if re.search(r"[();\t]", c)]
        if odd:
            yield Finding("EG-CHAR", f'Edge {index + 1}: "{odd[0]}" contains a parenthesis, '
                          "semicolon or tab.", (index,), tuple(odd))


def _inside_findings(
    texts: Sequence[InputText], lowered: Sequence[str], edges: Sequence[Edge]
) -> Iterator[Finding]:
    for text, content in zip(texts, lowered, strict=True):
        for concept in notation.concepts(edges):
            if text.concepts and concept and concept in content and not _whole(concept, content):
                yield Finding("EG-W-INSIDE", f'"{concept}" occurs in the {text.name} only inside a '
                              "longer word.", (), (concept,))


def _whole(concept: str, text: str) -> bool:
    """Whether a concept occurs in a text somewhere with no letter or digit on either side."""
    place = text.find(concept)
    while place >= 0:
        around = text[max(0, place - 1) : place] + text[place + len(concept) :][:1]
        if not any(character.isalnum() or character == "_" for character in around):
            return True
        place = text.find(concept, place + 1)
    return False
