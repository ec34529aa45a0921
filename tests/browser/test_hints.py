"""The hint behind a metric's name, in a real browser: a page of two names, made for the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scorer.metrics.catalogue import FOOLED_BY, METRICS
from scorer.site.render import environment
from tests.browser.conftest import served, until
from tests.browser.tiny_site import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.site]

PAGE = """{% from "hints.html" import hint_id, hint_text %}
<!doctype html><html lang="en"><head><title>Hints</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="assets/favicon.svg"><link rel="stylesheet" href="assets/whyboard.css">
<script defer src="assets/whyboard.js"></script></head>
<body data-md-color-scheme="default"><p>
<button type="button" data-hint="{{ hint_id(metrics["StCA"]) }}">StCA</button>
{{ hint_text(metrics["StCA"], "") }}</p>
<p><button type="button" id="sort" data-hint="{{ hint_id(metrics["GED"]) }}">sort</button>
{{ hint_text(metrics["GED"], "") }}</p><p id="away">Away</p></body></html>"""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hints")
    (folder / "assets").symlink_to(ROOT / "site" / "assets")
    made = environment(ROOT / "templates").from_string(PAGE).render(metrics=METRICS)
    (folder / "index.html").write_text(made.lstrip(), "utf-8")
    with served(folder) as address:
        yield address


def opened(page: Any) -> list[str]:
    texts = page.locator(".wb-hinttext:popover-open").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def test_the_pointer_shows_name_summary_and_what_fools_it_beside_the_name(open_page: Open) -> None:
    page = open_page("")
    name = page.get_by_role("button", name="StCA")
    name.hover()
    metric = METRICS["StCA"]
    assert opened(page) == [f"{metric.title} {metric.summary} Higher is better. What fools it "
                            f"{FOOLED_BY['StCA']} Definition"]
    box, below = page.locator(".wb-hinttext:popover-open").bounding_box(), name.bounding_box()
    assert 0 <= box["y"] - below["y"] - below["height"] < 12
    page.locator(".wb-hinttext:popover-open a").hover()
    assert len(opened(page)) == 1, "the pointer may go into it"
    page.locator("#away").hover(position={"x": 600, "y": 5})
    until(page, "!document.querySelector(':popover-open')")


def test_the_keyboard_shows_it_and_escape_hides_it(open_page: Open) -> None:
    page = open_page("")
    page.keyboard.press("Tab")
    assert len(opened(page)) == 1
    page.keyboard.press("Escape")
    assert opened(page) == []
    page.locator("#sort").focus()
    page.keyboard.press("Shift")  # so that the focus is one of the keyboard
    assert [text.split(" How")[0] for text in opened(page)] == ["Graph edit distance"]


def test_a_tap_shows_it_within_a_narrow_window(browser: Any, site: str) -> None:
    phone = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True)
    page = phone.new_page()
    page.goto(site)
    page.get_by_role("button", name="StCA").tap()
    assert len(opened(page)) == 1
    box = page.locator(".wb-hinttext:popover-open").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    page.touchscreen.tap(160, 600)
    until(page, "!document.querySelector(':popover-open')")
    page.locator("#sort").tap()
    assert opened(page)[0].startswith("Graph edit distance")
    phone.close()
