"""A made board whose graphs connect given sentences by their ids; texts are long, steps many.
Beside it one whose relations are people's own words, with a graph of two hundred edges.
"""

from __future__ import annotations

from pathlib import Path

from tests import case_files
from tests.browser.tiny_site import PLAIN, add_board, add_submission, filled, score_all

_WRITTEN = filled(case_files.expanded(case_files.read("proofs.yaml")))
SENTENCES: list[str] = _WRITTEN["sentences"]
LONG = SENTENCES[1]
GIVEN = " | ".join(f"s{number}: {text}" for number, text in enumerate(SENTENCES, 1))
EDGES = 200


def add_sentence_boards(folder: Path) -> None:
    """Add to a checkout the board ``proofs`` and one scored system, whose third graph has a cycle,
    and the board ``facts``."""
    rows = [(one["question"], one["claim"], GIVEN, one["gold"]) for one in _WRITTEN["proofs"]]
    for name, gold, texts, graph in (
            ("proofs", rows, ("question", "claim", "given"),
             {"relations": ["entails"], "nodes": "id", "acyclic": True, "connected": True}),
            ("facts", _WRITTEN["facts"], ("question",),
             {"relations": "any", "acyclic": False, "connected": False})):
        add_board(folder, name, gold, metrics=["StCA", "G-ROUGE-L", "GED"], ranking=["G-ROUGE-L"],
                  settings={"texts": [{"name": text, "concepts": 0} for text in texts],
                            "graph": {"least_edges": 1, **graph}, "ged_constant": 20,
                            "null": {"relation": "entails", "most": 4}})
    add_submission(folder, "proofs", "fair-team", "steps",
                   PLAIN | {"system": "Steps", "team": "Fair team"},
                   [one["answer"] for one in _WRITTEN["proofs"]])
    score_all(folder)
