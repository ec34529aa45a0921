"""The counts baseline: what a judge is worth that counts, and never reads.

Structural counts of a graph and of its belief, in boosted trees. No concept's meaning reaches it,
so a judge that reads has to beat it: one that does not may as well have counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.core.errors import NotMeasured
from scorer.core.graph import Graph, components, concepts
from scorer.core.records import Edge, TextPair
from scorer.lab.training.edits import NEGATIONS, OPPOSITE, words_of
from scorer.lab.training.examples import GOLD, NATURAL, RELATIONS, SECA, Example

if TYPE_CHECKING:
    from numpy.typing import NDArray


def negated(relation: str) -> bool:
    """Whether a relation says that something is not so."""
    return relation.startswith("not ") or relation in ("is not a", "antonym of")


def counts(pair: TextPair) -> dict[str, float]:
    """The counts of a belief and its bracketed graph, by name; no word but negations is read."""
    belief, edges = pair.first, Graph(pair.second).edges
    nodes, inside = concepts(edges), [c for c in concepts(edges) if c in belief]
    return {
        **_shape(edges, nodes), **_overlap(belief, edges, nodes, inside),
        **_words(belief, nodes), **_parities(belief, edges, inside),
    }


def _shape(edges: Sequence[Edge], nodes: Sequence[str]) -> dict[str, float]:
    out, into = Counter(e.source for e in edges), Counter(e.target for e in edges)
    deep = max((len(path) for path in _paths(edges)), default=0)
    tally = Counter(edge.relation for edge in edges)
    return {
        "edges": len(edges), "nodes": len(nodes), "depth": deep,
        "depth share": deep / max(1, len(edges)),
        "roots": sum(node not in into for node in nodes),
        "leaves": sum(node not in out for node in nodes),
        "most out": max(out.values(), default=0), "most in": max(into.values(), default=0),
        "joins": sum(n > 1 for n in into.values()), "forks": sum(n > 1 for n in out.values()),
        "extra edges": len(edges) - len(nodes) + 1, "parts": len(components(edges)),
        **{f"relation {name}": tally[name] for name in RELATIONS},
        "different relations": len(tally),
        "most of one relation": max(tally.values(), default=0),
    }


def _overlap(belief: str, edges: Sequence[Edge], nodes: Sequence[str],
             inside: Sequence[str]) -> dict[str, float]:
    within = set(inside)
    of_belief, of_graph = set(words_of(belief)), words_of(" ".join(nodes))
    shared = of_belief & set(of_graph)
    into, out = {e.target for e in edges}, {e.source for e in edges}
    ends = [(e.source in within) + (e.target in within) for e in edges]
    indices = [index for index, node in enumerate(nodes) if node in within]
    return {
        "inside": len(inside), "inside share": len(inside) / max(1, len(nodes)),
        "inside characters": sum(map(len, inside)) / max(1, len(belief)),
        "shared words": len(shared), "belief covered": len(shared) / max(1, len(of_belief)),
        "graph words shared": sum(w in of_belief for w in of_graph) / max(1, len(of_graph)),
        "edges inside": sum(n == 2 for n in ends), "edges touching": sum(n > 0 for n in ends),
        "roots inside": sum(node not in into for node in inside),
        "leaves inside": sum(node not in out for node in inside),
        "first inside": min(indices, default=-1), "last inside": max(indices, default=-1),
        "first edge ends inside": ends[0] if ends else 0,
        "last edge ends inside": ends[-1] if ends else 0,
        "nodes sharing a word": sum(
            bool(of_belief & set(words_of(n))) and n not in within for n in nodes),
    }


def _words(belief: str, nodes: Sequence[str]) -> dict[str, float]:
    words, own = [words_of(node) for node in nodes], words_of(belief)
    every = [word for group in words for word in group]
    lengths = [len(group) for group in words] or [0]
    return {
        "belief words": len(own), "belief characters": len(belief),
        "graph words": len(every), "graph characters": sum(map(len, every)),
        "mean concept": float(np.mean(lengths)), "longest concept": max(lengths),
        "one-word concepts": sum(n == 1 for n in lengths),
        "word length": sum(map(len, every)) / max(1, len(every)),
        "different words": len(set(every)) / max(1, len(every)),
        "negations in belief": sum(word in NEGATIONS for word in own),
        "negations in graph": sum(word in NEGATIONS for word in every),
    }


def _parities(belief: str, edges: Sequence[Edge], inside: Sequence[str]) -> dict[str, float]:
    flips = [negated(edge.relation) for edge in edges]
    words = sum(word in NEGATIONS for word in words_of(belief))
    paths = _paths(edges)
    longest = max(paths, key=len, default=())
    along = sum(negated(edge.relation) for edge in longest)
    within = set(inside)
    between = [sum(negated(e.relation) for e in path) for path in paths
               if path[0].source in within and path[-1].target in within]
    return {
        "negated": sum(flips), "negated share": sum(flips) / max(1, len(flips)),
        "parity": sum(flips) % 2, "parity with belief": (sum(flips) + words) % 2,
        "negated along": along, "parity along": along % 2,
        "parity along with belief": (along + words) % 2,
        "first negated": flips[0] if flips else 0, "last negated": flips[-1] if flips else 0,
        "last negated with belief": (flips[-1] + words) % 2 if flips else words % 2,
        "paths inside": len(between), "parity inside": sum(n % 2 for n in between),
        "last relation": RELATIONS.index(edges[-1].relation)
        if edges and edges[-1].relation in OPPOSITE else -1,
        "first relation": RELATIONS.index(edges[0].relation)
        if edges and edges[0].relation in OPPOSITE else -1,
    }


MOST_PATHS = 64


class CountsJudge:
    """A SeCA judge that reads nothing: boosted trees on the counts."""

    labels: tuple[str, ...] = SECA

    def __init__(self, models: Sequence[Any], shift: float = 0.0) -> None:
        """``shift`` is added to the logit of incorrect."""
        self.models, self.shift = models, shift

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Shape (pairs, 3)."""
        if not pairs:
            return np.zeros((0, len(self.labels)), np.float32)
        features, rows = table(pairs), np.zeros((len(pairs), len(self.labels)))
        with one_thread():
            for model in self.models:
                rows[:, model.classes_] += model.predict_proba(features) / len(self.models)
        rows = rows * np.exp([0.0, 0.0, self.shift])
        shares: NDArray[np.float32] = (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)
        return shares


