"""Scores of items as a table: what is written, what is read back, and what is refused."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.core.errors import DataError
from scorer.core.reading.tsv import rows_bytes
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import MetricValue, Result
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.evaluate import rounded
from scorer.scoring.results import files as results
from scorer.scoring.submissions import Scorer
from scorer.scoring.summary import disagreements, summarise
from scorer.tasks.registry import TASKS
from tests import case_files
from tests.values import metric_value

ROOT = Path(__file__).resolve().parent.parent
METRICS_OF = {"StCA": metric_value(0.5), "GED": metric_value(0.5),
              "SeCA": metric_value(None, "no judge here")}
CASES = case_files.read("items_table.yaml")
TABLE: str = CASES["table"]


@cache
def scored(name: str) -> Result:
    """A committed submission, scored here without models."""
    made = Scorer(Models(allowed=False), Path("no-home"))
    return made.score(ROOT / "submissions" / name)[0]


def read(content: bytes) -> tuple[ItemResult, ...]:
    return results.items_of(content, METRICS_OF, "dev.items.tsv")


def written(items: Sequence[ItemResult]) -> bytes:
    return rows_bytes(results.lines_of(METRICS_OF, items))


def test_a_table_has_a_line_an_item_and_a_column_a_metric() -> None:
    one = ItemResult(1, Verdict("struct_correct"),
                     {"StCA": ItemScore(1.0), "GED": ItemScore(0.25)}, 3)
    two = ItemResult(2, Verdict("stance_incorrect"),
                     {"StCA": ItemScore(0.0), "GED": ItemScore(1.0, {}, "not proved")})
    assert written([one, two]).decode() == TABLE
    assert read(TABLE.encode()) == (one, two)


@pytest.mark.claim("Scores of items are read by pandas in one line.")
def test_pandas_reads_a_table_in_one_line() -> None:
    pd = pytest.importorskip("pandas")
    path = ROOT / "results/explagraphs-practice/reference/edited-gold/dev.items.tsv"
    frame = pd.read_csv(path, sep="\t")
    assert list(frame.row) == list(range(1, 41))
    assert frame.StCA.mean() == results.read(path.with_name("dev.json")).metrics["StCA"].value


@pytest.mark.whole
@pytest.mark.claim("Items that are read back give the very numbers of their result.")
@pytest.mark.parametrize("name", [
    "explagraphs-practice/reference/nearest-neighbour", "anlg-practice/reference/copy-first",
    "anlg-practice/reference/held-out-reference", "graph-stance-practice/reference/text-only",
])
def test_items_that_are_read_back_give_the_identical_summary(name: str) -> None:
    result = scored(name)
    content = results.items_bytes(result)
    again = results.items_of(content, result.metrics)
    assert results.items_bytes(result.replace(items=again)) == content
    passed = TASKS[result.task].annotations[-1]
    inside = [item.verdict.annotation == passed for item in again]
    for metric, value in result.metrics.items():
        if value.value is not None:
            found = summarise(METRICS[metric], [item.scores[metric] for item in again], inside,
                              range(len(inside)))
            assert (found.value, found.interval) == (value.value, value.interval)
    assert disagreements(result.replace(items=again), passed) == []


def test_counts_of_a_corpus_metric_stand_once_for_all_orders() -> None:
    result = scored("anlg-practice/reference/copy-first")
    content = results.items_bytes(result)
    assert content.partition(b"\n")[0].decode().split("\t")[-9:] == ["reference words", *(
        f"{kind}{n}-grams" for n in (1, 2, 3, 4) for kind in ("", "matched "))]
    first, *_ = results.items_of(content, result.metrics)
    assert first.scores["BLEU-2"].parts == result.items[0].scores["BLEU-2"].parts
    assert len(first.scores["BLEU-2"].parts) == 1 + 2 * 2


@pytest.mark.claim("A hostile file of items is refused with its line.")
@pytest.mark.parametrize(("line", "old", "new"), CASES["hostile"].values(), ids=CASES["hostile"])
def test_what_is_no_table_of_items_is_refused_with_its_line(line: int, old: str, new: str) -> None:
    changed = TABLE.replace(old, new.replace("<9*5000>", "9" * 5000))
    with pytest.raises(DataError, match=f"^dev.items.tsv:{line}:1 RESULT-ITEMS ") as refused:
        read(changed.encode())
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("content", [b"", b"x" * (results.LARGEST_ITEMS + 1)],
                         ids=["nothing", "too long"])
def test_no_bytes_and_too_many_are_no_table(content: bytes) -> None:
    with pytest.raises(DataError, match=r"^dev\.items\.tsv:1:1 RESULT-ITEMS "):
        read(content)


@given(st.binary(max_size=60))
def test_bytes_are_a_table_or_refused_and_nothing_else(content: bytes) -> None:
    for text in (content, TABLE.partition("\n")[0].encode() + b"\n" + content + b"\n"):
        with suppress(DataError):
            assert written(read(text)).startswith(b"row\tgate")


# ---- rounding --------------------------------------------------------------------------------


@given(st.floats(-10, 10))
def test_a_rounded_score_is_what_its_file_gives_back(value: float) -> None:
    once = rounded(ItemScore(value))
    assert rounded(once) == once
    assert abs(once.value - value) <= 5e-10 * max(1.0, abs(value) * 10)
    assert float(f"{once.value:.9g}") == once.value


def test_every_score_is_rounded_when_it_is_measured() -> None:
    values = [score for item in scored("explagraphs-practice/reference/nearest-neighbour").items
              for score in item.scores.values()]
    assert all(score == rounded(score) for score in values)
    assert not all(score.value in (0, 1) for score in values)


# ---- a result against its items --------------------------------------------------------------


FORGED: dict[str, tuple[Callable[[MetricValue], MetricValue], str]] = {
    "a value": (lambda value: value.replace(value=(value.value or 0) + 2e-8), "GED: value"),
    "n": (lambda value: value.replace(n=41), "GED: n"),
    "passed": (lambda value: value.replace(passed=value.passed.replace(value=0.0)),
               "GED: passed.value"),
    "n_passed": (lambda value: value.replace(passed=value.passed.replace(n=1)), "GED: passed.n"),
    "flagged": (lambda value: value.replace(flagged=1), "GED: flagged"),
    "no interval": (lambda value: value.replace(interval=None), "GED: interval.method"),
    "no value": (lambda value: value.replace(value=None), "GED: 40 scores of items"),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_result_that_its_items_deny_is_named(case: str) -> None:
    change, words = FORGED[case]
    result = scored("explagraphs-practice/reference/nearest-neighbour")
    forged = result.replace(metrics={**result.metrics, "GED": change(result.metrics["GED"])})
    assert words in disagreements(forged, "struct_correct")


def test_counts_of_gates_and_scores_that_no_metric_gives_are_named() -> None:
    result = scored("explagraphs-practice/reference/nearest-neighbour")
    for counts in ({**result.counts, "struct_correct": 1}, {**result.counts, "items": 41}):
        [line] = disagreements(result.replace(counts=counts), "struct_correct")
        assert line.startswith("counts: ")
    first, *others = result.items
    for metric, score in (("StCA", 1e-9), ("SA", 1 - 1e-9), ("GED", -1e-9)):
        scores = {**first.scores, metric: first.scores[metric]._replace(value=score)}
        forged = result.replace(items=(replace(first, scores=scores), *others))
        assert any(line.endswith("for an item") for line in disagreements(forged, "struct_correct"))


# ---- the lift's sign -------------------------------------------------------------------------


@pytest.mark.claim("A lift is positive where a system is better than its null, also for distances.")
def test_a_perfect_system_never_has_a_negative_lift() -> None:
    result = scored("explagraphs-practice/reference/gold")
    lifts = {name: METRICS[name].lift(value) for name, value in result.metrics.items()}
    assert all(lift is None or lift >= 0 for lift in lifts.values())
    ged = result.to_json()["metrics"]["GED"]
    assert lifts["GED"] == ged["null"] == -ged["lift"] > 0, "the file keeps value less null"
