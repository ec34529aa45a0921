"""Entailment trees: the steps of a graph, the leaves below each, and which steps of two trees meet.

An edge leads from a premise to a conclusion, and the edges into one conclusion are a step. Leaves
are the premises that are given. Reproduces ``parse_entailment_step_proof``,
``align_conclusions_across_proofs`` and ``score_sentence_overlaps`` of the released evaluator
(github allenai/entailment_bank, commit daac2fd, utils/proof_utils.py); B. Dalvi et al., "Explaining
Answers with Entailment Trees", EMNLP 2021, section 5.

Deviations: the order of edges changes nothing of a prediction. There a conclusion used before its
step has no leaves, and steps to one conclusion are several; here they are one step. No prediction
that was released differs by that (tests/entailment_evaluator.py compares).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scorer.core.records import Edge, ItemScore
from scorer.metrics.base import MetricInfo
from scorer.metrics.matching import PRF, prf
from scorer.metrics.worked import Arithmetic, checked

ENTAILMENT_BANK = "github allenai/entailment_bank, commit daac2fd"
DALVI = ("Dalvi, Jansen, Tafjord, Xie, Smith, Pipatanangkura and Clark: Explaining Answers with "
         "Entailment Trees. EMNLP 2021")

Pair = tuple[Sequence[Edge], Sequence[Sequence[Edge]]]
"""(predicted edges, the edges of each gold graph)."""
Step = tuple[str, tuple[str, ...]]
"""(conclusion, its premises in alphabetical order)."""


@dataclass(frozen=True)
class Tree:
    """A graph as steps of entailment."""

    premises: Mapping[str, tuple[str, ...]]
    """The premises of each conclusion, as written; conclusions in order of first appearance."""
    leaves: frozenset[str]
    """Its premises that are given."""

    def steps(self, names: Mapping[str, str] | None = None) -> list[Step]:
        """Its steps, with other ``names`` for some of its conclusions."""
        names = names or {}
        return [(names.get(conclusion, conclusion),
                 tuple(sorted(names.get(premise, premise) for premise in premises)))
                for conclusion, premises in self.premises.items()]


def tree(edges: Iterable[Edge], leaves: str | None = None) -> Tree:
    """The tree of some edges; ``leaves``: how ids of given premises begin, or None: all premises
    that nothing leads to.

    >>> found = tree([Edge("s2", "so", "i1"), Edge("s1", "so", "i1"), Edge("i1", "so", "end")])
    >>> found.steps()
    [('i1', ('s1', 's2')), ('end', ('i1',))]
    >>> sorted(found.leaves)
    ['s1', 's2']
    """
    premises: dict[str, list[str]] = {}
    for edge in edges:
        premises.setdefault(edge.target, []).append(edge.source)
    used = {premise for step in premises.values() for premise in step}
    return Tree({conclusion: tuple(step) for conclusion, step in premises.items()}, frozenset(
        premise for premise in used
        if (premise not in premises if leaves is None else premise.startswith(leaves))))


def aligned(predicted: Tree, gold: Tree) -> dict[str, str]:
    """For each predicted conclusion, the gold conclusion whose leaves are most like its own.

    Like: Jaccard similarity of the leaves below both; of equal ones the first that gold writes.
    The empty name where no gold conclusion shares a leaf.

    >>> ours = tree([Edge("s1", "so", "i9"), Edge("s2", "so", "i9"), Edge("s3", "so", "i8")])
    >>> gold = tree([Edge("s1", "so", "i1"), Edge("s2", "so", "i1"), Edge("i1", "so", "end")])
    >>> aligned(ours, gold)
    {'i9': 'i1', 'i8': ''}
    """
    bits = {leaf: 1 << place for place, leaf in enumerate(predicted.leaves | gold.leaves)}
    known = list(_below(gold, bits).items())
    return {conclusion: _likest(found, known)
            for conclusion, found in _below(predicted, bits).items()}


def _likest(leaves: int, known: Iterable[tuple[str, int]]) -> str:
    best, name = 0.0, ""
    for conclusion, others in known:
        alike = (leaves & others).bit_count() / max(1, (leaves | others).bit_count())
        if alike > best:
            best, name = alike, conclusion
    return name


def _below(found: Tree, bits: Mapping[str, int]) -> dict[str, int]:
    """The leaves from which each conclusion follows, as bits; those of a cycle share theirs."""
    import networkx as nx  # here, because checking does without it

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(found.premises)
    graph.add_edges_from((premise, conclusion) for conclusion, premises in found.premises.items()
                         for premise in premises if premise not in found.leaves)
    cycles = nx.condensation(graph)
    leaves: dict[str, int] = {}
    for number in nx.topological_sort(cycles):
        members = cycles.nodes[number]["members"]
        shared = 0
        for premise in {one for member in members for one in found.premises.get(member, ())}:
            shared |= bits[premise] if premise in found.leaves else leaves.get(premise, 0)
        leaves.update(dict.fromkeys(members, shared))
    return {conclusion: leaves[conclusion] for conclusion in found.premises}


def overlap(predicted: Sequence[object], gold: Sequence[object]) -> PRF:
    """Precision, recall and F1 of what two lists have in common; all 1 if both are empty.

    What stands twice in a list counts twice there, and once in common.

    >>> overlap(["a", "b", "b"], ["b", "c"])
    PRF(precision=0.3333333333333333, recall=0.5, f1=0.4)
    """
    if not predicted and not gold:
        return PRF(1.0, 1.0, 1.0)
    return prf(len(set(predicted) & set(gold)), len(predicted), len(gold))


def best(
    pairs: Iterable[Pair], compare: Callable[[Sequence[Edge], Sequence[Edge]], PRF]
) -> list[ItemScore]:
    """For each item the comparison with the gold graph that gives the highest F1.

    Raises ValueError for an item without a gold graph.
    """
    return [max((compare(predicted, gold) for gold in golds),
                key=lambda found: found.f1).item_score() for predicted, golds in pairs]


def explain_overlap(
    metric: MetricInfo, what: str, predicted: Sequence[str], gold: Sequence[str], value: float
) -> Arithmetic:
    """What two lists of readable parts have in common, and the ``value`` that comes of it.

    Raises DataError if it is another one.
    """
    common = len(set(predicted) & set(gold))
    both = (f"{what} of the prediction: {', '.join(predicted)}", f"{what} of gold: "
            f"{', '.join(gold)}; {common} in common")
    if metric.binary:
        alike = "all" if value else "not all"
        return Arithmetic((*both, f"{alike} correct, so the item counts {value:g}"), value)
    f1 = checked(metric.id, 2 * common / (len(predicted) + len(gold)), value)
    return Arithmetic((
        *both, f"precision = {common} / {len(predicted)}, recall = {common} / {len(gold)}",
        f"F1 = 2 · {common} / ({len(predicted)} + {len(gold)}) = {f1:.3f}"), value)
