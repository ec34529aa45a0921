"""The example browser and the example page in a real browser, on the practice board."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest

from scorer.tasks.graphs.facts import gold_facts
from tests.browser.conftest import moved, once, patient, until

pytestmark = [pytest.mark.browser, pytest.mark.site]
SITE = "checkout"

BOARD = "boards/explagraphs-practice/"
BROWSER = BOARD + "examples/"
EXAMPLE = BOARD + "dev/{}/"
EDITED, TEMPLATE = "reference/edited-gold", "reference/majority-template"
READY = ".wb-example[data-ready=yes]"
NULL = "reference/null"
"""Right on every example, for it has gold's labels."""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def view(checkout: Path) -> Any:
    """The practice board's dev split as Python reads it."""
    from scorer.site.reading.read import read_site

    board = next(one for one in read_site(checkout.parent / "root", checkout.parent).boards
                 if one.board.id == "explagraphs-practice")
    return next(split for split in board.splits if split.name == "dev")


@pytest.fixture
def browse(open_page: Open) -> Open:
    """Opens the example browser and waits until every split is there."""
    return lambda query="", **settings: open_page(
        BROWSER + query, ready=".wb-browser[data-ready=yes]", **settings)


def right(view: Any, key: str) -> set[int]:
    """The rows on which a system passes every gate."""
    return {item.row for item in entry_of(view, key).result.items
            if item.verdict.annotation == "struct_correct"}


def shown(page: Any) -> int:
    return int(page.locator(".wb-browser").get_attribute("data-shown"))


def rows(page: Any) -> list[int]:
    return [int(text) for text in page.locator(".wb-list b").all_text_contents()]


def listed(page: Any, wanted: list[int]) -> None:
    """Wait until just these rows are found, and see that they are listed; long lists grow."""
    until(page, f"document.querySelector('.wb-browser').dataset.shown === '{len(wanted)}'")
    there = rows(page)
    assert there == wanted[:len(there)]
    assert bool(there) == bool(wanted)


def entry_of(view: Any, key: str) -> Any:
    return next(one for one in view.entries if one.key == key)


def choose(page: Any, facet: str, value: str) -> None:
    page.locator(f"[data-facet={facet}] label", has_text=value).first.locator("input").check()


def counts(page: Any, facet: str) -> dict[str, int]:
    lines = page.locator(f"[data-facet={facet}] label").evaluate_all(
        "lines => lines.map(l => [...l.querySelectorAll('span')].map(s => s.textContent))")
    return {name: int(count) for name, count in lines}


# ---- the browser ---------------------------------------------------------------------------------


def test_all_examples_of_all_splits_are_listed_with_counts(browse: Open, view: Any) -> None:
    page = browse()
    assert shown(page) == 40 + 24 + 24
    assert counts(page, "split") == {"dev": 40, "train": 24, "test": 24}
    labels = counts(page, "label")
    assert labels["support"] + labels["counter"] == 88
    assert sum(counts(page, "shape").values()) == 88


def test_a_search_finds_words_in_any_text_in_any_order(browse: Open, view: Any) -> None:
    page = browse("?split=dev")
    page.locator(".wb-find input").fill("TIPS guests")
    by_hand = [row for row, gold in enumerate(view.golds, 1)
               if all(word in " ".join(gold.texts).lower() for word in ("tips", "guests"))]
    assert rows(page) == by_hand != []
    page.locator(".wb-find input").fill("no such words at all")
    assert shown(page) == 0
    assert page.locator(".wb-list li").count() == 0


def test_counts_say_what_choosing_a_value_would_leave(browse: Open) -> None:
    page = browse("?split=dev", alone=True)
    before = counts(page, "label")
    for label, count in before.items():
        other = browse(f"?split=dev&label={label}")
        assert shown(other) == count
        assert counts(other, "label") == before, "a facet's own choice does not thin its own counts"
    choose(page, "label", "support")
    choose(page, "label", "counter")
    assert shown(page) == 40, "two values of a facet: either"
    choose(page, "relation", "causes")
    assert shown(page) == counts(page, "relation")["causes"]


