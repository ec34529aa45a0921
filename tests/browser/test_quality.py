"""The bars of docs/decisions/015-the-site-generator.md, held in a real browser.

Every kind of page: nothing that strangers wrote runs, nothing against its policy, nothing serious
for who cannot see or use a mouse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.browser.conftest import Window, script, until
from tests.browser.tiny_site import JUDGE_PAGE

pytestmark = [pytest.mark.browser, pytest.mark.site]

Open = Callable[..., Any]
SHELLS = ("", "boards/tiny/dev/", "boards/tiny/dev/1/", "submit/", "404.html")
"""Pages with all there is around a body: each shell with its menus, and a hand-written page."""
PAGES = (
    *SHELLS, "about/", "annotate/", "annotate/adjudicate/csk-1/", "annotate/csk-2/", "annotators/",
    "boards/", "boards/tiny/", "boards/tiny/changes/", "boards/tiny/data/",
    "boards/tiny/data/quality/", "boards/tiny/dev/2/?a=sly-team/payloads", "boards/tiny/dev/3/",
    "boards/tiny/dev/compare/",
    "boards/tiny/dev/compare/?a=fair-team/chains&b=sly-team/payloads",
    "boards/tiny/dev/compare/fair-team--chains--vs--sly-team--payloads/",
    "boards/tiny/dev/examples/", "boards/tiny/dev/plots/", "boards/tiny/examples/",
    "boards/tiny/systems/sly-team--payloads/", "boards/tiny/test/", "changelog/", "check/", "docs/",
    "downloads/", "examples/", "faq/", "glossary/", "handbook/", "handbook/run-a-board/", "host/",
    "human/", "human/agreement/", "human/csk/", "human/hamlet/", "human/rounds/", "human/stance/",
    "human/verify/", "judges/", JUDGE_PAGE, "metrics/", "metrics/bertscore/", "metrics/stca/",
    "metrics/statistics/", "organisers/", "schemas/", "submissions/", "submit/files/",
    "submit/rules/",
)
"""One of each kind, and those of a kind on which strangers write elsewhere."""
SCHEMES = {"light": "default", "dark": "slate"}
"""What a reader prefers, and what the theme calls it."""
STARTED = """() => document.body.dataset.mdColorScheme
  && !document.querySelector(".wb-check[hidden]")
  && [...document.querySelectorAll(".wb-browser, .wb-example, .wb-plots")]
    .every((one) => one.dataset.ready === "yes")"""
"""Whether the scripts of a page have done what they do before a reader does anything."""
LATER = 1000
"""Milliseconds after which nothing moves that the start of a page had moved."""
ALL_RULES: dict[str, Any] = {}
RULES_OF_COLOUR = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""All that axe asks about colours."""
ALL_BUT_COLOUR = {"rules": {name: {"enabled": False} for name in RULES_OF_COLOUR["runOnly"]}}
ALL_BUT_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
HOVER = """() => document.querySelectorAll("article *").forEach(
  (one) => one.dispatchEvent(new MouseEvent("mouseover", {bubbles: true})))"""
ALIVE = ("[onmouseover], [onerror], article script:not([src], [type='application/json']), "
         "article [style]:not(.wb-numbers b), [href^='javascript']")
"""What would do something; bars get their height from a script of ours."""
CONTRAST = script("contrast")


@pytest.fixture(scope="session")
def axe() -> str:
    """The program of axe."""
    package = pytest.importorskip("axe_playwright_python.base")
    found: str = package.AXE_FILE_PATH.read_text("utf-8")
    return found


def test_every_kind_of_page_of_a_site_is_in_this_file(built: Path) -> None:
    places = {path.parent.relative_to(built).as_posix() for path in built.rglob("index.html")}
    places = {"" if place == "." else f"{place}/" for place in places}
    assert {path.partition("?")[0] for path in PAGES if not path.endswith(".html")} <= places
    known = {_kind(path) for path in PAGES}
    assert {path for path in places if _kind(path) not in known} == set()


def _kind(path: str) -> str:
    """The address without what differs between pages of one kind."""
    for below in ("systems", "metrics", "judges", "compare"):
        path = re.sub(rf"({below})/(?!statistics/)[^/]+/", r"\1/*/", path)
    path = re.sub(r"^human/(?!(?:csk|agreement|rounds|metrics)/)[^/]+/", "human/*/", path)
    path = re.sub(r"^annotate/(?!adjudicate/)[^/]+/", "annotate/*/", path)
    path = re.sub(r"^annotate/adjudicate/[^/]+/", "annotate/adjudicate/*/", path)
    path = re.sub(r"^handbook/[^/]+/", "handbook/*/", path)
    path = re.sub(r"/(dev|test)/", "/split/", path)
    return re.sub(r"/\d+/", "/1/", path)


