"""Graphs as annotators write them on the page: rows, what is told of them, where they are drawn."""

import json
import random
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answers import check, read_graph
from scorer.people.records import Item
from scorer.site.browsing import annotating
from tests import case_files
from tests.annotation_world import GRAPH
from tests.test_annotation_pages import Node, docs, node  # noqa: F401

pytestmark = pytest.mark.whole

CASES = Path(__file__).parent / "cases"
SCRIPTS = case_files.read("graph_scripts.yaml")
REFINE = organisers.forms_of()["refine"]
KNOWN = {"facts": annotating.facts(), "form": asdict(REFINE)}
TEXTS = {"belief": "Cats give joy at home.", "argument": "Homeless cats are pets.", "graph": GRAPH,
         "stance": "support", "label": "incorrect"}
START = """
const { language } = await load("../check/language.js");
const { teller } = await load("form.js");
const { factsOf, graphs, sentence } = await load("graphs.js");
const row = await load("graph_rows.js");
const { checks, grouped, phrases } = await load("graph_answer.js");
const { layout } = await load("graph_view.js");
const { facts, form, texts } = known;
const graph = graphs(facts, language(), teller(facts));
const old = graph.read(texts.graph).facts;
"""
Ask = Callable[[str, Iterable[Any]], list[Any]]


@pytest.fixture(scope="module")
def ask(node: Node) -> Ask:  # noqa: F811
    """What a function's body says of each case, with ``old`` for the facts of a graph to mend."""
    return lambda body, rows: node(f"{START} return (given) => {{ {body} }};",
                                   {**KNOWN, "texts": TEXTS}, rows)


@pytest.fixture(scope="module")
def answers(ask: Ask) -> list[Any]:
    bodies = ", ".join(f"() => {{ {case['body']} }}" for case in SCRIPTS)
    return ask(f"return [{bodies}][given]();", range(len(SCRIPTS)))


@pytest.mark.parametrize("place", range(len(SCRIPTS)), ids=[case["it"] for case in SCRIPTS])
def test_the_scripts_of_a_graph_that_is_written(place: int, answers: list[Any]) -> None:
    assert answers[place] == SCRIPTS[place]["gives"]


def any_rows(rng: random.Random) -> list[dict[str, Any]]:
    """Rows that somebody may leave behind: old ones changed or struck out, new ones, empty ones."""
    facts = [[*fact] for fact in read_graph(GRAPH)[0]]
    rows: list[dict[str, Any]] = [{"fact": fact, "old": place, "gone": rng.random() < 0.3}
                                  for place, fact in enumerate(facts)]
    rows += [{"fact": ["", "", ""], "old": None, "gone": False} for _ in range(rng.randrange(4))]
    for one in rows:
        if rng.random() < 0.5:
            one["fact"] = [rng.choice(["cats", "Pets ", "home", "joy", ""]),
                           rng.choice(["is a", "desires", "causes", ""]),
                           rng.choice(["pets", "home", "joy", "ca;ts", ""])]
    return rows


def test_the_changes_that_are_shown_are_the_programs_difference_of_both_graphs(ask: Ask) -> None:
    rng = random.Random(7)
    cases = [any_rows(rng) for _ in range(400)]
    old = read_graph(GRAPH)[0]
    every = ask("return [row.changes(given, old, graph.normalised), "
                "factsOf({ rows: given }).map(graph.normalised)];", cases)
    for rows, (lines, facts) in zip(cases, every, strict=True):
        before, after = {*old}, {Edge(*fact) for fact in facts}
        for change, wanted in (("kept", before & after), ("added", after - before),
                               ("removed", before - after)):
            assert {tuple(one["fact"]) for one in lines if one["change"] == change} == wanted, rows


def test_the_refined_graph_of_the_vectors_is_shown_with_their_difference(
    vectors: Path, ask: Ask
) -> None:
    one = json.loads((vectors / "human/eg_diff.json").read_text("utf-8"))
    [lines] = ask("return row.changes(row.resumed(given.new, given.old), given.old, "
                  "graph.normalised);", [one])
    for change, wanted in one["expected"].items():
        assert sorted(line["fact"] for line in lines if line["change"] == change) == sorted(wanted)


