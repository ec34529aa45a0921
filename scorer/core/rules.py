"""The catalogue of rule ids, and every sentence about a fault of a predictions file as a template.

``rules.tsv`` says of each rule what it means, what to do, and what it does to a submission. The
templates of ``messages.json`` serve this program and the checker page, which fills them in the
browser (``site/browsing/checker.py``): ``{name}`` stands for a value that the caller made into
text; nothing else has a meaning. A name after a rule's id tells apart what the rule may say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Rule(NamedTuple):
    """One rule, a row of ``rules.tsv``."""

    id: str
    effect: str
    """``rejects`` the file; ``scores``: the item is structurally incorrect; ``strict``: a finding
    beside the score; ``note``: shown to the submitter, changes nothing."""
    text: str
    """What it means, in one sentence."""
    advice: str
    """What to do about it."""

    @property
    def page(self) -> str:
        """Where the site explains it, relative to its root."""
        return f"submit/rules/#{self.id.lower()}"


_TABLE = Path(__file__).with_name("rules.tsv").read_text("utf-8").removesuffix("\n").split("\n")
CATALOGUE = {rule.id: rule for rule in (Rule(*line.split("\t")) for line in _TABLE[1:])}
"""Every rule by its id."""


def text_rule(text: str) -> str:
    """The id of the concept rule for one input text.

    >>> text_rule("belief")
    'EG-BELIEF-CONCEPTS'
    """
    return f"EG-{text.upper()}-CONCEPTS"


def lookup(rule_id: str) -> Rule:
    """The rule with this id; the ids made by ``text_rule`` share one entry.

    >>> lookup("EG-ARGUMENT-CONCEPTS").id
    'EG-TEXT-CONCEPTS'
    """
    if rule_id not in CATALOGUE and rule_id.startswith("EG-") and rule_id.endswith("-CONCEPTS"):
        return CATALOGUE["EG-TEXT-CONCEPTS"]
    return CATALOGUE[rule_id]


class Fault(NamedTuple):
    """What a rule found, and what it expected."""

    found: str
    expected: str


_TABLES = json.loads(Path(__file__).with_name("messages.json").read_bytes())

PROBLEM = "{path}:{line}:{column} {rule} {found}; expected {expected}; {advice}"
"""One fault on one line."""
FAULTS: Mapping[str, Fault] = {name: Fault(*words) for name, words in _TABLES["faults"].items()}
HINTS: Mapping[str, str] = _TABLES["hints"]
"""What to do where more can be said than the rule's own advice."""
DETAILS: Mapping[str, str] = _TABLES["details"]
"""One sentence for each finding in a graph or text; of some rules, several."""
FACT_DETAILS = {key: text.replace("Edge", "Fact").replace("edge", "fact")
                for key, text in DETAILS.items() if key.startswith("EG-") or key == "more"}
"""The same of graphs, for annotators: they call an edge a fact."""
SYNTAX: Mapping[str, str] = _TABLES["syntax"]
"""How a string departs from the exact form of a graph."""
GENERATION = '"obs1", "obs2" and "generations": {"model": ["one text"]}'
"""What a line of official JSON must hold; no template, for it has braces of its own."""
