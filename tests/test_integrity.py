"""Integrity flags: each on made systems that do and do not show it, and on real predictions."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.boards.integrity import KINDS, NEAR, Flag, Index, flags, linking, linking_run, survey
from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.scoring.checking import check_file
from scorer.tasks.graphs.baselines import BASELINES
from scorer.tasks.graphs.graph_items import Gold, Prediction
from tests.effort import A_SECOND, within

PRACTICE = boards.load("explagraphs-practice")
OFFICIAL = boards.load("explagraphs")
RELATIONS = OFFICIAL.settings.graph.relations
Golds = Mapping[str, Sequence[Gold]]
Edges = Sequence[Edge]


@pytest.fixture(scope="module")
def golds() -> Golds:
    """Those of the practice board."""
    paths = {split: PRACTICE.folder / "data" / f"{split}.tsv" for split in ("train", "dev")}
    return {split: read_golds(PRACTICE, split, path).items for split, path in paths.items()}


@pytest.fixture(scope="module")
def official(data: Path) -> Golds:
    return {split: read_golds(OFFICIAL, split, data / "explagraphs" / f"{split}.tsv").items
            for split in ("train", "dev")}


@pytest.fixture(scope="module")
def max_margin(data: Path) -> Sequence[Prediction]:
    path = data / "explagraphs" / "third-party" / "max-margin.dev.predictions.tsv"
    return check_file(OFFICIAL, path, rows=398).accepted()


def made(count: int, seed: int = 1) -> list[Prediction]:
    """Answers like people's: trees of 3 to 6 edges, mostly chains, some with branches."""
    rng = random.Random(seed)
    answers = []
    for row in range(count):
        concepts, edges = [f"c{row} x0"], []
        for number in range(rng.randint(3, 6)):
            concepts.append(f"c{row} x{number + 1}")
            source = concepts[-2] if rng.random() < 0.8 else rng.choice(concepts[:-1])
            edges.append(Edge(source, rng.choice(RELATIONS), concepts[-1]))
        answers.append(Prediction(rng.choice(("support", "counter")), Graph.of(edges)))
    return answers


def edges_of(predictions: Sequence[Prediction]) -> list[Edges]:
    return [prediction.graph.edges for prediction in predictions]


def found(predictions: Sequence[Prediction], golds: Golds, **more: Any) -> dict[str, Flag]:
    """Every flag by its id."""
    more.setdefault("others", {})
    return {flag.id: flag for flag in flags(PRACTICE, "dev", predictions, golds, **more)}


def raised(predictions: Sequence[Prediction], golds: Golds, **more: Any) -> dict[str, Flag]:
    return {name: flag for name, flag in found(predictions, golds, **more).items() if flag.raised}


def baseline(name: str, golds: Golds, board: boards.Board = PRACTICE) -> list[Prediction]:
    return BASELINES[name].predict(board.settings, golds["train"], golds["dev"])


# ---- overlap with gold -----------------------------------------------------------------------


def test_every_check_is_returned_and_made_answers_raise_nothing(golds: Golds) -> None:
    known = found(made(40), golds, better={"StCA": True})
    assert [*known] == [
        "constant", "own-gold", "train-gold", "dev-gold", "others", "repeats", "linking",
        "small-concepts", "null",
    ]
    assert all(flag.says and flag.does_not_say for flag in known.values())
    assert not any(flag.raised for flag in known.values())
    text = (Path(__file__).parent.parent / "docs" / "integrity.md").read_text("utf-8")
    assert not [name for name in KINDS if f"`{name}`" not in text]


def test_gold_itself_equals_its_own_gold_and_no_other(golds: Golds) -> None:
    [(name, flag)] = raised(baseline("gold", golds), golds).items()
    assert (name, flag.count, flag.n, flag.share) == ("own-gold", 40, 40, 1.0)
    assert flag.rows[6] == (7, "the same as the gold of dev row 7")
    assert flag.details == ("40 exact, 0 near.",)


def test_gold_of_train_is_named_and_raised_from_the_third_row_of_forty(golds: Golds) -> None:
    copied = [Prediction(g.label, Graph(g.graphs[0].text.upper())) for g in golds["train"][:3]]
    [(name, flag)] = raised(copied + made(37), golds).items()
    assert (name, [row for row, _ in flag.rows]) == ("train-gold", [1, 2, 3])
    two = found(copied[:2] + made(38), golds)["train-gold"]
    assert (two.count, two.raised) == (2, False)


