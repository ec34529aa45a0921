"""What the two judge models read: graphs in depth-first order, as brackets and as sentences.

Reproduces ``get_dfs_ordering`` and the texts of github swarnaHub/ExplaGraphs, commit 67ecab1,
metrics/create_ea_data.py and metrics/utils_seqa.py, character by character.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.graph import format_graph, to_networkx
from scorer.core.records import Edge, TextPair

Triple = tuple[str, str, str]
"""(source concept, relation, target concept)"""


def depth_first(edges: Sequence[Triple]) -> str:
    """The bracketed graph in depth-first order of its edges.

    Starts are the concepts without incoming edges, in order of appearance. Edges over the same
    ordered pair appear once, with the last relation. A graph without a start gives "".

    >>> depth_first([("b", "is a", "c"), ("a", "causes", "b"), ("a", "desires", "d")])
    '(a; causes; b)(b; is a; c)(a; desires; d)'
    """
    import networkx as nx  # here, because the catalogue of metrics does without

    graph = to_networkx(Edge(*edge) for edge in edges)
    starts = [concept for concept, degree in graph.in_degree() if degree == 0]
    order = nx.edge_dfs(graph, source=starts)
    return format_graph(Edge(a, graph.edges[a, b]["relation"], b) for a, b in order)


def seca_texts(belief: str, edges: Sequence[Triple]) -> TextPair:
    """What the SeCA judge reads: the lower-cased belief, and the bracketed graph."""
    return TextPair(belief.lower(), depth_first(edges))


def ea_texts(
    belief: str, argument: str, edges: Sequence[Triple]
) -> tuple[TextPair, list[TextPair]]:
    """What the EA judge reads: with the whole graph, and once without each edge.

    ``belief`` and ``argument`` as in the gold file, not lower-cased.

    >>> whole, parts = ea_texts("B", "A.", [("x", "is a", "y"), ("y", "causes", "z")])
    >>> whole.second, [part.second for part in parts]
    ('A. x is a y. y causes z. ', ['A. y causes z. ', 'A. x is a y. '])
    """
    graph = depth_first(edges)
    whole = TextPair(belief, f"{argument} {_sentences(graph)}")
    without = [
        TextPair(belief, f"{argument} {_sentences(graph.replace(f'({edge})', ''))}")
        for edge in _strings(graph)
    ]
    return whole, without


def places_in_text(edges: Sequence[Triple]) -> list[int | None]:
    """For each edge, which one of ``ea_texts`` is without it; None for one that no text has.

    >>> places_in_text([("b", "is a", "c"), ("a", "causes", "b"), ("a", "desires", "b")])
    [1, None, 0]
    """
    read = {edge: index for index, edge in enumerate(_strings(depth_first(edges)))}
    return [read.get(_strings(format_graph([Edge(*edge)]))[0]) for edge in edges]


def _strings(graph: str) -> list[str]:
    """The edges of a bracketed graph as they stand there."""
    return graph[1:-1].split(")(")


def _sentences(graph: str) -> str:
    return graph.replace("(", "").replace(";", "").replace(")", ". ")
