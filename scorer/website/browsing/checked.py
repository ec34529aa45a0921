"""What the checker page must know of one kind of task, beside what it knows of every board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.board import Board
from scorer.rules import CATALOGUE


@dataclass(frozen=True)
class Checked:
    """One kind of task."""

    script: str
    """Its procedure, ``check/<script>.js`` beside the view."""
    facts: Callable[[Board], Mapping[str, Any]]
    """Numbers and names that its procedure goes by, ready for JSON."""
    rules: Callable[[Board], Sequence[str]]
    """Ids of its own rules that predictions may break."""
    measured: tuple[str, ...]
    """Metrics that the page can count against public gold: no model, no references."""
    label: Callable[[Any], str | None]
    """``(gold)`` -> the label of an item; None of tasks and boards that have none."""


def art_rules(board: Board) -> Sequence[str]:
    """The rules of both tasks of ART."""
    return [rule for rule in CATALOGUE if rule.startswith("ART-")]
