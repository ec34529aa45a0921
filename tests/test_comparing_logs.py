"""``scorer compare`` of logs of inspect_ai and lm-evaluation-harness: numbers, and hostile logs."""

import json
import math
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scorer.cli import main
from scorer.lab.logs import inspect_logs
from tests import case_files, harness_logs

CASES = Path(__file__).parent / "cases"
FIXTURES = Path(__file__).parent / "fixtures" / "harness_logs"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where logs are written, and named without it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def numbers(capsys):
    """The document of a comparison."""
    def document(a, b, *more):
        assert main(["compare", str(a), str(b), *more, "--json", "-"]) == 0
        return json.loads(capsys.readouterr().out)

    return document


@pytest.fixture
def refused(fails):
    """These words are why two logs are not compared."""
    return lambda words, a, b, *more: fails(2, words, "compare", str(a), str(b), *more)


def printed(capsys: Any, a: Path | str, b: Path | str) -> str:
    assert main(["compare", str(a), str(b)]) == 0
    return capsys.readouterr().out


def lm_eval(name: str, scores: Mapping[str, Sequence[Any]], **more: Any) -> Path:
    """Samples of lm-evaluation-harness: metric -> one score a document."""
    path = Path(name)
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


def inspect_log(name: str, *samples: Any, task: str = "sums", **more: Any) -> Path:
    """A log of inspect_ai, in the form that the name asks for."""
    return harness_logs.write(Path(name), {"version": 2, "status": "success", "eval": {
        "task": task, "model": "mockllm/model", "dataset": {"name": "made"}, **more}}, samples,
                              summaries=True)


def twins(*samples: Any, **more: Any) -> list[Path]:
    """Two logs of inspect_ai that say the same."""
    return [inspect_log(f"{name}.json", *samples, **more) for name in "ab"]


def ones(*counts: int) -> list[int]:
    """So many ones, so many zeros, and so on."""
    return [1 - index % 2 for index, count in enumerate(counts) for _ in range(count)]


# ---- numbers -----------------------------------------------------------------------------------


@pytest.mark.claim("Two logs of another harness are compared by exact McNemar on the samples that "
                   "both have, with Bonett and Price's interval.")
def test_15_to_5_discordant_documents_of_200_have_the_p_of_20_tosses_of_a_coin(numbers, capsys):
    # A alone is right on 15, B alone on 5; both are right on 100 and wrong on 80.
    a = lm_eval("a.jsonl", {"acc": [*ones(115), *ones(0, 5), *ones(0, 80)]})
    b = lm_eval("b.jsonl", {"acc": [*ones(100, 15), *ones(5), *ones(0, 80)]})
    found = numbers(a, b)["metrics"]["acc"]
    p = 2 * sum(math.comb(20, k) for k in range(6)) / 2**20  # = .0414
    assert found["p"] == pytest.approx(p, abs=1e-12)
    assert found["test"] == "mcnemar"
    assert (found["a"], found["b"]) == (115 / 200, 105 / 200)
    assert found["wins"] == [str(row) for row in range(100, 115)]
    assert found["losses"] == [str(row) for row in range(115, 120)]
    # Bonett and Price: 10 / 202 -+ 1.96 * sqrt((22 / 202 - (10 / 202)^2) / 202)
    middle, share = 10 / 202, 22 / 202
    half = 1.959964 * math.sqrt((share - middle**2) / 202)
    assert found["interval"]["low"] == pytest.approx(middle - half, abs=1e-6)
    assert found["interval"]["high"] == pytest.approx(middle + half, abs=1e-6)
    assert found["verdict"] == "A is better"
    text = printed(capsys, a, b)
    assert "exact McNemar: p = .041 (mid-p .027); A better on 15, B on 5, equal on 180" in text
    assert "A better: 100, 101, 102, 103, 104 and 10 more" in text
    assert max(map(len, text.split("\n"))) <= 80


@pytest.mark.claim("Two logs with the counts of a published paired comparison give its printed "
                   "p-value, mid-p and interval.")
