"""What annotators of a closed batch disagree on, and the page on which maintainers settle it."""

import json
from pathlib import Path

import pytest

from scorer.core.records import Edge
from scorer.people import forms, sheets
from scorer.people.coverage import coverage
from scorer.people.disputes import Dispute, disputes, written
from scorer.people.records import Annotation, Batch, Item, Ruling
from scorer.people.validate import Workplace, check_file
from scorer.site.browsing import annotating
from scorer.site.reading.people import read_annotations
from scorer.site.reading.reader import SiteReader
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import ClosedBatch
from tests.annotation_world import CSK_ROWS, close, made, put, sheet
from tests.test_annotation_pages import Node, docs, node  # noqa: F401

FORMS = forms.forms_of()
NAMES = ("ann", "bob", "cyd")


def csk(*answers: dict[str, str | tuple[str, ...]]) -> list[Dispute]:
    """The disputes over one item of two triplets."""
    item = Item("a1", {}, (Edge("a", "r", "b"), Edge("b", "r", "c")))
    batch = Batch("c1", "csk", "csk-1", 3, (item,), "5" * 64)
    given = [Annotation("c1", "csk", name, "", {"a1": one})
             for name, one in zip(NAMES, answers, strict=False)]
    return disputes(FORMS["csk"], batch, given)


def votes(found: list[Dispute]) -> dict[str, str]:
    """Each dispute's question and triplet, with its votes in alphabetical order."""
    return {f"{one.question}{one.unit}": "".join(sorted(one.votes)) for one in found}


@pytest.mark.parametrize(("q2", "disputed"), [
    ("yyn", False), ("yn", True), ("ynx", True), ("yyx", False), ("yxx", False), ("xxx", True),
    ("yynn", True), ("y", False), ("", False)])
def test_a_unit_is_in_dispute_without_more_than_half_of_the_votes_that_say_something(
    q2: str, disputed: bool
) -> None:
    item = Item("a1", {})
    batch = Batch("c1", "csk", "csk-1", 3, (item,), "5" * 64)
    given = [Annotation("c1", "csk", f"ann{place}", "", {"a1": {"q1": "1", "q2": vote}})
             for place, vote in enumerate(q2)]
    assert [one.question for one in disputes(FORMS["csk"], batch, given)] == ["q2"] * disputed


@pytest.mark.parametrize(("q4", "disputed"), [("112", False), ("113", True), ("133", True),
                                              ("11x", False), ("123", True), ("222", False)])
def test_ordered_values_two_steps_apart_are_in_dispute_though_most_agree(
    q4: str, disputed: bool
) -> None:
    assert bool(csk(*({"q4": vote} for vote in q4))) is disputed


def test_each_triplet_is_a_unit_and_those_not_asked_about_have_no_vote() -> None:
    found = csk({"q5": ("1", "4"), "q6": ("-", "1")}, {"q5": ("1", "4"), "q6": ("-", "2")},
                {"q5": ("2", "1")})
    assert votes(found) == {"q6t02": "12"}


def test_letters_tell_nothing_across_units() -> None:
    items = tuple(Item(f"i{number}", {}) for number in range(300))
    batch = Batch("s1", "stance", "stance-1", 3, items, "5" * 64)
    said = dict(zip(NAMES, ("support", "counter", "neutral"), strict=True))
    given = [Annotation("s1", "stance", name, "", {item.id: {"label": label} for item in items})
             for name, label in said.items()]
    found = disputes(FORMS["stance"], batch, given)
    first = [one.votes[0] for one in found]
    assert len(found) == 300
    assert all(70 <= first.count(label) <= 130 for label in said.values())
    assert found == disputes(FORMS["stance"], batch, given[::-1])


