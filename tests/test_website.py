"""From files to pages: what is read, what is said, what is escaped, and that it repeats."""

import gzip
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("jinja2")

from markupsafe import escape

from scorer.boards import boards_folder, known_boards, load
from scorer.boards.reading import main_boards
from scorer.boards.submission import CONSTRAINED
from scorer.core.errors import SubmissionError
from scorer.core.graph import Graph
from scorer.core.results import VersusNull
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import files as results
from scorer.scoring.summary import lift_verdict
from scorer.site.boards.leaderboard_page import LeaderboardTable
from scorer.site.build import build
from scorer.site.pages import default_pair
from scorer.site.reading.read import in_order, read_site
from scorer.site.reading.repository import commit, day_of_commit
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.render import environment, score
from scorer.site.text import shown
from scorer.site.theme import CHARSET, POLICY, SLOT, TITLE, PageLayout, digests, policed
from scorer.site.views.graphs.example import GraphExample, marked_text
from scorer.tasks.graphs.graph_items import Gold
from tests.browser.tiny_site import (
    GOLD,
    ROOT,
    part_of_checkout,
    rendered,
    text,
)
from tests.ci_world import git
from tests.pages import check, shown_on
from tests.values import metric_value, moved

FAIR = "tiny/fair-team/chains"


@pytest.fixture(scope="module")
def html(tiny_site: SiteView) -> dict[str, str]:
    return rendered(tiny_site)


@pytest.fixture
def copy(tiny_root: Path, tmp_path: Path) -> Path:
    """A root that a test may change."""
    return shutil.copytree(tiny_root, tmp_path / "root")


@pytest.fixture
def dev(tiny_site: SiteView) -> SplitView:
    return tiny_site.boards[0].splits[0]


@pytest.fixture
def sly(dev: SplitView) -> Entry:
    return next(entry for entry in dev.entries if entry.team == "sly-team")


@pytest.fixture
def fair(dev: SplitView) -> Entry:
    return next(entry for entry in dev.entries if entry.team == "fair-team")


def entries(site: SiteView) -> dict[str, Entry]:
    """The rows of dev."""
    return {entry.key: entry for entry in site.boards[0].splits[0].entries}


# ---- reading -------------------------------------------------------------------------------


def test_everything_of_a_board_is_read_and_rows_stand_in_the_order_of_the_ranked_metric(
    tiny_site: SiteView, dev: SplitView
) -> None:
    assert not tiny_site.warnings
    assert len(dev.golds) == len(GOLD)
    assert {entry.key: entry.kind for entry in dev.entries} == {
        "sly-team/payloads": "scored", "fair-team/chains": "scored", "reference/null": "reference"}
    assert all(len(entry.predictions) == len(GOLD) for entry in dev.entries)
    values = [entry.result.metrics["StCA"].value or 0 for entry in dev.entries]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(("path", "old", "new", "warning"), [
    (f"submissions/{FAIR}/predictions.dev.tsv", "smoke", "noise",
     "not the file that was scored, so its row is left out; score it again"),
    (f"results/{FAIR}/dev.json", '"schema": ', '"schema": 9', "score the submission again"),
])
def test_a_row_whose_files_do_not_fit_is_left_out_with_a_warning(
    copy: Path, path: str, old: str, new: str, warning: str
) -> None:
    text = (copy / path).read_text("utf-8")
    assert old in text
    (copy / path).write_text(text.replace(old, new), "utf-8")
    site = read_site(copy, copy / "home")
    assert {*entries(site)} == {"sly-team/payloads", "reference/null"}
    [found] = site.warnings
    assert warning in found


@pytest.mark.parametrize(("path", "content", "warning"), [
    ("published.yaml", "schema: 2\n", "boards/tiny/published.yaml:1:9 META-VALUE schema: '2'"),
    ("data/refinement_graphs_dev.tsv", "x\n", "refinement"),
    ("prompts/own/prompt.yaml", "name: <script>\n", None),
])
def test_a_broken_file_of_a_board_stops_no_page(
    copy: Path, path: str, content: str, warning: str | None
) -> None:
    (copy / "boards/tiny" / path).parent.mkdir(parents=True, exist_ok=True)
    (copy / "boards/tiny" / path).write_text(content, "utf-8")
    site = read_site(copy, copy / "home")
    dev, test = site.boards[0].splits
    assert bool(test.sources) == (path != "published.yaml")
    assert not dev.refined
    assert [warning in one for one in site.warnings] == [True] * bool(warning)
    assert "Fair" in rendered(site, "boards/tiny/dev/")["boards/tiny/dev/"]


