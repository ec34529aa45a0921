"""A result on public gold is believed where the publisher makes the same of the same files."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer import board as boards
from scorer.board import Board
from scorer.board.golds import read_golds
from scorer.ci import agreement, artifact
from scorer.ci.agreement import Own
from scorer.ci.errors import Refused
from scorer.ci.main_branch import CiJob
from scorer.ci.worker import SCHEMA
from scorer.errors import NotMeasured
from scorer.files import json_bytes
from scorer.graph import Graph
from scorer.metrics.catalogue import METRICS
from scorer.metrics.ea import UNJUDGED
from scorer.records import Interval, ItemScore, MetricValue, Result, TextPair, VersusNull
from scorer.results import files as results
from scorer.scoring.evaluate import GoldId, Session, clusters_of, key
from scorer.scoring.summary import summarise
from scorer.tasks.graphs.records import Prediction
from tests.judging import own_of

ROOT = Path(__file__).parent.parent
GRAPHS = ROOT / "results/explagraphs-practice/reference/edited-gold/dev.json"
LABELS = ROOT / "results/anli-practice/reference/random/dev.json"
HELD_OUT = ROOT / "results/anlg-practice/reference/held-out-reference/dev.json"
COPY = ROOT / "results/anlg-practice/reference/copy-first/dev.json"
RESULTS = [path for name in ("anli-practice", "anlg-practice", "explagraphs-practice")
           for path in sorted((ROOT / "results" / name / "reference").glob("*/*.json"))]
BERTSCORE = "G-BERTScore[minilm-l6]"
PASSED = "struct_correct"
Forge = Callable[[Result], Result]


def job_of(told: Result) -> CiJob:
    return CiJob(told.board, told.team, told.system, told.split, "k" * 64,
                 told.provenance["predictions"]["sha256"], "0" * 40, "2026-01-01")


def outcome(path: Path, folder: Path, forge: Forge) -> tuple[str, str]:
    """What the publisher says of a committed result that a machine hands over, forged."""
    honest = results.read(path)
    told, job = forge(honest), job_of(honest)
    document = {"schema": SCHEMA, "key": job.key, "outcome": "scored",
                "result": results.to_json(told)}
    (folder / f"{job.key}.json").write_text(json.dumps(document))
    (folder / f"{job.key}.items.tsv").write_bytes(results.items_bytes(told))
    found = artifact.read(folder, job, boards.load(told.board), own=own_of(job))
    return found.kind, found.reason


# ---- forgeries, each as consistent in itself as a liar can make it ---------------------------


def changed(metric: str, **values: Any) -> Forge:
    """Other numbers of one metric."""
    return lambda told: replace(
        told, metrics={**told.metrics, metric: replace(told.metrics[metric], **values)})


def scored(metric: str, score: Callable[[str, ItemScore], ItemScore]) -> Forge:
    """Other scores of items, and of everything that follows from them but the null."""

    def forge(told: Result) -> Result:
        items = tuple(replace(item, scores={
            **item.scores, metric: score(item.verdict.annotation, item.scores[metric])})
            for item in told.items)
        old, made = told.metrics[metric], summarise(
            METRICS[metric], [item.scores[metric] for item in items],
            [item.verdict.annotation == PASSED for item in items],
            own_of(job_of(results.read(GRAPHS))).clusters)
        made = replace(made, signature=old.signature, null=old.null, versus_null=old.versus_null,
                       parts=old.parts)
        return replace(told, items=items, metrics={**told.metrics, metric: made})

    return forge


def judged(row: int, **values: Any) -> Forge:
    """Another verdict of one row."""
    return lambda told: replace(told, items=tuple(
        replace(item, verdict=replace(item.verdict, **values)) if item.row == row else item
        for item in told.items))


def counted(name: str, count: Callable[[Any], Any]) -> Forge:
    """Another count, or table of counts."""
    return lambda told: replace(told, counts={**told.counts, name: count(told.counts[name])})


def recounted(change: Callable[[dict[str, Any]], object]) -> Forge:
    """Tables of counts that were changed."""

    def forge(told: Result) -> Result:
        counts = deepcopy(told.counts)
        change(counts)
        return replace(told, counts=counts)

    return forge


def fewer(told: Result) -> Result:
    """The last item left out, and nobody counts it."""
    last = len(told.items) - 1
    metrics = {name: replace(value, n=last, n_passed=last, passed=None)
               for name, value in told.metrics.items()}
    counts = {**told.counts, "items": last, "answered": last}
    return replace(told, items=told.items[:last], metrics=metrics, counts=counts)


def value(number: float, annotation: str = "") -> Callable[[str, ItemScore], ItemScore]:
    """Another value of every item, or of those with one annotation."""
    return lambda found, score: score if annotation not in ("", found) else score._replace(
        value=number)


def _first(annotation: str) -> int:
    """The first row of the graphs with an annotation."""
    return next(item.row for item in results.read(GRAPHS).items
                if item.verdict.annotation == annotation)


WRONG = _first("struct_incorrect")
SHIFTED = Interval(0.01, 0.02, "t")
FORGED: dict[str, tuple[Path, Forge, str]] = {name: (GRAPHS, *rest) for name, rest in {
    "StCA is 1 where the structure is wrong": (
        scored("StCA", value(1.0, "struct_incorrect")), "RESULT-DIFFERS"),
    "SA is 0 where the label is right": (
        scored("SA", value(0.0, "struct_incorrect")), "RESULT-DIFFERS"),
    "GED is 0 everywhere": (scored("GED", value(0.0)), "RESULT-DIFFERS"),
    "G-BLEU is 1 where it is measured": (scored("G-BLEU", value(1.0, PASSED)), "RESULT-DIFFERS"),
    "no standard error": (changed("GED", clustered_se=0.0), "RESULT-DIFFERS"),
    "more clusters": (changed("GED", clusters=39), "RESULT-DIFFERS"),
    "a bound less": (changed("GED", flagged=1), "RESULT-DIFFERS"),
    "no test against the null": (changed("GED", versus_null=None), "RESULT-DIFFERS"),
    "no null": (changed("GED", null=None, versus_null=None), "RESULT-DIFFERS"),
    "better than the null by chance": (
        changed("GED", versus_null=VersusNull(1.0, True, "permutation")), "RESULT-DIFFERS"),
    "another null": (changed("GED", null=0.999), "RESULT-DIFFERS"),
    "another interval": (changed("GED", interval=SHIFTED), "RESULT-DIFFERS"),
    "another interval over what passed": (
        changed("G-BLEU", passed_interval=SHIFTED), "RESULT-DIFFERS"),
    "other parts": (changed("G-BLEU", parts={"precision": 0.9, "recall": 0.9}), "RESULT-DIFFERS"),
    "fewer that passed": (changed("GED", n_passed=1), "RESULT-DIFFERS"),
    "no rule is broken": (counted("broken", lambda _: {}), "RESULT-DIFFERS"),
    "every diagnostic is gone": (counted("strict", lambda _: {}), "RESULT-DIFFERS"),
    "a row passed": (judged(WRONG, annotation=PASSED), "RESULT-DIFFERS"),
    "more edges": (lambda told: replace(told, items=(
        replace(told.items[0], edges=99), *told.items[1:])), "RESULT-DIFFERS"),
    "a model scored what its gate kept out": (
        scored(BERTSCORE, value(0.5, "struct_incorrect")), "RESULT-DIFFERS"),
    "a model's standard error is nothing": (
        changed(BERTSCORE, clustered_se=0.0), "RESULT-DIFFERS"),
    "a model's clusters": (changed(BERTSCORE, clusters=39), "RESULT-DIFFERS"),
    "a model's parts out of range": (
        changed(BERTSCORE, parts={"precision": 1.5, "recall": 0.9}), "RESULT-RANGE"),
    "a model's parts that are not all there": (
        changed(BERTSCORE, parts={"precision": 0.9}), "RESULT-FORMAT"),
    "a text for the name of a part": (changed(BERTSCORE, parts={
        "precision": 0.9, "recall": 0.9, "<b>gold</b>": 0.5}), "RESULT-FORMAT"),
    "a model's bounds": (changed(BERTSCORE, flagged=1), "RESULT-DIFFERS"),
    "another signature of a model's": (changed(BERTSCORE, signature="mine"), "RESULT-DIFFERS"),
    "no test of a model's against the null": (
        changed(BERTSCORE, versus_null=None), "RESULT-RANGE"),
    "no null of a model's": (changed(BERTSCORE, null=None, versus_null=None), "RESULT-RANGE"),
    "a model's null out of range": (changed(BERTSCORE, null=-1.5), "RESULT-RANGE"),
    "a model is better than its null by chance": (
        changed(BERTSCORE, versus_null=VersusNull(1.0, True, "permutation")), "RESULT-RANGE"),
    "a model is better than its null though below it": (
        changed(BERTSCORE, null=1.0), "RESULT-RANGE"),
    "fewer flips than there were": (
        changed(BERTSCORE, versus_null=VersusNull(1e-5, True, "permutation")), "RESULT-RANGE"),
    "another test": (
        changed(BERTSCORE, versus_null=VersusNull(0.01, True, "mcnemar")), "RESULT-RANGE"),
    "a model's score above all": (scored(BERTSCORE, value(1.5, PASSED)), "RESULT-RANGE"),
    "a bound where the model gives none": (
        scored(BERTSCORE, lambda found, score: score._replace(flag="gold")), "RESULT-RANGE"),
}.items()} | {
    "other tables": (LABELS, counted("confusion", lambda table: {
        row: dict(reversed(list(zip(cells, reversed(cells.values()), strict=True))))
        for row, cells in table.items()}), "RESULT-DIFFERS"),
    "a slice that nobody knows": (LABELS, recounted(lambda counts: counts["slices"].update(
        {"secret": {"items": 1, "right": 1}})), "RESULT-DIFFERS"),
    "a label that nobody knows": (LABELS, recounted(lambda counts: counts["confusion"]["1"].update(
        {"3": 1})), "RESULT-DIFFERS"),
    "a table left out": (LABELS, recounted(lambda counts: counts.pop("confusion")),
                         "RESULT-DIFFERS"),
    "a count that nobody knows": (LABELS, recounted(lambda counts: counts.update({"noise": 1})),
                                  "RESULT-DIFFERS"),
    "a larger slice": (LABELS, recounted(lambda counts: counts["slices"]["as-long"].update(
        {"items": 49})), "RESULT-DIFFERS"),
    "a row of a table twice": (LABELS, recounted(lambda counts: counts["confusion"].update(
        {"1": counts["confusion"]["2"]})), "RESULT-DIFFERS"),
    "an item left out": (COPY, fewer, "RESULT-DIFFERS"),
    "an item left out of a row that answers with gold": (HELD_OUT, fewer, "RESULT-DIFFERS"),
    "no word of the gold that such a row was not scored against": (HELD_OUT, lambda told: replace(
        told, provenance={**told.provenance, "gold": {
            name: one for name, one in told.provenance["gold"].items() if name != "against"}}),
        "RESULT-DIFFERS"),
}


@pytest.mark.claim("Scores on public gold that need no model are computed again before they are "
                   "published.")
@pytest.mark.parametrize("case", FORGED)
def test_what_contradicts_the_files_or_itself_is_refused(case: str, tmp_path: Path) -> None:
    path, forge, code = FORGED[case]
    assert outcome(path, tmp_path, forge) == ("error", code)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: "/".join(path.parts[-4:]))
def test_a_committed_result_would_be_believed(path: Path, tmp_path: Path) -> None:
    assert outcome(path, tmp_path, lambda told: told) == ("scored", "")


def test_a_score_that_nobody_computed_again_is_not_published(tmp_path: Path) -> None:
    outcome(GRAPHS, tmp_path, lambda told: told)
    job = job_of(results.read(GRAPHS))
    assert artifact.read(tmp_path, job, boards.load(job.board)) == artifact.Outcome("untried")


def test_last_digits_may_differ_between_machines(tmp_path: Path) -> None:
    honest = results.read(GRAPHS).metrics["GED"]
    assert honest.value is not None
    assert honest.clustered_se is not None
    near = changed("GED", value=honest.value + 5e-9, clustered_se=honest.clustered_se + 1e-6)
    assert outcome(GRAPHS, tmp_path, near) == ("scored", "")
    far = changed("GED", value=honest.value + 5e-8)
    assert outcome(GRAPHS, tmp_path, far) == ("error", "RESULT-DIFFERS")


def test_what_is_published_has_the_publishers_digits(tmp_path: Path) -> None:
    """A score a hair above 0 would win its item in every paired test."""

    def nearly(told: Result) -> Result:
        return replace(told, items=tuple(replace(item, scores={
            name: score._replace(value=score.value or 1e-8) if name == "StCA" else score
            for name, score in item.scores.items()}) for item in told.items))

    assert outcome(GRAPHS, tmp_path, nearly) == ("scored", "")
    told = results.read(GRAPHS)
    job = job_of(told)
    found = artifact.read(tmp_path, job, boards.load(told.board), own=own_of(job))
    assert found.files[job.items_path] == results.items_path(GRAPHS).read_bytes()
    assert found.files[job.result_path] == GRAPHS.read_bytes()
    assert found.result is not None
    assert {item.scores["StCA"].value for item in found.result.items} == {0.0, 1.0}


def test_a_model_may_be_missing_on_the_machine_that_scores(tmp_path: Path) -> None:
    """Then nothing names it."""

    def without(told: Result) -> Result:
        metrics = {**told.metrics, BERTSCORE: MetricValue(BERTSCORE, None, "not at hand", n=40)}
        items = tuple(replace(item, scores={
            name: score for name, score in item.scores.items() if name != BERTSCORE})
            for item in told.items)
        made = replace(told, metrics=metrics, items=items,
                       provenance={**told.provenance, "models": {}})
        return replace(made, provenance={**made.provenance, "key": key(made)})

    assert outcome(GRAPHS, tmp_path, without) == ("scored", "")
    gone = MetricValue("GED", None, "not at hand", n=40)
    assert outcome(GRAPHS, tmp_path, lambda told: replace(
        without(told), metrics={**without(told).metrics, "GED": gone})) == (
            "error", "RESULT-DIFFERS")


# ---- metrics of judges -----------------------------------------------------------------------


@cache
def practice() -> Board:
    """The practice board with both metrics of judges."""
    board = boards.load("explagraphs-practice")
    return replace(board, metrics=(*board.metrics, "SeCA", "EA"))


class LengthJudge:
    """Is the surer of its second label the longer a text is."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels

    def probabilities(self, pairs: Sequence[TextPair]) -> Any:
        found = np.zeros((len(pairs), len(self.labels)), np.float32)
        found[:, 1] = [len(pair.second) / 2_000 for pair in pairs]
        found[:, 0] = 1 - found[:, 1]
        return found


