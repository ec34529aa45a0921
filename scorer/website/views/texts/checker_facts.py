"""What the checker page knows of aNLG. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorer.board import Board
from scorer.messages import GENERATION
from scorer.tasks.anlg import task as anlg
from scorer.website.browsing.checked import Checked, art_rules


def facts(board: Board) -> Mapping[str, Any]:
    """How long a text may be, what ids are called, and what a line of official JSON is."""
    return {"key": anlg.KEY, "context": anlg.CONTEXT, "letters": anlg.MOST_LETTERS,
            "words": anlg.MOST_WORDS, "lines_a_context": anlg.LINES_A_CONTEXT,
            "levels": anlg.MOST_LEVELS, "generation": GENERATION}


CHECKED = Checked("texts", facts, art_rules, (), lambda gold: None)
