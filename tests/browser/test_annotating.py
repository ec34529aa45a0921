"""An annotator at work: what is asked when, keys, drafts, files, and a page from a disk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer.people import organisers
from scorer.people.records import Closing
from scorer.people.validate import Workplace, check_file, coverage
from scorer.site.browsing import annotating
from scorer.site.records import AskedBatch
from tests.annotation_world import GRAPH, batch, made, sound
from tests.browser.annotating_site import REPOSITORY, opened, press, write, write_pages
from tests.browser.conftest import patient, served

pytestmark = [pytest.mark.browser, pytest.mark.site]

SCRIPT = "<img src=x onerror=window.pwned=1>"
WRITING = {
    "format": "annotation-batch/1", "batch": "w1", "kind": "collect", "guideline": "collect-1",
    "needed": 1, "training": True, "items": [{
        "id": "a1", "belief": "Cats give joy at home.", "argument": "Stray cats are pets.",
        "stance": "support", "answer": {"graph": GRAPH}, "why": "Pets want a home."}]}


class Annotating(NamedTuple):
    """Pages of batches on a disk, served too, and the folder whose rules judge their files."""

    folder: Path
    address: str
    place: Workplace


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Annotating]:
    """The pages of every open batch of the small world, and of one that is hostile."""
    folder = tmp_path_factory.mktemp("annotating")
    place = made(folder)
    bad = {**batch("c1")["items"][0], "premise": SCRIPT, "nodes": {},
           "triplets": [{"c1": SCRIPT, "rel": "Odd", "c2": f"b_{SCRIPT}"}]}
    for document in (batch("c1", batch="bad", items=[bad]), WRITING):
        path = organisers.path_of(place.folder, document["batch"])
        path.write_text(json.dumps(document), "utf-8")
    place = Workplace(place.folder)
    write_pages(folder / "site", place, ("known",))
    with served(folder / "site") as address:
        yield Annotating(folder / "site", address, place)


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails on an error of its scripts."""
    errors: list[str] = []
    context = patient(browser.new_context(viewport={"width": 1280, "height": 900}))
    context.on("weberror", lambda fault: errors.append(str(fault.error)))
    yield context.new_page()
    context.close()
    assert errors == []


def asked(page: Any) -> list[str]:
    """The questions on the page."""
    return [one.get_attribute("data-question") for one in page.locator(".wb-question").all()]


def focused(page: Any) -> str:
    """The name of what has the focus."""
    found: str = page.evaluate("document.activeElement.name || ''")
    return found


def part_one(page: Any) -> None:
    """Answer the first part of a question about commonsense, and go on."""
    press(page, "1", "ArrowDown", "y", "ArrowDown", "y", "ArrowDown")
    page.keyboard.type("Pets are at home.")
    press(page, "Control+Enter")
    page.locator("[data-question=q5] [data-triplet]").first.wait_for()


def test_the_graph_is_not_on_the_page_before_the_first_part_is_written(
    page: Any, site: Annotating
) -> None:
    opened(page, f"{site.address}annotate/c1/")
    press(page, "1", "ArrowDown", "y", "ArrowDown", "y", "ArrowDown")
    page.keyboard.type("  ")
    press(page, "Control+Enter", "Escape")
    assert asked(page) == ["q1", "q2", "q3", "q3_1"]
    page.locator("[name=q3_1]").focus()
    page.keyboard.type("Pets are at home.")
    assert page.locator("[data-field=triplets], .wb-graph").count() == 0
    page.get_by_role("button", name="Continue").click()
    page.locator(".wb-graph").wait_for()
    assert asked(page) == ["q1", "q2", "q3", "q3_1", "q4", "q5"]
    assert page.locator(".wb-graph text").all_text_contents() == [
        "pets (P)", "home (\u2013)", "joy (C)", "HasA", "IsA"]
    page.locator("[name=q3][value=n]").check()
    assert asked(page) == ["q1", "q2", "q3"]
    assert page.locator("[data-field=triplets], .wb-graph").count() == 0
    page.get_by_text("1 later answer is kept but will not be exported.").wait_for()


