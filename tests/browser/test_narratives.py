"""Pages of aNLI and aNLG in a real browser, with hostile text in every field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import served
from tests.browser.narrative_site import CONTEXTS, ITEMS, TEXTS

pytestmark = [pytest.mark.browser, pytest.mark.site]

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def site(odd: Path) -> Iterator[str]:
    with served(odd / "_site") as address:
        yield address


def ready(page: Any) -> Any:
    page.locator("[data-ready=yes]").wait_for()
    return page


def test_nothing_that_strangers_write_runs_on_any_page(open_page: Open, odd: Path) -> None:
    built = odd / "_site"
    paths = [path.parent.relative_to(built).as_posix() for board in ("riddles", "tales")
             for path in sorted((built / "boards" / board).rglob("index.html"))]
    page = open_page("")
    for path in paths:
        page.goto(page.url.split("/boards")[0].rstrip("/") + f"/{path}/")
        page.wait_for_load_state("load")
        assert page.evaluate("window.pwned") is None, path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_a_story_shows_each_text_against_its_nearest_reference(open_page: Open) -> None:
    page = ready(open_page("boards/tales/dev/2/"))
    obs1, obs2, references = CONTEXTS[1]
    assert page.locator(".wb-claim dd").all_inner_texts() == [obs1, "What happened?", obs2]
    assert page.locator(".wb-gold li bdi").all_inner_texts() == list(references)
    card = page.locator('.wb-card[data-key="fair-team/tales"]')
    assert card.locator(".wb-text").inner_text() == TEXTS["fair-team", "tales"][1]
    # "Her cat jumped onto the table." against "The cat jumped onto the table."
    assert card.locator(".wb-diff ins").all_inner_texts() == ["Her"]
    assert card.locator(".wb-diff del").all_inner_texts() == ["The"]
    assert card.locator(".wb-scores th").all_inner_texts() == ["BLEU-1", "BLEU-2", "ROUGE-L",
                                                               "CIDEr"]


def test_a_choice_shows_what_each_system_took(open_page: Open) -> None:
    page = ready(open_page("boards/riddles/dev/1/"))
    assert page.locator(".wb-gold li.good").inner_text().endswith(ITEMS[0][3])
    sly = page.locator('.wb-card[data-key="sly-team/payloads"]')
    assert "✗ hypothesis 2" in sly.inner_text()
    assert ITEMS[0][4] in sly.inner_text()
