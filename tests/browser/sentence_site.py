"""A made board whose graphs connect given sentences by their ids; texts are long, steps many.
Beside it one whose relations are people's own words, with a graph of two hundred edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.browser.tiny_site import (
    IMAGE,
    PLAIN,
    ROOT,
    score_all,
    write_lines,
    write_yaml,
)

LONG = "Lamps glow because " + "the current heats the wire and " * 12 + "the wire shines."
"""More characters than a list shows at once."""
SENTENCES = (
    "Electricity flows through wires", LONG, f"A wire {IMAGE} is thin", "Glass lets light through",
    "Some birds can swim", "A switch closes a circuit",
)
CHAIN = tuple(f"The lamp warms layer {number} of the air" for number in range(1, 16))
"""Conclusions of the longest proof: more than a list of texts shows at once."""


def listed(sentences: tuple[str, ...]) -> str:
    """The sentences with their ids, as an input column has them."""
    return " | ".join(f"s{number}: {text}" for number, text in enumerate(sentences, 1))


def proof(*steps: tuple[str, str]) -> str:
    """A graph of ``(from, to)``."""
    return "".join(f"({source}; entails; {target})" for source, target in steps)


def steps(last: int) -> str:
    """A proof that goes from s1 through so many conclusions."""
    names = ["s1", *(f"i{number}: {CHAIN[number - 1]}" for number in range(1, last + 1)), "claim"]
    ends = [name.partition(":")[0] for name in names]
    return proof(*zip(ends, names[1:], strict=False))


ROWS = (
    ("Why does the lamp glow?", "The lamp glows because of the wire", listed(SENTENCES),
     proof(("s1", "i1: The wire becomes hot"), ("s6", "i1"), ("s2", "claim"), ("i1", "claim"))),
    ("Why is the air warm?", "The lamp warms the air", listed(SENTENCES), steps(len(CHAIN))),
    ("Why can we see it?", "Light leaves the lamp", listed(SENTENCES),
     proof(("s3", "claim"), ("s4", "claim"))),
)
"""Question, claim, sentences, gold graph."""
ANSWERS = (
    proof(("s1", "i1: Heat comes from the current"), ("s5", "i1"), ("s2", "claim"),
          ("i1", "claim")),
    steps(3), proof(("s4", "claim"), ("claim", "s4")),
)

EDGES = 200
OWN_WORDS = "is said " + "by those who ought to know it " * 10 + "to bring"
"""A relation of more than three hundred characters."""
FACTS = (
    ("Why is it so?", "".join(f"(fact {n}; leads to; fact {n + 1})" for n in range(EDGES))),
    ("Why is it not?", f"(rain; {OWN_WORDS}; wet streets)(wet streets; lead to; wet shoes)"),
)


def add_sentence_boards(folder: Path) -> None:
    """Add to a checkout the board ``proofs`` and one scored system, whose third graph has a cycle,
    and the board ``facts``."""
    _board(folder, "proofs", ROWS, ("question", "claim", "given"), {
        "relations": ["entails"], "nodes": "id", "acyclic": True, "connected": True})
    _board(folder, "facts", FACTS, ("question",), {
        "relations": "any", "acyclic": False, "connected": False})
    place = folder / "submissions" / "proofs" / "fair-team" / "steps"
    place.mkdir(parents=True)
    write_yaml(place / "submission.yaml", PLAIN | {"system": "Steps", "team": "Fair team"})
    write_lines(place / "predictions.dev.tsv", ANSWERS)
    score_all(folder)


def _board(folder: Path, name: str, rows: Sequence[tuple[str, ...]], texts: Sequence[str],
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
