"""Graphs as annotators write them on the page: rows, what is told of them, where they are drawn."""

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.core.records import Edge
from scorer.people import forms, graphs
from scorer.people.answers import check
from scorer.people.records import Item
from scorer.site.browsing import annotating
from tests.annotation_world import GRAPH
from tests.test_annotation_pages import Node, docs, node  # noqa: F401

pytestmark = pytest.mark.whole

FORMS = forms.forms_of()
KNOWN = {"facts": annotating.facts(), "form": asdict(FORMS["refine"])}
START = """
const { language } = await load("../check/language.js");
const { teller } = await load("form.js");
const { factsOf, graphs, sentence } = await load("graphs.js");
const row = await load("graph_rows.js");
const { checks, grouped, phrases } = await load("graph_answer.js");
const { layout } = await load("graph_view.js");
const { facts, form } = known;
const graph = graphs(facts, language(facts.characters), teller(facts));
const old = graph.read(form.graphText ?? "").facts;
"""
TEXTS = {"belief": "Cats give joy at home.", "argument": "Homeless cats are pets.", "graph": GRAPH,
         "stance": "support", "label": "incorrect"}


@pytest.fixture
def ask(node: Node) -> Callable[[str, Iterable[Any]], list[Any]]:  # noqa: F811
    """What an expression says of each case, with ``old`` for the facts of a graph to mend."""
    known = {**KNOWN, "form": {**KNOWN["form"], "graphText": GRAPH}}  # type: ignore[dict-item]
    return lambda body, rows: node(f"{START} return (given) => {{ {body} }};", known, rows)


Ask = Callable[[str, Iterable[Any]], list[Any]]


def test_rows_begin_with_the_old_facts_or_as_many_empty_ones_as_are_needed(ask: Ask) -> None:
    [(mend, write)] = ask("""
      return [row.rowsOf("", old, 3, graph.read), row.rowsOf("", [], 3, graph.read)];
    """, [None])
    assert [(one["fact"], one["old"]) for one in mend["rows"]] == [
        (["cats", "is a", "pets"], 0), (["pets", "desires", "home"], 1),
        (["home", "is a", "joy"], 2)]
    assert write == {"rows": [{"fact": ["", "", ""], "old": None, "gone": False}] * 3,
                     "ticked": []}


def test_a_file_that_is_opened_again_strikes_out_what_it_has_no_longer(ask: Ask) -> None:
    [rows] = ask("return row.rowsOf(given, old, 3, graph.read).rows;",
                 ["(cats; is a; pets)(pets; causes; joy)"])
    assert [(one["old"], one["gone"], one["fact"][1]) for one in rows] == [
        (0, False, "is a"), (1, True, "desires"), (2, True, "is a"), (None, False, "causes")]


def test_each_step_gives_other_rows_and_leaves_those_before(ask: Ask) -> None:
    [seen] = ask("""
      const first = row.rowsOf("", old, 3, graph.read).rows;
      const before = JSON.stringify(first);
      const edited = row.edited(first, 0, 2, "joy");
      const removed = row.removed(row.added(edited), 3);
      const gone = row.removed(removed, 1);
      const states = [first, edited, gone, row.restored(gone, 1), row.reset(edited, 0, old),
        row.edited(row.added(first), 3, 0, "x")];
      return [JSON.stringify(first) === before, states.map((rows) =>
        rows.map((one) => row.state(one, old, graph.normalised)).join(" "))];
    """, [None])
    assert seen == [True, ["kept kept kept", "changed kept kept", "changed gone kept",
                           "changed kept kept", "kept kept kept", "kept kept kept added"]]


def test_a_change_of_case_or_of_spaces_is_none(ask: Ask) -> None:
    assert ask("""
      const rows = row.edited(row.rowsOf("", old, 3, graph.read).rows, 0, 0, "  Cats ");
      return row.changes(rows, old, graph.normalised).map(({ change }) => change);
    """, [None]) == [["kept"] * 3]


def test_a_replaced_fact_is_a_removed_one_and_an_added_one_of_the_same_row(ask: Ask) -> None:
    [lines] = ask("""
      const rows = row.edited(row.rowsOf("", old, 3, graph.read).rows, 1, 1, "causes");
      return row.changes(rows, old, graph.normalised);
    """, [None])
    assert [(one["change"], one["fact"][1], one["was"]) for one in lines] == [
        ("kept", "is a", None), ("removed", "desires", None),
        ("added", "causes", ["pets", "desires", "home"]), ("kept", "is a", None)]


