"""Ranks, comparisons and changes in a real browser, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import until

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "wide"

BOARD = "boards/wide/dev/"
SYSTEM = "boards/wide/systems/alpha-team--strong/"
PAIR = f"{BOARD}compare/?a=alpha-team/strong&b=gamma-team/near"
OWN = f"{BOARD}compare/alpha-team--strong--vs--gamma-team--near/"
READY = ".wb-compare[data-ready=yes]"
PAGES = (BOARD, SYSTEM, f"{BOARD}compare/", PAIR, OWN)

PARTS = (".wb-answer", ".wb-pairlists", "[aria-label='Every column'] tbody tr")

Open = Callable[..., Any]


@pytest.mark.claim("Without scripts each row shows its rank interval, and opens for the rest.")
@pytest.mark.parametrize("scripts", [True, False])
def test_a_row_has_its_rank_interval_even_without_scripts(scripts: bool, open_page: Open) -> None:
    page = open_page(BOARD, java_script_enabled=scripts)
    rows = page.locator(".wb-line")
    ranks = {row.get_attribute("data-key"): row.locator(".rk").inner_text().split()[-1]
             for row in rows.all()[:5]}
    assert ranks == {"alpha-team/strong": "1\u20133", "alpha-team/weaker": "\u2013",
                     "beta-team/close": "1\u20134", "gamma-team/near": "1\u20134",
                     "delta-team/third": "2\u20134"}
    rows.nth(1).locator("summary").press("Enter")
    assert "another row of its team is better" in page.locator(".wb-more:visible").inner_text()


def test_systems_are_sorted_by_name_and_not_by_rank(open_page: Open) -> None:
    page = open_page(BOARD)
    page.get_by_role("button", name="System").click()
    names = page.locator(".wb-board tbody").first.locator("th.name > a").all_inner_texts()
    assert names == ["Close", "Hidden", "Near", "Strong", "Third", "Weaker"]


def chosen(page: Any, a: str, b: str) -> None:
    """Choose two systems and wait until they are there."""
    page.locator(READY).wait_for()
    page.get_by_label("System A").select_option(label=a)
    page.get_by_label("System B").select_option(label=b)
    until(page, f"() => document.querySelector('.wb-two h2')?.textContent === '{a} against {b}'")


def test_a_pair_is_chosen_and_the_better_row_comes_first(open_page: Open) -> None:
    page = open_page(f"{BOARD}compare/", alone=True)
    chosen(page, "Third", "Strong")
    assert page.url.endswith("compare/?a=delta-team/third&b=alpha-team/strong")
    [answer] = words(page.locator(".wb-answer"))
    assert answer.startswith("Strong (90.8) is better than Third (84.2) on StCA: difference +6.7")


@pytest.mark.claim("The first ten systems are compared without scripts, each with the others.")
@pytest.mark.parametrize("scripts", [True, False])
def test_a_leading_pair_s_own_page_says_what_is_drawn_of_it(scripts: bool, open_page: Open) -> None:
    page = open_page(PAIR, ready=READY)
    drawn = {part: words(page.locator(f".wb-two {part}")) for part in PARTS}
    page = open_page(f"{BOARD}compare/", java_script_enabled=scripts)
    cell = page.locator(".wb-matrix tbody tr", has_text="Near").locator("td a").first
    cell.click()
    page.wait_for_url(f"**/{OWN}")
    assert {part: words(page.locator(f"main {part}")) for part in PARTS} == drawn
    assert page.url.endswith(OWN)
    page.locator(".wb-pairlists a", has_text="only Strong").click()
    page.wait_for_url("**/examples/?split=dev&a=alpha-team/strong&b=gamma-team/near&pair=a")


def words(found: Any) -> list[str]:
    """The text of elements, spaces apart."""
    return [" ".join(text.split()) for text in found.all_inner_texts()]


def test_any_two_rows_can_be_chosen_by_the_address(open_page: Open) -> None:
    page = open_page(f"{BOARD}compare/?a=omega-team/gone&b=reference/null", ready=READY)
    answer = page.locator(".wb-answer").inner_text()
    assert answer.startswith("Null (50.8) is better than Gone (42.5) on StCA: difference +8.3, p")
    assert (round(100 * 61 / 120, 1), round(100 * 51 / 120, 1)) == (50.8, 42.5)
    graded = page.locator(".wb-everycolumn tr", has_text="GED")
    assert graded.locator("td").all_inner_texts()[3:] == ["\u2013", "\u2013"]
    page.goto(page.url.partition("?")[0] + "?a=%3Cimg%3E&b=reference/null")
    page.locator("select[name=b] option").first.wait_for(state="attached")
    assert page.locator(".wb-two").inner_text() == ""


def test_the_matrix_can_be_of_another_column(open_page: Open) -> None:
    page = open_page(f"{BOARD}compare/", alone=True, ready=READY)
    page.locator("select[name=column]").select_option("GED")
    until(page, "() => document.querySelector('.wb-on').textContent === 'GED'")
    cell = page.locator(".wb-matrix tbody tr", has_text="Third").locator("td").first
    cell.get_by_text("\u25bc").wait_for()
    assert cell.get_by_role("link").inner_text().startswith("+0."), "farther from gold"
    cell.get_by_role("link").click()
    page.locator(READY).wait_for()
    assert page.locator(".wb-two h2").inner_text() == "Third against Strong"
    page.locator("select[name=column]").select_option("GED")
    page.locator("select[name=column]").select_option("StCA")
    assert page.locator(".wb-on").inner_text() == "StCA"


def test_pages_fit_a_narrow_screen_and_name_their_tables(open_page: Open) -> None:
    for path in PAGES:
        page = open_page(path, viewport={"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        for table in page.locator("article table").all():
            assert table.locator(":scope > caption").count() == 1
            assert table.locator("th:not([scope])").count() == 0
