"""A leaderboard of known numbers, from results to its pages: ranks, pairs, changes, names."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer.core.records import ItemScore, Share
from scorer.core.results import MetricValue
from scorer.models.judge_card import GOLD as HELD_OUT
from scorer.models.judge_card import REFUSED, Evaluation
from scorer.scoring.judging import JudgeErrors, Judges, KnownJudge, band
from scorer.scoring.results.leaderboard import LeaderboardDocument, from_bytes, to_bytes
from scorer.scoring.results.reproduce import commands
from scorer.scoring.results.signature import short
from scorer.site.boards.compare_pages import compare_pages, compare_path
from scorer.site.boards.leaderboard_page import Cell, LeaderboardTable, ShownRow
from scorer.site.boards.system_page import integrity_flags
from scorer.site.exports import leaderboard_csv
from scorer.site.reading.read import read_site
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.statistics import intervals
from tests.browser.test_canaries import Parsed
from tests.browser.tiny_site import SECA, rendered, seca_card
from tests.browser.wide_site import ITEMS, NAMELESS, REASON, RIGHT
from tests.ci_world import git
from tests.pages import check, shown_on
from tests.values import metric_value

pytestmark = pytest.mark.whole

STRONG, CLOSE, NEAR, THIRD = (
    "alpha-team/strong", "beta-team/close", "gamma-team/near", "delta-team/third")
NULL = "reference/null"
BLANK = "\u00a0"
PAGE = "boards/wide/dev/"
LABELS = (("support", "counter"), ("counter", "support"))


@pytest.fixture(scope="module")
def html(wide_site: SiteView) -> dict[str, str]:
    assert not wide_site.warnings
    return rendered(wide_site)


@pytest.fixture(scope="module")
def board(wide_site: SiteView) -> BoardView:
    return wide_site.boards[0]


@pytest.fixture(scope="module")
def dev(board: BoardView) -> SplitView:
    return board.splits[0]


@pytest.fixture(scope="module")
def known(dev: SplitView) -> LeaderboardDocument:
    return dev.document


def entry(view: SplitView, key: str) -> Entry:
    return next(entry for entry in view.entries if entry.key == key)


def changed(view: SplitView, change: Callable[[Entry], Entry]) -> SplitView:
    return replace(view, written=None, entries=tuple(change(entry) for entry in view.entries))


def with_metric(entry: Entry, name: str, value: MetricValue) -> Entry:
    metrics = {**entry.result.metrics, name: value}
    return replace(entry, result=entry.result.replace(metrics=metrics))


def resigned(entry: Entry, name: str, old: str, new: str) -> Entry:
    """The row with another signature of a value."""
    value = entry.result.metrics[name]
    return with_metric(entry, name, value.replace(signature=value.signature.replace(old, new)))


def table(view: SplitView) -> LeaderboardTable:
    return LeaderboardTable(view)


def cells(view: SplitView, line: ShownRow) -> list[Cell]:
    return [table(view).cell(line, column) for column in table(view).columns]


@shown_on("wide")
def test_a_page_shows(case: Mapping[str, Any], html: dict[str, str]) -> None:
    check(case, html)


# ---- ranks ---------------------------------------------------------------------------------


def test_a_rank_is_an_interval_of_the_best_row_of_each_team(known: LeaderboardDocument) -> None:
    """6 to 0 (p = .031) does not count by Holm, where it would need .05 / 2."""
    hidden = next(key for key in known.by_key if key.startswith("anonymous/"))
    assert {key: row.rank for key, row in known.by_key.items() if row.rank} == {
        STRONG: [1, 3], CLOSE: [1, 4], NEAR: [1, 4], THIRD: [2, 4], hidden: [5, 5]}
    assert {key: row.unranked for key, row in known.by_key.items() if not row.rank} == {
        "alpha-team/weaker": "another row of its team is better",
        "omega-team/gone": "withdrawn", "reference/null": None}
    # Neighbours differ on 2, 2, 4 and 80 items: fewer than six tell nothing.
    assert known.by_id["StCA"].gap == 6 / ITEMS == .05


def test_a_document_that_was_not_written_again_is_not_shown(
    dev: SplitView, known: LeaderboardDocument,
) -> None:
    value = known.by_key[STRONG].values["StCA"].v
    for other in (0.01, value):
        written = from_bytes(to_bytes(known).replace(
            f'"StCA":{{"v":{value}'.encode(), f'"StCA":{{"v":{other}'.encode()).replace(
            b'"Strong"', b'"Written"'), "")
        found = replace(dev, written=written).document.by_key[STRONG]
        assert found.values["StCA"].v == value
        assert (found.title == "Written") == (other == value)


@pytest.mark.claim("Rows with different signatures are never ranked together.")
def test_rows_with_other_signatures_stand_apart_and_have_ranks_among_themselves_in_a_column_alone(
    dev: SplitView,
) -> None:
    view = changed(dev, lambda one: resigned(one, "StCA", "scorer:", "scorer:0.0.9-of-")
                   if one.key in (NEAR, THIRD) else one)
    found = view.document
    assert found.pair(STRONG, NEAR) is None
    systems, second, *rest = table(view).groups
    assert second.title == "Not comparable with the rows above"
    assert second.note.startswith("scorer 0.0.9-of-")
    assert [(line.row.key, line.row.rank, line.row.unranked) for line in second.lines if line.row
            ] == [(key, None, "not comparable with the ranked rows") for key in (NEAR, THIRD)]
    assert {tuple(found.by_key[key].values["StCA"].rank or ()) for key in (NEAR, THIRD)} == {(1, 2)}
    assert sum(bool(line.row and line.row.rank) for line in systems.lines) == 3
    assert [group.title for group in rest] == [
        "Withdrawn", "Reference points", "Published elsewhere, not comparable item by item"]


def test_a_value_of_another_signature_in_a_column_is_marked(dev: SplitView) -> None:
    view = changed(dev, lambda one: resigned(one, "GED", "golds:1", "golds:2")
                   if one.key == STRONG else one)
    first, second, *_ = table(view).groups[0].lines
    assert first.row
    assert first.row.rank, "ranks are by StCA, which is comparable"
    why = "not comparable with most of the column: golds 2 instead of 1"
    assert [cell.note for cell in cells(view, first)] == ["", "", "", why]
    assert not any(cell.note for cell in cells(view, second))


# ---- intervals -----------------------------------------------------------------------------


def test_each_value_has_its_interval_and_how_it_was_made(known: LeaderboardDocument) -> None:
    right = RIGHT["alpha-team", "strong"] + 1
    wilson = intervals.proportion(right, ITEMS)
    value = known.by_key[STRONG].values["StCA"]
    assert (value.v, value.ci, value.method) == (
        right / ITEMS, [wilson.low, wilson.high], "wilson")
    assert known.by_key[STRONG].values["GED"].method == "wilson-t"


def test_a_released_value_of_hidden_gold_has_the_interval_of_its_nearest_count(
    dev: SplitView,
) -> None:
    released = metric_value(0.9, n=ITEMS, grid=0.01, signature="StCA|board:wide")
    view = changed(dev, lambda one: with_metric(one, "StCA", released)
                   if one.key == STRONG else one)
    found = view.document.by_key[STRONG].values["StCA"]
    wanted = intervals.proportion(108, ITEMS)
    assert (found.ci, found.note) == (
        [wanted.low, wanted.high], "from the released value, as 108 of 120")


def test_results_made_before_intervals_are_shown_without(
    wide_site: SiteView, board: BoardView, dev: SplitView,
) -> None:
    old = entry(dev, STRONG).result.metrics["StCA"].replace(interval=None)
    view = changed(dev, lambda one: with_metric(one, "StCA", old) if one.key == STRONG else one)
    page = rendered(replace(wide_site, boards=(replace(board, splits=(view,)),)), PAGE)[PAGE]
    assert 'aria-label="StCA 90.8, no interval, null 90.8"' in page


def judge_of(accepted: int, refused: int) -> Judges:
    """One that calls so many of 500 right, and of 500 wrong graphs of each label, what they are."""
    gold = {label: {label: accepted, other: 500 - accepted} for label, other in LABELS}
    wrong = {label: {"incorrect": refused, label: 500 - refused} for label, _ in LABELS}
    card = replace(seca_card(), evaluations=(Evaluation(HELD_OUT, "", gold),
                                             Evaluation(REFUSED, "", wrong)))
    return Judges((KnownJudge(card, "judges/x/"),))


def judged(one: Entry, every: int) -> Entry:
    """A row of which the judge accepts all but every so-manieth graph that passed."""
    passed = [item.scores["StCA"].value == 1 for item in one.result.items]
    count = sum(passed) - sum(passed) // every
    items = tuple(replace(item, scores={**item.scores, "SeCA": ItemScore(0.0)})
                  for item in one.result.items)
    value = metric_value(count / ITEMS, passed=count / sum(passed), n=ITEMS,
                        n_passed=sum(passed), signature=f"SeCA|judge:seca-x-{SECA[:12]}")
    return with_metric(replace(one, result=one.result.replace(items=items)), "SeCA", value)


@pytest.mark.parametrize(("accepted", "refused", "every", "text"), [
    (450, 450, 3, None), (90, 90, 3, "unbounded"), (450, 450, 1000, "none fits"),
])
def test_beside_seca_stands_what_the_judge_s_errors_allow(
    accepted: int, refused: int, every: int, text: str | None, dev: SplitView,
) -> None:
    metrics = (*dev.board.metrics, "SeCA")
    view = replace(changed(dev, lambda one: judged(one, every)), judges=judge_of(accepted, refused),
                   board=replace(dev.board, metrics=metrics))
    found = table(view).groups[0].lines[0].values["SeCA"]
    right = RIGHT["alpha-team", "strong"] + 1
    wanted = band(Share(right - right // every, right), right / ITEMS, {"x": JudgeErrors(
        Share(450, 500).interval or (0, 0), Share(50, 500).interval or (0, 0))})
    assert (found.no_band or "").partition(":")[0] == (text or "")
    assert found.band == (None if text else pytest.approx([*wanted]))
    nobody = table(replace(view, judges=Judges(()))).groups[0].lines[0].values["SeCA"]
    assert (nobody.band, nobody.no_band) == (None, None)


# ---- two rows side by side -----------------------------------------------------------------


def test_a_pair_has_one_address_for_both_orders(dev: SplitView) -> None:
    path = "boards/wide/dev/compare/alpha-team--strong--vs--gamma-team--near/"
    assert compare_path(dev, STRONG, NEAR) == compare_path(dev, NEAR, STRONG) == path
    far = compare_path(dev, "omega-team/gone", NULL)
    assert far == "boards/wide/dev/compare/?a=omega-team/gone&b=reference/null"


def test_leading_systems_have_pages_with_each_other_and_their_null(
    dev: SplitView, html: dict[str, str],
) -> None:
    pages = {path for path in html if "--vs--" in path}
    assert pages == {compare_path(dev, *both) for both in dev.document.leading}
    assert len(dev.document.systems) == len(RIGHT) - 2 == 6, "without the null and a withdrawn row"
    assert len(pages) == 6 * 5 // 2 + 6, "all are among the first ten; each has the null"


def test_counts_lead_to_the_browser_where_it_has_both_rows(
    board: BoardView, dev: SplitView,
) -> None:
    view = changed(dev, lambda one: replace(one, predictions=()) if one.key == NULL else one)
    any_two, *names = (page.names for page in compare_pages(board, view))
    assert any_two["listed"] == {one.key for one in view.entries} - {NULL}
    assert {page["b"]: page["listed"] for page in names if page["a"] == STRONG
            and page["b"] in (NEAR, NULL)} == {NEAR: True, NULL: False}


def test_a_difference_is_that_of_the_document_turned_round_where_needed(
    known: LeaderboardDocument,
) -> None:
    d, low, high, p, wins, losses = known.close["GED"].tri[0]
    a, b = known.close["GED"].rows[:2]
    assert None not in (d, low, high, p)
    assert known.difference("GED", a, b) == [d, low, high, p, wins, losses]
    assert known.difference("GED", b, a) == (-(d or 0), -(high or 0), -(low or 0), p, losses, wins)
    assert known.difference("GED", a, "omega-team/gone") is None


# ---- changes, errata, withdrawal -----------------------------------------------------------


def test_a_withdrawn_row_says_why_and_its_words_are_text(html: dict[str, str]) -> None:
    for path in (PAGE, "boards/wide/changes/", "boards/wide/systems/omega-team--gone/"):
        assert REASON in Parsed(html[path]).foreign
        assert "<img" not in html[path]


# ---- anonymous rows ------------------------------------------------------------------------


def test_an_anonymous_team_is_named_nowhere(html: dict[str, str], dev: SplitView) -> None:
    pairs = [path for path in html if "--vs--" in path and "hidden" in path]
    assert len(pairs) > 1
    assert all("anonymous--hidden-" in path and "secret" not in path for path in pairs)
    for path, page in html.items():
        assert NAMELESS not in page, path
        assert "example.org/secret" not in page
        shown = "".join(text for text, within in Parsed(page).texts if "pre" not in within)
        assert "secret-folder" not in shown, path
    files = (leaderboard_csv(dev) + to_bytes(dev.document)).decode()
    assert '"anonymous_until":"2999-01-01"' in files
    assert NAMELESS not in files
    assert "secret" not in files


def broken(path: Path) -> None:
    path.write_text("system: [", "utf-8")


def led_elsewhere(path: Path) -> None:
    """A description that can be read, of a named team, to which a link leads."""
    other = path.rename(path.parents[4] / "other.yaml")
    other.write_text(other.read_text("utf-8").replace("anonymous_until", "seeds"), "utf-8")
    path.symlink_to(other)


@pytest.mark.parametrize("lost", [None, Path.unlink, broken, led_elsewhere])
@pytest.mark.parametrize(("day", "named"), [("2026-02-28", False), ("2026-03-01", True)])
def test_a_team_is_named_from_its_day_on_the_day_being_that_of_the_commit(
    day: str, named: bool, lost: Callable[[Path], None] | None, wide_root: Path, tmp_path: Path,
) -> None:
    """Whether it says so in its submission or, where that says nothing, beside its result."""
    copy = shutil.copytree(wide_root, tmp_path / "root")
    path = copy / "submissions/wide/secret-folder/hidden/submission.yaml"
    path.write_text(path.read_text("utf-8").replace("2999-01-01", "2026-03-01"), "utf-8")
    if lost:
        shutil.copy(path, copy / "results/wide/secret-folder/hidden")
        lost(path)
    git(copy, "init", "--quiet")
    git(copy, "add", "submissions")
    git(copy, "commit", "--quiet", "--message=Start",
        env={f"GIT_{who}_DATE": f"{day}T12:00:00Z" for who in ("COMMITTER", "AUTHOR")})
    [view] = read_site(copy, copy / "home").boards[0].splits
    row = entry(view, "secret-folder/hidden")
    assert (row.by, row.name, bool(row.about.links)) == (
        (NAMELESS, "secret-folder/hidden", True) if named else
        ("anonymous until 2026-03-01", "anonymous/hidden", False))
    [found] = [one for one in view.document.rows
               if one.key.startswith("anonymous/hidden-")]
    assert (found.title, found.anonymous_until, bool(found.links)) == (
        (row.title, None, True) if named else (None, "2026-03-01", False))


# ---- the page of a system ------------------------------------------------------------------


def test_each_value_has_both_forms_of_its_signature_and_the_commands_are_there(
    dev: SplitView, html: dict[str, str],
) -> None:
    result, page = entry(dev, STRONG).result, html["boards/wide/systems/alpha-team--strong/"]
    for value in result.metrics.values():
        assert f"<code>{value.signature}</code>" in page
        assert f"<code>{short(value.signature)}</code>" in page
    assert "\n".join(commands(dev.board, result)) in page


def test_the_page_of_a_system_does_not_compare_its_whole_row_with_those_of_others(
    wide_site: SiteView, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a thousand rows that took half a minute."""
    monkeypatch.setattr(Entry, "__eq__", lambda *_: pytest.fail("rows are compared"))
    page = "boards/wide/systems/reference--null/"
    assert "predictions.tsv" in rendered(wide_site, page)[page]


def test_flags_name_their_rows_and_leave_reference_rows_alone(
    board: BoardView, html: dict[str, str],
) -> None:
    found = integrity_flags(board)
    assert {key for _, key in found} == {f"{team}/{system}" for team, system in RIGHT
                                         if team != "reference"}
    [own] = [flag for flag in found["dev", STRONG] if flag.id == "own-gold"]
    assert own.raised
    page = html["boards/wide/systems/alpha-team--strong/"]
    assert own.says in page
    assert own.does_not_say in page


def test_flags_say_nothing_of_the_null_below_a_hundred_items(board: BoardView) -> None:
    few = changed(board.splits[0], lambda one: replace(one, result=one.result.replace(
        metrics={name: value.replace(n=99) for name, value in one.result.metrics.items()})))
    found = integrity_flags(replace(board, splits=(few,)))
    assert not [flag for flags in found.values() for flag in flags if flag.id == "null"]
