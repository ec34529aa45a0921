"""What a reader sees first of our widest board: the whole table, at once, and on paper."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import served
from tests.browser.tiny_site import ROOT, copy_pages

pytestmark = [pytest.mark.browser, pytest.mark.site]

Open = Callable[..., Any]
BOARD = "boards/explagraphs/dev/"
LATER = "boards/r4c/dev/"
"""Its rows are ordered by the fourth column."""
TELEPHONE = {"width": 390, "height": 844}
PAPER = {"width": 1047, "height": 718}
"""A4 on its side with margins of 10 mm, at 96 pixels an inch."""
UPPERMOST = """(one) => {
  const { right, top } = one.getBoundingClientRect();
  return document.elementFromPoint(right - 10, top + 10) === one;
}"""
CUT = "(box) => box.scrollWidth - box.clientWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with these boards alone, made of committed files."""
    from scorer.website.build import build

    folder = tmp_path_factory.mktemp("widest")
    copy_pages(folder / "root")
    for place in (f"{top}/{board}" for top in ("boards", "results")
                  for board in ("explagraphs", "r4c")):
        shutil.copytree(ROOT / place, folder / "root" / place)
    build(folder / "root", folder / "_site", home=folder / "home")
    with served(folder / "_site") as address:
        yield address


@pytest.mark.claim("No column of the ExplaGraphs dev leaderboard is cut at 1280 pixels.")
def test_no_column_is_cut_on_a_wide_screen(open_page: Open) -> None:
    for view in ("v", "l", "p"):
        page = open_page(f"{BOARD}?view={view}")
        assert page.locator(".wb-board thead th").count() == 10
        assert page.locator(".wb-tablebox").evaluate(CUT) == 0, view


def test_a_column_that_no_row_has_is_a_note(open_page: Open) -> None:
    page = open_page(BOARD)
    assert page.locator("th[data-metric=G-BERTScore]").count() == 0
    note = page.get_by_text("No row has G-BERTScore:")
    assert note.is_visible()
    assert "--models" not in page.locator("article").inner_text()


@pytest.mark.claim("On a telephone a leaderboard begins on the first screen.")
def test_the_first_row_is_on_the_first_screen_of_a_telephone(open_page: Open) -> None:
    page = open_page(BOARD, viewport=TELEPHONE)
    row = page.locator(".wb-board tbody tr").first.bounding_box()
    assert row["y"] + row["height"] <= TELEPHONE["height"]
    for link in page.locator(".md-tabs__link").all():
        box = link.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= TELEPHONE["width"], link.inner_text()


def test_nothing_covers_the_head_of_the_front_page_on_a_telephone(open_page: Open) -> None:
    page = open_page("", viewport=TELEPHONE)
    hero = page.locator(".wb-hero").bounding_box()
    below = page.locator("#submit-in-three-steps").bounding_box()
    assert below["y"] >= hero["y"] + hero["height"]


def test_a_telephone_shows_what_rows_are_ordered_by_beside_their_names(open_page: Open) -> None:
    page = open_page(LATER, viewport=TELEPHONE)
    box = page.locator(".wb-tablebox").bounding_box()
    head = page.locator("thead .ranked-by")
    assert head.evaluate("(one) => one.cellIndex") == 4
    for row in page.locator(".wb-board tbody tr:not(.wb-source)").all():
        name, cell = row.locator(".name").bounding_box(), row.locator(".ranked-by").bounding_box()
        assert name["x"] >= box["x"]
        assert name["x"] + name["width"] <= cell["x"], "neither covers the other"
        assert cell["x"] + cell["width"] <= box["x"] + box["width"]
        assert cell["x"] == head.bounding_box()["x"], "below its head"
    box = page.locator(".wb-tablebox")
    box.scroll_into_view_if_needed()
    for left in range(0, box.evaluate(CUT), 40):
        box.evaluate("(box, left) => { box.scrollLeft = left }", left)
        assert page.locator("tbody .name").first.evaluate(UPPERMOST), f"scrolled to {left}"


def test_tabs_and_filters_unfold_on_a_telephone(open_page: Open) -> None:
    page = open_page(BOARD, viewport=TELEPHONE)
    tabs, find = page.locator(".wb-tabs"), page.locator(".wb-sift input")
    assert not tabs.is_visible()
    assert not find.is_visible()
    page.locator("summary", has_text="all pages").click()
    page.locator("summary", has_text="Filter rows").click()
    assert tabs.is_visible()
    assert find.is_visible()


def test_chosen_columns_survive_a_reload(open_page: Open) -> None:
    page = open_page(BOARD)
    page.get_by_label("GED", exact=True).uncheck()
    page.get_by_label("G-BLEU", exact=True).uncheck()
    assert page.url.endswith("?hide=G-BLEU&hide=GED")
    page.reload()
    heads = page.locator(".wb-board thead th:visible")
    names = [text.split("\n")[0].lstrip("▾ ") for text in heads.all_inner_texts()]
    assert names == ["System", "SA", "StCA", "G-ROUGE-2", "G-ROUGE-L", "G-BERTScore", "SeCA", "EA"]
    cells = page.locator(".wb-board tbody tr:not(.wb-source)").first.locator("td:visible")
    assert cells.count() == len(names) - 1
    page.get_by_label("GED", exact=True).check()
    page.get_by_label("G-BLEU", exact=True).check()
    assert page.url.endswith(BOARD)


def test_paper_has_the_whole_table_and_no_navigation(open_page: Open) -> None:
    page = open_page(BOARD, alone=True, viewport=PAPER, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("nav:visible, header:visible, footer:visible, input:visible").count() == 0
    assert page.locator(".wb-tablebox").evaluate(CUT) == 0
    assert page.get_by_text("Each score is the mean over").is_visible()
    sizes = re.findall(rb"/MediaBox\s*\[([^]]*)\]", page.pdf(prefer_css_page_size=True))
    assert len(set(sizes)) == 1, "no page of another shape, such as an empty first one"
    assert len(sizes) <= 5, "of thirty rows, here and elsewhere"
    ink = page.locator(".wb-board td .v").first.evaluate("(one) => getComputedStyle(one).color")
    assert sum(map(int, ink[4:-1].split(","))) < 3 * 128, "dark on white, whatever the scheme"
