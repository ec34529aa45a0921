"""What pages show: the cases of tests/cases/pages.yaml, by site, and human_pages.yaml, by world."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests import case_files
from tests.browser.tiny_site import rendered, text

CASES, PEOPLE = map(case_files.read, ("pages.yaml", "human_pages.yaml"))


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


def check_pages(site: Any, world: str) -> dict[str, str]:
    """The pages of which ``cases/human_pages.yaml`` lists what they say in a world; they say it."""
    cases = {path: listed if isinstance(listed, dict) else {"text": listed}
             for path, listed in PEOPLE[world].items()}
    html = rendered(site, *cases)
    for path, case in cases.items():
        check({"page": path, **case}, html)
    return html
