"""What a reader learns of how sure numbers are: ranks, intervals, comparisons, changes."""

import csv
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from scorer.metrics.catalogue import METRICS
from scorer.models.judge_card import GOLD as HELD_OUT
from scorer.models.judge_card import REFUSED, Evaluation
from scorer.records import ItemScore, MetricValue
from scorer.results import files as results
from scorer.results.leaderboard import Column, to_bytes
from scorer.results.reproduce import commands
from scorer.results.signature import short
from scorer.scoring.judging import JudgeRef, KnownJudge
from scorer.scoring.leaderboard.values import interval_of, judge_band
from scorer.scoring.leaderboard.verdict import NO_SYSTEM
from scorer.share import Share
from scorer.statistics import intervals
from scorer.statistics.judge_band import JudgeErrors, band_of_any_mix
from scorer.website.boards.changes import changes, steps
from scorer.website.boards.comparing import pair_cell
from scorer.website.boards.flags import integrity_flags
from scorer.website.boards.leaderboard_page import LeaderboardTable
from scorer.website.boards.leaderboards import Leaderboard, leaderboard_of
from scorer.website.exports.tables import leaderboard_csv
from scorer.website.reading.read import read_site
from scorer.website.records import BoardView, Entry, SiteView, SplitView
from scorer.website.render import score
from tests.browser.test_canaries import Parsed
from tests.browser.tiny_site import rendered, seca_card
from tests.browser.wide_site import ITEMS, NAMELESS, REASON, RIGHT, make_wide_root

pytestmark = pytest.mark.whole

STRONG, NEAR = "alpha-team/strong", "gamma-team/near"
LABELS = (("support", "counter"), ("counter", "support"))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wide_root(tmp_path_factory.mktemp("wide") / "root")


@pytest.fixture(scope="module")
def site(root: Path) -> SiteView:
    read = read_site(root, root / "home")
    assert not read.warnings
    return read


@pytest.fixture(scope="module")
def html(site: SiteView) -> dict[str, str]:
    return rendered(site)


@pytest.fixture
def board(site: SiteView) -> BoardView:
    return site.boards[0]


@pytest.fixture
def dev(board: BoardView) -> SplitView:
    return board.splits[0]


@pytest.fixture
def known(dev: SplitView) -> Leaderboard:
    return leaderboard_of(dev)


def order(known: Leaderboard) -> Column:
    assert known.order is not None
    return known.order


def ranks(known: Leaderboard) -> dict[str, list[int]]:
    return {row.key: [int(one) for one in row.rank] for row in known.document.rows if row.rank}


def entry(view: SplitView, key: str) -> Entry:
    return next(entry for entry in view.entries if entry.key == key)


def changed(view: SplitView, change: Callable[[Entry], Entry]) -> SplitView:
    return replace(view, entries=tuple(change(entry) for entry in view.entries), document=None)


def with_metric(entry: Entry, name: str, value: MetricValue) -> Entry:
    metrics = {**entry.result.metrics, name: value}
    return replace(entry, result=replace(entry.result, metrics=metrics))


# ---- ranks ---------------------------------------------------------------------------------


def test_a_place_is_an_interval_and_being_tied_goes_no_further(known: Leaderboard) -> None:
    hidden = next(key for key in known.rows if key.startswith("anonymous/hidden-"))
    assert ranks(known) == {
        "alpha-team/strong": [1, 3], "beta-team/close": [1, 4], "gamma-team/near": [1, 4],
        "delta-team/third": [2, 4], hidden: [5, 5],
    }, "6 to 0 (p = .031) does not count by Holm, where it would need .05 / 2"


def test_a_team_s_second_row_a_reference_and_a_withdrawn_row_have_no_place(
    known: Leaderboard,
) -> None:
    assert {"alpha-team/weaker", "reference/null", "omega-team/gone"}.isdisjoint(ranks(known))
    assert known.rows["alpha-team/weaker"].unranked == "another row of its team is better"
    assert known.rows["omega-team/gone"].unranked == "withdrawn"