def _judge(name: str) -> Any:
    labels = {"seca": ("support", "counter", "incorrect"), "ea": ("counter", "support")}
    if name not in labels:
        raise NotMeasured("not at hand")
    return LengthJudge(labels[name])


def _no_model(name: str) -> Any:
    raise NotMeasured("not asked for")


@cache
def evaluated(models: Callable[[str], Any]) -> tuple[Result, Own]:
    """The gold graphs scored with some models, as a whole result and as the publisher's own."""
    board = practice()
    path = board.data_file("dev", Path())
    assert path is not None
    golds = read_golds(board, "dev", path)
    system = ROOT / "submissions/explagraphs-practice/reference/edited-gold/predictions.dev.tsv"
    rows = [line.split("\t") for line in system.read_text("utf-8").splitlines()]
    predictions = [Prediction(label, Graph(graph)) for label, graph in rows]
    made = Session(board, models, lambda name: f"judge:{name}").evaluate(
        golds.items, predictions, split="dev", gold_id=GoldId(golds.sha256, 1))
    provenance = {**made.provenance, "predictions": {"sha256": "0" * 64, "rows": 40}}
    made = replace(made, provenance=provenance)
    made = replace(made, provenance={**provenance, "key": key(made)})
    made = results.from_bytes(json_bytes(results.to_json(made)), results.items_bytes(made))
    return made, Own(made, tuple(clusters_of(board, golds.items)))


