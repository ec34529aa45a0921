"""Pages of graph labels: what stands for a lift that a file does not tell, examples, the leaks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scorer.cli import main
from scorer.site.boards.leaderboard_page import Cell, LeaderboardTable
from scorer.site.reading.read import read_site
from scorer.site.records import SiteView, SplitView
from scorer.site.views.registry import view_of
from tests.browser.tiny_site import copy_boards, rendered
from tests.pages import check, shown_on

pytestmark = pytest.mark.site
ROOT = Path(__file__).resolve().parent.parent
BOARD = "graph-stance-practice"
META = """\
system: One
team: Us
date: "2026-01-31"
description: Tells no label without the graph.
training_data: None.
saw_dev_gold: no
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteView:
    """The practice board with its rows, one whose file has the label alone, and one that gives no
    answer without the graph."""
    root = tmp_path_factory.mktemp("root")
    copy_boards(root, BOARD)
    known = (ROOT / f"submissions/{BOARD}/reference/relations-only/predictions.dev.tsv")
    labels = [line.partition("\t")[0] for line in known.read_text("utf-8").splitlines()]
    for name, more in (("one", ""), ("mute", "\t-")):
        folder = root / f"submissions/{BOARD}/us/{name}"
        folder.mkdir(parents=True)
        (folder / "submission.yaml").write_text(META.replace("One", name.title()), "utf-8")
        (folder / "predictions.dev.tsv").write_text(
            "".join(f"{label}{more}\n" for label in labels), "utf-8")
        assert main(["score", str(folder), "--results", str(root / "results"),
                     "--boards", str(root / "boards")]) == 0
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def html(site: SiteView) -> dict[str, str]:
    return rendered(site)


@pytest.fixture(scope="module")
def dev(site: SiteView) -> SplitView:
    return next(view for view in site.boards[0].splits if view.name == "dev")


def cells(dev: SplitView, title: str) -> dict[str, Cell]:
    """The cells of the row of a title, by column."""
    table = LeaderboardTable(dev)
    [line] = [line for group in table.groups for line in group.lines if line.title == title]
    return {column.id: table.cell(line, column) for column in table.columns}


@shown_on("graph labels")
def test_a_page_shows(case: Mapping[str, Any], html: dict[str, str]) -> None:
    check(case, html)


@pytest.mark.claim("A lift that rests on bad answers without the graph is told beside it.")
def test_a_row_that_answers_worse_than_text_only_without_the_graph_is_told(dev: SplitView) -> None:
    lift = cells(dev, "Mute")["graph-lift"]
    assert lift.text == "52.5", "no answer without the graph is never right"
    assert lift.note == ("graph-lift relies on what this row reports of itself; accuracy less that "
                         "of the row Text only is smaller: \u22125.0")
    assert not cells(dev, "Texts and graph")["graph-lift"].note


def test_a_card_says_what_the_graph_did(dev: SplitView) -> None:
    shown = view_of(dev.board)
    by_name = {entry.system: entry for entry in dev.entries}
    effects = {}
    for row, gold in enumerate(dev.golds, start=1):
        example = shown.example(dev.board.settings, gold, row)
        answer = by_name["texts-and-graph"].predictions[row - 1]
        card = example.card(by_name["texts-and-graph"])
        effects[answer.label == gold.label, answer.without == gold.label] = card["effect"]
        assert example.card(by_name["one"])["effect"] == ""
    assert effects == {
        (True, False): "The graph put it right.", (False, True): "The graph put it wrong.",
        (True, True): "Right with and without the graph.",
        (False, False): "Wrong with and without the graph."}


def test_the_statistics_of_a_system_add_up_to_its_lift(dev: SplitView) -> None:
    entry = next(one for one in dev.entries if one.system == "texts-and-graph")
    shown = view_of(dev.board).statistics(dev, entry)
    right, wrong, *_ = (count for _, count in shown.parts)  # type: ignore[attr-defined]
    assert (right - wrong) / 40 == pytest.approx(entry.result.metrics["graph-lift"].value)
    assert sum(sum(row.values()) for row in shown.counts.values()) == 40  # type: ignore[attr-defined]
