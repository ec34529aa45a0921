"""An annotator's hour: from the first key to the numbers on the page that the clicks made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks import simulate_annotators
from scorer.people import organisers
from scorer.people.records import Origin
from scorer.people.validate import Workplace
from scorer.site.people.pages import people_pages
from scorer.site.reading.read import read_site
from tests.annotation_world import TRIPLETS, keyed, sound
from tests.browser.annotating_site import opened, press, write_pages
from tests.browser.conftest import WIDE, patient, served, until
from tests.browser.tiny_site import bodies, make_root
from tests.ci_world import git
from tests.people_world import Rounds

pytestmark = [pytest.mark.browser, pytest.mark.site]

SYSTEM = "fair-team/chains"
ITEMS = 8
KINDS = ["implausible", "explicit", "whole", "negated"] * (ITEMS // 4)
"""What the annotator finds in each item."""
BEGIN, WRITTEN = ("1", "Enter", "y", "Enter"), "Pets are at home."
WRITE = (*BEGIN, "y", "Enter", WRITTEN, "Control+Enter")
KEYS = {
    "implausible": ("1", "Enter", "n", "Enter"),
    "explicit": (*BEGIN, "n", "Enter"),
    "whole": (*WRITE, "1", "Enter", "1", "Enter", "1", "Enter"),
    # The second triplet is negative (4), its opposite positive (1); so Q7 is asked, and is 1.
    "negated": (*WRITE, "2", "Enter", "1", "Enter", "4", "Enter", "1", "Enter", "1", "Enter"),
}
ROWS = {"implausible": "1\tn\t\t\t\t\t\t\t", "explicit": "1\ty\tn\t\t\t\t\t\t",
        "whole": f"1\ty\ty\t{WRITTEN}\t1\t11\t\t\t",
        "negated": f"1\ty\ty\t{WRITTEN}\t2\t14\t-1\t1\t"}


class Hour(NamedTuple):
    """A checkout in git, and the pages of its batches as they were when the annotators began."""

    rounds: Rounds
    address: str


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hour]:
    """A batch about knowledge in graphs."""
    folder = tmp_path_factory.mktemp("hour")
    rounds = Rounds(make_root(folder / "root"))
    place = rounds.annotations
    (place / "batches").mkdir(parents=True)
    items = [{"id": f"i{number:02}", "premise": f"Cat {number} is a pet.",
              "conclusion": f"Cat {number} gives joy.", "triplets": TRIPLETS}
             for number in range(ITEMS)]
    organisers.path_of(place, "csk-1").write_text(json.dumps({
        "format": "annotation-batch/1", "batch": "csk-1", "kind": "csk", "guideline": "csk-1",
        "needed": 3, "licence": "CC BY 4.0",
        "topics": [{"key": "1", "text": "Pets"}], "items": items}), "utf-8")
    keyed(place, "csk-1", {one["id"]: Origin(source=f"pairs.tsv:{at + 1}", system=SYSTEM)
                           for at, one in enumerate(items)})
    git(rounds.folder, "init", "-q")
    commit(rounds.folder, "Ask annotators")
    write_pages(folder / "_site", Workplace(place))
    with served(folder / "_site") as address:
        yield Hour(rounds, address)


def commit(folder: Path, words: str) -> list[str]:
    """Commit what is in ``annotations``; the paths."""
    git(folder, "add", "annotations")
    git(folder, "commit", "-q", "-m", words)
    return git(folder, "show", "--name-only", "--format=").split()


@pytest.fixture
def page(browser: Any, hour: Hour) -> Iterator[Any]:
    """An annotator's window at the batch, whose scripts must not fail; leaving is confirmed."""
    errors: list[str] = []
    context = patient(browser.new_context(viewport=WIDE, accept_downloads=True))
    context.on("weberror", lambda fault: errors.append(str(fault.error)))
    context.on("dialog", lambda dialog: dialog.accept())
    yield opened(context.new_page(), f"{hour.address}annotate/csk-1/")
    context.close()
    assert errors == []


def progress(page: Any) -> str:
    """How far the annotator is."""
    return str(page.locator(".wb-progress").inner_text()).split(",")[0]


def kept(page: Any, words: str) -> None:
    """Wait until the browser keeps a draft with these words."""
    until(page, "words => Object.values(localStorage).some((text) => text.includes(words))", words)


