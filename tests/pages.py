"""What pages show, by the site they are of: the cases of tests/cases/pages.yaml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.browser.tiny_site import text

CASES = yaml.safe_load((Path(__file__).parent / "cases/pages.yaml").read_text("utf-8"))


def shown_on(site: str) -> pytest.MarkDecorator:
    """A test for each case of a site, named by what is shown."""
    return pytest.mark.parametrize("case", CASES[site].values(), ids=CASES[site])


def check(case: Mapping[str, Any], pages: Mapping[str, str]) -> None:
    """A page, or the part of it after ``from`` and before ``to``, has its words and its markup."""
    html = pages[case["page"]]
    if "from" in case:
        assert case["from"] in html
        html = html.partition(case["from"])[2].partition(case.get("to", "</table>"))[0]
    shown = text(html)
    for words in case.get("text", ()):
        assert words in shown
    for markup in case.get("html", ()):
        assert markup in html
    for markup in case.get("not", ()):
        assert markup not in html
    for markup, times in case.get("times", {}).items():
        assert html.count(markup) == times
