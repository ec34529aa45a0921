"""Scores of items as a table: what is written, what is read back, and what is refused."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.core.errors import DataError
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import MetricValue, Result
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.evaluate import rounded
from scorer.scoring.results import files as results
from scorer.scoring.results import items as tables
from scorer.scoring.submissions import Scorer
from scorer.scoring.summary import disagreements, summarise
from scorer.tasks.registry import TASKS
from tests.values import metric_value

ROOT = Path(__file__).resolve().parent.parent
METRICS_OF = {"StCA": metric_value(0.5), "GED": metric_value(0.5),
              "SeCA": metric_value(None, "no judge here")}
HEADER = "row\tgate\tflag\tedges\tGED\tSeCA\tStCA\n"
ONE = "1\tstruct_correct\t\t3\t0.25\t\t1\n"
TWO = "2\tstance_incorrect\tGED: not proved\t\t1\t\t0\n"


@cache
def scored(name: str) -> Result:
    """A committed submission, scored here without models."""
    made = Scorer(Models(allowed=False), Path("no-home"))
    return made.score(ROOT / "submissions" / name)[0]


def read(text: str | bytes) -> tuple[ItemResult, ...]:
    content = text if isinstance(text, bytes) else text.encode()
    return tables.from_bytes(content, METRICS_OF, "dev.items.tsv")


def test_a_table_has_a_line_an_item_and_a_column_a_metric() -> None:
    one = ItemResult(1, Verdict("struct_correct"),
                     {"StCA": ItemScore(1.0), "GED": ItemScore(0.25)}, 3)
    two = ItemResult(2, Verdict("stance_incorrect"),
                     {"StCA": ItemScore(0.0), "GED": ItemScore(1.0, {}, "not proved")})
    assert tables.to_bytes(METRICS_OF, [one, two]).decode() == HEADER + ONE + TWO
    assert read(HEADER + ONE + TWO) == (one, two)


@pytest.mark.claim("Scores of items are read by pandas in one line.")
def test_pandas_reads_a_table_in_one_line() -> None:
    pd = pytest.importorskip("pandas")
    path = ROOT / "results/explagraphs-practice/reference/edited-gold/dev.items.tsv"
    frame = pd.read_csv(path, sep="\t")
    assert list(frame.row) == list(range(1, 41))
    assert frame.StCA.mean() == results.read(path.with_name("dev.json")).metrics["StCA"].value


@pytest.mark.claim("Items that are read back give the very numbers of their result.")
@pytest.mark.parametrize("name", [
    "explagraphs-practice/reference/nearest-neighbour", "anlg-practice/reference/copy-first",
    "anlg-practice/reference/held-out-reference", "graph-stance-practice/reference/text-only",
])
def test_items_that_are_read_back_give_the_identical_summary(name: str) -> None:
    result = scored(name)
    content = results.items_bytes(result)
    again = tables.from_bytes(content, result.metrics)
    assert tables.to_bytes(result.metrics, again) == content
    passed = TASKS[result.task].annotations[-1]
    inside = [item.verdict.annotation == passed for item in again]
    for metric, value in result.metrics.items():
        if value.value is not None:
            both = [summarise(METRICS[metric], [item.scores[metric] for item in items], inside,
                              range(len(inside))) for items in (result.items, again)]
            assert {**dict(both[0]), **dict.fromkeys(both[0].parts)} == {
                **dict(both[1]), **dict.fromkeys(both[0].parts)}
            assert (both[1].value, both[1].interval) == (value.value, value.interval)
    assert disagreements(result.replace(items=again), passed) == []


def test_counts_of_a_corpus_metric_stand_once_for_all_orders() -> None:
    result = scored("anlg-practice/reference/copy-first")
    head = results.items_bytes(result).split(b"\n")[0].decode().split("\t")
    assert head[:3] == ["row", "gate", "flag"]
    assert head[-9:] == ["reference words", "1-grams", "matched 1-grams", "2-grams",
                         "matched 2-grams", "3-grams", "matched 3-grams", "4-grams",
                         "matched 4-grams"]
    [again] = tables.from_bytes(results.items_bytes(result.replace(items=result.items[:1])),
                                result.metrics)
    assert set(again.scores["BLEU-2"].parts) == {
        "reference words", "1-grams", "matched 1-grams", "2-grams", "matched 2-grams"}
    assert again.scores["BLEU-2"].parts == result.items[0].scores["BLEU-2"].parts


HOSTILE = {
    "another header": ((HEADER + ONE).replace("GED", "GXD"), 1),
    "a column more": (HEADER.replace("\n", "\tgold\n") + ONE.replace("\n", "\tx\n"), 1),
    "a column less": (HEADER.replace("\tStCA", ""), 1),
    "no header": (ONE + TWO, 1),
    "nothing": ("", 1),
    "CRLF": ((HEADER + ONE).replace("\n", "\r\n"), 1),
    "a byte order mark": (b"\xef\xbb\xbf" + HEADER.encode(), 1),
    "letters": (HEADER + ONE.replace("0.25", "a lot"), 2),
    "nan": (HEADER + ONE.replace("0.25", "nan"), 2),
    "an overflow": (HEADER + ONE.replace("0.25", "1e999"), 2),
    "no score": (HEADER + ONE.replace("0.25", ""), 2),
    "a score that nobody measured": (HEADER + ONE.replace("\t\t1\n", "\t0.5\t1\n"), 2),
    "a cell more": (HEADER + ONE.replace("\n", "\t\n"), 2),
    "a cell less": (HEADER + "1\tstruct_correct\n", 2),
    "an empty line": (HEADER + "\n" + ONE, 2),
    "a row twice": (HEADER + ONE + ONE, 3),
    "rows the wrong way round": (HEADER + TWO + ONE, 3),
    "row 0": (HEADER + ONE.replace("1\t", "0\t", 1), 2),
    "a row of many digits": (HEADER + ONE.replace("1\t", "9" * 5000 + "\t", 1), 2),
    "a text for a gate": (HEADER + ONE.replace("struct_correct", "cats purr"), 2),
    "half an edge": (HEADER + ONE.replace("\t3\t", "\t3.5\t"), 2),
    "a flag of no metric": (HEADER + TWO.replace("GED:", "cats:"), 2),
    "a flag of a metric that was not measured": (HEADER + TWO.replace("GED:", "SeCA:"), 2),
    "a flag without a reason": (HEADER + TWO.replace(": not proved", ""), 2),
    "a flag that controls a screen": (HEADER + TWO.replace("not proved", "\x1b[31m"), 2),
}


@pytest.mark.claim("A hostile file of items is refused with its line.")
@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_table_of_items_is_refused_with_its_line(case: str) -> None:
    text, line = HOSTILE[case]
    with pytest.raises(DataError, match=f"^dev.items.tsv:{line}:1 RESULT-ITEMS ") as refused:
        read(text)
    assert str(refused.value).isprintable()


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"{tables.LARGEST + 1} bytes; expected"):
        read(b"x" * (tables.LARGEST + 1))


@given(st.binary(max_size=60))
def test_bytes_are_a_table_or_refused_and_nothing_else(content: bytes) -> None:
    for text in (content, HEADER.encode() + content, HEADER.encode() + content + b"\n"):
        with suppress(DataError):
            assert tables.to_bytes(METRICS_OF, read(text)).startswith(b"row\tgate")


# ---- rounding --------------------------------------------------------------------------------


@given(st.floats(-10, 10))
def test_a_rounded_score_is_what_its_file_gives_back(value: float) -> None:
    once = rounded(ItemScore(value))
    assert rounded(once) == once
    assert abs(once.value - value) <= 5e-10 * max(1.0, abs(value) * 10)
    assert float(f"{once.value:.9g}") == once.value


GOLD = ("trains should replace short flights", "trains cause less smoke", "support",
        "(trains; causes; smoke)(smoke; part of; flights)(flights; has property; short)")
OTHER = "(trains; causes; smoke)(smoke; is a; flights)(flights; has property; short)"


def test_every_score_is_rounded_when_it_is_measured() -> None:
    result = scorer.score([("support", OTHER)] * 3, [GOLD] * 3, board="explagraphs", null=True)
    scores = [score for item in result.items for score in item.scores.values()]
    assert scores
    assert all(score == rounded(score) for score in scores)
    assert not all(score.value in (0, 1) for score in scores)


# ---- a result against its items --------------------------------------------------------------


FORGED: dict[str, tuple[Callable[[MetricValue], MetricValue], str]] = {
    "a value": (lambda value: value.replace(value=(value.value or 0) + 2e-8), "GED: value"),
    "how many": (lambda value: value.replace(n=41), "GED: n 41"),
    "the mean of what passed": (
        lambda value: value.replace(passed=value.passed.replace(value=0.0)), "GED: passed"),
    "how many passed": (
        lambda value: value.replace(passed=value.passed.replace(n=1)), "GED: n_passed"),
    "bounds": (lambda value: value.replace(flagged=1), "GED: flagged"),
    "an interval": (lambda value: value.replace(interval=None), "GED: interval there"),
    "nothing": (lambda value: value.replace(value=None), "GED: 40 scores of items"),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_result_that_its_items_deny_is_told(case: str) -> None:
    change, words = FORGED[case]
    result = scored("explagraphs-practice/reference/nearest-neighbour")
    forged = result.replace(metrics={**result.metrics, "GED": change(result.metrics["GED"])})
    assert any(line.startswith(words) for line in disagreements(forged, "struct_correct"))


@pytest.mark.parametrize(("metric", "score"), [("StCA", 1e-9), ("SA", 1 - 1e-9), ("GED", -1e-9)])
def test_scores_that_no_metric_gives_are_told_though_no_mean_shows_them(
    metric: str, score: float,
) -> None:
    result = scored("explagraphs-practice/reference/nearest-neighbour")
    first = result.items[0]
    forged = result.replace(items=(replace(first, scores={
        **first.scores, metric: first.scores[metric]._replace(value=score)}), *result.items[1:]))
    assert any(line.endswith("for an item") for line in disagreements(forged, "struct_correct"))


def test_counts_of_gates_are_held_against_items() -> None:
    result = scored("explagraphs-practice/reference/nearest-neighbour")
    for counts in ({**result.counts, "struct_correct": 1}, {**result.counts, "items": 41}):
        [line] = disagreements(result.replace(counts=counts), "struct_correct")
        assert line.startswith("counts: ")


# ---- the lift's sign -------------------------------------------------------------------------


@pytest.mark.claim("A lift is positive where a system is better than its null, also for distances.")
def test_a_perfect_system_never_has_a_negative_lift() -> None:
    result = scored("explagraphs-practice/reference/gold")
    lifts = {name: METRICS[name].lift(value) for name, value in result.metrics.items()}
    assert all(lift is None or lift >= 0 for lift in lifts.values())
    ged = result.metrics["GED"]
    assert ged.null is not None
    assert lifts["GED"] == ged.null > 0
    assert ged.lift == -ged.null, "the result's file keeps value less null"
    assert result.to_json()["metrics"]["GED"]["lift"] == -ged.null
