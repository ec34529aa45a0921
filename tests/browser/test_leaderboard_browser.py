"""The leaderboard, its plots and a system's page in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.metrics.catalogue import FOOLED_BY, METRICS
from tests.browser.conftest import moved, once, patient, until

pytestmark = [pytest.mark.browser, pytest.mark.site]

Open = Callable[..., Any]
BOARD = "boards/tiny/dev/"
SYSTEM = "boards/tiny/systems/sly-team--payloads/"
ROWS = ".wb-board .wb-line:visible"
HEADS = ".wb-board > thead th[data-column]:visible"


def menu(page: Any, name: str) -> Any:
    """A list of controls, opened."""
    found = page.locator(".wb-menu", has=page.locator("summary", has_text=name))
    if found.get_attribute("open") is None:
        found.locator("summary").click()
    return found


def shown(page: Any) -> list[str | None]:
    return [head.get_attribute("data-column") for head in page.locator(HEADS).all()]


def test_rows_are_filtered_by_words_and_tags_and_the_address_remembers(open_page: Open) -> None:
    page = open_page(BOARD)
    rows = page.locator(ROWS)
    find = page.get_by_label("Filter systems")
    find.fill("CHAINS fair")
    assert rows.count() == 1
    assert page.locator(".wb-controls [role=status]").inner_text() == "1 of 3 rows"
    page.reload()
    assert find.input_value() == "CHAINS fair"
    assert rows.count() == 1
    find.fill("canary-models")
    assert "Sly" in rows.nth(0).inner_text(), "words that only its metadata have"
    find.fill("")
    menu(page, "Rows").get_by_label("reference").check()
    assert rows.count() == 1
    assert page.url.endswith("?tag=reference")
    menu(page, "Rows").get_by_label("submitted").check()
    assert rows.count() == 3, "any of the tags"
    menu(page, "Rows").get_by_label("reference").uncheck()
    page.reload()
    assert rows.count() == 2
    find.fill("no such row")
    assert rows.count() == 0
    assert page.evaluate("window.pwned") is None


def test_columns_readings_and_order_stand_in_the_address(open_page: Open) -> None:
    page = open_page(BOARD)
    assert shown(page) == ["name", "StCA", "SA", "G-ROUGE-L", "GED"]
    menu(page, "Columns").get_by_label("SA", exact=True).uncheck()
    assert shown(page) == ["name", "StCA", "G-ROUGE-L", "GED"]
    cell = page.locator(".wb-line td.ord .v").first
    official = cell.inner_text()
    menu(page, "Show").get_by_label("lift over the null").check()
    until(page, "then => document.querySelector('td.ord .v').textContent !== then", official)
    assert "lift over the null" in page.locator(".wb-menu summary", has_text="Show").inner_text()
    page.locator("th[data-column=GED] button").click()
    until(page, "location.search.includes('sort=GED')")
    assert "show=lift" in page.url
    assert "cols=StCA&cols=G-ROUGE-L&cols=GED" in page.url
    names = page.locator(".wb-line th > a").all_inner_texts()
    page.reload()
    page.locator(".wb-board[data-show=lift]").wait_for()
    assert page.locator("th[data-column=GED]").get_attribute("aria-sort") == "ascending"
    assert page.locator(".wb-line th > a").all_inner_texts() == names
    assert shown(open_page(BOARD)) == ["name", "StCA", "SA", "G-ROUGE-L", "GED"]


def test_no_order_but_up_and_down_is_taken_from_the_address(open_page: Open) -> None:
    page = open_page(BOARD + "?sort=GED+constructor", ready=".wb-lb.ready")
    heads = page.locator(".wb-board > thead th[aria-sort]")
    assert [one.get_attribute("data-column") for one in heads.all()] == ["StCA"]


def test_a_table_is_sorted_by_keyboard_and_says_so(open_page: Open) -> None:
    page = open_page(BOARD)
    names = page.locator(".wb-line th > a")
    page.locator(".wb-lb.ready").wait_for()
    ordered, distance = (page.locator(f"th[data-column={name}]") for name in ("StCA", "GED"))
    assert ordered.get_attribute("aria-sort") == "descending"
    distance.locator("button").focus()
    page.keyboard.press("Enter")
    assert distance.get_attribute("aria-sort") == "ascending", "GED: lower is better, so first"
    assert ordered.get_attribute("aria-sort") is None
    best = names.nth(0).inner_text()
    page.keyboard.press("Space")
    assert distance.get_attribute("aria-sort") == "descending"
    assert names.nth(1).inner_text() == best, "of the systems; reference points stay below"


def test_sorting_is_stable_and_puts_missing_numbers_last(open_page: Open) -> None:
    page = open_page("boards/tiny/test/", ready=".wb-lb.ready")
    rows = page.locator(".wb-line th.name")
    page.evaluate("document.querySelector('.wb-line td.ord').removeAttribute('data-v')")
    last = rows.nth(0).inner_text()
    for _ in range(2):
        page.locator(".wb-board > thead th.ord button").click()
        assert rows.nth(1).inner_text() == last


def test_on_a_phone_one_column_is_chosen_and_nothing_hangs_over(open_page: Open) -> None:
    page = open_page(BOARD, viewport={"width": 390, "height": 844})
    assert page.locator(".wb-line:visible td.ord .v").first.is_visible()
    assert not page.locator(".wb-line:visible td[data-column=GED]").first.is_visible()
    page.locator("[name=only]").select_option("GED")
    assert page.locator(".wb-line:visible td[data-column=GED]").first.is_visible()
    page.locator(".wb-line summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_nothing_moves_when_scripts_arrive(open_page: Open) -> None:
    for path in (BOARD, BOARD + "plots/", SYSTEM):
        assert once(lambda path=path: moved(open_page, path) <= 0.02), path


def test_any_two_columns_can_be_drawn(open_page: Open) -> None:
    page = open_page(BOARD)
    page.get_by_role("link", name="Plots", exact=True).click()
    page.locator(".wb-plots[data-ready=yes]").wait_for()
    said, drawing = page.locator("h1 small"), page.locator(".wb-drawn").first
    across, up = page.get_by_label("x axis"), page.get_by_label("y axis")
    first, made = said.inner_text(), drawing.inner_html()
    before = [across.input_value(), up.input_value()]
    assert first == f"dev, {before[1]} against {before[0]}"
    across.select_option("SA")
    up.select_option("GED")
    assert said.inner_text() == "dev, GED against SA"
    assert page.url.endswith("/plots/?x=SA&y=GED")
    assert "GED against SA" in page.title()
    assert drawing.locator("g").count() == 3
    assert drawing.locator("text.n").count() > 0, "names stand at the dots"
    assert page.locator(".wb-plotted thead th:visible").all_inner_texts() == ["row", "SA", "GED"]
    page.reload()
    until(page, "() => document.querySelector('h1 small').textContent === 'dev, GED against SA'")
    up.select_option("SA")
    assert said.inner_text() == "dev, SA against GED", "the same one twice: they change places"
    across.select_option(before[0])
    up.select_option(before[1])
    assert (said.inner_text(), drawing.inner_html()) == (first, made), "as the site was built"


@pytest.mark.parametrize(("old", "new", "drawn"), [
    ("plots/sa--ged/", "plots/?x=SA&y=GED", ".wb-drawn svg"),
    ("compare/fair-team--chains--vs--reference--null/",
     "compare/?a=fair-team/chains&b=reference/null", ".wb-two h2")])
def test_an_old_address_of_two_leads_to_the_page_of_any_two(
    old: str, new: str, drawn: str, open_page: Open, built: Path, site: str,
) -> None:
    missing = (built / "404.html").read_text("utf-8")
    page = open_page(BOARD + "plots/", alone=True)
    page.route(f"**/{old}", lambda route: route.fulfill(
        status=200, content_type="text/html", body=missing))  # 404 is told in the console
    page.goto(f"{site}{BOARD}{old}")
    until(page, "end => location.href.endsWith(end)", new)
    page.locator(drawn).first.wait_for()


def test_each_count_of_the_funnel_leads_to_just_these_examples(open_page: Open) -> None:
    page = open_page(SYSTEM)
    links = page.locator(".wb-funnel a[href*='examples/'], .wb-rulecounts b a, .wb-parts td a")
    told = links.evaluate_all("all => all.map(a => [a.href, Number(a.textContent)])")
    assert len(told) > 8
    for address, count in told[:10]:
        page.goto(address)
        until(page, "() => /\\d/.test(document.querySelector('.wb-count').textContent)")
        until(page, "n => document.querySelectorAll('.wb-list li').length === n", arg=count)


def hints(page: Any) -> list[str]:
    texts = page.locator(".wb-hinttext:popover-open").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def test_a_column_s_name_says_what_it_measures_and_what_fools_it(open_page: Open) -> None:
    page = open_page(BOARD)
    name, metric = page.locator("th[data-column=StCA] button"), METRICS["StCA"]
    name.hover()
    assert hints(page) == [f"{metric.title} {metric.summary} Higher is better. What fools it "
                           f"{FOOLED_BY['StCA']} Definition"]
    box, below = page.locator(".wb-hinttext:popover-open").bounding_box(), name.bounding_box()
    assert 0 <= box["y"] - below["y"] - below["height"] < 12
    page.locator(".wb-hinttext:popover-open a").hover()
    assert len(hints(page)) == 1, "the pointer may go into it"
    page.locator("h1").hover()
    until(page, "!document.querySelector(':popover-open')")
    page.locator("th[data-column=GED] button").focus()
    page.keyboard.press("Shift")  # so that the focus is one of the keyboard
    assert [text.split(" How")[0] for text in hints(page)] == ["Graph edit distance"]
    page.keyboard.press("Escape")
    assert hints(page) == []


def test_a_tap_on_a_column_s_name_shows_its_hint_within_the_window(
    browser: Any, site: str
) -> None:
    tablet = patient(browser.new_context(viewport={"width": 800, "height": 640}, has_touch=True))
    page = tablet.new_page()
    page.goto(site + BOARD)
    page.locator("th[data-column=StCA] button").tap()
    assert len(hints(page)) == 1
    box = page.locator(".wb-hinttext:popover-open").bounding_box()
    assert 0 <= box["x"] <= 800 - box["width"]
    page.locator("h1").tap()
    until(page, "!document.querySelector(':popover-open')")
    tablet.close()
