"""The checker page in a real browser, for labels and texts: what it counts and what it shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from tests.browser.narrative_site import ITEMS
from tests.browser.test_checker import assert_fits, give
from tests.checker_world import World, answer

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "odd_site"

Open = Callable[..., Any]


def figures(page: Any) -> str:
    return " ".join(page.locator(".wb-figures").inner_text().split())


def test_labels_are_measured_and_a_wrong_row_shows_its_texts(
    open_page: Open, odd: Path, tmp_path: Path
) -> None:
    rows = [f"{item[0]}\t1\n" for item in reversed(ITEMS)]
    page = open_page("check/?board=riddles", ready=".wb-check")
    assert give(page, tmp_path / "p.lst", "story_id\tlabel\n" + "".join(rows)) == (
        "p.lst: can be scored on riddles dev: 3 rows, all readable.")
    assert figures(page) == "accuracy 66.7 2 of 3 rows"
    [row] = page.locator(".wb-rows tbody tr").all()
    for words in ("item 2", "✗ label: 1", "gold: 2"):
        assert words in row.inner_text()
    row.get_by_text("Texts").click()
    row.locator("details p").first.wait_for()
    name, obs1, obs2, hyp1, hyp2, _ = ITEMS[1]
    assert [" ".join(text.split()) for text in row.locator("details p").all_inner_texts()] == [
        name, f"obs1: {obs1}", f"obs2: {obs2}", f"hyp1: {hyp1} predicted", f"hyp2: {hyp2} gold"]
    table = page.get_by_role("region", name="Rows by gold and predicted label")
    cells = [[cell.inner_text() for cell in line.locator("td").all()]
             for line in table.locator("tbody tr").all()]
    world = World(boards.load(odd / "root" / "boards" / "riddles"),
                  json.loads((odd / "_site" / "check" / "riddles" / "dev.json").read_bytes()))
    confusion = answer(world, b"1\n1\n1\n")["counts"]["confusion"]
    assert cells == [[str(confusion[gold][label]) for label in "12"] for gold in "12"]
    assert_fits(page)
