"""Pages below human/: their numbers are the document's, and nothing of a stranger gets out of its
place."""

import csv
import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.people.records import Answers, Item, Origin
from scorer.site.people import items
from scorer.site.people.pages import METRIC_GROUPS, NEGATED, people_files, people_pages
from scorer.site.reading.read import read_site
from scorer.site.records import SiteView
from scorer.site.render import fraction
from tests.browser import tiny_site
from tests.browser.tiny_site import HEBREW, MANY, PAYLOADS, make_root, text
from tests.people_world import World, ask_everything, fool_a_model

PERSON = "dora"
"""The fourth of those who vote; has no part in the recorded case."""
VOTES = {"a": "SSS", "b": "SIC", "c": "III", "d": "SSI", "e": "CCC", "f": "SSS"}


@pytest.fixture(scope="module")
def plain_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_root(tmp_path_factory.mktemp("people") / "root")


@pytest.fixture
def root(plain_root: Path, tmp_path: Path) -> Path:
    return shutil.copytree(plain_root, tmp_path / "root")


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


def rows(html: str, label: str) -> dict[str, list[str]]:
    """The cells of a table's rows by the row's name, after that of its group if it has one."""
    [box] = re.findall(rf'aria-label="{re.escape(label)}".*?</table>', html, re.DOTALL)
    found, group = {}, ""
    for row in re.findall(r"<tr.*?</tr>", box, re.DOTALL):
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        group = f"{text(cells[0])}: " if "rowgroup" in row else group
        found[group + text(cells[0])] = [text(one) for one in cells[1:]]
    return found


# ---- numbers -----------------------------------------------------------------------------------


def test_the_recorded_case_of_commonsense_knowledge_reaches_the_page(
    world: World, vectors: Path
) -> None:
    world.recorded(vectors / "human" / "csk_aggregate.json")
    site = read(world)
    assert site.annotations.results is not None
    found = site.annotations.results.csk["t/one"]
    table = rows(bodies(site)["human/csk/"], "By system")
    recorded = {"plausible": 7 / 8, "implicit": 5 / 6, "recall_full": 2 / 5, "recall_any": 1.0,
                "precision_micro": 5 / 12, "in_context_micro": 5 / 6, "unrelated_micro": 5 / 36,
                "contradicting_micro": 1 / 36, "precision_micro_negated": 31 / 72,
                "precision_macro": 6871 / 14960, "in_context_macro": 291 / 340,
                "precision_macro_negated": 7047 / 14960}
    assert {name: found[name].value for name in recorded} == recorded
    shown = {f"{metric}{suffix}": table[f"{group}: {words} {question}".strip()][column]
             for group, metrics in METRIC_GROUPS for metric, words, question in metrics
             for column, suffix in enumerate(("", NEGATED)) if f"{metric}{suffix}" in found}
    assert {name: shown[name].split()[0] for name in recorded} == {
        name: fraction(value) for name, value in recorded.items()}
    assert set(shown) == set(found), "every metric of the document has its cell"
    assert table["Arguments: plausible Q2"] == ["87.5 of 8"]
    unsure = "Cannot decide (x): Q2 Does the premise make the conclusion plausible?"
    assert table[unsure] == ["1 of 9"]
    assert (table["items"], table["answers items times annotators"]) == (["3"], ["9"])


def test_agreement_on_the_page_is_that_of_the_recorded_case(world: World, vectors: Path) -> None:
    world.recorded(vectors / "human" / "csk_aggregate.json")
    table = rows(bodies(read(world))["human/agreement/"], "Commonsense knowledge in a graph")
    by_question = {name.split()[0]: cells for name, cells in table.items()}
    assert [by_question[name][4].split()[0] for name in ("Q1", "Q2", "Q5", "outcome")] == [
        "1.00", ".00", ".78", ".12"]
    assert by_question["Q3"][4] == "n/a (no variation)"
    assert by_question["Q4"][5] == ".33"
    assert by_question["Q7"][3:5] == ["n/a (no unit with two ratings)"] * 2


