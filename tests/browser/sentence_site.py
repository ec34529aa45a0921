"""A made board whose graphs connect given sentences by their ids; texts are long, steps many.
Beside it one whose relations are people's own words, with a graph of two hundred edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests import case_files
from tests.browser.tiny_site import PLAIN, ROOT, filled, score_all, write_lines, write_yaml

_WRITTEN = filled(case_files.expanded(case_files.read("proofs.yaml")))
SENTENCES: list[str] = _WRITTEN["sentences"]
LONG = SENTENCES[1]
GIVEN = " | ".join(f"s{number}: {text}" for number, text in enumerate(SENTENCES, 1))
EDGES = 200


def add_sentence_boards(folder: Path) -> None:
    """Add to a checkout the board ``proofs`` and one scored system, whose third graph has a cycle,
    and the board ``facts``."""
    rows = [(one["question"], one["claim"], GIVEN, one["gold"]) for one in _WRITTEN["proofs"]]
    _board(folder, "proofs", rows, ("question", "claim", "given"), {
        "relations": ["entails"], "nodes": "id", "acyclic": True, "connected": True})
    _board(folder, "facts", _WRITTEN["facts"], ("question",), {
        "relations": "any", "acyclic": False, "connected": False})
    place = folder / "submissions" / "proofs" / "fair-team" / "steps"
    place.mkdir(parents=True)
    write_yaml(place / "submission.yaml", PLAIN | {"system": "Steps", "team": "Fair team"})
    write_lines(place / "predictions.dev.tsv", [one["answer"] for one in _WRITTEN["proofs"]])
    score_all(folder)


def _board(folder: Path, name: str, rows: Sequence[Sequence[str]], texts: Sequence[str],
           graph: Mapping[str, Any]) -> None:
    """A board of graphs with these gold rows."""
    board = folder / "boards" / name
    (board / "data").mkdir(parents=True)
    practice = yaml.safe_load((ROOT / "boards/explagraphs-practice/board.yaml").read_text("utf-8"))
    write_yaml(board / "board.yaml", {
        **practice,
        "id": name, "title": name.capitalize(), "practice": False, "summary": "Made for tests.",
        "metrics": ["StCA", "G-ROUGE-L", "GED"], "ranking": ["G-ROUGE-L"],
        "splits": {"dev": {"file": "dev.tsv", "rows": len(rows), "gold": "public"}},
        "settings": {
            "texts": [{"name": text, "concepts": 0} for text in texts],
            "graph": {"least_edges": 1, **graph},
            "ged_constant": 20, "null": {"relation": "entails", "most": 4},
        },
    })
    write_lines(board / "data" / "dev.tsv", ["\t".join(row) for row in rows])
