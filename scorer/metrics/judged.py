"""SeCA and EA: does the graph make a judge model infer the gold label, and which edges do?

What the judges read, character by character, reproduces ``get_dfs_ordering`` and the texts of
github swarnaHub/ExplaGraphs, commit 67ecab1, metrics/create_ea_data.py and metrics/utils_seqa.py.

SeCA reproduces metrics/run_seca.py: the label with the greatest output, the first on ties.

EA reproduces create_ea_data.py and compute_ea.py. An edge is important if the probability of the
gold label is greater with the whole graph than without the edge. The released scripts compare
probabilities printed with 8 digits; here they are compared in float32, and a graph of very many
edges is not judged (the signature says both).

Both numbers are only as good as their judges, whose weights' digests stand in the signatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, cycle, islice
from typing import TYPE_CHECKING, Any

from scorer.core.graph import format_graph, to_networkx
from scorer.core.records import Edge, ItemScore, TextPair
from scorer.metrics.base import READ_AT_ONCE, RELEASED, SAHA, Arithmetic, MetricInfo, portions
from scorer.models.known import JUDGES, REFUSED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.known import Judge

Triple = tuple[str, str, str]
"""(source concept, relation, target concept)"""

# ---- what the judges read ------------------------------------------------------------------------


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
    def read(graph: str) -> TextPair:
        sentences = graph.replace("(", "").replace(";", "").replace(")", ". ")
        return TextPair(belief, f"{argument} {sentences}")

    graph = depth_first(edges)
    return read(graph), [read(graph.replace(f"({edge})", "")) for edge in _strings(graph)]


def _strings(graph: str) -> list[str]:
    """The edges of a bracketed graph as they stand there."""
    return graph[1:-1].split(")(")


class ScriptedJudge:
    """A judge that gives its answers one after another, whatever it is asked."""

    def __init__(self, labels: tuple[str, ...], answers: Sequence[Sequence[float]]) -> None:
        import numpy as np

        self.labels = labels
        self._answers = np.array(answers, np.float32)

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Its answers, as many as there are pairs."""
        return self._answers[: len(pairs)]


# ---- SeCA ----------------------------------------------------------------------------------------

SecaItem = tuple[str, Sequence[Triple], str]
"""(belief, edges of the graph, gold label)."""


def seca(items: Sequence[SecaItem], *, judge: Judge) -> list[ItemScore]:
    """1.0 where the judge infers the gold label from belief and graph, else 0.0.

    The probabilities of all labels stand beside, as ``p <label>``, rounded to 1e-6. An item that
    the judge refuses counts 0, flagged.
    """
    texts = [seca_texts(belief, edges) for belief, edges, _ in items]
    scores = []
    batches = portions(texts, lambda pair: len(pair.first) + len(pair.second), READ_AT_ONCE)
    answers = (row for batch in batches for row in judge.probabilities(batch))
    for (_, _, label), row in zip(items, answers, strict=True):
        inferred = judge.labels[int(row.argmax())]
        parts = {f"p {name}": round(float(p), 6) for name, p in zip(judge.labels, row, strict=True)}
        answered = bool(row.any())
        scores.append(ItemScore(float(answered and inferred == label), parts,
                                None if answered else REFUSED))
    return scores


SURE, UNSURE = (0.70, 0.20, 0.10), (0.30, 0.25, 0.45)
"""Two made answers of a judge, for the worked example: the probability of each of its labels."""


def _seca_judge(answer: Sequence[float]) -> Mapping[str, Any]:
    return {"judge": ScriptedJudge(JUDGES["seca"].labels, [answer])}


def explain_seca(items: Sequence[SecaItem], score: ItemScore, *, judge: Judge) -> Arithmetic:
    """A graph of which the judge is sure, and the same if it were not."""
    belief, edges, label = items[0]
    texts = seca_texts(belief, edges)
    [unsure] = seca(items[:1], **_seca_judge(UNSURE))
    steps = [f"the judge reads “{texts.first}” and “{texts.second}”"]
    for says, result, means in (("had it said", unsure, "would count"),
                                ("it says", score, "counts")):
        chances = {name: result.parts[f"p {name}"] for name in judge.labels}
        greatest = max(chances, key=lambda name: chances[name])
        shares = ", ".join(f"{name} {p:.2f}" for name, p in chances.items())
        is_gold = "the gold label" if greatest == label else f"not the gold label, {label}"
        steps.append(f"{says} {shares}: the greatest is that of {greatest}, {is_gold}, so the item "
                     f"{means} {result.value:g}")
    return Arithmetic(tuple(steps), score.value)


SECA = MetricInfo(
    "SeCA", "Semantic correctness accuracy of graphs", "higher",
    "Share of items whose structurally correct graph makes a judge model infer the gold label.",
    "1 if the judge (support, counter, incorrect) says the gold label, else 0. Mean over all "
    "items; items stopped at an earlier gate, or refused by the judge, count 0.",
    f"{RELEASED}, metrics/run_seca.py", SAHA,
    seca, signature=("order:depth-first",), judge="seca", binary=True, flagged="refused",
    explain=explain_seca, stand_in=lambda items: _seca_judge(SURE),
)

# ---- EA ------------------------------------------------------------------------------------------

NOISE = 1e-4
"""A smaller difference may be float noise; EA is also given without such edges."""

MOST_EDGES = 32
"""A graph of more edges counts 0: each edge costs a text as long as the graph. Four times the 8
that the paper allows; no graph of the released data, made wrong ones among them, has more than 9.
"""

TOO_MANY = f"more than {MOST_EDGES} edges, which are not judged"
UNJUDGED = ItemScore(0.0, {"decided": 0.0}, TOO_MANY)
"""The score of such a graph; with another flag, that of one of which the judge refuses a text."""

