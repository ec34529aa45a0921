"""Examples of the hostile site in a real browser: what is chosen, drawn, and read by anybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import until
from tests.browser.test_quality import STARTED

pytestmark = [pytest.mark.browser, pytest.mark.site]

EXAMPLE = "boards/tiny/dev/{}/"
Open = Callable[..., Any]


@pytest.mark.parametrize("path", [
    "boards/tiny/dev/", "boards/tiny/dev/compare/", "boards/tiny/dev/plots/",
    "boards/tiny/examples/", "submit/", "check/", "boards/tiny/dev/1/"])
def test_hostile_words_in_an_address_do_nothing(path: str, open_page: Open) -> None:
    page = open_page(
        f"{path}?a=__proto__&b=constructor&board=__proto__&x=toString&y=__proto__&cols=__proto__"
        "&cols=x%22&tag=%22%5D&split=constructor&sort=__proto__+ascending&show=constructor"
        "&find=%3Cimg+src=x+onerror=window.pwned=1%3E")
    until(page, STARTED)
    assert page.evaluate("window.pwned") is None
    assert page.locator("[onerror]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_another_system_can_be_chosen_and_the_address_remembers_it(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(1))
    card = page.locator("[data-slot=b]")
    select = page.locator("select[data-for=b]")
    before = card.locator("h2").inner_text()
    select.select_option("sly-team/payloads")
    card.locator("h2", has_text="Sly").wait_for()
    assert "Sly" not in before
    assert "b=sly-team%2Fpayloads" in page.url
    page.locator(".wb-pager a[rel=next]").click()
    page.wait_for_url(f"**/{EXAMPLE.format(2)}?*")
    page.locator("[data-slot=b] h2", has_text="Sly").wait_for()
    assert page.locator("select[data-for=b]").input_value() == "sly-team/payloads"


def test_a_linked_system_is_shown_first(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(2) + "?a=sly-team%2Fpayloads&b=no/such")
    page.locator("[data-slot=a] h2", has_text="Sly").wait_for()
    findings = page.locator("[data-slot=a]")
    assert "wrong stance" in findings.inner_text().lower()
    assert "EG-CYCLE" in findings.inner_text()
    assert page.evaluate("window.pwned") is None


def test_the_interactive_graph_opens_on_demand_and_only_then(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(1) + "?b=sly-team/payloads")
    assert page.evaluate("window.vis") is None
    for slot in (".wb-gold", "[data-slot=b]"):
        page.locator(f"{slot} .wb-net").click()
        page.locator(f"{slot} .wb-canvas[data-drawn=yes] canvas").wait_for()
    assert page.evaluate("window.pwned") is None


@pytest.mark.claim("Examples can be read without scripts.")
def test_without_scripts_two_systems_stand_beside_gold(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(1), java_script_enabled=False)
    assert page.locator(".wb-card").count() == 3
    for i in range(3):
        assert page.locator(".wb-card figure > svg").nth(i).is_visible()
    assert not page.locator(".wb-chooser").is_visible()
    assert not page.locator(".wb-net").first.is_visible()
    page.locator(".wb-others a").click()
    page.wait_for_url("**/boards/tiny/dev/")
    assert page.locator(".wb-line").count() == 3
    assert page.locator(".wb-board > thead th[data-column]:visible").count() == 5
    assert not page.locator(".wb-controls").is_visible()
