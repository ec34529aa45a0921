"""The leaderboard document: what it holds, what it says, and that committed ones fit their inputs.

Made boards have a tiny graph board's columns; systems are made of item scores that say how many
items each has right.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import Board, known_boards, load
from scorer.boards.submission import CONSTRAINED
from scorer.core.errors import DataError
from scorer.core.records import ItemResult, ItemScore
from scorer.core.records import Verdict as ItemVerdict
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS
from scorer.models import judge_card
from scorer.people.leaderboard import people_in
from scorer.scoring.judging import NOBODY, Judges, KnownJudge
from scorer.scoring.leaderboard.about import About, ScoredRow
from scorer.scoring.leaderboard.files import of_board, write
from scorer.scoring.leaderboard.make import leaderboard
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument
from scorer.statistics.paired import versus_null
from tests.values import made_result, metric_value

ROOT = Path(__file__).parent.parent
N = 200
OPEN = load("explagraphs", ROOT / "boards")
PASSED = OPEN.task.passed
BOARDS = known_boards(ROOT / "boards")


def board(*, rows: int = N, gold: str = "public", practice: bool = False,
          ranking: tuple[str, ...] = ("StCA",)) -> Board:
    split = replace(OPEN.splits["dev"], rows=rows, gold=gold)
    return replace(OPEN, splits={"dev": split}, ranking=ranking, practice=practice, third_party=(),
                   metrics=("StCA", "SeCA", "GED"))


def scored(key: str, right: Sequence[int], *, null: Sequence[int] | None = None,
           distance: Sequence[float] | None = None, judged: float | None = None,
           **about: Any) -> ScoredRow:
    """A row with a 0/1 score for each item, and a distance if one is named."""
    team, system = key.split("/")
    scores: dict[str, Sequence[float]] = {"StCA": right}
    if distance is not None:
        scores["GED"] = distance
    metrics = {name: value(name, found, null if name == "StCA" else None)
               for name, found in scores.items()}
    if judged is not None:
        metrics["SeCA"] = metric_value(judged, n=len(right),
                                      signature=f"SeCA|judge:seca-x-{'a' * 12}")
    items = [ItemResult(at + 1, ItemVerdict(PASSED if right[at] else "stance_incorrect"),
                        {name: ItemScore(found[at]) for name, found in scores.items()})
             for at in range(len(right))]
    result = made_result("explagraphs", "1.0", OPEN.task_name, "dev", {"items": len(right)},
                         metrics, items, team=team, system=system)
    return ScoredRow(About(system.capitalize(), team, **about), result)


def value(name: str, scores: Sequence[float], null: Sequence[float] | None) -> MetricValue:
    metric = METRICS[name]
    told = versus_null(scores, null, binary=metric.binary, better=metric.better) if null else None
    return metric_value(math.fsum(scores) / len(scores), n=len(scores), signature=f"{name}|golds:1",
                       null=math.fsum(null) / len(null) if null else None, versus_null=told)


def first(count: int, n: int = N) -> list[int]:
    """The first ``count`` items right."""
    return [int(at < count) for at in range(n)]


def last(count: int, n: int = N) -> list[int]:
    """The last ``count`` items right."""
    return first(count, n)[::-1]


def made(*rows: ScoredRow, judges: Judges = NOBODY, **how: Any) -> LeaderboardDocument:
    return leaderboard(board(**how), "dev", rows, judges)


def said(found: LeaderboardDocument) -> dict[str, str]:
    return {one.code: one.text.replace("\u00a0", " ") for one in found.verdict.sentences}


CLEAR = [scored("a/best", first(160), null=first(20)), scored("b/second", first(100)),
         scored("c/third", first(60))]


def test_a_clear_winner_is_named_with_the_second_and_its_p() -> None:
    found = made(*CLEAR)
    assert found.verdict.outcome == "winner"
    assert found.verdict.best == ["a/best"]
    assert not found.verdict.tied
    # 60 items only the first has: 2 / 2^60
    assert said(found)["winner"] == ("Best is best on StCA (80.0); Second (50.0) is significantly "
                                     "worse (p < .001).")
    assert [row.rank for row in found.rows] == [[1, 1], [2, 2], [3, 3]]
    assert found.pairs
    assert found.pairs.tri[0][:2] == [60, 0]


def test_a_tied_top_names_no_winner_and_all_who_may_be_first() -> None:
    found = made(scored("a/one", first(100)), scored("b/two", first(98)), scored("c/far", first(9)))
    assert (found.verdict.outcome, found.verdict.tied) == ("tie", ["a/one", "b/two"])
    # two discordant items: 2 * 1/4 = .5
    assert said(found)["tie"] == "One (50.0) and Two (49.0) are not separated on StCA (p = .50)."
    assert "ties" not in said(found), "no third row"


def test_all_are_tied_where_no_pair_is_separated() -> None:
    found = made(*(scored(f"{name}/x", first(100 - at)) for at, name in enumerate("abcde")))
    assert found.verdict.outcome == "tie"
    assert len(found.verdict.tied) == 5
    assert said(found)["tie"].startswith("5 systems (50.0 to 48.0), led by X, are not separated")


def test_tied_is_said_of_no_set_with_a_separated_pair() -> None:
    found = made(*(scored(f"{name}/x", first(100 - 5 * at)) for at, name in enumerate("abcdef")))
    pairs = found.pairs
    assert pairs is not None
    p = dict(zip(combinations(pairs.rows, 2), (cell[3] for cell in pairs.tri), strict=True))
    assert 1 < len(found.verdict.tied) < 6
    assert all((p[both] or 0) > 0.05 for both in combinations(found.verdict.tied, 2))


def apart(row: ScoredRow) -> ScoredRow:
    """The same, scored so that its values compare with nobody's of another signature."""
    metrics = {name: one.replace(signature="StCA|golds:2")
               for name, one in row.result.metrics.items()}
    return replace(row, result=row.result.replace(metrics=metrics))


