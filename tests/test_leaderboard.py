"""The leaderboard document: what it holds, what it says, and that committed ones fit their inputs.

Made boards have a tiny graph board's columns; systems are made of item scores that say how many
items each has right.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import Board, known_boards, load
from scorer.boards.submission import CONSTRAINED, Meta
from scorer.core.errors import DataError
from scorer.core.records import ItemResult, ItemScore
from scorer.core.records import Verdict as ItemVerdict
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS
from scorer.models import judge_card
from scorer.people.leaderboard import people_in
from scorer.scoring.judging import NOBODY, Judges, KnownJudge
from scorer.scoring.leaderboard.about import NO_SYSTEM, ScoredRow
from scorer.scoring.leaderboard.about import about as leaderboard_row
from scorer.scoring.leaderboard.files import of_board, write
from scorer.scoring.leaderboard.make import leaderboard
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument
from scorer.statistics.comparison import versus_null
from tests import case_files
from tests.values import made_result, metric_value, near

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


def scored(key: str, right: Sequence[int], *, its_null: Sequence[int] | None = None,
           distance: Sequence[float] | None = None, golds: int = 1, preview: bool = False,
           title: str = "", **about: Any) -> ScoredRow:
    """A row with a 0/1 score for each item, and a distance if one is named."""
    team, system = key.split("/")
    scores: dict[str, Sequence[float]] = {"StCA": right}
    if distance is not None:
        scores["GED"] = distance
    metrics = {name: value(name, found, its_null if name == "StCA" else None, golds)
               for name, found in scores.items()}
    items = [ItemResult(at + 1, ItemVerdict(PASSED if right[at] else "stance_incorrect"),
                        {name: ItemScore(found[at]) for name, found in scores.items()})
             for at in range(len(right))]
    result = made_result("explagraphs", "1.0", OPEN.task_name, "dev", {"items": len(right)},
                         metrics, items, team=team, system=system)
    row = leaderboard_row(OPEN, result, None).replace(title=title or system.capitalize(), **about)
    return ScoredRow(row, result, preview)


def value(name: str, scores: Sequence[float], null: Sequence[float] | None, golds: int = 1,
          ) -> MetricValue:
    metric = METRICS[name]
    versus = versus_null(scores, null, binary=metric.binary, better=metric.better) if null else None
    return metric_value(math.fsum(scores) / len(scores), n=len(scores),
                        signature=f"{name}|golds:{golds}",
                       null=math.fsum(null) / len(null) if null else None, versus_null=versus)


def right(count: int, n: int = N) -> list[int]:
    """So many of the first items right, or of the last if the number is negative."""
    return [int(at < count) for at in range(n)] if count >= 0 else right(-count, n)[::-1]


def made(*rows: ScoredRow, judges: Judges = NOBODY, **how: Any) -> LeaderboardDocument:
    return leaderboard(board(**how), "dev", rows, judges)


def sentences(found: LeaderboardDocument) -> dict[str, str]:
    return {one.code: one.text.replace("\u00a0", " ") for one in found.verdict.sentences}


CLEAR = [scored("a/best", right(160), its_null=right(20)), scored("b/second", right(100)),
         scored("c/third", right(60))]
VERDICTS: dict[str, dict[str, Any]] = case_files.read("verdicts.yaml")


def of_case(case: Mapping[str, Any]) -> LeaderboardDocument:
    """The leaderboard of a case of ``verdicts.yaml``."""
    how = case.get("board", {})
    n = how.get("rows", N)
    return made(*(scored(key, **{name: right(value, n) if name in ("right", "its_null") else value
                                 for name, value in row.items()})
                  for key, row in case["rows"].items()), **how)


@pytest.mark.parametrize("case", VERDICTS.values(), ids=VERDICTS)
def test_a_leaderboard_says_what_its_case_says(case: Mapping[str, Any]) -> None:
    verdict = of_case(case).verdict
    assert (verdict.outcome, verdict.best, verdict.tied) == (
        case["outcome"], case.get("best", []), case.get("tied", []))
    assert [one.code for one in verdict.sentences] == case["sentences"]


def test_rows_have_ranks_or_the_reason_why_not() -> None:
    bare = scored("f/bare", right(150))
    found = made(
        *CLEAR, scored("a/weaker", right(150)), scored("d/other", right(190), golds=2),
        scored("e/x", right(9), golds=2), replace(bare, result=bare.result.replace(items=())),
        scored("g/oracle", right(195), unranked=NO_SYSTEM), scored("h/x", right(1), preview=True),
        scored("i/gone", right(199), withdrawn="an error"),
        scored("reference/nearest-neighbour", right(-98)))
    assert {row.key: row.rank for row in found.rows if row.rank} == {
        "a/best": [1, 1], "b/second": [2, 2], "c/third": [3, 3]}
    assert {row.key: row.unranked for row in found.rows if row.unranked} == {
        "a/weaker": "another row of its team is better",
        "d/other": "not comparable with the ranked rows",
        "e/x": "not comparable with the ranked rows", "f/bare": "no scores of items",
        "g/oracle": NO_SYSTEM, "h/x": "scored on this machine only", "i/gone": "withdrawn"}
    assert found.rows[-1].key == "h/x"
    assert found.by_key["reference/nearest-neighbour"].role == "baseline"
    assert not {one.code: one.holds for one in found.trust}["item-scores"]
    assert (found.pair("a/best", "b/second") or ())[:2] == [60, 0]


def test_no_two_of_the_tied_are_separated() -> None:
    found = made(*(scored(f"{name}/x", right(100 - 5 * at)) for at, name in enumerate("abcdef")))
    pairs = found.pairs
    assert pairs is not None
    p = dict(zip(combinations(pairs.rows, 2), (cell[3] for cell in pairs.tri), strict=True))
    assert 1 < len(found.verdict.tied) < 6
    assert all((p[both] or 0) > 0.05 for both in combinations(found.verdict.tied, 2))


def test_a_leader_that_cannot_lose_is_compared_where_both_passed() -> None:
    near, far = [0.25 + at % 3 / 10 for at in range(N)], [0.75 - at % 5 / 10 for at in range(N)]
    found = made(scored("a/best", right(190), distance=far, tags=(CONSTRAINED,)),
                 scored("b/second", right(150), distance=near))
    [both] = found.both_passed
    assert (both.column, both.n, both.better) == ("GED", 150, "b/second")
    assert both.d == pytest.approx(sum(far[:150]) / 150 - sum(near[:150]) / 150, abs=1e-9)
    assert sentences(found)["cannot-lose"] == (
        "The leader cannot break a constraint; where both pass (150 items), Second is better on "
        "GED (p < .001).")


def test_a_judge_that_is_not_fit_orders_nothing_with_the_reason() -> None:
    cards = [one for one in judge_card.find([judge_card.EMBEDDED]) if one.judge == "seca"]
    judges = Judges(tuple(KnownJudge(replace(one, weights="a" * 64), "") for one in cards[:1]))
    judged = metric_value(0.5, n=N, signature=f"SeCA|judge:seca-x-{'a' * 12}")
    rows = [replace(row, result=row.result.replace(metrics={**row.result.metrics, "SeCA": judged}))
            for row in CLEAR]
    found = made(*rows, ranking=("SeCA", "StCA"), judges=judges)
    [over] = found.order.passed_over
    assert (found.order.by, over.id) == ("StCA", "SeCA")
    assert over.code in ("judge-unfit", "judge-no-card")
    assert sentences(found)["scope"].startswith("SeCA would order the rows, but its judge model")
    assert next(one for one in found.columns if one.id == "SeCA").why_not_rank


def test_lower_is_better_for_distances_and_lift_is_positive_where_a_system_is_better() -> None:
    near, far = [0.2 + at % 2 / 10 for at in range(N)], [0.6 + at % 3 / 10 for at in range(N)]
    rows = [scored("a/near", right(10), distance=near), scored("b/far", right(10), distance=far)]
    rows = [replace(row, result=row.result.replace(metrics={
        **row.result.metrics, "GED": value("GED", scores, [0.5] * N)}))
        for row, scores in zip(rows, (near, far), strict=True)]
    found = made(*rows, ranking=("GED",))
    assert [row.key for row in found.rows] == ["a/near", "b/far"]
    assert found.verdict.outcome == "winner"
    assert found.verdict.best == ["a/near"]
    lifts = [row.values["GED"].lift for row in found.rows]
    assert lifts == [pytest.approx(0.25), pytest.approx(0.5 - math.fsum(far) / N)]
    assert "Near is best on GED (0.250)" in sentences(found)["winner"]


def test_a_name_that_makes_the_null_of_another_does_not_get_it() -> None:
    null = scored("reference/null-of-third-party-t5", right(30))
    found = made(null, scored("third-party/t5", right(150), its_null=right(30)),
                 scored("third/party-t5", right(140), its_null=right(10)))
    assert {row.key: row.null for row in found.rows} == {
        "third-party/t5": null.key, "third/party-t5": None, null.key: None}


def test_the_first_stays_first_in_every_half_or_only_in_some() -> None:
    rows = [scored("a/one", right(100)), scored("b/two", right(-98))]
    clear, close = made(*CLEAR), made(*rows)
    assert clear.verdict.stable
    assert clear.verdict.stable.first == 100
    assert close.verdict.stable
    assert 20 < close.verdict.stable.first < 90
    assert close == made(*rows[::-1]), "no chance in it"


def test_beyond_two_hundred_rows_each_has_its_pairs_with_the_row_above_and_its_null() -> None:
    """Rows on 100 items, each better than the next or equal to it, and the null of one."""
    systems = [scored(f"t{at:03}/x", right(99 - at // 4, 100)) for at in range(249)]
    found = made(*systems, scored("reference/null-of-t240-x", right(1, 100)), rows=100)
    assert found.pairs
    assert found.pairs.more
    assert (len(found.pairs.rows), len(found.pairs.tri)) == (200, 200 * 199 // 2)
    assert len(found.pairs.more) == 50 + 1
    assert found.pairs.more[0] == ["t199/x", "t200/x", 1, 0, 1.0]
    # 99 - 240 / 4 = 39 items right, 38 of which the null has not
    assert ["t240/x", "reference/null-of-t240-x", 38, 0, 7.27596e-12] in found.pairs.more
    # t100 has 99 - 100 // 4 = 74 items right, none that t000 has not: p = 2 / 2 ** 25 = 6e-8, of
    # at most 248 tests
    assert found.verdict.tied[0] == "t000/x"
    assert not {f"t{at:03}/x" for at in range(100, 249)} & {*found.verdict.tied}


def test_names_of_an_anonymous_row_are_not_in_it() -> None:
    meta = Meta("Secret name", "Secret team", "2026-01-31", "", "", False,
                anonymous_until="2999-01-01")
    row = scored("b/second", right(100))
    found = documents.to_bytes(made(CLEAR[0], replace(
        row, about=leaderboard_row(OPEN, row.result, meta))))
    assert b"Secret" not in found
    assert b"b/second" not in found
    assert b'"anonymous_until":"2999-01-01"' in found


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


@pytest.mark.claim("Every committed leaderboard is what committed results give.")
@pytest.mark.whole
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
    known = documents.read(documents.path_of(ROOT / "results", "explagraphs", "dev"))
    assert {key: [row["first"], row["last"]] for key, row in names["ranks"].T.items()} == {
        row.key: row.rank for row in known.rows if row.rank}
    first, second = [row.key for row in known.rows if row.rank][:2]
    pairs = names["pairs"]
    [line] = pairs[(pairs.a == first) & (pairs.b == second)].to_dict("records")
    assert line["p_holm"] == (known.pair(first, second) or ())[3]
    assert not pairs.isna()[["a", "b", "p"]].any(axis=None)
