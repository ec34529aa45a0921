"""A reader's walk through the site, by the links and words of its pages and by nothing else.

Which system is best? Is it significantly better than another one? What does the other one get
wrong? What does the metric measure, and what do the words mean? Each step reads on a page what it
needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import until
from tests.browser.wide_site import RIGHT

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "wide"

BEST, OTHER = "Strong", "Third"
WINS = RIGHT["alpha-team", "strong"] - RIGHT["delta-team", "third"]
"""Items that only the best one has right; there is none that only the other has right."""

RIGHT_MEANS = "Right: the gold stance and a graph that breaks no constraint."

Open = Callable[..., Any]


def follow(page: Any, name: str | re.Pattern[str], within: str = "main") -> None:
    """Click the first link of the page's body that is called so."""
    link = page.locator(within).get_by_role("link", name=name).first
    target = link.evaluate("link => link.href")
    link.click()
    page.wait_for_url(target)


@pytest.mark.claim("A reader gets from the home page to the evidence by the pages' own links.")
def test_a_reader_finds_the_best_system_its_lead_its_evidence_and_the_words(
    open_page: Open
) -> None:
    page = open_page("")
    front = page.locator(".wb-front", has=page.get_by_role("link", name="Wide"))
    best = front.locator(".wb-podium tbody tr").first
    assert best.inner_text().split() == ["1\u20133", BEST, str(round(100 * 109 / 120, 1))]
    assert "No system beats a meaningless graph on StCA" in front.inner_text()

    follow(page, "Leaderboard", ".wb-front")
    answer = page.locator(".wb-answer").inner_text()
    assert f"{BEST} (90.8), Close (87.5) and Near (85.8) are not separated on StCA." in answer
    assert OTHER not in answer
    row = page.locator(".wb-line", has=page.get_by_role("link", name=OTHER))
    assert row.locator(".rk").inner_text().split()[-1] == "2\u20134"
    row.locator("summary").click()
    follow(page, "Compare with the first", ".wb-more:visible")
    answer = page.locator(".wb-answer").inner_text()
    assert f"{BEST} (90.8) is better than {OTHER}" in answer
    assert "p = .008" in answer.replace("\u00a0", " "), "2 / 2 ** 8"

    follow(page, "Compare other systems")
    legend = page.locator("main").inner_text()
    assert "▼ worse" in legend
    assert "no significant difference" in legend
    row = page.locator(".wb-matrix tbody tr", has=page.get_by_role("link", name=OTHER))
    cell = row.locator("td", has=page.locator("small", has_text="p")).first
    assert "▼" in cell.inner_text(), f"{OTHER} against {BEST}"
    cell.get_by_role("link").click()
    only = page.locator(".wb-pairlists").get_by_role("link", name=f"only {BEST} right")
    assert only.inner_text().split()[0] == str(WINS)
    only.click()
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    page.locator(".wb-list a").first.click()
    page.locator(".wb-example[data-ready=yes]").wait_for()
    assert "✗ stance" in page.locator(".wb-card", has_text=OTHER).inner_text()
    assert "✓ stance" in page.locator(".wb-card", has_text=BEST).inner_text()

    way = page.get_by_role("button", name="Next where the first is right")
    assert way.get_attribute("title") == RIGHT_MEANS

    follow(page, "examples", ".wb-crumbs")
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    page.get_by_label("System A").select_option(label=f"A: {BEST}")
    page.get_by_label("System B").select_option(label=f"B: {OTHER}")
    duel = page.locator("[data-facet=pair]")
    assert RIGHT_MEANS in duel.inner_text()
    duel.get_by_label("only A").check()
    until(page, f"document.querySelector('.wb-browser').dataset.shown === '{WINS}'")
    page.locator(".wb-list a").first.click()
    page.locator(".wb-example[data-ready=yes]").wait_for()
    assert "✓ stance" in page.locator(".wb-card", has_text=BEST).inner_text()
    assert "✗ stance" in page.locator(".wb-card", has_text=OTHER).inner_text()

    scores = page.locator(".wb-card", has_text=BEST).locator(".wb-scores")
    scores.get_by_role("link", name="G-ROUGE-L").click()
    page.wait_for_url("**/metrics/g-rouge-l/")
    assert "higher is better" in page.locator("main").inner_text()

    follow(page, "signature")
    assert page.url.endswith("glossary/#signature")
    assert page.locator("h3#signature").is_visible()
    follow(page, "judges")


@pytest.mark.claim("A term of the glossary is linked where it first appears on an item's page.")
def test_terms_on_the_page_of_an_example_lead_to_the_glossary(open_page: Open) -> None:
    page = open_page("boards/wide/dev/1/", ready=".wb-example[data-ready=yes]")
    links = page.locator("main a[href*='glossary/#']")
    found = links.evaluate_all("links => links.map(link => link.hash)")
    assert {"#concept", "#relation", "#constraint", "#gold"} <= set(found)
    assert len(set(found)) == len(found), "each once"
    assert page.locator(".wb-card a[href*='glossary/']").count() == 0, "cards come once a system"
    links.first.click()
    page.wait_for_url(f"**/glossary/{found[0]}")
    page.locator("h3:target").wait_for()