SETTINGS = {"max_iter": 100, "learning_rate": 0.05, "max_leaf_nodes": 16, "max_features": 0.2,
            "min_samples_leaf": 20, "l2_regularization": 5.0, "early_stopping": False}
"""Of scikit-learn's HistGradientBoostingClassifier. Settings like these had some of the best AUCs
within stance of 23 that were tried: .711 to .713, the best .716; by cross-validation on the
training part, folds by belief."""
SEEDS = (0, 1, 2)
"""One model each; their probabilities are averaged."""


def fit(examples: Sequence[Example], **settings: Any) -> CountsJudge:
    """The baseline of some examples: their gold graphs against the rejected ones.

    ``settings`` replace some of ``SETTINGS``. The same bytes in give the same numbers out, whatever
    the number of threads. Raises NotMeasured without scikit-learn.
    """
    make = trees()
    known = [example for example in examples if example.kind in (GOLD, NATURAL)]
    rows = table([example.pair for example in known])
    labels = [SECA.index(item.stance) if item.kind == GOLD else len(SECA) - 1 for item in known]
    with one_thread():
        return CountsJudge([
            make(random_state=seed, **(SETTINGS | settings)).fit(rows, labels)
            for seed in SEEDS])


def trees() -> Any:
    """scikit-learn's boosted trees. Raises NotMeasured without it."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as missing:
        raise NotMeasured("the counts baseline needs scikit-learn: "
                          "pip install 'whyboard[baselines]'") from missing
    return HistGradientBoostingClassifier


def described() -> dict[str, Any]:
    """The baseline as a card keeps it."""
    return {"features": len(counts(TextPair("", ""))), "settings": SETTINGS, "seeds": list(SEEDS),
            "scikit-learn": version("scikit-learn")}


def one_thread() -> Any:
    """A context in which OpenMP uses one thread: sums over threads differ in the last digits."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def table(pairs: Sequence[TextPair]) -> NDArray[np.float64]:
    """The counts of each pair, shape (pairs, features)."""
    return np.array([_row(pair) for pair in pairs])


@lru_cache(maxsize=2**16)
def _row(pair: TextPair) -> tuple[float, ...]:
    return tuple(counts(pair).values())


def _paths(edges: Sequence[Edge]) -> list[tuple[Edge, ...]]:
    """Paths from concepts without incoming edges to those without outgoing ones, at most 64."""
    after: dict[str, list[Edge]] = {}
    for edge in edges:
        after.setdefault(edge.source, []).append(edge)
    into = {edge.target for edge in edges}
    paths: list[tuple[Edge, ...]] = []
    waiting: list[tuple[Edge, ...]] = []
    waiting += [(edge,) for edge in reversed(edges) if edge.source not in into]
    while waiting and len(paths) < MOST_PATHS:
        path = waiting.pop()
        seen = {path[0].source, *(edge.target for edge in path)}
        ahead = [edge for edge in after.get(path[-1].target, []) if edge.target not in seen]
        if ahead:
            waiting += [(*path, edge) for edge in reversed(ahead)]
        else:
            paths.append(path)
    return paths