def test_what_annotators_wrote_is_there_without_their_names() -> None:
    item = Item("a1", {})
    batch = Batch("c1", "csk", "csk-1", 3, (item,), "5" * 64)
    given = [Annotation("c1", "csk", name, "", {"a1": {"q3_1": f"said {place}"}},
                        {"a1": f"noted {place}"}) for place, name in enumerate(NAMES)]
    found = written(FORMS["csk"], batch, given)["a1"]
    assert sorted(found["q3_1"]) == ["said 0", "said 1", "said 2"]
    assert sorted(found["comment"]) == ["noted 0", "noted 1", "noted 2"]


# ---- the page ------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """A closed batch that three annotators disagree on."""
    found = made(tmp_path)
    for name, label in zip(NAMES, ("support", "counter", "neutral"), strict=True):
        put(found, f"stance/s1/{name}.tsv",
            sheet("stance", "s1", f"a1\t{label}\t{label} it is", "b2\tsupport", annotator=name))
    close(found.folder, "s1", *NAMES)
    return Workplace(found.folder)


def closed(place: Workplace, name: str) -> ClosedBatch:
    """A batch as the site knows it."""
    batch, _ = place.batch(name)
    assert batch is not None
    return ClosedBatch(place.forms[batch.kind], batch, coverage(place, batch),
                       tuple(place.annotations(batch)), {}, place.rulings(batch))


def test_the_page_knows_units_in_dispute_and_nobodys_name(place: Workplace) -> None:
    [page] = annotating.adjudication_pages([closed(place, "s1")], SiteRepository())
    known = page.context["known"]
    assert page.path == "annotate/adjudicate/s1/"
    assert [(one["item"], one["question"]) for one in known["units"]] == [("a1", "label")]
    assert [one["id"] for one in known["batch"]["items"]] == ["a1"]
    del known["facts"]
    told = json.dumps(known)
    assert not any(f'"{name}"' in told for name in NAMES)


def test_a_batch_that_nobody_answered_or_that_asks_for_graphs_alone_has_no_page(
    place: Workplace
) -> None:
    asked = closed(place, "s1")
    nobody = ClosedBatch(asked.form, asked.batch, asked.coverage)
    graphs = ClosedBatch(FORMS["collect"], asked.batch, asked.coverage, asked.annotations)
    assert [*annotating.adjudication_pages([nobody, graphs], SiteRepository())] == []


def test_votes_of_an_open_batch_are_on_no_page(place: Workplace) -> None:
    put(place, "csk/c1/ann.tsv", sheet("csk", "c1", *CSK_ROWS))
    put(place, "csk/c1/bob.tsv", sheet("csk", "c1", "b2\t2\ty\tn", annotator="bob"))
    found = read_annotations(SiteReader(place.folder.parent, place.folder), (), None)
    assert [one.batch.name for one in found.closed] == ["s1"]
    pages = annotating.adjudication_pages(found.closed, SiteRepository())
    assert [page.path for page in pages] == ["annotate/adjudicate/s1/"]


# ---- the file ------------------------------------------------------------------------------------

RULE = """
const { formFor, lettered, settled, unitsOf } = await load("rulings.js");
const { fileOf } = await load("ruling_file.js");
return ({ page, draft }) => {
  const units = unitsOf(page);
  return { first: settled(page, units), ids: units.map(({ id }) => id),
    asked: units.map(({ unit }) => formFor(page.asked, page.form, unit.question).questions
      .map(({ id, keys }) => [id, keys])),
    votes: units.map(({ unit }) => lettered(unit)),
    ...fileOf(page, units, draft, "boss", "2026-11-23T05:00:00Z") };
};
"""


def test_a_unit_is_asked_its_own_values_and_the_reasons_of_the_form(
    place: Workplace, node: Node  # noqa: F811
) -> None:
    [page] = annotating.adjudication_pages([closed(place, "s1")], SiteRepository())
    [found] = node(RULE, None, [{"page": page.context["known"], "draft": {
        "answers": {}, "comments": {}, "done": []}}])
    assert found["ids"] == ["a1  label"]
    assert found["asked"] == [[["value", ["support", "counter", "neutral"]], ["reason", [
        "ambiguous-text", "guideline-gap", "annotator-error", "edge-case", "subjective",
        "other"]]]]
    assert [letter for letter, _ in found["votes"][0]] == ["A", "B", "C"]
    assert sorted(vote for _, vote in found["votes"][0]) == ["counter", "neutral", "support"]


