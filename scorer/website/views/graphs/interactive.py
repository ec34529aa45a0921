"""The interactive graph: pyvis as the model, our own JSON out.

``Network.get_network_data`` gives nodes and edges; the page draws them with the vis-network file
that comes with pyvis, loaded only when a reader asks for it. pyvis' own HTML is never used: it
loads from other hosts and does not escape everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer.records import Edge
from scorer.website.text import shown
from scorer.website.views.graphs.geometry import Layout
from scorer.website.views.graphs.routing import label_of


def network(
    layout: Layout, edges: Sequence[Edge], kinds: Mapping[str, str], statuses: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Nodes and edges for vis-network, at the places of the drawing; ``texts`` of concepts
    that are ids are shown beside the pointer.

    Nodes are numbered, so that no text of a submission is ever an id.
    """
    from pyvis.network import Network  # slow: imports IPython

    net = Network(directed=True)
    net.set_options("{}")  # the page has its own; writing pyvis' defaults takes half the time
    numbers: dict[str, int] = {}
    for concept in dict.fromkeys(c for edge in edges for c in (edge.source, edge.target)):
        box = layout.boxes[concept]
        numbers[concept] = len(numbers)
        label = "\n".join(shown(line) for line in box.lines)
        told = {"title": shown(texts[concept], 400)} if texts and concept in texts else {}
        net.add_node(numbers[concept], label=label or " ", shape="box", group=kinds[concept],
                     x=round(box.x * 1.15), y=round(box.y * 1.15), **told)
    for place, edge in enumerate(edges):
        status = statuses[place] if statuses else "gold"
        net.add_edge(numbers[edge.source], numbers[edge.target],
                     label=label_of(edge.relation) or " ", status=status)
    nodes, links, *_ = net.get_network_data()
    return {"nodes": nodes, "edges": links}


def script() -> Path:
    """The vis-network file of the installed pyvis."""
    import pyvis

    found = sorted(Path(pyvis.__file__).parent.glob("lib/vis-*/vis-network.min.js"))
    return found[-1]
