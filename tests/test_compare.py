"""``scorer compare``: what it says of two rows, and when it says nothing."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir
from typing import Any

import pytest

from scorer import boards
from scorer.boards.submission import CONSTRAINED
from scorer.cli import main
from scorer.commands import options
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import PredictionsFile, PublicGold
from scorer.scoring import score_text
from scorer.scoring.comparing import on_leaderboard
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from tests.fuzz_helpers import RUNNER_COMMAND
from tests.values import made_result, metric_value

Fails = Callable[..., None]

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
N = 400
DIGEST = 64 * "0"
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
        gold=PublicGold(id="made", golds=1, public=True, sha256=DIGEST),
        predictions=PredictionsFile(sha256=DIGEST, rows=n), key=DIGEST, team=team,
        system="system", **({"tags": [*tags]} if tags else {}),
    )
    written = results.write(result, folder)
    if not items:
        written[0].unlink()


def ones(count: int, n: int = N) -> list[float]:
    return [1.0] * count + [0.0] * (n - count)


def words(folder: Path, *more: str, a: str = "a/system", b: str = "b/system") -> list[str]:
    return ["compare", a, b, "--board", "explagraphs", "--split", "dev", "--results", str(folder),
            *more]


@pytest.fixture
def compared(tmp_path: Path, capsys: pytest.CaptureFixture[str],
             ) -> Callable[..., tuple[str, dict[str, Any]]]:
    """The text and the document of a comparison of the results in ``tmp_path``."""
    def run(**names: str) -> tuple[str, dict[str, Any]]:
        assert main(words(tmp_path, "--json", str(tmp_path / "out.json"), **names)) == 0
        return capsys.readouterr().out, json.loads((tmp_path / "out.json").read_bytes())

    return run


def test_174_and_170_of_400_do_not_differ_significantly(tmp_path: Path, compared: Any) -> None:
    write(tmp_path, "a", {"SeCA": ones(174)})
    write(tmp_path, "b", {"SeCA": ones(170)})
    text, document = compared()
    [line] = [line for line in text.splitlines() if line.startswith("  SeCA   ")]
    # Bonett and Price: 4 / 402 -+ 1.96 * sqrt((6 / 402 - (4 / 402)^2) / 402) = .00995 -+ .01190
    assert line.split() == ["SeCA", "43.5", "42.5", "+1.0", "-0.2", "to", "+2.2",
                            ".12", ".062", "4", "0", "396", "exact", "McNemar"]
    assert ("SeCA: no significant difference: 4 items differ and the lead is 4; "
            "significance needs 6") in text
    assert "A wins on row 171, 172, 173, 174\n" in text
    assert "B wins" not in text
    assert document["not_compared"].keys() >= {"SA", "EA"}


def test_the_better_is_named_and_every_row_is_in_the_json(tmp_path: Path, compared: Any) -> None:
    slope = [row / N for row in range(N)]
    write(tmp_path, "a", {"StCA": ones(50), "GED": [0.5 * one for one in slope]})
    write(tmp_path, "b", {"StCA": ones(90), "GED": slope})
    text, document = compared()
    assert "StCA: B is better (matched odds ratio 0.00)" in text
    assert "GED: A is better (lower is better; Cohen's d_z 1.73)" in text  # .25 over .5 / sqrt(12)
    assert "B wins on row 51, 52, 53, 54, 55 and 35 more" in text
    assert "passed" not in text
    stca = document["metrics"]["StCA"]
    assert stca["losses"] == list(range(51, 91))
    assert (stca["better"], stca["ties"], stca["difference"]) == ("B", 360, -0.1)
    assert stca["p"] == pytest.approx(2 * 0.5**40)
    assert document["metrics"]["GED"]["p_mid"] is None


def test_beside_a_row_that_enforces_constraints_stand_the_graphs_that_passed(
    tmp_path: Path, compared: Any
) -> None:
    # 300 items passed in both; GED is 1 on the first 60 of A and on the first 30 of B
    write(tmp_path, "a", {"GED": ones(60)}, broken=range(350, N))
    write(tmp_path, "b", {"GED": ones(30)}, broken=range(250, 300), tags=[CONSTRAINED])
    write(tmp_path, "c", {"GED": ones(30)}, broken=[*range(250), *range(300, N)])
    text, document = compared()
    assert ("  B: constraints enforced in decoding; among graphs that passed every gate (of "
            "different items, so these do not compare):\n") in text
    assert "  on the 300 items that both passed:\n" in text
    each, both = [line for line in text.splitlines() if line.startswith("    GED ")]
    assert each.split() == ["GED", "0.300", "of", "200", "0.150", "of", "200"]
    assert both.split()[:7] == ["GED", "0.200", "0.100", "+0.100", "p", "<", ".001:"]
    assert both.endswith(": B is better")
    assert document["tags"] == {"a": [], "b": [CONSTRAINED]}
    assert document["passed"] == {"GED": {"a": {"value": .3, "n": 200},
                                          "b": {"value": .15, "n": 200}}}
    found = document["both_passed"]["GED"]
    assert (found["n"], found["a"], found["b"], found["better"]) == (300, .2, .1, "B")
    assert "wins" not in found
    assert "  no item that both passed\n" in compared(a="c/system")[0]


def test_the_document_alone_goes_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for team in ("a", "b"):
        write(tmp_path, team, {"StCA": ones(50), "SA": ones(60)})
    assert main(words(tmp_path, "--metric", "StCA", "--json", "-")) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document["metrics"]) == ["StCA"]
    assert document["metrics"]["StCA"]["verdict"] == (
        "no significant difference: they score the same on every item")


def test_a_document_on_standard_output_commands_no_runner(
    capsys: pytest.CaptureFixture[str]
) -> None:
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


# ---- what is not compared --------------------------------------------------------------------


def test_values_of_different_signatures_are_refused_with_the_part_that_differs(
    tmp_path: Path, fails: Fails
) -> None:
    write(tmp_path, "a", {"StCA": ones(50)})
    write(tmp_path, "b", {"StCA": ones(50)}, base=BASE.replace("scorer:1", "scorer:2"))
    for more in ((), ("--metric", "StCA")):
        fails(2, "StCA cannot be compared: different signatures (scorer: 1 / 2); score both with "
              "the same\n", *words(tmp_path, *more))


def test_a_metric_that_only_one_has_is_left_out_unless_it_was_asked_for(
    tmp_path: Path, compared: Any, fails: Fails
) -> None:
    write(tmp_path, "a", {"StCA": ones(50), "EA": ones(40)})
    write(tmp_path, "b", {"StCA": ones(50)})
    assert "EA: not compared: not measured for one of them or both" in compared()[0]
    fails(2, "EA cannot be compared", *words(tmp_path, "--metric", "EA"))
    fails(2, "has no metric 'BLEU'; choose from: SA, StCA", *words(tmp_path, "--metric", "BLEU"))


def test_items_are_found_in_whichever_folder_has_them_or_it_says_why_not(
    tmp_path: Path, fails: Fails
) -> None:
    write(tmp_path / "committed", "a", {"StCA": ones(50)}, items=False)
    write(tmp_path / "committed", "b", {"StCA": ones(50)})
    write(tmp_path / "home", "a", {"StCA": ones(50)})
    fails(2, "a/system: the items of its result for explagraphs dev are not at hand",
          *words(tmp_path / "committed"))
    assert main(words(tmp_path / "committed", "--results", str(tmp_path / "home"))) == 0
    fails(2, "gold is reported, so there are no scores of single items",
          *words(tmp_path, "--split", "test"))


def test_saved_items_of_other_rows_are_not_compared(tmp_path: Path, fails: Fails) -> None:
    write(tmp_path, "a", {"StCA": ones(50)})
    write(tmp_path, "b", {"StCA": ones(50, N - 1)})
    fails(3, "the saved items of a/system and b/system are not the same items; score both again\n",
          *words(tmp_path))


@pytest.mark.parametrize(("a", "message"), [
    ("b/system", "b/system twice; name two systems"),
    ("a", "'a'; expected TEAM/SYSTEM"),
    ("a/system/dev", "'a/system/dev'; expected TEAM/SYSTEM"),
    ("a/other", "a/other has no result for explagraphs dev in"),
])
def test_a_name_that_is_none_is_refused(a: str, message: str, tmp_path: Path, fails: Fails) -> None:
    write(tmp_path, "b", {"StCA": ones(50)})
    fails(2, message, *words(tmp_path, a=a))


@pytest.mark.parametrize("arguments", [
    ["score", "/"], ["score", "/usr"], ["compare", "/usr", "a/b", *ON_DEV],
])
def test_a_folder_too_near_the_root_is_no_submission(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, fails: Fails
) -> None:
    monkeypatch.setattr("scorer.boards.submission.splits_in", lambda folder: ("dev",))
    fails(2, f"{arguments[1]} is no submission's folder; name submissions/<board>/<team>/<system>",
          *arguments)


def test_two_files_that_lie_near_the_root_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    gold = (ROOT / "boards" / "explagraphs-practice" / "data" / "dev.tsv").read_text("utf-8")
    with ExitStack() as opened:
        names = []
        for _ in range(2):
            file = opened.enter_context(NamedTemporaryFile(dir=gettempdir()))
            file.write("".join("\t".join(line.split("\t")[2:4]) + "\n"
                               for line in gold.splitlines()).encode())
            file.flush()
            names.append(file.name)
        assert main(["compare", *names, *ON_DEV]) == 0
    assert "no verdict: 40 items, fewer than 100" in capsys.readouterr().out


# ---- beside the leaderboard ------------------------------------------------------------------


def test_ranks_of_the_leaderboard_stand_below_a_comparison_and_a_result() -> None:
    known = documents.read(documents.path_of(RESULTS, "explagraphs", "dev"))
    rows = {row.key: row for row in known.rows}
    first, t5 = next(row for row in known.rows if row.rank), rows["third-party/t5"]
    assert t5.rank
    assert (first.rank, known.order.by) == ([1, 1], "StCA")
    assert on_leaderboard(known, first.key, t5.key) == (
        f"  on the leaderboard, by StCA: A ranks 1, B ranks {t5.rank[0]} to {t5.rank[1]}; "
        "p < .001 by Holm")
    assert on_leaderboard(known, t5.key, first.key).endswith("; p < .001 by Holm")
    assert "B has no rank" in on_leaderboard(known, t5.key, "reference/null")
    assert on_leaderboard(known, t5.key, "nobody/nothing") == ""
    board = boards.load("explagraphs", ROOT / "boards")
    result = results.read(results.result_path(RESULTS, "explagraphs", "third-party", "t5", "dev"))
    ranked = sum(one.rank is not None for one in known.rows)
    text = score_text.placed(board, result, [RESULTS])
    assert text.startswith(f"  beside the {ranked - 1} ranked systems here it would rank "
                           f"{t5.rank[0]} to {t5.rank[1]} by StCA, below ")
    assert text.endswith("; it has no rank until it is published")
    assert score_text.placed(board, result, []) == ""
