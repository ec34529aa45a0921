"""From files to pages: what is read, what is said, what is escaped, and that it repeats."""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

pytest.importorskip("jinja2")

from markupsafe import escape

from scorer.boards.submission import CONSTRAINED
from scorer.core.graph import Graph
from scorer.core.results import VersusNull
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.summary import lift_verdict
from scorer.site.boards.leaderboard_page import LeaderboardTable
from scorer.site.boards.leaderboards import leaderboard_of
from scorer.site.build import build
from scorer.site.examples import default_pair
from scorer.site.layouts.layout import PageLayout
from scorer.site.reading.read import read_site
from scorer.site.reading.repository import commit, day_of_commit, last_changes
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.render import environment, score
from scorer.site.text import shown
from scorer.site.views.graphs.example import GraphExample
from scorer.site.views.graphs.lines import marked_text
from scorer.tasks.graphs.graph_items import Gold
from tests.browser.tiny_site import (
    CLOSE,
    GOLD,
    QUOTE,
    ROOT,
    SCRIPT,
    TEMPLATE,
    make_plain_root,
    make_root,
    part_of_checkout,
    rendered,
)
from tests.ci_world import git
from tests.run_helpers import tree
from tests.values import metric_value, moved


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_root(tmp_path_factory.mktemp("tiny") / "root")


@pytest.fixture(scope="module")
def site(root: Path) -> SiteView:
    return read_site(root, root / "home")