def test_what_a_system_got_and_broke_are_facets(browse: Open, view: Any) -> None:
    page = browse(f"?split=dev&a={EDITED}")
    broken = [item.row for item in entry_of(view, EDITED).result.items
              if any(finding.rule == "EG-DISCONNECTED" for finding in item.verdict.broken)]
    assert counts(page, "got")["right"] == len(right(view, EDITED))
    assert counts(page, "broke")["EG-DISCONNECTED"] == len(broken) > 0
    choose(page, "broke", "EG-DISCONNECTED")
    assert rows(page) == broken


def test_where_one_is_right_and_the_other_wrong_can_be_listed(browse: Open, view: Any) -> None:
    page = browse("?split=dev")
    page.locator("select[data-system=a]").select_option(EDITED)
    page.locator("select[data-system=b]").select_option(TEMPLATE)
    choose(page, "pair", "only A")
    title = entry_of(view, EDITED).title
    assert page.get_by_role("button", name=f"Remove Right are: only {title}").is_visible()
    wins, losses = (right(view, EDITED) - right(view, TEMPLATE),
                    right(view, TEMPLATE) - right(view, EDITED))
    listed(page, sorted(wins))
    both = right(view, EDITED) & right(view, TEMPLATE)
    assert counts(page, "pair") == {"only A": len(wins), "only B": len(losses), "both": len(both),
                                    "none": 40 - len(wins) - len(losses) - len(both)}
    for name, found in (("b", losses), ("both", both)):
        listed(browse(f"?split=dev&a={EDITED}&b={TEMPLATE}&pair={name}"), sorted(found))


def test_a_range_of_numbers_is_chosen_by_fields_bars_and_address(browse: Open, view: Any) -> None:
    edges = [len(one.edges) for one in gold_facts(view.golds)]

    def between(low: float, high: float) -> list[int]:
        return [row for row, count in enumerate(edges, start=1) if low <= count <= high]

    page = browse("?split=dev")
    first, last = page.locator("[data-facet=edges] input").all()
    first.fill("4")
    assert shown(page) == len(between(4, 99)) < 40
    last.fill("5")
    listed(page, between(4, 5))
    page.wait_for_url("**/*edges=4+to+5*")
    assert page.get_by_role("button", name=f"Edges 3: {len(between(3, 3))}").count() == 1, (
        "a facet's own choice does not thin its own counts")
    page.get_by_role("button", name="Edges 3:").click()
    assert (first.input_value(), last.input_value()) == ("3", "3")
    assert shown(page) == len(between(3, 3))
    for words, ends in (("5+or+fewer", (0, 5)), ("6+or+more", (6, 99)), ("4", (4, 4)),
                        ("no+number", (1, 0))):
        assert shown(browse(f"?split=dev&edges={words}")) == len(between(*ends)), words


def ahead(view: Any, one: str, other: str, metric: str, sign: int) -> list[int]:
    """The rows on which a system has the better score."""
    pairs = zip(*([sign * item.scores[metric].value for item in entry_of(view, key).result.items]
                  for key in (one, other)), strict=True)
    return [row for row, (first, second) in enumerate(pairs, 1)
            if round(first, 6) > round(second, 6)]


def test_who_is_ahead_is_listed_where_right_and_wrong_say_nothing(browse: Open, view: Any) -> None:
    page = browse(f"?split=dev&a={EDITED}&b={NULL}")
    assert page.locator("[data-facet=pair] .wb-never").inner_text() == (
        "B is right wherever A is; compare the two by score below.")
    for metric, sign in (("G-ROUGE-L", 1), ("GED", -1)):
        page.get_by_label("Metric by which").select_option(metric)
        choose(page, "ahead", "A ahead")
        found = ahead(view, EDITED, NULL, metric, sign)
        listed(page, found)
    page.wait_for_url("**/*by=GED*")
    again = browse("?" + urlsplit(page.url).query)
    assert again.get_by_label("Metric by which").input_value() == "GED"
    assert shown(again) == len(found)
    again.locator("select[data-system=b]").select_option(TEMPLATE)
    again.locator("[data-facet=pair] .wb-never").wait_for(state="hidden")