def test_a_row_and_its_edge_light_up_together(page: Any, site: Annotating) -> None:
    opened(page, f"{site.address}annotate/c1/")
    part_one(page)
    page.locator(".wb-graph").wait_for()
    page.locator("[name='q5 t02']").first.focus()
    page.locator(".wb-graph .e.lit").wait_for()
    assert page.locator(".wb-graph .l.lit").all_text_contents() == ["IsA"]
    page.locator(".wb-graph .l").first.hover()
    page.locator("[data-triplet=t01].lit").wait_for()
    assert page.locator("[data-triplet=t01] .wb-gloss").is_visible()
    page.locator(".wb-graph .l").first.click()
    assert focused(page) == "q5 t01"


def test_what_is_missing_gets_the_focus_and_a_warning_is_confirmed(
    page: Any, site: Annotating
) -> None:
    opened(page, f"{site.address}annotate/c1/")
    part_one(page)
    press(page, "3", "Enter", "1")
    page.get_by_role("button", name="Done, next").click()
    assert page.locator(".wb-saying").inner_text() == "1 rating is missing."
    assert focused(page) == "q5 t02"
    press(page, "1", "Enter")
    warning = page.locator(".wb-warning").inner_text()
    assert "Q4 is 3 (not at all) but 2 triplets" in warning
    assert "Q5: 1 Positive, 2 Neutral, 3 Unrelated, 4 Negative" in warning
    page.get_by_role("button", name="I will change it").click()
    assert page.locator(".wb-progress").inner_text().startswith("c1: 0 of 2 done")
    page.get_by_role("button", name="Done, next").click()
    press(page, "Enter")
    assert page.locator(".wb-progress").inner_text().startswith("c1: 1 of 2 done")


def test_a_draft_survives_is_discarded_and_comes_back(page: Any, site: Annotating) -> None:
    opened(page, f"{site.address}annotate/v1/")
    press(page, "3", "f")
    page.get_by_text("Saved").wait_for()
    opened(page, f"{site.address}annotate/v1/")
    assert page.locator("[name=label][value=incorrect]").is_checked()
    page.get_by_role("button", name="Discard").click()
    assert not page.locator("[name=label][value=incorrect]").is_checked()
    page.locator(".wb-notices").get_by_role("button", name="Undo").click()
    assert page.locator("[name=label][value=incorrect]").is_checked()
    assert "1 flagged" in page.locator(".wb-progress").inner_text()


def finished(page: Any, site: Annotating, address: str, login: str) -> Any:
    """The dialog after both graphs were verified."""
    opened(page, address)
    press(page, "1", "Enter", "3", "Enter", "1")
    return handing_in(page, login)


def handing_in(page: Any, login: str) -> Any:
    """The dialog after the last answer, once somebody agrees that it becomes public."""
    press(page, "Enter")
    page.locator("#wb-login").fill(login)
    page.locator("#wb-terms").check()
    return page.locator(".wb-handin")


def downloaded(page: Any, path: Path) -> Path:
    """The file that the dialog gives."""
    with page.expect_download() as waiting:
        page.locator("a[download]").click()
    waiting.value.save_as(path)
    return path


def test_a_handed_in_file_stands_every_rule_and_can_be_gone_on_from(
    page: Any, browser: Any, site: Annotating
) -> None:
    dialog = finished(page, site, f"{site.address}annotate/v1/", "Octo-Cat")
    link = dialog.get_by_role("link", name="Open on GitHub").get_attribute("href")
    assert link.startswith("https://github.com/team/board/new/main/annotations/verify/v1?"
                           "filename=octo-cat.tsv&value=%23format%09graph-verify%2F1%0A")
    agree = page.get_by_label("I agree that my name, my answers and my comments become public")
    agree.uncheck()
    assert dialog.locator("a[download]").count() == 0
    assert "Tick the box above to get the file." in dialog.inner_text()
    agree.check()
    path = downloaded(page, site.place.folder / "verify/v1/octo-cat.tsv")
    found = check_file(site.place, path, author="octo-cat", handed_in=True)
    assert found.errors == 0
    assert found.annotation.answers == {"a1": {"label": "support"},
                                        "b2": {"label": "incorrect", "reasons": ("meaningless",)}}

    def imported() -> None:
        other.get_by_role("button", name="Import").click()
        other.locator("#wb-file").set_input_files(path)

    other = opened(browser.new_page(), f"{site.address}annotate/v1/")
    press(other, "2")
    imported()
    other.get_by_role("button", name="Take the file's answers").click()
    assert other.locator(".wb-progress").inner_text().startswith("v1: 2 of 2 done")
    assert other.locator("[name=label][value=support]").is_checked()
    press(other, "Control+z")
    path.write_text(re.sub(r"(#batch_sha256\t)\w+", r"\g<1>" + "0" * 64, path.read_text("utf-8")))
    imported()
    other.get_by_text("ANN-BATCH-CHANGED").wait_for()
    assert other.locator("[name=label][value=counter]").is_checked()
    other.close()


