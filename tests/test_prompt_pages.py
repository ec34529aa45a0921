"""The page of a prompt that a row was asked by, and the links that lead to it."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.boards import load
from scorer.boards.prompts import prompt_of
from scorer.boards.submission import CONSTRAINED, used_prompt
from scorer.site.reading.read import read_site
from scorer.site.records import SiteView
from tests.browser.tiny_site import example_files, rendered
from tests.pages import check, shown_on


@pytest.fixture(scope="module")
def site(tiny_root: Path, tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    """The tiny checkout, in which two rows name a prompt: one of ours, of a row that breaks no
    constraint by construction, and one that is gone."""
    root = shutil.copytree(tiny_root, tmp_path_factory.mktemp("prompts") / "root")
    digest = prompt_of(load("tiny", root / "boards"), "code").digest
    for system, more in (("fair-team/chains", f"code v1 (SHA-256 {digest})\ntags: [{CONSTRAINED}]"),
                         ("sly-team/payloads", f"code v7 (SHA-256 {64 * 'e'})")):
        path = root / "submissions/tiny" / system / "submission.yaml"
        path.write_text(f"{path.read_text('utf-8')}prompt: {more}\n", "utf-8")
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def pages(site: SiteView) -> dict[str, str]:
    return rendered(site)


def test_a_row_s_page_and_its_answers_lead_to_the_page_of_its_prompt(
    site: SiteView, pages: dict[str, str],
) -> None:
    digest = prompt_of(site.boards[0].board, "code").digest
    place = f"boards/tiny/prompts/code-v1-{digest[:12]}/"
    assert f'<a href="../../../../{place}">code v1</a>' in pages[
        "boards/tiny/systems/fair-team--chains/"]
    assert "/prompts/" not in pages["boards/tiny/systems/reference--null/"]
    [dev] = [view for view in site.boards[0].splits if view.name == "dev"]
    assert any(place.encode() in content for content in example_files(dev).values())


def test_the_page_of_a_prompt_has_its_templates_its_digest_and_the_command(
    site: SiteView, pages: dict[str, str],
) -> None:
    prompt = prompt_of(site.boards[0].board, "code")
    page = pages[f"boards/tiny/prompts/code-v1-{prompt.digest[:12]}/"]
    assert prompt.digest in page
    assert page.count("<h3>") == len(prompt.templates)
    assert "{texts_as_code}" in page
    assert "scorer prompts show --board tiny --split dev --item 1 --prompt code" in page
    assert "boards/tiny/dev/1/?a=fair-team/chains" in page.replace("%2F", "/")


@shown_on("prompts")
def test_a_page_shows(case: Mapping[str, Any], pages: dict[str, str]) -> None:
    check(case, pages)


@pytest.mark.parametrize("text", ["", "code v1", "code v1 (SHA-256 ab)", "../x v1 (SHA-256 "
                                  + 64 * "a" + ")", "code v1 (SHA-256 " + 64 * "A" + ")"])
def test_other_words_name_no_prompt(text: str) -> None:
    assert used_prompt(text) is None
