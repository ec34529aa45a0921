"""What the example browser and the example pages are made of."""

import gc
import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest

pytest.importorskip("jinja2")


from scorer.core.graph import Graph
from scorer.core.rules import CATALOGUE
from scorer.site import pages
from scorer.site.boards.board_pages import data_pages
from scorer.site.browsing import browser
from scorer.site.page import header
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.render import environment
from scorer.site.theme import SLOT, TITLE, PageLayout
from scorer.site.views.graphs.example import GraphExample, constraints
from scorer.tasks.graphs.graph_items import Prediction
from tests.browser.tiny_site import GOLD, ROOT, copy_boards, example_files, text
from tests.values import described


@pytest.fixture(scope="module")
def board(tiny_site: SiteView) -> BoardView:
    return tiny_site.boards[0]


@pytest.fixture
def dev(board: BoardView) -> SplitView:
    return board.splits[0]


def entry(dev: SplitView, system: str) -> Entry:
    return next(one for one in dev.entries if one.system == system)


# ---- one layout for the union of all graphs ------------------------------------------------------


def test_two_systems_draw_what_they_both_add_in_the_same_place(dev: SplitView) -> None:
    example, chains = GraphExample(dev.board.settings, dev.golds[0], 1), entry(dev, "chains")
    nodes = []
    for graph in ("(trains; causes; less smoke)(less smoke; causes; joy)(joy; is a; calm)",
                  "(flights; not causes; calm)(calm; part of; clean air)(trains; causes; peace)"):
        answers = (Prediction("support", Graph(graph)), *chains.predictions[1:])
        drawing = ElementTree.fromstring(  # noqa: S314  # our own text
            example.card(replace(chains, predictions=answers))["drawing"])
        nodes.append({"".join(node.itertext()): node[0].attrib for node in drawing.iter("g")
                      if node.attrib["class"] in ("n k0", "n k1", "n km", "n kx")})
    assert nodes[0].keys() & nodes[1].keys() == {"trains", "calm"}
    assert all(nodes[0][name] == nodes[1][name] for name in ("trains", "calm"))


# ---- constraints ---------------------------------------------------------------------------------


def test_every_rule_that_scores_belongs_to_a_constraint(dev: SplitView) -> None:
    scoring = {rule.id for rule in CATALOGUE.values()
               if rule.id.startswith("EG-") and rule.effect == "scores"}
    assert {rule for _, rules in constraints(dev.board.settings) for rule in rules} == (
        scoring - {"EG-TEXT-CONCEPTS"} | {"EG-BELIEF-CONCEPTS", "EG-ARGUMENT-CONCEPTS"})


# ---- the browser ---------------------------------------------------------------------------------


def fetched(board: BoardView) -> dict[str, Any]:
    """What the browser fetches, by the path below the folder of the board."""
    found = dict(browser.files(board))
    assert all(path.startswith(f"data/{board.board.id}/") for path in found)
    return {path.split("/", 2)[2]: content for path, content in found.items()}


def test_every_example_has_its_texts_and_a_place_in_every_column(board: BoardView) -> None:
    found = fetched(board)
    assert found["dev/texts-1.json"] == {"texts": [[row[0] for row in GOLD],
                                                   [row[1] for row in GOLD]]}
    several = {facet["id"] for facet in found["examples.json"]["facets"] if "several" in facet}
    for name, column in found["dev/index.json"].items():
        assert len(column.split(" ") if name in several else column) == len(GOLD)
    assert {"label", "relation", "depth", "shape", "external"} <= found["dev/index.json"].keys()


def test_texts_come_in_files_of_one_size(
    board: BoardView, dev: SplitView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "TEXTS", 3)
    found = fetched(board)
    assert found["examples.json"]["texts"] == 3
    files = [found[name]["texts"] for name in sorted(found) if name.startswith("dev/texts-")]
    assert [len(first) for first, _ in files] == [3, len(GOLD) - 3]
    assert [pair for columns in files for pair in zip(*columns, strict=True)] == [
        gold.texts for gold in dev.golds]


def test_what_a_system_made_of_an_example_is_in_a_file_of_its_own(
    board: BoardView, dev: SplitView
) -> None:
    sly, found = entry(dev, "payloads"), fetched(board)
    facets = {facet["id"]: facet for facet in found["examples.json"]["facets"]}
    own = found[f"dev/{sly.slug}/outcomes.json"]
    verdicts = [item.verdict.annotation for item in sly.result.items]
    assert [facets["got"]["values"][int(digit)] for digit in own["columns"]["got"]] == [
        verdict.replace("_", " ") for verdict in verdicts]
    assert own["standing"] == [int(verdict == dev.board.task.passed) for verdict in verdicts]
    assert {facets[name]["system"] for name in own["columns"]} == {"a"}
    assert facets["pair"]["system"] == "b"
    listed = found["dev/systems.json"]
    assert [one["key"] for one in listed["systems"]] == [one.key for one in dev.comparable]
    assert listed["next"] == "Next where the first is right and the second wrong"