def test_what_is_undefined_has_words_and_null_and_is_never_nan(world: World) -> None:
    world.labels("v1", "verify", {"a": "SSS", "b": "SSS"}, origins={
        "a": Origin(source="tiny-dev:1", system="fair-team/chains", label="support"),
        "b": Origin(source="own.tsv:2")})
    site = read(world)
    for path, body in bodies(site).items():
        assert "nan" not in text(body).lower().split(), path
    for path, content in files(site).items():
        assert b"nan" not in content.lower(), path
    assert "n/a (no variation)" in bodies(site)["human/agreement/"]
    assert "undefined" in bodies(site)["human/verify/"], "nobody was asked what is wrong"


def test_counts_of_any_form_of_choices_have_shares_by_system(world: World) -> None:
    asked = [Item(name, {"obs1": "One.", "hypothesis": "Two.", "obs2": "Three."})
             for name in "abcdef"]
    said = {"ann": "yyynnx", "ben": "yynnnn"}
    answers: dict[str, dict[str, Answers]] = {
        person: {item.id: {"explains": letter, **({"fault": ("first", "last")}
                                                  if letter == "n" else {})}
                 for item, letter in zip(asked, letters, strict=True)}
        for person, letters in said.items()}
    world.add("h1", "art-hypothesis", asked, answers, origins={
        item.id: Origin(source=f"tiny-dev:{row}", system="fair-team/chains" if row < 4 else "x/y")
        for row, item in enumerate(asked, 1)})
    site = read(world)
    page = bodies(site)["human/art-hypothesis/"]
    table = rows(page, "Does the middle sentence explain what happened between the first and the "
                       "last?")
    # Of the first three items 5 of 6 votes are yes; of the others 0 of 5, and one cannot tell.
    assert [table[name] for name in ("fair-team/chains", "x/y")] == [
        ["6", "83.3", "16.7", "0"], ["6", "0.0", "100.0", "1"]]
    assert len(rows(page, "What is wrong with it?")["x/y"]) == 6, "nobody may say x there"
    assert rows(page, "What is wrong with it?")["x/y"][1:3] == ["100.0", "100.0"]


def test_rounds_have_no_majority_in_a_column_of_its_own(world: World) -> None:
    world.labels("verify-1", "verify", VOTES, origins={
        item: Origin(source=f"collect-1:{item}", label="support", authors=("zoe",))
        for item in VOTES})
    page = bodies(read(world))["human/rounds/"]
    table = rows(page, "Graphs after each round")
    # Correct: a, d, f; b has no majority; c is incorrect; e crossed.
    assert [cell.split()[0] for cell in table["1"]] == ["6", "3", "1", "0", "1", "1", "0"]
    assert rows(page, "Authors")["zoe"][:2] == ["6", "6"]


def test_a_refined_graph_stands_beside_the_one_before_it(world: World) -> None:
    ask_everything(world, ["One.", "Two."], "fair-team/chains", "tiny", "dev")
    page = bodies(read(world))["human/rounds/"]
    [story] = re.findall(r'<section class="wb-story">.*?</section>', page, re.DOTALL)
    assert "Round 1: incorrect 3 ✗ incorrect" in text(story)
    assert "Round 2: support 3 ✓ right" in text(story)
    *earlier, last = read(world).annotations.closed
    texts = {**last.batch.by_id["g"].texts, "graph": "(a; is a; c)"}
    other = replace(last, batch=replace(last.batch, items=(Item("g", texts),)))
    [found] = items.stories([*earlier, other], {})
    marks = [mark for mark, _ in found.rounds[1].facts]
    assert marks == ["extra", *["missing"] * len(found.rounds[0].facts)]


def test_the_released_history_of_refinement_is_a_page_without_votes(root: Path) -> None:
    data = root / "boards/tiny/data"
    gold = [line.split("\t") for line in (data / "dev.tsv").read_text("utf-8").splitlines()]
    lines = [[*gold[0]], [*gold[1], gold[1][3]], [*gold[2], gold[3][3], gold[2][3]], [*gold[3]]]
    (data / "refinement_graphs_dev.tsv").write_text(
        "".join("\t".join(line) + "\n" for line in lines), "utf-8")
    pages = bodies(read_site(root, root / "home"))
    table = rows(pages["human/rounds/"], "How the graphs of dev came about")
    assert [table[number][0] for number in "123"] == ["2 50.0 %", "1 25.0 %", "1 25.0 %"]
    assert [table[number][-2] for number in "123"] == ["2 50.0 %", "3 75.0 %", "4 100.0 %"]
    assert table["2"][-1] == "1"


