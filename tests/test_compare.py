"""``scorer compare``: what it says of two rows, and when it says nothing."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir

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
from scorer.scoring.results.files import read, result_path
from scorer.scoring.results.leaderboard import LeaderboardDocument
from tests.fuzz_helpers import RUNNER_COMMAND
from tests.values import made_result, metric_value

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


def compare(folder: Path, *more: str, a: str = "a/system", b: str = "b/system") -> int:
    return main(["compare", a, b, "--board", "explagraphs", "--split", "dev",
                 "--results", str(folder), *more])


def ones(count: int, n: int = N) -> list[float]:
    return [1.0] * count + [0.0] * (n - count)


def test_174_and_170_of_400_cannot_be_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", {"SeCA": ones(174)})
    write(tmp_path, "b", {"SeCA": ones(170)})
    assert compare(tmp_path) == 0
    said = capsys.readouterr().out
    [line] = [line for line in said.splitlines() if line.startswith("  SeCA   ")]
    # Bonett and Price: 4 / 402 -+ 1.96 * sqrt((6 / 402 - (4 / 402)^2) / 402) = .00995 -+ .01190
    assert line.split() == ["SeCA", "43.5", "42.5", "+1.0", "-0.2", "to", "+2.2",
                            ".12", ".062", "4", "0", "396", "exact", "McNemar"]
    assert ("SeCA: no significant difference: 4 items differ and the lead is 4; "
            "significance needs 6") in said
    assert "A wins on row 171, 172, 173, 174\n" in said
    assert "B wins" not in said


def test_the_better_is_named_and_every_row_is_in_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slope = [row / N for row in range(N)]
    write(tmp_path, "a", {"StCA": ones(50), "GED": [0.5 * one for one in slope]})
    write(tmp_path, "b", {"StCA": ones(90), "GED": slope})
    assert compare(tmp_path, "--json", str(tmp_path / "out.json")) == 0
    said = capsys.readouterr().out
    assert "StCA: B is better (matched odds ratio 0.00)" in said
    assert "GED: A is better (lower is better; Cohen's d_z 1.73)" in said  # .25 over .5 / sqrt(12)
    assert "B wins on row 51, 52, 53, 54, 55 and 35 more" in said
    document = json.loads((tmp_path / "out.json").read_bytes())
    stca = document["metrics"]["StCA"]
    assert stca["losses"] == list(range(51, 91))
    assert (stca["better"], stca["ties"], stca["difference"]) == ("B", 360, -0.1)
    assert stca["p"] == pytest.approx(2 * 0.5**40)
    assert document["metrics"]["GED"]["p_mid"] is None
    assert document["not_compared"].keys() >= {"SA", "EA"}


def test_beside_a_row_that_enforces_constraints_stand_the_graphs_that_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", {"StCA": ones(50), "GED": ones(100)})
    write(tmp_path, "b", {"StCA": ones(90), "GED": ones(120)})
    assert compare(tmp_path) == 0
    assert "passed" not in capsys.readouterr().out
    write(tmp_path, "b", {"StCA": ones(90), "GED": ones(120)}, tags=[CONSTRAINED])
    assert compare(tmp_path, "--json", str(tmp_path / "out.json")) == 0
    said = capsys.readouterr().out
    assert ("  B: constraints enforced in decoding; among graphs that passed every gate (of "
            "different items, so these do not compare):\n") in said
    line, _ = [line for line in said.splitlines() if line.startswith("    GED ")]
    assert line.split() == ["GED", "0.500", "of", "200", "0.600", "of", "200"]
    document = json.loads((tmp_path / "out.json").read_bytes())
    assert document["tags"] == {"a": [], "b": [CONSTRAINED]}
    assert document["passed"] == {"GED": {"a": {"value": 0.5, "n": 200},
                                          "b": {"value": 0.6, "n": 200}}}


def test_graphs_are_compared_on_the_items_that_both_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # 300 items passed in both; GED is 1 on the first 60 of A and on the first 30 of B
    write(tmp_path, "a", {"GED": ones(60)}, broken=range(350, N))
    write(tmp_path, "b", {"GED": ones(30)}, broken=range(250, 300), tags=[CONSTRAINED])
    write(tmp_path, "c", {"GED": ones(30)}, broken=[*range(250), *range(300, N)])
    assert compare(tmp_path, "--json", str(tmp_path / "out.json")) == 0
    said = capsys.readouterr().out
    assert "  on the 300 items that both passed:\n" in said
    _, line = [line for line in said.splitlines() if line.startswith("    GED ")]
    assert line.split()[:7] == ["GED", "0.200", "0.100", "+0.100", "p", "<", ".001:"]
    assert line.endswith(": B is better")
    found = json.loads((tmp_path / "out.json").read_bytes())["both_passed"]["GED"]
    assert (found["n"], found["a"], found["b"], found["better"]) == (300, .2, .1, "B")
    assert "wins" not in found
    assert compare(tmp_path, a="c/system") == 0
    assert "  no item that both passed\n" in capsys.readouterr().out


def test_the_document_alone_goes_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", {"StCA": ones(50), "SA": ones(60)})
    write(tmp_path, "b", {"StCA": ones(50), "SA": ones(60)})
    assert compare(tmp_path, "--metric", "StCA", "--json", "-") == 0
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


def test_values_of_different_signatures_are_refused_with_the_part_that_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", {"StCA": ones(50)})
    write(tmp_path, "b", {"StCA": ones(50)}, base=BASE.replace("scorer:1", "scorer:2"))
    assert compare(tmp_path) == 2
    assert compare(tmp_path, "--metric", "StCA") == 2
    said = "StCA cannot be compared: different signatures (scorer: 1 / 2); score both with the same"
    assert capsys.readouterr().err.count(said + "\n") == 2


def test_a_metric_that_only_one_has_is_left_out_unless_it_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", {"StCA": ones(50), "EA": ones(40)})
    write(tmp_path, "b", {"StCA": ones(50)})
    assert compare(tmp_path) == 0
    assert "EA: not compared: not measured for one of them or both" in capsys.readouterr().out
    assert compare(tmp_path, "--metric", "EA") == 2
    assert compare(tmp_path, "--metric", "BLEU") == 2
    assert "has no metric 'BLEU'; choose from: SA, StCA" in capsys.readouterr().err


def test_numbers_of_the_whole_split_are_compared_by_swapping_and_resampling_items(
    capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["compare", "reference/copy-first", "reference/nearest-neighbour", "--board",
             "anlg-practice", "--split", "dev", "--results", str(ROOT / "results")]
    assert main([*given, "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["not_compared"] == {}
    saved = [results.read(ROOT / "results/anlg-practice/reference" / name / "dev.json")
             for name in ("copy-first", "nearest-neighbour")]
    for order in (1, 2, 3, 4):
        found = told["metrics"][f"BLEU-{order}"]
        assert [found["a"], found["b"]] == [one.metrics[f"BLEU-{order}"].value for one in saved]
        assert (found["test"], found["better"]) == ("permutation", None)
        assert found["verdict"] == "no verdict: 40 items, fewer than 100"
    assert told["metrics"]["BLEU-1"]["interval"]["method"] == "bootstrap"
    assert told["metrics"]["BLEU-1"]["p"] < 0.01


def test_without_items_it_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "a", {"StCA": ones(50)}, items=False)
    write(tmp_path, "b", {"StCA": ones(50)})
    assert compare(tmp_path) == 2
    assert ("a/system: the items of its result for explagraphs dev are not at hand"
            in capsys.readouterr().err)
    assert main(["compare", "a/system", "b/system", "--board", "explagraphs", "--split",
                 "test"]) == 2
    assert "gold is reported, so there are no scores of single items" in capsys.readouterr().err


def test_items_are_found_in_whichever_folder_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "committed", "a", {"StCA": ones(50)}, items=False)
    for team in ("a", "b"):
        write(tmp_path / "home", team, {"StCA": ones(50)})
    assert compare(tmp_path / "committed", "--results", str(tmp_path / "home")) == 0


@pytest.mark.parametrize(("a", "said"), [
    ("b/system", "b/system twice; name two systems"),
    ("a", "'a'; expected TEAM/SYSTEM"),
    ("a/system/dev", "'a/system/dev'; expected TEAM/SYSTEM"),
    ("a/other", "a/other has no result for explagraphs dev in"),
])
def test_a_name_that_is_none_is_refused(
    a: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "b", {"StCA": ones(50)})
    assert compare(tmp_path, a=a) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [
    ["score", "/"], ["score", "/usr"], ["compare", "/usr", "a/b", *ON_DEV],
])
def test_a_folder_too_near_the_root_is_no_submission(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scorer.boards.submission.splits_in", lambda folder: ("dev",))
    assert main(arguments) == 2
    assert capsys.readouterr().err == (
        f"{arguments[1]} is no submission's folder; name submissions/<board>/<team>/<system>\n")


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


def test_saved_items_of_other_rows_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", {"StCA": ones(50)})
    write(tmp_path, "b", {"StCA": ones(50, N - 1)})
    assert compare(tmp_path) == 3
    assert capsys.readouterr().err == (
        "the saved items of a/system and b/system are not the same items; score both again\n")


T5 = ("third-party", "t5")


def committed() -> LeaderboardDocument:
    return documents.read(documents.path_of(RESULTS, "explagraphs", "dev"))


def test_the_leaderboard_s_ranks_and_p_by_holm_stand_below_a_comparison() -> None:
    known = committed()
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


def test_a_result_stands_among_the_ranked_where_its_row_does() -> None:
    known = committed()
    row = next(row for row in known.rows if row.key == "/".join(T5))
    assert row.rank
    board = boards.load("explagraphs", RESULTS.parent / "boards")
    result = read(result_path(RESULTS, "explagraphs", *T5, "dev"))
    ranked = sum(one.rank is not None for one in known.rows)
    said = score_text.placed(board, result, [RESULTS])
    assert said.startswith(f"  beside the {ranked - 1} ranked systems here it would rank "
                           f"{row.rank[0]} to {row.rank[1]} by StCA, below ")
    assert said.endswith("; it has no rank until it is published")
    assert score_text.placed(board, result, []) == ""