def started(page: Any, axe: str, scheme: str = "light") -> None:
    """Wait for a page's scripts, and for its scheme; then let axe in, which no policy keeps out."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    until(page, STARTED)
    until(page, "(shown) => document.body.dataset.mdColorScheme === shown", SCHEMES[scheme])
    devtools = page.context.new_cdp_session(page)
    devtools.send("Runtime.evaluate", {"expression": axe})
    devtools.detach()


@pytest.mark.claim("No page runs what a submission says, and none asks another host for anything.")
@pytest.mark.claim("Text on the page of an example has the contrast that WCAG AA asks for.")
@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_nothing_and_everybody_can_read_it(
    path: str, open_page: Open, axe: str
) -> None:
    page = open_page(path)
    for scheme in SCHEMES:
        started(page, axe, scheme)
        for width in (1280, 390, 320):
            for rules in _rules(scheme, path, width):
                assert _serious(page, scheme, width, rules) == []
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(CONTRAST) == [], (scheme, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(HOVER)
    assert page.evaluate("window.pwned") is None
    assert page.locator("h1").count() == 1
    assert page.locator(ALIVE).count() == 0
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    scripts = next(rule for rule in policy.split("; ") if rule.startswith("script-src"))
    assert not re.search(r"unsafe|\*", scripts)


def _rules(scheme: str, path: str, width: int) -> Iterator[dict[str, Any]]:
    """What axe is asked about a page of a width, beside the contrast of its body.

    A page in the dark has the same elements in other colours, but for the button that makes it
    light again, which is that of the home page. Only a shell has other colours at other widths. No
    style begins or ends between the narrow widths.
    """
    if path in SHELLS and width != 320:
        yield ALL_RULES if scheme == "light" or not path else RULES_OF_COLOUR
    elif scheme == "light" and width != 390:
        yield ALL_BUT_CONTRAST if width == 1280 else ALL_BUT_COLOUR


def _serious(page: Any, name: str, width: int, rules: dict[str, Any]) -> list[str]:
    """The grave findings of axe on a page of a width, in words; scripts get time to answer it."""
    page.set_viewport_size({"width": width, "height": 900})
    found = _grave(page, rules)
    if found:
        page.wait_for_timeout(LATER)
        found = _grave(page, rules)
    return [f"{name} {width} {one['id']} ({one['impact']}): "
            f"{one['nodes'][0]['target']} of {len(one['nodes'])}" for one in found]


def _grave(page: Any, rules: dict[str, Any]) -> list[dict[str, Any]]:
    seen = page.evaluate("(rules) => axe.run(document, {resultTypes: ['violations'], ...rules})"
                         ".then((found) => found.violations)", rules)
    return [one for one in seen if one["impact"] in ("serious", "critical")]


def test_axe_is_asked_in_a_way_that_finds_what_is_wrong(open_page: Open, axe: str) -> None:
    page = open_page("about/")
    started(page, axe)
    page.evaluate("""() => {
        const pale = document.querySelector("main p, article p");
        pale.style.cssText = "color: #888; background: #999";
        document.querySelector("main, article").append(document.createElement("button")); }""")
    wrong = {rule for rules in (ALL_RULES, RULES_OF_COLOUR, ALL_BUT_COLOUR)
             for rule in [one["id"] for one in _grave(page, rules)]}
    assert wrong == {"color-contrast", "button-name"}
    assert page.evaluate(CONTRAST)


def test_the_scheme_is_the_system_s_until_a_reader_chooses_one(open_page: Open) -> None:
    page = open_page("about/")

    def seen() -> str:
        page.reload()
        until(page, STARTED)
        found: str = page.evaluate("document.body.dataset.mdColorScheme")
        return found

    assert seen() == "default"
    page.emulate_media(color_scheme="dark")
    assert seen() == "slate"
    page.locator(".md-header__option label[title='Switch to the light scheme']").click()
    assert seen() == "default", "chosen, in a system that is dark"


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


def test_an_inline_script_in_a_body_would_not_run(browser: Any, site: str, built: Path) -> None:
    html = (built / "boards/tiny/dev/2/index.html").read_text("utf-8")
    bad = "<script>window.pwned=1</script><img src=x onerror='window.pwned=2'></article>"
    (built / "bad.html").write_text(
        html.replace("</article>", bad).replace("../../../../", ""), "utf-8")
    messages: list[str] = []
    window = Window(browser)
    page = window.enter(site, messages)
    page.goto(site + "bad.html")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.pwned") is None
    assert sum("Content Security Policy" in message for message in messages) >= 2
    window.context.close()
    (built / "bad.html").unlink()


def test_every_page_begins_with_a_link_past_its_navigation(built: Path) -> None:
    without = [path for path in sorted(built.rglob("*.html"))
               if (html := path.read_text("utf-8")).count('href="#content" class="md-skip"') != 1
               or html.count(' id="content"') != 1]
    assert without == []


NAMED = re.compile(r'<(?!base\b)[^>]*\s(?:href|src)="([^"]+)"')


@pytest.mark.claim("Every link of every page leads somewhere.")
def test_every_link_leads_to_a_file_that_is_there_and_to_its_very_heading(built: Path) -> None:
    missing = set()
    headings = cache(lambda path: {*re.findall(r'\sid="?([^"\s>]+)', path.read_text("utf-8"))})
    for path in sorted(built.rglob("index.html")):
        for link in {*NAMED.findall(path.read_text("utf-8"))}:
            if "://" in link or link.startswith(("data:", "mailto:")):
                continue
            file, _, anchor = unescape(link).partition("#")
            place = path.parent / unquote(file.partition("?")[0]) if file else path
            place = place / "index.html" if place.is_dir() else place
            if not place.is_file() or (
                    anchor and place.suffix == ".html" and unquote(anchor) not in headings(place)):
                missing.add(f"{path.relative_to(built)}: {link}")
    assert missing == set()