def handed_in(page: Any, hour: Hour) -> Path:
    """The file, put into the repository at the place that the page names; it stands every rule."""
    press(page, "Control+s")
    page.get_by_label("Your GitHub login").fill("octo-cat")
    press(page, "Tab", "Space")  # agrees that it becomes public
    link = page.get_by_role("link", name="Download", exact=True)
    link.wait_for()
    path = page.locator(".wb-handin code").inner_text()
    assert path == "annotations/csk/csk-1/octo-cat.tsv"
    with page.expect_download() as download:
        link.click()
    file = hour.rounds.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    download.value.save_as(file)
    assert commit(hour.rounds.folder, "Answer as octo-cat") == [path]
    assert hour.rounds.run("validate", str(file), "--author", "octo-cat") == 0
    assert hour.rounds.run("validate", str(file), "--author", "someone-else") == 2
    return file


def published(hour: Hour) -> dict[str, str]:
    """The bodies of the pages about people, after what organisers run."""
    rounds = hour.rounds
    assert rounds.run("aggregate", "--out", str(rounds.folder / "human"),
                      "--results", str(rounds.folder / "results")) == 0
    commit(rounds.folder, "Close the batches")
    return bodies(people_pages(read_site(rounds.folder, rounds.folder / "home")))


def test_answers_by_keys_become_the_published_numbers(page: Any, hour: Hour) -> None:
    """All items by keys, with a slip, a change of mind, a reload and a second tab."""
    press(page, "1", "Enter", "Control+Enter")
    assert page.locator(".wb-saying").inner_text() == "Choose an answer."
    press(page, "y", "Control+z")
    assert page.locator("[name=q2]:checked").count() == 0
    press(page, "Control+Shift+z")
    assert page.locator("[name=q2]:checked").get_attribute("value") == "y"
    press(page, "n", "Enter")
    for kind in KINDS[1:4]:
        press(page, *KEYS[kind])
    kept(page, 'i03"]')
    page.reload()
    page.locator(".wb-question").first.wait_for()
    assert progress(page) == "csk-1: 4 of 8 done"
    assert page.locator("main h2").first.inner_text() == "Item 5"
    for kind in KINDS[4:6]:
        press(page, *KEYS[kind])
    kept(page, 'i05"]')
    other = opened(page.context.new_page(), page.url)
    assert "open in another tab" in other.locator(".wb-notices").inner_text()
    other.get_by_role("button", name="Go on here").click()
    other.locator(".wb-question input:enabled").first.wait_for()  # the first tab lets go
    for kind in KINDS[6:]:
        press(other, *KEYS[kind])
    assert progress(other) == "csk-1: 8 of 8 done"
    file = handed_in(other, hour)
    rows = [line for line in file.read_text("utf-8").splitlines() if line[0] != "#"]
    assert rows[1:] == [f"i{number:02}\t{ROWS[kind]}" for number, kind in enumerate(KINDS)]

    assert simulate_annotators.main(["csk-1", "--annotators", "2", "--annotations",
                                     str(hour.rounds.annotations)]) == 0
    hour.rounds.close("csk-1")
    pages, place = published(hour), Workplace(hour.rounds.annotations)
    given = [answers for one in place.annotations(sound(place, "csk-1"))
             if one.annotator != "octo-cat" for answers in one.answers.values()]
    assert len(given) == 2 * ITEMS

    def count(question: str, *values: str) -> int:
        return sum(answers.get(question) in values for answers in given)

    def ratings(value: str) -> int:
        return sum("".join(answers.get("q5", ())).count(value) for answers in given)

    # Pressed: 6 of 8 plausible, 4 of 6 with unsaid knowledge, 2 of 4 shown in whole; of 8 triplets
    # 6 positive and 2 negative.
    rated = 8 + sum(map(ratings, "1234"))
    document = json.loads((hour.rounds.folder / "human/human-results.json").read_text("utf-8"))
    expected = {
        "plausible": (6 + count("q2", "y"), 8 + count("q2", "y", "n")),
        "implicit": (4 + count("q3", "y"), 6 + count("q3", "y", "n")),
        "recall_full": (2 + count("q4", "1"), 4 + count("q4", "1", "2", "3")),
        "precision_micro": (6 + ratings("1"), rated),
        "contradicting_micro": (2 + ratings("4"), rated)}
    assert {name: document["csk"][SYSTEM][name]["value"] for name in expected} == pytest.approx(
        {name: top / bottom for name, (top, bottom) in expected.items()})
    for top, bottom in expected.values():
        assert f"<b>{100 * top / bottom:.1f}</b>" in pages["human/csk/"]
    assert "simulated" in pages["human/csk/"]