def test_a_row_whose_predictions_may_not_be_committed_is_described_beside_its_result(
    copy: Path
) -> None:
    meta = (copy / "submissions" / FAIR / "submission.yaml").read_text("utf-8")
    (copy / "results" / FAIR / "submission.yaml").write_text(
        f"{meta}tags: [{CONSTRAINED}]\n", "utf-8")
    shutil.rmtree(copy / "submissions" / FAIR)
    site = read_site(copy, copy / "home")
    fair = entries(site)["fair-team/chains"]
    assert (fair.tags, fair.predictions) == ((CONSTRAINED,), ())
    assert fair.about.description
    assert not site.warnings


def test_without_its_data_a_split_says_how_to_fetch_them_and_keeps_its_rows(copy: Path) -> None:
    (copy / "boards/tiny/data/dev.tsv").unlink()
    page = rendered(read_site(copy, copy / "home"), "boards/tiny/dev/")["boards/tiny/dev/"]
    assert "scorer data fetch tiny" in page
    assert "fair-team" in page


def test_results_and_data_may_lie_in_the_home_folder(copy: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    shutil.move(copy / "boards/tiny/data", home / "data/tiny")
    for name in ("results", "submissions"):
        shutil.move(copy / name, home / name)
    view = read_site(copy, home).boards[0].splits[0]
    assert len(view.comparable) == 3
    assert not view.committed
    assert not any(entry.committed for entry in view.entries)


def test_no_local_result_takes_the_place_of_the_official_numbers(
    copy: Path, tmp_path: Path
) -> None:
    home, official = tmp_path / "home", copy / f"results/{FAIR}/dev.json"
    shutil.copytree(copy / "results", home / "results")
    known = results.read(official)
    unmeasured = {"GED": metric_value(None, "no time", n=4)}
    results.write(known.replace(metrics={**known.metrics, **unmeasured}), copy / "results")
    fair = entries(read_site(copy, home))["fair-team/chains"]
    assert (fair.kind, fair.result_path) == ("scored", official)
    assert fair.result.metrics["GED"].value is None, "though this machine measured it"


def test_a_preview_without_its_predictions_is_left_out_with_a_warning(
    copy: Path, tmp_path: Path
) -> None:
    home, mine = tmp_path / "home", f"results/{FAIR}"
    shutil.move(copy / mine, home / mine)
    (copy / "submissions" / FAIR / "predictions.dev.tsv").unlink()
    site = read_site(copy, home)
    assert "fair-team/chains" not in entries(site)
    assert f"{mine}/dev.json: there is no predictions.dev.tsv" in " ".join(site.warnings)


def test_a_site_has_the_commit_of_git(tmp_path: Path) -> None:
    assert (commit(tmp_path), day_of_commit(tmp_path)) == (None, None)
    git(tmp_path, "init", "--quiet")
    assert (commit(tmp_path), day_of_commit(tmp_path)) == (None, None)
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=One")
    assert commit(tmp_path) == git(tmp_path, "rev-parse", "HEAD")


def test_an_archive_tells_its_commit_and_day_whatever_lies_around_it(tmp_path: Path) -> None:
    """Its folder lies inside another repository, whose day is not its own."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=Another")
    inside = tmp_path / "inside"
    inside.mkdir()
    assert (commit(inside), day_of_commit(inside)) == (None, None)
    for day in ("2026-02-03", None):
        (inside / "COMMIT").write_text("\n".join([40 * "a", day or "", ""]))
        assert (commit(inside), day_of_commit(inside)) == (40 * "a", day)


# ---- which boards a site is about, and their order ----------------------------------------------

KNOWN = ("anlg", "anli", "explagraphs")


@pytest.mark.parametrize(("text", "place", "found"), [
    ("schema: 1\nboards: [anli, gone]\n", "2:16", "gone"),
    ("schema: 1\nboards: [anli, anli]\n", "2:16", "a second time"),
    ("schema: 1\nboards: []\n", "2:9", "0 entries"),
    ("schema: 1\nboard: [anli]\n", "2:1", "unknown field"),
])
def test_a_fault_has_its_position(text: str, place: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text(text)
    with pytest.raises(SubmissionError) as fault:
        main_boards(tmp_path, KNOWN)
    assert f"site.yaml:{place} META-" in str(fault.value)
    assert found in str(fault.value)


def test_main_boards_come_first_in_their_order_then_guests_and_practice_boards_by_title() -> None:
    folder = boards_folder()
    views = [BoardView(load(name, folder), ()) for name in known_boards(folder)]
    main = main_boards(folder, known_boards(folder))
    assert main == ("explagraphs", "anli", "anlg")
    found = in_order(views, main)
    assert [view.board.id for view in found[:4]] == [*main, "copa-sse"]
    groups = [view.group for view in found]
    assert groups == sorted(groups, key=["main", "guest", "practice"].index)
    assert groups.count("main") == 3


def test_without_the_file_every_board_that_is_not_for_practice_is_a_main_one(
    tmp_path: Path
) -> None:
    assert main_boards(tmp_path, KNOWN) is None
    folder = boards_folder()
    found = in_order([BoardView(load(name, folder), ()) for name in ("r4c", "copa-sse",
                                                                     "anli-practice")], None)
    assert [(view.board.title, view.group) for view in found] == [
        ("COPA-SSE", "main"), ("R4C", "main"), ("aNLI practice", "practice")]


# ---- numbers and tables --------------------------------------------------------------------


@shown_on("tiny")
def test_a_page_shows(case: Mapping[str, Any], html: dict[str, str]) -> None:
    check(case, html)


def test_a_leaderboard_names_the_metrics_that_know_no_gate(copy: Path) -> None:
    described = copy / "boards/tiny/board.yaml"
    fields = yaml.safe_load(described.read_text())
    fields["metrics"] += ["Leaves-F1", "Steps-F1"]
    described.write_text(yaml.safe_dump(fields))
    page = rendered(read_site(copy, copy / "home"), "boards/tiny/dev/")["boards/tiny/dev/"]
    assert "scores 0 (GED: 1), except on Leaves-F1, Steps-F1, where every graph counts." in page


def test_a_number_that_was_not_measured_says_why_and_a_column_without_any_is_a_note(
    dev: SplitView
) -> None:
    def unmeasured(*entries: Entry) -> LeaderboardTable:
        """The table after GED of some rows was not measured."""
        value = metric_value(None, "the machine slept", n=4)
        changed = {one.key: replace(one, result=one.result.replace(
            metrics={**one.result.metrics, "GED": value})) for one in entries}
        return LeaderboardTable(replace(dev, written=None, entries=tuple(
            changed.get(one.key, one) for one in dev.entries)))

    table = unmeasured(dev.entries[0])
    [line] = [line for group in table.groups for line in group.lines
              if line.entry and line.entry.key == dev.entries[0].key]
    cell = table.cell(line, table.document.by_id["GED"])
    assert (cell.text, cell.key, cell.hint) == ("\u2013", "", "the machine slept")
    table = unmeasured(*dev.entries)
    assert "GED" not in [column.id for column in (*table.columns, *table.others)]
    assert table.document.by_id["GED"].unmeasured == ["the machine slept"]


@pytest.mark.parametrize(("metric", "value", "null", "p", "n", "word", "text"), [
    ("G-BLEU", 0.30, 0.20, 0.01, 200, "better", "+10.0"),
    ("G-BLEU", 0.30, 0.20, 0.30, 200, "same", "+10.0"),
    ("G-BLEU", 0.30, 0.20, 0.01, 99, "untested", "+10.0"),
    ("G-BLEU", 0.30, 0.20, None, 200, "untested", "+10.0"),
    ("G-BLEU", 0.20, 0.20, 1.00, 200, "equal", "0.0"),
    ("GED", 0.40, 0.60, 0.01, 200, "better", "+0.200"),
    ("GED", 0.60, 0.40, 0.01, 200, "worse", "\u22120.200"),
])
def test_only_a_significant_lift_is_called_better_or_worse(
    metric: str, value: float, null: float, p: float | None, n: int, word: str, text: str
) -> None:
    test = None if p is None else VersusNull(p=p, better=False, test="permutation")
    found = metric_value(value, null=null, n=n, versus_null=test)
    assert lift_verdict(found, METRICS[metric]) == word
    assert score(METRICS[metric].lift(found), metric, signed=True) == text


# ---- examples ------------------------------------------------------------------------------


def example(dev: SplitView, row: int) -> GraphExample:
    return GraphExample(dev.board.settings, dev.golds[row - 1], row)


def test_a_card_names_every_broken_constraint_and_marks_the_culprits(
    dev: SplitView, sly: Entry
) -> None:
    card = example(dev, 2).card(sly)
    assert (card["label_right"], card["item"].verdict.annotation) == (False, "stance_incorrect")
    assert {line.rule for line in card["item"].verdict.broken} >= {"EG-CYCLE", "EG-DISCONNECTED"}
    assert [line.bad for line in card["edges"]] == [True, True, True]
    assert {one.value for _, one in card["scores"]} == {0.0, 1.0}


def test_a_card_of_lines_made_once_is_the_card_of_lines_made_each_time(dev: SplitView) -> None:
    once = environment(ROOT / "templates")
    always = once.overlay()
    always.filters = {**once.filters, "once": lambda macro, *values: macro(*values)}
    for row in range(1, len(GOLD) + 1):
        for entry in dev.comparable:
            card = example(dev, row).card(entry)
            first, again, third = (
                templates.get_template("graphs/card.html").render(
                    card=card, view=dev, root="../", said=None, simulated=False)
                for templates in (once, once, always))
            assert first == again == third
    remembered = once.filters["once"].cache_info()
    assert remembered.hits > remembered.misses > 0


def test_a_prediction_that_is_no_graph_is_still_a_card(dev: SplitView, sly: Entry) -> None:
    card = example(dev, 4).card(sly)
    assert (len(card["edges"]), len(card["missing"])) == (0, 8)
    assert card["unreadable"] == [(1, "o graph at al")], "as the scorer reads it"
    assert "EG-PARTS" in {line.rule for line in card["item"].verdict.broken}


def test_two_golds_are_both_shown_and_the_closer_one_is_compared(
    dev: SplitView, fair: Entry
) -> None:
    first = dev.golds[0]
    second = Graph("(trains; causes; less smoke)(less smoke; causes; clean air)"
                   "(clean air; causes; joy)")
    two = GraphExample(dev.board.settings,
                       Gold(first.texts, first.label, (first.graphs[0], second)), 1)
    assert len(two.gold_cards) == 2
    assert two.card(fair)["compared"] == "gold graph 2, the closer one"
    assert example(dev, 1).card(fair)["compared"] == ""


def test_the_first_pair_is_a_system_and_its_null_if_there_is_one_and_no_preview(
    dev: SplitView, fair: Entry
) -> None:
    null = moved(dev.entries[-1], "reference", f"null-of-{fair.team}-{fair.system}")
    view = replace(dev, entries=(null, fair, *dev.entries))
    assert [one.key for one in default_pair(view)] == [fair.key, null.key]
    view = replace(dev, entries=(replace(fair, preview=True), *dev.entries[1:]))
    assert [one.key for one in default_pair(view)] == ["sly-team/payloads", "reference/null"]


def test_texts_are_escaped_and_whole_words_marked() -> None:
    assert marked_text("Cars & <b>", {"cars": "k0", "b": "km", "c": "kx"}) == (
        '<mark class="k0">Cars</mark> &amp; &lt;<mark class="km">b</mark>&gt;')
    assert "<mark" not in marked_text("İstanbul", {"istanbul": "k0"})


def test_runs_of_combining_marks_and_long_texts_are_shortened_for_show() -> None:
    assert shown("a" + "\u0301" * 500) == "a" + "\u0301" * 4
    assert shown("x" * 9000).endswith("(5,000 more characters)")


# ---- pages ---------------------------------------------------------------------------------


def test_every_rule_has_its_anchor_and_every_metric_its_page(html: dict[str, str]) -> None:
    for rule in CATALOGUE.values():
        page, _, anchor = rule.page.partition("#")
        assert f'id="{anchor}"' in html[page]
    for metric in METRICS.values():
        assert any(escape(metric.definition[:40]) in page for page in html.values()), metric.id


@pytest.mark.claim("The licence of the data stands on the pages that show them.")
def test_the_licence_stands_wherever_data_are_shown(
    tiny_site: SiteView, html: dict[str, str],
) -> None:
    attribution = tiny_site.boards[0].board.attribution.split(",")[0]
    for path in ("boards/tiny/dev/", "boards/tiny/dev/examples/",
                 "boards/tiny/systems/fair-team--chains/"):
        assert attribution in html[path], path


def test_an_index_is_paginated_and_complete(tiny_site: SiteView, dev: SplitView) -> None:
    board = replace(tiny_site.boards[0], splits=(replace(dev, golds=dev.golds * 300),))
    paths = [f"boards/tiny/dev/examples{part}/" for part in ("", "-2", "-3", "-4")]
    html = rendered(replace(tiny_site, boards=(board,)), *paths)
    assert [*html] == paths[:3]
    pages = "".join(html.values())
    assert all(f'href="../{row}/"' in pages for row in (1, 500, 501, 1200))


def test_a_shell_takes_foreign_text_only_where_it_belongs() -> None:
    layout = PageLayout('<title>wb-title-here</title><a href="../../../../x">'
                        '<div id="wb-slot"><h1>wb-slot</h1></div></a>')
    page = layout.moved(2).page("<T>", "wb-title-here {{x}}")
    assert page == '<title>&lt;T&gt;</title><a href="../../x">wb-title-here {{x}}</a>'


def test_a_policy_allows_the_scripts_of_a_theme_at_any_depth_and_none_of_a_body() -> None:
    theme = (f'<head>{CHARSET}<title>{TITLE}</title><script>up("../../../..")</script></head>'
             f"{SLOT}")
    layout = PageLayout(policed(theme)).moved(2)
    page = layout.page("t", "<script>foreign()</script>")
    ours, foreign = digests(page)
    assert page.count(POLICY) == 1
    assert f"script-src 'self' {ours};" in page
    assert foreign not in page
    assert digests(layout.html) == digests('<script>up("../..")</script>') == [ours]


# ---- the build -----------------------------------------------------------------------------


@pytest.mark.site
def test_real_examples_build_and_none_is_missing(data: Path, tmp_path: Path) -> None:
    """All official graphs; a budget of pages and bytes, not of seconds: machines differ."""
    root, home, out = tmp_path / "root", tmp_path / "home", tmp_path / "_site"
    shutil.copytree(data / "explagraphs", home / "data" / "explagraphs")
    part_of_checkout(root, "explagraphs")
    assert build(root, out, home=home).examples == 2368 + 398
    pages = [out / f"boards/explagraphs/train/{row}/index.html" for row in (1, 1000, 2368)]
    assert all("<svg class=\"wb-graph" in page.read_text("utf-8") for page in pages)
    assert max(page.stat().st_size for page in pages) < 13_700
    assert sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) < 72_000_000
    lists = out / "data" / "explagraphs"
    weight = {name: [len(gzip.compress(path.read_bytes())) for path in lists.glob(f"*/{name}.json")]
              for name in ("index", "texts-*")}
    assert len(weight["index"]) == 3
    assert sum(weight["index"]) < 20_000, "fetched at once"
    assert sum(weight["texts-*"]) < 140_000, "fetched for a search"
    page = text((out / "boards/explagraphs/data/index.html").read_text("utf-8"))
    for count, graphs in ((1478, "one graph"), (444, "two graphs"), (446, "three graphs")):
        assert f"{count} items have {graphs}" in page
