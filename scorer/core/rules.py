"""The catalogue of rule ids: what each means, what to do, and what it does to a submission."""

from __future__ import annotations

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
