"""The counts baseline, rearranged copies, and meaningless graphs in many shapes."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.core.graph import concepts
from scorer.core.records import Edge, TextPair
from scorer.lab.training import counts, edits, examples
from scorer.lab.training.edits import TrainingItem
from scorer.lab.training.examples import TEMPLATES
from scorer.metrics.judged import seca_texts
from scorer.models import judge_card as cards
from tests.training_data import CHAIN, made_up_data

pytest.importorskip("sklearn")

OTHER = TrainingItem("Cats are good pets", "They purr", "support", (
    Edge("cats", "capable of", "purring"), Edge("purring", "is a", "calm sound"),
    Edge("calm sound", "part of", "good pets")))


def counted(item: TrainingItem, edges: Sequence[Edge]) -> dict[str, float]:
    return counts.counts(seca_texts(item.belief, edges))


def test_the_counts_of_a_graph_that_one_can_count():
    found = counted(CHAIN, CHAIN.edges)
    assert len(found) == 82
    assert found.items() >= {
        "edges": 4, "nodes": 5, "depth": 3, "roots": 2, "leaves": 1, "joins": 1, "forks": 0,
        "negated": 2, "parity": 0, "parity with belief": 1, "inside": 3, "edges inside": 0,
        "shared words": 4, "negations in belief": 1, "relation causes": 1,
        "relation not causes": 1, "relation is a": 0, "longest concept": 2, "paths inside": 2,
        "parity inside": 1,  # one path has one negated relation, the other has two
    }.items()
    for graph in ("", "no graph", "(a; is a; a)", "(a; b; c)(b; b)"):
        assert np.isfinite(list(counts.counts(TextPair("", graph)).values())).all()


def rearranged(item: TrainingItem, seed: int) -> Sequence[Edge] | None:
    """A rearranged copy, if one can be made: another graph of the same concepts and counts."""
    graph = edits.rearranged(item, random.Random(seed))
    if graph is not None:
        assert {*graph} != {*item.edges}
        assert {*concepts(graph)} == {*concepts(item.edges)}
        assert counted(item, graph) == counted(item, item.edges)
    return graph


words = st.sampled_from(["cats", "good pets", "calm", "not calm", "sound", "purring cats", "are"])


@pytest.mark.claim("A rearranged graph has exactly the counts of its original.")
@given(st.lists(st.tuples(words, st.sampled_from(counts.RELATIONS), words), max_size=8),
       st.integers())
def test_rearranging_changes_no_count(triples, seed):
    edges = tuple(Edge(min(a, b), r, max(a, b)) for a, r, b in triples if a != b)  # no cycle
    rearranged(TrainingItem("Cats are not good.", "They are calm.", "support", edges), seed)


def test_one_relation_is_negated_and_no_more():
    for seed in range(10):
        graph = edits.negated(CHAIN, random.Random(seed))
        assert graph is not None
        [(old, new)] = [pair for pair in zip(CHAIN.edges, graph, strict=True) if pair[0] != pair[1]]
        assert new == old._replace(relation=edits.OPPOSITE[old.relation])


def test_the_gate_asks_for_every_template_and_most_are_held_out():
    assert tuple(TEMPLATES) == cards.NULL_SETS
    assert sum(not one.trainable for one in TEMPLATES.values()) >= 5
    for name, one in TEMPLATES.items():
        graph = one.make(CHAIN, OTHER, random.Random(1))
        assert len(graph) >= 3, name
        assert all(edge.relation in edits.OPPOSITE for edge in graph), name


def test_training_sees_no_template_that_is_held_out(tmp_path):
    data = made_up_data(tmp_path)
    seen = {one.pair for one in examples.seca_examples(data, 5) if one.kind == examples.NULL}
    held_out = {seca_texts(item.belief, template.make(item, item, random.Random(1)))
                for item in edits.read_items(data / edits.TRAIN)
                for template in TEMPLATES.values() if not template.trainable}
    assert seen
    assert not seen & held_out


def test_a_graph_of_another_belief_is_of_its_stance_and_part(tmp_path):
    items = edits.read_items(made_up_data(tmp_path) / edits.TRAIN)
    others = examples.OtherItems(items, 5)
    pairs = [(item, other) for item in items if (other := others.of(item, random.Random(1)))]
    assert pairs
    for item, other in pairs:
        assert other.belief != item.belief
        assert other.stance == item.stance
        assert examples.part_of(other.belief, 5) == examples.part_of(item.belief, 5)


def test_the_same_examples_make_the_same_baseline(tmp_path):
    made = examples.seca_examples(made_up_data(tmp_path), 5)
    pairs = [one.pair for one in made]
    first, second = (counts.fit(made, max_iter=10).probabilities(pairs) for _ in range(2))
    assert (first == second).all()
    assert first.sum(axis=1) == pytest.approx(1)
    assert counts.CountsJudge([]).probabilities([]).shape == (0, 3)
