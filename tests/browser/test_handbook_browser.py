"""The handbook on a built site."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.core.package_data import HANDBOOK, handbook

pytestmark = [pytest.mark.browser, pytest.mark.site]

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


def test_the_page_for_hosts_and_the_navigation_lead_to_the_handbook(
    open_page: Callable[..., Any],
) -> None:
    page = open_page("host/")
    page.get_by_role("link", name="Run a board").first.click()
    page.wait_for_url("**/handbook/run-a-board/#set-up")
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link").click()
    page.get_by_role("heading", name="Handbook", exact=True).wait_for()
    page.locator(".md-tabs").get_by_role("link", name="Docs").click()
    page.get_by_role("link", name="Handbook", exact=True).first.click()
    page.get_by_role("heading", name="Handbook", exact=True).wait_for()
