"""The checker page in a real browser: files chosen, what is shown of them, and nothing sent.

That its modules give the program's answers is tested in ``tests/test_checker.py``.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.site.browsing import checker
from scorer.site.records import BoardView, SiteView, SplitView
from scorer.site.render import environment, score
from tests.browser.test_site_browser import CONTRAST
from tests.browser.tiny_site import CLOSE, GOLD, HEBREW, IMAGE, QUOTE, SCRIPT
from tests.checker_world import World, answer
from tests.test_tsv import HOSTILE

ROOT = Path(__file__).resolve().parents[2]

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
    assert [row.split("\t")[1] if "\t" in row else row for row in rows.all_inner_texts()] == [
        "TSV-LABEL", "TSV-BLANK", "TSV-ENCODING", *["TSV-LABEL"] * 2, "TSV-ROWS",
        *["TSV-LABEL"] * 2, "and 56 more TSV-LABEL", "TSV-BOMnote", "TSV-CRLFnote"]
    assert rows.first.inner_text().split("\t") == [
        "1:1", "TSV-LABEL", "stance 'Support'", "'support' or 'counter'",
        "write 'support', exactly"]
    assert page.get_by_text(
        "As scorer check --rows prints them: the first 50 of 64 errors").is_visible()


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
    assert page.get_by_text("predictions.test.tsv --board tiny --split test").is_visible()
    page.get_by_text("add 5 rows").first.wait_for()
    assert "cannot be scored on tiny test" in checked(page)
    assert "tiny dev" in give(page, tmp_path / "p.dev.tsv", ROWS)
    row = "support\t(a; is a; b)(b; is a; c)(c; is a; d)\n"
    said = give(page, tmp_path / "p.test.tsv", row * 9)
    assert "can be scored on tiny test" in said
    assert "SA and StCA are not measured here" in page.locator(".wb-checked").inner_text()
    assert "concepts in the texts were not checked" in page.locator(".wb-checked").inner_text()


@pytest.mark.parametrize("name", ["row 21: eight million tabs", "row 25: a million edges"])
def test_a_file_of_megabytes_is_judged_by_a_worker_beside_the_page(
    name: str, open_checker: Open, tmp_path: Path, tiny: World
) -> None:
    content = HOSTILE[name][0]()
    page = open_checker()
    with page.expect_worker(lambda worker: worker.url.endswith("/assets/check/judge.js")):
        give(page, tmp_path / "p.tsv", content)
    told = answer(tiny, content, "p.tsv")
    assert printed(page) == [one["text"] for one in told["problems"] + told["notes"]]


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


def test_a_page_that_cannot_fetch_its_facts_says_what_to_do_instead(
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
def test_a_report_fits_a_telephone_and_its_text_reaches_the_contrast_of_wcag_aa(
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


# ---- narratives ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def narratives(built: Path) -> Iterator[SiteView]:
    """Both practice boards, and beside the built site's checker one that knows them."""
    site = SiteView(tuple(_boardview(name) for name in ("anli-practice", "anlg-practice")),
                    "0.1.0", None)
    html = (built / "check" / "index.html").read_text("utf-8")
    page = checker.page(site)
    body = environment([ROOT / "templates"]).get_template(page.template).render(
        page.context, root=page.root)
    before = html.partition('<div class="wb-page wb-checker"')[0]
    after = html.partition("</pre>\n</div>")[2]
    files = {"check-narratives/index.html": before + body + after}
    files |= {path: json.dumps(known) for path, known in checker.files(site)}
    for path, text in files.items():
        (built / path).parent.mkdir(exist_ok=True)
        (built / path).write_text(text, "utf-8")
    yield site
    for path in files:
        (built / path).unlink()
    for folder in ("check-narratives", *(f"check/{view.board.id}" for view in site.boards)):
        shutil.rmtree(built / folder)


def _boardview(name: str) -> BoardView:
    board = boards.load(name)
    views = []
    for split in board.splits:
        path = board.data_file(split, Path("nowhere"))
        assert path is not None
        views.append(SplitView(board, split, read_golds(board, split, path).items))
    return BoardView(board, tuple(views))


@pytest.fixture
def open_narratives(open_page: Open, narratives: SiteView) -> Open:
    """Opens their page with a board and split chosen."""
    def open_narratives(where: str, **settings: Any) -> Any:
        page = open_page("check-narratives/", **settings)
        page.locator(".wb-check").wait_for()
        page.get_by_label("Board and split").select_option(where)
        return page

    return open_narratives


def _world(site: SiteView, board: int) -> World:
    [view] = [view for view in site.boards[board].splits if view.name == "dev"]
    return World(view.board, json.loads(json.dumps(checker.items(view))))


