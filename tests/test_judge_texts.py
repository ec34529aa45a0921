"""The texts that the judges read are those of the released code, character by character."""

from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer import boards
from scorer.boards.golds import gold_files
from scorer.metrics.judged import depth_first, ea_texts, seca_texts
from scorer.scoring.checking import check_file
from tests.test_vectors import CASES, expected, files

CONCEPTS = st.sampled_from("abcdef")
EDGES = st.lists(st.tuples(CONCEPTS, st.sampled_from(["r", "s"]), CONCEPTS), max_size=9)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(EDGES)
def test_the_order_is_networkxs_edge_dfs_from_the_starts(edges: list[tuple[str, str, str]]) -> None:
    graph = nx.DiGraph()
    for source, relation, target in edges:
        graph.add_edge(source, target)
        graph.edges[source, target]["relation"] = relation
    starts = [node for node, degree in graph.in_degree() if degree == 0]
    order = nx.edge_dfs(graph, source=starts) if starts else ()
    wanted = "".join(f"({a}; {graph.edges[a, b]['relation']}; {b})" for a, b in order)
    assert depth_first(edges) == wanted


@pytest.mark.whole
@pytest.mark.claim("Judges read the very texts that the released code lets them read.")
@pytest.mark.parametrize("case", CASES)
def test_every_text_is_that_of_the_vectors(case: str, vectors: Path, data: Path) -> None:
    predictions, gold_path = files(case, vectors, data)
    board = boards.load("explagraphs")
    golds = gold_files(board, {"gold": gold_path}).items
    answers = check_file(board, predictions, texts=[item.texts for item in golds]).accepted()
    wanted = expected(case, vectors)
    initial, final, seca = [], [], []
    for row in wanted["per_item"]["struct_correct_rows"]:
        belief, argument = golds[row].texts
        edges = answers[row].graph.edges
        whole, parts = ea_texts(belief, argument, edges)
        initial.append((str(row), *whole, golds[row].label))
        final += [(str(row), *part, golds[row].label) for part in parts]
        first, second = seca_texts(belief, edges)
        seca.append({"row": row, "belief": first, "graph": second})
    assert initial == rows(vectors / "explagraphs" / case / "ea_initial.tsv")
    assert final == rows(vectors / "explagraphs" / case / "ea_final.tsv")
    assert seca == wanted["judge_text"]


def rows(path: Path) -> list[tuple[str, ...]]:
    lines = path.read_text("utf-8-sig").split("\n")
    return [tuple(line.split("\t")) for line in lines if line]
