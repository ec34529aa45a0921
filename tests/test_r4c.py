"""R4C: its metrics against its own evaluator, and its board made of its own files."""

import json
import random
from collections.abc import Mapping, Sequence
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
from scorer.metrics.r4c import Pair, edit_similarity, edits, r4c_e, r4c_er, r4c_r

ROOT = Path(__file__).resolve().parent.parent
NAMES = {"R4C-E": r4c_e, "R4C-R": r4c_r, "R4C-ER": r4c_er}
TEXTS = some.text("abcä ", max_size=70)
EDGES = some.lists(some.builds(Edge, *[some.text("ab", max_size=4)] * 3), max_size=4)

# python tests/r4c_evaluator.py CHECKOUT bm_core; the same with oracle.
RELEASED = {
    "bm_core": {"R4C-E": (0.6643890862327069, 0.6014629632548585, 0.6210731986843476),
                "R4C-R": (0.5098272899448381, 0.4603421519028085, 0.47480604306804236),
                "R4C-ER": (0.5935004735567698, 0.5363943476178915, 0.5540513897328609)},
    "oracle": {"R4C-E": (0.8337462053395548, 0.8105650460879601, 0.8141858007305668),
               "R4C-R": (0.7233298425880832, 0.6938712184540408, 0.6998523774532917),
               "R4C-ER": (0.7766428101739287, 0.7509994412239422, 0.7556230100607788)},
}

# python tests/r4c_evaluator.py CHECKOUT bm_core --in-order --board HOME/data/r4c; and oracle.
ON_OUR_ROWS = {
    "core": {"R4C-E": (0.6643858281273184, 0.6021120131004086, 0.6213824589566479),
             "R4C-R": (0.5097477744555463, 0.4613664266768805, 0.4754070189134874),
             "R4C-ER": (0.5934949869660887, 0.5367345824736584, 0.5542792293953627)},
    "oracle": {"R4C-E": (0.8337462053395548, 0.8121033106475154, 0.8151087594662999),
               "R4C-R": (0.7238628916285949, 0.7034387653350205, 0.7058061251980843),
               "R4C-ER": (0.7768277160741605, 0.7511819394952646, 0.755806471383665)},
}
ANSWERED = {"core": 2209, "oracle": 67}
"""Items of dev, of 2,209, that each file answers; the evaluator's means run over these."""


def prf(score: ItemScore) -> tuple[float, float, float]:
    return score.parts["precision"], score.parts["recall"], score.value


# ---- by the definition -----------------------------------------------------------------------


@given(TEXTS, TEXTS)
def test_edits_are_those_of_nltk(first: str, second: str) -> None:
    assert edits(first, second) == nltk.edit_distance(first, second)


def test_texts_are_alike_by_the_length_of_the_longer_one() -> None:
    assert edit_similarity("is", "was") == 1 - 2 / 3
    assert edit_similarity("", "abc") == 0
    assert edit_similarity("", "") == 1, "the evaluator divides by 0; no graph has such a text"


@given(EDGES, some.lists(EDGES.filter(bool), min_size=1, max_size=3))
def test_the_alignment_is_the_best_of_all(
    predicted: list[Edge], golds: list[list[Edge]],
) -> None:
    def total(gold: Sequence[Edge]) -> float:
        short, long = sorted((predicted, gold), key=len)
        return max((sum(fmean(map(edit_similarity, one, other))
                        for one, other in zip(short, chosen, strict=True))
                    for chosen in permutations(long, len(short))), default=0.0)

    [score] = r4c_er([(predicted, golds)])
    most = max(map(total, golds))
    assert score.parts["precision"] == pytest.approx(most / max(1, len(predicted)))
    assert any(score.parts["recall"] == pytest.approx(most / len(gold)) for gold in golds)


def test_the_gold_with_the_greatest_sum_counts_though_another_has_a_greater_f1() -> None:
    fact, other = Edge("ed", "is", "a poet"), Edge("he", "has", "a car")
    near = Edge("ed", "is", "a poet?")
    # S = 1 of 3 edges; or (1 + 6/7) / 2 of 1 edge, whose F1 is far greater.
    [score] = r4c_e([([fact], [[near], [fact, other, other]])])
    assert prf(score) == (1 / 1, 1 / 3, 2 * 1 * (1 / 3) / (1 + 1 / 3))


