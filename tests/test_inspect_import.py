"""``scorer import inspect``: logs made by hand, sound, incomplete and hostile. No inspect_ai."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer.cli import main
from scorer.lab.harnesses import inspect_answers
from tests import case_files, harness_logs
from tests.harness_logs import BOARD, about, answer, sample, samples, write_log
from tests.test_architecture import HEAVY, loaded

CASES = case_files.read("logs.yaml")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "submissions" / BOARD / "us" / "small"


@pytest.fixture
def refused(out, fails):
    """These words are why a log is not imported, and nothing is written."""
    def check(words: str, log: Path, *more: str) -> None:
        before = contents(out)
        fails(2, words, *command(log, out, *more))
        assert contents(out) == before

    return check


def command(log: Path, out: Path, *more: str) -> list[str]:
    return ["import", "inspect", str(log), "--board", BOARD, "--split", "dev", "--out", str(out),
            *more]


def imported(log: Path, out: Path, *more: str) -> dict[str, Any]:
    """What submission.yaml says."""
    assert main(command(log, out, *more)) == 0
    meta: dict[str, Any] = yaml.safe_load((out / "submission.yaml").read_text("utf-8"))
    return meta


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()} if out.exists() else {}


@pytest.mark.claim("A log of inspect_ai becomes a submission that passes the check untouched.")
@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_becomes_a_submission_that_passes_the_check(form, out, tmp_path, capsys):
    meta = imported(write_log(tmp_path / f"log.{form}", samples()), out)
    assert "40 answered" in capsys.readouterr().out
    assert main(["check", str(out)]) == 0
    assert sorted(contents(out)) == ["predictions.dev.tsv", "submission.yaml"]
    assert contents(out)["predictions.dev.tsv"] == harness_logs.NEIGHBOUR.read_bytes()
    assert meta["prompt"] == f"reasoning v1 (SHA-256 {about()['prompt']['digest']})"
    assert (meta["models"], meta["date"], meta["seeds"]) == (
        ["openai/small"], "2026-11-23", "7, one run")
    for words in ("temperature 0.0, max_tokens 512, seed 7", "inspect_ai 0.3.285",
                  "dev: 40 items, 40 answered; tokens read 4000, written 800."):
        assert words in meta["decoding"]


@pytest.mark.parametrize(("options", "saw"), [([], "yes"), (["--saw-dev-gold", "no"], "no")])
def test_a_model_may_have_seen_dev_gold_unless_its_user_knows(options, saw, out, tmp_path, capsys):
    log = write_log(tmp_path / "log.eval", samples())
    assert imported(log, out, *options)["saw_dev_gold"] == saw
    note = "nobody here knows what openai/small read"
    assert (note in capsys.readouterr().out) == (saw == "yes")


@pytest.mark.claim("Every row of an imported log has an answer or a named reason why not.")
def test_every_row_has_an_answer_or_a_named_reason(out, tmp_path, capsys):
    rows = harness_logs.neighbours()
    found = [sample(1, None, error={"message": "RateLimitError('429 slow down')"}),
             sample(2, "I'm sorry, but I can't help with that."),
             sample(3, f"{answer(rows[2])}\n{answer(rows[3])}"),
             sample(4, None, limit={"type": "time", "limit": 5}),
             sample(5, ""),
             sample(6, "It is hard to say."),
             sample(7, answer(rows[6]), error={"message": "the scorer broke"}),
             *samples()[8:]]
    found[5]["output"]["choices"][0]["stop_reason"] = "content_filter"
    answers = tmp_path / "answers.jsonl"
    meta = imported(write_log(tmp_path / "log.eval", found), out, "--unanswered", "8",
                    "--answers", str(answers))
    text = capsys.readouterr().out
    for line in ("33 answered", "2 refusal: 2, 6", "1 RateLimitError: 1", "1 several: 3",
                 "1 limit time: 4", "1 empty: 5", "1 not asked: 8"):
        assert line in text
    assert "33 answered, 2 refusal, 1 RateLimitError, 1 empty" in meta["decoding"]
    assert main(["check", str(out)]) == 0
    lines = (out / "predictions.dev.tsv").read_text().splitlines()
    assert [number for number, line in enumerate(lines, start=1)
            if line.split("\t") != rows[number - 1]] == [1, 2, 3, 4, 5, 6, 8]
    texts = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [texts[row]["answer"] for row in (0, 5)] == [None, "It is hard to say."]
    assert (texts[7]["item"], texts[7]["kind"]) == (8, "not asked")


def test_the_same_log_gives_the_same_bytes_and_no_other_overwrites_it(out, tmp_path, refused):
    log = write_log(tmp_path / "log.eval", samples())
    imported(log, out)
    before = contents(out)
    imported(log, out)
    assert contents(out) == before
    refused("exists already and says something else",
            write_log(tmp_path / "other.eval", samples(), model="another"))


def test_of_a_folder_the_last_resumption_of_its_one_run_is_taken(out, tmp_path, refused):
    logs = tmp_path / "logs"
    write_log(logs / "a.eval", samples()[:3], created="2026-11-23T10:00:00+00:00")
    write_log(logs / "b.eval", samples(), created="2026-11-23T11:00:00+00:00")
    cut = write_log(logs / "cut.json", samples(), created="2026-11-23T12:00:00+00:00")
    cut.write_bytes(cut.read_bytes()[:-100])  # its run was killed
    imported(logs, out)
    write_log(logs / "c.eval", samples(), task_id="two")
    refused("2 runs of explagraphs-practice dev in these logs; name one of: ", logs)


def test_a_log_of_several_epochs_gives_the_one_that_is_named(out, tmp_path):
    second = [sample(number, "Stance: support\nGraph: (a; b; c)", 2) for number in range(1, 41)]
    imported(write_log(tmp_path / "log.json", [*samples(), *second]), out, "--epoch", "2")
    assert (out / "predictions.dev.tsv").read_text() == "support\t(a; b; c)\n" * 40


@pytest.mark.parametrize(("changed", "words"), CASES["of other items"])
def test_a_log_of_other_items_or_without_a_prompt_is_refused(changed, words, tmp_path, refused):
    metadata = {"whyboard": {**about(), **changed}}
    refused(words, write_log(tmp_path / "log.eval", samples(), metadata=metadata))


@pytest.mark.parametrize("case", CASES["unaccounted for"], ids=lambda case: case["says"])
def test_a_log_that_leaves_items_unaccounted_for_is_refused(case, tmp_path, refused):
    more = [sample(number, "x", *epoch) for number, *epoch in case.get("more", ())]
    log = write_log(tmp_path / "log.eval", [*samples()[:case["answered"]], *more])
    refused(case["says"], log, *case.get("options", ()))


@pytest.mark.parametrize(("found", "words"), [
    ([sample(number, None, error={"message": "APIConnectionError()"}) for number in range(1, 41)],
     "no answer to any of 40 items (40 APIConnectionError); see that the endpoint answers"),
    ([*samples()[:39], 7], "'7', where an object or a list was expected"),
], ids=["silence", "number"])
def test_a_log_without_answers_or_with_no_samples_is_refused(found, words, tmp_path, refused):
    refused(words, write_log(tmp_path / "log.eval", found))


@pytest.mark.parametrize(("content", "words"), CASES["no log of ours"])
def test_a_log_of_something_else_is_refused(content, words, tmp_path, refused):
    log = tmp_path / "log.json"
    log.write_text(content)
    refused(words, log)


def test_an_endless_answer_is_cut_and_too_much_is_refused(
    out, tmp_path, capsys, refused, monkeypatch
):
    monkeypatch.setattr(inspect_answers, "LARGEST_ANSWER", 1000)
    endless = sample(40, "Stance: support\n" + "x" * 5000)
    endless["model_usage"] = {"m": {"input_tokens": float("inf"), "output_tokens": -5}, "n": 3}
    log = write_log(tmp_path / "log.eval", [*samples()[:39], endless])
    imported(log, out)
    assert "1 cut-off: 40" in (text := capsys.readouterr().out)
    assert "tokens read 3900, written 780" in text
    monkeypatch.setattr(inspect_answers, "MOST_TEXT", 1000)
    refused("million characters of answers; split the log", log)


def test_a_plan_without_a_list_of_steps_is_no_traceback(out, tmp_path):
    log = write_log(tmp_path / "log.json", samples())
    found = json.loads(log.read_text())
    for steps in (5, {"solver": 3}, [3]):
        found["plan"]["steps"] = steps
        log.write_text(json.dumps(found))
        imported(log, out)


def test_texts_are_not_written_into_the_submission_nor_over_it(out, tmp_path, refused):
    log = write_log(tmp_path / "log.eval", samples())
    for path in (out / "answers.jsonl", out / "predictions.dev.tsv", tmp_path):
        refused("name another file", log, "--answers", str(path))


def test_foreign_text_in_a_log_comes_to_no_terminal_and_no_field(out, tmp_path, capsys):
    found = [sample(1, None, error={"message": "\x1b[31m::error::EvilError"}), *samples()[1:]]
    imported(write_log(tmp_path / "log.eval", found, model="m\x1b[31m\n" + "x" * 500,
                       model_args={"model_path": "/home/someone/weights\x07"}), out)
    text = capsys.readouterr()
    assert "\x1b" not in text.out + text.err
    assert "1 EvilError: 1" in text.out
    assert "/home/someone" not in (meta := (out / "submission.yaml").read_text())
    assert "weights" in meta
    assert main(["check", str(out)]) == 0


@pytest.mark.parametrize(("more", "field"), [
    ({"created": "yesterday"}, "date"),
    ({"model": "m\ufe0f"}, "system"),
    ({"metadata": {"whyboard": {**about(), "prompt": {
        "name": "reasoning", "version": 1, "digest": "x" * 64}}}}, "prompt"),
])
def test_what_a_log_says_that_no_submission_may_say_is_refused(more, field, tmp_path, refused):
    refused(f"META-VALUE {field}: ", write_log(tmp_path / "log.eval", samples(), **more))


@pytest.mark.whole
def test_importing_needs_no_inspect_ai(out, tmp_path):
    words = command(write_log(tmp_path / "log.eval", samples()), out,
                    "--boards", str(Path("boards").resolve()))
    modules = loaded(f"from scorer.cli import main\nassert main({words}) == 0", tmp_path)
    assert not modules & (HEAVY - {"numpy", "ijson", "zstandard", "pydantic"})
