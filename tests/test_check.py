"""What a graph is told: every rule, its culprits, the order, and the released code's leniency."""

import json
import random
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import input_texts
from scorer.core import graph as notation
from scorer.core.errors import DataError, UsageError
from scorer.core.graph import Graph
from scorer.core.records import Edge, Finding, Findings
from scorer.core.rules import CATALOGUE, lookup, text_rule
from scorer.scoring.checking import plain_bytes
from scorer.tasks.graphs.constraints import MOST_OF_A_RULE
from scorer.tasks.graphs.graph_items import Prediction
from tests import case_files
from tests.case_files import CASES
from tests.effort import A_SECOND, within
from tests.fuzz_helpers import (
    assert_fit_for_a_log,
    edges,
    graph_strings,
    hostile_bytes,
    judged,
    thorough,
)

BELIEF = "Cats and dogs are good pets at home"
ARGUMENT = "Pets bring a happy mood to every home"
SOUND = "(cats; is a; pets)(pets; causes; happy mood)(happy mood; part of; home)"

GRAPHS = case_files.expanded(case_files.read("graphs.yaml"))
BREAKS, STRICT = ({
    name: (graph.replace("SOUND", SOUND), rule, *map(tuple, (*culprits, (), ())[:2]))
    for name, (rule, graph, *culprits) in GRAPHS[table].items()} for table in ("breaks", "strict"))
"""What it shows: graph, rule, culprit edges, culprit concepts."""


@cache
def practice() -> Board:
    return boards.load("explagraphs-practice")


def findings(graph: str, *texts: str) -> Findings:
    """What the practice board's rules say about a graph for a belief and an argument."""
    return diagnose(Prediction("support", Graph(graph)), texts or (BELIEF, ARGUMENT))


def diagnose(prediction: Prediction, texts: Sequence[str]) -> Findings:
    return practice().task.diagnose(texts, prediction)


def broken(graph: str, *texts: str) -> list[str]:
    return [finding.rule for finding in findings(graph, *texts)[0]]


def strict(graph: str, *texts: str) -> list[str]:
    return [finding.rule for finding in findings(graph, *texts)[1]]


# ---- every rule of graphs ------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BREAKS, *STRICT])
def test_a_broken_constraint_and_a_strict_diagnostic_name_their_culprits(name: str) -> None:
    graph, rule, culprits, concepts = {**BREAKS, **STRICT}[name]
    [finding] = [one for one in findings(graph)[name in STRICT] if one.rule == rule]
    assert (finding.edges, finding.concepts) == (culprits, concepts)
    assert lookup(rule).effect == ("strict" if name in STRICT else "scores")


def test_every_broken_constraint_of_a_graph_is_named_in_one_order() -> None:
    graph = ("(; is a; x1)(x1; isa; x1)(x2; causes)(x3; is a; v w x y)(x3; is a; v w x y)"
             "(x4;x5; x6; x7)")
    assert broken(graph) == [
        "EG-PARTS", "EG-EMPTY", "EG-REL", "EG-REL", "EG-SELF", "EG-LONG", "EG-LONG",
        "EG-DISCONNECTED", "EG-CYCLE", "EG-BELIEF-CONCEPTS", "EG-ARGUMENT-CONCEPTS",
    ]
    assert strict(graph) == ["EG-DUP", "EG-CHAR", "EG-SYNTAX", "EG-SYNTAX", "EG-SYNTAX"]


def test_a_rule_broken_a_thousand_times_is_named_twenty_times_and_counted() -> None:
    faults = [one for one in findings("(a; x; b)" * 1_000).broken if one.rule == "EG-REL"]
    assert len(faults) == MOST_OF_A_RULE + 1
    assert faults[-1].detail == "980 more of the same."
    report = judged(practice(), b"support\t" + b"(a; x; b)" * 1_000)
    assert report.counts()["EG-REL"] == 1


