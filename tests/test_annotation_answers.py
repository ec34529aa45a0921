"""Answers against forms: the shared vectors exactly, cases of our own, and every gold graph.

Vectors say a fault as its rule and what it is about: a question, a triplet, a fact or a count.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.people import forms, graphs
from scorer.people.answers import CheckedItem, check
from scorer.people.records import Item, triplet_ids
from scorer.people.rules import RuleText

FORMS = forms.forms_of()
TOPICS = [str(number) for number in range(1, 10)]
COLLECT = FORMS["collect"].graph
assert COLLECT is not None


def csk(triplets: int, **answers: Any) -> CheckedItem:
    """The verdict on answers about a graph of so many triplets."""
    item = Item("i", {}, tuple(Edge("a", "r", str(number)) for number in range(triplets)))
    return check(FORMS["csk"], item, answers, TOPICS)


def codes(found: tuple[RuleText, ...] | list[RuleText]) -> list[str]:
    """Faults as vectors write them."""
    return [f"{one.rule} {one.about}".strip() for one in found]


def fault(found: CheckedItem) -> list[str]:
    """The first fault, if there is one."""
    return codes([found.fault] if found.fault else [])


def structure(belief: str, argument: str, facts: list[list[str]]) -> list[str]:
    """The codes of a graph."""
    assert COLLECT is not None
    item = Item("i", {"belief": belief, "argument": argument})
    return codes(graphs.check(COLLECT, item, [graphs.normalised(fact) for fact in facts])[0])


def cases(vectors: Path, name: str) -> list[Mapping[str, Any]]:
    """A file of the shared vectors."""
    found: list[Mapping[str, Any]] = json.loads((vectors / "human" / name).read_text("utf-8"))
    return found


@pytest.mark.claim("Answers of annotators get the verdicts of the shared conformance vectors.")
def test_every_answer_of_the_vectors_gets_its_verdict(vectors: Path) -> None:
    for case in cases(vectors, "csk_validate.json"):
        found = csk(len(case["triplets"]), **case["answers"])
        assert case["triplets"] == [*triplet_ids(len(case["triplets"]))]
        assert ([*found.asked], fault(found), codes(found.warnings)) == (
            case["required"], case["errors"][:1], case["warnings"]), case["name"]


def test_sound_answers_of_the_vectors_fit_the_published_schema(vectors: Path) -> None:
    schema = json.loads((vectors / "human/csk-annotations-1.schema.json").read_text("utf-8"))
    records = []
    for case in cases(vectors, "csk_validate.json"):
        found = csk(len(case["triplets"]), **case["answers"])
        if not found.fault:
            ids = triplet_ids(len(case["triplets"]))
            answers = {name: value if isinstance(value, str) else
                       {one: rated for one, rated in zip(ids, value, strict=True) if rated != "-"}
                       for name, value in found.answers.items()}
            records.append({"item": "i", "answers": answers})
    assert len(records) == 10
    jsonschema.validate({
        "format": "csk-annotations/1", "batch": "b", "batch_sha256": "0" * 64, "annotator": "ann",
        "guideline": "csk-1", "exported_at": "2026-11-21T03:50:00Z", "records": records}, schema)


def test_every_graph_of_the_vectors_gets_its_codes_in_order(vectors: Path) -> None:
    for case in cases(vectors, "eg_structure.json"):
        assert structure(case["belief"], case["argument"], case["facts"]) == case["errors"], case


def test_a_refined_graph_of_the_vectors_differs_as_they_say(vectors: Path) -> None:
    case: Mapping[str, Any] = json.loads((vectors / "human/eg_diff.json").read_text("utf-8"))
    old, new = ([Edge(*fact) for fact in case[name]] for name in ("old", "new"))
    found = graphs.diff(old, new)._asdict()
    assert {name: [list(fact) for fact in facts] for name, facts in found.items()} == (
        case["expected"])


@pytest.mark.parametrize(("split", "failing"), [("dev", []), ("train", ["EG-ARGUMENT-CONCEPTS 1"])])
def test_official_graphs_keep_the_rules_of_annotators_but_one(
    data: Path, split: str, failing: list[str]
) -> None:
    found = []
    lines = (data / "explagraphs" / f"{split}.tsv").read_text("utf-8").splitlines()
    for line in lines:
        belief, argument, _, graph = line.split("\t")
        facts, fault = graphs.read(graph)
        assert fault is None
        assert list(facts) == list(Graph(graph).edges)
        found += structure(belief, argument, [[*fact] for fact in facts])
    assert (len(lines), found) == ({"dev": 398, "train": 2368}[split], failing)


# The same without the vectors.

SOUND = {"q1": "1", "q2": "y", "q3": "y", "q3_1": "Pets are loved.", "q4": "1", "q5": "12"}


@pytest.mark.parametrize(("answers", "errors"), [
    (SOUND, []),
    ({"q1": "x", "q2": "x"}, []),
    ({**SOUND, "q2": "x"}, ["CSK-SKIPPED q3"]),
    ({**SOUND, "q3_1": "  "}, ["CSK-MISSING q3_1"]),
    ({**SOUND, "q1": "10"}, ["CSK-VALUE q1"]),
    ({**SOUND, "q5": "1"}, ["CSK-TRIPLET-COUNT q5"]),
    ({**SOUND, "q5": ""}, ["CSK-MISSING q5"]),
    ({**SOUND, "q5": "1-"}, ["CSK-VALUE q5"]),
    ({**SOUND, "q5": "14"}, ["CSK-MISSING q6"]),
    ({**SOUND, "q5": "14", "q6": "-2"}, []),
    ({**SOUND, "q5": "14", "q6": "-1"}, ["CSK-MISSING q7"]),
    ({**SOUND, "q5": "14", "q6": "21", "q7": "1"}, ["CSK-NEG-UNEXPECTED t01"]),
    ({**SOUND, "q6": "--"}, []),
    ({**SOUND, "q3_1": "a" * 4001}, ["ANN-TEXT q3_1"]),
    ({}, ["CSK-MISSING q1"]),
])
def test_answers_are_missed_refused_and_counted_as_the_flow_says(
    answers: dict[str, str], errors: list[str]
) -> None:
    assert fault(csk(2, **answers)) == errors


def test_a_wrong_answer_tells_one_fault_and_none_of_what_hangs_on_it() -> None:
    assert fault(csk(2, **{**SOUND, "q2": "maybe"})) == ["CSK-VALUE q2"]
    assert fault(csk(2, **{**SOUND, "q5": "19", "q6": "-1", "q7": "1"})) == ["CSK-VALUE q5"]


def test_sound_answers_come_without_what_was_not_asked() -> None:
    answers = csk(2, **{**SOUND, "q5": "14", "q6": "-1", "q7": "2"}).answers
    assert answers == {**SOUND, "q5": ("1", "4"), "q6": ("-", "1"), "q7": "2"}
    assert csk(2, q1="1", q2="n").answers == {"q1": "1", "q2": "n"}


def test_slips_are_told_and_refuse_nothing() -> None:
    assert codes(csk(2, **{**SOUND, "q5": "22"}).warnings) == ["CSK-W-Q4-NOPOS"]
    assert [one.text for one in csk(2, **{**SOUND, "q4": "3", "q5": "11"}).warnings] == [
        "Q4 is 3 (not at all) but 2 triplets are rated 1."]
    worse = csk(2, **{**SOUND, "q5": "14", "q6": "-1", "q7": "2"})
    assert codes(worse.warnings) == ["CSK-W-Q7-WORSE"]
    unsure = csk(2, **{**SOUND, "q5": "14", "q6": "-1", "q7": "x"})
    assert not unsure.warnings


@pytest.mark.parametrize(("label", "reasons", "errors"), [
    ("support", "", []),
    ("incorrect", "meaningless,other", []),
    ("incorrect", "", ["EG-REASON reasons"]),
    ("support", "other", ["EG-REASON reasons"]),
    ("incorrect", "ugly", ["EG-LABEL reasons"]),
    ("", "", ["EG-LABEL label"]),
    ("Support", "", ["EG-LABEL label"]),
])
def test_a_verifier_gives_reasons_for_what_is_incorrect_alone(
    label: str, reasons: str, errors: list[str]
) -> None:
    item = Item("i", {"belief": "b", "graph": "(a; is a; b)"})
    assert fault(check(FORMS["verify"], item, {"label": label, "reasons": reasons})) == errors


TEXTS = {"belief": "Cats eat.", "argument": "Many facts matter."}
GRAPH = "(cat; is a; fact)(fact; causes; eat)(eat; causes; matter)"


@pytest.mark.parametrize(("graph", "errors"), [
    (GRAPH, []),
    ("", ["EG-FEW-FACTS"]),
    ("( Cat;is a;  FACT ) (fact; causes; eat)(eat; causes; matter)", []),
    (f"{GRAPH}(cat; is a; fact)", ["EG-DUP 4"]),
    (f"{GRAPH}(matter; causes; cat)", ["EG-CYCLE"]),
    (f"{GRAPH}(dogs; is a; pets)", ["EG-DISCONNECTED"]),
    (f"{GRAPH}(cat; is a; cat)", ["EG-SELF 4"]),
    (f"{GRAPH}(cat; likes; food)", ["EG-REL 4"]),
    (f"{GRAPH}(cat; is a; )", ["EG-EMPTY 4"]),
    (f"{GRAPH}(cat; is a; very big hairy thing)", ["EG-LONG 4"]),
    (f"{GRAPH}(cat; is a; pet (tame))", ["EG-CHAR 4"]),
    (f"{GRAPH}(cat; is a)", ["EG-SYNTAX 4"]),
    ("cat is a fact", ["EG-SYNTAX"]),
    (GRAPH + "".join(f"(cat; is a; x{n})" for n in range(6)), ["EG-MANY-FACTS"]),
])
def test_a_written_graph_breaks_the_rules_of_the_task(graph: str, errors: list[str]) -> None:
    found = check(FORMS["collect"], Item("i", {**TEXTS, "stance": "support"}), {"graph": graph})
    assert fault(found) == errors


def test_a_written_graph_is_kept_in_its_normal_form() -> None:
    found = check(FORMS["collect"], Item("i", TEXTS), {"graph": GRAPH.upper()})
    assert found.answers == {"graph": GRAPH}
    assert "EG-W-INSIDE cat" in codes(found.warnings)


def test_a_refined_graph_that_equals_the_old_one_is_told() -> None:
    item = Item("i7", {**TEXTS, "graph": GRAPH})
    same = "(eat; causes; matter)(cat; is a; fact)(fact; causes; eat)"
    found = check(FORMS["refine"], item, {"graph": same})
    assert not found.fault
    assert "EG-W-NOCHANGE i7" in codes(found.warnings)


def test_a_hostile_graph_is_judged_in_bounded_words() -> None:
    graph = "".join(f"(a{n} b c d e; nothing; a{n} b c d e)" for n in range(4000))
    assert COLLECT is not None
    errors, _ = graphs.check(COLLECT, Item("i", TEXTS), graphs.read(graph)[0])
    assert len(errors) < 100
    assert max(len(one.text) for one in errors) < 400


@pytest.mark.parametrize(("kind", "answers", "errors"), [
    ("art-hypothesis", {"explains": "y"}, []),
    ("art-hypothesis", {"explains": "n", "fault": "first,language"}, []),
    ("art-hypothesis", {"explains": "n"}, ["ANN-MISSING fault"]),
    ("art-hypothesis", {"explains": "x", "fault": "last"}, ["ANN-SKIPPED fault"]),
    ("art-transition", {"broken": "3"}, []),
    ("art-transition", {"broken": "4"}, ["ANN-VALUE broken"]),
    ("stance", {"label": "neutral"}, []),
    ("stance", {"label": "none"}, ["EG-LABEL label"]),
])
def test_other_forms_are_asked_by_the_same_engine(
    kind: str, answers: dict[str, str], errors: list[str]
) -> None:
    assert fault(check(FORMS[kind], Item("i", {}), answers)) == errors
