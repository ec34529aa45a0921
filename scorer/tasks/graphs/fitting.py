"""What data say of a board of explanation graphs: whether there are labels, and which; relations.

Used by ``scorer board new``: the settings of a like board are changed only where the data do not
fit them. What looks like a typing error is not taken over, so that reading gold names its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from scorer.core.errors import counted
from scorer.core.graph import Graph
from scorer.tasks.base import Fitted
from scorer.tasks.graphs.graph_items import ANY, GraphRules, Labels, Settings

DEFAULT_NAME = "label"
"""Of the label column, where the like board has none."""


def fitted(settings: Settings, rows: Sequence[Sequence[str]]) -> Fitted[Settings]:
    """The settings with labels, relations and sizes of the data.

    Labels: the column after the texts, unless most of it is graphs. Both labels and relations stay
    those of the like board if they suffice.
    """
    width = len(settings.texts)
    rest = [row[width:] for row in rows if len(row) > width]
    if not rest:
        return Fitted(settings)
    labelled = sum(_is_graph(row[0]) for row in rest) * 2 < len(rest)
    labels, note = _labels(settings.labels, [row[0] for row in rest] if labelled else [])
    graphs = [edges for row in rest for text in row[labelled:]
              if (edges := Graph(text).edges)]
    relations = Counter(edge.relation for edges in graphs for edge in edges)
    sizes = [len(edges) for edges in graphs]
    rules, notes = _rules(settings.graph, relations, sizes)
    null = settings.null
    if not rules.knows(null.relation):
        null = replace(null, relation=max(relations, key=lambda name: (relations[name], name)))
    longest = max(sizes, default=0)
    return Fitted(replace(
        settings, labels=labels, graph=rules, null=null,
        # Nodes and edges of a chain of the longest graph, as for ExplaGraphs: 8 + 9.
        ged_constant=max(settings.ged_constant, 2 * longest + 1),
        most_graphs=max(settings.most_graphs, *(len(row) - labelled for row in rest)),
    ), (note, *notes))


def _is_graph(text: str) -> bool:
    return text.lstrip().startswith("(")


def _labels(known: Labels | None, values: Sequence[str]) -> tuple[Labels | None, str]:
    if not values:
        return None, "no labels"
    spelled = _commonest_spellings(values)
    if known is not None and spelled <= set(known.values):
        return known, f"labels {', '.join(known.values)}"
    counts = Counter(value for value in values if value in spelled)
    name = known.name if known is not None else DEFAULT_NAME
    counted_labels = ", ".join(f"{value} {counts[value]}" for value in counts)
    return Labels(name, tuple(counts)), f"labels {counted_labels}"


def _commonest_spellings(values: Iterable[str]) -> set[str]:
    """One spelling of each value: of those that differ by case or blanks alone, the commonest."""
    best: dict[str, str] = {}
    for value, _ in Counter(values).most_common():
        best.setdefault(value.strip().casefold(), value)
    return {value for folded, value in best.items() if folded}


def _rules(known: GraphRules, relations: Counter[str], sizes: Sequence[int],
           ) -> tuple[GraphRules, list[str]]:
    new = [name for name in relations if not known.knows(name)]
    notes = [f"{counted(len(relations), 'relation')}, all {'known' if known.relations else ANY}"]
    if new:
        names = tuple(sorted(relations))
        negated = tuple(name for name in names if name in known.negated or "not" in name.split())
        known = replace(known, relations=names, negated=negated)
        notes = [f"{counted(len(names), 'relation')}, {len(new)} of them new: "
                 f"{', '.join(sorted(new)[:10])}"]
        once = sorted(name for name in new if relations[name] == 1)
        if once and len(relations) > len(once):
            notes.append(f"seen once, so perhaps a typing error: {', '.join(once[:10])}")
    if not sizes:
        return known, notes
    least, most = min(sizes), max(sizes)
    notes.append(f"graphs of {least} to {counted(most, 'edge')}")
    return replace(known, least_edges=min(known.least_edges, least),
                   most_edges=_raised(known.most_edges, most),
                   strict_most_edges=_raised(known.strict_most_edges, most)), notes


def _raised(limit: int | None, most: int) -> int | None:
    """A limit that gold keeps."""
    return None if limit is None else max(limit, most)
