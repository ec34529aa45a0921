"""What the checker page knows of aNLI. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorer.board import Board
from scorer.tasks.anli.records import LABELS
from scorer.tasks.anli.task import KEY, LISTED, NUMBERS
from scorer.website.browsing.checked import Checked, art_rules


def facts(board: Board) -> Mapping[str, Any]:
    """The labels, what is often written in their place, and what an id is called."""
    return {"key": KEY, "labels": list(LABELS), "listed": LISTED, "numbers": list(NUMBERS)}


CHECKED = Checked("labels", facts, art_rules, ("accuracy",), lambda gold: gold.label)
