"""``scorer compare`` of logs of inspect_ai and lm-evaluation-harness: numbers, and hostile logs."""

import json
import math
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scorer.cli import main
from scorer.lab.logs import inspect_logs
from scorer.lab.logs.lm_eval_logs import LONGEST_LINE
from scorer.lab.logs.report import holm

FIXTURES = Path(__file__).parent / "fixtures" / "harness_logs"


def lm_eval(path: Path, scores: Mapping[str, Sequence[Any]], **more: Any) -> Path:
    """Samples of lm-evaluation-harness: metric -> one score a document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    [n] = {len(column) for column in scores.values()}
    rows = [{"doc_id": row, "doc": {"topic": row // 10}, "target": str(row), "filter": "none",
             "metrics": [*scores], "doc_hash": f"{row:064}",
             **{metric: column[row] for metric, column in scores.items()}, **more}
            for row in range(n)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def sample(name: Any, value: Any, epoch: Any = 1, **more: Any) -> dict[str, Any]:
    """One of inspect_ai's samples with one scorer, match."""
    scores = {"match": {"value": value}}
    return {"id": name, "epoch": epoch, "target": "x", "scores": scores, **more}


def inspect_log(path: Path, samples: Sequence[Any], *, task: str = "sums", **more: Any) -> Path:
    """A log of inspect_ai, in the form that the name asks for."""
    head = {"version": 2, "status": "success", "eval": {
        "task": task, "model": "mockllm/model", "dataset": {"name": "made"}, **more}}
    if path.suffix == ".json":
        path.write_text(json.dumps({**head, "samples": samples}, indent=2))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps(head))
        log.writestr("summaries.json", json.dumps(samples))
    return path


def compared(a: Path, b: Path, *more: str) -> int:
    return main(["compare", str(a), str(b), *more])


def numbers(capsys: pytest.CaptureFixture[str], a: Path, b: Path, *more: str) -> Any:
    assert compared(a, b, *more, "--json", "-") == 0
    return json.loads(capsys.readouterr().out)


def ones(*counts: int) -> list[int]:
    """So many ones, so many zeros, and so on."""
    return [1 - place % 2 for place, count in enumerate(counts) for _ in range(count)]


def test_a_library_of_the_extra_that_is_not_installed_is_missing_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ijson", None)
    for name in "ab":
        (tmp_path / name).mkdir()
    logs = [inspect_log(tmp_path / name / "log.json", [sample(1, 1)]) for name in "ab"]
    for a, b in (logs, [log.parent for log in logs]):
        assert compared(a, b) == 3
        assert capsys.readouterr().err == (
            f"{logs[0]}: logs are read by ijson, which is not installed; pip install "
            "'whyboard[logs]'\n")


@pytest.mark.claim("Two logs of another harness are compared by exact McNemar on the samples that "
                   "both have, with Bonett and Price's interval.")
def test_15_to_5_discordant_documents_of_200_have_the_p_of_20_tosses_of_a_coin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A alone is right on 15, B alone on 5; both are right on 100 and wrong on 80.
    a = lm_eval(tmp_path / "a.jsonl", {"acc": [*ones(115), *ones(0, 5), *ones(0, 80)]})
    b = lm_eval(tmp_path / "b.jsonl", {"acc": [*ones(100, 15), *ones(5), *ones(0, 80)]})
    found = numbers(capsys, a, b)["metrics"]["acc"]
    p = 2 * sum(math.comb(20, k) for k in range(6)) / 2**20  # = .0414
    assert found["p"] == pytest.approx(p, abs=1e-12)
    assert found["test"] == "mcnemar"
    assert (found["a"], found["b"]) == (115 / 200, 105 / 200)
    assert found["wins"] == [str(row) for row in range(100, 115)]
    assert found["losses"] == [str(row) for row in range(115, 120)]
    # Bonett and Price: 10 / 202 -+ 1.96 * sqrt((22 / 202 - (10 / 202)^2) / 202)
    middle, share = 10 / 202, 22 / 202
    reach = 1.959964 * math.sqrt((share - middle**2) / 202)
    assert found["interval"]["low"] == pytest.approx(middle - reach, abs=1e-6)
    assert found["interval"]["high"] == pytest.approx(middle + reach, abs=1e-6)
    assert found["verdict"] == "A is better"
    assert compared(a, b) == 0
    said = capsys.readouterr().out
    assert "exact McNemar: p = .041 (mid-p .027); A better on 15, B on 5, equal on 180" in said
    assert "A better: 100, 101, 102, 103, 104 and 10 more" in said
    assert max(map(len, said.replace(str(tmp_path), "").split("\n"))) <= 80


