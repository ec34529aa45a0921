"""Graphs that annotators write or read: from a cell, against the constraints of the task, in words.

The verdicts are those of ``tasks/graphs/constraints.py``; here strict findings (a repeated fact, an
odd character) refuse too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import excerpt
from scorer.core.records import Edge, Finding
from scorer.core.rules import FACT_DETAILS, lookup
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
    broken, strict = findings_of_pieces(form.rules, form.texts, texts, facts, details=FACT_DETAILS)
    flaws = [flaw for flaw in (*broken, *strict) if flaw.rule != "EG-W-INSIDE"]
    inside = [RuleText(finding.rule, finding.detail, *finding.concepts)
              for finding in strict if finding.rule == "EG-W-INSIDE"]
    return [RuleText(flaw.rule, flaw.detail, _about(flaw))
            for flaw in sorted(flaws, key=_place)], inside


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


def _about(flaw: Finding) -> str:
    """The number of the fact at fault, or how many concepts are in a text with too few."""
    rule = lookup(flaw.rule).id
    if rule in (*_OF_A_FACT, "EG-DUP") and flaw.edges:
        return str(flaw.edges[0] + 1)
    return str(len(flaw.concepts)) if rule == "EG-TEXT-CONCEPTS" else ""


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