def test_on_ties_the_first_gold_counts() -> None:
    fact, other = Edge("ed", "is", "a poet"), Edge("x", "y", "z")
    scores = r4c_er([([fact], [[fact], [fact, other]]), ([fact], [[fact, other], [fact]])])
    assert [score.parts["recall"] for score in scores] == [1, 1 / 2]


@pytest.mark.parametrize("metric", NAMES)
def test_edge_cases_score_as_every_metric_scores_them(metric: str) -> None:
    gold = [Edge("ed", "is", "a poet"), Edge("ed", "lived in", "ohio")]
    scores = NAMES[metric]([([], [gold]), (gold, [gold]), (gold[::-1], [gold]), (gold[:1], [gold])])
    assert [prf(score)[:2] for score in scores] == [(0, 0), (1, 1), (1, 1), (1, 1 / 2)]
    assert METRICS[metric].function is NAMES[metric]


# ---- against the evaluator, on the data ------------------------------------------------------


@pytest.fixture(scope="module")
def source(data: Path) -> Path:
    """R4C's files, as its authors publish them."""
    folder = data / "outside" / "r4c"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


def edges(derivation: Sequence[Any]) -> list[Edge]:
    return [Edge(*(text.lower() for text in texts)) for _, _, texts in derivation]


@pytest.mark.claim("R4C's metrics equal its own evaluator on the predictions that its authors "
                   "released.")
@pytest.mark.parametrize("predictions", RELEASED)
@pytest.mark.slow
def test_released_predictions_score_as_the_unchanged_evaluator_scores_them(
    source: Path, predictions: str,
) -> None:
    golds = json.loads((source / "dev_csf.json").read_bytes())
    answers = json.loads((source / f"{predictions}.json").read_bytes())["re"]
    drawn = random.Random(3)  # as the evaluator orders the golds of each item, for ties
    for metric, function in NAMES.items():
        pairs: list[Pair] = [
            (edges(answers[name]), [edges(gold) for gold in drawn.sample(graphs, 3)])
            for name, graphs in golds.items() if name in answers]
        found = [fmean(column) for column in zip(*map(prf, function(pairs)), strict=True)]
        assert found == pytest.approx(RELEASED[predictions][metric], abs=1e-12)


@pytest.fixture(scope="module")
def rows(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The metrics of each row by others, through the board."""
    folder = tmp_path_factory.mktemp("r4c")
    home = ["--home", str(folder / "home")]
    assert main(["data", "fetch", "r4c", "--from", str(source), *home]) == 0
    assert main(["board", "check", "r4c", *home]) == 0
    found = {}
    for system in ("core", "oracle"):
        out = folder / f"{system}.json"
        assert main(["score", str(folder / "home/submissions/r4c/third-party" / system), *home,
                     "--metrics", ",".join(NAMES), "--no-null", "--json", str(out), "--quiet"]) == 0
        found[system] = json.loads(out.read_bytes())
    return found


@pytest.mark.parametrize("system", ON_OUR_ROWS)
@pytest.mark.slow
def test_rows_by_others_score_as_the_evaluator_scores_their_texts(
    rows: Mapping[str, Any], system: str,
) -> None:
    counts, metrics = rows[system]["counts"], rows[system]["metrics"]
    assert counts["items"] == 2209
    assert counts["struct_correct"] == ANSWERED[system]
    for metric, wanted in ON_OUR_ROWS[system].items():
        found = metrics[metric]
        assert "over:best" in found["signature"]
        assert [found[part] * 2209 / ANSWERED[system]
                for part in ("precision", "recall", "value")] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.site
def test_on_pages_the_oracle_has_no_rank_and_no_row_speaks_of_a_label(tmp_path: Path) -> None:
    from scorer.site.boards.leaderboards import leaderboard_of
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
    oracle = leaderboard_of(dev).rows["third-party/oracle"]
    assert oracle.values["R4C-ER"].v is not None
    assert (oracle.rank, oracle.unranked) == (None, "not a system of its own")