@pytest.mark.claim("Two logs with the counts of a published paired comparison give its printed "
                   "p-value, mid-p and interval.")
def test_two_logs_give_the_printed_figures_of_a_published_paired_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Complete response of 161 patients before and after a therapy (Cavo et al. 2012): both 59,
    # only before 6, only after 16, neither 80. Printed for these counts by the R package
    # contingencytables of Fagerland, Lydersen and Laake (Statistical Analysis of Contingency
    # Tables, 2017, chapter 8; its tests/testthat/test-ch8.R): exact conditional test P = 0.052479,
    # mid-P = 0.034690, Bonett and Price's interval -0.1195 to -0.0032 of -0.0621.
    before, after = ones(65, 96), ones(59, 6, 16, 80)
    a, b = (inspect_log(tmp_path / f"{name}.eval", [
        sample(f"patient-{row}", "CI"[1 - right]) for row, right in enumerate(column)])
        for name, column in (("before", before), ("after", after)))
    found = numbers(capsys, a, b)["metrics"]["match"]
    assert (len(found["wins"]), len(found["losses"]), found["n"]) == (6, 16, 161)
    assert [f"{found[name]:.6f}" for name in ("p", "p_mid")] == ["0.052479", "0.034690"]
    assert [f"{value:.4f}" for value in (
        found["difference"], found["interval"]["low"], found["interval"]["high"])] == [
        "-0.0621", "-0.1195", "-0.0032"]