def test_a_batch_that_closed_meanwhile_says_so_and_gives_the_answers_to_keep(
    page: Any, site: Annotating, tmp_path: Path
) -> None:
    place = Workplace(site.place.folder)
    form, batch = place.forms["verify"], sound(place, "v1")
    closing = Closing("annotation-closing/1", "v1", batch.sha256, ())
    there, closed = (replace(one, path="annotate/closing/") for one in annotating.pages(
        [AskedBatch(form, one, coverage(place, batch))
         for one in (batch, replace(batch, closing=closing))], REPOSITORY))
    write(site.folder, there)
    opened(page, f"{site.address}{there.path}")
    press(page, "1", "Enter", "3", "Enter", "1")
    write(site.folder, closed)
    dialog = handing_in(page, "octo-cat")
    dialog.get_by_text("This batch has closed meanwhile").wait_for()
    assert dialog.get_by_role("link", name="Open on GitHub").count() == 0
    file = downloaded(page, tmp_path / "octo-cat.tsv")
    assert "a1\tsupport" in file.read_text("utf-8")
    opened(page, f"{site.address}{there.path}?no-cache")
    page.get_by_text("This batch is closed and takes no more answers").wait_for()
    press(page, "Control+s")
    assert downloaded(page, tmp_path / "again.tsv").read_text("utf-8").count("\n") == 9


def test_leaving_asks_only_while_finished_items_were_never_exported(
    page: Any, site: Annotating, tmp_path: Path
) -> None:
    asks: list[str] = []
    page.on("dialog", lambda dialog: (asks.append(dialog.type), dialog.accept()))
    opened(page, f"{site.address}annotate/v1/")
    press(page, "1")
    page.goto("about:blank")
    assert asks == []
    finished(page, site, f"{site.address}annotate/v1/", "octo-cat")
    page.goto("about:blank")
    assert asks == ["beforeunload"]
    opened(page, f"{site.address}annotate/v1/")
    press(page, "Control+s")
    downloaded(page, tmp_path / "file.tsv")
    page.goto("about:blank")
    assert asks == ["beforeunload"]


def test_a_batch_to_learn_on_says_what_is_right_and_hands_nothing_in(
    page: Any, site: Annotating
) -> None:
    opened(page, f"{site.address}annotate/t1/")
    press(page, "2", "Enter")
    said = page.locator(".wb-training").inner_text()
    assert "Not quite" in said
    assert "It supports the belief, not: It counters the belief" in said
    assert "Purring is pleasant." in said
    press(page, "Enter")
    assert "0 of 1" in page.locator(".wb-training").inner_text()
    assert page.get_by_role("button", name="Hand in").count() == 0
    page.get_by_role("button", name="Begin again").click()
    press(page, "1", "Enter", "Enter")
    assert "1 of 1" in page.locator(".wb-training").inner_text()


def test_a_batch_to_learn_writing_on_shows_a_good_graph_and_counts_nothing(
    page: Any, site: Annotating
) -> None:
    opened(page, f"{site.address}annotate/w1/")
    facts = [("joy", "causes", "home"), ("cats", "desires", "joy"), ("cats", "is a", "pets")]
    for at, (source, relation, target) in enumerate(facts):
        row = page.locator(".wb-facts > li").nth(at)
        if not row.is_visible():
            page.get_by_role("button", name="Add").click()
        row.locator("input").first.fill(source)
        row.locator("select").select_option(relation)
        row.locator("input").last.fill(target)
    for reminder in page.locator(".wb-question input[type=checkbox]").all():
        reminder.check()
    page.get_by_role("button", name="Done, next").click()
    learnt = page.locator(".wb-training")
    learnt.wait_for()
    assert "pets desires home" in " ".join(learnt.inner_text().split())
    assert "Right" not in learnt.inner_text()
    press(page, "Enter")
    assert "All 1 are done" in learnt.inner_text()


