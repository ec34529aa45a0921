"""The bars of docs/decisions/015-the-site-generator.md, held in a real browser.

Every kind of page: nothing against its policy, nothing serious for who cannot see or use a mouse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.browser.conftest import served, until
from tests.browser.test_canaries import Parsed
from tests.browser.test_site_browser import CONTRAST
from tests.browser.tiny_site import JUDGE_PAGE

pytestmark = [pytest.mark.browser, pytest.mark.site]

KINDS = {
    "home": "", "boards": "boards/", "board": "boards/tiny/", "leaderboard": "boards/tiny/dev/",
    "comparisons": "boards/tiny/dev/compare/",
    "comparison": "boards/tiny/dev/compare/fair-team--chains--vs--sly-team--payloads/",
    "plots": "boards/tiny/dev/plots/", "examples": "examples/",
    "changes": "boards/tiny/changes/",
    "system": "boards/tiny/systems/sly-team--payloads/", "dataset": "boards/tiny/data/",
    "gold": "boards/tiny/data/quality/",
    "browser": "boards/tiny/examples/", "list": "boards/tiny/dev/examples/",
    "example": "boards/tiny/dev/1/", "metrics": "metrics/",
    "metric": "metrics/stca/", "similarities": "metrics/bertscore/",
    "statistics": "metrics/statistics/", "judges": "judges/", "judge": JUDGE_PAGE,
    "checker": "check/", "submit": "submit/", "files": "submit/files/", "docs": "docs/",
    "rules": "submit/rules/",
    "people": "human/", "answers": "human/verify/", "knowledge": "human/csk/",
    "agreement": "human/agreement/", "rounds": "human/rounds/", "hamlet": "human/hamlet/",
    "annotate": "annotate/", "batch": "annotate/csk-2/", "disputes": "annotate/adjudicate/csk-1/",
    "annotators": "annotators/", "organisers": "organisers/",
    "submissions": "submissions/", "downloads": "downloads/", "about": "about/",
    "host": "host/", "handbook": "handbook/", "handbook page": "handbook/run-a-board/",
    "questions": "faq/", "glossary": "glossary/",
    "changelog": "changelog/", "schemas": "schemas/", "missing": "404.html",
}
SHELLS = ("home", "leaderboard", "example", "submit", "missing")
"""Kinds with all there is around a body: each shell with its menus, and a hand-written page."""
WIDTHS = (1280, 390, 320)
SCHEMES = {"light": "default", "dark": "slate"}
"""What a reader prefers, and what the theme calls it."""
STARTED = """() => document.body.dataset.mdColorScheme
  && !document.querySelector(".wb-check[hidden]")
  && [...document.querySelectorAll(".wb-browser, .wb-example")]
    .every((one) => one.dataset.ready === "yes")"""
"""Whether the scripts of a page have done what they do before a reader does anything."""
LATER = 1000
"""Milliseconds after which nothing moves that the start of a page had moved."""
GRAVE = ("serious", "critical")
ALL_RULES: dict[str, Any] = {}
RULES_OF_COLOUR = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""All that axe asks about colours."""
ALL_BUT_COLOUR = {"rules": {name: {"enabled": False} for name in RULES_OF_COLOUR["runOnly"]}}
RULES_OF_ROOM = {"runOnly": ["scrollable-region-focusable"]}
"""All that it asks about what fits where."""
WATCH = """window.violations = [];
addEventListener("securitypolicyviolation", (event) => window.violations.push(
  `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));"""


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    """Where the site is served."""
    with served(built) as found:
        yield found


@contextmanager
def opened(browser: Any, **settings: Any) -> Iterator[Any]:
    """A page in a context of its own."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | settings)
    context.add_init_script(WATCH)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The program of axe."""
    package = pytest.importorskip("axe_playwright_python.base")
    found: str = package.AXE_FILE_PATH.read_text("utf-8")
    return found


def test_every_kind_of_page_of_a_site_is_in_this_file(built: Path) -> None:
    places = {path.parent.relative_to(built).as_posix() for path in built.rglob("index.html")}
    places = {"" if place == "." else f"{place}/" for place in places}
    assert {path for path in KINDS.values() if not path.endswith(".html")} <= places
    known = {_kind(path) for path in KINDS.values()}
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