@pytest.fixture(scope="module")
def html(site: SiteView) -> dict[str, str]:
    return rendered(site)


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A root that a test may change."""
    return shutil.copytree(root, tmp_path / "root")


@pytest.fixture
def dev(site: SiteView) -> SplitView:
    return site.boards[0].splits[0]


# ---- reading -------------------------------------------------------------------------------


def test_everything_of_a_board_is_read(site: SiteView, dev: SplitView) -> None:
    assert not site.warnings
    assert len(dev.golds) == len(GOLD)
    assert {entry.key: entry.kind for entry in dev.entries} == {
        "sly-team/payloads": "scored", "fair-team/chains": "scored", "reference/null": "reference"}
    assert all(len(entry.predictions) == len(GOLD) for entry in dev.entries)


def test_rows_stand_in_the_order_of_the_ranked_metric(dev: SplitView) -> None:
    values = [entry.result.metrics["StCA"].value or 0 for entry in dev.entries]
    assert values == sorted(values, reverse=True)


def test_a_row_whose_predictions_are_not_those_scored_is_left_out_with_a_warning(
    copy: Path
) -> None:
    path = copy / "submissions/tiny/fair-team/chains/predictions.dev.tsv"
    path.write_text(path.read_text("utf-8").replace("smoke", "noise"), "utf-8")
    site = read_site(copy, copy / "home")
    assert "chains" not in [entry.system for entry in site.boards[0].splits[0].entries]
    assert site.warnings == (
        "submissions/tiny/fair-team/chains/predictions.dev.tsv: not the file that was scored, so "
        "its row is left out; score it again",)


def test_a_broken_result_never_stops_the_site(copy: Path) -> None:
    (copy / "results/tiny/fair-team/chains/dev.json").write_text('{"schema": 9}', "utf-8")
    site = read_site(copy, copy / "home")
    assert len(site.boards[0].splits[0].entries) == 2
    assert "score the submission again" in site.warnings[0]


def test_a_row_whose_predictions_may_not_be_committed_is_described_beside_its_result(
    copy: Path
) -> None:
    folder, result = copy / "submissions/tiny/fair-team/chains", copy / "results/tiny/fair-team"
    meta = (folder / "submission.yaml").read_text("utf-8")
    (result / "chains/submission.yaml").write_text(f"{meta}tags: [{CONSTRAINED}]\n", "utf-8")
    shutil.rmtree(folder)
    site = read_site(copy, copy / "home")
    [entry] = [one for one in site.boards[0].splits[0].entries if one.system == "chains"]
    assert (entry.tags, entry.predictions) == ((CONSTRAINED,), ())
    assert entry.about.description
    assert not site.warnings


def test_where_a_row_enforces_constraints_scores_among_graphs_that_passed_stand_beside(
    copy: Path
) -> None:
    tag = 'glossary/#constraints-enforced-in-decoding">'
    pages = ("boards/tiny/dev/",
             "boards/tiny/dev/compare/fair-team--chains--vs--sly-team--payloads/",
             "boards/tiny/systems/fair-team--chains/")
    before = rendered(read_site(copy, copy / "home"), *pages)
    assert not any(tag in before[page] or ">constrained<" in before[page] for page in pages)
    with (copy / "submissions/tiny/fair-team/chains/submission.yaml").open("a") as file:
        file.write(f"tags: [{CONSTRAINED}]\n")
    site = read_site(copy, copy / "home")
    after = rendered(site, *pages)
    assert all(tag in after[page] for page in pages[1:])
    assert ">constrained</abbr>" in after[pages[0]]
    [ged] = [one.result.metrics["GED"] for one in site.boards[0].splits[0].entries
             if one.system == "chains"]
    passed = score(ged.passed.value, METRICS["GED"])
    assert f"<td>{passed} ({ged.passed.n} items)" in after[pages[0]]
    assert 'data-tags="submitted constraints-enforced-in-decoding' in after[pages[0]]


def test_without_its_data_a_split_says_how_to_fetch_them(copy: Path) -> None:
    (copy / "boards/tiny/data/dev.tsv").unlink()
    site = read_site(copy, copy / "home")
    html = rendered(site, "boards/tiny/dev/")["boards/tiny/dev/"]
    assert "scorer data fetch tiny" in html
    assert "Fair" in html or "fair-team" in html, "scored rows stay: their totals are known"


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
    home = tmp_path / "home"
    shutil.copytree(copy / "results", home / "results")
    official = copy / "results/tiny/fair-team/chains/dev.json"
    known = results.read(official)
    unmeasured = {"GED": metric_value(None, "no time", n=4)}
    results.write(known.replace(metrics={**known.metrics, **unmeasured}), copy / "results")
    found = read_site(copy, home).boards[0].splits[0].entries
    fair = next(entry for entry in found if entry.system == "chains")
    assert fair.kind == "scored"
    assert fair.result_path == official
    assert fair.result.metrics["GED"].value is None, "though this machine measured it"


def test_a_preview_without_its_predictions_is_left_out_with_a_warning(
    copy: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    mine = "results/tiny/fair-team/chains"
    shutil.move(copy / mine, home / mine)
    (copy / "submissions/tiny/fair-team/chains/predictions.dev.tsv").unlink()
    site = read_site(copy, home)
    assert "chains" not in [entry.system for entry in site.boards[0].splits[0].entries]
    assert f"{mine}/dev.json: there is no predictions.dev.tsv" in " ".join(site.warnings)


def test_the_commit_is_that_of_git_if_there_is_one(tmp_path: Path) -> None:
    assert (commit(tmp_path), day_of_commit(tmp_path)) == (None, None)
    git(tmp_path, "init", "--quiet")
    assert (commit(tmp_path), day_of_commit(tmp_path)) == (None, None)
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=Start")
    assert commit(tmp_path) == git(tmp_path, "rev-parse", "HEAD")


def test_each_result_has_the_commit_that_last_changed_it(tmp_path: Path) -> None:
    assert last_changes(tmp_path, "results") == {}
    git(tmp_path, "init", "--quiet")
    commits = []
    for name, text in (("one", "1"), ("two", "1"), ("one", "2"), ("../other", "1")):
        path = tmp_path / "results" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", f"--message={name}")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    assert last_changes(tmp_path, "results") == {"results/one": commits[2],
                                                 "results/two": commits[1]}


def test_an_archive_tells_its_commit_and_day_whatever_lies_around_it(tmp_path: Path) -> None:
    """Its folder lies inside another repository, whose day is not its own."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=Another")
    inside = tmp_path / "inside"
    inside.mkdir()
    assert (commit(inside), day_of_commit(inside)) == (None, None)
    (inside / "COMMIT").write_text(f"{'a' * 40}\n2026-02-03\n")
    assert (commit(inside), day_of_commit(inside)) == ("a" * 40, "2026-02-03")
    (inside / "COMMIT").write_text(f"{'a' * 40}\n")
    assert (commit(inside), day_of_commit(inside)) == ("a" * 40, None)