def test_rows_of_another_signature_have_no_rank_and_are_tied_with_nobody() -> None:
    found = made(*CLEAR, apart(scored("d/other", first(190))), apart(scored("e/more", first(90))))
    assert found.verdict.best == ["a/best"]
    assert {row.key: row.rank for row in found.rows} == {
        "a/best": [1, 1], "b/second": [2, 2], "c/third": [3, 3], "d/other": None, "e/more": None}
    assert {row.unranked for row in found.rows} == {None, "not comparable with the ranked rows"}
    assert said(found)["scope"] == "2 systems scored differently are not compared."


def test_rows_without_pairs_in_the_document_are_not_called_tied() -> None:
    weak = [scored(f"t{at:03}/x", first(20, 100)) for at in range(220)]
    found = made(scored("a/best", first(90, 100)), *weak, rows=100)
    assert (found.verdict.outcome, found.verdict.best) == ("winner", ["a/best"])


def test_a_name_in_a_sentence_keeps_its_direction_to_itself() -> None:
    hebrew = "".join(map(chr, (0x5E9, 0x5DC, 0x5D5, 0x5DD)))
    second = replace(CLEAR[1], about=About(hebrew, "team"))
    text = said(made(CLEAR[0], second, CLEAR[2]))["winner"]
    assert f"\u2068{hebrew}\u2069 (50.0) is significantly worse" in text


def test_a_name_that_reads_like_a_verdict_stands_in_quotes() -> None:
    row = replace(CLEAR[0], about=About("X (99.0) is best on StCA; Y", "team"))
    assert said(made(row, *CLEAR[1:]))["winner"].startswith(
        "\u2068\u201cX (99.0) is best on StCA; Y\u201d\u2069 is best on StCA (80.0)")


def test_previews_and_withdrawn_rows_are_not_called_baselines() -> None:
    one, two, _ = CLEAR
    assert said(made(replace(one, preview=True)))["no-ranks"] == (
        "No system has a rank: scored on this machine only.")
    assert said(made(replace(two, about=replace(two.about, withdrawn="an error"))))["no-ranks"] == (
        "No system has a rank: withdrawn.")


def test_with_too_few_items_nobody_is_said_to_lose_to_the_null() -> None:
    same = [int(at < 10) for at in range(40)]
    found = made(scored("a/x", same, null=same), scored("b/y", same, null=same), rows=40)
    assert [one.code for one in found.verdict.sentences] == ["no-ranks"]