# ---- what is shown, and what is not ------------------------------------------------------------


def test_of_an_open_batch_nothing_is_said_but_how_far_it_is(world: World) -> None:
    world.labels("v1", "verify", VOTES, status="open", origins={
        item: Origin(source=f"tiny-dev:{row}", system="fair-team/chains", label="support")
        for row, item in enumerate(VOTES, 1)})
    site = read(world)
    pages = bodies(site)
    assert set(pages) == {"human/"}
    assert rows(pages["human/"], "In progress")["v1"] == ["Verify a graph", "6", "6", "18 of 18"]
    assert files(site) == {}


def test_sample_items_show_votes_and_sentences_without_names(world: World, vectors: Path) -> None:
    world.recorded(vectors / "human" / "csk_aggregate.json")
    site = read(world)
    page = bodies(site)["human/csk/"]
    listed = page.partition('id="items"')[2]
    shown, folded = (listed.count(f'<{name} class="wb-sample">') for name in ("section", "details"))
    every = sum(len(batch.batch.items) for batch in site.annotations.closed)
    assert (shown, folded) == (min(every, 3), max(every - 3, 0))
    names = {one.annotator for batch in site.annotations.closed for one in batch.annotations}
    assert not [name for name in names if re.search(rf"\b{name}\b", text(listed))]
    sentences = {str(answers["q3_1"]) for batch in site.annotations.closed
                 for one in batch.annotations for answers in one.answers.values()
                 if "q3_1" in answers}
    assert sentences
    assert all(" ".join(one.split()) in text(listed) for one in sentences)
    table = [*csv.DictReader(io.StringIO(files(site)["data/human/items/csk.tsv"].decode()),
                             delimiter="\t", quoting=csv.QUOTE_NONE)]
    plausible = {one["answer"]: 0 for one in table if one["question"] == "Q2"}
    for one in table:
        if one["question"] == "Q2":
            plausible[one["answer"]] += int(one["count"])
    assert plausible == {"y": 7, "n": 1, "x": 1}


def test_whatever_simulated_annotators_have_part_in_says_so(world: World, vectors: Path) -> None:
    world.recorded(vectors / "human" / "csk_aggregate.json")
    votes = {item: f"{three}S" for item, three in VOTES.items()}
    world.labels("verify-1", "verify", votes, origins={
        item: Origin(source=f"tiny-dev:{row}", system="fair-team/chains", label="support")
        for row, item in enumerate(VOTES, 1)})
    assert not [path for path, body in bodies(read(world)).items() if "simulated" in body]
    (world.folder / "annotators.yml").write_text(f"{PERSON}: {{simulated: yes}}\n", "utf-8")
    pages = bodies(read(world))
    tables = {
        "human/": ["Verify a graph simulated"],
        "human/verify/": ["chains simulated"],
        "human/agreement/": ["Verify a graph simulated"]}
    for path, names in tables.items():
        assert all(name in text(pages[path]) for name in names), path
    assert "Commonsense knowledge in a graph simulated" not in text(pages["human/"])


def test_teams_that_may_not_be_named_are_not_named_here(world: World) -> None:
    meta = world.folder.parent / "submissions/tiny/fair-team/chains/submission.yaml"
    meta.write_text(meta.read_text("utf-8") + 'anonymous_until: "2999-01-01"\n', "utf-8")
    world.labels("v1", "verify", VOTES, origins={
        item: Origin(source=f"tiny-dev:{row}", system="fair-team/chains", label="support")
        for row, item in enumerate(VOTES, 1)})
    site = read(world)
    assert not [path for path, body in bodies(site).items() if "fair-team" in text(body)]
    assert not [path for path, content in files(site).items() if b"fair-team" in content]


# ---- hostile text ------------------------------------------------------------------------------

