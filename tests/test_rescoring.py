"""Past values: what a result said before it was scored again is kept, with the rank it gave."""

import json
from pathlib import Path
from typing import Any

import pytest

from scorer.core.errors import DataError
from scorer.core.files import sha256
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import PredictionsFile, PublicGold, Result, ScorerVersion
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from scorer.scoring.results.past import ResultsFolder, key_of, ranks
from tests.values import made_result, metric_value

N = 120


def digest(text: str) -> str:
    return sha256(text.encode())


def row(team: str, right: int, version: str = "0.1.0", predictions: str = "a") -> Result:
    """A system with ``right`` of 120 items right, scored by a version of the scorer."""
    right_or_not = Verdict("struct_correct")
    items = tuple(ItemResult(at + 1, right_or_not, {"SA": ItemScore(float(at < right))})
                  for at in range(N))
    value = metric_value(right / N, n=N, n_passed=N, passed=None,
                        signature=f"SA|match:exact|scorer:{version}")
    return made_result("a-board", "1.0", "explanation_graphs", "dev",
                  {"items": N, "broken": {}, "strict": {}}, {"SA": value}, items,
                  team=team, system="a-system", key=digest(f"{team}-{version}"),
                  scorer=ScorerVersion(version=version),
                  gold=PublicGold(id="a-board/dev@1", public=True, golds=1, sha256=digest("gold")),
                  predictions=PredictionsFile(sha256=digest(predictions), rows=N))


def written(folder: Path, *rows: Result) -> None:
    """A run that writes some results."""
    there = ResultsFolder(folder)
    for one in rows:
        there.write(one)


def past_of(folder: Path, one: Result) -> list[past.Past]:
    return past.read(results.result_path(folder, one.board, one.team, one.system, one.split))


@pytest.mark.claim("What a new version replaces is kept with the rank interval it gave.")
def test_what_a_new_version_replaces_is_kept_with_the_ranks_before_the_run(tmp_path: Path) -> None:
    """110 and 60 of 120 are far apart, 110 and 108 are not: ranks 1 to 2, 1 to 2 and 3."""
    old = [row("a-team", 110), row("b-team", 108), row("c-team", 60)]
    written(tmp_path, *old)
    assert [past_of(tmp_path, one) for one in old] == [[], [], []]
    new = [row("a-team", 50, "0.2.0"), row("b-team", 108, "0.2.0"), row("c-team", 106, "0.2.0")]
    written(tmp_path, *new)
    kept = [past_of(tmp_path, one) for one in new]
    assert [[dict(one.ranks) for one in found] for found in kept] == [
        [{"SA": (1, 2)}], [{"SA": (1, 2)}], [{"SA": (3, 3)}]]
    assert [found[0].values["SA"] for found in kept] == [110 / N, 108 / N, 60 / N]
    now = ranks(new)
    [moved, same, risen] = [
        past.deltas(found[0], past.measured(one), now[key_of(one)])[0]
        for found, one in zip(kept, new, strict=True)]
    assert (moved.old, moved.new) == (110 / N, 50 / N)
    assert (moved.old_rank, moved.new_rank) == ((1, 2), (3, 3))
    assert same.old == same.new
    assert (risen.old_rank, risen.new_rank) == ((3, 3), (1, 2))
    assert past.causes(kept[0][0].made_by, past.made_by(new[0].to_json())) == [
        "scorer 0.1.0 -> 0.2.0"]


def test_the_same_again_or_other_metrics_are_no_past(tmp_path: Path) -> None:
    one = row("a-team", 100)
    written(tmp_path, one)
    again = one.replace(models={"m": "encoder:m-1"}, key=digest("x"))
    written(tmp_path, again)
    written(tmp_path, one)
    assert past_of(tmp_path, one) == []


def test_another_model_of_the_same_name_is_a_reason(tmp_path: Path) -> None:
    def with_model(tag: str) -> Result:
        one = row("a-team", 100)
        return one.replace(models={"m": tag}, key=tag)

    written(tmp_path, with_model("encoder:m-1"))
    written(tmp_path, with_model("encoder:m-2"))
    [kept] = past_of(tmp_path, row("a-team", 100))
    assert kept.made_by["m"] == "encoder:m-1"


def test_other_predictions_have_no_past(tmp_path: Path) -> None:
    written(tmp_path, row("a-team", 100))
    written(tmp_path, row("a-team", 100, "0.2.0", predictions="b"))
    assert past_of(tmp_path, row("a-team", 100)) == []


def test_every_step_is_one_line_and_old_lines_stay(tmp_path: Path) -> None:
    for version in ("0.1.0", "0.2.0", "0.3.0", "0.3.0"):
        written(tmp_path, row("a-team", 100, version))
    path = past.past_path(results.result_path(tmp_path, "a-board", "a-team", "a-system", "dev"))
    lines = path.read_text().splitlines()
    assert [json.loads(line)["made_by"]["scorer"] for line in lines] == ["0.1.0", "0.2.0"]
    assert past.parse(path.read_bytes()) == past_of(tmp_path, row("a-team", 100))


def test_there_and_back_again_is_three_steps(tmp_path: Path) -> None:
    for version in ("0.1.0", "0.2.0", "0.1.0", "0.2.0"):
        written(tmp_path, row("a-team", 100, version))
    assert [one.made_by["scorer"] for one in past_of(tmp_path, row("a-team", 100))] == [
        "0.1.0", "0.2.0", "0.1.0"]


def test_a_metric_that_is_no_more_has_no_rank_and_stops_nothing() -> None:
    rows = [one.replace(metrics={**one.metrics, "G-OLD": one.metrics["SA"]})
            for one in (row("a-team", 110), row("b-team", 60))]
    assert {tuple(found) for found in ranks(rows).values()} == {("SA",)}


def test_rows_with_items_have_ranks_where_the_items_of_another_row_are_elsewhere() -> None:
    """As on the site."""
    rows = [row("a-team", 110), row("b-team", 60), row("c-team", 90).replace(items=())]
    assert {key[1] for key in ranks(rows)} == {"a-team", "b-team"}
    assert ranks(rows) == ranks(rows[:2])
    assert ranks(rows[1:]) == {}


@pytest.mark.parametrize("content", [b"{", b"[]\n", b'{"schema": 2}\n', b"\xff\n"])
def test_a_file_that_is_not_ours_is_told_by_its_path(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dev.json"
    past.past_path(path).write_bytes(content)
    with pytest.raises(DataError, match=r"dev\.past\.jsonl: no file of past values"):
        past.read(path)


@pytest.mark.parametrize("change", [
    {"team": "reference"}, {"withdrawn": True}, {"n": 99},
])
def test_reference_and_withdrawn_rows_and_small_splits_have_no_rank(change: dict[str, Any]) -> None:
    third = row(change.get("team", "c-team"), 60)
    rows = [row("a-team", 110), row("b-team", 108), third]
    if "n" in change:
        rows = [one.replace(items=one.items[:change["n"]]) for one in rows]
    gone = {("a-board", third.team, third.system)} if change.get("withdrawn") else set()
    found = ranks(rows, gone)
    assert key_of(third) not in found
    assert len(found) == (0 if "n" in change else 2)