def test_a_system_that_no_null_was_tested_for_is_not_said_to_lose_to_it() -> None:
    found = made(scored("a/best", first(160)), scored("b/second", first(100), null=first(101)))
    assert said(found)["no-lift"].startswith("No tested system beats a meaningless graph")


def test_nobody_is_called_best_where_nobody_beats_the_null() -> None:
    found = made(scored("a/best", first(160), null=first(180)),
                 scored("b/second", first(100), null=first(100)))
    assert found.verdict.outcome == "not enough signal"
    assert found.verdict.best == []
    assert found.verdict.sentences[0].code == "no-lift"
    assert said(found)["no-lift"].startswith(
        "No system beats a meaningless graph on StCA: Best leads with 80.0, its null has 90.0;")


def test_a_leader_without_lift_is_no_winner_though_others_have_one() -> None:
    found = made(scored("a/best", first(160), null=first(160)),
                 scored("b/second", first(100), null=first(10)))
    assert found.verdict.outcome == "not enough signal"
    assert found.verdict.best == []
    assert "leads on StCA (80.0) but does not beat its null (80.0)" in said(found)["lead"]


def test_a_leader_that_cannot_lose_is_compared_where_both_passed() -> None:
    near, far = [0.25 + at % 3 / 10 for at in range(N)], [0.75 - at % 5 / 10 for at in range(N)]
    found = made(scored("a/best", first(190), distance=far, tags=(CONSTRAINED,)),
                 scored("b/second", first(150), distance=near))
    [both] = found.both_passed
    assert (both.column, both.n, both.better) == ("GED", 150, "b/second")
    assert both.d == pytest.approx(sum(far[:150]) / 150 - sum(near[:150]) / 150, abs=1e-9)
    assert said(found)["cannot-lose"] == (
        "The leader cannot break a constraint; where both pass (150 items), Second is better on "
        "GED (p < .001).")


@pytest.mark.parametrize(("rows", "how", "because"), [
    ([scored("a/one", first(100))], {}, "One system so far: One, 50.0 on StCA."),
    ([scored("a/one", first(100), null=first(150))], {},
     "One system so far: One, 50.0 on StCA; it is worse than a meaningless graph (75.0)."),
    ([scored("reference/nearest-neighbour", last(98))], {}, "No system has been scored here yet"),
    ([scored("a/one", first(30, 99)), scored("b/two", first(9, 99))], {"rows": 99},
     "99 items are too few (100 needed)"),
    (CLEAR, {"gold": "hidden"}, "the gold is hidden"),
    (CLEAR, {"practice": True}, "this is a practice board"),
    ([], {}, "it is not measured for any row"),
])
def test_without_ranks_the_reason_is_the_verdict(rows: list[ScoredRow], how: dict[str, Any],
                                                 because: str) -> None:
    found = made(*rows, **how)
    assert found.verdict.outcome == "not enough signal"
    assert found.verdict.best == []
    assert because in said(found)["no-ranks"]
    assert all(row.rank is None for row in found.rows)


def test_a_judge_that_is_not_fit_orders_nothing_and_that_is_said() -> None:
    cards = [one for one in judge_card.find([judge_card.EMBEDDED]) if one.judge == "seca"]
    judges = Judges(tuple(KnownJudge(replace(one, weights="a" * 64), "") for one in cards[:1]))
    rows = [replace_judged(row) for row in CLEAR]
    found = made(*rows, ranking=("SeCA", "StCA"), judges=judges)
    [over] = found.order.passed_over
    assert (found.order.by, over.id) == ("StCA", "SeCA")
    assert over.code in ("judge-unfit", "judge-no-card")
    assert said(found)["scope"].startswith("SeCA would order the rows, but its judge model")
    assert next(one for one in found.columns if one.id == "SeCA").why_not_rank


def replace_judged(row: ScoredRow) -> ScoredRow:
    judged = metric_value(0.5, n=N, signature=f"SeCA|judge:seca-x-{'a' * 12}")
    return replace(row, result=row.result.replace(metrics={**row.result.metrics, "SeCA": judged}))


