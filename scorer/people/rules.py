"""Every rule about annotators' files: its id, its sentence, and whether it refuses.

There is one wording for the command, pull requests and pages: ``rules.tsv``, where ``{name}``
stands for a value, and a word after a rule's id tells apart what the rule may say. The constraints
of graphs and their sentences are those of ``tasks/graphs``, of facts, as annotators call edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import Problem, printable

MOST_BYTES = 1_000_000
"""Bytes of an annotator's file."""
_FILE = Path(__file__).with_name("rules.tsv")
TEXTS: Mapping[str, str] = dict(line.split("\t") for line in _FILE.read_text("utf-8").splitlines())
"""What each rule says."""
WARNINGS = frozenset({"ANN-ITEM-MISSING", "TSV-BOM"})
"""Rules that refuse nothing, beside those with -W- in their ids."""


def warns(rule: str) -> bool:
    """Whether a rule is reported and refuses nothing.

    >>> warns("CSK-W-Q4-POS"), warns("ANN-ITEM-MISSING"), warns("EG-CYCLE")
    (True, True, False)
    """
    return "-W-" in rule or rule in WARNINGS


class RuleText(NamedTuple):
    """A rule that answers break, in words, before anybody knows where."""

    rule: str
    text: str
    about: str = ""
    """What of the answers breaks it: a question, a triplet, a fact's number or a count."""


def said(which: str, about: object = "", **values: object) -> RuleText:
    """What a rule says of some values; ``which``: its id, and perhaps a word of TEXTS.

    >>> said("CSK-VALUE", "q4", q="q4", v="5", allowed="1, 2, 3, x")
    RuleText(rule='CSK-VALUE', text='q4: "5" is not one of 1, 2, 3, x.', about='q4')
    """
    return RuleText(which.partition(" ")[0], TEXTS[which].format_map(values), str(about))


class RuleFault(Problem):
    """A rule that a line of a file breaks; ``found`` is the whole sentence."""

    def __str__(self) -> str:
        line = f"{self.path}:{self.line}: {self.rule} {self.found}"
        return printable(line).replace("\n", r"\n")

    @property
    def warns(self) -> bool:
        """Whether it refuses nothing."""
        return warns(self.rule)


def of_reading(problem: Problem) -> RuleText:
    """A fault of characters, which reading tells in its own words, as one sentence."""
    return RuleText(problem.rule, f"{problem.found}; expected {problem.expected}; "
                    f"{problem.advice}.")