def test_rows_are_judged_as_the_file_that_they_become(node: Node) -> None:  # noqa: F811
    body = """
      const { answering } = await load("answers.js");
      const answer = answering(known.form, known.facts);
      return ({ item, rows }) => answer(item, { graph: { rows, ticked: [] } });
    """
    rng, item = random.Random(8), Item("i7", TEXTS)
    cases = [any_rows(rng) for _ in range(400)]
    every = node(body, KNOWN, ({"item": asdict(item), "rows": rows} for rows in cases))
    sound = 0
    for rows, one in zip(cases, every, strict=True):
        facts = [row["fact"] for row in rows
                 if not row["gone"] and (row["old"] is not None or any(row["fact"]))]
        if any(";" in part for fact in facts for part in fact):
            assert one["fault"]
            continue
        cell = "".join(f"({'; '.join(fact)})" for fact in facts)
        wanted = check(REFINE, item, {"graph": cell})
        assert one["fault"] == (wanted.fault and wanted.fault._asdict()), rows
        assert one["answers"] == wanted.answers
        sound += not wanted.fault
    assert sound >= 5


def test_a_draft_that_no_page_wrote_breaks_nothing(ask: Ask) -> None:
    drafts: list[Any] = [
        {"rows": [None, {}, {"fact": [1, None]}, {"fact": ["a", "b", "c"], "old": 99, "gone": True},
                  {"fact": ["a", "b", "c"], "old": 0}, {"fact": ["d", "e", "f"], "old": 0}],
         "ticked": ["x", 0]}, {"rows": [{"fact": ["a", "", ""]}] * 1000}, 7, "no graph"]
    for draft in ask("return row.rowsOf(given, old, 3, graph.read);", drafts):
        assert len(draft["rows"]) <= 60
        assert all(len(one["fact"]) == 3 and all(isinstance(part, str) for part in one["fact"])
                   for one in draft["rows"])
        starts = [one["old"] for one in draft["rows"] if one["old"] is not None]
        assert len(set(starts)) == len(starts)


def test_a_hosts_form_may_ask_for_a_graph_under_a_condition(
    tmp_path: Path, node: Node  # noqa: F811
) -> None:
    (tmp_path / "forms").mkdir()
    form, problems = organisers.read_form(shutil.copyfile(CASES / "host_form.yaml",
                                                tmp_path / "forms" / "why.yaml"))
    assert form is not None, problems
    body = """
      const { answering, asked, count } = await load("answers.js");
      const answer = answering(known.form, known.facts);
      return ({ item, given }) => {
        const kept = asked(item, given, answer, []);
        return [Object.keys(kept), count(given) - count(kept), answer(item, kept, []).answers];
      };
    """
    rows = {"rows": [{"fact": ["Rain", "leads to", "floods"], "old": None, "gone": False}],
            "ticked": [0]}
    assert node(body, {**KNOWN, "form": asdict(form)}, [
        {"item": asdict(Item("i1", {"story": "Rain falls."})),
         "given": {"holds": holds, "why": rows}} for holds in ("n", "y")]) == [
        [["holds", "why"], 0, {"holds": "n", "why": "(rain; leads to; floods)"}],
        [["holds"], 1, {"holds": "y"}]]


# ---- the drawing ---------------------------------------------------------------------------------


def some_facts(rng: random.Random) -> list[list[str]]:
    """Facts that may hang together or not, run in cycles, and stand twice."""
    names = ["a", "b", "c", "d", "a long name of three", "", "f", "g"]
    return [[rng.choice(names), rng.choice(["is a", "receives action"]), rng.choice(names)]
            for _ in range(rng.randrange(1, 12))]


def test_boxes_do_not_overlap_and_every_line_runs_from_its_source_to_its_target(ask: Ask) -> None:
    rng = random.Random(9)
    cases = [some_facts(rng) for _ in range(300)]
    for facts, drawn in zip(cases, ask("return layout(given);", cases), strict=True):
        nodes = {one["concept"]: one for one in drawn["nodes"]}
        assert set(nodes) == {name for fact in facts for name in (fact[0], fact[2])}
        boxes = [*nodes.values()]
        for place, one in enumerate(boxes):
            assert one["width"] / 2 <= one["x"] <= drawn["width"] - one["width"] / 2, facts
            assert one["height"] / 2 <= one["y"] <= drawn["height"] - one["height"] / 2, facts
            for other in boxes[place + 1:]:
                assert (abs(one["x"] - other["x"]) >= (one["width"] + other["width"]) / 2
                        or abs(one["y"] - other["y"]) >= one["height"]), facts
        for fact, edge in zip(facts, drawn["edges"], strict=True):
            for name, (x, y) in ((fact[0], edge["points"][0]), (fact[2], edge["points"][-1])):
                box = nodes[name]
                assert abs(x - box["x"]) <= box["width"] / 2 + .01, facts
                assert abs(y - box["y"]) <= box["height"] / 2 + .01, facts
