"""The checker page in a real browser: the program's answers, case by case, and nothing sent."""

from __future__ import annotations

import base64
import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest

from scorer import board as boards
from scorer.errors import excerpt, printable
from scorer.website import checker
from scorer.website.render import score
from tests.browser.test_site_browser import CONTRAST
from tests.browser.tiny_site import CLOSE, GOLD, HEBREW, IMAGE, QUOTE, SCRIPT
from tests.checker_cases import LETTERS, Case, World, answer, cases, worlds
from tests.test_tsv import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.site]

Open = Callable[..., Any]

JUDGE = """async ({worlds, cases}) => {
  const {judge} = await import('/assets/check.js');
  const judges = Object.fromEntries(Object.entries(worlds).map(([n, w]) => [n, judge(w.facts)]));
  return cases.map(({world, content}) => JSON.stringify(judges[world](
    Uint8Array.from(atob(content), (c) => c.charCodeAt(0)),
    {name: 'predictions.tsv', split: 'dev', items: worlds[world].items})));
}"""


def said_in_the_browser(page: Any, chosen: Sequence[Case]) -> list[dict[str, Any]]:
    """The module's reports on some cases."""
    known = {name: {"facts": world.facts(), "items": world.items}
             for name, world in worlds().items()}
    sent = [{"world": case.world, "content": base64.b64encode(case.content).decode()}
            for case in chosen]
    return [json.loads(told) for told in page.evaluate(JUDGE, {"worlds": known, "cases": sent})]


# ---- the same answers ----------------------------------------------------------------------------


def test_every_case_has_the_programs_answer_whole(open_page: Open) -> None:
    chosen = [*cases()]
    found = said_in_the_browser(open_page("check/"), chosen)
    different = [case.name for case, told in zip(chosen, found, strict=True)
                 if told != answer(worlds()[case.world], case.content)]
    assert not different
    assert len(found) >= 1000


ALL_CODES = """async (characters) => {
  const {language} = await import('/assets/check.js');
  const say = language(characters);
  let flags = '';
  const lower = [];
  for (let code = 0; code < 0x110000; code += 1) {
    if (code >= 0xd800 && code < 0xe000) { flags += '-'; continue; }
    const letter = String.fromCodePoint(code);
    flags += (say.printable(letter) ? 1 : 0) + (say.alphanumeric(letter) ? 2 : 0);
    if (say.lower(letter) !== letter) lower.push([code, say.lower(letter)]);
  }
  return [flags, lower];
}"""


def test_every_character_there_is_has_the_programs_kind_and_lower_case(open_page: Open) -> None:
    characters = checker.facts(worlds()["one"].board)["characters"]
    flags, lower = open_page("check/").evaluate(ALL_CODES, characters)
    letters = [chr(code) for code in range(sys.maxunicode + 1)]
    # Private letters stand for unknown ones while the page lowers a text: no file holds any.
    wrong = [hex(code) for code, letter in enumerate(letters)
             if category(letter) != "Cs" and
             int(flags[code]) != letter.isprintable() + 2 * letter.isalnum()]
    assert not wrong
    assert lower == [[code, letter.lower()] for code, letter in enumerate(letters)
                     if letter.lower() != letter]


TEXTS = """async ([characters, texts]) => {
  const {language} = await import('/assets/check.js');
  const say = language(characters);
  return texts.map((text) => [say.lower(text), say.repr(text), say.excerpt(text), say.safe(text)]);
}"""


def test_texts_are_lowered_quoted_and_cut_as_the_program_does(open_page: Open) -> None:
    chance = random.Random(5)
    pool = [*LETTERS, "::", "##[", "\n", "\x1b", "\u202e", " ", "\ua640", "\u10a0"]
    texts = ["".join(chance.choices(pool, k=chance.randrange(1, 100))) for _ in range(1500)]
    texts += ["\u03a3", "a\u03a3", "a\u0301\u03a3\u0345.", "\u03a3a", "A\u03a3\u0378",
              "\u0378\u03a3"]
    characters = checker.facts(worlds()["one"].board)["characters"]
    found = open_page("check/").evaluate(TEXTS, [characters, texts])
    assert found == [[text.lower(), repr(text), excerpt(text),
                      printable(text).replace("\n", r"\n")] for text in texts]


