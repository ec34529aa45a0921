"""Past values: what a result said before it was scored again is kept, with the rank it gave."""

import json
from pathlib import Path

import pytest

from scorer.core.errors import DataError
from scorer.core.files import sha256
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import PredictionsFile, PublicGold, Result, ScorerVersion
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from scorer.scoring.results.leaderboard import path_of, row_key
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
    for one in rows:
        past.write(one, folder)


def past_of(folder: Path, one: Result) -> list[past.Past]:
    return past.read(results.result_path(folder, one.board, one.team, one.system, one.split))


def document(folder: Path, ranks: dict[str, list[int] | None]) -> None:
    """A leaderboard of some rows with their ranks on SA and on a judge's column."""
    rows = [{"key": key, "kind": "scored", "trust": "scored-here", "values": {
        name: {"v": 0.5, **({"rank": rank} if rank else {})} for name in ("SA", "SeCA")}}
        for key, rank in ranks.items()]
    path = path_of(folder, "a-board", "dev")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({
        "schema": 2, "board": "a-board", "board_version": "1.0", "split": "dev", "items": N,
        "gold": "public", "practice": False, "signatures": [], "columns": [],
        "order": {"by": "SA", "passed_over": []}, "rows": rows, "close": {}, "both_passed": [],
        "published": [], "verdict": {"outcome": "tie", "best": [], "tied": [], "sentences": []},
        "trust": []}))


@pytest.mark.claim("What a new version replaces is kept with the rank interval it gave.")
def test_what_a_new_version_replaces_is_kept_with_the_ranks_of_the_leaderboard(tmp_path: Path,
                                                                               ) -> None:
    old = [row("a-team", 110), row("b-team", 108), row("c-team", 60)]
    written(tmp_path, *old)
    assert [past_of(tmp_path, one) for one in old] == [[], [], []]
    hidden = row_key("b-team", "a-system", anonymous=True)
    document(tmp_path, {"a-team/a-system": [1, 2], hidden: [1, 2], "c-team/a-system": None})
    new = [row("a-team", 50, "0.2.0"), row("b-team", 108, "0.2.0"), row("c-team", 106, "0.2.0")]
    written(tmp_path, *new)
    kept = [past_of(tmp_path, one) for one in new]
    assert [[dict(one.ranks) for one in found] for found in kept] == [
        [{"SA": (1, 2)}], [{"SA": (1, 2)}], [{}]]
    assert [found[0].values["SA"] for found in kept] == [110 / N, 108 / N, 60 / N]
    moved, same, risen = (
        past.deltas(found[0], past.of(one.to_json(), None).replace(ranks={"SA": rank}))[0]
        for found, one, rank in zip(kept, new, ((3, 3), (1, 2), (1, 2)), strict=True))
    assert (moved.old, moved.new) == (110 / N, 50 / N)
    assert (moved.old_rank, moved.new_rank) == ((1, 2), (3, 3))
    assert same.old == same.new
    assert (risen.old_rank, risen.new_rank) == (None, (1, 2))
    assert past.causes(kept[0][0].made_by, past.made_by(new[0].to_json())) == [
        "scorer 0.1.0 -> 0.2.0"]


def test_the_same_again_other_metrics_and_other_predictions_are_no_past(tmp_path: Path) -> None:
    one = row("a-team", 100)
    written(tmp_path, one, one.replace(models={"m": "encoder:m-1"}, key=digest("x")), one)
    assert past_of(tmp_path, one) == []
    written(tmp_path, row("a-team", 100, "0.2.0", predictions="b"))
    assert past_of(tmp_path, one) == []


def test_another_model_of_the_same_name_is_a_reason(tmp_path: Path) -> None:
    one = row("a-team", 100)
    written(tmp_path, *(one.replace(models={"m": tag}, key=digest(tag)) for tag in ("m-1", "m-2")))
    [kept] = past_of(tmp_path, one)
    assert kept.made_by["m"] == "m-1"


def test_every_step_there_and_back_is_one_line_and_old_lines_stay(tmp_path: Path) -> None:
    for version in ("0.1.0", "0.2.0", "0.1.0", "0.2.0", "0.2.0"):
        written(tmp_path, row("a-team", 100, version))
    path = past.past_path(results.result_path(tmp_path, "a-board", "a-team", "a-system", "dev"))
    lines = path.read_text().splitlines()
    assert [json.loads(line)["made_by"]["scorer"] for line in lines] == ["0.1.0", "0.2.0", "0.1.0"]
    assert past.parse(path.read_bytes()) == past_of(tmp_path, row("a-team", 100))


@pytest.mark.parametrize("content", [b"{", b"[]\n", b'{"schema": 2}\n', b"\xff\n"])
def test_a_file_that_is_not_ours_is_told_by_its_path(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dev.json"
    past.past_path(path).write_bytes(content)
    with pytest.raises(DataError, match=r"dev\.past\.jsonl: no file of past values"):
        past.read(path)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"schema": 1}'])
def test_what_was_no_result_has_no_past(tmp_path: Path, content: bytes) -> None:
    one = row("a-team", 100)
    path = results.result_path(tmp_path, one.board, one.team, one.system, one.split)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    written(tmp_path, one)
    assert past_of(tmp_path, one) == []
    assert results.read(path).key == one.key


def test_what_a_result_of_another_schema_said_is_kept(tmp_path: Path) -> None:
    one = row("a-team", 100)
    written(tmp_path, one)
    path = results.result_path(tmp_path, one.board, one.team, one.system, one.split)
    path.write_text(json.dumps({**one.to_json(), "schema": 0, "gone": "since"}))
    written(tmp_path, row("a-team", 90, "0.2.0"))
    assert [kept.values["SA"] for kept in past_of(tmp_path, one)] == [100 / N]