def test_lower_is_better_for_distances_and_lift_is_positive_where_a_system_is_better() -> None:
    near, far = [0.2 + at % 2 / 10 for at in range(N)], [0.6 + at % 3 / 10 for at in range(N)]
    rows = [scored("a/near", first(10), distance=near), scored("b/far", first(10), distance=far)]
    rows = [replace(row, result=row.result.replace(metrics={
        **row.result.metrics, "GED": value("GED", scores, [0.5] * N)}))
        for row, scores in zip(rows, (near, far), strict=True)]
    found = made(*rows, ranking=("GED",))
    assert [row.key for row in found.rows] == ["a/near", "b/far"]
    assert found.verdict.outcome == "winner"
    assert found.verdict.best == ["a/near"]
    lifts = [row.values["GED"].lift for row in found.rows]
    assert lifts == [pytest.approx(0.25), pytest.approx(0.5 - math.fsum(far) / N)]
    assert "Near is best on GED (0.250)" in said(found)["winner"]


def test_a_simple_baseline_that_a_system_does_not_beat_is_named() -> None:
    found = made(*CLEAR, scored("reference/nearest-neighbour", last(98)))
    row = next(row for row in found.rows if row.kind == "reference")
    assert row.role == "baseline"
    assert row.rank is None
    assert row.unranked is None
    assert "Third is" not in said(found).get("winner", "")
    assert "than a baseline, Nearest-neighbour (49.0)" in said(found)["ties"]


def test_a_name_that_makes_the_null_of_another_does_not_get_it() -> None:
    null = scored("reference/null-of-third-party-t5", first(30))
    found = made(null, scored("third-party/t5", first(150), null=first(30)),
                 scored("third/party-t5", first(140), null=first(10)))
    assert {row.key: row.null for row in found.rows} == {
        "third-party/t5": null.key, "third/party-t5": None, null.key: None}


def test_the_first_stays_first_in_every_half_or_only_in_some() -> None:
    clear, close = made(*CLEAR), made(scored("a/one", first(100)), scored("b/two", last(98)))
    assert clear.verdict.stable
    assert clear.verdict.stable.first == 100
    assert close.verdict.stable
    assert 20 < close.verdict.stable.first < 90
    assert close == made(scored("b/two", last(98)), scored("a/one", first(100))), "no chance in it"