FAULTS = """async (files) => {
  const {fault} = await import('/assets/check.js');
  return files.map((text) => fault(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))));
}"""


def test_the_first_byte_that_is_no_utf_8_is_the_programs(open_page: Open) -> None:
    chance = random.Random(6)
    pool = [bytes([byte]) for byte in range(0x7E, 0x100)]
    pool += [letter.encode() for letter in "\u00e9\u20ac\U0001f600\ud7ff\ue000"]
    files = [b"".join(chance.choices(pool, k=chance.randrange(7))) for _ in range(4000)]
    files += [bytes([a, b, 0x80, 0x80]) for a in range(0xC0, 0x100) for b in range(0x7F, 0xC1)]
    sent = [base64.b64encode(file).decode() for file in files]
    assert open_page("check/").evaluate(FAULTS, sent) == [_fault(file) for file in files]


def _fault(file: bytes) -> int:
    try:
        file.decode()
    except UnicodeDecodeError as found:
        return found.start
    return -1


def test_shares_are_rounded_as_in_the_tables(open_page: Open) -> None:
    shares = [part / whole for whole in (1, 3, 40, 64, 398, 400, 1024) for part in range(whole + 1)]
    found = open_page("check/").evaluate(
        "async (shares) => { const {percent} = await import('/assets/check.js');"
        " return shares.map(percent); }", shares)
    assert found == [score(share, "StCA") for share in shares]


# ---- the page ------------------------------------------------------------------------------------

ROWS = "".join(f"{gold[2]}\t{gold[3]}\n" for gold in GOLD)


@pytest.fixture
def tiny(built: Path) -> World:
    """The board of the site, with what the site says of its split."""
    board = boards.load(built.parent / "root" / "boards" / "tiny")
    return World(board, json.loads((built / "check" / "tiny" / "dev.json").read_text("utf-8")))


@pytest.fixture
def open_checker(open_page: Open) -> Open:
    """Opens the page and waits until it takes files."""
    def open_checker(**settings: Any) -> Any:
        page = open_page("check/", **settings)
        page.locator(".wb-check").wait_for()
        return page

    return open_checker


def checked(page: Any) -> str:
    """What the page says once it has judged."""
    said = page.locator(".wb-checker:not([aria-busy]) .wb-saying:is(.good, .wrong)")
    said.filter(has_text=re.compile(r"\S"), has_not_text="Checking").wait_for()
    text: str = page.locator("[role=status]").inner_text()
    return text