def test_inputs_without_gold_can_be_searched_and_have_no_page(dev: SplitView) -> None:
    bare = replace(dev, name="test", golds=(), entries=(),
                   inputs=tuple(gold.texts for gold in dev.golds))
    found = fetched(BoardView(dev.board, (bare, dev)))
    assert found["test/index.json"] == {}
    assert found["test/texts-1.json"] == found["dev/texts-1.json"]
    assert [(split["name"], split["pages"]) for split in found["examples.json"]["splits"]] == [
        ("dev", True), ("test", False)], "those with pages first"
    nothing = BoardView(dev.board, (replace(dev, golds=(), entries=()),))
    assert (browser.page(nothing).template, fetched(nothing)) == ("examples-none.html", {})


# ---- pages and shards ----------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("name", [
    "anlg-practice", "anli-practice", "explagraphs-practice", "explained-practice",
    "graph-stance-practice"])
def test_drawing_leaves_no_garbage_for_a_build_collects_none(name: str, tmp_path: Path) -> None:
    """A template that defines macros would: Jinja then keeps all that it was given in a cycle."""
    copy_boards(tmp_path, name)
    [board] = read_site(tmp_path, tmp_path / "home").boards
    view = next(view for view in board.splits if view.golds and view.comparable)
    templates, layout = environment(ROOT / "templates"), PageLayout(f"<title>{TITLE}</title>{SLOT}")
    [*pages.example_files(templates, view, range(1, 6), layout)]
    gc.collect()
    gc.disable()
    try:
        drawn = [*pages.example_files(templates, view, range(1, 6), layout)]
        assert gc.collect() == 0
    finally:
        gc.enable()
    assert drawn


def test_every_card_of_a_page_is_the_one_in_the_shards(dev: SplitView) -> None:
    files = example_files(dev)
    shards = {one.key: json.loads(gzip.decompress(files[f"data/tiny/dev/{one.slug}/0.shard"]))
              for one in dev.entries}
    for row in range(1, len(GOLD) + 1):
        page = files[f"boards/tiny/dev/{row}/index.html"].decode()
        assert sum(shards[one.key][str(row)]["html"] in page for one in dev.entries) == 2
    assert example_files(dev) == files, "and twice the same bytes"


def test_a_new_system_moves_no_drawing_of_older_ones(dev: SplitView) -> None:
    chains, sly = entry(dev, "chains"), described(entry(dev, "payloads"), date="2030-01-01")
    before, after = (example_files(replace(dev, entries=entries))
                     for entries in ((chains,), (sly, chains)))
    name = f"data/tiny/dev/{chains.slug}/0.shard"
    assert before[name] == after[name]


def test_gold_can_be_disputed_where_the_repository_is_known(dev: SplitView) -> None:
    name = "boards/tiny/dev/2/index.html"
    assert b"Report it" not in example_files(dev)[name]
    page = example_files(dev, repository="https://github.com/some/fork")[name].decode()
    link = page.partition('<a href="https://github.com')[2].partition('"')[0]
    assert parse_qs(urlsplit(link.replace("&amp;", "&")).query) == {
        "template": ["gold-dispute.yml"], "title": ["Gold: tiny dev 2"], "item": ["tiny dev 2"]}
    form = (ROOT / ".github/ISSUE_TEMPLATE/gold-dispute.yml").read_text("utf-8")
    assert "id: item" in form


# ---- the data of a board -------------------------------------------------------------------------


def rendered(board: BoardView) -> str:
    page, *_ = data_pages(board)
    return text(environment(ROOT / "templates").get_template(page.template).render(
        page.names | {"header": header(board, {}, page.path)}))


def test_rounds_are_read_and_counted(tiny_root: Path, tmp_path: Path) -> None:
    root = shutil.copytree(tiny_root, tmp_path / "root")
    (root / "boards/tiny/data/refinement_graphs_dev.tsv").write_text(
        "x\ty\tsupport\t(a; causes; b)\nx\ty\tsupport\t(a; causes; b)\t(a; causes; c)\n", "utf-8")
    board = read_site(root, root / "home").boards[0]
    assert board.splits[0].refined[0].graphs == (Graph("(a; causes; b)"),)
    assert "1 items have one graph, 1 items have two graphs." in rendered(board)