@pytest.fixture(scope="module")
def wrong(browser: Any, address: str, axe: str) -> dict[str, list[str]]:
    """What is wrong with the pages in each scheme; each is opened once, then shown in
    the other scheme too."""
    wrong: dict[str, list[str]] = {scheme: [] for scheme in SCHEMES}
    now = ""
    with opened(browser, reduced_motion="reduce") as page:
        page.context.add_init_script(axe)  # which no policy keeps out
        page.on("console", lambda message: wrong[now].append(message.text))
        for name, path in KINDS.items():
            for now, shown in SCHEMES.items():
                page.emulate_media(color_scheme=now)
                if now == next(iter(SCHEMES)):
                    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
                    page.goto(address + path)
                    until(page, STARTED)
                until(page, "(shown) => document.body.dataset.mdColorScheme === shown", shown)
                for width, rules in _asked(now, name):
                    wrong[now] += _serious(page, f"{name} {now}", width, rules)
                if now == "dark":
                    wrong[now] += [f"{name} {now}: {text}" for text in page.evaluate(CONTRAST)]
            wrong[now] += [f"{name}: {text}" for text in _against_policy(page)]
    return wrong


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_page_has_anything_against_its_policy_or_serious_in_the_eyes_of_axe(
    wrong: dict[str, list[str]], scheme: str
) -> None:
    assert wrong[scheme] == []


def test_the_scheme_is_the_system_s_until_a_reader_chooses_one(
    browser: Any, address: str
) -> None:

    def seen() -> str:
        page.goto(address + "about/")
        until(page, STARTED)
        found: str = page.evaluate("document.body.dataset.mdColorScheme")
        return found

    with opened(browser, color_scheme="light") as page:
        assert seen() == "default"
        page.emulate_media(color_scheme="dark")
        assert seen() == "slate"
        page.locator(".md-header__option label[title='Switch to the light scheme']").click()
        assert seen() == "default", "chosen, in a system that is dark"


def _asked(scheme: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """At which widths what is asked of a page.

    A page in the dark has the same elements in other colours, but for the button that makes it
    light again, which is that of the home page: of bodies the contrast is computed. A body has the
    same colours at every width (see the test below), the shell around it may not. No style begins
    or ends between the narrow widths, so that all but room is the same there.
    """
    wide, narrow, narrowest = WIDTHS
    rules = ALL_RULES if scheme == "light" or name == "home" else RULES_OF_COLOUR
    if scheme == "light" or name in SHELLS:
        yield wide, rules
    if name in SHELLS:
        yield narrow, rules
    elif scheme == "light":
        yield narrow, ALL_BUT_COLOUR
    if scheme == "light":
        yield narrowest, RULES_OF_ROOM


def test_no_style_of_a_body_gives_it_another_colour_at_another_width(
    browser: Any, address: str
) -> None:
    with opened(browser) as page:
        page.goto(address)
        found = page.evaluate("""() => [...document.styleSheets]
            .filter((sheet) => sheet.href.includes('whyboard'))
            .flatMap((sheet) => [...sheet.cssRules])
            .filter((rule) => rule.media && rule.media.mediaText.includes('width'))
            .flatMap((rule) => [...rule.cssRules])
            .filter((rule) => ['color', 'background-color', 'opacity', 'fill', 'stroke'].some(
                (name) => rule.style.getPropertyValue(name)))
            .map((rule) => rule.selectorText)""")
    assert found == [".wb-stack [data-head]::before"]


def _against_policy(page: Any) -> list[str]:
    """What the policy of a page kept out, and what of the policy itself is too wide."""
    found: list[str] = page.evaluate("window.violations")
    policy = page.locator("meta[http-equiv=Content-Security-Policy]")
    script = next(rule for rule in policy.get_attribute("content").split("; ")
                  if rule.startswith("script-src"))
    return found + [f"{script} has {word}" for word in ("unsafe", "*") if word in script]


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
                         ".then((told) => told.violations)", rules)
    return [one for one in seen if one["impact"] in GRAVE]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_is_asked_in_a_way_that_finds_what_is_wrong(
    browser: Any, address: str, axe: str, scheme: str
) -> None:
    """Each scheme's rules, on a page where one thing was made wrong."""
    rules = ALL_RULES if scheme == "light" else RULES_OF_COLOUR
    with opened(browser, color_scheme=scheme) as page:
        page.context.add_init_script(axe)
        page.goto(address + KINDS["about"])
        assert _serious(page, "about", WIDTHS[0], rules) == []
        page.evaluate("""() => {
            const pale = document.querySelector("main p, article p");
            pale.style.cssText = "color: #888; background: #999";
            document.querySelector("main, article").append(document.createElement("button")); }""")
        found = " ".join(_serious(page, "about", WIDTHS[0], rules))
        assert page.evaluate(CONTRAST)
    assert "color-contrast" in found
    assert ("button-name" in found) == (scheme == "light")


