"""The checker page in a real browser: files chosen, what is shown of them, and nothing sent.

That its modules give the program's answers is tested in ``tests/test_checker.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.site.browsing import checker
from tests.browser.conftest import script
from tests.browser.test_quality import CONTRAST
from tests.browser.tiny_site import CLOSE, GOLD, HEBREW, IMAGE, QUOTE, SCRIPT
from tests.checker_world import World, answer
from tests.test_tsv import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.site]

Open = Callable[..., Any]

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
    return lambda **settings: open_page("check/", ready=".wb-check", **settings)


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


def test_a_sound_file_is_measured_and_each_row_judged(open_checker: Open, tmp_path: Path) -> None:
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


def test_errors_are_those_that_the_command_prints(
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
    assert [row.split("\t")[1] if "\t" in row else row for row in rows.all_inner_texts()] == [
        "TSV-LABEL", "TSV-BLANK", "TSV-ENCODING", *["TSV-LABEL"] * 2, "TSV-ROWS",
        *["TSV-LABEL"] * 2, "and 56 more TSV-LABEL", "TSV-BOMnote", "TSV-CRLFnote"]
    assert rows.first.inner_text().split("\t") == [
        "1:1", "TSV-LABEL", "stance 'Support'", "'support' or 'counter'",
        "write 'support', exactly"]
    assert page.get_by_text(
        "As scorer check --rows prints them: the first 50 of 64 errors").is_visible()


def test_a_file_may_be_dropped_and_rows_pasted_or_written(open_checker: Open) -> None:
    page = open_checker()
    page.evaluate(script("drop"), [ROWS, "dropped.tsv"])
    assert checked(page).startswith("dropped.tsv: can be scored")
    assert page.evaluate("document.querySelector('.wb-drop input').files[0].name") == "dropped.tsv"
    page.evaluate(script("paste"), "support\n")
    page.get_by_text("TSV-COLUMNS").first.wait_for()
    assert checked(page).startswith("pasted.tsv: 2 errors")
    page.get_by_text("Write or paste rows").click()
    page.get_by_label("Rows, columns").fill(ROWS)
    page.get_by_role("button", name="Check these rows").press("Enter")
    page.locator(".wb-figures").wait_for()
    assert checked(page).startswith("pasted.tsv: can be scored")


def test_another_split_judges_the_same_file_again(open_checker: Open, tmp_path: Path) -> None:
    page = open_checker()
    assert "can be scored on tiny dev" in give(page, tmp_path / "p.tsv", ROWS)
    page.get_by_label("Board and split").select_option("tiny/test")
    assert page.get_by_text("predictions.test.tsv --board tiny --split test").is_visible()
    page.get_by_text("add 5 rows").first.wait_for()
    assert "cannot be scored on tiny test" in checked(page)
    assert "tiny dev" in give(page, tmp_path / "p.dev.tsv", ROWS)
    row = "support\t(a; is a; b)(b; is a; c)(c; is a; d)\n"
    said = give(page, tmp_path / "p.test.tsv", row * 9)
    assert "can be scored on tiny test" in said
    assert "SA and StCA are not measured here" in page.locator(".wb-checked").inner_text()
    assert "concepts in the texts were not checked" in page.locator(".wb-checked").inner_text()


def test_megabytes_are_judged_by_a_worker(open_checker: Open, tmp_path: Path, tiny: World) -> None:
    content = HOSTILE["row 25: a million edges"][0]()
    page = open_checker()
    with page.expect_worker(lambda worker: worker.url.endswith("/assets/check/judge.js")):
        give(page, tmp_path / "p.tsv", content)
    report = answer(tiny, content, "p.tsv")
    assert printed(page) == [one["text"] for one in report["problems"] + report["notes"]]


def test_what_a_file_says_is_text_and_runs_nothing(open_checker: Open, tmp_path: Path) -> None:
    page = open_checker()
    payloads = (SCRIPT, IMAGE, QUOTE, CLOSE, HEBREW)
    graphs = [f"({text}; {text}; {text} {text}){text}" for text in payloads]
    content = "".join(f"support\t{graph}\n" for graph in graphs[:4])
    give(page, tmp_path / "<img src=x onerror=window.pwned=1>.dev.tsv", content)
    page.get_by_text("Texts and edges").first.click()
    page.get_by_text("strict finding").first.click()
    page.locator(".wb-rows details[open]", has_text=SCRIPT).first.wait_for()
    assert "<img src=x onerror=window.pwned=1>" in page.locator("[role=status]").inner_text()
    give(page, tmp_path / "p.tsv", "".join(f"{text}\tx\n" for text in ("support", *payloads)))
    assert page.evaluate("window.pwned") is None
    assert page.locator("article :is(script, iframe, img, [onerror], [style])").count() == 0
    assert page.locator(".wb-checked td bdi").count() >= 3 * len(payloads)


def test_nothing_of_a_file_leaves_the_browser(open_checker: Open, tmp_path: Path) -> None:
    page = open_checker(alone=True)
    asked: list[tuple[str, str, object]] = []
    page.context.on("request", lambda sent: asked.append((sent.method, sent.url, sent.post_data)))
    give(page, tmp_path / "secret-name.dev.tsv", ROWS)
    names = [url.partition("/check/")[2] or url.rpartition("/")[2] for _, url, _ in asked]
    scripts = {address.rpartition("/")[2] for address in checker.modules()} | {"judge.js"}
    assert set(names) <= {"tiny.json", "tiny/dev.json", "favicon.svg", *scripts}
    assert {(method, data) for method, _, data in asked} == {("GET", None)}
    assert "secret-name" not in page.evaluate(
        "JSON.stringify([document.cookie, location.href, {...localStorage}, {...sessionStorage}])")


def test_a_page_without_its_facts_says_what_to_do_instead(
    open_checker: Open, tmp_path: Path
) -> None:
    page = open_checker(alone=True)
    page.route("**/check/tiny.json", lambda route: route.fulfill(json={"splits": {}}))
    path = tmp_path / "p.tsv"
    path.write_text(ROWS)
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("use scorer check as shown below").wait_for()


def test_without_scripts_the_page_tells_the_command(open_page: Open) -> None:
    page = open_page("check/", java_script_enabled=False)
    assert not page.locator(".wb-check").is_visible()
    assert page.get_by_text("--board tiny --split dev").is_visible()
    assert page.get_by_text("needs JavaScript").is_visible()


@pytest.mark.parametrize("content", [ROWS.replace("cause", "x"), "x\ty\n\n" * 9], ids=["ok", "bad"])
def test_a_report_fits_a_telephone_and_can_be_read(
    content: str, open_checker: Open, tmp_path: Path
) -> None:
    for scheme in ("light", "dark"):
        page = open_checker(color_scheme=scheme)
        give(page, tmp_path / "p.tsv", content)
        assert_fits(page)


def assert_fits(page: Any) -> None:
    """Its text can be read, on a screen and on a telephone."""
    assert not page.evaluate(CONTRAST)
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_guesses_the_board_and_corrects_a_file(open_checker: Open, tmp_path: Path) -> None:
    page = open_checker()
    page.evaluate("""() => {
      const group = document.createElement("optgroup");
      group.innerHTML = '<option value="gone/dev" data-rows="9">gone</option>';
      document.querySelector("#wb-where").prepend(group);
      document.querySelector("#wb-where").value = "gone/dev";
    }""")
    said = give(page, tmp_path / "p.tsv", "\ufeff" + ROWS.replace("\n", "\r\n"))
    assert "can be scored on tiny dev" in said
    assert page.locator(".wb-guess").inner_text().startswith("It looks like tiny dev")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the corrected file").click()
    assert Path(download.value.path()).read_bytes() == ROWS.encode()


def test_the_address_chooses_the_board_of_the_checker_and_of_the_commands(open_page: Open) -> None:
    page = open_page("check/?board=tiny", ready=".wb-check")
    assert page.locator("#wb-where").input_value() == "tiny/dev"
    page = open_page("submit/?board=tiny")
    assert page.locator(".wb-for select").input_value() == "tiny"
    assert "submissions/tiny/my-team/my-system" in page.locator(".wb-commands").inner_text()
