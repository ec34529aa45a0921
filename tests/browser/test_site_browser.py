"""The built site in a real browser: nothing hostile runs, nothing is fetched from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import until
from tests.browser.tiny_site import JUDGE_PAGE

pytestmark = [pytest.mark.browser, pytest.mark.site]

EXAMPLE = "boards/tiny/dev/{}/"
PAGES = (
    "", "boards/", "boards/tiny/", "boards/tiny/dev/", "boards/tiny/test/",
    "boards/tiny/examples/", "boards/tiny/data/", "boards/tiny/data/quality/",
    "boards/tiny/dev/examples/", "boards/tiny/systems/sly-team--payloads/",
    "boards/tiny/systems/reference--null/", "metrics/", "metrics/ged/", "submit/",
    "submit/rules/", "downloads/", "about/", "judges/", JUDGE_PAGE, "judges/ea-eaeaeaeaeaea/",
    "metrics/seca/", "submissions/", "boards/tiny/changes/", "boards/tiny/dev/compare/",
    "boards/tiny/dev/compare/fair-team--chains--vs--sly-team--payloads/", "metrics/statistics/",
    "boards/tiny/dev/plots/", "boards/tiny/test/plots/",
    "boards/tiny/dev/compare/?a=fair-team/chains&b=sly-team/payloads",
    *(f"{page}?a=__proto__&b=constructor&board=__proto__&x=toString&y=__proto__&cols=__proto__&split="
      "constructor&sort=__proto__+ascending&show=constructor&find=%3Cimg+src=x+onerror=alert(1)%3E"
      for page in ("boards/tiny/dev/", "boards/tiny/dev/compare/", "boards/tiny/dev/plots/",
                   "boards/tiny/examples/", "submit/", "check/", "boards/tiny/dev/1/")),
    *(EXAMPLE.format(row) for row in (1, 2, 3, 4)),
    "human/", "human/csk/", "human/verify/", "human/stance/", "human/rounds/", "human/agreement/",
    "human/hamlet/",
)


Open = Callable[..., Any]


@pytest.mark.claim("No page runs what a submission says, and none asks another host for anything.")
@pytest.mark.parametrize("path", PAGES)
def test_no_payload_runs_no_other_host_is_asked_and_nothing_hangs_over(
    path: str, open_page: Open
) -> None:
    page = open_page(path)
    page.evaluate(
        "document.querySelectorAll('article *').forEach("
        "e => e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))")
    assert page.evaluate("window.pwned") is None
    assert page.locator("h1").count() == 1
    styled = "article [style]:not(.wb-numbers b)"  # bars get their height from our own script
    bad = f"[onmouseover], [onerror], article script, {styled}, [href^='javascript']"
    assert page.locator(bad).count() == 0
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_payloads_are_shown_as_they_were_written(open_page: Open) -> None:
    text = open_page("boards/tiny/systems/sly-team--payloads/").locator("article").inner_text()
    for payload in ("<script>window.pwned=1</script>", "{{7*7}}", "[x](javascript:window.pwned=3)",
                    "# heading", "</script></title></svg></textarea>"):
        assert payload in text


def test_a_table_is_sorted_by_keyboard_and_says_so(open_page: Open) -> None:
    page = open_page("boards/tiny/dev/")
    names = page.locator(".wb-line th > a")
    assert names.count() == 3
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
    page = open_page("boards/tiny/test/")
    page.locator(".wb-lb.ready").wait_for()
    rows = page.locator(".wb-line th.name")
    page.evaluate("document.querySelector('.wb-line td.ord').removeAttribute('data-v')")
    button = page.locator(".wb-board > thead th.ord button")
    last = rows.nth(0).inner_text()
    for _ in range(2):
        button.click()
        assert rows.nth(1).inner_text() == last


def test_the_reading_of_a_table_can_be_changed(open_page: Open) -> None:
    page = open_page("boards/tiny/dev/")
    cell = page.locator(".wb-line").nth(0).locator("td.ord .v")
    official = cell.inner_text()
    page.locator(".wb-menu summary", has_text="Show").click()
    page.get_by_label("lift over the null").check()
    page.locator(".wb-board[data-show=lift]").wait_for()
    page.wait_for_function(f"document.querySelector('td.ord .v').textContent !== '{official}'")
    assert "lift over the null" in page.locator(".wb-menu summary", has_text="Show").inner_text()


def test_another_system_can_be_chosen_and_the_address_remembers_it(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(1))
    card = page.locator("[data-slot=b]")
    select = page.locator("select[data-for=b]")
    before = card.locator("h2").inner_text()
    select.select_option("sly-team/payloads")
    card.locator("h2", has_text="Sly").wait_for()
    assert "Sly" not in before
    assert "b=sly-team%2Fpayloads" in page.url
    page.locator(".wb-pager a[rel=next]").click()
    page.wait_for_url(f"**/{EXAMPLE.format(2)}?*")
    page.locator("[data-slot=b] h2", has_text="Sly").wait_for()
    assert page.locator("select[data-for=b]").input_value() == "sly-team/payloads"


def test_a_linked_system_is_shown_first(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(2) + "?a=sly-team%2Fpayloads&b=no/such")
    page.locator("[data-slot=a] h2", has_text="Sly").wait_for()
    findings = page.locator("[data-slot=a]")
    assert "wrong stance" in findings.inner_text().lower()
    assert "EG-CYCLE" in findings.inner_text()
    assert page.evaluate("window.pwned") is None


def test_the_interactive_graph_opens_on_demand_and_only_then(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(1) + "?b=sly-team/payloads")
    assert page.evaluate("window.vis") is None
    for slot in (".wb-gold", "[data-slot=b]"):
        page.locator(f"{slot} .wb-net").click()
        page.locator(f"{slot} .wb-canvas[data-drawn=yes] canvas").wait_for()
    assert page.evaluate("window.pwned") is None
    scheme = page.evaluate("document.body.dataset.mdColorScheme")
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    assert scheme == "default"


def test_a_dark_scheme_changes_every_drawing(open_page: Open) -> None:
    def fill(scheme: str) -> str:
        page = open_page(EXAMPLE.format(1), color_scheme=scheme)
        until(page, "s => document.body.dataset.mdColorScheme === s",
            arg={"dark": "slate", "light": "default"}[scheme])
        color: str = page.evaluate(
            "getComputedStyle(document.querySelector('.wb-gold .n rect')).fill")
        return color

    assert fill("dark") != fill("light")


@pytest.mark.claim("Examples can be read without scripts.")
def test_without_scripts_two_systems_stand_beside_gold(open_page: Open) -> None:
    page = open_page(EXAMPLE.format(1), java_script_enabled=False)
    assert page.locator(".wb-card").count() == 3
    for i in range(3):
        assert page.locator(".wb-card figure > svg").nth(i).is_visible()
    assert not page.locator(".wb-chooser").is_visible()
    assert not page.locator(".wb-net").first.is_visible()
    table = open_page("boards/tiny/dev/", java_script_enabled=False)
    assert table.locator(".wb-board .wb-line").count() == 3
    assert not table.locator(".wb-controls").is_visible()


def test_the_note_on_a_judged_column_leads_to_its_judge(open_page: Open) -> None:
    page = open_page("boards/tiny/dev/")
    note = page.locator(".wb-columns > div").nth(2)
    assert "Unranked: judge not fit. Judged by" in note.inner_text()
    note.get_by_role("link", name="Sly").click()
    page.wait_for_url(f"**/{JUDGE_PAGE}")
    assert page.locator("article").get_by_text("✗ not fit to rank").first.is_visible()


def test_a_judges_page_is_whole_without_scripts(open_page: Open) -> None:
    page = open_page(JUDGE_PAGE, java_script_enabled=False)
    assert page.locator(".wb-checks tbody tr").count() == 7
    page.locator(".wb-set summary").first.click()
    assert page.locator(".wb-bins").first.is_visible()


def test_names_in_a_plot_reach_the_contrast_of_wcag_aa(open_page: Open) -> None:
    """Axe, which looks at every other page (test_quality.py), passes over drawings."""
    for scheme in ("light", "dark"):
        page = open_page("boards/tiny/dev/plots/", color_scheme=scheme)
        page.locator(".wb-plots[data-ready=yes]").wait_for()
        assert not page.evaluate(CONTRAST), scheme


@pytest.mark.claim("Text on the page of an example has the contrast that WCAG AA asks for.")
def test_text_reaches_the_contrast_of_wcag_aa(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        page = open_page(EXAMPLE.format(2) + "?a=sly-team/payloads", color_scheme=scheme)
        page.locator("[data-slot=a] h2", has_text="Sly").wait_for()
        low = page.evaluate(CONTRAST)
        assert not low, (scheme, low)


def test_states_are_whole_without_scripts_and_lead_to_their_reasons(open_page: Open) -> None:
    page = open_page("submissions/", java_script_enabled=False)
    assert page.locator(".wb-states tbody tr").count() == 10
    page.get_by_role("link", name="TSV-ROWS").click()
    assert page.locator(":target code").inner_text() == "TSV-ROWS"
    page.go_back()
    page.get_by_role("link", name="SCORER-TIME").first.click()
    assert "too long" in page.locator(":target").inner_text()
    page.get_by_role("link", name="Sly").first.click()
    assert page.locator(".wb-state").inner_text().startswith("published")


CONTRAST = """() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (node) => {
    for (let e = node; e; e = e.parentElement) {
      const box = e.matches('g.n') ? e.querySelector('rect, path') : null;
      const color = rgb(box ? getComputedStyle(box).fill : getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll('article *')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.checkVisibility() || e.closest('option, select, .x')) continue;
    const svg = e.closest('svg');
    const color = rgb(svg ? getComputedStyle(e).fill : getComputedStyle(e).color).slice(0, 3);
    const [a, b] = [lum(color), lum(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    const name = `${e.tagName} ${e.className.baseVal ?? e.className}`;
    if (ratio < 4.5) found.push(`${name} ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
  }
  return [...new Set(found)].slice(0, 20);
}"""