def test_an_inline_script_that_got_into_a_body_would_not_run(
    browser: Any, address: str, built: Path
) -> None:
    page_file = built / "boards/tiny/dev/2/index.html"
    html = page_file.read_text("utf-8")
    bad = "<script>window.pwned=1</script><img src=x onerror='window.pwned=2'></article>"
    (built / "bad.html").write_text(
        html.replace("</article>", bad).replace("../../../../", ""), "utf-8")
    with opened(browser) as page:
        page.goto(address + "bad.html")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.pwned") is None
        assert len(page.evaluate("window.violations")) >= 2
    (built / "bad.html").unlink()


def test_graph_checker_and_search_work_under_the_policy(
    browser: Any, address: str
) -> None:
    with opened(browser) as page:
        page.goto(address + KINDS["example"])
        page.get_by_role("button", name="Interactive graph").first.click()
        page.locator("canvas").first.wait_for()
        assert page.evaluate("window.violations") == []
        page.goto(address + KINDS["checker"])
        page.locator("summary", has_text="paste rows").click()
        page.locator("textarea").fill("support\t(trains; causes; less smoke)")
        page.get_by_role("button", name="Check these rows").click()
        page.locator("text=TSV-ROWS").first.wait_for()
        assert page.evaluate("window.violations") == []
        page.goto(address + KINDS["example"])
        page.locator(".wb-seek input").fill("limits")
        page.locator(".wb-hits a").first.wait_for()
        assert page.evaluate("window.violations") == []


def test_keys_alone_lead_from_a_board_to_a_submission_to_an_example_and_back(
    browser: Any, address: str
) -> None:
    with opened(browser) as page:
        page.goto(address + KINDS["leaderboard"])
        _press_on(page, "a[href*='systems/']")
        page.wait_for_url("**/systems/**")
        system = page.url
        _press_on(page, "main a[href*='/dev/'][href*='1/'], main a[href*='dev/2/']")
        page.wait_for_url("**/boards/tiny/dev/*/**")
        assert page.locator(".wb-example").count() == 1
        page.go_back()  # Alt+Left belongs to the window, which a test has not
        page.wait_for_url(system)
        page.go_back()  # Alt+Left belongs to the window, which a test has not
        page.wait_for_url("**/boards/tiny/dev/")


def _press_on(page: Any, selector: str, most: int = 150) -> None:
    """Walk with the tabulator to what is wanted, which must show that it has the focus; Enter."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            style = page.evaluate("""() => {
                const seen = getComputedStyle(document.activeElement);
                return seen.outlineStyle + seen.boxShadow; }""")
            assert style != "nonenone"
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"the tabulator never came to {selector}")


def test_every_page_begins_with_a_link_past_its_navigation(built: Path) -> None:
    without = [path for path in sorted(built.rglob("*.html"))
               if (html := path.read_text("utf-8")).count('href="#content" class="md-skip"') != 1
               or html.count(' id="content"') != 1]
    assert without == []


@pytest.mark.claim("Every link of every page leads somewhere.")
def test_every_link_and_file_that_a_page_names_is_there(built: Path) -> None:
    missing = []
    for path in sorted(built.rglob("index.html")):
        for tag, found, _ in Parsed(path.read_text("utf-8")).tags:
            link = found.get("href") or found.get("src") or ""
            if tag == "base" or "://" in link or link.startswith(("#", "data:", "mailto:")):
                continue
            place = path.parent / unquote(link.partition("#")[0].partition("?")[0])
            if not (place.is_file() or (place / "index.html").is_file()):
                missing.append(f"{path.relative_to(built)}: {link}")
    assert missing == []