def test_the_smallest_gap_is_told_from_the_items_on_which_neighbours_differ(
    known: Leaderboard,
) -> None:
    """Neighbours differ on 2, 2, 4 and 80 items: fewer than six tell nothing."""
    assert order(known).gap == 6 / ITEMS


@pytest.mark.parametrize(("change", "because"), [
    (lambda view: replace(view, board=replace(view.board, practice=True)),
     "this is a practice board"),
    (lambda view: replace(view, board=replace(view.board, splits={
        "dev": replace(view.split, gold="hidden")})), "the gold is hidden"),
    (lambda view: replace(view, board=replace(view.board, splits={
        "dev": replace(view.split, rows=99)})), "99 items are too few (100 needed)"),
    (lambda view: changed(view, lambda one: replace(one, result=replace(one.result, items=()))),
     "no system here has scores of items"),
    (lambda view: changed(view, lambda one: one if one.key == STRONG else
                          replace(one, result=replace(one.result, items=()))),
     "only one system here has scores of items, and ranks take two"),
    (lambda view: changed(view, lambda one: one if one.key == STRONG
                          else replace(one, withdrawn="gone")),
     "only one system here can be ranked, and ranks take two"),
    (lambda view: changed(view, lambda one: replace(one, is_system=one.key == STRONG)),
     "only one system here can be ranked, and ranks take two"),
])
def test_where_nobody_has_a_place_the_reason_is_told(
    change: Callable[[SplitView], SplitView], because: str, dev: SplitView,
) -> None:
    found = leaderboard_of(replace(change(dev), document=None))
    assert not ranks(found)
    assert order(found).gap is None
    assert because in (order(found).no_ranks or "")


def test_a_row_that_is_no_system_says_so_and_the_others_are_ranked(dev: SplitView) -> None:
    found = leaderboard_of(changed(dev, lambda one: replace(one, is_system=one.key != NEAR)))
    assert found.rows[NEAR].unranked == NO_SYSTEM
    assert NEAR not in ranks(found)
    assert STRONG in ranks(found)


def test_a_row_without_scores_of_items_says_so_and_the_others_are_ranked(dev: SplitView) -> None:
    found = leaderboard_of(changed(dev, lambda one: replace(one, result=replace(
        one.result, items=())) if one.key == NEAR else one))
    assert found.rows[NEAR].unranked == "no scores of items"
    assert NEAR not in ranks(found)
    assert len(ranks(found)) == 4


def test_a_document_that_was_not_written_again_is_not_shown(
    dev: SplitView, tmp_path: Path,
) -> None:
    found = to_bytes(leaderboard_of(dev).document).decode()
    value = leaderboard_of(dev).rows[STRONG].values["StCA"].v
    path = tmp_path / dev.board.id / f"leaderboard.{dev.name}.json"
    path.parent.mkdir()
    path.write_text(found.replace(f'"StCA":{{"v":{value}', '"StCA":{"v":0.01'), "utf-8")
    assert path.read_text("utf-8") != found
    plain = replace(dev, document=None)
    assert leaderboard_of(plain, tmp_path).rows[STRONG].values["StCA"].v == value


@pytest.mark.claim("Rows with different signatures are never ranked together.")
def test_rows_with_other_signatures_stand_apart_and_have_ranks_among_themselves_in_a_column_alone(
    dev: SplitView,
) -> None:
    others = {"gamma-team/near", "delta-team/third"}

    def older(one: Entry) -> Entry:
        value = one.result.metrics["StCA"]
        signature = value.signature.replace("scorer:", "scorer:0.0.9-of-")
        return one if one.key not in others else with_metric(
            one, "StCA", replace(value, signature=signature))

    found = leaderboard_of(changed(dev, older))
    first, *rest = LeaderboardTable(found).groups
    [second, *_] = [one for one in rest if one.note.startswith("scorer ")]
    assert {line.key for line in second.lines} == others
    assert second.note.startswith("scorer 0.0.9-of-")
    assert not first.note
    assert {tuple(found.rows[key].values["StCA"].rank or ()) for key in others} == {(1, 2)}
    assert {found.rows[key].unranked for key in others} == {"not comparable with the ranked rows"}
    assert len(ranks(found)) == 3
    assert STRONG in ranks(found)
    assert pair_cell(found, STRONG, NEAR) is None


