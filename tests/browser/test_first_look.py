"""What a reader sees first of the real boards: the answer without a click, on any screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import script

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "checkout"

Open = Callable[..., Any]
EXPLAGRAPHS, ANLI = "boards/explagraphs/dev/", "boards/anli/test/"
SCREEN = {"width": 1280, "height": 900}
TELEPHONE = {"width": 390, "height": 844}
PAPER = {"width": 1047, "height": 718}
"""A4 on its side with margins of 10 mm, at 96 pixels an inch."""
CUT = "(box) => box.scrollWidth - box.clientWidth"


@pytest.mark.claim("The first screen of a leaderboard says which system is best and whether the "
                   "second is significantly worse.")
def test_a_reader_has_both_answers_on_the_first_screen_without_a_click(open_page: Open) -> None:
    seen = open_page(EXPLAGRAPHS, viewport=SCREEN).evaluate(script("words_seen"))
    assert "No system beats a meaningless graph on StCA" in seen
    assert re.search(r"leads with 86\.2, the same as its null; .* is significantly worse "
                     r"\(p < \.001\)", seen)
    assert "The next 8 (50.5 to 46.5) are not separated on StCA, nor from a baseline" in seen
    seen = open_page(ANLI, viewport=SCREEN).evaluate(script("words_seen"))
    assert "DeBERTa-v3-large is best on accuracy (90.6)" in seen
    assert "RoBERTa-large (83.5) is significantly worse (p < .001)" in seen


@pytest.mark.claim("Systems stand first: eight of them are on the first screen.")
def test_systems_stand_first_and_eight_are_on_the_first_screen(open_page: Open) -> None:
    page = open_page(EXPLAGRAPHS, viewport=SCREEN)
    boxes = [line.bounding_box() for line in page.locator(".wb-line").all()[:8]]
    assert boxes[0]["y"] <= 420
    assert boxes[-1]["y"] + boxes[-1]["height"] <= SCREEN["height"]
    kinds = page.locator(".wb-line").evaluate_all("lines => lines.map(line => line.dataset.tags)")
    assert "reference " not in "".join(kinds[:12])
    assert page.evaluate(script("words_above")) <= 90
    assert page.locator(".wb-tablebox").evaluate(CUT) == 0


@pytest.mark.claim("On a telephone a leaderboard begins on the first screen.")
def test_the_first_row_is_on_the_first_screen_of_a_telephone(open_page: Open) -> None:
    page = open_page(EXPLAGRAPHS, viewport=TELEPHONE)
    row = page.locator(".wb-line").first.bounding_box()
    assert row["y"] + row["height"] <= TELEPHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]
    name, value = (page.locator(f".wb-line {part}").first.bounding_box()
                   for part in ("th.name", "td.ord .v"))
    drawing = page.locator(".wb-line .wb-iv").first.bounding_box()
    assert name["x"] + name["width"] <= value["x"], "side by side"
    assert drawing["width"] > 340, "a strip of full width"


def test_more_columns_come_from_the_document_and_survive_a_reload(open_page: Open) -> None:
    page = open_page(EXPLAGRAPHS)
    page.locator(".wb-menu summary", has_text="Columns").click()
    page.get_by_label("G-BLEU", exact=True).check()
    cell = page.locator(".wb-line[data-key='third-party/max-margin'] [data-column=G-BLEU]")
    cell.wait_for()
    value = cell.inner_text()
    assert re.fullmatch(r"\d+\.\d", value)
    page.reload()
    cell.wait_for()
    assert cell.inner_text() == value


def test_paper_has_the_whole_table_and_no_navigation(open_page: Open) -> None:
    page = open_page(EXPLAGRAPHS, alone=True, viewport=PAPER, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("nav:visible, header:visible, footer:visible, input:visible").count() == 0
    assert page.locator(".wb-tablebox").evaluate(CUT) == 0
    sizes = re.findall(rb"/MediaBox\s*\[([^]]*)\]", page.pdf(prefer_css_page_size=True))
    assert len(set(sizes)) == 1, "no page of another shape, such as an empty first one"
    assert len(sizes) <= 5, "of thirty rows, here and elsewhere"
    ink = page.locator(".wb-board td .v").first.evaluate("(one) => getComputedStyle(one).color")
    assert sum(map(int, ink[4:-1].split(","))) < 3 * 128, "dark on white, whatever the scheme"
