"""``scorer compare``: what it says of two rows, and when it says nothing."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards.submission import CONSTRAINED
from scorer.cli import main
from scorer.commands import options
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.scoring import score_output
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from tests.fuzz_helpers import RUNNER_COMMAND
from tests.values import made_result, metric_value

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
N = 400
ON_DEV = ("--board", "explagraphs-practice", "--split", "dev")
BASE = "board:explagraphs-1.0|golds:1|gold:0a0a0a0a0a0a|scorer:1"


def write(
    folder: Path, team: str, columns: dict[str, Sequence[float]], *, base: str = BASE,
    items: bool = True, tags: Sequence[str] = (), broken: Sequence[int] = (),
) -> None:
    """One row's result below ``folder``: metric -> one score an item; ``broken``: from 0."""
    n = len(next(iter(columns.values())))
    result = made_result(
        "explagraphs", "1.0", "explanation_graphs", "dev",
        {"items": n, "broken": {}, "strict": {}},
        {name: metric_value(sum(scores) / n, n=n, signature=f"{name}|{base}",
                           passed=2 * sum(scores) / n, n_passed=n // 2)
         for name, scores in columns.items()},
        tuple(ItemResult(row + 1,
                         Verdict("struct_incorrect" if row in broken else "struct_correct"),
                         {name: ItemScore(scores[row]) for name, scores in columns.items()})
              for row in range(n)),
        team=team, system="x", **({"tags": [*tags]} if tags else {}))
    written = results.write(result, folder)
    if not items:
        written[0].unlink()


def ones(count: int, n: int = N) -> list[float]:
    return [1.0] * count + [0.0] * (n - count)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of rows, by teams; every system is x."""
    folder = tmp_path_factory.mktemp("results")
    slope = [row / N for row in range(N)]
    write(folder, "a174", {"SeCA": ones(174)})
    write(folder, "a170", {"SeCA": ones(170)})
    write(folder, "b50", {"StCA": ones(50), "GED": [0.5 * one for one in slope], "EA": slope})
    write(folder, "b90", {"StCA": ones(90), "GED": slope})
    # 300 items passed in both; GED is 1 on the first 60 of c60 and on the first 30 of c30
    write(folder, "c60", {"GED": ones(60)}, broken=range(350, N))
    write(folder, "c30", {"GED": ones(30)}, broken=range(250, 300), tags=[CONSTRAINED])
    write(folder, "c0", {"GED": ones(30)}, broken=[*range(250), *range(300, N)])
    write(folder, "other", {"StCA": ones(50)}, base=BASE.replace("scorer:1", "scorer:2"))
    write(folder, "bare", {"StCA": ones(50)}, items=False)
    write(folder / "home", "bare", {"StCA": ones(50)})
    write(folder, "fewer", {"StCA": ones(50, N - 1)})
    return folder


def words(folder: Path, names: str, *more: str) -> list[str]:
    return ["compare", *(f"{name}/x" if "/" not in name else name for name in names.split()),
            "--board", "explagraphs", "--split", "dev", "--results", str(folder), *more]


@pytest.fixture
def compared(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
             ) -> Callable[..., tuple[str, dict[str, Any]]]:
    """The text and the document of a comparison."""
    def run(names: str, *more: str) -> tuple[str, dict[str, Any]]:
        assert main(words(world, names, "--json", str(tmp_path / "out.json"), *more)) == 0
        return capsys.readouterr().out, json.loads((tmp_path / "out.json").read_bytes())

    return run


def test_174_and_170_of_400_do_not_differ_significantly(compared: Any) -> None:
    text, document = compared("a174 a170")
    [line] = [line for line in text.splitlines() if line.startswith("  SeCA   ")]
    # Bonett and Price: 4 / 402 -+ 1.96 * sqrt((6 / 402 - (4 / 402)^2) / 402) = .00995 -+ .01190
    assert line.split() == ["SeCA", "43.5", "42.5", "+1.0", "-0.2", "to", "+2.2",
                            ".12", ".062", "4", "0", "396", "exact", "McNemar"]
    assert ("SeCA: no significant difference: 4 items differ and the lead is 4; "
            "significance needs 6") in text
    assert "A wins on row 171, 172, 173, 174\n" in text
    assert "B wins" not in text
    assert document["not_compared"].keys() >= {"SA", "EA"}


def test_the_better_is_named_and_every_row_is_in_the_json(compared: Any) -> None:
    text, document = compared("b50 b90")
    assert "StCA: B is better (matched odds ratio 0.00)" in text
    assert "GED: A is better (lower is better; Cohen's d_z 1.73)" in text  # .25 over .5 / sqrt(12)
    assert "B wins on row 51, 52, 53, 54, 55 and 35 more" in text
    assert "EA: not compared: not measured for one of them or both" in text
    assert "passed" not in text
    stca = document["metrics"]["StCA"]
    assert stca["losses"] == list(range(51, 91))
    assert (stca["better"], stca["ties"], stca["difference"]) == ("B", 360, -0.1)
    assert stca["p"] == pytest.approx(2 * 0.5**40)
    assert document["metrics"]["GED"]["p_mid"] is None


def test_graphs_that_passed_and_those_that_both_passed_are_in_the_json(compared: Any) -> None:
    _, document = compared("c60 c30")
    assert document["tags"] == {"a": [], "b": [CONSTRAINED]}
    assert document["passed"] == {"GED": {"a": {"value": .3, "n": 200},
                                          "b": {"value": .15, "n": 200}}}
    found = document["both_passed"]["GED"]
    assert (found["n"], found["a"], found["b"], found["better"]) == (300, .2, .1, "B")
    assert "wins" not in found
    assert compared("c0 c30")[1]["both_passed"] == {}


def test_the_document_alone_goes_to_standard_output_and_commands_no_runner(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(world, "b50 bare", "--results", str(world / "home"), "--metric", "StCA",
                      "--json", "-")) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document["metrics"]) == ["StCA"]
    assert document["metrics"]["StCA"]["verdict"] == (
        "no significant difference: they score the same on every item")
    document = {"a": "##[group]x\u202e\U000e0001", "\x1b": ["::error::x"]}
    options.write_json("-", document)
    out = capsys.readouterr().out
    assert json.loads(out) == document
    assert not RUNNER_COMMAND.search(out)
    assert out.isascii()


def test_numbers_of_the_whole_split_are_compared_by_swapping_and_resampling_items(
    capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["copy-first", "nearest-neighbour"]
    assert main(["compare", *(f"reference/{row}" for row in rows), "--board", "anlg-practice",
                 "--split", "dev", "--results", str(RESULTS), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["not_compared"] == {}
    saved = [results.read(RESULTS / "anlg-practice/reference" / row / "dev.json") for row in rows]
    for metric in ("BLEU-1", "BLEU-4"):
        found = document["metrics"][metric]
        assert [found["a"], found["b"]] == [one.metrics[metric].value for one in saved]
        assert (found["test"], found["interval"]["method"]) == ("permutation", "bootstrap")
        assert found["verdict"] == "no verdict: 40 items, fewer than 100"
    assert document["metrics"]["BLEU-1"]["p"] < 0.01


@pytest.mark.parametrize(("code", "message", "names", "more"), [
    (2, "StCA cannot be compared: different signatures (scorer: 1 / 2); score both with the same\n",
     "bare other", "--results {}/home"),
    (2, "StCA cannot be compared: different signatures (scorer: 1 / 2)", "b50 other",
     "--metric StCA"),
    (2, "EA cannot be compared: not measured for one of them or both", "b50 b90",
     "--metric StCA --metric EA"),
    (2, "has no metric 'BLEU'; choose from: SA, StCA", "b50 b90", "--metric BLEU"),
    (2, "bare/x: the items of its result for explagraphs dev are not at hand", "bare b50", ""),
    (2, "gold is reported, so there are no scores of single items", "b50 b90", "--split test"),
    (3, "the saved items of b50/x and fewer/x are not the same items; score both again\n",
     "b50 fewer", ""),
    (2, "b50/x twice; name two systems or logs", "b50 b50", ""),
    (2, "'a/x/dev'; expected TEAM/SYSTEM", "a/x/dev b50", ""),
    (2, "b50/y has no result for explagraphs dev in", "b50/y b50", ""),
])
def test_what_cannot_be_compared_is_refused_with_the_reason(
    code: int, message: str, names: str, more: str, world: Path, fails: Callable[..., None]
) -> None:
    fails(code, message, *words(world, names, *more.format(world).split()))


@pytest.mark.parametrize("arguments", [
    ["score", "/"], ["score", "/usr"], ["compare", "/usr", "a/b", *ON_DEV],
])
def test_a_folder_too_near_the_root_is_no_submission(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, fails: Callable[..., None]
) -> None:
    monkeypatch.setattr("scorer.boards.submission.splits_in", lambda folder: ("dev",))
    fails(2, f"{arguments[1]} is no submission's folder; name submissions/<board>/<team>/<system>",
          *arguments)


# ---- beside the leaderboard ------------------------------------------------------------------


def test_ranks_of_the_leaderboard_stand_below_a_result() -> None:
    known = documents.read(documents.path_of(RESULTS, "explagraphs", "dev"))
    t5 = next(row for row in known.rows if row.key == "third-party/t5")
    assert t5.rank
    board = boards.load("explagraphs", ROOT / "boards")
    result = results.read(results.result_path(RESULTS, "explagraphs", "third-party", "t5", "dev"))
    ranked = sum(one.rank is not None for one in known.rows)
    text = score_output.placed(board, result, [RESULTS])
    assert text.startswith(f"  beside the {ranked - 1} ranked systems here it would rank "
                           f"{t5.rank[0]} to {t5.rank[1]} by StCA, below ")
    assert text.endswith("; it has no rank until it is published")
    assert score_output.placed(board, result, []) == ""
