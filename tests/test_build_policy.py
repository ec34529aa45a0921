"""The policy of a page allows the theme's own scripts, and never what stands in a body."""

import base64
import hashlib

import pytest

from scorer.core.errors import DataError
from scorer.site.theme import CHARSET, POLICY, SLOT, TITLE, PageLayout, digests, policed

THEME = f"<head>{CHARSET}<title>{TITLE}</title><script>own()</script></head>{SLOT}"


def named(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_scripts_of_the_theme_are_allowed_by_digest_and_nothing_inline_besides() -> None:
    html = policed(THEME)
    rule = html.partition("script-src ")[2].partition(";")[0]
    assert rule == f"'self' {named('own()')}"


def test_a_script_in_a_body_is_not_allowed() -> None:
    page = PageLayout(policed(THEME)).page("t", "<script>foreign()</script>")
    assert named("foreign()") in digests(page)
    assert named("foreign()") not in page.partition(POLICY)[2].partition(">")[0]


def test_a_page_moved_to_another_depth_allows_the_script_it_has_there() -> None:
    theme = THEME.replace("own()", 'scope("../../../..")')
    moved = PageLayout(policed(theme)).moved(2).html
    assert named('scope("../..")') in moved
    assert named('scope("../../../..")') not in moved
    assert moved.count(POLICY) == 1


def test_a_page_that_hides_its_encoding_is_refused() -> None:
    with pytest.raises(DataError, match="charset"):
        policed("<head></head>")