def test_two_logs_give_the_printed_figures_of_a_published_paired_comparison(numbers):
    # Complete response of 161 patients before and after a therapy (Cavo et al. 2012): both 59,
    # only before 6, only after 16, neither 80. Printed for these counts by the R package
    # contingencytables of Fagerland, Lydersen and Laake (Statistical Analysis of Contingency
    # Tables, 2017, chapter 8; its tests/testthat/test-ch8.R): exact conditional test P = 0.052479,
    # mid-P = 0.034690, Bonett and Price's interval -0.1195 to -0.0032 of -0.0621.
    a, b = (inspect_log(f"{name}.eval", *(
        sample(f"patient-{row}", "CI"[1 - right]) for row, right in enumerate(column)))
        for name, column in (("before", ones(65, 96)), ("after", ones(59, 6, 16, 80))))
    found = numbers(a, b)["metrics"]["match"]
    assert (len(found["wins"]), len(found["losses"]), found["n"]) == (6, 16, 161)
    assert [f"{found[name]:.6f}" for name in ("p", "p_mid")] == ["0.052479", "0.034690"]
    assert [f"{value:.4f}" for value in (
        found["difference"], found["interval"]["low"], found["interval"]["high"])] == [
        "-0.0621", "-0.1195", "-0.0032"]


def test_real_logs_of_inspect_are_read_with_what_failed_and_what_was_not_scored(numbers):
    metrics = numbers(FIXTURES / "sums.a.json", FIXTURES / "sums.b.json")["metrics"]
    # fixtures/harness_logs/README.md: A is wrong on 3 and 8; B on 3, 4, 5, 6 and 9, no score on 12.
    assert {name: (one["n"], one["wins"], one["losses"]) for name, one in metrics.items()} == {
        "match": (11, ["sum-4", "sum-5", "sum-6", "sum-9"], ["sum-8"]),
        "close/right": (10, ["sum-4", "sum-5", "sum-6", "sum-9"], []),
        "close/near": (10, ["sum-5", "sum-9", "sum-4", "sum-6"], [])}
    assert metrics["match"]["p"] == 2 * (1 + 5) / 2**5
    assert metrics["match"]["left_out"] == {"B ended with an error": ["sum-12"]}
    assert metrics["close/near"]["left_out"]["A has no score"] == ["sum-8"]


@pytest.mark.parametrize("form", ["eval", "json"])
def test_letters_of_inspect_are_numbers_and_epochs_are_means_of_their_sample(form, numbers):
    a = inspect_log(f"a.{form}", sample("x", "C"), sample("x", "I", 10**9), sample("y", "P"),
                    sample("y", "N", 2))
    b = inspect_log(f"b.{form}", sample("x", 0), sample("y", True))
    out = numbers(a, b)
    found = out["metrics"]["match"]
    assert (found["n"], found["a"], found["b"]) == (2, (1 / 2 + 1 / 4) / 2, 1 / 2)
    assert found["test"] == "permutation"
    assert found["p"] == 1  # +1/2 and -3/4: the flips give sums of 1/4 and 5/4, all as far


def test_several_scorers_objects_and_lists_are_metrics_of_their_own_and_holm_corrects_them(numbers):
    a, b = (inspect_log(f"{name}.json", *({"id": row, "epoch": 1, "scores": {
        "match": {"value": "C" if row < right else "I"},
        "judge": {"value": {"clear": row / 200, "kind": [row]}},
        "steps": {"value": [1, row < 100]}}} for row in range(200)))
        for name, right in (("a", 110), ("b", 104)))
    out = numbers(a, b)
    assert [*out["metrics"]] == ["judge/clear", "match", "steps[0]", "steps[1]"]
    assert out["not_compared"] == {"judge/kind": "A: sample '0' has a list, where a number, C, P, "
                                   "I, N, yes or no was expected"}
    one = out["metrics"]["match"]
    assert (one["p"], one["p_holm"]) == (2 / 2**6, 4 * 2 / 2**6)
    assert one["verdict"] == ("no significant difference: A is ahead by itself (p = 0.031), not "
                              "among all metrics (Holm 0.125)")
    alone = numbers(a, b, "--metric", "match")["metrics"]["match"]
    assert alone["verdict"] == "A is better"


