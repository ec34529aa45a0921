"""Graphs are written and mended, and votes settled, each to a file that the program accepts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer.people import organisers
from scorer.people.validate import CheckedFile, Workplace, check_file
from tests.annotation_world import close, put, sheet
from tests.browser.conftest import until
from tests.browser.test_quality import (  # noqa: F401
    ALL_BUT_COLOUR,
    RULES_OF_COLOUR,
    _serious,
    axe,
    started,
)
from tests.browser.tiny_site import CLOSE, IMAGE, ROOT

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "odd_site"

Open = Callable[..., Any]
BATCHES = (ROOT / "tests/cases/graph_batches.yaml").read_text("utf-8")
ANNOTATORS = ("ann", "bob", "cyd")


def add_batches(place: Path) -> None:
    """Batches for graphs, and one to settle."""
    (place / "batches").mkdir(parents=True)
    listed = yaml.safe_load(BATCHES.replace("HOSTILE", json.dumps(f"Cats {IMAGE} {CLOSE}")))
    for kind, batch in listed.items():
        answers = batch.pop("answers", {})
        organisers.path_of(place, f"{kind}-1").write_text(json.dumps({
            "format": "annotation-batch/1", "batch": f"{kind}-1", "kind": kind,
            "guideline": f"{kind}-1", "needed": 1, "licence": "CC BY 4.0", "topics": [],
            **batch}), "utf-8")
        for name, row in answers.items():
            put(Workplace(place), f"{kind}/{kind}-1/{name}.tsv",
                sheet(kind, f"{kind}-1", row, annotator=name))
    close(place, "csk-1", *ANNOTATORS)


@pytest.fixture
def batch(open_page: Open) -> Open:
    """Opens a batch in a window of its own, which is closed without asking."""
    return lambda name, **settings: open_page(
        f"annotate/{name}/", alone=True, ready=".wb-item", **settings)


def handed_in(page: Any, odd: Path, path: str) -> CheckedFile:
    """What the program says of the file that the page gives away."""
    page.get_by_label("Your GitHub login").fill("octo-cat")
    page.get_by_label("I agree that").check()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download", exact=True).click()
    place = Workplace(odd / "root" / "annotations")
    file = place.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    download.value.save_as(file)
    checked = check_file(place, file, author=None if "adjudication" in path else "octo-cat",
                         handed_in=True)
    file.unlink()
    assert checked.errors == 0, checked.kept
    return checked


def message(page: Any) -> str:
    """What was said last."""
    return str(page.locator(".wb-saying").inner_text())


def tick_all(page: Any) -> None:
    """Tick every reminder, by keys."""
    for box in page.locator(".wb-reminders input").all():
        box.focus()
        page.keyboard.press("Space")


def test_a_graph_is_written_by_keys_alone_and_survives_a_reload_half_written(
    batch: Open, odd: Path
) -> None:
    page = batch("collect-1")
    assert page.locator("[data-field=stance]").inner_text().split("\n")[-1] == (
        "supports the belief")
    page.locator("body").press("ArrowDown")
    for fact in (("cats", "is a", "pets"), ("pets", "capable of", "joy"), ("joy", "", "")):
        for part in fact:
            page.keyboard.type(part)
            page.keyboard.press("Tab")
        page.keyboard.press("Tab")  # over Remove
    assert page.locator(".wb-reading").all_inner_texts() == [
        "Cats are pets.", "Pets are capable of joy.", "Joy … …."]
    until(page, "document.querySelector('.wb-saved').textContent.startsWith('Saved')")
    page.reload()
    page.locator(".wb-facts li").nth(2).wait_for()
    last = page.locator(".wb-facts li").nth(2)
    assert last.locator("input").first.input_value() == "joy"
    page.keyboard.press("Control+Enter")
    assert message(page) == "Fact 3: a concept is empty."
    assert page.locator(".wb-checks .broken").all_inner_texts() != []
    last.locator("select").select_option("at location")
    last.locator("input").nth(1).fill("cats")
    until(page, "document.querySelector('.wb-checks').innerText.includes('cycle')")
    last.locator("input").nth(1).fill("home")
    page.keyboard.press("Control+z")
    assert last.locator("input").nth(1).input_value() == ""
    page.keyboard.press("Control+Shift+z")
    assert last.locator("input").nth(1).input_value() == "home"
    page.keyboard.press("Control+Enter")
    assert message(page) == "Tick every reminder before you finish."
    tick_all(page)
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.locator(".wb-graphbox svg .n").nth(3).wait_for()
    assert page.locator(".wb-graphbox svg .n").count() == 4
    assert page.locator(".wb-view .wb-changes li").count() == 3
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Enter")  # it is right that `home` is in `Homeless`
    page.get_by_role("heading", name="Item 2").wait_for()
    page.keyboard.press("Control+s")
    checked = handed_in(page, odd, "graphs/collect-1/octo-cat.tsv")
    assert checked.annotation is not None
    assert checked.annotation.answers == {"a1": {
        "graph": "(cats; is a; pets)(pets; capable of; joy)(joy; at location; home)"}}


def test_a_graph_is_mended_with_every_change_shown_and_none_by_colour_alone(
    batch: Open, odd: Path
) -> None:
    page = batch("refine-1")
    rows = page.locator(".wb-facts > li")
    rows.nth(0).get_by_role("button", name="Remove").click()
    assert rows.nth(0).inner_text().split("\n")[0] == "\u2212"
    rows.nth(0).get_by_role("button", name="Restore").click()
    rows.nth(1).locator("select").select_option("capable of")
    assert "was: pets \u2013 desires \u2013 home" in rows.nth(1).inner_text()
    rows.nth(1).get_by_role("button", name="Reset fact").click()
    assert "was:" not in rows.nth(1).inner_text()
    rows.nth(1).locator("select").select_option("at location")
    rows.nth(2).get_by_role("button", name="Remove").click()
    page.keyboard.press("Alt+a")
    page.keyboard.type("pets")
    rows.nth(3).locator("select").select_option("causes")
    rows.nth(3).locator("input").nth(1).fill("joy")
    assert [" ".join(text.split()) for text in
            page.locator(".wb-changes > li").all_inner_texts()] == [
        "kept: cats is a pets", "\u2212 removed: pets desires home",
        "+ added: pets at location home instead of pets \u2013 desires \u2013 home",
        "\u2212 removed: home is a joy", "+ added: pets causes joy"]
    tick_all(page)
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="It is right").click()  # `home` in `Homeless`
    page.get_by_role("heading", name="Item 2").wait_for()
    page.keyboard.press("Control+s")
    checked = handed_in(page, odd, "refine/refine-1/octo-cat.tsv")
    assert checked.annotation is not None
    assert checked.annotation.answers == {"a1": {
        "graph": "(cats; is a; pets)(pets; at location; home)(pets; causes; joy)"}}


def test_a_graph_to_verify_is_drawn_and_each_fact_reads_as_a_sentence(
    batch: Open
) -> None:
    page = batch("verify-1")
    page.locator(".wb-graphbox svg").wait_for()
    assert page.locator(".wb-graphbox .n").count() == 4
    assert [text.strip() for text in page.locator(".wb-edges small").all_inner_texts()] == [
        "Cats are pets.", "Pets desire home.", "Home is a joy."]


def test_votes_are_settled_by_keys_alone(batch: Open, odd: Path) -> None:
    page = batch("adjudicate/csk-1")
    content = page.content()
    assert not any(f'"{name}"' in content for name in ANNOTATORS)
    assert page.locator(".wb-settle li b").all_inner_texts() == ["A: ", "B: "]
    page.locator("body").press("3")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Enter")
    assert message(page) == "Choose an answer."
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.locator(".wb-settle p", has_text="Triplet t01").wait_for()
    for keys in ("2", "6"), ("4", "5"):
        page.keyboard.press(keys[0])
        page.keyboard.press("Enter")
        page.keyboard.press(keys[1])
        page.keyboard.press("Enter")
    assert message(page) == "Every unit is settled. Hand in your file."
    checked = handed_in(page, odd, "adjudication/csk-1.tsv")
    assert [(one.unit, one.question, one.value, one.reason) for one in checked.rulings] == [
        ("", "q4", "3", "ambiguous-text"), ("t01", "q5", "2", "other"),
        ("t02", "q5", "4", "subjective")]


def test_pages_about_graphs_and_votes_work_from_a_disk(browser: Any, odd: Path) -> None:
    folder = odd / "_site/annotate"
    page = browser.new_page()
    for path, shown in (("collect-1", ".wb-facts"), ("verify-1", ".wb-graphbox svg"),
                        ("adjudicate/csk-1", ".wb-settle li")):
        page.goto((folder / path / "index.html").as_uri())
        page.locator(shown).first.wait_for()
    page.keyboard.press("Control+s")
    page.get_by_label("Your GitHub login").wait_for()
    page.close()


@pytest.mark.parametrize(("scheme", "rules"), [
    ("light", {1280: {}, 320: ALL_BUT_COLOUR}), ("dark", {1280: RULES_OF_COLOUR})])
def test_axe_finds_nothing_grave_and_a_narrow_screen_does_not_scroll_sideways(
    batch: Open, axe: str, scheme: str, rules: dict[int, Any]  # noqa: F811
) -> None:
    for name in ("collect-1", "refine-1"):
        page = batch(name)
        if name == "refine-1":
            page.locator(".wb-facts button", has_text="Remove").first.click()
            page.keyboard.press("Alt+a")
            page.keyboard.type("a new one")
            page.keyboard.press("Escape")
        page.keyboard.press("v")
        started(page, axe, scheme)
        for width, asked in rules.items():
            page.mouse.move(0, 0)
            assert _serious(page, name, width, asked) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
