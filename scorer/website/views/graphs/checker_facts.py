"""What the checker page knows of explanation graphs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scorer.board import Board
from scorer.messages import SYNTAX
from scorer.rules import CATALOGUE, text_rule
from scorer.tasks.graphs.constraints import MOST_CULPRITS, MOST_OF_A_RULE, MOST_SYNTAX
from scorer.tasks.graphs.task import listed
from scorer.website.browsing.checked import Checked


def facts(board: Board) -> Mapping[str, Any]:
    """Texts, labels (None without), constraints, and how much of a graph is told."""
    settings = board.settings
    rules = settings.graph
    return {
        "texts": [asdict(text) for text in settings.texts],
        "labels": settings.labels and {
            "name": settings.labels.name, "values": list(settings.labels.values),
            "listed": listed(settings.labels)},
        "graph": {
            "relations": list(rules.relations), "acyclic": rules.acyclic,
            "connected": rules.connected, "concept_words": rules.concept_words,
            "least_edges": rules.least_edges, "most_edges": rules.most_edges,
            "strict_most_edges": rules.strict_most_edges},
        "limits": {"of_a_rule": MOST_OF_A_RULE, "culprits": MOST_CULPRITS, "syntax": MOST_SYNTAX},
        "syntax": SYNTAX,
    }


def rules(board: Board) -> Sequence[str]:
    """The rules of graphs; each text of the board has its own."""
    return [*(rule for rule in CATALOGUE if rule.startswith("EG-")),
            *(text_rule(text.name) for text in board.settings.texts)]


CHECKED = Checked("graphs", facts, rules, ("SA", "StCA"), lambda gold: gold.label)
