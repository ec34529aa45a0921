"""R4C: its metrics against its own evaluator, and its board made of its own files."""

import json
import random
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from statistics import fmean
from typing import Any

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as some

from scorer.cli import main
from scorer.core.records import Edge, ItemScore
from scorer.metrics.catalogue import METRICS
from scorer.metrics.matching import AnyPair as Pair
from scorer.metrics.r4c import edit_similarity, edits
from tests import case_files

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("R4C-E", "R4C-R", "R4C-ER")
TEXTS = some.text("abcä ", max_size=70)
EDGES = some.lists(some.builds(Edge, *[some.text("ab", max_size=4)] * 3), max_size=4)

PRINTED = case_files.read("r4c.yaml")
"""What the evaluator prints; ``tests/r4c_evaluator.py`` runs it."""


def prf(score: ItemScore) -> tuple[float, float, float]:
    return score.parts["precision"], score.parts["recall"], score.value


# ---- by the definition -----------------------------------------------------------------------


@given(TEXTS, TEXTS)
def test_edits_are_those_of_nltk(first: str, second: str) -> None:
    assert edits(first, second) == nltk.edit_distance(first, second)


def test_a_text_has_nothing_in_common_with_an_empty_one_which_equals_another() -> None:
    assert edit_similarity("", "abc") == 0
    assert edit_similarity("", "") == 1, "the evaluator divides by 0; no graph has such a text"


@given(EDGES, some.lists(EDGES.filter(bool), min_size=1, max_size=3))
def test_the_alignment_is_the_best_of_all(predicted: list[Edge], golds: list[list[Edge]]) -> None:
    def total(gold: Sequence[Edge]) -> float:
        short, long = sorted((predicted, gold), key=len)
        return max((sum(fmean(map(edit_similarity, one, other))
                        for one, other in zip(short, chosen, strict=True))
                    for chosen in permutations(long, len(short))), default=0.0)

    [score] = METRICS["R4C-ER"].compute([(predicted, golds)])
    most = max(map(total, golds))
    assert score.parts["precision"] == pytest.approx(most / max(1, len(predicted)))
    assert any(score.parts["recall"] == pytest.approx(most / len(gold)) for gold in golds)


def test_the_gold_with_the_greatest_sum_counts_though_another_has_a_greater_f1() -> None:
    fact, other = Edge("ed", "is", "a poet"), Edge("he", "has", "a car")
    near = Edge("ed", "is", "a poet?")
    # S = 1 of 3 edges; or (1 + 6/7) / 2 of 1 edge, whose F1 is far greater.
    [score] = METRICS["R4C-E"].compute([([fact], [[near], [fact, other, other]])])
    assert prf(score) == (1 / 1, 1 / 3, 2 * 1 * (1 / 3) / (1 + 1 / 3))


def test_on_ties_the_first_gold_counts() -> None:
    fact, other = Edge("ed", "is", "a poet"), Edge("x", "y", "z")
    scores = METRICS["R4C-ER"].compute(
        [([fact], [[fact], [fact, other]]), ([fact], [[fact, other], [fact]])])
    assert [score.parts["recall"] for score in scores] == [1, 1 / 2]


@pytest.mark.parametrize("metric", NAMES)
def test_edge_cases_score_as_every_metric_scores_them(metric: str) -> None:
    gold = [Edge("ed", "is", "a poet"), Edge("ed", "lived in", "ohio")]
    scores = METRICS[metric].compute(
        [([], [gold]), (gold, [gold]), (gold[::-1], [gold]), (gold[:1], [gold])])
    assert [prf(score)[:2] for score in scores] == [(0, 0), (1, 1), (1, 1), (1, 1 / 2)]


# ---- against the evaluator, on the data ------------------------------------------------------


@pytest.fixture(scope="module")
def source(outside: Path) -> Path:
    """R4C's files, as its authors publish them."""
    return outside / "r4c"


def edges(derivation: Sequence[Any]) -> list[Edge]:
    return [Edge(*(text.lower() for text in texts)) for _, _, texts in derivation]


@pytest.mark.claim("R4C's metrics equal its own evaluator on the predictions that its authors "
                   "released.")
@pytest.mark.parametrize("predictions", PRINTED["released"])
@pytest.mark.slow
def test_released_predictions_score_as_the_unchanged_evaluator_scores_them(
    source: Path, predictions: str,
) -> None:
    golds = json.loads((source / "dev_csf.json").read_bytes())
    answers = json.loads((source / f"{predictions}.json").read_bytes())["re"]
    drawn = random.Random(3)  # as the evaluator orders the golds of each item, for ties
    for metric in NAMES:
        pairs: list[Pair] = [
            (edges(answers[name]), [edges(gold) for gold in drawn.sample(graphs, 3)])
            for name, graphs in golds.items() if name in answers]
        scores = METRICS[metric].compute(pairs)
        means = [fmean(column) for column in zip(*map(prf, scores), strict=True)]
        assert means == pytest.approx(PRINTED["released"][predictions][metric], abs=1e-12)


@pytest.fixture(scope="module")
def home(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the board's data and rows by others."""
    home = tmp_path_factory.mktemp("r4c")
    assert main(["data", "fetch", "r4c", "--from", str(source), "--home", str(home)]) == 0
    assert main(["board", "check", "r4c", "--home", str(home)]) == 0
    return home


@pytest.mark.parametrize("system", PRINTED["our rows"])
@pytest.mark.slow
def test_rows_by_others_score_as_the_evaluator_scores_their_texts(home: Path, system: str) -> None:
    out, printed = home / f"{system}.json", PRINTED["our rows"][system]
    assert main(["score", str(home / "submissions/r4c/third-party" / system), "--home", str(home),
                 "--metrics", ",".join(NAMES), "--no-null", "--json", str(out), "--quiet"]) == 0
    result = json.loads(out.read_bytes())
    assert (result["counts"]["items"], result["counts"]["struct_correct"]) == (
        2209, printed["answered"])
    for metric in NAMES:
        value = result["metrics"][metric]
        assert "over:best" in value["signature"]
        # The evaluator's means run over the items that a file answers.
        assert [value[part] * 2209 / printed["answered"]
                for part in ("precision", "recall", "value")] == pytest.approx(
                    printed[metric], abs=1e-9)


@pytest.mark.site
def test_on_pages_the_oracle_has_no_rank_and_no_row_speaks_of_a_label(tmp_path: Path) -> None:
    from scorer.site.reading.read import read_site

    for name in ("boards", "results"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "r4c").symlink_to(ROOT / name / "r4c")
    [board] = read_site(tmp_path, tmp_path / "home").boards
    [dev] = [split for split in board.splits if split.name == "dev"]
    assert {entry.system for entry in dev.entries if entry.never_ranked} == {"oracle"}
    assert {entry.null_key(dev.board) for entry in dev.entries} == {"reference/null"}
    # Without submission.yaml, by words that are true of a board that asks for no label.
    titles = {entry.key: entry.title for entry in dev.entries}
    assert titles["reference/null"] == "Null graph"
    assert not any("stance" in entry.about.description.lower() for entry in dev.entries)
    oracle = dev.document.by_key["third-party/oracle"]
    assert oracle.values["R4C-ER"].v is not None
    assert (oracle.rank, oracle.unranked) == (None, "not a system of its own")
