"""What judges are trained on: graphs by kind, what is known of each, and no belief on two sides."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards as board
from scorer.core.graph import concepts
from scorer.core.records import Edge
from scorer.lab.training import edits, examples
from scorer.lab.training.edits import TrainingItem
from scorer.tasks.graphs.graph_items import folded
from tests.training_data import CHAIN, made_up_data

LINE = TrainingItem(
    "Trains are good.", "Trains are clean.", "support",
    (Edge("trains", "has property", "clean"), Edge("clean", "is a", "good")))


def test_every_relation_of_the_board_has_a_contrary_and_it_turns_back():
    relations = board.load("explagraphs", None).settings.graph.relations
    assert {*edits.OPPOSITE} >= {*relations} - {"antonym of"}
    for relation in relations:
        assert edits.OPPOSITE[edits.OPPOSITE[relation]] == relation
        assert edits.OPPOSITE[relation] in relations


def test_flipping_turns_the_last_fact_of_a_chain_alone_and_of_no_other_graph():
    assert edits.flipped(LINE) == [LINE.edges[0], Edge("clean", "is not a", "good")]
    assert edits.flipped(CHAIN) is None


def test_a_paraphrase_joins_two_concepts_of_the_belief():
    graph = edits.paraphrase(CHAIN, (), random.Random(1))
    assert graph is not None
    assert {graph[0].source, graph[0].target} <= {"flights", "trains", "replace short"}


def test_unlinked_loses_every_fact_with_a_concept_of_the_belief_alone():
    # trains and "replace short" stand in the belief and not in the argument
    assert edits.unlinked(CHAIN, (), random.Random(1)) == list(CHAIN.edges[:2])
    assert edits.unlinked(LINE, (), random.Random(1)) is None


def test_incoherent_graphs_hold_foreign_concepts_in_the_same_shape():
    graph = edits.incoherent(CHAIN, ["airports", "queues"], random.Random(1))
    assert graph is not None
    assert {"airports", "queues"} & {*concepts(graph)}
    assert [edge.relation for edge in graph] == [edge.relation for edge in CHAIN.edges]


def test_scrambled_graphs_keep_their_concepts_and_relations():
    graph = edits.scrambled(CHAIN, (), random.Random(1))
    assert graph is not None
    assert graph != list(CHAIN.edges)
    assert {*concepts(graph)} == {*concepts(CHAIN.edges)}
    assert sorted(edge.relation for edge in graph) == sorted(e.relation for e in CHAIN.edges)


def test_neighbours_are_of_other_beliefs():
    foreign = edits.foreign_concepts([LINE, CHAIN, LINE])[0]
    assert foreign == ["flights", "pollution", "harmful", "replace short"]


WRITINGS = ("{}", "{}.", "{} .", " {}", "a{}", "A{}", "{}\u00a0", "{}  b", "{} b.")
"""Ways to write a belief; some are one belief when folded."""


@pytest.mark.claim("No belief of the judges' data lies in two parts, however it is written.")
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(WRITINGS)), min_size=1),
       st.integers())
def test_a_belief_is_in_one_part_however_it_is_written(written, seed):
    beliefs = [writing.format(word) for word, writing in written]
    made = [examples.Example(("b", "g"), (1, 0), "gold", "support", belief)  # type: ignore[arg-type]
            for belief in [*beliefs, *map(str.upper, beliefs)]]
    parts = examples.parted(made, seed)
    sides = [{folded(example.belief) for example in part} for part in parts.values()]
    assert sum(map(len, sides)) == len(set(map(folded, beliefs)))
    assert sum(map(len, parts.values())) == len(made)


@pytest.mark.whole
def test_no_folded_belief_of_the_official_files_is_in_two_parts_or_in_train_and_dev(data):
    folder = data / "explagraphs"
    parts = examples.parted(examples.ea_examples(folder), seed=5)
    sides = [{folded(example.belief) for example in part} for part in parts.values()]
    train, dev = ([item.belief for item in edits.read_items(folder / name)]
                  for name in (edits.TRAIN, edits.DEV))
    assert set.union(*sides) == {*map(folded, train)}
    assert sum(map(len, sides)) == len({*map(folded, train)}) == 1879
    assert len({*train}) == 1933
    assert not {*map(folded, train)} & {*map(folded, dev)}


def test_the_examples_of_a_folder_have_every_kind_that_can_be_made(tmp_path):
    data = made_up_data(tmp_path)
    made = examples.seca_examples(data, seed=5)
    assert made == examples.seca_examples(data, seed=5)
    by_kind: dict[str, list[examples.Example]] = {}
    for example in made:
        by_kind.setdefault(example.kind, []).append(example)
        assert example.pair.first == example.pair.first.lower()
    # The graphs have three concepts, so others cannot be made; no file has released ones.
    assert {*by_kind} == {"gold", "natural", "paraphrase", "other belief", "negated", "rearranged",
                          "null"}
    # Of 40 earlier rounds every fourth is equal to the last. A rejected graph is not of its gold
    # label, and never surely incorrect.
    assert len(by_kind["natural"]) == 30
    for example in by_kind["natural"]:
        assert example.prior[edits.STANCES.index(example.stance)] == 0
        assert sum(example.prior) == pytest.approx(1)
        assert 0.5 < example.prior[2] < 1
    assert 0.5 < examples.LATER < 1


def test_released_negatives_are_read_with_their_items(tmp_path):
    prefix = tmp_path / "contrastive.train"
    Path(f"{prefix}.source").write_text(
        "\ufeffBelief: Trains are good. </s> Argument: They are clean. </s> Stance: support\n",
        "utf-8")
    Path(f"{prefix}.neg_target").write_text("\ufeff(Trains; is a; plane)\n", "utf-8")
    assert edits.read_released(prefix) == [
        TrainingItem("Trains are good.", "They are clean.", "support",
                     (Edge("trains", "is a", "plane"),))]
    assert edits.read_released(tmp_path / "other") == []