def test_a_graph_of_every_piece_of_its_text_is_judged_in_a_fraction_of_a_second() -> None:
    text = " ".join(f"word{n}" for n in range(20))
    pieces = {text[i:j] for i in range(len(text)) for j in range(i + 1, min(i + 60, len(text)))}
    chosen = sorted(pieces, key=lambda piece: (len(piece), piece))
    pairs = zip(chosen[::2], chosen[1::2], strict=False)
    graph = "".join(f"({a}; is a; {b})" for a, b in pairs)[:65_000]
    assert within(A_SECOND / 4, lambda: findings(graph, text, text))[1]


# ---- the released code's leniency, which the score follows ---------------------------------


@pytest.mark.parametrize("name", GRAPHS["lenient"])
def test_what_the_released_code_lets_pass_breaks_nothing(name: str) -> None:
    graph, wanted, *texts = GRAPHS["lenient"][name]
    texts = texts[0] if texts else (BELIEF, ARGUMENT)
    graph = graph.replace("SOUND", SOUND)
    assert (broken(graph, *texts), strict(graph, *texts)) == ([], wanted)


def test_letters_are_compared_as_they_are() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    graph = f"({composed}; is a; place)(place; is a; x)(x; is a; y)"
    assert "EG-BELIEF-CONCEPTS" in broken(graph, f"{decomposed} place", "x y")
    assert "EG-BELIEF-CONCEPTS" not in broken(graph, f"{composed} place", "x y")


# ---- recorded elsewhere --------------------------------------------------------------------

# vectors/human/eg_structure.json was recorded from the annotation page's validator. That page
# trims concepts, makes doubled blanks single and lower-cases before it judges, holds a graph as a
# list and not as a string, and its annotators must not repeat an edge or write more than eight.
# So these of its cases differ, and why:
DIFFERENT = {
    "four words, capital, spaces": "blanks are kept here, so one concept has a fourth word, and "
    "another, as a different concept, falls apart from the rest",
    "duplicate after normalisation": "with its blanks kept, the edge repeats none and falls apart",
    "semicolon in concept": "in the string, '; ' inside a concept makes a fourth part",
    "no facts": "an empty string is one edge of one part",
}
# And these ids are errors there, and strict findings here: EG-DUP, EG-MANY-FACTS.


def test_ids_and_culprits_are_those_of_the_annotation_page(vectors: Path) -> None:
    cases = json.loads((vectors / "human" / "eg_structure.json").read_text("utf-8"))
    assert DIFFERENT.keys() < {case["name"] for case in cases}
    for case in cases:
        graph = "".join(f"({'; '.join(fact)})" for fact in case["facts"])
        found = findings(graph, case["belief"], case["argument"])
        ours = {_as_on_the_page(finding) for finding in found[0] + found[1]}
        ours -= {"EG-W-INSIDE"}  # a warning there, and not recorded
        assert (ours == set(case["errors"])) == (case["name"] not in DIFFERENT), case["name"]


def _as_on_the_page(finding: Finding) -> str:
    if finding.rule.endswith("-CONCEPTS"):
        return f"{finding.rule} {len(finding.concepts)}"
    if finding.rule in ("EG-CYCLE", "EG-DISCONNECTED") or not finding.edges:
        return finding.rule
    return f"{finding.rule} {finding.edges[0] + 1}"


@pytest.mark.claim("Official gold keeps every structural constraint but for one graph of train.")
def test_official_gold_is_sound_but_for_one_graph_of_train(data: Path) -> None:
    board = boards.load("explagraphs")
    for split, wanted in (("dev", {}), ("train", {"EG-ARGUMENT-CONCEPTS": 1})):
        lines = (data / "explagraphs" / f"{split}.tsv").read_bytes().removesuffix(b"\n")
        rows = [line.split(b"\t") for line in lines.split(b"\n")]
        texts = [(row[0].decode(), row[1].decode()) for row in rows]
        content = b"\n".join(b"\t".join(row[2:4]) for row in rows)
        report = judged(board, content, rows=board.split(split).rows, texts=texts)
        assert report.ok, str(report)
        assert report.counts() == wanted


