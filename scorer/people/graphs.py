"""Graphs that annotators write or read: from a cell, against the constraints of the task, in words.

The verdicts are those of ``tasks/graphs/constraints.py``. What an annotator must not do there is
told, and strict findings (a repeated fact, an odd character) refuse here too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scorer.core import graph as notation
from scorer.core.errors import excerpt
from scorer.core.records import Edge, Finding
from scorer.core.rules import lookup
from scorer.people.records import GraphAnswers, Item
from scorer.people.rules import RuleText, said
from scorer.tasks.graphs.constraints import findings_of_pieces

_ORDER = ("EG-FEW-FACTS", "EG-MANY-FACTS")
_OF_A_FACT = ("EG-EMPTY", "EG-CHAR", "EG-LONG", "EG-REL", "EG-SELF")
_AFTER = ("EG-DUP", "EG-DISCONNECTED", "EG-CYCLE", "EG-TEXT-CONCEPTS")
_NEVER = 10**9


class FactDiff(NamedTuple):
    """What became of the facts of a graph; the order of rows says nothing."""

    kept: tuple[Edge, ...]
    added: tuple[Edge, ...]
    removed: tuple[Edge, ...]


def normalised(fact: Sequence[str]) -> Edge:
    """A fact in lower case, with single spaces.

    >>> normalised(["  Cats ", "is  a", "Pets"])
    Edge(source='cats', relation='is a', target='pets')
    """
    source, relation, target = (" ".join(part.lower().split()) for part in fact)
    return Edge(source, relation, target)


def read(cell: str) -> tuple[tuple[Edge, ...], RuleText | None]:
    """The normalised facts of a bracketed string, or why it is none; an empty one has no facts.

    >>> read("(Cats; is a; pets) (pets; desires; food)")[0][1]
    Edge(source='pets', relation='desires', target='food')
    """
    text = cell.strip()
    if not text:
        return (), None
    if not (text.startswith("(") and text.endswith(")")):
        return (), said("EG-SYNTAX", where=f"it is {excerpt(text, 60)}")
    facts = []
    for number, part in enumerate(_BETWEEN.split(text[1:-1]), start=1):
        parts = part.split(";")
        if len(parts) != 3:
            return (), said("EG-SYNTAX", number, where=f"fact {number} has {len(parts)} parts")
        facts.append(normalised(parts))
    return tuple(facts), None


def check(form: GraphAnswers, item: Item,
          facts: Sequence[Edge]) -> tuple[list[RuleText], list[RuleText]]:
    """What the facts of a graph break, in the order of the specification; then what to look at."""
    texts = [item.texts[text.name] for text in form.texts]
    findings = findings_of_pieces(form.rules, form.texts, texts, facts)
    flaws = [flaw for flaw in (*findings.broken, *findings.strict) if flaw.rule != "EG-W-INSIDE"]
    flaws.sort(key=_place)
    inside = [RuleText(finding.rule, finding.detail, *finding.concepts)
              for finding in findings.strict if finding.rule == "EG-W-INSIDE"]
    return [_worded(form, facts, flaw) for flaw in flaws], inside


def diff(old: Sequence[Edge], new: Sequence[Edge]) -> FactDiff:
    """What a refined graph keeps, adds and removes; facts must be normalised."""
    before, after = set(old), set(new)
    return FactDiff(tuple(fact for fact in new if fact in before),
                    tuple(fact for fact in new if fact not in before),
                    tuple(fact for fact in old if fact not in after))


def _place(finding: Finding) -> tuple[int, int, int]:
    rule = lookup(finding.rule).id
    number = finding.edges[0] if finding.edges else _NEVER
    if rule in _ORDER:
        return 0, 0, _ORDER.index(rule)
    if rule in _OF_A_FACT:
        return 1, number, _OF_A_FACT.index(rule)
    return 2 + _AFTER.index(rule), number if rule == "EG-DUP" else 0, 0


def _worded(form: GraphAnswers, facts: Sequence[Edge], flaw: Finding) -> RuleText:
    """The sentence that annotators read of a finding."""
    rules = form.rules
    rule = lookup(flaw.rule).id
    if rule in (*_OF_A_FACT, "EG-DUP") and not flaw.edges:
        return RuleText(rule, flaw.detail)
    number = flaw.edges[0] + 1 if flaw.edges else 0
    if rule in _ORDER:
        return said(rule, n=len(facts), least=rules.least_edges, most=rules.most_edges)
    if rule in ("EG-EMPTY", "EG-CHAR"):
        return said(rule, number, i=number)
    if rule == "EG-LONG":
        concept = flaw.concepts[0]
        return said(rule, number, i=number, c=concept, n=len(concept.split(" ")),
                    most=rules.concept_words)
    if rule == "EG-REL":
        return said(rule, number, i=number, r=facts[number - 1].relation,
                    count=len(rules.relations))
    if rule == "EG-SELF":
        return said(rule, number, i=number, c=flaw.concepts[0])
    if rule == "EG-DUP":
        return said(rule, number, i=number, j=facts.index(facts[number - 1]) + 1)
    if rule == "EG-DISCONNECTED":
        groups = notation.components(facts)
        return said(rule, k=len(groups), parts=" / ".join(", ".join(row[:4]) for row in groups[:4]))
    if rule == "EG-CYCLE":
        members = notation.find_cycle(list(dict.fromkeys(facts)))
        more = " → ..." if len(members) > 12 else ""
        return said(rule, cycle=" → ".join(members[:12]) + more)
    text = next(text for text in form.texts if flaw.rule == f"EG-{text.name.upper()}-CONCEPTS")
    note = said(rule, len(flaw.concepts), n=len(flaw.concepts), text=text.name, least=text.concepts)
    return note._replace(rule=flaw.rule)


@cache
def _glosses() -> Mapping[str, Sequence[str]]:
    """How ``relations.tsv`` reads a relation, and its negation, by its name in lower case."""
    lines = Path(__file__).with_name("relations.tsv").read_text("utf-8").split("\n")
    return {name.lower(): words for name, *words in (line.split("\t") for line in lines if line)}


def gloss(relation: str) -> str:
    """What stands for a relation between two concepts in a sentence; empty if it is not known.

    Own words for the relations of ConceptNet (named in its ``conceptnet5/relations.py``), which
    those of ExplaGraphs are written-out forms of: ``IsA`` and ``is a`` are one.

    >>> gloss("IsA"), gloss("is a"), gloss("not has a"), gloss("NotDesires")
    ('is a kind of', 'is a kind of', 'does not have', 'does not want')
    >>> gloss("synonym of"), gloss("is not a"), gloss("likes")
    ('means the same as', 'is not a kind of', '')
    """
    key = "".join(relation.lower().replace("_", " ").split())
    key = {"synonymof": "synonym", "antonymof": "antonym", "isnota": "notisa"}.get(key, key)
    if key in _glosses():
        return _glosses()[key][0]
    negated = _glosses().get(key.removeprefix("not"))
    return negated[1] if negated and key.startswith("not") else ""


_BETWEEN = re.compile(r"\)\s*\(")
