"""What the two judge models read: graphs in depth-first order, as brackets and as sentences.

Reproduces ``get_dfs_ordering`` and the texts of github swarnaHub/ExplaGraphs, commit 67ecab1,
metrics/create_ea_data.py and metrics/utils_seqa.py, character by character.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.records import TextPair

Triple = tuple[str, str, str]
"""(source concept, relation, target concept)"""


def depth_first(edges: Sequence[Triple]) -> str:
    """The bracketed graph in depth-first order of its edges.

    Starts are the concepts without incoming edges, in order of appearance. Edges over the same
    ordered pair appear once, with the last relation. A graph without a start gives "".

    >>> depth_first([("b", "is a", "c"), ("a", "causes", "b"), ("a", "desires", "d")])
    '(a; causes; b)(b; is a; c)(a; desires; d)'
    """
    relations: dict[tuple[str, str], str] = {}
    targets: dict[str, list[str]] = {}
    for source, relation, target in edges:
        targets.setdefault(source, [])
        targets.setdefault(target, [])
        if (source, target) not in relations:
            targets[source].append(target)
        relations[source, target] = relation
    entered = {target for _, target in relations}
    order = _walk([concept for concept in targets if concept not in entered], targets)
    return "".join(f"({source}; {relations[source, target]}; {target})" for source, target in order)


def _walk(
    starts: Sequence[str], targets: dict[str, list[str]]
) -> list[tuple[str, str]]:
    """Every edge reachable from the starts once, depth first; no recursion."""
    seen: set[tuple[str, str]] = set()
    order = []
    waiting = {concept: iter(following) for concept, following in targets.items()}
    for start in starts:
        path = [start]
        while path:
            target = next(waiting[path[-1]], None)
            if target is None:
                path.pop()
            elif (path[-1], target) not in seen:
                seen.add((path[-1], target))
                order.append((path[-1], target))
                path.append(target)
    return order


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
        for edge in graph[1:-1].split(")(")
    ]
    return whole, without


def _sentences(graph: str) -> str:
    return graph.replace("(", "").replace(";", "").replace(")", ". ")