# ---- numbers and tables --------------------------------------------------------------------


def test_four_items_give_no_rank_and_the_page_says_why(
    html: dict[str, str], dev: SplitView,
) -> None:
    known = leaderboard_of(dev)
    assert {row.rank for row in known.document.rows} == {None}
    assert known.columns["StCA"].no_ranks == "4 items are too few (100 needed)"
    assert "4 items are too few (100 needed)" in html["boards/tiny/dev/"]


def test_a_leaderboard_names_the_metrics_that_know_no_gate(copy: Path) -> None:
    described = copy / "boards/tiny/board.yaml"
    fields = yaml.safe_load(described.read_text())
    fields["metrics"] += ["Leaves-F1", "Steps-F1"]
    described.write_text(yaml.safe_dump(fields))
    html = rendered(read_site(copy, copy / "home"), "boards/tiny/dev/")["boards/tiny/dev/"]
    assert "scores 0 (GED: 1), except on Leaves-F1, Steps-F1, where every graph counts." in html


def test_published_numbers_stand_apart_in_one_unit(site: SiteView) -> None:
    table = LeaderboardTable(leaderboard_of(site.boards[0].splits[1]))
    [group] = table.groups
    human, other = group.lines
    assert group.title == "Published elsewhere, not comparable item by item"
    assert [table.cell(human, column).text for column in table.columns] == ["91.0", "0.380"]
    assert [table.cell(other, column).text for column in table.columns] == ["50.5", "0.500"]
    assert (human.tags, other.by[:2]) == (("human",), ("@team", "2026"))


def test_a_leaderboard_says_where_published_numbers_are_from(html: dict[str, str]) -> None:
    page = html["boards/tiny/test/"]
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    for words in (f"Second-hand, from {escape(SCRIPT)}", f"which quotes {escape(CLOSE)}",
                  f"Systems: {escape(TEMPLATE)}", f"2026 · {escape(QUOTE)}",
                  f"People lead. {escape(SCRIPT)}"):
        assert " ".join(words.split()) in text
    assert "Papers whose numbers are not yet entered" in page
    assert '<a href="https://example.org/listed"' in page


def test_a_broken_file_of_published_numbers_warns_and_stops_nothing(copy: Path) -> None:
    (copy / "boards/tiny/published.yaml").write_text("schema: 2\n", "utf-8")
    site = read_site(copy, copy / "home")
    assert not site.boards[0].splits[1].sources
    assert "boards/tiny/published.yaml:1:9 META-VALUE schema: '2'" in site.warnings[0]


def test_a_number_that_was_not_measured_says_why(dev: SplitView) -> None:
    entry = dev.entries[0]
    metrics = dict(entry.result.metrics)
    metrics["GED"] = metric_value(None, "the machine slept", n=4)
    changed = replace(entry, result=entry.result.replace(metrics=metrics))
    view = replace(dev, entries=(changed, *dev.entries[1:]), document=None)
    table = LeaderboardTable(leaderboard_of(view))
    [line] = [line for group in table.groups
              for line in group.lines if line.entry and line.entry.key == entry.key]
    cell = table.cell(line, table.board.columns["GED"])
    assert (cell.text, cell.key, cell.hint) == ("\u2013", "", "the machine slept")


def without_ged(dev: SplitView) -> SplitView:
    """The split with a reason in place of every GED."""
    def changed(entry: Entry) -> Entry:
        ged = metric_value(None, "its model is away (SomeError); score with --models fetch", n=4)
        result = entry.result.replace(metrics={**entry.result.metrics, "GED": ged})
        return replace(entry, result=result)

    return replace(dev, entries=tuple(map(changed, dev.entries)))


