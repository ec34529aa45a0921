"""Places, comparisons and changes in a real browser, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.browser.conftest import served
from tests.browser.test_site_browser import CONTRAST

pytestmark = [pytest.mark.browser, pytest.mark.site]

BOARD = "boards/wide/dev/"
SYSTEM = "boards/wide/systems/alpha-team--strong/"
PAGES = (BOARD, SYSTEM, f"{BOARD}compare/", f"{BOARD}compare/ged/", f"{BOARD}columns/",
         "boards/wide/changes/", "boards/wide/systems/omega-team--gone/", "metrics/statistics/")

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def site(wide: Path) -> Iterator[str]:
    """The address of a board whose rows have places."""
    with served(wide) as address:
        yield address


def place(page: Any, name: str) -> str:
    """What stands as the place of a row."""
    row = page.locator(".wb-board tbody tr", has_text=name)
    found: str = row.locator(".rank").inner_text()
    return found


def test_places_change_with_the_correction_and_the_address_remembers_it(open_page: Open) -> None:
    page = open_page(BOARD)
    assert place(page, "Near") == "1\u20134"
    page.get_by_label("uncorrected, 5 %").check()
    assert place(page, "Near") == "uncorrected 2\u20134"
    assert page.url.endswith("?ranks=plain")
    page.get_by_label("lift over the null").check()
    assert page.url.endswith("?ranks=plain&view=l")
    page.reload()
    assert place(page, "Near") == "uncorrected 2\u20134"
    assert page.get_by_label("lift over the null").is_checked()
    page.get_by_label("corrected (Holm)").check()
    page.get_by_label("official value").check()
    assert page.url.endswith(BOARD)
    assert place(page, "Near") == "1\u20134"


def test_an_old_address_of_corrected_ranks_shows_them(open_page: Open) -> None:
    page = open_page(f"{BOARD}?ranks=holm")
    assert place(page, "Near") == "1\u20134"


@pytest.mark.claim("Without scripts each row shows its rank interval, by Holm and uncorrected.")
def test_without_scripts_both_readings_of_a_place_are_there(open_page: Open) -> None:
    page = open_page(BOARD, java_script_enabled=False)
    assert place(page, "Near").split() == ["1\u20134", "uncorrected", "2\u20134"]
    assert not page.locator(".wb-views").first.is_visible()
    assert page.get_by_text("from pairwise tests with Holm's correction").is_visible()


def test_an_unknown_reading_in_the_address_changes_nothing(open_page: Open) -> None:
    page = open_page(f"{BOARD}?ranks=%3Cimg%3E&view=x")
    assert place(page, "Near") == "1\u20134"


def test_systems_are_sorted_by_name_and_not_by_place(open_page: Open) -> None:
    page = open_page(BOARD)
    page.get_by_role("button", name="System").click()
    names = page.locator(".wb-board tbody").first.locator("th.name a").all_inner_texts()
    assert names == ["Close", "Hidden", "Near", "Null", "Strong", "Third", "Weaker"]


def test_a_pair_leads_to_the_item_on_which_it_differs_most(open_page: Open) -> None:
    page = open_page(f"{BOARD}compare/")
    row = page.locator(".wb-matrix tbody tr", has_text="Near")
    row.locator("td a").first.click()
    page.wait_for_url("**/dev/103/?a=gamma-team%2Fnear&b=alpha-team%2Fstrong")
    page.locator("[data-slot=b] h2", has_text="Strong").wait_for()
    assert "Near" in page.locator("[data-slot=a] h2").inner_text()


def test_items_of_a_pair_can_be_reached_without_scripts(open_page: Open) -> None:
    page = open_page(SYSTEM, java_script_enabled=False)
    row = page.locator(".wb-rivals tbody tr", has_text="Near")
    assert "better" in row.inner_text()
    row.locator("summary").click()
    assert row.locator("details a").all_inner_texts() == [str(item) for item in range(103, 109)]


@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_a_narrow_screen_and_keep_contrast(path: str, open_page: Open) -> None:
    for scheme in ("light", "dark"):
        page = open_page(path, color_scheme=scheme)
        assert not page.evaluate(CONTRAST), scheme
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for table in page.locator("article table").all():
        assert table.locator("caption").count() == 1
        assert table.locator("th:not([scope])").count() == 0


def test_every_link_of_these_pages_leads_somewhere(open_page: Open, site: str) -> None:
    @cache
    def found(address: str) -> str:
        """The page at an address, asked for once."""
        with urlopen(address) as answer:  # noqa: S310  # an address of ours
            text: str = answer.read().decode()
        return text

    for path in PAGES:
        page = open_page(path)
        links = "[...document.querySelectorAll('article a[href]')].map(a => a.href)"
        for link in page.evaluate(links):
            if link.startswith(site):
                address, _, anchor = link.partition("#")
                text = found(address)
                assert not anchor or f'id="{anchor}"' in text, link
