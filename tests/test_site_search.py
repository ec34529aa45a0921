"""What the search of the site knows, and what it must not."""

import json

import pytest

pytest.importorskip("jinja2")

from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.site.browsing.site_search import KINDS, document, page_records, sections
from scorer.site.records import SiteView
from tests.browser.tiny_site import GOLD
from tests.browser.wide_site import NAMELESS


def titles(site: SiteView, kind: str) -> list[str]:
    return [title for number, title, *_ in document(site, ())["records"] if KINDS[number] == kind]


def test_every_board_row_metric_and_rule_is_found_once(tiny_site: SiteView) -> None:
    board = tiny_site.boards[0].board
    assert titles(tiny_site, "Board") == [board.title, f"{board.title}: dev leaderboard",
                                     f"{board.title}: test leaderboard"]
    scored = [entry.title for entry in tiny_site.boards[0].splits[0].entries]
    published = [row.system for one in tiny_site.boards[0].published.sources for row in one.values]
    assert titles(tiny_site, "System") == [*scored, *published]
    assert titles(tiny_site, "Metric") == [metric.title for metric in METRICS.values()]
    assert titles(tiny_site, "Rule") == list(CATALOGUE)


@pytest.mark.claim("The search index holds no text of an example, and of a team that is not named "
                   "only its folder in the address of its page.")
def test_no_text_of_an_example_and_no_hidden_name_is_in_the_index(
    tiny_site: SiteView, wide_site: SiteView
) -> None:
    text = json.dumps(document(tiny_site, ()))
    assert not [gold for gold in GOLD if gold[0] in text or gold[3] in text]
    records = document(wide_site, ())["records"]
    [hidden] = [one for one in records if one[1] == "Hidden"]
    assert NAMELESS not in json.dumps(records)
    assert "secret-folder" not in json.dumps([one for field, one in enumerate(hidden)
                                              if field != 2]), "but in the page's address"


def test_terms_are_sections_of_the_glossary_and_strangers_text_is_left_out() -> None:
    html = ('<article class="x"><h1>Glossary</h1><h2 id="scores">Scores</h2>'
            '<h3 id="null">Null</h3><p>The <b>same</b><br>labels by <bdi>Eve <i>x</i></bdi>.</p>'
            "<table><tr><td>7</td></tr></table></article><footer>Made</footer>")
    first, empty, null = sections(html)
    assert (first[1], empty[2]) == ("Glossary", "")
    assert null == ("null", "Null", "The same labels by .")
    assert [(one.kind, one.title, one.address) for one in page_records("glossary/", html)] == [
        ("Page", "Glossary", "glossary/"), ("Term", "Null", "glossary/#null")]


def test_of_the_handbook_headings_are_found_and_texts_are_not() -> None:
    html = ('<article class="x"><h1>Set up GitHub</h1><p>Once.</p>'
            '<h2 id="keys">The keys</h2><p>A pair.</p></article>')
    assert [(one.title, one.address, one.within, one.text)
            for one in page_records("handbook/set-up/", html)] == [
        ("Set up GitHub", "handbook/set-up/", "", ""),
        ("The keys", "handbook/set-up/#keys", "Set up GitHub", "")]
