"""The handbook on a built site: every link of it leads somewhere, to the very heading."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from scorer.core.package_data import HANDBOOK, handbook
from tests.browser.test_canaries import Parsed

pytestmark = [pytest.mark.browser, pytest.mark.site]

PAGES = ("host/", "handbook/", *(f"handbook/{name}/" for name in HANDBOOK))


def test_every_link_of_the_handbook_leads_to_a_page_and_its_heading(built: Path) -> None:
    missing, followed = [], 0
    for name in PAGES:
        place = built / name
        for tag, found, _ in Parsed((place / "index.html").read_text("utf-8")).tags:
            link = found.get("href", "")
            if tag != "a" or "://" in link or link.startswith("mailto:"):
                continue
            page, _, anchor = link.partition("#")
            target = (place / unquote(page)).resolve()
            target = target / "index.html" if target.is_dir() else target
            followed += 1
            if not target.is_file() or (anchor and target.suffix == ".html" and not re.search(
                    rf'\bid="?{re.escape(anchor)}["\s>]', target.read_text("utf-8"))):
                missing.append(f"{name}: {link}")
    assert missing == []
    assert followed > 10 * len(PAGES)


@pytest.mark.parametrize("name", HANDBOOK)
def test_a_page_is_shown_as_it_is_meant(built: Path, name: str) -> None:
    """No list, table or block of code is left as plain text by the other reader of Markdown."""
    html = (built / "handbook" / name / "index.html").read_text("utf-8")
    body = html.partition("<article")[2].partition("</article>")[0]
    assert re.search(r"<h1[^>]*>" + re.escape(handbook(name).partition("\n")[0][2:]), body)
    outside = re.sub(r"<(pre|code)\b.*?</\1>", "", body, flags=re.S)
    assert "```" not in outside
    for paragraph in re.findall(r"<p>(.*?)</p>", outside, re.S):
        assert not re.search(r"^(- |\d+\. |\|)", paragraph, re.M), paragraph
    assert body.count("<table") == len(re.findall(r"^\|[-| ]+\|$", handbook(name), re.M))
    assert body.count("<pre") == len(re.findall(r"^```\w*\n.*?^```$", handbook(name), re.M | re.S))


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_for_hosts_leads_to_a_page_of_the_handbook_that_fits(
    open_page: Callable[..., Any], width: int,
) -> None:
    page = open_page("host/", viewport={"width": width, "height": 900})
    page.get_by_role("link", name="Run a board").first.click()
    page.wait_for_url("**/handbook/run-a-board/#set-up")
    page.get_by_role("heading", name="Run a board", exact=True).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link").click()
    page.get_by_role("heading", name="Handbook", exact=True).wait_for()


def test_the_handbook_stands_in_the_navigation(open_page: Callable[..., Any]) -> None:
    page = open_page("")
    page.locator(".md-tabs").get_by_role("link", name="Docs").click()
    page.get_by_role("link", name="Handbook", exact=True).first.click()
    page.get_by_role("heading", name="Handbook", exact=True).wait_for()