def test_the_page_works_from_a_disk(page: Any, site: Annotating) -> None:
    address = (site.folder / "annotate/c1/index.html").as_uri()
    assert address.startswith("file:")
    opened(page, address)
    part_one(page)
    page.locator(".wb-graph").wait_for()
    press(page, "?")
    assert page.locator("dialog").is_visible()
    press(page, "Escape")
    dialog = finished(page, site, (site.folder / "annotate/v1/index.html").as_uri(), "octo-cat")
    assert "annotations/verify/v1/octo-cat.tsv" in dialog.inner_text()


def test_nothing_goes_sideways_on_a_narrow_screen(page: Any, site: Annotating) -> None:
    page.set_viewport_size({"width": 320, "height": 800})
    opened(page, f"{site.address}annotate/c1/")
    part_one(page)
    press(page, "4", "Enter", "4")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.locator("[data-question=q4] [data-field=triplets]").count() == 1


def test_markup_of_a_batch_stays_text(page: Any, site: Annotating) -> None:
    opened(page, f"{site.address}annotate/bad/")
    part_one(page)
    page.locator(".wb-graph").wait_for()
    assert SCRIPT in page.locator("[data-field=premise]").inner_text()
    assert page.locator("main img").count() == 0
    assert page.evaluate("window.pwned") is None


def test_a_browser_that_keeps_nothing_says_so(page: Any, site: Annotating) -> None:
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); };")
    opened(page, f"{site.address}annotate/v1/")
    press(page, "1")
    page.get_by_text("no room left").wait_for()
    assert page.locator("[name=label][value=support]").is_checked()


def test_no_key_of_the_theme_leaves_the_page(page: Any, site: Annotating) -> None:
    opened(page, f"{site.address}annotate/v1/")
    page.evaluate("""() => { window.heard = [];
        document.addEventListener("keydown", ({ key }) => heard.push(key)); }""")
    press(page, *"fs/p,n.", "F2")
    assert page.evaluate("heard") == ["F2"]
    page.locator("#wb-comment").focus()
    page.keyboard.type("n.")
    assert page.evaluate("heard") == ["F2", "n", "."]


def test_axe_has_nothing_against_any_state_of_the_page(page: Any, site: Annotating) -> None:
    package = pytest.importorskip("axe_playwright_python.base")
    page.context.add_init_script(package.AXE_FILE_PATH.read_text("utf-8"))
    found: list[str] = []

    def ask(state: str) -> None:
        for scheme in ("default", "slate"):
            page.evaluate("(name) => { document.body.dataset.mdColorScheme = name; }", scheme)
            for one in page.evaluate("""axe.run(document.querySelector("main"),
                    {resultTypes: ["violations"]}).then(({ violations }) => violations.filter(
                    ({ impact }) => ["serious", "critical"].includes(impact)))"""):
                found.append(f"{state} {scheme}: {one['id']} {one['nodes'][0]['target']}")

    opened(page, f"{site.address}annotate/c1/")
    part_one(page)
    page.locator(".wb-graph").wait_for()
    press(page, "3", "Enter", "4", "ArrowDown", "1", "Enter")
    ask("triplets")
    page.get_by_role("button", name="Done, next").click()
    ask("faults")
    press(page, "1", "Enter", "1", "Enter")
    page.locator(".wb-warning").wait_for()
    ask("a warning")
    press(page, "Control+s", "Escape", "?")
    ask("keys")
    press(page, "Escape")
    finished(page, site, f"{site.address}annotate/v1/", "octo-cat")
    ask("the file")
    opened(page, f"{site.address}annotate/t1/")
    press(page, "2", "Enter")
    ask("feedback")
    assert found == [], found
