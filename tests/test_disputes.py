"""What annotators of a closed batch disagree on, and the page on which maintainers settle it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulate_annotators import file_of_rows
from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answered import AnsweredItem
from scorer.people.disputes import disputes, written
from scorer.people.records import Batch, Item, Ruling
from scorer.people.validate import Workplace, check_file, coverage
from scorer.site.browsing import annotating
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import AskedBatch
from tests.annotation_world import CSK_ROWS, close, made, put, sheet
from tests.test_annotation_pages import Node, docs, node  # noqa: F401

FORMS = organisers.forms_of()
NAMES = ("ann", "bob", "cyd")
Given = Mapping[str, str | tuple[str, ...]]


def item_of(*answers: Given, comments: Sequence[str] = ()) -> AnsweredItem:
    """An item of two triplets, and what one annotator each says of it."""
    item = Item("a1", {}, (Edge("a", "r", "b"), Edge("b", "r", "c")))
    batch = Batch("c1", "csk", "csk-1", 3, (item,), "5" * 64)
    return AnsweredItem(FORMS["csk"], batch, item, answers={
        f"ann{place}": given for place, given in enumerate(answers)}, comments={
        f"ann{place}": comment for place, comment in enumerate(comments)})


def disputed(*answers: Given) -> dict[str, str]:
    """Each dispute's question and triplet, with its votes in alphabetical order."""
    return {f"{one.question}{one.unit}": "".join(sorted(one.votes))
            for one in disputes([item_of(*answers)])}


@pytest.mark.parametrize(("q2", "open_"), [
    ("yyn", False), ("yn", True), ("ynx", True), ("yyx", False), ("yxx", False), ("xxx", True),
    ("yynn", True), ("y", False), ("", False)])
def test_a_unit_is_in_dispute_without_more_than_half_of_the_votes_that_say_something(
    q2: str, open_: bool
) -> None:
    assert list(disputed(*({"q1": "1", "q2": vote} for vote in q2))) == ["q2"] * open_


@pytest.mark.parametrize(("q4", "open_"), [("112", False), ("113", True), ("133", True),
                                           ("11x", False), ("123", True), ("222", False)])
def test_ordered_values_two_steps_apart_are_in_dispute_though_most_agree(
    q4: str, open_: bool
) -> None:
    assert bool(disputed(*({"q4": vote} for vote in q4))) is open_


def test_each_triplet_is_a_unit_and_those_not_asked_about_have_no_vote() -> None:
    assert disputed({"q5": ("1", "4"), "q6": ("-", "1")}, {"q5": ("1", "4"), "q6": ("-", "2")},
                    {"q5": ("2", "1")}) == {"q6t02": "12"}


def test_letters_tell_nothing_across_units() -> None:
    items = tuple(Item(f"i{number}", {}) for number in range(300))
    batch = Batch("s1", "stance", "stance-1", 3, items, "5" * 64)
    labels = ("support", "counter", "neutral")
    given = {name: {"label": label} for name, label in zip(NAMES, labels, strict=True)}
    every = disputes(AnsweredItem(FORMS["stance"], batch, item, answers=given) for item in items)
    assert len(every) == 300
    assert all(70 <= [one.votes[0] for one in every].count(label) <= 130 for label in labels)
    turned = dict(reversed(given.items()))
    assert every == disputes(AnsweredItem(FORMS["stance"], batch, item, answers=turned)
                             for item in items)


def test_what_annotators_wrote_is_there_without_their_names() -> None:
    remarks = written(item_of(
        *({"q3_1": f"said {place}"} for place in range(3)), comments=("one", "two", "three")))
    assert {key: sorted(texts) for key, texts in remarks.items()} == {
        "q3_1": ["said 0", "said 1", "said 2"], "comment": ["one", "three", "two"]}


# ---- the page ------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """A closed batch that three annotators disagree on."""
    workplace = made(tmp_path)
    for name, label in zip(NAMES, ("support", "counter", "neutral"), strict=True):
        put(workplace, f"stance/s1/{name}.tsv",
            sheet("stance", "s1", f"a1\t{label}\t{label} it is", "b2\tsupport", annotator=name))
    close(workplace.folder, "s1", *NAMES)
    return Workplace(workplace.folder)


def closed(place: Workplace, name: str = "s1") -> AskedBatch:
    """A batch as the site knows it."""
    batch, _ = place.batch(name)
    assert batch is not None
    return AskedBatch(place.forms[batch.kind], batch, coverage(place, batch),
                      items=tuple(place.items(batch)), rulings=place.rulings(batch))


