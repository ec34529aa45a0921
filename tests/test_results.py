"""Results as files and as frames: schema, what is written, keys."""

import json
import re
import sys
from pathlib import Path

import pytest

import scorer
from scorer.core.errors import DataError, UsageError
from scorer.core.results import HiddenGold, PredictionsFile, Result, ScorerVersion
from scorer.scoring.evaluate import key
from scorer.scoring.results import files as results

GOLD = ("trains should replace short flights", "trains cause less smoke", "support",
        "(trains; causes; smoke)(smoke; part of; flights)(flights; has property; short)")
BROKEN = "(trains; causes; smoke)(smoke; causes; trains) (x; in; y"


@pytest.fixture(scope="module")
def result() -> Result:
    made = scorer.score([(GOLD[2], GOLD[3]), ("support", BROKEN)], [GOLD, GOLD],
                        board="explagraphs", null=True)
    made = made.replace(split="dev", team="t", system="s",
                        predictions=PredictionsFile(sha256="a" * 64, rows=2))
    return made.replace(key=key(made))


def test_what_was_not_measured_is_null_with_a_reason(result: Result) -> None:
    assert result.to_json()["metrics"]["SeCA"] == {
        "value": None, "reason": "model seca was not asked for; score with --models fetch", "n": 2,
    }


def test_rows_of_items_are_not_written_where_gold_is_hidden(result: Result, tmp_path: Path) -> None:
    assert [path.name for path in results.write(result, tmp_path)] == ["dev.items.tsv", "dev.json"]
    hidden = result.replace(gold=HiddenGold(id="x", golds=1, public=False, hmac_sha256="a" * 64))
    assert [path.name for path in results.write(hidden, tmp_path)] == ["dev.json"]


def test_another_schema_is_refused_with_what_to_do(result: Result, tmp_path: Path) -> None:
    path = results.write(result, tmp_path)[1]
    document = json.loads(path.read_bytes()) | {"schema": 2}
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(DataError, match="schema 2; this program reads schema 1"):
        results.read(path)
    whole = document | {"schema": 1}
    for broken in ("{", "[]", json.dumps(whole | {"metrics": []}),
                   json.dumps(whole | {"metrics": {"SA": 1}})):
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(DataError, match=f"^{re.escape(str(path))}: not a result"):
            results.read(path)


@pytest.mark.claim("A result whose predictions, gold, board, models or scorer changed is known to "
                   "be stale.")
def test_the_key_changes_with_everything_a_result_depends_on(result: Result) -> None:
    others = [result.replace(**change) for change in (
        {"board_version": "2.0"}, {"split": "test"}, {"models": {"minilm-l6": "other"}},
        {"predictions": PredictionsFile(sha256="b" * 64, rows=2)},
        {"gold": result.gold.replace(id="another")}, {"scorer": ScorerVersion(version="9")})]
    assert len({key(one) for one in (result, *others)}) == len(others) + 1
    assert key(result.replace(team="renamed")) == key(result)


COMMITTED = Path(__file__).resolve().parent.parent / "results"


@pytest.mark.claim("Every committed result is one row a metric of a pandas DataFrame.")
def test_a_folder_of_results_is_one_tidy_frame() -> None:
    pd = pytest.importorskip("pandas")
    frame = scorer.load_results(COMMITTED)
    paths = sorted(COMMITTED.glob("*/*/*/*.json"))
    documents = [json.loads(path.read_bytes()) for path in paths]
    assert tuple(frame.columns) == results.COLUMNS
    assert len(frame) == sum(len(document["metrics"]) for document in documents)
    assert not frame.duplicated(["board", "split", "team", "system", "metric"]).any()
    first = documents[0]
    for _, row in frame[frame.key == first["key"]].iterrows():
        value = first["metrics"][row.metric]
        assert row.value == value["value"] or (pd.isna(row.value) and value["reason"] == row.reason)
        assert row.n == value["n"]
    gold = frame[(frame.system == "gold") & frame.board.str.endswith("practice")]
    assert (gold.lift.dropna() >= 0).all()
    assert (gold[gold.metric == "GED"].lift > 0).all(), "as people read it: better is positive"
    with pytest.raises(UsageError, match="nowhere is no folder of results; name one"):
        scorer.load_results("nowhere")
    text = (COMMITTED.parent / "docs/results.md").read_text("utf-8")
    assert not [name for name in results.COLUMNS if f"`{name}`" not in text]


def test_a_frame_without_pandas_says_what_to_install(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for frame in (lambda: scorer.load_results(COMMITTED), result.to_frame):
        with pytest.raises(DataError, match=r"needs the site extra \(pandas is missing\): pip "
                                            r"install 'whyboard\[site\]'$"):
            frame()


def test_the_items_of_a_result_are_a_tidy_frame(result: Result) -> None:
    pd = pytest.importorskip("pandas")
    frame = result.to_frame()
    assert len(frame) == sum(len(item.scores) for item in result.items)
    one = frame[(frame.row == 1) & (frame.metric == "G-BLEU")].iloc[0]
    assert (one.split, one.annotation, one.precision) == ("dev", "struct_correct", 1.0)
    assert pd.isna(frame[frame.metric == "SA"].precision).all()
    assert one.edges == 3
    assert list(result.replace(items=()).to_frame().columns)[-2:] == ["flag", "edges"]
