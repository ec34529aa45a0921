"""The search box of every page in a real browser: what a reader types leads to the right page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import until

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "checkout"

BOARD = "boards/explagraphs-practice/dev/"
EXAMPLE = f"{BOARD}3/"
MAX_MARGIN = "boards/explagraphs/systems/third-party--max-margin/"

Open = Callable[..., Any]


def hits(page: Any, words: str) -> list[str]:
    """The addresses of what is found, below the site's root."""
    page.locator(".wb-seek input").fill(words)
    until(page, "words => document.querySelector('.wb-seek').dataset.shown === words", words)
    found: list[str] = page.locator(".wb-hits li a").evaluate_all(
        "links => links.map(a => a.pathname.slice(1) + a.search + a.hash)")
    return found


@pytest.mark.claim("The search box of every page finds boards, systems, metrics, rules and terms.")
@pytest.mark.parametrize(("start", "words", "first"), [
    (BOARD, "max-margin", MAX_MARGIN), (EXAMPLE, "StCA", "metrics/stca/"),
    (BOARD, "EG-CYCLE", "submit/rules/#eg-cycle"), (EXAMPLE, "null", "glossary/#null"),
    (BOARD, "explagraphs", "boards/explagraphs/"),
])
def test_words_lead_to_their_page_from_a_board_and_from_an_example(
    start: str, words: str, first: str, open_page: Open, site: str
) -> None:
    page = open_page(start)
    assert hits(page, words)[0] == first
    page.locator(".wb-seek input").press("Enter")
    page.wait_for_url(site + first)


def test_several_words_in_any_order_and_without_signs_find_the_same(open_page: Open) -> None:
    page = open_page(BOARD)
    assert MAX_MARGIN in hits(page, "margin MAX explagraphs")
    assert hits(page, "max-margin") == hits(page, "MAX margin")
    assert "metrics/statistics/#tests" in hits(page, "sign-flip permutation"), "prose too"
    assert hits(page, "no such words at all") == []
    assert page.locator(".wb-hits [role=status]").inner_text() == "No page has it; examples may."


def test_examples_are_searched_where_they_are_listed(open_page: Open) -> None:
    page = open_page(EXAMPLE)
    hits(page, "guests")
    page.get_by_role("link", name="Search examples for “guests” on ExplaGraphs practice").click()
    page.wait_for_url("**/boards/explagraphs-practice/examples/?find=guests")
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    assert int(page.locator(".wb-browser").get_attribute("data-shown")) > 0


def test_nothing_of_the_search_is_fetched_before_its_first_use(open_page: Open) -> None:
    page = open_page("about/", alone=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.goto(page.url.replace("about/", EXAMPLE))
    page.wait_for_load_state("networkidle")
    assert asked
    assert not [path for path in asked if "search" in path]
    hits(page, "StCA")
    assert [path for path in asked if "search" in path] == ["/assets/search.js",
                                                            "/data/search.json"]


def test_keys_alone_find_and_the_page_keeps_its_own(open_page: Open, site: str) -> None:
    page = open_page(BOARD)
    page.keyboard.press("/")
    page.keyboard.type("null")
    until(page, "document.querySelector('.wb-seek').dataset.shown === 'null'")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('.wb-hits li:nth-child(2) a')")
    page.keyboard.press("Escape")
    assert not page.locator(".wb-hits").is_visible()
    assert page.locator(".wb-seek input").input_value() == ""
    page.goto(site + EXAMPLE)
    page.locator(".wb-example[data-ready=yes]").wait_for()
    hits(page, "null")
    page.keyboard.type(" jukn")
    page.keyboard.press("Escape")
    assert page.url == site + EXAMPLE


def test_results_fit_a_telephone_and_go_when_the_page_is_touched(open_page: Open) -> None:
    page = open_page(EXAMPLE, viewport={"width": 390, "height": 844})
    hits(page, "graph")
    box = page.locator(".wb-hits").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.mouse.click(5, 830)  # below the results
    assert not page.locator(".wb-hits").is_visible()