def of_judge(metric: str, change: Callable[[ItemScore], ItemScore]) -> Forge:
    """Other scores of the graphs that a judge read."""
    return scored(metric, lambda found, score: change(score) if found == PASSED else score)


def test_scores_of_judges_are_taken_as_told() -> None:
    told, _ = evaluated(_judge)
    agreement.agreed(told, practice(), evaluated(_no_model)[1])
    assert {name for name, one in told.metrics.items() if one.value} >= {"SeCA", "EA"}


def test_graphs_of_too_many_edges_for_a_judge_are_taken_as_told() -> None:
    told = of_judge("EA", lambda _: UNJUDGED)(evaluated(_judge)[0])
    agreement.agreed(told, practice(), evaluated(_no_model)[1])
    assert told.metrics["EA"].flagged > 0


@pytest.mark.parametrize("forge", [
    of_judge("SeCA", lambda score: score._replace(value=0.5)),
    of_judge("SeCA", lambda score: score._replace(flag="a bound")),
    of_judge("EA", lambda score: score._replace(flag=UNJUDGED.flag)),
    of_judge("EA", lambda score: UNJUDGED._replace(value=1.0)),
    of_judge("EA", lambda score: score._replace(value=-0.5)),
    changed("SeCA", null=1 / 3),
    changed("SeCA", versus_null=VersusNull(0.01, True, "permutation")),
    changed("SeCA", versus_null=VersusNull(2 * 0.5**41, True, "mcnemar")),
])
def test_scores_of_judges_that_cannot_be_are_refused(forge: Forge) -> None:
    with pytest.raises(Refused, match="RESULT-RANGE"):
        agreement.agreed(forge(evaluated(_judge)[0]), practice(), evaluated(_no_model)[1])


@pytest.mark.parametrize(("metric", "score"), [
    ("EA", ItemScore(-0.5)), ("EA", ItemScore(1.5)), ("SeCA", ItemScore(0.5)),
    ("METEOR", ItemScore(-1.0)),
])
def test_numbers_that_no_model_gives_are_refused(metric: str, score: ItemScore) -> None:
    with pytest.raises(Refused, match="RESULT-RANGE"):
        agreement._believed(METRICS[metric], score)


def test_a_value_without_its_parts_is_no_result() -> None:
    forge = changed("EA", parts={})
    with pytest.raises(Refused, match="RESULT-FORMAT"):
        agreement.agreed(forge(evaluated(_judge)[0]), practice(), evaluated(_no_model)[1])