def give(page: Any, path: Path, content: bytes | str) -> str:
    """Choose a file with this content."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    page.locator("[role=status]").evaluate("node => node.replaceChildren()")
    page.locator("input[type=file]").set_input_files(path)
    return checked(page)


def printed(page: Any) -> list[str]:
    """The lines that the page says ``scorer check`` prints."""
    text: str = page.locator(".wb-checked pre").text_content()
    return text.split("\n")


def test_a_sound_file_is_measured_and_each_row_has_its_verdict(
    open_checker: Open, tmp_path: Path
) -> None:
    page = open_checker()
    content = ROWS.replace("counter", "support").replace("(cats; is a; cat)", "(cat; is a; cat)")
    said = give(page, tmp_path / "p.dev.tsv", content)
    assert said == "p.dev.tsv: can be scored on tiny dev: 4 rows, all readable; 3 graphs keep " \
        "every constraint."
    figures = " ".join(page.locator(".wb-figures").inner_text().split())
    assert figures == "SA 75.0 3 of 4 rows StCA 75.0 3 of 4 rows"
    assert page.locator(".wb-rows tbody tr").count() == 1
    page.get_by_label("Show").select_option("all")
    assert page.locator(".wb-rows tbody tr").count() == 4
    wrong = page.locator(".wb-rows tbody tr").nth(1)
    assert "✗ stance: support" in wrong.inner_text()
    assert "gold: counter" in wrong.inner_text()
    assert "EG-CYCLE" in wrong.inner_text()
    wrong.get_by_text("Texts and edges").click()
    culprit = wrong.locator("li.unreadable").inner_text()
    assert " ".join(culprit.split()) == "! cat; is a; cat"
    assert "Cats are good company." in wrong.inner_text()
    link = wrong.get_by_role("link", name="EG-CYCLE").get_attribute("href")
    assert link == "../submit/rules/#eg-cycle"


def test_errors_stand_in_a_table_and_as_the_command_prints_them(
    open_checker: Open, tmp_path: Path, tiny: World
) -> None:
    page = open_checker()
    content = b"\xef\xbb\xbfSupport\tx\r\n\n\xff\n" + b"x\ty\n" * 60
    assert give(page, tmp_path / "p.tsv", content) == \
        "p.tsv: 64 errors, so it cannot be scored on tiny dev."
    told = answer(tiny, content, "p.tsv")
    assert printed(page) == [*(one["text"] for one in told["problems"]),
                             *(f"note: {one['text']}" for one in told["notes"])]
    rows = page.locator(".wb-checked table").first.locator("tbody tr")
    assert rows.count() == 50 + 2
    assert rows.first.inner_text().split("\t") == [
        "1:1", "TSV-LABEL", "stance 'Support'", "'support' or 'counter'",
        "write 'support', exactly"]
    assert page.get_by_text("64 errors, the first 50 shown.").is_visible()


DROP = """([text, name]) => {
  const box = new DataTransfer();
  box.items.add(new File([text], name));
  for (const type of ['dragover', 'drop']) {
    document.querySelector('.wb-drop').dispatchEvent(
      new DragEvent(type, {dataTransfer: box, bubbles: true, cancelable: true}));
  }
}"""
PASTE = """(text) => {
  const box = new DataTransfer();
  box.setData('text/plain', text);
  document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: box, bubbles: true}));
}"""


def test_a_file_may_be_dropped_and_rows_pasted_or_written(open_checker: Open) -> None:
    page = open_checker()
    page.evaluate(DROP, [ROWS, "dropped.tsv"])
    assert checked(page).startswith("dropped.tsv: can be scored")
    assert page.evaluate("document.querySelector('.wb-drop input').files[0].name") == "dropped.tsv"
    page.evaluate(PASTE, "support\n")
    page.get_by_text("TSV-COLUMNS").first.wait_for()
    assert checked(page).startswith("pasted.tsv: 2 errors")
    page.get_by_text("Write or paste rows").click()
    page.get_by_label("Rows, columns").fill(ROWS)
    page.get_by_role("button", name="Check these rows").press("Enter")
    page.locator(".wb-figures").wait_for()
    assert checked(page).startswith("pasted.tsv: can be scored")


def test_another_split_judges_the_same_file_again_and_a_name_may_choose_it(
    open_checker: Open, tmp_path: Path
) -> None:
    page = open_checker()
    assert "can be scored on tiny dev" in give(page, tmp_path / "p.tsv", ROWS)
    page.get_by_label("Board and split").select_option("tiny/test")
    page.get_by_text("add 5 rows").first.wait_for()
    assert "cannot be scored on tiny test" in checked(page)
    assert "tiny dev" in give(page, tmp_path / "p.dev.tsv", ROWS)
    row = "support\t(a; is a; b)(b; is a; c)(c; is a; d)\n"
    said = give(page, tmp_path / "p.test.tsv", row * 9)
    assert "can be scored on tiny test" in said
    assert "SA and StCA are not measured here" in page.locator(".wb-checked").inner_text()
    assert "was not checked" in page.locator(".wb-checked").inner_text()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_of_megabytes_is_judged_beside_the_page(
    name: str, open_checker: Open, tmp_path: Path, tiny: World
) -> None:
    content = HOSTILE[name][0]()
    page = open_checker()
    page.evaluate("""() => {
      window.longest = 0;
      let before = performance.now();
      setInterval(() => {
        window.longest = Math.max(window.longest, performance.now() - before);
        before = performance.now();
      }, 10);
    }""")
    with page.expect_worker(lambda worker: worker.url.endswith("/assets/check.js")):
        give(page, tmp_path / "p.tsv", content)
    told = answer(tiny, content, "p.tsv")
    assert printed(page) == [one["text"] for one in told["problems"] + told["notes"]]
    assert page.evaluate("window.longest") < 1000


def test_a_whole_split_of_the_largest_graphs_is_judged_and_shown(
    open_checker: Open, tmp_path: Path, tiny: World
) -> None:
    page = open_checker()
    content = ("support\t" + "(zq; is a; q\u0301)" * 3400 + "\n") * len(GOLD)
    assert "can be scored" in give(page, tmp_path / "p.tsv", content)
    page.get_by_text("Texts and edges").first.click()
    page.get_by_text("and 3340 more").wait_for()
    assert page.locator(".wb-rows tbody tr").count() == len(GOLD)


def test_what_a_file_says_is_shown_as_text_and_runs_nothing(
    open_checker: Open, tmp_path: Path
) -> None:
    page = open_checker()
    payloads = (SCRIPT, IMAGE, QUOTE, CLOSE, HEBREW)
    graphs = [f"({text}; {text}; {text} {text}){text}" for text in payloads]
    content = "".join(f"support\t{graph}\n" for graph in graphs[:4])
    give(page, tmp_path / "<img src=x onerror=window.pwned=1>.dev.tsv", content)
    page.get_by_text("Texts and edges").first.click()
    page.get_by_text("strict diagnostic").first.click()
    assert SCRIPT in page.locator(".wb-rows").inner_text()
    assert "<img src=x onerror=window.pwned=1>" in page.locator("[role=status]").inner_text()
    give(page, tmp_path / "p.tsv", "".join(f"{text}\tx\n" for text in payloads))
    assert page.evaluate("window.pwned") is None
    assert page.locator("article :is(script, iframe, img, [onerror], [style])").count() == 0
    assert page.locator(".wb-checked td bdi").count() >= 3 * len(payloads)


def test_nothing_of_a_file_leaves_the_browser(open_checker: Open, tmp_path: Path) -> None:
    page = open_checker()
    asked: list[tuple[str, str, object]] = []
    page.context.on("request", lambda sent: asked.append((sent.method, sent.url, sent.post_data)))
    give(page, tmp_path / "secret-name.dev.tsv", ROWS)
    names = [url.partition("/check/")[2] or url.rpartition("/")[2] for _, url, _ in asked]
    assert set(names) <= {"tiny.json", "tiny/dev.json", "check.js", "favicon.svg"}
    assert {(method, data) for method, _, data in asked} == {("GET", None)}
    assert "secret-name" not in page.evaluate(
        "JSON.stringify([document.cookie, location.href, {...localStorage}, {...sessionStorage}])")


def test_a_page_that_cannot_fetch_its_facts_says_what_to_do_instead(
    open_checker: Open, tmp_path: Path
) -> None:
    page = open_checker()
    page.route("**/check/tiny.json", lambda route: route.fulfill(json={"splits": {}}))
    path = tmp_path / "p.tsv"
    path.write_text(ROWS)
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("use scorer check as shown below").wait_for()


def test_without_scripts_the_page_tells_the_command(open_page: Open) -> None:
    page = open_page("check/", java_script_enabled=False)
    assert not page.locator(".wb-check").is_visible()
    assert page.get_by_text("--board tiny --split dev").is_visible()


@pytest.mark.parametrize("content", [ROWS.replace("cause", "x"), "x\ty\n\n" * 9], ids=["ok", "bad"])
def test_a_report_fits_a_telephone_and_its_text_reaches_the_contrast_of_wcag_aa(
    content: str, open_checker: Open, tmp_path: Path
) -> None:
    for scheme in ("light", "dark"):
        page = open_checker(color_scheme=scheme)
        give(page, tmp_path / "p.tsv", content)
        assert not page.evaluate(CONTRAST), scheme
        for width in (1280, 390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_control_is_reached_by_keyboard_and_has_a_name(open_checker: Open) -> None:
    page = open_checker()
    page.get_by_label("Board and split").focus()
    reached = []
    for _ in range(2):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert reached == ["wb-file", "SUMMARY"]
    assert page.get_by_label("Drop a file here").count() == 1
    assert page.locator("[role=status]").get_attribute("role") == "status"