def page(batch: AskedBatch) -> dict[str, Any]:
    """What the one page of a batch knows."""
    [made_page] = annotating.adjudication_pages([batch], SiteRepository())
    assert made_page.path == f"annotate/adjudicate/{batch.batch.name}/"
    known: dict[str, Any] = made_page.context["known"]
    return known


def test_the_page_knows_units_in_dispute_and_nobodys_name(place: Workplace) -> None:
    known = page(closed(place))
    assert [(one["item"], one["question"]) for one in known["units"]] == [("a1", "label")]
    assert [one["id"] for one in known["batch"]["items"]] == ["a1"]
    text = json.dumps({name: value for name, value in known.items() if name != "facts"})
    assert not [name for name in NAMES if f'"{name}"' in text]


def test_a_batch_that_nobody_answered_or_that_asks_for_graphs_alone_has_no_page(
    place: Workplace
) -> None:
    asked = closed(place)
    unfit = [replace(asked, items=()), replace(asked, form=FORMS["collect"])]
    assert [*annotating.adjudication_pages(unfit, SiteRepository())] == []


# ---- the file ------------------------------------------------------------------------------------

RULE = """
const { settled, unitsOf } = await load("rulings.js");
const { fileOf } = await load("ruling_file.js");
return ({ page, draft }) => {
  const units = unitsOf(page);
  return { first: settled(page, units),
    ...fileOf(page, units, draft, "boss", "2026-11-23T05:00:00Z") };
};
"""
BLANK: dict[str, Any] = {"answers": {}, "comments": {}, "done": []}
Rule = Callable[..., dict[str, Any]]


@pytest.fixture
def rule(node: Node) -> Rule:  # noqa: F811
    """What the page makes of a draft."""
    def ruled(known: Any, draft: Any = BLANK) -> dict[str, Any]:
        [answer] = node(RULE, None, [{"page": known, "draft": draft}])
        return dict(answer)

    return ruled


@pytest.mark.parametrize(("kind", "name", "count"), [("stance", "s1", 1), ("csk", "c1", 3)])
def test_the_file_of_the_page_is_accepted_and_is_where_the_page_begins_again(
    kind: str, name: str, count: int, place: Workplace, rule: Rule
) -> None:
    if kind == "csk":
        rows = {"ann": CSK_ROWS[0], "bob": "a1\t2\ty\ty\tJoy.\t3\t42\t2-", "cyd": "a1\t1\tx"}
        for who, row in rows.items():
            put(place, f"csk/c1/{who}.tsv", sheet("csk", "c1", row, annotator=who))
        close(place.folder, "c1", *rows)
    again = Workplace(place.folder)
    known = page(closed(again, name))
    ids = [" ".join((one["item"], one["unit"], one["question"])) for one in known["units"]]
    draft = {"answers": {one: {"value": unit["votes"][0], "reason": "edge-case"}
                         for one, unit in zip(ids, known["units"], strict=True)},
             "comments": {ids[0]: "both\tread\nwell"}, "done": ids}
    answer = rule(known, draft)
    assert (answer["errors"], answer["faults"]) == (0, [])
    path = put(again, f"adjudication/{name}.tsv", answer["file"])
    checked = check_file(again, path, handed_in=True)
    assert checked.kept == []
    assert len(checked.rulings) == len(ids) == count
    form = next(form for form in again.forms.values() if form.adjudicates)
    assert path.read_bytes() == file_of_rows(
        form, closed(again, name).batch, "boss", "2026-11-23T05:00:00Z", [
            (one.item, one.unit, one.question, one.value, one.reason, one.comment)
            for one in checked.rulings])
    first = rule(page(closed(again, name)), draft)["first"]
    assert (first["answers"], first["done"]) == (draft["answers"], ids)
    assert first["comments"][ids[0]] == "both\tread\nwell"


def test_a_comment_with_hidden_characters_is_refused_before_it_is_handed_in(
    place: Workplace, rule: Rule
) -> None:
    answer = rule(page(closed(place)), {
        "answers": {"a1  label": {"value": "support", "reason": "other"}},
        "comments": {"a1  label": "turned \u202eround"}, "done": ["a1  label"]})
    assert "TSV-INVISIBLE" in [fault["rule"] for fault in answer["faults"]]


def test_what_was_settled_and_is_no_longer_in_dispute_stays_in_the_file(
    place: Workplace, rule: Rule
) -> None:
    kept = Ruling("b2", "", "label", "counter", "annotator-error")
    answer = rule(page(replace(closed(place), rulings=(kept,))))
    assert answer["file"].endswith("comment\nb2\t\tlabel\tcounter\tannotator-error\t\n")