def any_rows(rng: random.Random) -> list[dict[str, Any]]:
    """Rows that somebody may leave behind: old ones changed or struck out, new ones, empty ones."""
    facts = [[*fact] for fact in graphs.read(GRAPH)[0]]
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
    old = graphs.read(GRAPH)[0]
    found = ask("return [row.changes(given, old, graph.normalised), "
                "factsOf({ rows: given }).map(graph.normalised)];", cases)
    for rows, (lines, facts) in zip(cases, found, strict=True):
        wanted = graphs.diff(old, [Edge(*fact) for fact in facts])
        for change in ("kept", "added", "removed"):
            shown = {tuple(one["fact"]) for one in lines if one["change"] == change}
            assert shown == set(getattr(wanted, change)), rows


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
      return ({ item, rows }) => {
        const { triplets, ...found } = answer(item, { graph: { rows, ticked: [] } });
        return found;
      };
    """
    rng = random.Random(8)
    item = Item("i7", TEXTS)
    cases = [any_rows(rng) for _ in range(400)]
    found = node(body, KNOWN, ({"item": annotating.item(item), "rows": rows} for rows in cases))
    sound = 0
    for rows, one in zip(cases, found, strict=True):
        facts = [row["fact"] for row in rows
                 if not row["gone"] and (row["old"] is not None or any(row["fact"]))]
        if any(";" in part for fact in facts for part in fact):
            assert one["fault"]
            continue
        cell = "".join(f"({'; '.join(fact)})" for fact in facts)
        wanted = check(FORMS["refine"], item, {"graph": cell})
        assert one["fault"] == (wanted.fault and wanted.fault._asdict()), rows
        assert one["answers"] == wanted.answers
        sound += not wanted.fault
    assert sound >= 5


def test_a_draft_that_no_page_wrote_breaks_nothing(ask: Ask) -> None:
    drafts: list[Any] = [
        {"rows": [None, {}, {"fact": [1, None]}, {"fact": ["a", "b", "c"], "old": 99, "gone": True},
                  {"fact": ["a", "b", "c"], "old": 0}, {"fact": ["d", "e", "f"], "old": 0}],
         "ticked": ["x", 0]}, {"rows": [{"fact": ["a", "", ""]}] * 1000}, 7, "no graph"]
    for found in ask("return row.rowsOf(given, old, 3, graph.read);", drafts):
        assert len(found["rows"]) <= 60
        assert all(len(one["fact"]) == 3 and all(isinstance(part, str) for part in one["fact"])
                   for one in found["rows"])
        starts = [one["old"] for one in found["rows"] if one["old"] is not None]
        assert len(set(starts)) == len(starts)


HOST = """
schema: 1
kind: why
folder: why
format: why-graphs/1
guideline: why-1
title: Why?
about: You say whether a story holds and draw why it does not.
needed: 1
item: [{name: story, title: Story, kind: text}]
questions:
  - id: holds
    label: holds
    text: Does it hold?
    answer: choice
    values: [{key: y, text: It does}, {key: n, text: It does not}]
  - id: why
    label: why
    text: Why not?
    answer: graph
    when: {all: {holds: [n]}, because: holds is n, otherwise: holds is y}
readings: {leads to: leads to|lead to}
graph:
  texts: [{name: story, concepts: 1}]
  reminders: ["Short: nothing is there twice."]
  rules: {relations: [leads to], least_edges: 1, acyclic: no, connected: no}
