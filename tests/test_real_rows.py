"""Rows of real systems as they are committed: figures, ranks, and what they say together.

Everything is made of ``results/`` alone, as a fresh clone has it. ``make rows`` makes these files
again from the sources that ``boards/*/others.yaml`` names.
"""

from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from scorer import boards
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import files
from scorer.scoring.results.ranks import ComparisonGroup, comparison_groups, scores_of
from scorer.statistics import ALPHA
from scorer.statistics.comparison import smallest_gap
from scorer.statistics.ranks import Pairwise, holm
from tests import case_files

pytestmark = pytest.mark.whole

RESULTS = Path(__file__).parent.parent / "results"
MEASURED: dict[str, dict[str, dict[str, float]]] = case_files.read("measured.yaml")


@cache
def committed(board: str, split: str, team: str = "*") -> tuple[Result, ...]:
    """The committed results of a split, each with its items."""
    return tuple(map(files.read, sorted(RESULTS.glob(f"{board}/{team}/*/{split}.json"))))


@cache
def group(board: str, split: str, metric: str) -> ComparisonGroup:
    """The rows that are ranked among each other, as leaderboards compare them."""
    described = boards.load(board)
    unranked = {row.system for row in described.third_party if not row.ranked}
    rows = {f"{one.team}/{one.system}": one for one in committed(board, split)}
    scores = {key: scores_of(one, metric, described.split(split).rows)
              for key, one in rows.items() if metric in one.metrics}
    return next(comparison_groups(rows, METRICS[metric], scores, barred={
        key for key, one in rows.items() if one.system in unranked}))


@pytest.mark.claim("Nine systems of others on ExplaGraphs dev have the values that were measured "
                   "before, to four digits.")
@pytest.mark.parametrize("name", MEASURED)
def test_systems_of_others_have_the_figures_measured_before(name: str) -> None:
    board, split = name.split()
    rows = {one.system: one for one in committed(board, split, "third-party")}
    assert sorted(rows) == sorted(MEASURED[name])
    assert {len(one.items) for one in rows.values()} == {boards.load(board).split(split).rows}
    for system, values in MEASURED[name].items():
        found = {metric: round(rows[system].metrics[metric].value or 0,
                               6 if board == "anlg" else 4) for metric in values}
        assert found == values, system
        of_models = ("G-BERTScore[minilm-l6]", "SeCA", "EA") if board == "explagraphs" else ()
        assert all(rows[system].metrics[metric].value is not None for metric in of_models)


@pytest.mark.claim("A fresh clone without any download ranks the systems of ExplaGraphs dev, aNLI "
                   "test, and EntailmentBank dev and test.")
@pytest.mark.parametrize(("board", "split", "metric", "rows"), [
    ("explagraphs", "dev", "StCA", 10), ("anli", "test", "accuracy", 5),
    ("entailment-bank", "dev", "Steps-AC", 2), ("entailment-bank", "test", "Steps-AC", 2),
])
def test_systems_are_ranked_from_committed_items(
    board: str, split: str, metric: str, rows: int,
) -> None:
    ranks = group(board, split, metric).ranks
    assert ranks.why_not == ""
    assert len(ranks.holm) == rows


def test_an_oracle_is_no_system_and_takes_no_rank() -> None:
    assert "third-party/oracle" not in group("r4c", "dev", "R4C-ER").eligible


def test_what_398_items_can_show() -> None:
    found = group("explagraphs", "dev", "StCA")
    assert smallest_gap([found.scores[key] for key in found.eligible], binary=True) == (
        22 / 398), "5.5 points"


def separate(pairs: Pairwise) -> list[tuple[str, str]]:
    """The pairs of rows that differ, corrected by Holm over all of them."""
    both = [*combinations(range(len(pairs.keys)), 2)]
    corrected = holm([float(pairs.p[pair]) for pair in both])
    return [(pairs.keys[one], pairs.keys[two])
            for (one, two), p in zip(both, corrected, strict=True) if p <= ALPHA]


T5S = [f"third-party/{name}" for name in MEASURED["explagraphs dev"] if name != "cocogen-codex"]


@pytest.mark.claim("No published training trick is significantly better than plain T5 on "
                   "ExplaGraphs dev (StCA).")
def test_no_training_trick_beats_plain_t5_on_valid_structure() -> None:
    pairs = group("explagraphs", "dev", "StCA").pairs
    assert pairs is not None
    pairs = pairs.among(T5S)
    plain, best = map(pairs.keys.index, ("third-party/t5", "third-party/max-margin-reproduced"))
    assert len(pairs.keys) == 1 + 7
    assert not (pairs.p[plain] <= ALPHA).any(), "not even one by itself"
    assert (pairs.wins[best, plain], pairs.wins[plain, best]) == (66, 50)
    readme = (RESULTS.parent / "README.md").read_text("utf-8").replace("\n", " ")
    assert "wins 66 items and loses 50 (StCA, exact p = .16)" in readme
    assert pairs.p[best, plain] == pytest.approx(.16, abs=.005)


@pytest.mark.claim("No metric separates any two of eight T5 systems on ExplaGraphs dev; all that "
                   "separate a pair of the nine separate Codex from others.")
def test_metrics_separate_codex_from_the_others_and_no_two_of_the_others() -> None:
    codex = "third-party/cocogen-codex"
    separated = {}
    for metric in ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "G-BERTScore[minilm-l6]",
                   "GED"):
        pairs = group("explagraphs", "dev", metric).pairs
        assert pairs is not None
        among = pairs.among(T5S)
        assert len(among.keys) == 8
        assert not (among.p <= ALPHA).any(), metric
        nine = separate(pairs.among([*T5S, codex]))
        assert all(codex in pair for pair in nine)
        separated[metric] = len(nine)
    assert separated == {"SA": 0, "StCA": 2, "G-BLEU": 8, "G-ROUGE-2": 8, "G-ROUGE-L": 4,
                         "G-BERTScore[minilm-l6]": 5, "GED": 4}