@cache
def many(rows: int) -> LeaderboardDocument:
    """So many rows on 100 items, each better than the next or equal to it, with one null."""
    systems = [scored(f"t{at:03}/x", first(99 - at // 4, 100)) for at in range(rows - 1)]
    return made(*systems, scored("reference/null-of-t240-x", first(1, 100)), rows=100)


def test_beyond_two_hundred_rows_each_has_its_pairs_with_the_row_above_and_its_null() -> None:
    found = many(250).pairs
    assert found
    assert found.more
    assert (len(found.rows), len(found.tri)) == (200, 200 * 199 // 2)
    assert len(found.more) == 50 + 1
    assert found.more[0] == ["t199/x", "t200/x", 1, 0, 1.0]
    # 99 - 240 / 4 = 39 items right, 38 of which the null has not
    assert ["t240/x", "reference/null-of-t240-x", 38, 0, 7.27596e-12] in found.more


def test_beyond_two_hundred_rows_a_document_grows_by_the_same_for_each() -> None:
    sizes = [len(documents.to_bytes(many(rows))) for rows in (242, 246, 250)]
    assert sizes[2] - sizes[1] == pytest.approx(sizes[1] - sizes[0], rel=0.05)


def test_no_row_beyond_the_paired_ones_is_tied_with_a_leader_that_is_better() -> None:
    found = many(250).verdict
    # t100 has 99 - 100 // 4 = 74 items right, none that t000 has not: p = 2 / 2 ** 25 = 6e-8, of
    # at most 248 tests
    assert found.tied[0] == "t000/x"
    assert not {f"t{at:03}/x" for at in range(100, 249)} & set(found.tied)


def test_names_of_an_anonymous_row_are_not_in_it() -> None:
    found = documents.to_bytes(made(CLEAR[0], replace(scored("b/second", first(100)),
        about=About("Secret name", "Secret team", anonymous_until="2999-01-01"))))
    assert b"Secret" not in found
    assert b"b/second" not in found
    assert b'"anonymous_until":"2999-01-01"' in found


def test_a_row_without_scores_of_items_is_shown_and_not_ranked() -> None:
    bare = scored("d/bare", first(150))
    found = made(*CLEAR, replace(bare, result=bare.result.replace(items=())))
    row = next(row for row in found.rows if row.key == "d/bare")
    assert (row.rank, row.unranked) == (None, "no scores of items")
    assert not {one.code: one.holds for one in found.trust}["item-scores"]


def test_every_condition_of_trust_is_stated_either_way() -> None:
    codes = ["items", "item-scores", "judge", "null", "public-gold", "own-rows"]
    for found in (made(*CLEAR), made(*CLEAR, gold="hidden"), made()):
        assert [one.code for one in found.trust] == codes


def test_what_is_no_document_is_refused_with_its_path_and_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.dev.json"
    path.write_bytes(documents.to_bytes(made(*CLEAR)).replace(b'"schema": 2', b'"schema": 1'))
    with pytest.raises(DataError, match=r"leaderboard.dev.json: no .*--leaderboards"):
        documents.read(path)


# ---- committed documents -------------------------------------------------------------------


def near(found: Any, expected: Any) -> bool:
    """Whether two documents are equal, numbers to 1e-8."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        return found.keys() == expected.keys() and all(
            near(found[key], expected[key]) for key in found)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(near, found, expected))
    if isinstance(found, float) or isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-8)
    return bool(found == expected)


@pytest.mark.claim("Every committed leaderboard is what committed results give.")
@pytest.mark.parametrize("name", BOARDS)
def test_the_committed_documents_are_what_their_inputs_give(name: str) -> None:
    made = dict(of_board(load(name, ROOT / "boards"), ROOT / "results", ROOT / "submissions",
                         people_in(ROOT / "annotations")))
    assert set(made) == set((ROOT / "results" / name).glob("leaderboard.*.json"))
    for path, document in made.items():
        content = path.read_bytes()
        assert documents.to_bytes(documents.read(path)) == content
        assert near(json.loads(content), document.to_json()), (
            f"{path.name} of {name} is old; run: scorer rescore --leaderboards")


def committed(name: str, split: str) -> LeaderboardDocument:
    return documents.read(documents.path_of(ROOT / "results", name, split))


def test_explagraphs_dev_has_a_leader_and_nobody_who_beats_the_null() -> None:
    found = committed("explagraphs", "dev")
    assert (found.verdict.outcome, found.verdict.best) == ("not enough signal", [])
    codes = [one.code for one in found.verdict.sentences]
    assert codes == ["no-lift", "cannot-lose", "ties", "scope"]
    assert "leads with 86.2, the same as its null;" in said(found)["no-lift"]
    assert "GED" in said(found)["cannot-lose"]
    assert "(201 items)" in said(found)["cannot-lose"]
    assert "not separated on StCA, nor from a baseline" in said(found)["ties"]
    assert "made by this site; SeCA would order the rows" in said(found)["scope"]


def test_anli_test_has_a_winner_far_above_the_second() -> None:
    found = committed("anli", "test")
    assert found.verdict.outcome == "winner"
    assert len(found.verdict.best) == 1
    assert "(90.6); RoBERTa-large (83.5)" in said(found)["winner"]
    assert said(found)["winner"].endswith("is significantly worse (p < .001).")
    assert found.verdict.stable
    assert found.verdict.stable.first == 100


def test_documents_are_written_for_boards_with_results_and_old_ones_go(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "explagraphs-practice"
    folder.mkdir(parents=True)
    old = folder / "leaderboard.train.json"
    old.write_text("{}")
    assert write(tmp_path / "results", ROOT / "boards", tmp_path) == []
    assert not old.exists()


def test_five_printed_lines_of_pandas_get_ranks_and_p_values(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    text = (ROOT / "docs/results.md").read_text("utf-8")
    code = text.partition("## Leaderboard")[2].partition("```python\n")[2].partition("```")[0]
    assert len(code.splitlines()) == 5
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102  # our own docs
    known = committed("explagraphs", "dev")
    assert {key: [row["first"], row["last"]] for key, row in names["ranks"].T.items()} == {
        row.key: row.rank for row in known.rows if row.rank}
    first, second = [row.key for row in known.rows if row.rank][:2]
    pairs = names["pairs"]
    [line] = pairs[(pairs.a == first) & (pairs.b == second)].to_dict("records")
    assert line["p_holm"] == known.p_of(first, second)
    assert not pairs.isna()[["a", "b", "p"]].any(axis=None)