def test_a_signature_that_is_none_leaves_the_row_out(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "root"
    shutil.copytree(root, copy)
    path = copy / "results/wide/beta-team/close/dev.json"
    said = json.loads(path.read_text("utf-8"))
    said["metrics"]["GED"]["signature"] = "no signature"
    path.write_text(json.dumps(said), "utf-8")
    read = read_site(copy, copy / "home")
    assert "beta-team/close" not in [one.key for one in read.boards[0].splits[0].entries]
    assert "close/dev.json: no signature" in read.warnings[0]


# ---- intervals -----------------------------------------------------------------------------


def test_each_value_stands_with_its_interval_and_how_it_was_made(
    dev: SplitView, known: Leaderboard, html: dict[str, str],
) -> None:
    found = known.rows[STRONG].values["StCA"]
    right = RIGHT["alpha-team", "strong"] + 1
    wilson = intervals.proportion(right, ITEMS)
    assert wilson.low is not None
    assert found.v == right / ITEMS
    assert (found.ci, found.method) == ([wilson.low, wilson.high], "wilson")
    value = entry(dev, STRONG).result.metrics["StCA"]
    page = html["boards/wide/systems/alpha-team--strong/"]
    assert f"{100 * wilson.low:.1f}\u2013{score(wilson.high, 'StCA')}" in page
    assert (f"Wilson; clustered SE {score(value.clustered_se, 'StCA')} over {ITEMS} clusters"
            in page)
    assert known.rows[STRONG].values["G-ROUGE-L"].method == "wilson-t"


def test_a_released_value_of_hidden_gold_has_the_interval_of_its_nearest_count() -> None:
    value = MetricValue("StCA", 0.9, n=ITEMS, grid=0.01, signature="StCA|board:wide")
    assert interval_of(value, METRICS["StCA"]) == intervals.proportion(
        108, ITEMS, "from the released value, as 108 of 120")


RATE = Share(450, 500)


def judge_of(accepted: int, refused: int) -> JudgeRef:
    """Its card: of 500 right and of 500 wrong graphs of each label, how many it calls so."""
    gold = {label: {label: accepted, other: 500 - accepted} for label, other in LABELS}
    wrong = {label: {"incorrect": refused, label: 500 - refused} for label, _ in LABELS}
    card = replace(seca_card(), evaluations=(Evaluation(HELD_OUT, "", gold),
                                             Evaluation(REFUSED, "", wrong)))
    return JudgeRef("judge:x", "x", KnownJudge(card, "judges/x/"))


def judged(one: Entry, every: int) -> Entry:
    """A row of which the judge accepts all but every so-manieth graph that passed."""
    items, seen = [], 0
    for item in one.result.items:
        passed = item.scores["StCA"].value == 1
        seen += passed
        items.append(replace(item, scores={**item.scores, "SeCA": ItemScore(
            float(passed and seen % every != 0))}))
    accepted = sum(item.scores["SeCA"].value for item in items)
    value = MetricValue("SeCA", accepted / ITEMS, passed=accepted / seen, n=ITEMS, n_passed=seen,
                        signature="SeCA|a:b")
    return with_metric(replace(one, result=replace(one.result, items=tuple(items))), "SeCA", value)


@pytest.mark.parametrize(("accepted", "refused", "every", "why_not"), [
    (450, 450, 3, ""), (90, 90, 3, "unbounded"), (450, 450, 1000, "none fits"),
])
def test_beside_seca_stands_what_the_judge_s_errors_allow(
    accepted: int, refused: int, every: int, why_not: str, dev: SplitView,
) -> None:
    metrics = judged(entry(dev, STRONG), every).result.metrics
    value, passing = metrics["SeCA"], metrics["StCA"]
    found = judge_band(value, passing, judge_of(accepted, refused))
    assert found is not None
    if why_not:
        assert found.why_not.partition(":")[0] == why_not
    else:
        assert found == band_of_any_mix(
            Share(round(value.passed * value.n_passed), value.n_passed), passing.value,
            {label: JudgeErrors(RATE.interval, RATE.interval) for label, _ in LABELS})
    assert judge_band(value, passing, None) is None


def test_tables_to_download_say_how_sure_each_number_is(dev: SplitView) -> None:
    known = leaderboard_of(dev)
    first, *_ = csv.DictReader(io.StringIO(leaderboard_csv(known).decode(), newline=""))
    row = known.document.rows[0]
    numbers = row.values["StCA"]
    assert row.rank == numbers.rank == [1, 3]
    assert (first["rank_first"], first["rank_last"]) == ("1", "3")
    assert numbers.method == "wilson"
    assert numbers.ci is not None
    assert float(first["StCA low"]) == numbers.ci[0]
    assert sum(one.rank is not None for one in known.document.rows) == 5


# ---- changes, errata, withdrawal -----------------------------------------------------------


def test_a_value_computed_again_stands_beside_what_it_was(dev: SplitView) -> None:
    known = leaderboard_of(dev)
    [step] = steps(entry(dev, STRONG), known)
    deltas = {delta.metric: delta for delta in step.changed}
    stca = deltas["StCA"]
    assert (stca.old, stca.new, stca.old_rank, stca.new_rank) == (
        0.75, 109 / ITEMS, (1, 4), (1, 3))
    assert deltas["G-OLD"].new is None
    [change] = changes(known)
    assert change.causes[0].startswith("scorer 0.0.9 -> ")
    assert (change.rows, change.total) == (1, len(step.changed))
    assert not steps(entry(dev, NEAR), known)


def test_the_page_of_changes_has_values_errata_and_withdrawn_rows(html: dict[str, str]) -> None:
    page = Parsed(html["boards/wide/changes/"])
    text = "".join(text for text, _ in page.texts)
    for words in ("75.0", "+15.8", "0.500", "0001-dev-120", "accepted", "from version 1.1 on",
                  "declined", "Taste is no error."):
        assert words in text
    assert REASON in page.foreign


def test_scores_stand_under_both_golds(dev: SplitView, html: dict[str, str]) -> None:
    page = html["boards/wide/systems/alpha-team--strong/"]
    both = page.partition(">With and without errata<")[2].partition("</table>")[0]
    assert "<b>90.8</b>" in both
    assert ">90.0<" in both
    assert (round(100 * 109 / ITEMS, 1), 100 * 108 / ITEMS) == (90.8, 90.0)
    assert "changes/#0001-dev-120" in page


def test_a_withdrawn_row_says_why_and_its_words_are_text(html: dict[str, str]) -> None:
    for path in ("boards/wide/dev/", "boards/wide/systems/omega-team--gone/"):
        assert REASON in Parsed(html[path]).foreign
        assert "<img" not in html[path]
    _, _, withdrawn = html["boards/wide/dev/"].partition(">Withdrawn<")
    assert "omega-team--gone" in withdrawn


# ---- anonymous rows ------------------------------------------------------------------------


def test_an_anonymous_team_is_named_nowhere(html: dict[str, str], dev: SplitView) -> None:
    assert "anonymous until 2999-01-01" in html["boards/wide/dev/"]
    for path, page in html.items():
        assert NAMELESS not in page, path
        assert "example.org/secret" not in page
        shown = "".join(text for text, within in Parsed(page).texts if "pre" not in within)
        assert "secret-folder" not in shown, path
    known = leaderboard_of(dev)
    said = (leaderboard_csv(known) + to_bytes(known.document)).decode()
    assert '"anonymous_until":"2999-01-01"' in said
    assert NAMELESS not in said
    assert "secret" not in said


@pytest.mark.parametrize(("day", "named"), [("2026-02-28", False), ("2026-03-01", True)])
def test_a_team_is_named_from_its_day_on_the_day_being_that_of_the_commit(
    day: str, named: bool, root: Path, tmp_path: Path,
) -> None:
    copy = tmp_path / "root"
    shutil.copytree(root, copy)
    path = copy / "submissions/wide/secret-folder/hidden/submission.yaml"
    path.write_text(path.read_text("utf-8").replace("2999-01-01", "2026-03-01"), "utf-8")
    when = {"GIT_COMMITTER_DATE": f"{day}T12:00:00Z", "GIT_AUTHOR_DATE": f"{day}T12:00:00Z"}
    for words in (["init", "--quiet"], ["add", "submissions"],
                  ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet",
                   "--message=Start"]):
        subprocess.run(["git", *words], cwd=copy, check=True, env={**os.environ, **when})
    [view] = read_site(copy, copy / "home").boards[0].splits
    row = entry(view, "secret-folder/hidden")
    assert row.by == (NAMELESS if named else "anonymous until 2026-03-01")
    assert bool(row.links) == named
    assert row.name == ("secret-folder/hidden" if named else "anonymous/hidden")
    found = leaderboard_of(view, copy / "results").document
    [said] = [one for one in found.rows if one.key.startswith("anonymous/hidden-")]
    assert (said.title, said.anonymous_until) == (
        (row.title, None) if named else (None, "2026-03-01"))
    assert bool(said.links) == named