def test_samples_of_one_cluster_are_flipped_together(numbers, refused):
    a = lm_eval("a.jsonl", {"acc": ones(30, 10)})  # topics 0 to 2: right, 3: wrong
    b = lm_eval("b.jsonl", {"acc": ones(0, 40)})
    found = numbers(a, b, "--cluster", "topic")["metrics"]["acc"]
    assert (found["test"], found["clusters"]) == ("permutation", 4)
    assert found["p"] == 2 / 2**3  # three clusters differ, all for A
    # e = 2.5, 2.5, 2.5, -7.5 a cluster: se^2 = 4 / 3 * 75 / 40^2; t(3) = 3.182446
    half = 3.182446 * math.sqrt(4 / 3 * 75 / 1600)
    assert found["interval"]["high"] == pytest.approx(.75 + half, abs=1e-5)
    words = "without that field, or with another value of it in B: "
    refused(f"40 samples {words}0, 1, 2", a, b, "--cluster", "colour")
    one, other, without = (inspect_log(f"{topics}.json", *(
        sample(row, 1, metadata={} if topic == "-" else {"topic": topic})
        for row, topic in enumerate(topics))) for topics in ("xxy", "xyx", "x-y"))
    refused(f"2 samples {words}1, 2", one, other, "--cluster", "topic")
    refused(f"1 sample {words}1", one, without, "--cluster", "topic")


# ---- what is said of them ----------------------------------------------------------------------


def test_what_only_one_has_and_what_has_no_score_is_named(capsys):
    a = inspect_log("a.json", sample("x", 1), sample("y", math.nan), sample("z", 1))
    b = inspect_log("b.json", sample("x", 0), sample("y", 1),
                    {"id": "z", "epoch": 1, "scores": {}, "error": {"m": ""}},
                    sample("only\x1b[31m", 1))
    text = printed(capsys, a, b)
    for line in ("left out, A has no score: y\n", "left out, B ended with an error: z\n",
                 r"1 sample only in B, left out: only\x1b[31m", "1 sample\n"):
        assert line in text


def test_filters_of_lm_eval_are_metrics_and_numbers_of_a_corpus_are_left_out(numbers, refused):
    for name in "ab":
        Path(f"{name}.jsonl").write_text("\n".join(json.dumps({
            "doc_id": row, "doc": {}, "target": "t", "filter": by,
            "metrics": ["exact_match", "bleu"], "exact_match": float(by == "loose"),
            "bleu": ["t", "t"]}) for by in ("strict", "loose") for row in (0, 1)))
    out = numbers("a.jsonl", "b.jsonl")
    assert {name: one["a"] for name, one in out["metrics"].items()} == {
        "exact_match,strict": 0, "exact_match,loose": 1}
    assert [*out["not_compared"]] == ["bleu,loose", "bleu,strict"]
    assert out["notes"] == []  # filters are no epochs
    refused("bleu,strict cannot be compared: A: sample '0' has a list",
            "a.jsonl", "b.jsonl", "--metric", "bleu")
    refused("no metric 'rouge'; choose from: exact_match,strict",
            "a.jsonl", "b.jsonl", "--metric", "rouge")


def test_an_output_folder_says_which_metrics_are_better_when_lower(numbers, refused):
    date = "2026-01-31T10-00-00.5"
    for name, words in (("a", [3, 3]), ("b", [5, 5])):
        for task in ("one", "two"):
            lm_eval(f"{name}/made/samples_{task}_{date}.jsonl", {"wer": words})
        Path(f"{name}/made/results_{date}.json").write_text(json.dumps({
            "higher_is_better": {"one": {"wer": False}}, "versions": {"one": 1.0}}))
    assert {name: (one["better"], one["better_said"], one["wins"])
            for name, one in numbers("a", "b")["metrics"].items()} == {
        "one: wer": ("lower", True, ["0", "1"]), "two: wer": ("higher", False, [])}
    lm_eval(f"a/other/samples_one_{date}.jsonl", {"wer": [1, 1]})
    refused("samples in 2 folders (made, other); name one of them", "a", "b")