def test_order_case_and_repeats_of_edges_do_not_hide_a_copy(golds: Golds) -> None:
    copied = []
    for item in golds["dev"]:
        edges = Graph(item.graphs[0].text.upper()).edges
        copied.append(Prediction("support", Graph.of([*edges[::-1], edges[0]])))
    assert raised(copied, golds)["own-gold"].details == ("40 exact, 0 near.",)


@example([frozenset("abcd")], frozenset("abcX"))  # of four facts, one replaced
@example([frozenset("abcd")], frozenset("abXY"))
@given(st.lists(st.frozensets(st.integers(0, 9), max_size=6), max_size=12),
       st.frozensets(st.integers(0, 9), max_size=6))
def test_the_index_finds_what_comparing_all_with_all_finds(
    known: list[frozenset[Any]], asked: frozenset[Any]
) -> None:
    index = Index(enumerate(known, start=1))
    expected = [row for row, units in enumerate(known, start=1)
                if units & asked and len(units & asked) / len(units | asked) >= NEAR]
    assert [row for row, _, _ in index.matches(asked)] == expected


def test_gold_that_is_not_public_changes_nothing(golds: Golds) -> None:
    hidden = {**PRACTICE.splits, "dev": replace(PRACTICE.splits["dev"], gold="hidden")}
    board, predictions = replace(PRACTICE, splits=hidden), baseline("gold", golds)
    known = flags(board, "dev", predictions, golds, {})
    assert known == flags(board, "dev", predictions, {"train": golds["train"]}, {})
    assert "own-gold" not in {flag.id for flag in known}
    assert not any(flag.raised for flag in known)


# ---- other submissions, repeats, constants ---------------------------------------------------


def test_a_share_of_the_same_rows_with_another_submission_is_named(golds: Golds) -> None:
    ours, theirs = made(40, seed=1), made(40, seed=2)
    assert "others" not in raised(ours[:7] + theirs[7:], golds, others={"a/one": ours})
    flag = raised(ours[:8] + theirs[8:], golds, others={"a/one": ours})["others"]
    assert (flag.count, flag.n) == (8, 40)
    assert flag.details == ("8 rows of 40 the same as in a/one.",)
    assert flag.rows[0] == (1, "the same as in a/one")


def test_a_survey_compares_each_submission_with_all_others(golds: Golds) -> None:
    files = {"a/one": made(40, 1), "a/two": made(40, 2), "b/three": made(40, 1)}
    surveyed = survey(PRACTICE, "dev", files, golds, {"a/two": {"StCA": False}})
    by_raised = {name: [flag.id for flag in found if flag.raised]
                 for name, found in surveyed.items()}
    assert by_raised == {"a/one": ["others"], "a/two": ["null"], "b/three": ["others"]}


def test_answers_that_occur_for_several_items_are_counted(golds: Golds) -> None:
    answers = made(40)
    answers[2] = answers[0]
    repeats = found(answers, golds)["repeats"]
    assert (repeats.count, repeats.raised) == (2, False)
    answers[4] = answers[0]
    assert raised(answers, golds)["repeats"].rows == (
        (1, "the same as row 3"), (3, "the same as row 1"), (5, "the same as row 1"))


def test_one_label_throughout_is_raised_and_an_uneven_choice_is_not(golds: Golds) -> None:
    answers = made(40)
    [(name, flag)] = raised([replace(a, label="support") for a in answers], golds).items()
    assert (name, flag.count) == ("constant", 40)
    assert 37 / 40 < 0.95
    assert raised([replace(a, label="support" if row < 37 else "counter")
                   for row, a in enumerate(answers)], golds) == {}


# ---- edges that only connect -----------------------------------------------------------------


def test_graphs_that_end_with_a_link_are_raised() -> None:
    graphs = edges_of(made(400))
    # The second edge of a chain is what connects the others, once it comes last.
    graphs[:150] = [[*edges[:1], *edges[2:], edges[1]] for edges in graphs[:150]]
    assert linking(graphs).raised