# ---- the page of a system ------------------------------------------------------------------


def test_each_value_has_both_forms_of_its_signature_and_the_commands_are_there(
    dev: SplitView, html: dict[str, str],
) -> None:
    row = entry(dev, STRONG)
    page = html["boards/wide/systems/alpha-team--strong/"]
    for value in row.result.metrics.values():
        assert f"<code>{value.signature}</code>" in page
        assert f"<code>{short(value.signature)}</code>" in page
    lines = commands(dev.board, row.result)
    assert lines
    assert "\n".join(lines) in page


def test_remarks_are_neutral_name_their_rows_and_leave_reference_rows_alone(
    board: BoardView, html: dict[str, str],
) -> None:
    found = integrity_flags(board)
    assert {key for _, key in found} == {f"{team}/{system}" for team, system in RIGHT
                                         if team != "reference"}
    [own] = [flag for flag in found["dev", STRONG] if flag.id == "own-gold"]
    assert own.raised
    page = html["boards/wide/systems/alpha-team--strong/"]
    assert ">Integrity flags</h3>" in page
    assert "accuse nobody" in page
    assert own.says in page
    assert own.does_not_say in page
    assert f"and {ITEMS - 8} more" in page
    assert ">Integrity flags</h3>" not in html["boards/wide/systems/reference--null/"]


def test_flags_say_nothing_of_the_null_below_a_hundred_items(board: BoardView) -> None:
    few = changed(board.splits[0], lambda one: replace(one, result=replace(
        one.result, metrics={name: replace(value, n=99)
                             for name, value in one.result.metrics.items()})))
    found = integrity_flags(replace(board, splits=(few,)))
    assert not [flag for flags in found.values() for flag in flags if flag.id == "null"]


def test_results_made_before_intervals_are_shown_without(root: Path, dev: SplitView) -> None:
    path = root / "results/wide/alpha-team/strong/dev.json"
    said = json.loads(path.read_text("utf-8"))
    for value in said["metrics"].values():
        for name in ("interval", "clustered_se", "clusters", "versus_null"):
            value.pop(name, None)
    old = replace(entry(dev, STRONG), result=results.from_json(said))
    found = leaderboard_of(changed(dev, lambda one: old if one.key == STRONG else one))
    assert found.rows[STRONG].values["StCA"].ci is None
    assert found.rows[STRONG].values["StCA"].v == old.result.metrics["StCA"].value