def test_a_system_and_its_null_are_compared_by_score(
    open_page: Open, checkout: Path, view: Any
) -> None:
    known = json.loads((checkout / "data/explagraphs-practice/dev/systems.json").read_bytes())
    [edited] = [one for one in known["systems"] if one["key"] == EDITED]
    edited["null"] = NULL  # as if that row were its own
    page = open_page("about/", alone=True)
    page.route("**/dev/systems.json", lambda route: route.fulfill(json=known))
    page.goto(page.url.replace("about/", f"{BROWSER}?split=dev&a={EDITED}&b={NULL}"))
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    metric, sign, words = known["ahead"]
    found = ahead(view, EDITED, NULL, metric, sign)
    page.goto(page.url.partition(BROWSER)[0] + EXAMPLE.format(found[0]) + f"?a={EDITED}&b={NULL}")
    page.get_by_role("button", name=words).click()
    page.wait_for_url(f"**/{EXAMPLE.format(found[1])}*")


@pytest.mark.parametrize(("words", "query", "fits"), [
    ("Only where systems disagree", "systems=disagree", lambda right, of: 0 < right < of),
    ("Only where no system is right", "right=0", lambda right, of: right == 0),
])
def test_the_first_filters_count_systems_alone(
    browse: Open, view: Any, words: str, query: str, fits: Callable[[int, int], bool]
) -> None:
    systems = [right(view, one.key) for one in view.entries if one.kind != "reference"]
    wanted = [row for row in range(1, 41)
              if fits(sum(row in found for found in systems), len(systems))]
    page = browse("?split=dev", viewport={"width": 390, "height": 844})
    box = page.get_by_role("checkbox", name=words)
    assert page.locator(".wb-first label", has_text=words).inner_text().endswith(str(len(wanted)))
    box.check()
    listed(page, wanted)
    page.wait_for_url(f"**/*{query}*")
    page.reload()
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    assert rows(page) == wanted
    assert box.is_checked()


def test_every_filter_has_a_chip_that_takes_it_away(browse: Open) -> None:
    page = browse("?split=dev&label=counter&edges=4+to+5&find=guests")
    chips = page.locator(".wb-chips button")
    assert [text[:-2].lower() for text in chips.all_inner_texts()] == [
        "split: dev", "stance: counter", "edges: 4 to 5", "“guests”"]
    before = shown(page)
    page.get_by_role("button", name="Remove stance: counter").focus()
    page.keyboard.press("Enter")
    assert not page.locator("[data-facet=label] input").nth(1).is_checked()
    assert page.evaluate("document.activeElement.textContent").startswith("Edges")
    page.get_by_role("button", name="Remove Edges").click()
    page.get_by_role("button", name="Remove “guests”").click()
    assert page.locator("[data-facet=edges] input").first.input_value() == ""
    assert page.locator(".wb-find input[type=search]").input_value() == ""
    assert before < shown(page) == 40


def test_a_key_leads_back_to_the_same_place_of_the_same_list(browse: Open) -> None:
    page = browse(f"?split=train&label=counter&a={EDITED}")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    assert not page.locator("#__search").is_checked(), "the theme's own search stays shut"
    page.keyboard.press("ArrowDown")
    for _ in range(6):
        page.keyboard.press("j")
    seventh = rows(page)[6]
    page.keyboard.press("Enter")
    page.locator(".wb-pager", has_text="7 of").wait_for()
    page.keyboard.press("j")
    page.locator(".wb-pager", has_text="8 of").wait_for()
    assert "back to its place" in page.locator(".wb-keys").inner_text()
    page.keyboard.press("Escape")
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    assert rows(page)[6] == seventh
    until(page, "number => document.activeElement.querySelector('b')?.textContent === number",
          arg=str(rows(page)[7]))
    query = parse_qs(urlsplit(page.url).query)
    assert query == {"split": ["train"], "label": ["counter"], "a": [EDITED]}
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.querySelector('b').textContent") == str(seventh)


def tab_to(page: Any, selector: str) -> None:
    """Press Tab until a link that fits has the focus, and shows that it has."""
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            assert page.evaluate("""() => {
              const seen = getComputedStyle(document.activeElement);
              return seen.outlineStyle + seen.boxShadow;
            }""") != "nonenone"
            return
    raise AssertionError(f"no key leads to {selector}")


