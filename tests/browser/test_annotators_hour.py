"""An annotator's hour: from the first key to the numbers on the page that the clicks made."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks import simulate_annotators
from scorer.people import batches
from scorer.people.records import Origin
from scorer.people.validate import Workplace
from scorer.site.people.pages import people_pages
from scorer.site.reading.read import read_site
from tests.annotation_world import TRIPLETS, keyed
from tests.browser.annotating_site import write_pages
from tests.browser.conftest import WIDE, patient, served, until
from tests.browser.tiny_site import bodies, make_root, text
from tests.rounds_world import PAIRS, Rounds

pytestmark = [pytest.mark.browser, pytest.mark.site]

SYSTEM = "fair-team/chains"
ITEMS = 8
WHOLE, NEGATED, NOT_PLAUSIBLE, NOTHING_UNSAID = "whole", "negated", "implausible", "explicit"
KINDS = [(NOT_PLAUSIBLE, NOTHING_UNSAID, WHOLE, NEGATED)[number % 4] for number in range(ITEMS)]
"""What the annotator finds in each item: two of each."""
SAID = "Pets are at home."
KEYS = {
    NOT_PLAUSIBLE: ("1", "Enter", "n", "Enter"),
    NOTHING_UNSAID: ("1", "Enter", "y", "Enter", "n", "Enter"),
    WHOLE: ("1", "Enter", "y", "Enter", "y", "Enter", SAID, "Control+Enter",
            "1", "Enter", "1", "Enter", "1", "Enter"),
    # The second triplet is negative (4), its opposite positive (1); so Q7 is asked, and is 1.
    NEGATED: ("1", "Enter", "y", "Enter", "y", "Enter", SAID, "Control+Enter",
              "2", "Enter", "1", "Enter", "4", "Enter", "1", "Enter", "1", "Enter"),
}
ROWS = {NOT_PLAUSIBLE: "1\tn\t\t\t\t\t\t\t", NOTHING_UNSAID: "1\ty\tn\t\t\t\t\t\t",
        WHOLE: f"1\ty\ty\t{SAID}\t1\t11\t\t\t", NEGATED: f"1\ty\ty\t{SAID}\t2\t14\t-1\t1\t"}


class Hour(NamedTuple):
    """A checkout in git, and the pages of its batches as they were when the annotators began."""

    rounds: Rounds
    address: str


class Told(NamedTuple):
    """What a page said on the way, and where the file lies that it gave."""

    said: list[str]
    file: Path


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hour]:
    """The checkout: a batch about knowledge in graphs, and a graph that readers refused."""
    folder = tmp_path_factory.mktemp("hour")
    rounds = Rounds(make_root(folder / "root"))
    place = rounds.annotations
    (place / "batches").mkdir(parents=True)
    items = [{"id": f"i{number:02}", "premise": f"Cat {number} is a pet.",
              "conclusion": f"Cat {number} gives joy.", "triplets": TRIPLETS}
             for number in range(ITEMS)]
    batches.path_of(place, "csk-1").write_text(json.dumps({
        "format": "annotation-batch/1", "batch": "csk-1", "kind": "csk", "guideline": "csk-1",
        "needed": 3, "licence": "CC BY 4.0",
        "topics": [{"key": "1", "text": "Pets"}], "items": items}), "utf-8")
    keyed(place, "csk-1", {one["id"]: Origin(source=f"pairs.tsv:{at + 1}", system=SYSTEM)
                           for at, one in enumerate(items)})
    rounds.begin()
    rounds.verify("v", "c", wrong=PAIRS[0][0])
    rounds.close("s", "c", "v")
    assert rounds.run("make-batch", "r", "--form", "refine", "--from-batch", "v") == 0
    git(rounds.folder, "init", "-q")
    commit(rounds.folder, "Ask annotators")
    write_pages(folder / "_site", Workplace(place))
    with served(folder / "_site") as address:
        yield Hour(rounds, address)


def git(folder: Path, *words: str) -> str:
    """What git says."""
    return subprocess.run(["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org",
                           *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, words: str) -> list[str]:
    """Commit what is in ``annotations``; the paths."""
    git(folder, "add", "annotations")
    git(folder, "commit", "-q", "-m", words)
    return git(folder, "show", "--name-only", "--format=").split()


@contextmanager
def at(browser: Any, hour: Hour, name: str) -> Iterator[Any]:
    """An annotator's window at a batch, whose scripts must not fail; leaving is confirmed."""
    said: list[str] = []
    context = patient(browser.new_context(viewport=WIDE, accept_downloads=True))
    context.on("weberror", lambda fault: said.append(str(fault.error)))
    context.on("dialog", lambda dialog: dialog.accept())
    page = context.new_page()
    page.goto(f"{hour.address}annotate/{name}/")
    page.locator(".wb-question").first.wait_for()
    yield page
    context.close()
    assert said == []


