"""Pages of aNLI and aNLG in a real browser, with hostile text in every field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "odd_site"


def test_nothing_that_strangers_write_runs_on_any_page(
    open_page: Callable[..., Any], odd_site: Path, site: str
) -> None:
    page = open_page("")
    for path in (one.parent.relative_to(odd_site).as_posix() for board in ("riddles", "tales")
                 for one in sorted((odd_site / "boards" / board).rglob("index.html"))):
        page.goto(f"{site}{path}/")
        page.wait_for_load_state("load")
        assert page.evaluate("window.pwned") is None, path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
