"""What the checker page knows of aNLI and aNLG. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.board import Board
from scorer.rules import CATALOGUE
from scorer.tasks import anlg, anli
from scorer.website.browsing.checked import Checked
from scorer.wording import GENERATION


def label_facts(board: Board) -> Mapping[str, Any]:
    """The labels, what is often written in their place, and what an id is called."""
    return {"key": anli.KEY, "labels": list(anli.LABELS), "listed": anli.LISTED,
            "numbers": list(anli.NUMBERS)}


def text_facts(board: Board) -> Mapping[str, Any]:
    """How long a text may be, what ids are called, and what a line of official JSON is."""
    return {"key": anlg.KEY, "context": anlg.CONTEXT, "letters": anlg.MOST_LETTERS,
            "words": anlg.MOST_WORDS, "lines_a_context": anlg.LINES_A_CONTEXT,
            "levels": anlg.MOST_LEVELS, "generation": GENERATION}


def rules(board: Board) -> Sequence[str]:
    """The rules of both."""
    return [rule for rule in CATALOGUE if rule.startswith("ART-")]


LABELS = Checked(label_facts, rules, ("accuracy",), lambda gold: gold.label)
TEXTS = Checked(text_facts, rules, (), lambda gold: None)