def test_keys_alone_lead_from_a_board_to_an_example_and_back(open_page: Open, view: Any) -> None:
    page = open_page(BOARD + "dev/")
    tab_to(page, f"main a[href$='systems/{EDITED.replace('/', '--')}/']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/systems/reference--edited-gold/")
    tab_to(page, "a[href*='got=struct+incorrect']")
    page.keyboard.press("Enter")
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    stopped = [item.row for item in entry_of(view, EDITED).result.items
               if item.verdict.annotation == "struct_incorrect"]
    assert rows(page) == stopped
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{EXAMPLE.format(stopped[0])}*")
    page.locator(".wb-pager", has_text="1 of").wait_for()
    assert page.locator(".wb-pager [rel=prev]").count() == 0
    page.keyboard.press("j")
    page.wait_for_url(f"**/{EXAMPLE.format(stopped[1])}*")
    page.locator(".wb-pager", has_text="2 of").wait_for()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/{EXAMPLE.format(stopped[0])}*")
    page.locator(READY).wait_for()
    page.keyboard.press("u")
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    assert rows(page) == stopped
    tab_to(page, "main a[href$='explagraphs-practice/dev/']")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{BOARD}dev/")


def test_texts_are_fetched_when_they_are_shown_or_searched(browse: Open, open_page: Open) -> None:
    page = open_page("about/", alone=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.goto(page.url.replace("about/", BROWSER + "?split=dev"))
    page.locator(".wb-browser[data-ready=yes]").wait_for()
    texts = [path.partition("explagraphs-practice/")[2] for path in asked if "/texts-" in path]
    assert texts == ["dev/texts-1.json"]
    assert counts(page, "split") == {"dev": 40, "train": 24, "test": 24}, "counts know them all"
    choose(page, "split", "train")
    page.locator(".wb-find input").fill("the")
    until(page, "() => !document.querySelector('.wb-count').textContent.includes('so far')")
    both = shown(page)
    assert both == shown(browse("?split=dev&split=train&find=the")) > shown(
        browse("?split=dev&find=the")) > 0


def test_without_scripts_there_are_lists_page_by_page(open_page: Open) -> None:
    page = open_page(BROWSER, java_script_enabled=False)
    assert not page.locator(".wb-find").is_visible()
    assert not page.locator(".wb-facets").is_visible()
    assert "filters need JavaScript" in page.locator(".wb-note").inner_text()
    assert page.locator(".wb-note a").get_attribute("href") == "#lists"
    page.get_by_role("link", name="All 40 examples of dev").click()
    page.wait_for_url(f"**/{BOARD}dev/examples/")
    assert page.locator(".wb-list li").count() == 40
    page.locator(".wb-list a").nth(1).click()
    page.wait_for_url(f"**/{EXAMPLE.format(2)}")


# ---- the example page ----------------------------------------------------------------------------


@pytest.fixture
def example(open_page: Open) -> Open:
    """Opens an example and waits for its script."""
    return lambda row, query="", **settings: open_page(
        EXAMPLE.format(row) + query, ready=READY, **settings)


def test_four_systems_stand_beside_gold_and_no_more(example: Open) -> None:
    page = example(1)
    assert page.locator(".wb-card").count() == 3
    for count in (4, 5):
        page.locator(".wb-add").click()
        page.locator(f".wb-card:nth-child({count}) figure > svg").wait_for()
    assert page.locator(".wb-add").count() == 0
    keys = page.locator(".wb-card").evaluate_all("cards => cards.map(c => c.dataset.key)")
    assert len(set(keys)) == 5
    query = parse_qs(urlsplit(page.url).query)
    assert query == {"c": [keys[3]], "d": [keys[4]]}
    again = example(1, "?" + urlsplit(page.url).query)
    assert again.locator(".wb-card").evaluate_all("cards => cards.map(c => c.dataset.key)") == keys
    again.locator("select[data-for=c]").select_option("")
    again.locator(".wb-add").wait_for()
    assert again.locator(".wb-card").count() == 4


def lit(page: Any) -> tuple[list[str], list[str]]:
    """The words of the given texts that are lit, and the concepts of gold that are."""
    words = page.locator(".wb-claim .lit").all_text_contents()
    nodes = page.locator(".wb-gold .n.lit text").all_text_contents()
    return [word.lower() for word in words], nodes


def linked(view: Any, example: Open) -> tuple[Any, str]:
    """The page of the first example with a concept of one word that a text has, and the concept."""
    for row, gold in enumerate(view.golds, start=1):
        for name in gold_facts([gold])[0].concepts:
            if " " not in name and name in gold.texts[0].lower().rstrip(".").split():
                return example(row), name
    raise AssertionError("no such example")


def test_a_concept_and_its_words_light_each_other(example: Open, view: Any) -> None:
    page, name = linked(view, example)
    node = page.locator(".wb-gold .n", has=page.get_by_text(name, exact=True))
    node.hover()
    words, nodes = lit(page)
    assert set(words) == {name}
    assert nodes == [name]
    page.locator("h1").hover()
    assert lit(page) == ([], [])
    page.locator(".wb-claim .wb-w", has_text=name).first.hover()
    words, nodes = lit(page)
    assert words == [name]
    assert name in nodes


def test_keys_walk_the_concepts_of_a_graph_and_light_their_words(example: Open, view: Any) -> None:
    page, name = linked(view, example)
    node = page.locator(".wb-gold .n", has=page.get_by_text(name, exact=True))
    tab_to(page, ".wb-gold .n")
    for _ in range(12):
        if page.evaluate("document.activeElement.textContent") == name:
            break
        page.keyboard.press("ArrowDown")
    assert node.evaluate("one => one === document.activeElement && one.matches(':focus-visible')")
    assert set(lit(page)[0]) == {name}
    assert node.get_attribute("aria-label").lower().startswith(f"{name}. belief: {name}")
    page.keyboard.press("Shift+Tab")
    assert lit(page)[1] != [name], "one stop a drawing"


def test_a_touch_lights_a_word_and_names_its_concepts(
    browser: Any, site: str, view: Any, example: Open
) -> None:
    desk, name = linked(view, example)
    phone = patient(browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True))
    page = phone.new_page()
    page.goto(desk.url)
    page.locator(READY).wait_for()
    page.locator(".wb-claim .wb-w", has_text=name).first.tap()
    assert name in lit(page)[1]
    assert name in page.locator(".wb-example > [role=status]").text_content()
    phone.close()