# ---- every rule has a case -----------------------------------------------------------------


INLINE = {"META-FILE": "test_submission.py", "TSV-ANSWERS": "test_people_answers.py",
          "TSV-PROBABILITIES": "test_others.py"}
"""Rules that are broken in no file of cases, and the module whose tests break them."""


@pytest.mark.claim("Every rule has a test in which it is broken.")
def test_every_rule_of_the_catalogue_has_a_case() -> None:
    for rule, module in INLINE.items():
        assert rule in (CASES.parent / module).read_text("utf-8")
    texts = [f"{path} {path.read_text('utf-8')}" for path in CASES.rglob("*")
             if path.suffix in (".txt", ".yaml")]
    named = re.findall(r"\b(?:TSV|META|EG|PR|ART)-[A-Z-]*[A-Z]\b", "\n".join(texts))
    ours = {rule for rule in named if rule in CATALOGUE or rule.endswith("-CONCEPTS")}
    assert {lookup(rule).id for rule in ours} | {*INLINE} == {*CATALOGUE}


def test_a_rule_is_text_that_a_stranger_can_follow() -> None:
    for rule in CATALOGUE.values():
        assert rule.text.endswith(".")
        assert rule.advice
        assert not rule.advice.endswith(".")
        assert rule.page == f"submit/rules/#{rule.id.lower()}"
    assert text_rule("belief") == "EG-BELIEF-CONCEPTS"


# ---- reports -------------------------------------------------------------------------------


def test_a_report_counts_rows_and_not_findings() -> None:
    report = judged(practice(), b"support\t(a; x; b)(b; y; c)\ncounter\t(a; x; a)\n", rows=2)
    assert report.ok
    assert report.counts() == {"EG-FEW-FACTS": 2, "EG-REL": 2, "EG-CYCLE": 1, "EG-SELF": 1}
    assert str(report).startswith("2 rows, all readable; 0 graphs keep every constraint\n")


def test_inputs_with_faults_are_our_fault(tmp_path: Path) -> None:
    board = boards.load("explagraphs")
    assert input_texts(board, "dev", tmp_path) is None
    place = tmp_path / "data" / "explagraphs" / "dev.tsv"
    place.parent.mkdir(parents=True)
    place.write_text("a belief\n")
    with pytest.raises(DataError, match=r"inputs of explagraphs dev:\n.*TSV-COLUMNS"):
        input_texts(board, "dev", tmp_path)


# ---- the library ---------------------------------------------------------------------------


def test_a_training_loop_may_check_plain_rows() -> None:
    rows = [("support", SOUND), ["counter", ""]]
    report = scorer.check(rows, board="explagraphs-practice", inputs=[(BELIEF, ARGUMENT)] * 2)
    assert report.ok
    assert report.broken[0] == ()
    assert "EG-PARTS" in report.counts()
    assert not scorer.check(rows, board=practice(), inputs=[(BELIEF, ARGUMENT)]).ok
    assert scorer.check([], board=practice()).problems[0].rule == "TSV-EMPTY"


