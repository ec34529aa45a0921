"""Pages of a board of sentences that graphs connect: what is long is folded, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import until
from tests.browser.sentence_site import EDGES, LONG, SENTENCES
from tests.browser.test_quality import ALL_BUT_COLOUR, CONTRAST, _serious, axe, started  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "odd_site"

Open = Callable[..., Any]
BOARD = "boards/proofs/"
EXAMPLE = BOARD + "dev/{}/"
FACTS = "boards/facts/"
WIDTHS = (1280, 390)


def opened(open_page: Open, row: int) -> Any:
    return open_page(EXAMPLE.format(row), ready=".wb-example[data-ready=yes]")


def test_sentences_that_gold_connects_are_shown_and_the_others_unfold(open_page: Open) -> None:
    given = opened(open_page, 1).locator(".wb-claim dd").nth(2)
    assert given.locator("mark").all_inner_texts() == ["s1", "s2", "s6"]
    assert SENTENCES[0] in given.inner_text()
    assert SENTENCES[4] not in given.inner_text()
    given.get_by_text("3 more that gold does not connect").click()
    assert SENTENCES[4] in given.inner_text()


def test_each_node_stands_beside_its_text_and_a_long_text_unfolds(open_page: Open) -> None:
    page = opened(open_page, 1)
    nodes = page.locator(".wb-gold .wb-nodes > div")
    names = [text.split("\n")[0] for text in nodes.all_inner_texts()]
    assert names == ["s1", "i1", "s6", "s2", "claim"]
    assert nodes.nth(1).locator("dd").inner_text() == "The wire becomes hot", "of the graph itself"
    assert "The lamp glows because" in nodes.nth(4).inner_text(), "the input text of that name"
    assert LONG not in nodes.nth(3).inner_text()
    nodes.nth(3).locator("summary").click()
    assert LONG in nodes.nth(3).inner_text()
    card = page.locator('[data-key="fair-team/steps"] .wb-nodes')
    assert "Heat comes from the current" in card.inner_text(), "the system's own conclusion"


def test_a_node_lights_up_with_its_text_and_tells_it(open_page: Open) -> None:
    page = opened(open_page, 1)
    node = page.locator(".wb-gold .n", has_text="s6")
    assert node.locator("title").text_content() == SENTENCES[5]
    node.hover()
    assert page.locator(".wb-gold .wb-nodes .lit dt").all_inner_texts() == ["s6"]
    page.locator(".wb-gold .wb-nodes > div", has_text="s1").first.hover()
    assert page.locator(".wb-trio .n.lit").count() == 2, "in gold's drawing and the system's"


def test_lists_show_the_beginning_of_a_text_and_a_search_reads_all_of_it(open_page: Open) -> None:
    page = open_page(BOARD + "examples/", ready=".wb-browser[data-ready=yes]")
    lines = page.locator(".wb-list li")
    assert max(map(len, lines.all_inner_texts())) < 350
    assert page.locator("[data-facet=relation]").count() == 0, "every edge has the same"
    page.locator(".wb-find input").fill("does closes")
    until(page, "document.querySelector('.wb-browser').dataset.shown === '1'")
    page.locator("[data-facet=edges] button[title='Edges 4: 1']").click()
    lines.first.locator("a").click()
    page.wait_for_url(f"**/{EXAMPLE.format(1)}*")
    plain = open_page(BOARD + "dev/examples/", java_script_enabled=False)
    assert all("more characters" in text for text in plain.locator(".wb-list li").all_inner_texts())


@pytest.mark.parametrize("width", WIDTHS)
def test_a_very_high_drawing_shows_its_upper_part_and_unfolds(open_page: Open, width: int) -> None:
    page = open_page(f"{FACTS}dev/1/", viewport={"width": width, "height": 900})
    figure = page.locator(".wb-gold figure")
    assert figure.locator(".n").first.is_visible()
    assert figure.bounding_box()["height"] < 900
    figure.get_by_text("The whole drawing").click()
    assert figure.bounding_box()["height"] > 9000, "200 edges, one below the other"
    edges = page.locator(".wb-gold .wb-edges li:visible")
    assert edges.count() == 24
    page.get_by_text(f"{EDGES - 24} more").click()
    assert edges.count() == EDGES
    assert edges.last.inner_text().split() == ["200", "fact", "199", "leads", "to", "fact", "200"]


@pytest.mark.parametrize("path", [
    EXAMPLE.format(2), FACTS + "dev/1/", *(board + page for board in (BOARD, FACTS)
                                           for page in ("examples/", "data/"))])
def test_unfolded_pages_fit_every_screen_and_can_be_read(
    path: str, open_page: Open, axe: str  # noqa: F811
) -> None:
    page = open_page(path)
    for scheme in ("dark", "light"):
        started(page, axe, scheme)
        page.evaluate("document.querySelectorAll('article details').forEach(d => d.open = true)")
        assert page.evaluate(CONTRAST) == [], scheme
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    if "/dev/" in path:
        assert _serious(page, path, 1280, ALL_BUT_COLOUR) == []