def test_a_log_of_inspect_says_in_its_metadata_which_metrics_are_better_when_lower(numbers, capsys):
    for name, words in (("a", 3), ("b", 5)):
        inspect_log(f"{name}.eval",
                    {"id": 1, "scores": {"us": {"value": {"wer": words, "acc": 1, "odd": 1}}}},
                    metadata={"higher_is_better": {"us/wer": False, "us/acc": True,
                                                   "us/odd": "no"}})
    assert {name: (one["better"], one["better_said"], one["wins"])
            for name, one in numbers("a.eval", "b.eval")["metrics"].items()} == {
        "us/wer": ("lower", True, ["1"]), "us/acc": ("higher", True, []),
        "us/odd": ("higher", False, [])}
    text = " ".join(printed(capsys, "a.eval", "b.eval").split())
    assert "whether higher is better for us/odd; we assume so" in text
    unfit = twins(sample(1, 1), metadata={"higher_is_better": ["match"]})
    assert numbers(*unfit)["metrics"]["match"]["better_said"] is False


# ---- which logs --------------------------------------------------------------------------------

X = sample("x", 1)
OTHERS = {
    "different tasks: A 'sums', B 'other'": lambda: inspect_log("b.json", X, task="other"),
    "different datasets: A 'made', B 'o'": lambda: inspect_log("b.json", X, dataset={"name": "o"}),
    "1 sample of the same id with another target: x":
        lambda: inspect_log("b.json", {**X, "target": "y"}),
    "no sample is in both: A has x; B has z": lambda: inspect_log("b.json", {**X, "id": "z"}),
    "different harnesses: A 'inspect_ai', B 'lm-evaluation-harness'":
        lambda: lm_eval("b.jsonl", {"match": [1]})}


@pytest.mark.claim("Logs that differ in task, data set, target or harness are not compared.")
@pytest.mark.parametrize("words", OTHERS)
def test_logs_of_another_task_or_data_are_refused_with_the_reason(words, refused):
    refused(words, inspect_log("a.json", X), OTHERS[words]())


def test_targets_are_compared_as_they_are_whether_a_log_has_their_hash_or_not(numbers, refused):
    old = lm_eval("old.jsonl", {"acc": [1, 0]})
    new = lm_eval("new.jsonl", {"acc": [1, 1]}, target_hash="e" * 64)
    other = lm_eval("other.jsonl", {"acc": [1, 1]}, target="9", target_hash="e" * 64)
    without = Path("without.jsonl")
    without.write_text(re.sub(r'"target": "\d", ', "", old.read_text()))
    assert numbers(old, new)
    assert numbers(new, without)
    refused("2 samples of the same id with another target: 0, 1", new, other)
    refused("2 samples of the same id with another document (doc_hash): 0, 1", old,
            lm_eval("document.jsonl", {"acc": [1, 0]}, doc_hash="f" * 64))


def test_another_version_of_the_task_is_a_note(numbers):
    logs = [inspect_log(f"{version}.eval", sample("x", 1), task_version=version)
            for version in (1, "2-A")]
    assert "different versions of the task: A '1', B '2-A'" in numbers(*logs)["notes"]


def test_of_folders_of_inspect_s_logs_those_of_one_task_are_compared(numbers, refused):
    for name, model in (("a", "one"), ("b", "two")):
        Path(name).mkdir()
        inspect_log(f"{name}/2026_sums_x.eval", sample("x", 1), model=model)
        inspect_log(f"{name}/2026_words_y.json", sample("y", 1), task="words", model=model)
        Path(f"{name}/logs.json").write_text('{"2026_sums_x.eval": {}}')  # inspect's own list
        Path(f"{name}/eval-set.json").write_text("[]")
    Path("b/cut.eval").write_bytes(b"PK")
    inspect_log("b/alone.eval", sample("z", 1), task="alone")
    out = numbers("a", "b")
    assert [*out["metrics"]] == ["sums: match", "words: match"]
    assert out["notes"] == [
        "left out: b/cut.eval: no zip file, one that is cut off, or one with too many members; "
        "copy the log again, or name the log of one run", "only B has logs of alone"]
    assert [(one["task"], one["a"]["model"], one["b"]["model"])
            for one in out["tasks"]] == [("sums", "one", "two"), ("words", "one", "two")]
    refused("a: neither .eval, .json nor .jsonl; name two logs or two folders", "b/alone.eval", "a")