def test_a_column_without_any_value_becomes_a_note(dev: SplitView) -> None:
    known = leaderboard_of(replace(without_ged(dev), document=None))
    table = LeaderboardTable(known)
    assert "GED" not in [column.id for column in (*table.columns, *table.others)]
    assert known.columns["GED"].unmeasured == [
        "its model is away (SomeError); score with --models fetch"]


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


def test_a_card_names_every_broken_constraint_and_marks_the_culprits(dev: SplitView) -> None:
    sly = next(entry for entry in dev.entries if entry.system == "payloads")
    card = example(dev, 2).card(sly)
    assert not card.label_right
    assert {line.rule for line in card.broken} >= {"EG-CYCLE", "EG-DISCONNECTED"}
    assert [line.bad for line in card.edges] == [True, True, True]
    assert {one.value for _, one in card.scores} == {0.0, 1.0}
    assert card.stopped


def test_a_card_of_lines_made_once_is_the_card_of_lines_made_each_time(dev: SplitView) -> None:
    once = environment(ROOT / "templates")
    always = once.overlay()
    always.filters = {**once.filters, "once": lambda macro, *values: macro(*values)}
    for row, gold in enumerate(dev.golds, 1):
        for entry in dev.comparable:
            card = GraphExample(dev.board.settings, gold, row).card(entry)
            first, again, third = (
                templates.get_template("graphs/card.html").render(
                    card=card, view=dev, root="../", said=None, simulated=False)
                for templates in (once, once, always))
            assert first == again == third
    remembered = once.filters["once"].cache_info()
    assert remembered.hits > remembered.misses > 0


def test_a_prediction_that_is_no_graph_is_still_a_card(dev: SplitView) -> None:
    sly = next(entry for entry in dev.entries if entry.system == "payloads")
    card = example(dev, 4).card(sly)
    assert not card.edges
    assert card.unreadable == ((1, "o graph at al"),), "as the scorer reads it"
    assert len(card.missing) == 8
    assert "EG-PARTS" in {line.rule for line in card.broken}


def test_two_golds_are_both_shown_and_the_closer_one_is_compared(dev: SplitView) -> None:
    first = dev.golds[0]
    second = Graph("(trains; causes; less smoke)(less smoke; causes; clean air)"
                   "(clean air; causes; joy)")
    both = Gold(first.texts, first.label, (first.graphs[0], second))
    two = GraphExample(dev.board.settings, both, 1)
    fair = next(entry for entry in dev.entries if entry.system == "chains")
    assert len(two.gold_cards) == 2
    assert two.card(fair).compared == "gold graph 2, the closer one"
    assert example(dev, 1).card(fair).compared == ""


def test_the_first_pair_is_a_system_and_its_null_if_there_is_one(dev: SplitView) -> None:
    fair = next(entry for entry in dev.entries if entry.system == "chains")
    null = moved(dev.entries[-1], "reference", f"null-of-{fair.team}-{fair.system}")
    view = replace(dev, entries=(null, fair, *dev.entries))
    assert [e.key for e in default_pair(view)] == [fair.key, null.key]


def test_texts_are_escaped_and_whole_words_marked() -> None:
    assert marked_text("Cars & <b>", {"cars": "k0", "b": "km", "c": "kx"}) == (
        '<mark class="k0">Cars</mark> &amp; &lt;<mark class="km">b</mark>&gt;')
    assert "<mark" not in marked_text("İstanbul", {"istanbul": "k0"})


def test_runs_of_combining_marks_are_shortened_for_show() -> None:
    assert shown("a" + "\u0301" * 500) == "a" + "\u0301" * 4
    assert shown("x" * 9000).endswith("(5,000 more characters)")


# ---- pages ---------------------------------------------------------------------------------


def test_every_rule_has_its_anchor_and_every_metric_its_page(html: dict[str, str]) -> None:
    for rule in CATALOGUE.values():
        page, _, anchor = rule.page.partition("#")
        assert f'id="{anchor}"' in html[page]
    for metric in METRICS.values():
        assert any(escape(metric.definition[:40]) in text for text in html.values()), metric.id


