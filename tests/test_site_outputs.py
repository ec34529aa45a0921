"""Error anatomy, plots, tags, what can be taken along, the front page: views in, values out."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("jinja2")

from scorer.scoring.leaderboard.numbers import rank_text
from scorer.site.boards.anatomy import part_tables
from scorer.site.boards.board_pages import plot_page
from scorer.site.boards.leaderboard_page import LeaderboardTable
from scorer.site.home import BoardSummary, home_context, null_finding
from scorer.site.outputs import taken
from scorer.site.reading.read import read_site
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.render import environment, score
from scorer.site.views.graphs.view import GraphView
from tests import case_files, node
from tests.browser.tiny_site import (
    GOLD,
    ROOT,
    make_judged_root,
    part_of_checkout,
    rendered,
    text,
)
from tests.pages import check, shown_on
from tests.values import described

GRAPHS = GraphView()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_judged_root(tmp_path_factory.mktemp("judged") / "root")


@pytest.fixture(scope="module")
def site(root: Path) -> SiteView:
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def html(site: SiteView) -> dict[str, str]:
    return rendered(site)


@pytest.fixture
def dev(site: SiteView) -> SplitView:
    return site.boards[0].splits[0]


def entry_of(view: SplitView, team: str) -> Entry:
    return next(entry for entry in view.entries if entry.team == team)




@shown_on("judged")
def test_a_page_shows(case: Mapping[str, Any], html: dict[str, str]) -> None:
    check(case, html)


# ---- anatomy ---------------------------------------------------------------------------------


def test_the_parts_of_a_partition_make_up_the_whole(dev: SplitView) -> None:
    stca = entry_of(dev, "fair-team").result.metrics["StCA"].value
    for division, parts in part_tables(dev, entry_of(dev, "fair-team")):
        if not division.overlapping:
            assert sum(len(part.rows) for part in parts) == len(GOLD)
            whole = sum(part.metrics["StCA"] * len(part.rows) for part in parts)
            assert whole / len(GOLD) == pytest.approx(stca)


def test_without_items_counts_stay_and_nothing_else_is_made_up(dev: SplitView) -> None:
    entry = entry_of(dev, "fair-team")
    bare = replace(entry, result=entry.result.replace(items=()))
    alone = replace(dev, entries=(bare,))
    gates = [*GRAPHS.gates(alone, bare)]
    assert [gate.passed for gate in gates] == [
        gate.passed for gate in [*GRAPHS.gates(dev, entry)][:3]]
    assert not any(gate.stopped_at or gate.passed_at for gate in gates)
    assert (part_tables(alone, bare), GRAPHS.statistics(dev, bare)) == ([], None)


# ---- plots -----------------------------------------------------------------------------------

DRAWN = """
const { span, roundSteps, scatter } = await load("plots.js");
const column = { id: "<x>", better: "higher" };
return (values) => {
  const dots = values.map((x, at) => (
    { x, y: values.at(-1 - at), kind: "scored", name: "<b>", title: "a < b" }));
  const html = scatter(column, column, dots);
  return { span: span(values), steps: roundSteps(...span(values)), html };
};
"""


def test_a_plot_has_a_dot_for_every_row_and_ticks_within_its_axes(tmp_path: Path) -> None:
    for name in ("plots.js", "text.js"):
        shutil.copyfile(ROOT / "site/assets" / name, tmp_path / name)
    rng = Random(7)
    rows = [[0.5], [1e-13, 3e-13], *([round(rng.uniform(-1, 1), 4) for _ in range(size)]
                                     for size in range(2, 30))]
    for values, one in zip(rows, node.over(tmp_path, DRAWN, None, rows), strict=True):
        low, high = one["span"]
        assert low < min(values) <= max(values) < high
        assert 2 <= len(one["steps"]) <= 8
        assert all(low - 1e-9 <= step <= high + 1e-9 for step in one["steps"])
        assert one["html"].count("<circle") == len(values)
        assert one["html"].count("<title>a &#60; b</title>") == len(values)
        assert not {"<b>", "<x>"} & {one["html"][at:at + 3] for at in range(len(one["html"]))}


def test_one_page_has_every_column_that_can_be_drawn(
    site: SiteView, dev: SplitView, html: dict[str, str],
) -> None:
    page = plot_page(site.boards[0], dev)
    assert page.path == "boards/tiny/dev/plots/"
    measured = [column for column in dev.document.columns if not column.unmeasured]
    assert page.context["columns"] == measured
    assert html[page.path].count("data-value=") == 3 * len(measured)


def test_rows_published_elsewhere_are_drawn_too(html: dict[str, str]) -> None:
    page = html["boards/tiny/test/plots/"]
    assert ('data-kind="human"' in page, 'data-kind="reported"' in page) == (True, True)


# ---- what can be taken along -------------------------------------------------------------------


def table(view: SplitView) -> LeaderboardTable:
    return LeaderboardTable(replace(view, written=None))


def test_tags_divide_the_rows(dev: SplitView) -> None:
    assert table(dev).tags == {"submitted": 2, "reference": 1}
    saw = tuple(described(entry, saw_dev_gold=entry.team == "fair-team" or None)
                for entry in dev.entries)
    assert table(replace(dev, entries=saw)).tags["saw dev gold"] == 1
    one = tuple(entry for entry in dev.entries if entry.kind == "reference")
    assert table(replace(dev, entries=one)).tags == {}, "nothing to choose between"


def test_rows_beyond_those_shown_offer_scores_of_items_and_no_answers(
    dev: SplitView, root: Path,
) -> None:
    few = read_site(root, root / "home", rows=1).boards[0].splits[0]
    assert len(dev.comparable) == 3
    two = replace(dev, shown_rows=2).comparable
    assert [one.kind for one in two] == ["scored", "scored"], "systems come before reference rows"
    [first] = few.comparable
    assert first.key == two[0].key
    assert [bool(entry.predictions) for entry in few.entries if entry.answers] == [
        entry.key == first.key for entry in dev.entries], "others were not even read"
    for entry in few.entries:
        words = {*taken(few, entry).values()}
        assert {"result", "item by item", "badge", "Every Eval Ever"} <= words
        assert {"predictions", "its samples"}.isdisjoint(words) == (entry is not first)


def test_a_local_preview_offers_its_result_alone(dev: SplitView) -> None:
    own = replace(entry_of(dev, "fair-team"), preview=True)
    assert [*taken(dev, own).values()] == ["result"]


def test_without_public_gold_no_samples_are_offered(dev: SplitView) -> None:
    offered = taken(replace(dev, golds=()), entry_of(dev, "fair-team"))
    assert {"its samples", "Every Eval Ever"} & {*offered.values()} == {
        "Every Eval Ever"}


# ---- the front page ----------------------------------------------------------------------------


def test_home_has_the_verdict_first_systems_and_news_of_the_split_with_systems(
    site: SiteView, html: dict[str, str],
) -> None:
    home = home_context(site)
    (one,) = home["groups"]["main"]
    assert (home["main"], one.view.name, one.column.id) == (one, "dev", "StCA")
    assert one.systems[0].key == "fair-team/chains"
    assert [row.kind for row in one.beside] == ["reference"]
    front = environment(ROOT / "templates").get_template("home-boards.html").render(home, root="")
    assert one.verdict[0] in front
    assert [one.updated[:10] for one in home["news"]] == ["2026-02-01", "2026-01-31"]
    assert {*html} >= {urlsplit(one.url).path for one in home["news"]}


FRONT_PAGE = case_files.read("front_page.yaml")


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BoardSummary]:
    """Our boards as the committed documents have them."""
    root = part_of_checkout(tmp_path_factory.mktemp("ours") / "root", *FRONT_PAGE)
    return {one.board.id: BoardSummary(one) for one in read_site(root, root / "home").boards}


@pytest.mark.parametrize("board", FRONT_PAGE)
def test_the_front_page_says_of_our_boards_what_their_leaderboards_say(
    board: str, ours: dict[str, BoardSummary],
) -> None:
    found, wanted = ours[board], FRONT_PAGE[board]
    short = environment(ROOT / "templates").get_template("board-macros.html").module
    shown = {
        "split": found.view and found.view.name, "verdict": text(short.verdict_text(found)),
        "podium": [f"{rank_text(row.rank)} {found.view.title(row.key)} "
                   f"{score(row.values[found.column.id].v, found.column)}"
                   for row in found.systems[:3] + found.beside],
        "best": text(short.best_line(found))}
    assert {name: shown[name] for name in wanted} == wanted


def test_columns_are_counted_by_the_systems_that_they_put_above_their_nulls(
    ours: dict[str, BoardSummary],
) -> None:
    view = ours["explagraphs"].view
    assert view
    found = null_finding([view])
    assert found
    counts = {column: numbers for column, *numbers in found[1]}
    assert counts["StCA"] == [0, 12]
    assert list(counts)[-1] == "StCA"
    assert not {"SA", "SeCA", "EA"} & {*counts}, "nulls keep labels; judges are not fit"