HOSTILE = (*PAYLOADS, MANY, HEBREW, "=1+1", "+1", "-1", "@sum(a1)", "</script>", "<!--",
           "{{ 7 * 7 }}", "x" * 1999)


def test_hostile_text_is_shown_as_text_and_harmless_in_spreadsheets(world: World) -> None:
    ask_everything(world, HOSTILE, "fair-team/chains", "tiny", "dev")
    site = read(world)
    assert not site.warnings
    for path, page in bodies(site).items():
        for tag in ("<script", "<img", "<iframe", "<details open", "<b>b", "<base", "<!--"):
            assert tag not in page.replace("<bdi>", ""), (path, tag)
    shown = bodies(site)["human/csk/"]
    assert "=cmd() &lt;script&gt;" in shown
    assert "{{7*7}}" in shown
    for path, content in files(site).items():
        if path.endswith(".tsv"):
            width = content.split(b"\n", 1)[0].count(b"\t")
            for line in content.decode().split("\n")[:-1]:
                assert line.count("\t") == width
                for cell in line.split("\t"):
                    assert not re.match(r"[=+@]|-(?![0-9.])", cell), cell[:40]
        else:
            json.loads(content)


def test_a_comment_of_ten_thousand_characters_leaves_its_file_out_and_is_named(
    world: World
) -> None:
    world.labels("stance-1", "stance", {"a": "SSS", "b": "CCC"})
    path = world.folder / "stance/stance-1/ben.tsv"
    path.write_text(path.read_text("utf-8").rstrip("\n") + "y" * 10_000 + "\n", "utf-8")
    site = read(world)
    assert [one.annotator for one in site.annotations.closed[0].annotations] == ["ann", "cleo"]
    [warning] = site.warnings
    assert "stance-1/ben.tsv: counted when batch stance-1 closed" in warning


def test_the_documents_of_pages_are_parts_of_the_whole(world: World, vectors: Path) -> None:
    world.recorded(vectors / "human" / "csk_aggregate.json")
    found = files(read(world))
    whole: dict[str, Any] = json.loads(found["data/human/human-results.json"])
    for name in ("csk", "agreement"):
        part = json.loads(found[f"data/human/{name}.json"])
        assert part == {key: whole[key] for key in part}
    values = {(one["table"], one["name"], one["metric"]): one["value"] for one in csv.DictReader(
        io.StringIO(found["data/human/csk.tsv"].decode()), delimiter="\t")}
    assert float(values["csk", "t/one", "precision_macro"]) == 6871 / 14960


def test_texts_that_fooled_a_model_are_shown_once_their_round_is_closed(world: World) -> None:
    fool_a_model(world.folder.parent, [PAYLOADS[0]], "w-1", "w-2")
    world.labels("w-1", "stance", VOTES)
    world.labels("w-2", "stance", VOTES, status="open")
    site = read(world)
    html = bodies(site)["human/hamlet/"]
    shown = text(html)
    assert "ann simulated 1 33.3 % 3 5 0 1 1" in shown
    assert ("It fooled w-1. fooled asked for support , model counter , people support ; ann "
            "simulated , try 2") in shown
    assert shown.index("It fooled w-1.") < shown.index("not verified yet asked for")
    assert "Seen through." not in shown
    assert "w-2" not in shown
    assert PAYLOADS[0] not in html
    assert not [name for name in files(site) if "hamlet" in name]
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
        (False, "Write a belief and two arguments 1 1 1 2 items written"),
        (True, "Fool the label model 1 1 1 the model was fooled 1 of 3 times, and people agree")]
    # As the form orders its questions; the file has keys in the order of letters.
    assert "Zoos help. It fooled w-1. fooled asked for" in text(pages["human/hamlet/"])


def test_a_faulty_file_of_texts_that_fooled_a_model_is_left_out_with_a_warning(
    world: World
) -> None:
    fool_a_model(world.folder.parent, [PAYLOADS[0]], "w-1", system=3)
    world.labels("w-1", "stance", VOTES)
    site = read(world)
    assert site.annotations.hamlet is None
    assert [one for one in site.warnings if one.startswith("results/human/hamlet.json: system")]