@pytest.mark.parametrize("form", ["eval", "json"])
def test_letters_of_inspect_are_numbers_and_epochs_are_means_of_their_sample(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = inspect_log(tmp_path / f"a.{form}", [
        sample("x", "C"), sample("x", "I", 2), sample("y", "P"), sample("y", "N", 2)])
    b = inspect_log(tmp_path / f"b.{form}", [sample("x", 0), sample("y", True)])
    out = numbers(capsys, a, b)
    found = out["metrics"]["match"]
    assert (found["n"], found["a"], found["b"]) == (2, (1 / 2 + 1 / 4) / 2, 1 / 2)
    assert found["test"] == "permutation"
    assert found["p"] == 1  # +1/2 and -3/4: the flips give sums of 1/4 and 5/4, all as far
    assert "epochs: A 2, B 1; each sample counts once, by its mean over them" in out["notes"]
    assert out["tasks"][0]["a"]["no_answers"] == {"match": 1}


def test_several_scorers_objects_and_lists_are_metrics_of_their_own_and_holm_corrects_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def both(right: int) -> list[Any]:
        return [{"id": row, "epoch": 1, "scores": {
            "match": {"value": "C" if row < right else "I"},
            "judge": {"value": {"clear": row / 200, "kind": [row]}},
            "steps": {"value": [1, row < 100]}}} for row in range(200)]
    a = inspect_log(tmp_path / "a.json", both(110))
    b = inspect_log(tmp_path / "b.json", both(104))
    out = numbers(capsys, a, b)
    assert [*out["metrics"]] == ["judge/clear", "match", "steps[0]", "steps[1]"]
    assert out["not_compared"] == {"judge/kind": "A: sample '0' has a list, where a number, C, P, "
                                   "I, N, yes or no was expected"}
    one = out["metrics"]["match"]
    assert (one["p"], one["p_holm"]) == (2 / 2**6, 4 * 2 / 2**6)
    assert one["verdict"] == ("no significant difference: A is ahead by itself (p = 0.031), not "
                              "among all metrics (Holm 0.125)")
    assert numbers(capsys, a, b, "--metric", "match")["metrics"]["match"]["verdict"] == (
        "A is better")


def test_holm_takes_the_smallest_times_all_and_never_goes_down() -> None:
    assert holm([.04, .01, .03]) == [.06, .03, .06]


def test_what_only_one_has_and_what_has_no_score_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = inspect_log(tmp_path / "a.json", [sample("x", 1), sample("y", math.nan), sample("z", 1)])
    b = inspect_log(tmp_path / "b.json", [
        sample("x", 0), sample("y", 1), {"id": "z", "epoch": 1, "scores": {}, "error": {"m": ""}},
        sample("only\x1b[31m", 1)])
    assert compared(a, b) == 0
    said = capsys.readouterr().out
    assert "left out, A has no score: y\n" in said
    assert "left out, B ended with an error: z\n" in said
    assert r"1 sample only in B, left out: only\x1b[31m" in said
    assert "1 sample\n" in said


def test_filters_of_lm_eval_are_told_apart_and_numbers_of_the_whole_corpus_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for name in "ab":
        lines = [json.dumps({"doc_id": row, "doc": {}, "target": "t", "filter": by, "metrics":
                             ["exact_match", "bleu"], "exact_match": float(by == "loose"),
                             "bleu": ["t", "t"]}) for by in ("strict", "loose") for row in (0, 1)]
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("\n".join(lines))
    out = numbers(capsys, *files)
    assert {name: one["a"] for name, one in out["metrics"].items()} == {
        "exact_match,strict": 0, "exact_match,loose": 1}
    assert [*out["not_compared"]] == ["bleu,loose", "bleu,strict"]
    assert compared(*files, "--metric", "bleu") == 2
    assert "bleu,strict cannot be compared: A: sample '0' has a list" in capsys.readouterr().err
    assert compared(*files, "--metric", "rouge") == 2
    assert "no metric 'rouge'; choose from: exact_match,strict" in capsys.readouterr().err


def test_an_output_folder_says_which_metrics_are_better_when_lower(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    date = "2026-01-31T10-00-00.5"
    for name, words in (("a", [3, 3]), ("b", [5, 5])):
        for task in ("one", "two"):
            lm_eval(tmp_path / name / "made" / f"samples_{task}_{date}.jsonl", {"wer": words})
        (tmp_path / name / "made" / f"results_{date}.json").write_text(json.dumps({
            "higher_is_better": {"one": {"wer": False}}, "versions": {"one": 1.0}}))
    out = numbers(capsys, tmp_path / "a", tmp_path / "b")
    assert {name: (one["better"], one["better_said"], one["wins"])
            for name, one in out["metrics"].items()} == {
        "one: wer": ("lower", True, ["0", "1"]), "two: wer": ("higher", False, [])}
    lm_eval(tmp_path / "a" / "other" / f"samples_one_{date}.jsonl", {"wer": [1, 1]})
    assert compared(tmp_path / "a", tmp_path / "b") == 2
    assert "samples in 2 folders (made, other); name one of them" in capsys.readouterr().err


def test_a_log_of_inspect_says_in_its_metadata_which_metrics_are_better_when_lower(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for name, words in (("a", 3), ("b", 5)):
        files.append(inspect_log(
            tmp_path / f"{name}.eval",
            [{"id": 1, "scores": {"us": {"value": {"wer": words, "acc": 1, "odd": 1}}}}],
            metadata={"higher_is_better": {"us/wer": False, "us/acc": True, "us/odd": "no"}}))
    out = numbers(capsys, *files)["metrics"]
    assert {name: (one["better"], one["better_said"], one["wins"])
            for name, one in out.items()} == {
        "us/wer": ("lower", True, ["1"]), "us/acc": ("higher", True, []),
        "us/odd": ("higher", False, [])}
    assert compared(*files) == 0
    assert "whether higher is better for us/odd; we assume so" in " ".join(
        capsys.readouterr().out.split())


@pytest.mark.parametrize("unfit", [[], "no", {"us/wer": {}}, 7])
def test_directions_that_are_none_are_not_taken(
    unfit: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [inspect_log(tmp_path / f"{name}.eval", [sample(1, 1)],
                         metadata={"higher_is_better": unfit}) for name in "ab"]
    assert numbers(capsys, *files)["metrics"]["match"]["better_said"] is False


def test_refused_answers_are_told_once_for_all_metrics_of_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score = {"value": {"x": 0, "y": 0, "z": 0}, "reason": "refusal"}
    files = [inspect_log(tmp_path / f"{name}.json", [{"id": 1, "scores": {"us": score}}])
             for name in "ab"]
    assert compared(*files) == 0
    told = capsys.readouterr().out
    assert told.count("missing or refused") == 2
    assert "  B: 1 answer missing or refused, scored as logged: us/x, us/y, us/z\n" in told


def test_samples_of_one_cluster_are_flipped_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = lm_eval(tmp_path / "a.jsonl", {"acc": ones(30, 10)})  # topics 0 to 2: right, 3: wrong
    b = lm_eval(tmp_path / "b.jsonl", {"acc": ones(0, 40)})
    found = numbers(capsys, a, b, "--cluster", "topic")["metrics"]["acc"]
    assert (found["test"], found["clusters"]) == ("permutation", 4)
    assert found["p"] == 2 / 2**3  # three clusters differ, all for A
    # e = 2.5, 2.5, 2.5, -7.5 a cluster: se^2 = 4 / 3 * 75 / 40^2; t(3) = 3.182446
    reach = 3.182446 * math.sqrt(4 / 3 * 75 / 1600)
    assert found["interval"]["high"] == pytest.approx(.75 + reach, abs=1e-5)
    assert compared(a, b, "--cluster", "colour") == 2
    assert "40 samples of A without that field: 0, 1, 2" in capsys.readouterr().err


Writer = Callable[[Path], Path]
OTHERS: dict[str, tuple[Writer, str]] = {
    "task": (lambda path: inspect_log(path / "b.json", [sample("x", 1)], task="other"),
             "different tasks: A 'sums', B 'other'"),
    "dataset": (lambda path: inspect_log(path / "b.json", [sample("x", 1)], dataset={"name": "o"}),
                "different datasets: A 'made', B 'o'"),
    "target": (lambda path: inspect_log(path / "b.json", [sample("x", 1, target="y")]),
               "1 sample of the same id with another target: x"),
    "ids": (lambda path: inspect_log(path / "b.json", [sample("z", 1)]),
            "no sample is in both: A has x; B has z"),
    "harness": (lambda path: lm_eval(path / "b.jsonl", {"match": [1]}),
                "different harnesses: A 'inspect_ai', B 'lm-evaluation-harness'"),
}


@pytest.mark.claim("Logs that differ in task, data set, target or harness are not compared.")
@pytest.mark.parametrize("what", OTHERS)
def test_logs_of_another_task_or_data_are_refused_with_the_reason(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write, said = OTHERS[what]
    assert compared(inspect_log(tmp_path / "a.json", [sample("x", 1)]), write(tmp_path)) == 2
    assert said in capsys.readouterr().err


def test_targets_are_compared_as_they_are_whether_a_log_has_their_hash_or_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = lm_eval(tmp_path / "old.jsonl", {"acc": [1, 0]})
    new = lm_eval(tmp_path / "new.jsonl", {"acc": [1, 1]}, target_hash="e" * 64)
    assert compared(old, new) == 0
    other = lm_eval(tmp_path / "other.jsonl", {"acc": [1, 1]}, target="9", target_hash="e" * 64)
    assert compared(new, other) == 2
    assert "2 samples of the same id with another target: 0, 1" in capsys.readouterr().err
    without = tmp_path / "without.jsonl"
    without.write_text("".join(
        json.dumps({key: held for key, held in json.loads(line).items() if key != "target"}) + "\n"
        for line in old.read_text().splitlines()))
    assert compared(new, without) == 0


def test_another_doc_hash_is_refused_and_another_version_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = lm_eval(tmp_path / "a.jsonl", {"acc": [1, 0]})
    assert compared(a, lm_eval(tmp_path / "b.jsonl", {"acc": [1, 0]}, doc_hash="f" * 64)) == 2
    assert "2 samples of the same id with another document (doc_hash): 0, 1" in (
        capsys.readouterr().err)
    one = inspect_log(tmp_path / "a.eval", [sample("x", 1)], task_version=1)
    two = inspect_log(tmp_path / "b.eval", [sample("x", 1)], task_version="2-A")
    assert "different versions of the task: A '1', B '2-A'" in numbers(capsys, one, two)["notes"]


LINE = '{"doc_id": 0, "target": "", "filter": "none", "metrics": ["acc"], "acc": 1}\n'
HOSTILE_LINES = {
    "broken": (LINE + '{"doc_id": 1,\n', ":2: not JSON; expected a line of samples_*.jsonl"),
    "no object": ("[]\n", ":1: no object with a doc_id"),
    "twice": (LINE * 2, ":2: sample '0' stands there twice (filter 'none')"),
    "mixed ids": (LINE + LINE.replace('": 0', '": "0"'), ":2: sample '0' stands there twice"),
    "id": (LINE.replace('": 0', '": [0]'), ":1: the id is list '[]'; ids are whole numbers"),
    "true": (LINE.replace('": 0', '": true'), ":1: the id is bool 'True'"),
    "deep": ('{"doc_id": ' + 100_000 * "[" + "\n", ":1: not JSON"),
    "digits": (LINE.replace('": 0', '": ' + 5000 * "9"), ":1: not JSON"),
    "long": (" " * (LONGEST_LINE + 1), ":1: a line of more than 16 MiB; leave out"),
    "bytes": ("\udcff\n", ":1: not JSON"),
    "no metric": (LINE.replace('["acc"]', '["f1"]'), ":1: no value of 'f1'"),
    "empty": ("\n", ": no samples; log them (lm_eval: --log_samples"),
    "infinite": (LINE.replace('c": 1', 'c": -Infinity'), "acc cannot be compared"),
}


@pytest.mark.parametrize("what", HOSTILE_LINES)
def test_a_hostile_line_is_an_error_with_its_place(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, said = HOSTILE_LINES[what]
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(text.encode("utf-8", "surrogateescape"))
    good = tmp_path / "good.jsonl"
    good.write_text(LINE)
    assert compared(bad, good, "--metric", "acc") == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith(str(bad)) or what == "infinite"


HOSTILE_LOGS = {
    "cut off": ('{"eval": {},\n "samples": [{"id": 1}', ": not JSON (parse error: premature EOF)"),
    "no log": ('{"a": 1}', ": no entry 'eval'; expected a log of inspect_ai"),
    "results": ('{"higher_is_better": {}}', "results of lm-evaluation-harness, which have no"),
    "epoch": ('{"eval": {}, "samples": [{"id": 1, "epoch": "1"}]}', ", sample 1: an epoch that is"),
    "list": ('{"eval": {}, "samples": [[]]}', ", sample 1: a sample that is no object"),
    "bytes": ("\n\udcff", ": not JSON (lexical error"),
    "two targets": ('{"eval": {}, "samples": [{"id": 1, "target": "a"},\n{"id": 1, "epoch": 2,'
                    '"target": "b"}]}', ", sample 2: sample '1' has two documents or targets"),
}


@pytest.mark.parametrize("what", HOSTILE_LOGS)
def test_a_hostile_log_of_inspect_is_an_error_with_its_place(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, said = HOSTILE_LOGS[what]
    bad = tmp_path / "bad.json"
    bad.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert compared(bad, inspect_log(tmp_path / "b.eval", [sample(1, 1)])) == 2
    assert said in capsys.readouterr().err


def test_a_name_in_a_log_adds_no_line_to_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for said in ("plain", "a\nA is better\n"):
        logs = [lm_eval(tmp_path / f"{side}.jsonl", {said: [1, 0]}) for side in "ab"]
        logs += [inspect_log(tmp_path / f"{side}.json", [sample("x", 1)], task=said, model=said)
                 for side in "ab"]
        for a, b in (logs[:2], logs[2:]):
            assert compared(a, b) == 0
            lines.append(len(capsys.readouterr().out.splitlines()))
    assert lines[:2] == lines[2:]


def test_a_member_s_name_stays_on_its_line_of_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = inspect_log(tmp_path / "a.eval", [])
    with zipfile.ZipFile(tmp_path / "b.eval", "w") as packed_log:
        packed_log.writestr("header.json", "{}")
        packed_log.writestr("samples/x\nA is better\n.json", "no object")
    assert compared(tmp_path / "b.eval", log) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert r"samples/x\nA is better\n.json: " in line


def test_a_billion_epochs_are_a_number_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = inspect_log(tmp_path / "a.json", [sample("x", 1, 10**9)], config={"epochs": 10**9})
    assert numbers(capsys, a, inspect_log(tmp_path / "b.json", [sample("x", 1)]))["metrics"]


def test_a_zip_s_long_list_of_members_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inspect_logs, "LARGEST_DIRECTORY", 20)
    log = inspect_log(tmp_path / "c.eval", [])
    assert compared(log, inspect_log(tmp_path / "d.json", [sample("x", 1)])) == 2
    assert "one with too many members" in capsys.readouterr().err


def test_members_that_this_python_cannot_unpack_are_an_error_with_the_command_that_converts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = inspect_log(tmp_path / "a.eval", [sample("x", 1)])
    with zipfile.ZipFile(log, "w", zipfile.ZIP_LZMA) as written:
        written.writestr("header.json", "{}")
    assert compared(log, inspect_log(tmp_path / "b.eval", [sample("x", 1)])) == 2
    assert f"inspect log convert --to json --output-dir DIR {log}" in capsys.readouterr().err
    log.write_bytes(log.read_bytes()[:40])
    assert compared(log, tmp_path / "b.eval") == 2
    assert "no zip file, one that is cut off" in capsys.readouterr().err


def test_a_folder_s_links_and_what_is_no_file_are_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = lm_eval(tmp_path / "good.jsonl", {"acc": [1]})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "samples_x.jsonl").symlink_to(good)
    assert compared(tmp_path / "out", good) == 2
    assert "out: no logs; name two logs" in capsys.readouterr().err
    (tmp_path / "device.jsonl").symlink_to("/dev/zero")
    assert compared(tmp_path / "device.jsonl", good) == 2
    assert "not a regular file" in capsys.readouterr().err
    assert compared(tmp_path / "gone.jsonl", good) == 2
    assert "gone.jsonl: cannot be read (No such file or directory)" in capsys.readouterr().err


def test_of_folders_of_inspect_s_logs_those_of_one_task_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, model in (("a", "one"), ("b", "two")):
        folder = tmp_path / name
        folder.mkdir()
        inspect_log(folder / "2026_sums_x.eval", [sample("x", 1)], model=model)
        inspect_log(folder / "2026_words_y.json", [sample("y", 1)], task="words", model=model)
        (folder / "logs.json").write_text('{"2026_sums_x.eval": {}}')  # inspect's own list
        (folder / "eval-set.json").write_text("[]")
    (tmp_path / "b" / "cut.eval").write_bytes(b"PK")
    inspect_log(tmp_path / "b" / "alone.eval", [sample("z", 1)], task="alone")
    out = numbers(capsys, tmp_path / "a", tmp_path / "b")
    assert [*out["metrics"]] == ["sums: match", "words: match"]
    assert [note.replace(str(tmp_path), "") for note in out["notes"]] == [
        "left out: /b/cut.eval: no zip file, one that is cut off, or one with too many members; "
        "copy the log again, or name the log of one run", "only B has logs of alone"]
    out = numbers(capsys, tmp_path / "a" / "2026_words_y.json", tmp_path / "b")
    assert [(one["task"], one["a"]["model"], one["b"]["model"]) for one in out["tasks"]] == [
        ("words", "one", "two")]
    assert compared(tmp_path / "b" / "alone.eval", tmp_path / "a") == 2
    assert "no log of the task 'alone'; it has sums, words" in capsys.readouterr().err


def test_logs_without_any_score_say_how_their_runs_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = {"id": "x", "epoch": 1, "scores": {}, "error": {"message": "no network"}}
    logs = [inspect_log(tmp_path / f"{name}.json", [failed]) for name in "ab"]
    for log in logs:
        log.write_text(log.read_text().replace('"success"', '"error"'))
    assert compared(*logs) == 2
    assert capsys.readouterr().err.splitlines() == [
        "no metric in both logs; score both in the same way",
        "A: its run did not end well (status 'error')",
        "B: its run did not end well (status 'error')"]


@pytest.mark.claim("Where a folder has several logs of a task none is chosen by guess.")
def test_several_logs_of_a_task_are_refused_with_their_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in "bac":
        inspect_log(logs / f"{name}.eval", [sample("x", 1)], model=f"model-{name}\n")
    one = inspect_log(tmp_path / "one.eval", [sample("x", 0)])
    assert compared(one, logs) == 2
    said = capsys.readouterr().err.replace(str(tmp_path), "")
    assert said.split("\n") == [
        "/logs has 3 logs of the task 'sums'; name one:",
        *(rf"  /logs/{name}.eval (model-{name}\n, success)" for name in "abc"), ""]


def test_clusters_that_differ_between_the_logs_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def log(name: str, *topics: Any) -> Path:
        return inspect_log(tmp_path / name, [
            sample(row, 1, metadata={} if topic is None else {"topic": topic})
            for row, topic in enumerate(topics)])
    a = log("a.json", "x", "x", "y")
    assert compared(a, log("b.json", "x", "y", "x"), "--cluster", "topic") == 2
    assert ("--cluster: 2 samples of another cluster in B: 1, 2 (the first: A 'x', B 'y')"
            in capsys.readouterr().err)
    assert compared(a, log("b.json", "x", None, "y"), "--cluster", "topic") == 2
    assert "1 sample of B without that field: 1" in capsys.readouterr().err


def test_without_a_board_only_logs_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "a/x", "b/y"])
    assert ended.value.code == 2
    assert "the following arguments are required: --board, --split" in capsys.readouterr().err


def test_real_logs_of_inspect_are_read_with_what_failed_and_what_was_not_scored(
    capsys: pytest.CaptureFixture[str]
) -> None:
    found = numbers(capsys, FIXTURES / "sums.a.json", FIXTURES / "sums.b.json")["metrics"]
    # fixtures/harness_logs/README.md: A is wrong on 3 and 8; B on 3, 4, 5, 6 and 9, no score on 12.
    assert {name: (one["n"], one["wins"], one["losses"]) for name, one in found.items()} == {
        "match": (11, ["sum-4", "sum-5", "sum-6", "sum-9"], ["sum-8"]),
        "close/right": (10, ["sum-4", "sum-5", "sum-6", "sum-9"], []),
        "close/near": (10, ["sum-5", "sum-9", "sum-4", "sum-6"], []),
    }
    assert found["match"]["p"] == 2 * (1 + 5) / 2**5
    assert found["match"]["left_out"] == {"B ended with an error": ["sum-12"]}
    assert found["close/near"]["left_out"]["A has no score"] == ["sum-8"]