def press(page: Any, *pressed: str) -> None:
    """Press keys; a sentence is typed."""
    for one in pressed:
        if " " in one:
            page.keyboard.type(one)
        else:
            page.keyboard.press(one)


def progress(page: Any) -> str:
    """How far the annotator is."""
    found: str = page.locator(".wb-progress").inner_text()
    return found.split(",")[0]


def kept(page: Any, words: str) -> None:
    """Wait until the browser keeps a draft with these words."""
    until(page, "words => Object.values(localStorage).some((text) => text.includes(words))", words)


def handed_in(page: Any, hour: Hour, path: str, login: str = "octo-cat") -> Path:
    """The file, put into the repository at the place that the page names; it stands every rule."""
    press(page, "Control+s")
    page.get_by_label("Your GitHub login").fill(login)
    press(page, "Tab", "Space")  # agrees that it becomes public
    link = page.get_by_role("link", name="Download", exact=True)
    link.wait_for()
    assert page.locator(".wb-handin code").inner_text() == f"annotations/{path}"
    with page.expect_download() as download:
        link.click()
    file = hour.rounds.annotations / path
    file.parent.mkdir(parents=True, exist_ok=True)
    download.value.save_as(file)
    assert commit(hour.rounds.folder, f"Answer as {login}") == [f"annotations/{path}"]
    assert hour.rounds.run("validate", str(file), "--author", login) == 0
    assert hour.rounds.run("validate", str(file), "--author", "someone-else") == 2
    return file


@pytest.fixture(scope="module")
def csk(browser: Any, hour: Hour) -> Told:
    """All items by keys, with a slip, a change of mind, a reload and a second tab."""
    said = []
    with at(browser, hour, "csk-1") as page:
        press(page, "1", "Enter", "Control+Enter")
        said.append(page.locator(".wb-saying").inner_text())
        press(page, "y", "Control+z")
        said.append(str(page.locator("[name=q2]:checked").count()))
        press(page, "Control+Shift+z")
        said.append(page.locator("[name=q2]:checked").get_attribute("value"))
        press(page, "n", "Enter")
        for kind in KINDS[1:4]:
            press(page, *KEYS[kind])
        kept(page, 'i03"]')
        page.reload()
        page.locator(".wb-question").first.wait_for()
        said += [progress(page), page.locator("main h2").first.inner_text()]
        for kind in KINDS[4:6]:
            press(page, *KEYS[kind])
        kept(page, 'i05"]')
        other = page.context.new_page()
        other.goto(page.url)
        other.locator(".wb-question").first.wait_for()
        said.append(other.locator(".wb-notices").inner_text())
        other.get_by_role("button", name="Go on here").click()
        other.locator(".wb-question input:enabled").first.wait_for()  # the first tab lets go
        for kind in KINDS[6:]:
            press(other, *KEYS[kind])
        said.append(progress(other))
        file = handed_in(other, hour, "csk/csk-1/octo-cat.tsv")
    return Told(said, file)


@pytest.fixture(scope="module")
def refined(browser: Any, hour: Hour) -> Told:
    """The refused graph: its second fact gets another relation, after a slip and a reload."""
    said = []
    with at(browser, hour, "r") as page:
        relation = page.locator(".wb-facts > li").nth(1).locator("select")
        relation.select_option("synonym of")
        kept(page, "synonym of")
        page.reload()
        relation.wait_for()
        said.append(relation.input_value())
        press(page, "Control+z")
        relation.select_option("causes")
        press(page, "Control+Enter")
        said.append(page.locator(".wb-saying").inner_text())
        for box in page.locator(".wb-reminders input").all():
            box.focus()
            press(page, "Space")
        said += page.locator(".wb-changes > .added, .wb-changes > .removed").all_inner_texts()
        press(page, "Control+Enter")
        if page.get_by_role("button", name="It is right").is_visible():
            press(page, "Enter")
        until(page, "document.querySelector('.wb-progress').textContent.includes('1 of 1 done')")
        file = handed_in(page, hour, "refine/r/octo-cat.tsv")
    return Told(said, file)


