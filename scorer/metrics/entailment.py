"""Entailment trees: does a predicted tree have the leaves that gold has, and take the same steps?

Leaves and Steps of EntailmentBank, F1 and AllCorrect, equal to ``proof-leaves`` and ``proof-steps``
of its released evaluator. Its intermediate conclusions and its measure of the whole tree are known
by name and not computed: the evaluator calls a predicted conclusion right if BLEURT
(bleurt-large-512) gives its text and that of the gold conclusion to which it is aligned 0.28 or
more. The model is no part of this program, and a text that another model calls right would be
another metric.

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
from typing import Any

from scorer.core.records import Edge, ItemScore
from scorer.metrics.base import Arithmetic, MetricFunction, MetricInfo
from scorer.metrics.matching import PRF, prf

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
    bits = {leaf: 1 << index for index, leaf in enumerate(predicted.leaves | gold.leaves)}
    known = list(_below(gold, bits).items())
    return {conclusion: _likest(leaves, known)
            for conclusion, leaves in _below(predicted, bits).items()}


def _likest(leaves: int, known: Iterable[tuple[str, int]]) -> str:
    best, name = 0.0, ""
    for conclusion, others in known:
        alike = (leaves & others).bit_count() / max(1, (leaves | others).bit_count())
        if alike > best:
            best, name = alike, conclusion
    return name


def _below(proof: Tree, bits: Mapping[str, int]) -> dict[str, int]:
    """The leaves from which each conclusion follows, as bits; those of a cycle share theirs."""
    import networkx as nx  # here, because checking does without it

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(proof.premises)
    graph.add_edges_from((premise, conclusion) for conclusion, premises in proof.premises.items()
                         for premise in premises if premise not in proof.leaves)
    cycles = nx.condensation(graph)
    leaves: dict[str, int] = {}
    for number in nx.topological_sort(cycles):
        members = cycles.nodes[number]["members"]
        shared = 0
        for premise in {name for member in members for name in proof.premises.get(member, ())}:
            shared |= bits[premise] if premise in proof.leaves else leaves.get(premise, 0)
        leaves.update(dict.fromkeys(members, shared))
    return {conclusion: leaves[conclusion] for conclusion in proof.premises}


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
                key=lambda result: result.f1).item_score() for predicted, golds in pairs]


def explain_overlap(what: str, predicted: Sequence[str], gold: Sequence[str], score: ItemScore
                    ) -> Arithmetic:
    """What two lists of readable parts have in common, and what comes of it: F1, or whether all
    are correct."""
    common = len(set(predicted) & set(gold))
    f1 = 2 * common / (len(predicted) + len(gold))
    both = (f"{what} of the prediction: {', '.join(predicted)}", f"{what} of gold: "
            f"{', '.join(gold)}; {common} in common")
    if not score.parts:
        alike = "all" if score.value else "not all"
        return Arithmetic((*both, f"{alike} correct, so the item counts {score.value:g}"),
                          float(f1 == 1))
    return Arithmetic((
        *both, f"precision = {common} / {len(predicted)}, recall = {common} / {len(gold)}",
        f"F1 = 2 · {common} / ({len(predicted)} + {len(gold)}) = {f1:.3f}"), f1)


MISSING = "BLEURT (bleurt-large-512) compares the texts of conclusions, and is no part of it"
SOURCE = f"{ENTAILMENT_BANK}, eval/run_scorer.py"


def leaves_f1(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
    """F1 of predicted leaves against gold's, 0 to 1, higher is better; parts: precision, recall.

    ``pairs``: (predicted edges, the edges of each gold graph); of several golds the highest F1
    counts. ``leaves``: how ids of leaves begin; None: leaves are premises that nothing leads to. No
    leaf where gold has one: 0. Raises ValueError for an item without a gold graph.

    >>> gold = [Edge("s1", "so", "i1"), Edge("s2", "so", "i1")]
    >>> [score.value for score in leaves_f1([(gold[:1], [gold]), ([], [gold])])]
    [0.6666666666666666, 0.0]
    """
    return best(pairs, lambda predicted, gold: overlap(_leaves(predicted, leaves),
                                                       _leaves(gold, leaves)))


def _leaves(edges: Sequence[Edge], leaves: str | None) -> list[str]:
    return sorted(tree(edges, leaves).leaves)


def steps_f1(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
    """F1 of predicted steps against gold's, 0 to 1, higher is better; parts: precision, recall.

    Predicted conclusions first take the names of the gold conclusions that they are aligned to, so
    that what a conclusion says or is called counts nothing. A step is right if its conclusion and
    all its premises are. A premise that nothing leads to keeps its name. ``pairs``, ``leaves``,
    errors: as for ``leaves_f1``. No steps: 0.

    >>> gold = [Edge("s1", "so", "i1"), Edge("s2", "so", "i1"), Edge("i1", "so", "end")]
    >>> ours = [Edge("s1", "so", "i7"), Edge("s2", "so", "i7")]
    >>> [score.value for score in steps_f1([(ours, [gold]), ([], [gold])])]
    [0.6666666666666666, 0.0]
    """
    return best(pairs, lambda predicted, gold: overlap(*_steps(predicted, gold, leaves)))


def _steps(
    predicted: Sequence[Edge], gold: Sequence[Edge], leaves: str | None
) -> tuple[list[Step], list[Step]]:
    """Steps of both under the names of gold."""
    ours, theirs = tree(predicted, leaves), tree(gold, leaves)
    return ours.steps(aligned(ours, theirs)), theirs.steps()


def _all_correct(f1: MetricFunction) -> MetricFunction:
    """1 where what is measured is all that a gold graph has and nothing else, else 0."""
    def of(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
        return [ItemScore(float(score.value == 1)) for score in f1(pairs, leaves=leaves)]

    return of


def explain_leaves(items: Sequence[Pair], score: ItemScore, *, leaves: str | None = None
                   ) -> Arithmetic:
    """Which leaves both have, and what comes of it."""
    predicted, [gold, *_] = items[0]
    return explain_overlap("leaves", _leaves(predicted, leaves), _leaves(gold, leaves), score)


def explain_steps(items: Sequence[Pair], score: ItemScore, *, leaves: str | None = None
                  ) -> Arithmetic:
    """Which steps both have, and what comes of it."""
    predicted, [gold, *_] = items[0]
    names = aligned(tree(predicted, leaves), tree(gold, leaves))
    ours, theirs = ([f"“{' & '.join(premises)} → {conclusion or 'nothing in gold'}”"
                     for conclusion, premises in steps]
                    for steps in _steps(predicted, gold, leaves))
    result = explain_overlap("steps", ours, theirs, score)
    renamed = ", ".join(f"“{name}” as “{other or 'nothing in gold'}”"
                        for name, other in names.items())
    return result._replace(steps=(
        f"predicted conclusions count as the gold conclusions with the likest leaves: {renamed}",
        *result.steps))


def _metric(name: str, title: str, summary: str, definition: str,
            function: MetricFunction | None = None, **more: Any) -> MetricInfo:
    return MetricInfo(name, title, "higher", summary, definition, SOURCE, DALVI, function,
                      group="plausibility", missing="" if function else MISSING, **more)


TREES = (
    _metric(
        "Leaves-F1", "Leaves, F1", "How far the leaves of a predicted entailment tree are those of "
        "gold.",
        "Precision and recall of the sets of leaves; the value is F1. Leaves are the premises that "
        "are given (settings.leaves of the board). With several golds, the one with the highest F1 "
        "counts, unless the signature says otherwise (over). Mean over all items of the split; "
        "no gate.",
        leaves_f1, parts=("precision", "recall"), signature=("match:exact",),
        explain=explain_leaves),
    _metric(
        "Leaves-AC", "Leaves, all correct", "Share of items whose predicted entailment tree has "
        "exactly the leaves of gold.",
        "1 if the sets of leaves are equal, with several golds to any of them, else 0. Mean over "
        "all items of the split; no gate.",
        _all_correct(leaves_f1), signature=("match:exact",), binary=True, explain=explain_leaves),
    _metric(
        "Steps-F1", "Steps, F1", "How far the steps of a predicted entailment tree are those of "
        "gold.",
        "Precision and recall of steps: a conclusion with all its premises. Predicted conclusions "
        "take the names of the gold conclusions with the most similar sets of leaves (Jaccard), or "
        "none; the value is F1. With several golds, the one with the highest F1 counts, unless the "
        "signature says otherwise (over). Mean over all items of the split; no gate.",
        steps_f1, parts=("precision", "recall"), signature=("match:jaccard-leaves",),
        explain=explain_steps),
    _metric(
        "Steps-AC", "Steps, all correct", "Share of items whose predicted entailment tree has "
        "exactly the steps of gold.",
        "1 if the steps are equal as Steps-F1 compares them, with several golds to those of any of "
        "them, else 0. Mean over all items of the split; no gate.",
        _all_correct(steps_f1), signature=("match:jaccard-leaves",), binary=True,
        explain=explain_steps),
    _metric(
        "Intermediates-F1", "Intermediate conclusions, F1", "How many texts of predicted "
        "conclusions say what gold's do, according to BLEURT.",
        "Precision and recall of conclusions whose text BLEURT gives 0.28 or more beside that of "
        "the gold conclusion to which they are aligned, as Steps-F1 aligns them. Not computed by "
        "this version."),
    _metric(
        "Intermediates-AC", "Intermediate conclusions, all correct", "Share of items of which all "
        "conclusions say what gold's do, according to BLEURT.",
        "1 if Intermediates-F1 is 1, else 0. Not computed by this version.", binary=True),
    _metric(
        "Overall-AC", "Whole tree, all correct", "Share of items of which leaves, steps and "
        "intermediate conclusions are all correct.",
        "Leaves-AC · Steps-AC · Intermediates-AC of each item, so never above Steps-AC. Not "
        "computed by this version.", binary=True),
)
