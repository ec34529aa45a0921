"""Pages below human/: their numbers are the document's, and nothing of a stranger gets out of its
place."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.boards.policy import HumanRanking
from scorer.people.aggregation import aggregated, votes_on_systems
from scorer.people.organisers import KEY_SUFFIX, path_of
from scorer.people.records import Answers, Item, Origin
from scorer.people.validate import Workplace
from scorer.site.people.pages import (
    METRIC_GROUPS,
    NEGATED,
    people_files,
    people_pages,
    vote_counts,
)
from scorer.site.reading.people import read_annotations
from scorer.site.reading.read import read_site
from scorer.site.reading.repository import SiteReader
from scorer.site.records import Annotations, SiteView
from scorer.site.render import fraction
from tests.annotation_world import close
from tests.browser import tiny_site
from tests.browser.tiny_site import HEBREW, MANY, PAYLOADS, text
from tests.people_world import World, ask_everything, fool_a_model

pytestmark = pytest.mark.whole

VOTES = {"a": "SSS", "b": "SIC", "c": "III", "d": "SSI", "e": "CCC", "f": "SSS"}


@pytest.fixture
def root(tiny_root: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_root, tmp_path / "root")


@pytest.fixture
def world(root: Path) -> World:
    return World(root)


def read(world: World) -> SiteView:
    root = world.folder.parent
    return read_site(root, root / "home")


def bodies(site: SiteView) -> dict[str, str]:
    return tiny_site.bodies(people_pages(site))


def files(site: SiteView) -> dict[str, bytes]:
    return dict(people_files(site))


def origins(items: Iterable[str], system: str = "fair-team/chains") -> dict[str, Origin]:
    """Items as the first rows of a split, by one system."""
    return {item: Origin(source=f"tiny-dev:{row}", system=system, label="support")
            for row, item in enumerate(items, 1)}


def rows(html: str, label: str) -> dict[str, list[str]]:
    """The cells of a table's rows by the row's name, after that of its group if it has one."""
    [box] = re.findall(rf'aria-label="{re.escape(label)}".*?</table>', html, re.DOTALL)
    cells_of, group = {}, ""
    for row in re.findall(r"<tr.*?</tr>", box, re.DOTALL):
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        group = f"{text(cells[0])}: " if "rowgroup" in row else group
        cells_of[group + text(cells[0])] = [text(one) for one in cells[1:]]
    return cells_of


# ---- numbers -----------------------------------------------------------------------------------


@pytest.fixture
def recorded(world: World, vectors: Path) -> World:
    """With the recorded case of commonsense knowledge."""
    world.recorded(vectors / "human" / "csk_aggregate.json")
    return world


def test_every_number_of_the_recorded_case_of_commonsense_knowledge_has_its_cell(
    recorded: World
) -> None:
    site = read(recorded)
    assert site.annotations.results is not None
    [(path, content)] = files(site).items()
    assert path == "data/human/human-results.json"
    assert json.loads(content) == site.annotations.results.to_json()
    numbers = site.annotations.results.csk["t/one"]
    pages = bodies(site)
    table = rows(pages["human/csk/"], "By system")
    shown = {f"{metric}{suffix}": table[f"{group}: {words} {question}".strip()][column]
             for group, metrics in METRIC_GROUPS for metric, words, question in metrics
             for column, suffix in enumerate(("", NEGATED)) if f"{metric}{suffix}" in numbers}
    assert {name: cell.split()[0] for name, cell in shown.items()} == {
        name: fraction(one.value) for name, one in numbers.items()}
    assert table["Arguments: plausible Q2"] == ["87.5 of 8"]
    assert (table["items"], table["answers items times annotators"]) == (["3"], ["9"])
    table = rows(pages["human/agreement/"], "Commonsense knowledge in a graph")
    agreement = {name.split()[0]: cells for name, cells in table.items()}
    assert [agreement[name][4].split()[0] for name in ("Q1", "Q2", "Q5", "outcome")] == [
        "1.00", ".00", ".78", ".12"]
    assert agreement["Q3"][4] == "n/a (no variation)"
    assert agreement["Q4"][5] == ".33"
    assert agreement["Q7"][3:5] == ["n/a (no unit with two votes)"] * 2


def test_what_is_undefined_has_words_and_null_and_is_never_nan(world: World) -> None:
    world.labels("v1", "verify", {"a": "SSS", "b": "SSS"}, origins={
        **origins("a"), "b": Origin(source="own.tsv:2")})
    site = read(world)
    pages = bodies(site)
    assert not [path for path, body in pages.items() if "nan" in text(body).lower().split()]
    assert not [path for path, content in files(site).items() if b"nan" in content.lower()]
    assert "n/a (no variation)" in pages["human/agreement/"]
    assert "n/a (nothing to count)" in pages["human/verify/"], "nobody was asked what is wrong"


def test_counts_of_any_form_of_choices_have_shares_by_system(world: World) -> None:
    answers: dict[str, dict[str, Answers]] = {person: {
        item: {"explains": letter, **({"fault": ("first", "last")} if letter == "n" else {})}
        for item, letter in zip("abcdef", letters, strict=True)}
        for person, letters in {"ann": "yyynnx", "ben": "yynnnn"}.items()}
    world.add("h1", "art-hypothesis", [
        Item(name, {"obs1": "One.", "hypothesis": "Two.", "obs2": "Three."}) for name in "abcdef"
    ], answers, origins={**origins("abcdef", "x/y"), **origins("abc")})
    page = bodies(read(world))["human/art-hypothesis/"]
    table = rows(page, "Does the middle sentence explain what happened between the first and the "
                       "last?")
    # Of the first three items 5 of 6 votes are yes; of the others 0 of 5, and one cannot tell.
    assert [table[name] for name in ("fair-team/chains", "x/y")] == [
        ["6", "83.3", "16.7", "0"], ["6", "0.0", "100.0", "1"]]
    wrong = rows(page, "What is wrong with it?")["x/y"]
    assert len(wrong) == 6, "nobody may say x there"
    assert wrong[1:3] == ["100.0", "100.0"]


def test_rounds_say_what_became_of_graphs_and_of_whose(world: World) -> None:
    ask_everything(world, ["One.", "Two."], "fair-team/chains", "tiny", "dev")
    site = read(world)
    page = bodies(site)["human/rounds/"]
    # Correct: a, d, f; b has no majority, in a column of its own; c is incorrect; e crossed.
    assert [cell.split()[0] for cell in rows(page, "Graphs after each round")["1 simulated"]] == [
        "6", "3", "1", "0", "1", "1", "0"]
    assert rows(page, "Authors")["zoe simulated"][:2] == ["6", "6"]


# ---- what is shown, and what is not ------------------------------------------------------------


def test_of_an_open_batch_nothing_is_said_but_how_far_it_is(world: World) -> None:
    world.labels("v1", "verify", VOTES, status="open", origins=origins(VOTES))
    site = read(world)
    pages = bodies(site)
    assert set(pages) == {"human/"}
    assert rows(pages["human/"], "In progress")["v1"] == ["Verify a graph", "6", "6", "18 of 18"]
    assert files(site) == {}


def test_sample_items_show_votes_and_sentences_without_names(recorded: World) -> None:
    site = read(recorded)
    listed = bodies(site)["human/csk/"].partition('id="items"')[2]
    assert listed.count('<section class="wb-sample">') == 3
    assert '<details class="wb-sample">' not in listed
    [batch] = site.annotations.closed
    assert not [login for item in batch.items for login in item.answers
                if re.search(rf"\b{login}\b", text(listed))]
    sentences = {" ".join(str(answer).split()) for item in batch.items
                 for answer in item.given("q3_1").values()}
    assert sentences
    assert not [one for one in sentences if one not in text(listed)]
    [q2] = [one for one in batch.form.questions if one.id == "q2"]
    votes: Counter[str] = Counter()
    for item in batch.items:
        votes.update({text: n for _, text, n in vote_counts(item, q2)})
    assert sorted(votes.values()) == [1, 1, 7]


def test_whatever_simulated_annotators_have_part_in_says_so(recorded: World) -> None:
    recorded.labels("verify-1", "verify", {item: f"{three}S" for item, three in VOTES.items()},
                    origins=origins(VOTES))
    assert not [path for path, body in bodies(read(recorded)).items() if "simulated" in body]
    # The fourth of those who vote has no part in the recorded case.
    (recorded.folder / "annotators.yml").write_text("dora: {simulated: yes}\n", "utf-8")
    pages = bodies(read(recorded))
    for path, name in (("human/", "Verify a graph"), ("human/verify/", "chains"),
                       ("human/agreement/", "Verify a graph")):
        assert f"{name} simulated" in text(pages[path])
    assert "Commonsense knowledge in a graph simulated" not in text(pages["human/"])


def test_teams_that_may_not_be_named_are_not_named_here(world: World) -> None:
    meta = world.folder.parent / "submissions/tiny/fair-team/chains/submission.yaml"
    meta.write_text(meta.read_text("utf-8") + 'anonymous_until: "2999-01-01"\n', "utf-8")
    world.labels("v1", "verify", VOTES, origins=origins(VOTES))
    site = read(world)
    # Verdicts are over all items of the row that the site shows.
    assert site.annotations.results is not None
    verdict = site.annotations.results.verdicts["tiny-dev"].systems["fair-team/chains"].all_items
    assert verdict is not None
    assert verdict.items == 4
    assert not [path for path, body in bodies(site).items() if "fair-team" in text(body)]
    assert not [path for path, content in files(site).items() if b"fair-team" in content]


# ---- hostile text ------------------------------------------------------------------------------

HOSTILE = (*PAYLOADS, MANY, HEBREW, "=1+1", "+1", "-1", "@sum(a1)", "</script>", "<!--",
           "{{ 7 * 7 }}", "x" * 1999)


def test_hostile_text_is_shown_as_text(world: World) -> None:
    ask_everything(world, HOSTILE, "fair-team/chains", "tiny", "dev")
    site = read(world)
    assert not site.warnings
    pages = bodies(site)
    for path, page in pages.items():
        for tag in ("<script", "<img", "<iframe", "<details open", "<b>b", "<base", "<!--"):
            assert tag not in page.replace("<bdi>", ""), (path, tag)
    assert "=cmd() &lt;script&gt;" in pages["human/csk/"]
    assert "{{7*7}}" in pages["human/csk/"]
    for path, content in files(site).items():
        assert json.loads(content), path


def test_texts_that_fooled_a_model_are_shown_once_their_round_is_closed(world: World) -> None:
    fool_a_model(world.folder.parent, [PAYLOADS[0]], "w-1", "w-2")
    world.labels("w-1", "stance", VOTES)
    world.labels("w-2", "stance", VOTES, status="open")
    site = read(world)
    html = bodies(site)["human/hamlet/"]
    shown = text(html)
    assert "ann simulated 1 33.3 % 3 5 0 1 1" in shown
    assert ("It fooled w-1. Zoos help. fooled asked for support , model counter , people support ; "
            "ann simulated , try 2") in shown
    assert shown.index("It fooled w-1.") < shown.index("not verified yet asked for")
    assert "Seen through." not in shown
    assert "w-2" not in shown
    assert PAYLOADS[0] not in html
    world.labels("w-1", "stance", VOTES, status="open")
    assert "human/hamlet/" not in bodies(read(world))


def test_a_batch_that_people_wrote_leads_to_the_page_of_the_model_that_read_it(
    world: World
) -> None:
    fool_a_model(world.folder.parent, [], "w-1")
    world.add("w-1", "write-target", [Item("i", {"prompt": "P.", "target": "support"})],
              {"ann": {"i": {"belief": "Zoos help.", "argument": "It fooled w-1."}}}, needed=1)
    world.add("p-1", "write-pairs", [Item("i", {"prompt": "P."})],
              {"ann": {"i": {"belief": "B.", "support": "S.", "counter": "C."}}}, needed=1)
    pages = bodies(read(world))
    lines = re.findall(r"<tr><th scope=\"row\".*?</tr>", pages["human/"])
    assert [("human/hamlet/" in line, text(line)) for line in lines] == [
        (False, "Write a belief and two arguments 1 1 1"),
        (True, "Fool the label model 1 1 1")]
    # As the form orders its questions; the file has keys in the order of letters.
    assert "Zoos help. It fooled w-1. fooled asked for" in text(pages["human/hamlet/"])


# ---- what is read ------------------------------------------------------------------------------

LABELS = {"a": "SSS", "b": "SNC", "c": "NNN"}


@pytest.fixture
def small(tmp_path: Path) -> World:
    """An open and a closed batch, without a board."""
    made = World(tmp_path)
    made.labels("open-1", "stance", LABELS, status="open")
    made.labels("closed-1", "verify", {"a": "SSS", "b": "SIC", "c": "III"}, origins=origins("abc"))
    return made


def read_alone(world: World) -> tuple[Annotations, list[str]]:
    """What is read without a board, and the warnings."""
    reader = SiteReader(world.folder.parent, world.folder.parent / "home")
    return read_annotations(reader, [], "abcdef1"), reader.warnings


def annotators(answers: Annotations) -> list[str]:
    """Whose answers to the closed batch count."""
    return [*answers.closed[0].items[0].answers]


def test_open_batches_say_how_far_they_are_and_closed_ones_what_was_said(small: World) -> None:
    answers, warnings = read_alone(small)
    assert not warnings
    [batch] = answers.open
    assert (batch.batch.name, batch.coverage and batch.coverage.answers) == ("open-1", 9)
    [closed] = answers.closed
    assert annotators(answers) == ["ann", "ben", "cleo"]
    assert closed.items[0].origin.system == "fair-team/chains"
    # The numbers are those that the command writes: of nine votes four are right.
    assert answers.results is not None
    place = Workplace(small.folder)
    assert answers.results == aggregated(
        place, votes_on_systems(place, lambda _, __: None), lambda _: HumanRanking(), "abcdef1")
    votes = answers.results.verdicts["tiny-dev"].systems["fair-team/chains"].votes
    assert (votes.value, votes.n) == (4 / 9, 9)


def test_an_annotators_file_with_errors_is_left_out_and_named(small: World) -> None:
    file = small.folder / "verify/closed-1/ben.tsv"
    file.write_text(file.read_text("utf-8").replace("\tsupport", "\tmaybe"), "utf-8")
    why = "annotations/verify/closed-1/ben.tsv: counts nowhere: it "
    answers, warnings = read_alone(small)
    assert (annotators(answers), warnings) == (["ann", "cleo"], [
        f"{why}counted when batch closed-1 closed, and is not there as it was; restore it with "
        "git, or run: scorer annotations withdraw closed-1 ben"])
    close(small.folder, "closed-1", "ann", "ben", "cleo")
    assert read_alone(small)[1] == [
        f"{why}has errors, or batch closed-1 closed without it as it is; run: scorer annotations "
        "validate"]


def test_what_is_faulty_in_the_folder_never_stops_the_site(small: World) -> None:
    fool_a_model(small.folder.parent, [], "closed-1", system=3)
    answers, [document] = read_alone(small)
    assert (len(answers.closed), answers.hamlet) == (1, None)
    assert document.startswith("results/human/hamlet.json: system")
    for path, content in ((path_of(small.folder, "closed-1", KEY_SUFFIX), "{"),
                          (path_of(small.folder, "open-1", KEY_SUFFIX), "{"),
                          (path_of(small.folder, "open-1"), '{"kind": "none"}'),
                          (small.folder / "annotators.yml", "ann: ["),
                          (small.folder / "forms/mine.yaml", "kind: other")):
        path.parent.mkdir(exist_ok=True)
        before = path.read_bytes() if path.exists() else b""
        path.write_text(content, "utf-8")
        answers, [fault] = read_alone(small)
        assert answers == Annotations()
        assert path.name in fault
        path.write_bytes(before) if before else path.unlink()