@pytest.mark.parametrize(("kind", "name"), [("stance", "s1"), ("csk", "c1")])
def test_the_file_of_the_page_is_accepted_and_is_where_the_page_begins_again(
    kind: str, name: str, place: Workplace, node: Node  # noqa: F811
) -> None:
    if kind == "csk":
        rows = {"ann": CSK_ROWS[0], "bob": "a1\t2\ty\ty\tJoy.\t3\t42\t2-", "cyd": "a1\t1\tx"}
        for who, row in rows.items():
            put(place, f"csk/c1/{who}.tsv", sheet("csk", "c1", row, annotator=who))
        close(place.folder, "c1", *rows)
    again = Workplace(place.folder)
    [page] = annotating.adjudication_pages([closed(again, name)], SiteRepository())
    known = page.context["known"]
    ids = [" ".join((one["item"], one["unit"], one["question"])) for one in known["units"]]
    draft = {"answers": {one: {"value": unit["votes"][0], "reason": "edge-case"}
                         for one, unit in zip(ids, known["units"], strict=True)},
             "comments": {ids[0]: "both\tread\nwell"}, "done": ids}
    [found] = node(RULE, None, [{"page": known, "draft": draft}])
    assert (found["errors"], found["faults"]) == (0, [])
    path = put(again, f"adjudication/{name}.tsv", found["file"])
    checked = check_file(again, path, handed_in=True)
    assert checked.faults.kept == []
    assert len(checked.rulings) == len(ids) == {"stance": 1, "csk": 3}[kind]
    batch, _ = again.batch(name)
    assert batch is not None
    form = next(form for form in again.forms.values() if form.adjudicates)
    assert path.read_bytes() == sheets.written(
        form, batch, "boss", "2026-11-23T05:00:00Z", [
            (one.item, one.unit, one.question, one.value, one.reason, one.comment)
            for one in checked.rulings])
    [page] = annotating.adjudication_pages([closed(again, name)], SiteRepository())
    [found] = node(RULE, None, [{"page": page.context["known"], "draft": draft}])
    assert found["first"]["answers"] == draft["answers"]
    assert found["first"]["comments"][ids[0]] == "both\tread\nwell"
    assert found["first"]["done"] == ids


def test_a_comment_with_hidden_characters_is_refused_before_it_is_handed_in(
    place: Workplace, node: Node  # noqa: F811
) -> None:
    [page] = annotating.adjudication_pages([closed(place, "s1")], SiteRepository())
    draft = {"answers": {"a1  label": {"value": "support", "reason": "other"}},
             "comments": {"a1  label": "turned \u202eround"}, "done": ["a1  label"]}
    [found] = node(RULE, None, [{"page": page.context["known"], "draft": draft}])
    assert "TSV-INVISIBLE" in [fault["rule"] for fault in found["faults"]]


def test_what_was_settled_and_is_no_longer_in_dispute_stays_in_the_file(
    place: Workplace, node: Node  # noqa: F811
) -> None:
    one = closed(place, "s1")
    kept = Ruling("b2", "", "label", "counter", "annotator-error")
    [page] = annotating.adjudication_pages(
        [ClosedBatch(one.form, one.batch, one.coverage, one.annotations, {}, (kept,))],
        SiteRepository())
    [found] = node(RULE, None, [{"page": page.context["known"], "draft": {
        "answers": {}, "comments": {}, "done": []}}])
    assert found["file"].endswith("comment\nb2\t\tlabel\tcounter\tannotator-error\t\n")