def test_a_linking_edge_joins_two_parts_that_stood_before_it() -> None:
    a, b, join = Edge("a", "r", "b"), Edge("c", "r", "d"), Edge("d", "r", "a")
    assert linking_run([a, b, join]) == (join,)
    assert linking_run([a, join, b]) == ()  # d was new, and so is c
    assert linking_run([a, b, join, Edge("b", "r", "d")]) == ()  # the last closes a cycle
    third = Edge("e", "r", "f")
    assert linking_run([a, b, third, join, Edge("f", "r", "b")]) == (join, Edge("f", "r", "b"))
    assert linking_run([]) == ()


# ---- small concepts, null --------------------------------------------------------------------


def test_small_concepts_are_raised_from_one_row_in_twenty(golds: Golds) -> None:
    def with_small(rows: int) -> list[Prediction]:
        smaller = [*answers]
        for row, edges in enumerate(edges_of(answers[:rows])):
            added = Edge(edges[0].source, "is a", "the" if row else "b")
            smaller[row] = replace(answers[row], graph=Graph.of([*edges, added]))
        return smaller

    answers = made(60)
    assert raised(with_small(2), golds) == {}
    [(name, flag)] = raised(with_small(3), golds).items()
    assert (name, flag.rows[:2]) == ("small-concepts", ((1, '"b"'), (2, '"the"')))
    assert flag.details == ("1 row with a concept of one letter, 2 with stop words only.",)


def test_metrics_that_do_not_beat_their_null_are_named(golds: Golds) -> None:
    flag = raised(made(40), golds, better={"SA": True, "GED": False, "G-BLEU": False})["null"]
    assert (flag.count, flag.n, flag.rows) == (2, 3, ())
    assert flag.details == ("Not better: GED, G-BLEU.",)
    assert "null" not in raised(made(40), golds, better={"SA": True})


# ---- whole files -----------------------------------------------------------------------------


def test_empty_files_and_unreadable_graphs_raise_no_error(golds: Golds) -> None:
    assert raised([], golds) == {}
    assert {*raised([Prediction("support", Graph(""))] * 40, golds)} == {"constant"}


@given(st.lists(st.builds(Prediction, st.sampled_from(("support", "counter")),
                          st.builds(Graph, st.text("ab;() ", max_size=30))), max_size=12))
def test_counts_are_rows_and_rows_exist(golds: Golds, predictions: list[Prediction]) -> None:
    for flag in found(predictions, golds).values():
        assert 0 <= flag.count <= flag.n == len(predictions)
        rows = [row for row, _ in flag.rows]
        assert rows == sorted(set(rows))
        assert all(1 <= row <= flag.n for row in rows)
        assert len(rows) in (flag.count, 0)


# ---- the real data ---------------------------------------------------------------------------


def test_max_margin_raises_nothing(official: Golds, max_margin: Sequence[Prediction]) -> None:
    known = flags(OFFICIAL, "dev", max_margin, official, {})
    assert not any(flag.raised for flag in known)
    assert [flag.count for flag in known if flag.id.endswith("-gold")] == [0, 0, 0]


def test_no_gold_graph_is_near_the_gold_of_another_item(official: Golds) -> None:
    for split, items in official.items():
        predictions = [Prediction(item.label, item.graphs[0]) for item in items]
        known = {flag.id: flag for flag in flags(OFFICIAL, split, predictions, official, {})}
        assert [known[name].count for name in ("own-gold", "train-gold", "dev-gold")] == [
            len(items), 0, 0]
        assert [name for name, flag in known.items() if flag.raised] == ["own-gold"]


@pytest.mark.parametrize("name", ["null", "shuffled-gold", "gold"])
def test_edits_and_peoples_graphs_are_not_taken_for_repairs(name: str, official: Golds) -> None:
    assert not linking(edges_of(baseline(name, official, OFFICIAL))).raised


@pytest.mark.slow
def test_fifty_submissions_are_surveyed_in_seconds(golds: Golds) -> None:
    files = {f"team/{number}": made(400, number % 25) for number in range(50)}
    train = [Gold(("t",), "support", (p.graph,)) for p in made(2400, 99)]
    # measured 0.8 to 1.5 seconds; a quadratic search takes hours
    within(10 * A_SECOND,
           lambda: survey(PRACTICE, "dev", files, {"train": train, "dev": golds["dev"]}))