"""


def test_a_hosts_form_may_ask_for_a_graph_under_a_condition(
    tmp_path: Path, node: Node  # noqa: F811
) -> None:
    path = tmp_path / "forms" / "why.yaml"
    path.parent.mkdir()
    path.write_text(HOST, "utf-8")
    form, problems = forms.read(path)
    assert form is not None, problems
    body = """
      const { answering, asked, count } = await load("answers.js");
      const answer = answering(known.form, known.facts);
      return ({ item, given }) => {
        const kept = asked(item, given, answer, []);
        return [Object.keys(kept), count(given) - count(kept), answer(item, kept, []).answers];
      };
    """
    item = annotating.item(Item("i1", {"story": "Rain falls."}))
    rows = {"rows": [{"fact": ["Rain", "leads to", "floods"], "old": None, "gone": False}],
            "ticked": [0]}
    found = node(body, {"facts": KNOWN["facts"], "form": asdict(form)}, [
        {"item": item, "given": {"holds": holds, "why": rows}} for holds in ("n", "y")])
    assert found == [[["holds", "why"], 0, {"holds": "n", "why": "(rain; leads to; floods)"}],
                     [["holds"], 1, {"holds": "y"}]]


# ---- what is told --------------------------------------------------------------------------------


def test_every_rule_is_listed_and_a_broken_one_names_the_fact(ask: Ask) -> None:
    cases = [[["cats", "is a", "pets"], ["pets", "likes", "home"]],
             [*map(list, graphs.read(GRAPH)[0])]]
    broken, sound = ask("""
      return checks(form.graph, graph.check(form.graph, { texts: given.texts }, given.facts)[0]);
    """, [{"texts": TEXTS, "facts": facts} for facts in cases])
    assert [one["words"] for one in broken] == [
        "3 to 8 facts", "Both concepts of each fact", "A relation in each fact",
        "At most 3 words in a concept", "No brackets, semicolons or tabs",
        "Two different concepts in each fact", "No fact twice", "All facts connected", "No cycle",
        "2 concepts from the belief", "2 concepts from the argument"]
    assert [[fault["text"] for fault in one["told"]] for one in broken if not one["kept"]] == [
        ["The graph has 2 facts; at least 3 are needed."],
        ['Fact 2: "likes" is not one of the relations.']]
    assert all(one["kept"] for one in sound)


def test_rules_that_a_form_does_not_have_are_not_listed(ask: Ask) -> None:
    [words] = ask("""
      const rules = { ...form.graph.rules, most_edges: null, concept_words: null, acyclic: false,
        connected: false, least_edges: 1 };
      return checks({ rules, texts: [{ name: "story", concepts: 0 }] }, []).map((one) => one.words);
    """, [None])
    assert words == ["At least 1 fact", "Both concepts of each fact", "A relation in each fact",
                     "No brackets, semicolons or tabs", "No fact twice"]


def test_a_fact_reads_as_a_sentence(ask: Ask) -> None:
    sentences = {
        ("cats", "is a", "pets"): "Cats are pets.",
        ("glass", "is a", "solid"): "Glass is a solid.",
        ("young people", "not desires", "home"): "Young people do not desire home.",
        ("joy", "not desires", "home"): "Joy does not desire home.",
        ("", "is a", " "): "… is a ….",
        ("wine", "ages with", "time"): "Wine ages with time.",
        ("cats", "__proto__", "x"): "Cats __proto__ x."}
    assert ask("return sentence(given, form.readings);", sentences) == [*sentences.values()]


def test_every_relation_has_a_place_in_the_list_to_choose_from(ask: Ask) -> None:
    [[positive, negative], plain] = ask(
        "return grouped({ ...form.graph.rules, ...given });", [{}, {"negated": []}])
    assert (positive[0], negative[0]) == ("Positive", "Negative")
    rules = KNOWN["form"]["graph"]["rules"]
    assert negative[1] == list(rules["negated"])
    assert sorted(positive[1] + negative[1]) == sorted(rules["relations"])
    assert plain == [["", list(rules["relations"])]]


def test_phrases_of_the_texts_and_concepts_in_use_are_offered(ask: Ask) -> None:
    [found] = ask('return phrases(["Cats give joy, at home."], ["own idea"], 2);', [None])
    assert found == ["own idea", "cats", "give", "joy", "cats give", "give joy", "home", "at home"]


# ---- the drawing ---------------------------------------------------------------------------------


def some_facts(rng: random.Random) -> list[list[str]]:
    """Facts that may hang together or not, run in cycles, and stand twice."""
    names = ["a", "b", "c", "d", "a long name of three", "", "f", "g"]
    return [[rng.choice(names), rng.choice(["is a", "receives action"]), rng.choice(names)]
            for _ in range(rng.randrange(1, 12))]


def test_boxes_do_not_overlap_and_every_line_runs_from_its_source_to_its_target(ask: Ask) -> None:
    rng = random.Random(9)
    cases = [some_facts(rng) for _ in range(300)]
    for facts, found in zip(cases, ask("return layout(given);", cases), strict=True):
        nodes = {one["concept"]: one for one in found["nodes"]}
        assert set(nodes) == {name for fact in facts for name in (fact[0], fact[2])}
        boxes = [*nodes.values()]
        for place, one in enumerate(boxes):
            assert one["width"] / 2 <= one["x"] <= found["width"] - one["width"] / 2, facts
            assert one["height"] / 2 <= one["y"] <= found["height"] - one["height"] / 2, facts
            for other in boxes[place + 1:]:
                assert (abs(one["x"] - other["x"]) >= (one["width"] + other["width"]) / 2
                        or abs(one["y"] - other["y"]) >= one["height"]), facts
        assert len(found["edges"]) == len(facts)
        for fact, edge in zip(facts, found["edges"], strict=True):
            for name, (x, y) in ((fact[0], edge["points"][0]), (fact[2], edge["points"][-1])):
                box = nodes[name]
                assert abs(x - box["x"]) <= box["width"] / 2 + .01, facts
                assert abs(y - box["y"]) <= box["height"] / 2 + .01, facts


def test_a_chain_is_drawn_from_left_to_right(ask: Ask) -> None:
    [found] = ask("return layout(given).nodes;", [[
        ["pets", "is a", "joy"], ["cats", "is a", "pets"], ["joy", "is a", "home"]]])
    assert [one["concept"] for one in sorted(found, key=lambda one: one["x"])] == [
        "cats", "pets", "joy", "home"]
