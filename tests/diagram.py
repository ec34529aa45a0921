"""The rooms of the code as a picture: a part of ``docs/architecture.md``, written by ``make docs``.

``python -m tests.diagram`` draws the rooms of ``test_architecture.MAP``, one node each, with
an arrow for every import that does not follow from others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import networkx

from tests.test_architecture import MAP

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- made: rooms -->\n", "<!-- end -->\n"

FLOORS = {
    "Program": "cli commands api documents",
    "Publishing": "site pipeline lab",
    "Scoring": "people scoring",
    "Boards": "boards",
    "Tasks and metrics": "tasks metrics statistics models",
    "Values and reading": "core",
}
"""The rooms, from what people call down to what everything uses."""
DOORS = "_version __init__ __main__"
"""Modules that are no room: the version, and what only leads to others."""


def rooms() -> networkx.DiGraph[str]:
    """Every room with arrows to the rooms that it imports."""
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    left_out = set(DOORS.split())
    for room in MAP.keys() - left_out:
        graph.add_node(room)
        graph.add_edges_from((room, below) for below in MAP[room].split())
    return graph


def drawn() -> str:
    """The picture, in Mermaid's words."""
    return "".join(f"{line}\n" for line in ["```mermaid", "flowchart TD", *_lines(), "```"])


def _lines() -> Iterator[str]:
    for number, (title, names) in enumerate(FLOORS.items()):
        yield f'  subgraph floor{number}["{title}"]'
        yield from (f"    {name}" for name in names.split())
        yield "  end"
    yield from (f"  {one} --> {other}"
                for one, other in sorted(networkx.transitive_reduction(rooms()).edges))


def rendered() -> str:
    """The page with the picture as the map has it now."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return before + BEGIN + drawn() + END + rest.partition(END)[2]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(rendered() != PAGE.read_text("utf-8"))
    PAGE.write_text(rendered(), "utf-8")