def test_labels_with_ids_are_measured_and_each_wrong_row_shows_its_texts(
    open_narratives: Open, narratives: SiteView, tmp_path: Path
) -> None:
    golds = [*narratives.boards[0].splits[-1].golds]
    labels = ["1" if number < 12 else gold.label for number, gold in enumerate(golds)]
    right = sum(label == gold.label for label, gold in zip(labels, golds, strict=True))
    rows = [f"{gold.ids[0]}\t{label}\n" for gold, label in zip(golds, labels, strict=True)]
    page = open_narratives("anli-practice/dev")
    said = give(page, tmp_path / "p.lst", "story_id\tlabel\n" + "".join(reversed(rows)))
    assert said == "p.lst: can be scored on anli-practice dev: 48 rows, all readable."
    figures = " ".join(page.locator(".wb-figures").inner_text().split())
    assert figures == f"accuracy {score(right / 48, 'accuracy')} {right} of 48 rows"
    wrong = page.locator(".wb-rows tbody tr")
    assert wrong.count() == 48 - right > 0
    first = next(number for number, gold in enumerate(golds) if labels[number] != gold.label)
    row = wrong.first
    assert f"item {first + 1}" in row.inner_text()
    assert "✗ label: 1" in row.inner_text()
    assert "gold: 2" in row.inner_text()
    row.get_by_text("Texts").click()
    row.locator("details p").first.wait_for()
    paragraphs = [" ".join(text.split()) for text in row.locator("details p").all_inner_texts()]
    gold = golds[first]
    assert paragraphs == [*gold.ids, *(f"obs{n}: {text}" for n, text in enumerate(gold.given, 1)),
                          f"hyp1: {gold.choices[0]} predicted", f"hyp2: {gold.choices[1]} gold"]
    table = page.get_by_role("region", name="Rows by gold and predicted label")
    cells = [[cell.inner_text() for cell in line.locator("td").all()]
             for line in table.locator("tbody tr").all()]
    told = answer(_world(narratives, 0), "".join(f"{label}\n" for label in labels).encode())
    assert_fits(page)
    assert cells == [[str(told["counts"]["confusion"][a][b]) for b in "12"] for a in "12"]


def test_official_texts_are_counted_and_what_is_not_computed_is_said(
    open_narratives: Open, narratives: SiteView, tmp_path: Path
) -> None:
    [view] = narratives.boards[1].splits
    payloads = (SCRIPT, IMAGE, QUOTE, CLOSE, HEBREW)
    texts = ["", *payloads, *(["Ann ran home."] * (len(view.golds) - 6))]
    lines = [json.dumps(dict(zip(("obs1", "obs2"), gold.given, strict=True))
                        | {"generations": {"m": [text]}})
             for gold, text in zip(view.golds, texts, strict=True)]
    page = open_narratives("anlg-practice/dev")
    earlier = lines[1].replace("window", "x")
    said = give(page, tmp_path / "p.dev.jsonl", "\n".join([earlier, *lines]))
    assert said == "p.dev.jsonl: can be scored on anlg-practice dev: 40 rows, all readable."
    assert "ART-LAST" in page.locator(".wb-checked section").first.inner_text()
    figures = " ".join(page.locator(".wb-figures").inner_text().split())
    words = [len(text.split()) for text in texts]
    assert figures == "empty 1 text answered 39 texts words a text " \
        f"{sum(words) / len(words):.1f} from 0 to {max(words)}"
    assert "This page does not compute BLEU-1, BLEU-2, BLEU-3, BLEU-4, METEOR, ROUGE-L, CIDEr; " \
        "scorer score does." in page.locator(".wb-checked").inner_text()
    assert page.locator(".wb-rows tbody tr").count() == 1
    assert "ART-EMPTY" in page.locator(".wb-rulecounts").inner_text()
    page.get_by_label("Show").select_option("all")
    page.get_by_text("Observations").nth(1).click()
    page.get_by_text(view.golds[1].given[0]).wait_for()
    assert SCRIPT in page.locator(".wb-rows").inner_text()
    assert page.evaluate("window.pwned") is None


def test_the_page_guesses_the_board_and_offers_a_corrected_file(
    open_checker: Open, tmp_path: Path
) -> None:
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
    page = open_page("check/?board=tiny")
    page.locator(".wb-check").wait_for()
    assert page.locator("#wb-where").input_value() == "tiny/dev"
    page = open_page("submit/?board=tiny")
    assert page.locator(".wb-for select").input_value() == "tiny"
    assert "submissions/tiny/my-team/my-system" in page.locator(".wb-commands").inner_text()
