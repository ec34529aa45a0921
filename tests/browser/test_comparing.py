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
PAIR = f"{BOARD}compare/alpha-team--strong--vs--gamma-team--near/"
READY = ".wb-compare[data-ready=yes]"
PAGES = (BOARD, SYSTEM, f"{BOARD}compare/", PAIR)

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


@pytest.mark.parametrize(("a", "b"), [("Third", "Strong"), ("Near", "Null")])
def test_a_pair_that_is_chosen_says_what_its_own_page_says(a: str, b: str, open_page: Open) -> None:
    page = open_page(f"{BOARD}compare/", alone=True)
    chosen(page, a, b)
    keys = [page.locator(f"select[name={name}]").input_value() for name in "ab"]
    assert page.url.endswith(f"compare/?a={keys[0]}&b={keys[1]}")
    drawn = {place: page.locator(f".wb-two {place}") for place in (
        ".wb-answer", ".wb-everycolumn tbody tr")}
    counts = {text.partition(" ")[0] for text in words(page.locator(".wb-pairlists a"))}
    drawn = {place: words(found) for place, found in drawn.items()}
    name = "--vs--".join(sorted(key.replace("/", "--") for key in keys))
    page.goto(page.url.partition("?")[0] + name + "/")
    own = {place: words(page.locator(f"main {place}")) for place in drawn}
    turned = page.locator("h1 bdi").first.inner_text() != a
    assert own[".wb-answer"] == drawn[".wb-answer"]
    assert turned or own == drawn
    listed = words(page.locator(".wb-counts summary"))
    assert len(listed) == 4
    assert {text.partition(" ")[0] for text in listed} == counts


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
