"""The pictures of README.md and the tour: each shows what a page of this checkout shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.screenshots import IMAGES, LARGEST, PICTURES, Picture, shown

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "checkout"

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda one: one.name)
def test_what_a_picture_shows_is_on_its_page(
    picture: Picture, open_page: Callable[..., Any]
) -> None:
    page = open_page(picture.page, viewport={"width": 1100, "height": picture.height})
    shown(page, picture)
    box = page.locator(picture.part).first.bounding_box()
    assert box is not None


def test_every_picture_is_small_and_stands_in_the_readme_or_the_tour() -> None:
    wanted = {f"{picture.name}{'-dark' if scheme == 'dark' else ''}.webp"
              for picture in PICTURES for scheme in picture.schemes}
    assert {path.name for path in IMAGES.iterdir()} == wanted
    assert all(path.stat().st_size <= LARGEST for path in IMAGES.iterdir())
    texts = [(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/tour.md")]
    named = {name for text in texts for name in re.findall(r"tour/([\w-]+\.webp)", text)}
    assert named == wanted
    assert re.findall(r"tour/([\w-]+)\.webp", texts[1]) == [
        "check", "submissions", "leaderboard", "system", "compare", "side-by-side"]