@pytest.mark.parametrize(("rows", "words"), [
    ("support\tx", "expected a list of rows"),
    (["support\tx"], "row 1 is not a list of texts"),
    ([("support", "x"), ("support", None)], "row 2 is not a list of texts"),
    ([("support", "a\nb")], "row 1 has a tab or line feed inside a column"),
    ([("support", "a\tb")], "row 1 has a tab or line feed inside a column"),
])
def test_rows_that_no_file_could_hold_are_refused_by_their_number(rows: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plain_bytes(rows, "<predictions>")


def test_half_a_surrogate_pair_in_plain_rows_is_a_fault_and_no_crash() -> None:
    report = scorer.check([("support", "a\ud800")], board=practice())
    assert [problem.rule for problem in report.problems] == ["TSV-ENCODING"]
    assert_fit_for_a_log(str(report))


# ---- notation, against simple definitions and networkx -------------------------------------


hostile_texts = hostile_bytes.map(lambda content: content.decode(errors="replace"))


def digraph(of: list[Edge]) -> Any:
    made = networkx.MultiDiGraph()
    made.add_edges_from((edge.source, edge.target) for edge in of)
    return made


@thorough(200)
@given(edges)
def test_small_facts_about_graphs_are_those_of_networkx(of: list[Edge]) -> None:
    graph = digraph(of)
    acyclic = networkx.is_directed_acyclic_graph(graph)
    nodes = list(graph)
    parts = networkx.weakly_connected_components(graph)
    assert notation.concepts(of) == nodes
    assert notation.components(of) == sorted(
        (sorted(part, key=nodes.index) for part in parts), key=lambda part: nodes.index(part[0]))
    longest = networkx.dag_longest_path_length(networkx.DiGraph(graph)) if acyclic else None
    assert notation.depth(of) == longest
    cycle = notation.find_cycle(of)
    assert bool(cycle) == (not acyclic)
    if cycle:
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert all(graph.has_edge(*step) for step in pairwise(cycle))


@thorough(150)
@given(edges, st.integers(1, 6))
def test_a_chain_is_linear_and_nothing_else_is(of: list[Edge], length: int) -> None:
    names = list("abcdefg")
    chain = [Edge(names[i], "r", names[i + 1]) for i in range(length)]
    random.Random(length).shuffle(chain)
    assert notation.is_linear(chain)
    graph = digraph(of)
    degrees = sorted((graph.in_degree(n), graph.out_degree(n)) for n in graph)
    simple = bool(of) and len(of) == len(graph) - 1 and networkx.is_weakly_connected(graph)
    assert notation.is_linear(of) == (simple and max(map(max, degrees)) == 1)


@thorough(300)
@given(graph_strings)
def test_a_graph_is_read_as_the_released_code_reads_it(graph: str) -> None:
    found, lowered = Graph(graph), graph.lower()
    pieces = [tuple(edge.split("; ")) for edge in lowered[1:-1].split(")(")]
    sentences = [re.sub("[()]", "", edge.strip()) for edge in lowered.split(")(")]
    assert [*found.pieces] == pieces
    assert [*found.sentences] == sentences
    assert [*found.edges] == [piece for piece in pieces if len(piece) == 3]
    assert [*found.concepts] == notation.concepts(found.edges)


@thorough(400)
@given(graph_strings)
def test_a_string_has_a_syntax_fault_if_it_is_not_exactly_of_the_form(graph: str) -> None:
    word = r"[^();\t ]+(?: [^();\t ]+)*"
    exact = re.fullmatch(rf"(?:\({word}; {word}; {word}\))+", graph) is not None
    faults = notation.syntax_faults(graph)
    assert (faults == []) == exact
    more = [f"and {len(faults) - 1} more"] if len(faults) > 1 else []
    assert notation.syntax_faults(graph, 1) == faults[:1] + more


@thorough(200)
@given(edges)
def test_what_is_formatted_is_read_again_and_has_no_fault(of: list[Edge]) -> None:
    written = notation.format_graph(of)
    assert [*Graph(written).edges] == [Edge(*map(str.lower, edge)) for edge in of]
    assert notation.syntax_faults(written) == ([] if of else ["the string is empty"])


@pytest.mark.claim("Any text as a graph is judged and never crashes the checker.")
@thorough(150)
@given(graph_strings | hostile_texts, st.text(max_size=12) | hostile_texts,
       st.text(max_size=12) | hostile_texts)
def test_judging_any_string_for_any_texts_is_total(graph: str, belief: str, argument: str) -> None:
    found = findings(graph, belief, argument)
    assert found == findings(graph, belief, argument)
    edges_there = len(Graph(graph).pieces)
    for finding in found[0] + found[1]:
        assert lookup(finding.rule).effect in ("scores", "strict")
        assert finding.detail.endswith((".", "?"))
        assert len(finding.detail) < 2000
        assert all(0 <= index < edges_there for index in finding.edges)
