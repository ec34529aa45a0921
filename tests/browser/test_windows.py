"""What tests share, a window, keeps nothing of the reader before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Window

pytestmark = [pytest.mark.browser, pytest.mark.site]
Open = Callable[..., Any]

LEAVE = """async () => {
  localStorage.setItem('kept', '1');
  sessionStorage.setItem('kept', '1');
  document.cookie = 'kept=1';
  await new Promise((done) => { indexedDB.open('kept').onsuccess = done; });
  await caches.open('kept');
  window.kept = 1;
}"""
FIND = """async () => [
  ...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie,
  ...(await indexedDB.databases()).map((one) => one.name), ...await caches.keys(),
  String(window.kept), document.body.dataset.mdColorScheme, innerWidth,
]"""


def test_a_reader_finds_nothing_of_the_one_before(
    open_page: Open, windows: dict[bool, Window]
) -> None:
    first = open_page("about/")
    untouched = first.evaluate(FIND)
    for scheme in ("light", "dark"):
        first.locator(f".md-header__option label[title='Switch to the {scheme} scheme']").click()
    first.evaluate(LEAVE)
    first.context.new_page()
    first.set_viewport_size({"width": 390, "height": 844})
    changed = first.evaluate(FIND)
    second = open_page("about/")
    assert changed.count("kept") == 4
    assert {"kept=1", "1", "slate", 390} < {*changed}
    assert second is first is windows[True].page
    assert second.evaluate(FIND) == untouched
    assert len(second.context.pages) == 1


def test_what_a_page_does_wrong_is_noticed_while_it_is_read(browser: Any, site: str) -> None:
    window = Window(browser)
    before: list[str] = []
    now: list[str] = []
    window.enter(site, before).goto(site)
    page = window.enter(site, now)
    page.goto(site)
    page.evaluate("console.warn('a word')")
    page.evaluate("setTimeout(() => { throw new Error('a fault'); })")
    page.evaluate("alert(1)")
    page.goto(elsewhere := site.replace("127.0.0.1", "localhost"))
    window.context.close()
    assert before == []
    assert now[0] == "console: a word"
    assert {"error: a fault", "a dialog", f"asked {elsewhere}"} <= {*now}
