"""Error anatomy, plots, tags, what can be taken along, the front page: views in, values out."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("jinja2")

from scorer.boards import boards_folder, load
from scorer.scoring.leaderboard.numbers import rank_text
from scorer.scoring.results.leaderboard import path_of, read
from scorer.site.boards.anatomy import part_tables
from scorer.site.boards.board_pages import plot_pages
from scorer.site.boards.leaderboard_page import LeaderboardTable
from scorer.site.boards.leaderboards import Leaderboard, leaderboard_of, leaderboards_of
from scorer.site.home import BoardSummary, chosen, home_context, null_finding
from scorer.site.outputs import folder, publisher_of, result_files, row_files, taken
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.render import environment, score
from scorer.site.views.graphs.view import GraphView
from tests import case_files, node
from tests.browser.tiny_site import GOLD, ROOT, make_judged_root, make_plain_root, rendered, text
from tests.pages import check, shown_on
from tests.values import described

GRAPHS = GraphView()
SAMPLES = "every-eval-ever.samples.jsonl"


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


@pytest.fixture
def known(dev: SplitView) -> Leaderboard:
    return leaderboard_of(dev)


def entry_of(view: SplitView, team: str) -> Entry:
    return next(entry for entry in view.entries if entry.team == team)


def made_files(known: Leaderboard) -> Iterator[str]:
    """Where the made files of all rows lie."""
    publisher = publisher_of("https://example.org/", "2026-01-02")
    for entry in known.view.entries:
        for name in row_files(publisher, known, entry):
            yield folder(known.view, entry) + name


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


def test_a_board_without_labels_has_no_gate_for_them(tmp_path: Path) -> None:
    root = make_plain_root(tmp_path / "root")
    view = read_site(root, root / "home").boards[0].splits[0]
    assert [gate.text for gate in GRAPHS.gates(view, entry_of(view, "fair-team"))] == [
        "items of the split", "with a correct structure too"]
    assert "label" not in [division.by.id for division in view.divisions]


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
    site: SiteView, known: Leaderboard, html: dict[str, str],
) -> None:
    [page] = plot_pages(site.boards[0], known)
    assert page.path == "boards/tiny/dev/plots/"
    measured = [column for column in known.document.columns if not column.unmeasured]
    assert page.context["columns"] == measured
    assert html[page.path].count("data-value=") == 3 * len(measured)


def test_rows_published_elsewhere_are_drawn_too(html: dict[str, str]) -> None:
    page = html["boards/tiny/test/plots/"]
    assert ('data-kind="human"' in page, 'data-kind="reported"' in page) == (True, True)


# ---- what can be taken along -------------------------------------------------------------------


def table(view: SplitView) -> LeaderboardTable:
    return LeaderboardTable(leaderboard_of(replace(view, document=None)))


def test_tags_divide_the_rows(dev: SplitView) -> None:
    assert table(dev).tags == {"submitted": 2, "reference": 1}
    saw = tuple(described(entry, saw_dev_gold=entry.team == "fair-team") for entry in dev.entries)
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
        words = {one.words for one in taken(few, entry)}
        assert {"result", "item by item", "badge", "Every Eval Ever"} <= words
        assert {"predictions", "its samples"}.isdisjoint(words) == (entry is not first)
    samples = [path for path in made_files(leaderboard_of(few)) if path.endswith(SAMPLES)]
    assert samples == [f"data/tiny/dev/{first.slug}/{SAMPLES}"]


def test_every_file_that_a_row_offers_is_made_or_lies_there(site: SiteView) -> None:
    for known in leaderboards_of(site).values():
        made = {*made_files(known)}
        for entry in known.view.entries:
            offered = {one.path for one in taken(known.view, entry)}
            place = folder(known.view, entry)
            there = {place + name for path, name in result_files(known.view, entry)
                     if path.is_file()}
            assert offered == there | {path for path in made if path.startswith(place)}
            assert place + SAMPLES in offered


def test_a_local_preview_offers_its_result_alone(dev: SplitView) -> None:
    own = replace(entry_of(dev, "fair-team"), preview=True)
    view = replace(dev, entries=tuple(
        own if entry.key == own.key else entry for entry in dev.entries))
    assert [one.words for one in taken(view, own)] == ["result"]
    assert [name for _, name in result_files(view, own)] == ["result.json"]
    assert {path.split("/")[3] for path in made_files(leaderboard_of(view))} == {
        entry.slug for entry in dev.entries if entry.key != own.key}


def test_without_public_gold_no_samples_are_offered(dev: SplitView) -> None:
    offered = taken(replace(dev, golds=()), entry_of(dev, "fair-team"))
    assert {"its samples", "Every Eval Ever"} & {one.words for one in offered} == {
        "Every Eval Ever"}


# ---- the front page ----------------------------------------------------------------------------


def test_home_has_the_verdict_first_systems_and_news_of_the_split_with_systems(
    site: SiteView, html: dict[str, str],
) -> None:
    home = home_context(site, leaderboards_of(site))
    (one,) = home["groups"]["main"]
    assert (home["main"], one.view.name, one.column.id) == (one, "dev", "StCA")
    assert one.systems[0].key == "fair-team/chains"
    assert [row.kind for row in one.beside] == ["reference"]
    front = environment(ROOT / "templates").get_template("home-boards.html").render(home, root="")
    assert one.verdict[0] in front
    assert [one.updated[:10] for one in home["news"]] == ["2026-02-01", "2026-01-31"]
    assert {*html} >= {urlsplit(one.url).path for one in home["news"]}


def of_board(board: str) -> BoardSummary:
    """A board of ours as the committed document has it."""
    view = load(boards_folder() / board)
    splits = tuple(SplitView(view, name) for name in view.splits)
    known = {one.path: Leaderboard(one, read(path)) for one in splits
             if (path := path_of(ROOT / "results", board, one.name)).is_file()}
    return BoardSummary(BoardView(view, splits), chosen(BoardView(view, splits), known))


FRONT_PAGE = case_files.read("front_page.yaml")


@pytest.mark.parametrize("board", FRONT_PAGE)
def test_the_front_page_says_of_our_boards_what_their_leaderboards_say(board: str) -> None:
    found, wanted = of_board(board), FRONT_PAGE[board]
    short = environment(ROOT / "templates").get_template("board-macros.html").module
    shown = {
        "split": found.view and found.view.name, "verdict": text(short.verdict_text(found)),
        "podium": [f"{rank_text(row.rank)} {found.known.title(row.key)} "
                   f"{score(row.values[found.column.id].v, found.column)}"
                   for row in found.systems[:3] + found.beside],
        "best": text(short.best_line(found))}
    assert {name: shown[name] for name in wanted} == wanted


def test_columns_are_counted_by_the_systems_that_they_put_above_their_nulls() -> None:
    known = of_board("explagraphs").known
    assert known
    found = null_finding([known])
    assert found
    counts = {column: numbers for column, *numbers in found[1]}
    assert counts["StCA"] == [0, 12]
    assert list(counts)[-1] == "StCA"
    assert not {"SA", "SeCA", "EA"} & {*counts}, "nulls keep labels; judges are not fit"
