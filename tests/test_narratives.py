"""aNLI and aNLG on the site: what is counted, what is shown, and what never is."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from scorer.site.home import null_finding
from scorer.site.reading.read import read_site
from scorer.site.records import SiteView
from scorer.site.render import VIEWS as FOLDER
from scorer.site.views.answers.view import nearest, word_diff
from scorer.site.views.registry import VIEWS
from scorer.tasks.registry import TASKS
from scorer.tasks.texts.items import ChoiceSettings, Gold, Slice, against_references, words
from tests.browser.narrative_site import CONTEXTS, make_narrative_root
from tests.browser.tiny_site import PAYLOADS, example_files, rendered
from tests.pages import check, shown_on

pytestmark = pytest.mark.whole

SETTINGS = ChoiceSettings((Slice("animals", ("cat", "dog")), Slice("nothing", ("xyz",))))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    root = make_narrative_root(tmp_path_factory.mktemp("narratives") / "root")
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def html(site: SiteView) -> dict[str, str]:
    return rendered(site) | {
        path.removesuffix("index.html"): page.decode()
        for board in site.boards for view in board.splits
        for path, page in example_files(view).items() if path.endswith(".html")}


def test_every_task_has_an_example_view_with_all_its_templates() -> None:
    assert VIEWS.keys() == TASKS.keys()
    for view in VIEWS.values():
        for part in ("example", "card", "legend", "rules", "statistics"):
            assert any((FOLDER / path).is_file() for path in view.template(part)), part


WORDS = st.text(st.sampled_from("ab. ,A"), max_size=30)


@given(WORDS, WORDS)
def test_a_word_diff_can_be_read_back_on_both_sides(reference: str, text: str) -> None:
    made = word_diff(reference, text)
    ours = " ".join(one.text for one in made if one.status != "missing")
    theirs = " ".join(one.text for one in made if one.status != "extra")
    assert ours == " ".join(text.split())
    assert [words(word) for word in theirs.split()] == [
        words(word) for word in reference.split()]


def test_the_nearest_reference_is_the_one_with_most_words_in_common() -> None:
    references = ("Tom took his bicycle.", "A neighbour gave Tom a lift.")
    assert nearest(references, "tom took his old bicycle") == 0
    assert nearest(references, "A friend gave Tom a lift") == 1
    assert nearest(references, "Nothing in common") == 0


def test_texts_are_counted_beside_the_references() -> None:
    golds = [Gold(one[:2], references=one[2]) for one in CONTEXTS[:2]]
    found = against_references(golds, ["The bus was late again", "her cat, her cat"])
    references, written = ({row.name: row for row in rows} for rows in found.values())
    assert references["texts"].value == 2 + 1
    assert written["texts that copy a given text"].value == 1  # but for its full stop
    assert written["words of a text"].value[:2] == (4, 5)
    # all five words of the copy; cat twice, as "her" is in neither observation
    assert written["words that are given"][1:] == (5 + 2, 9)
    assert written["different words"].value == 5 + 2


def test_pages_of_narratives_speak_of_texts_not_of_graphs_and_what_strangers_write_stays_text(
    html: dict[str, str],
) -> None:
    for path, page in html.items():
        if path.startswith("boards/"):
            words = page.lower().replace("wb-graph", "").replace("graphqa-explagraphs", "")
            assert "graph" not in words, path
        for payload in (*PAYLOADS[:2], "<iframe", "<base"):
            assert payload not in page, path


@shown_on("narratives")
def test_a_page_shows(case: Mapping[str, Any], html: dict[str, str]) -> None:
    check(case, html)


def test_stories_have_no_null_finding_on_the_front_page(site: SiteView) -> None:
    assert null_finding(site.leaderboards) is None
