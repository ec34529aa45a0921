"""Answers against forms: the shared vectors exactly, cases of our own, and every gold graph.

A fault is written as its rule and what it is about: a question, a triplet, a fact or a count.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answers import CheckedItem, check, check_graph, normalised, read_graph
from scorer.people.records import Item
from scorer.people.sheets import RuleText
from tests.annotation_world import answered

FORMS = organisers.forms_of()
TOPICS = [str(number) for number in range(1, 10)]


def csk(triplets: int, **answers: Any) -> CheckedItem:
    """The verdict on answers about a graph of so many triplets."""
    item = Item("i", {}, tuple(Edge("a", "r", str(number)) for number in range(triplets)))
    return check(FORMS["csk"], item, answers, TOPICS)


def codes(*found: RuleText | None) -> list[str]:
    """Faults as vectors write them."""
    return [f"{one.rule} {one.about}".strip() for one in found if one]


def structure(belief: str, argument: str, facts: list[list[str]]) -> list[str]:
    """The codes of a graph."""
    form = FORMS["collect"].graph
    item = Item("i", {"belief": belief, "argument": argument})
    return codes(*check_graph(form, item, [normalised(fact) for fact in facts])[0])


def recorded(vectors: Path, name: str) -> Any:
    """A file of the shared vectors."""
    return json.loads((vectors / "human" / name).read_text("utf-8"))


@pytest.mark.claim("Answers of annotators get the verdicts of the shared conformance vectors.")
def test_every_answer_of_the_vectors_gets_its_verdict(vectors: Path) -> None:
    for case in recorded(vectors, "csk_validate.json"):
        found = csk(len(case["triplets"]), **case["answers"])
        assert ([*found.asked], codes(found.fault), codes(*found.warnings)) == (
            case["required"], case["errors"][:1], case["warnings"]), case["name"]


def test_sound_answers_of_the_vectors_fit_the_published_schema(vectors: Path) -> None:
    schema, records = recorded(vectors, "csk-annotations-1.schema.json"), []
    for case in recorded(vectors, "csk_validate.json"):
        found, ids = csk(len(case["triplets"]), **case["answers"]), case["triplets"]
        if not found.fault:
            answers = {name: value if isinstance(value, str) else
                       {one: rated for one, rated in zip(ids, value, strict=True) if rated != "-"}
                       for name, value in found.answers.items()}
            records.append({"item": "i", "answers": answers})
    assert len(records) == 10
    jsonschema.validate({
        "format": "csk-annotations/1", "batch": "b", "batch_sha256": "0" * 64, "annotator": "ann",
        "guideline": "csk-1", "exported_at": "2026-11-21T03:50:00Z", "records": records}, schema)


def test_every_graph_of_the_vectors_gets_its_codes_in_order(vectors: Path) -> None:
    for case in recorded(vectors, "eg_structure.json"):
        assert structure(case["belief"], case["argument"], case["facts"]) == case["errors"], case


@pytest.mark.parametrize(("split", "graphs_of", "failing"), [
    ("dev", 398, []), ("train", 2368, ["EG-ARGUMENT-CONCEPTS 1"])])
def test_official_graphs_keep_the_rules_of_annotators_but_one(
    data: Path, split: str, graphs_of: int, failing: list[str]
) -> None:
    found = []
    lines = (data / "explagraphs" / f"{split}.tsv").read_text("utf-8").splitlines()
    for line in lines:
        belief, argument, _, graph = line.split("\t")
        facts, fault = read_graph(graph)
        assert fault is None
        assert list(facts) == list(Graph(graph).edges)
        found += structure(belief, argument, [[*fact] for fact in facts])
    assert (len(lines), found) == (graphs_of, failing)


def test_answers_are_missed_refused_and_counted_as_their_form_says() -> None:
    for kind, item, given, rules in answered():
        found = check(FORMS[kind], item, given, TOPICS)
        assert codes(found.fault, *found.warnings) == rules, (kind, given)


def test_sound_answers_come_without_what_was_not_asked() -> None:
    sound = {"q1": "1", "q2": "y", "q3": "y", "q3_1": "Pets are loved.", "q4": "1", "q5": "14",
             "q6": "-1", "q7": "2"}
    assert csk(2, **sound).answers == {**sound, "q5": ("1", "4"), "q6": ("-", "1")}
    assert csk(2, q1="1", q2="n", q6="--").answers == {"q1": "1", "q2": "n"}


def test_a_caution_counts_what_it_is_about() -> None:
    answers = {"q1": "1", "q2": "y", "q3": "y", "q3_1": "a", "q4": "3", "q5": "11"}
    assert [one.text for one in csk(2, **answers).warnings] == [
        "Q4 is 3 (not at all) but 2 triplets are rated 1."]


def test_a_written_graph_is_kept_in_its_normal_form() -> None:
    item = Item("i", {"belief": "Cats eat.", "argument": "Many facts matter."})
    graph = "(cat; is a; fact)(fact; causes; eat)(eat; causes; matter)"
    found = check(FORMS["collect"], item, {"graph": graph.upper()})
    assert found.answers == {"graph": graph}
    assert "EG-W-INSIDE cat" in codes(*found.warnings)


def test_a_hostile_graph_is_judged_in_bounded_words() -> None:
    graph = "".join(f"(a{n} b c d e; nothing; a{n} b c d e)" for n in range(4000))
    form, item = FORMS["collect"].graph, Item("i", {"belief": "Cats eat.", "argument": "Facts."})
    errors, _ = check_graph(form, item, read_graph(graph)[0])
    assert len(errors) < 100
    assert max(len(one.text) for one in errors) < 400