def test_ids_of_text_rules_lead_to_their_anchor(html: dict[str, str]) -> None:
    assert 'href="../../../../submit/rules/#eg-text-concepts"' in html[
        "boards/tiny/systems/sly-team--payloads/"]


@pytest.mark.claim("The licence of the data stands on the pages that show them.")
def test_the_licence_stands_wherever_data_are_shown(
    site: SiteView, html: dict[str, str],
) -> None:
    attribution = site.boards[0].board.attribution.split(",")[0]
    for path in ("boards/tiny/dev/", "boards/tiny/dev/examples/",
                 "boards/tiny/systems/fair-team--chains/"):
        assert attribution in html[path], path


def test_an_index_is_paginated_and_complete(site: SiteView, dev: SplitView) -> None:
    many = replace(dev, golds=dev.golds * 300)
    board = replace(site.boards[0], splits=(many,))
    paths = [f"boards/tiny/dev/examples{part}/" for part in ("", "-2", "-3", "-4")]
    html = rendered(replace(site, boards=(board,)), *paths)
    assert [*html] == paths[:3]
    text = "".join(html.values())
    assert all(f'href="../{row}/"' in text for row in (1, 500, 501, 1200))


def test_a_shell_takes_foreign_text_only_where_it_belongs() -> None:
    layout = PageLayout('<title>wb-title-here</title><a href="../../../../x">'
                  '<div id="wb-slot"><h1>wb-slot</h1></div></a>')
    page = layout.moved(2).page("<T>", "wb-title-here {{x}}")
    assert page == '<title>&lt;T&gt;</title><a href="../../x">wb-title-here {{x}}</a>'


# ---- the build -----------------------------------------------------------------------------


@pytest.mark.claim("The same rows and data build the same site, byte for byte.")
@pytest.mark.site
def test_the_same_input_gives_the_same_bytes_and_stale_pages_go(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "_site"
    report = build(root, out, home=root / "home")
    first = tree(out)
    (out / "boards" / "stale").mkdir()
    (out / "boards" / "stale" / "index.html").write_text("old")
    build(root, out, home=root / "home")
    assert tree(out) == first
    assert report.files == len(first)
    assert report.examples == len(GOLD)
    assert not [name for name in first if name.startswith("_/")]
    packed = (out / "data/tiny/dev/sly-team--payloads/0.shard").read_bytes()
    shards = json.loads(gzip.decompress(packed))
    assert set(shards) == {"1", "2", "3", "4"}
    assert "<script>" not in shards["1"]["html"]
    pages = [(out / name).read_text("utf-8") for name in first if name.endswith(".html")]
    assert not any("wb-slot" in page or "wb-title-here" in page for page in pages)
    assert not any("fonts.g" in page or "<div data-wb=\"home" in page for page in pages)
    sitemap = (out / "sitemap.xml").read_text("utf-8")
    assert sitemap.count("<loc>") == sum(name.endswith("index.html") for name in first)


@pytest.mark.site
def test_a_board_of_another_shape_needs_no_code(tmp_path: Path) -> None:
    root = make_plain_root(tmp_path / "root")
    out = tmp_path / "_site"
    report = build(root, out, home=tmp_path / "home")
    assert not report.warnings
    assert report.examples == 2
    html = (out / "boards/plain/dev/1/index.html").read_text("utf-8")
    assert "question" in html
    assert "stance" not in html
    assert html.count("<svg class=\"wb-graph\"") == 2
    assert not (out / "boards/plain/test/index.html").exists(), "no rows, no leaderboard"


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
    html = (out / "boards/explagraphs/data/index.html").read_text("utf-8")
    for number in ("<b>1478</b> items have one graph", "<b>444</b> items have two graphs",
                   "<b>446</b> items have three graphs"):
        assert number in html


def test_rows_scored_against_fewer_golds_have_another_signature() -> None:
    found = documents.read(documents.path_of(ROOT / "results", "explagraphs-practice", "test"))
    apart = {row.key: row.values["StCA"].apart for row in found.rows}
    assert {key: why for key, why in apart.items() if why} == {
        "reference/second-gold": "golds 1 instead of 2"}