@pytest.mark.claim("Where a folder has several logs of a task none is chosen by guess.")
def test_several_logs_of_a_task_are_refused_with_their_list(refused):
    Path("logs").mkdir()
    for name in "bac":
        inspect_log(f"logs/{name}.eval", sample("x", 1), model=f"model-{name}\n")
    Path("one").mkdir()
    inspect_log("one/one.eval", sample("x", 0))
    refused("logs has 3 logs of the task 'sums'; name one:\n" + "".join(
        rf"  logs/{name}.eval (model-{name}\n, success)" + "\n" for name in "abc"), "one", "logs")


def test_without_a_board_only_logs_are_compared(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "a/x", "b/y"])
    assert "the following arguments are required: --board, --split" in capsys.readouterr().err


# ---- hostile and unfit logs --------------------------------------------------------------------

LINE = '{"doc_id": 0, "target": "", "filter": "none", "metrics": ["acc"], "acc": 1}'
HOSTILE = case_files.read("logs.yaml")["compared"]


@pytest.mark.parametrize(("form", "what"), [(form, what) for form in HOSTILE
                                           for what in HOSTILE[form]])
def test_a_hostile_log_is_an_error_with_its_place(form, what, refused):
    text, words = HOSTILE[form][what]
    bad = Path(f"bad.{form}")
    text = re.sub(r"<(.)\*(\d+)>", lambda many: many[1] * int(many[2]), text)
    bad.write_bytes(text.replace("{LINE}", LINE).encode("latin-1"))
    refused(f"{bad}{words}", bad, lm_eval("good.jsonl", {"acc": [1]}))


def test_a_name_in_a_log_adds_no_line_to_the_comparison(capsys, refused):
    for write in (lambda name: [lm_eval(f"{side}.jsonl", {name: [1, 0]}) for side in "ab"],
                  lambda name: twins(sample("x", 1), task=name, model=name)):
        plain, odd = (printed(capsys, *write(name)) for name in ("plain", "a\nA is better\n"))
        assert plain.count("\n") == odd.count("\n")
    with zipfile.ZipFile("b.eval", "w") as log:
        log.writestr("header.json", "{}")
        log.writestr("samples/x\nA is better\n.json", "no object")
    refused(r"b.eval/samples/x\nA is better\n.json: ", "b.eval", inspect_log("a.eval"))


def test_a_log_that_cannot_be_unpacked_is_an_error_that_says_what_to_do(monkeypatch, refused):
    log, other = inspect_log("a.eval", sample("x", 1)), inspect_log("b.json", sample("x", 1))
    whole = log.read_bytes()
    for damaged in (whole[:40], whole.replace(b"PK\1\2\x14\3\x14", b"PK\1\2\x14\3\xff")):
        assert damaged != whole  # cut off; for a later version of zip
        log.write_bytes(damaged)
        refused("no zip file, one that is cut off", log, other)
    log.write_bytes(whole)
    with monkeypatch.context() as patch:
        patch.setattr(inspect_logs, "LARGEST_DIRECTORY", 20)
        refused("one with too many members", log, other)
    with zipfile.ZipFile(log, "w", zipfile.ZIP_LZMA) as written:
        written.writestr("header.json", "{}")
    refused(f"inspect log convert --to json --output-dir DIR {log}", log, other)


def test_a_folder_s_links_and_what_is_no_file_are_not_read(refused):
    good = lm_eval("good.jsonl", {"acc": [1]}).resolve()
    Path("out").mkdir()
    Path("out/samples_x.jsonl").symlink_to(good)
    Path("out/x.json").symlink_to(inspect_log("x.json", X).resolve())
    Path("other").mkdir()
    refused("out: no logs; name two logs", "out", "other")
    Path("device.jsonl").symlink_to("/dev/zero")
    refused("not a regular file", "device.jsonl", good)
    refused("gone.jsonl: cannot be read (No such file or directory)", "gone.jsonl", good)


def test_a_library_that_is_not_installed_is_missing_on_this_machine(monkeypatch, fails):
    monkeypatch.setitem(sys.modules, "ijson", None)
    for name in "ab":
        Path(name).mkdir()
        inspect_log(f"{name}/log.json", sample(1, 1))
    for end in ("/log.json", ""):
        fails(3, "a/log.json: logs are read by ijson, which is not installed; pip install "
              "'whyboard[logs]'\n", "compare", f"a{end}", f"b{end}")