@pytest.fixture(scope="module")
def published(hour: Hour, csk: Told, refined: Told) -> dict[str, str]:
    """The bodies of pages after two more annotators, the end of the batches, and what organisers
    write."""
    rounds = hour.rounds
    assert simulate_annotators.main(["csk-1", "--annotators", "2", "--annotations",
                                     str(rounds.annotations)]) == 0
    rounds.verify("v2", "r", who="y")
    assert rounds.run("close", "csk-1", "r", "v2") == 0
    assert rounds.run("aggregate", "--out", str(rounds.folder / "human"),
                      "--results", str(rounds.folder / "results")) == 0
    assert rounds.run("export-refinement", str(rounds.folder / "refinement.tsv"),
                      "--correct", str(rounds.folder / "gold.tsv")) == 0
    commit(rounds.folder, "Close the batches")
    return bodies(people_pages(read_site(rounds.folder, rounds.folder / "home")))


def cells(html: str) -> dict[str, list[str]]:
    """The rows of a page's tables: their cells' words by the first one's."""
    found = {}
    for row in re.findall(r"<tr[ >].*?</tr>", html, re.S):
        first, *others = map(text, re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S))
        found.setdefault(first, others)
    return found


def test_the_page_says_what_an_annotator_does_wrong_and_forgets_nothing(csk: Told) -> None:
    missing, undone, redone, after, item, tab, done = csk.said
    assert (missing, undone, redone) == ("Choose an answer.", "0", "y")
    assert (after, item) == ("csk-1: 4 of 8 done", "Item 5")
    assert "open in another tab" in tab
    assert done == "csk-1: 8 of 8 done"


def test_the_file_holds_what_was_pressed(csk: Told) -> None:
    rows = [line for line in csk.file.read_text("utf-8").splitlines() if line[0] != "#"]
    assert rows[1:] == [f"i{number:02}\t{ROWS[kind]}" for number, kind in enumerate(KINDS)]


def test_the_published_numbers_are_those_that_were_pressed(
    hour: Hour, published: dict[str, str]
) -> None:
    place = Workplace(hour.rounds.annotations)
    batch, _ = place.batch("csk-1")
    assert batch is not None
    others = [one for one in place.annotations(batch) if one.annotator != "octo-cat"]
    assert len(others) == 2
    given = [answers for one in others for answers in one.answers.values()]

    def count(question: str, *values: str) -> int:
        return sum(answers.get(question) in values for answers in given)

    def ratings(value: str) -> int:
        return sum("".join(answers.get("q5", ())).count(value) for answers in given)

    # Pressed: 6 of 8 plausible, 4 of 6 with unsaid knowledge, 2 of 4 shown in whole; of 8 triplets
    # 6 positive and 2 negative.
    rated = 8 + sum(map(ratings, "1234"))
    document = json.loads((hour.rounds.folder / "human/human-results.json").read_text("utf-8"))
    told = document["csk"][SYSTEM]
    expected = {
        "plausible": (6 + count("q2", "y"), 8 + count("q2", "y", "n")),
        "implicit": (4 + count("q3", "y"), 6 + count("q3", "y", "n")),
        "recall_full": (2 + count("q4", "1"), 4 + count("q4", "1", "2", "3")),
        "precision_micro": (6 + ratings("1"), rated),
        "contradicting_micro": (2 + ratings("4"), rated)}
    assert {name: told[name]["value"] for name in expected} == pytest.approx(
        {name: top / bottom for name, (top, bottom) in expected.items()})
    shown = published["human/csk/"]
    for top, bottom in expected.values():
        assert f"<b>{100 * top / bottom:.1f}</b>" in shown
    assert "simulated" in shown


def test_a_refusal_is_said_and_a_change_of_a_graph_shown(refined: Told) -> None:
    before, refused, *changes = refined.said
    assert before == "synonym of"
    assert refused == "Tick every reminder before you finish."
    assert any("purr causes joy" in " ".join(one.split()) for one in changes)


def test_the_refined_graph_is_exported_and_stands_on_the_page_of_rounds(
    hour: Hour, published: dict[str, str]
) -> None:
    folder = hour.rounds.folder
    history = [line.split("\t") for line in
               (folder / "refinement.tsv").read_text("utf-8").splitlines()]
    bad = "(cats; capable of; purr)(purr; not causes; joy)(cats; at location; home)"
    assert next(row for row in history if row[0] == PAIRS[0][0])[3:] == [bad, PAIRS[0][4]]
    gold = [line.split("\t") for line in (folder / "gold.tsv").read_text("utf-8").splitlines()]
    assert sorted(row[-1] for row in gold) == sorted(one[4] for one in PAIRS)
    found = cells(published["human/rounds/"])
    assert [found[name][0] for name in "12"] == ["5", "5"]
    assert [found[name][1].split(";")[0] for name in "12"] == ["4 80.0 %", "5 100.0 %"]