def test_forms_of_a_word_are_one_word_and_long_concepts_stand_together(example: Open) -> None:
    found = example(1).evaluate("""async () => {
      const { places, stem } = await import('/assets/light.js');
      const said = 'Banning cars makes the city of bikes and cars are cities';
      return ['ban', 'car bans', 'cities', 'city of bikes', 'of', 'trams'].map(
        (one) => places(one, said.split(' ').map(stem)));
    }""")
    assert found == [[0], [0, 1, 8], [4, 10], [4, 5, 6], [5], []]


def test_the_next_example_that_one_alone_gets_is_a_key_away(example: Open, view: Any) -> None:
    wins = sorted(right(view, EDITED) - right(view, TEMPLATE))
    page = example(wins[0], f"?a={EDITED}&b={TEMPLATE}")
    page.keyboard.press("n")
    page.wait_for_url(f"**/{EXAMPLE.format(wins[1])}?*")
    assert parse_qs(urlsplit(page.url).query)["b"] == [TEMPLATE]
    last = example(wins[-1], f"?a={EDITED}&b={TEMPLATE}")
    last.locator(".wb-duel").click()
    last.wait_for_url(f"**/{EXAMPLE.format(wins[0])}?*")


def test_the_drawing_can_be_saved_as_a_file_of_its_own(example: Open) -> None:
    page = example(1)
    with page.expect_download() as wanted:
        page.locator(".wb-gold").get_by_role("button", name="Save as SVG").click()
    text = Path(wanted.value.path()).read_text("utf-8")
    root = ElementTree.fromstring(text)  # noqa: S314  # made by the page under test
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--wb" not in text, "colours are written out"
    assert ".n text" in text
    assert wanted.value.suggested_filename == "explagraphs-practice-dev-1-gold.svg"


def test_the_interactive_graph_leaves_the_pages_scroll_alone(example: Open) -> None:
    page = example(1, viewport={"width": 1280, "height": 500})
    page.locator(".wb-gold .wb-net").click()
    box = page.locator(".wb-canvas[data-drawn=yes]")
    box.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    box.hover()
    page.mouse.wheel(0, -200)
    until(page, "before => scrollY < before", arg=before)


def test_nothing_moves_while_a_page_loads(open_page: Open) -> None:
    for path in (BROWSER, EXAMPLE.format(1)):
        assert once(lambda path=path: moved(
            open_page, path, viewport={"width": 390, "height": 844}) <= 0.02), path