EaItem = tuple[str, str, Sequence[Triple], str]
"""(belief, argument, edges of the graph, gold label)."""


def ea(items: Sequence[EaItem], *, judge: Judge) -> list[ItemScore]:
    """The share of important edges of each graph, 0 to 1, higher is better.

    Parts: ``decided``, the share that are important by at least ``NOISE``; ``smallest difference``,
    the least absolute difference of any edge; and ``edge 1``, ``edge 2`` ..., for each edge in the
    order of the graph by how much the judge is less sure without it (negative: surer). An edge over
    the same concepts as a later one is not read and has none. Differences are rounded to 1e-9. An
    item needs at least one edge; one that is read in more than ``MOST_EDGES`` counts 0, flagged,
    and the judge is not asked; one of which it refuses a text counts 0, flagged, too.
    """
    scores = []
    for portion in portions(items, _characters, READ_AT_ONCE):
        texts = [*map(_texts, portion)]
        answers = iter(judge.probabilities([*chain.from_iterable(texts)]))
        for read, (_, _, edges, label) in zip(texts, portion, strict=True):
            rows = [*islice(answers, len(read))]
            if not rows:
                scores.append(UNJUDGED)
            elif all(row.any() for row in rows):
                column = judge.labels.index(label)
                scores.append(_of_edges(edges, [row[column] for row in rows]))
            else:
                scores.append(UNJUDGED._replace(flag=REFUSED))
    return scores


def _texts(item: EaItem) -> list[TextPair]:
    """What the judge is asked about a graph; nothing about one of too many edges."""
    if _read(item) > MOST_EDGES:
        return []
    whole, parts = ea_texts(*item[:3])
    return [whole, *parts]


def _of_edges(edges: Sequence[Triple], sure: Sequence[np.float32]) -> ItemScore:
    """The score of one graph from how sure the judge is: with all of it, and without each edge."""
    drops = [sure[0] - without for without in sure[1:]]
    read = dict(zip(_strings(depth_first(edges)), drops, strict=True))
    by_edge = {f"edge {number}": read.get(_strings(format_graph([Edge(*edge)]))[0])
               for number, edge in enumerate(edges, 1)}
    return ItemScore(
        sum(drop > 0 for drop in drops) / len(drops),
        {"decided": sum(drop >= NOISE for drop in drops) / len(drops),
         "smallest difference": round(float(min(abs(drop) for drop in drops)), 9),
         **{name: round(float(drop), 9) for name, drop in by_edge.items() if drop is not None}})


def _read(item: EaItem) -> int:
    """How many edges the judge reads."""
    return len({(source, target) for source, _, target in item[2]})


def _characters(item: EaItem) -> int:
    """About how much the judge reads: the whole graph, and that again without each edge."""
    belief, argument, edges, _ = item
    if _read(item) > MOST_EDGES:
        return 0
    whole = len(belief) + len(argument) + sum(map(len, chain.from_iterable(edges)))
    return (1 + _read(item)) * whole


WHOLE = 0.90
"""How sure of the gold label the judge of the worked example is with the whole graph."""
WITHOUT = (0.60, 0.75, 0.89995, 0.93)
"""And without the first, second, ... edge, which begins again after the last of these."""


def _ea_judge(items: Sequence[EaItem]) -> Mapping[str, Any]:
    """A judge that is so sure of the first item's gold label."""
    belief, argument, edges, label = items[0]
    _, parts = ea_texts(belief, argument, edges)
    labels = JUDGES["ea"].labels
    return {"judge": ScriptedJudge(labels, [
        [p if name == label else 1 - p for name in labels]
        for p in (WHOLE, *islice(cycle(WITHOUT), len(parts)))])}


def explain_ea(items: Sequence[EaItem], score: ItemScore, *, judge: Judge) -> Arithmetic:
    """A graph with edges that matter, one that matters too little to be sure, one that does not."""
    belief, argument, edges, label = items[0]
    whole, parts = ea_texts(belief, argument, edges)
    steps = [f"the judge reads “{belief}” and “{whole.second.strip()}”: {label} {WHOLE:.5f}"]
    important = decided = 0
    for edge, p in zip(_strings(depth_first(edges)), cycle(WITHOUT), strict=False):
        drop = WHOLE - p
        important += drop > 0
        decided += drop >= NOISE
        steps.append(f"without “{edge}”: {p:.5f}, {_verdict(drop)}")
    n = len(parts)
    steps += [f"decided = {decided} / {n} = {score.parts['decided']:.3f}",
              f"EA = {important} important edges / {n} edges = {score.value:.3f}"]
    return Arithmetic(tuple(steps), important / n)


def _verdict(drop: float) -> str:
    """What a drop says of the edge that was left out."""
    if drop <= 0:
        return f"a rise of {-drop:.5f}, so the edge is not important"
    if drop < NOISE:
        return (f"a drop of {drop:.5f}, so the edge is important, but not decided: less than "
                f"{NOISE:g} may be noise")
    return f"a drop of {drop:.5f}, so the edge is important"


EA = MetricInfo(
    "EA", "Edge importance accuracy", "higher",
    "Share of a graph's edges whose removal makes a judge model less sure of the gold label.",
    "Share of the edges of a structurally correct graph. Mean over all items; items stopped at "
    "an earlier gate count 0. Decided leaves out edges with a difference below 1e-4. A graph "
    "of more than 32 edges is not judged: it counts 0 and is flagged.",
    f"{RELEASED}, metrics/run_ea.py, create_ea_data.py and compute_ea.py", SAHA,
    ea, parts=("decided",), judge="ea", flagged="not judged", flags=(TOO_MANY,),
    signature=("order:depth-first", "compare:float32", "edges:32"), explain=explain_ea,
    stand_in=_ea_judge,
)
