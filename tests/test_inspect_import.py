"""``scorer import inspect``: logs made by hand, sound, incomplete and hostile. No inspect_ai."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer.cli import main
from scorer.lab.harnesses import inspect_answers
from tests import harness_logs as made
from tests.harness_logs import BOARD, answer, sample, samples, write_log
from tests.test_architecture import HEAVY, loaded


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "submissions" / BOARD / "us" / "small"


def imported(log: Path, out: Path, *more: str, split: str = "dev") -> int:
    return main(["import", "inspect", str(log), "--board", BOARD, "--split", split, "--out",
                 str(out), *more])


def meta(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((out / "submission.yaml").read_text("utf-8"))
    return found


@pytest.mark.claim("A log of inspect_ai becomes a submission that passes the check untouched.")
@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_becomes_a_submission_that_passes_the_check(
    form: str, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / f"log.{form}", samples())
    assert imported(log, out) == 0
    assert "40 answered" in capsys.readouterr().out
    assert main(["check", str(out)]) == 0
    assert (out / "predictions.dev.tsv").read_bytes() == made.NEIGHBOUR.read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["predictions.dev.tsv", "submission.yaml"]
    found = meta(out)
    digest = made.about()["prompt"]["digest"]
    assert found["prompt"] == f"reasoning v1 (SHA-256 {digest})"
    assert (found["models"], found["date"], found["seeds"]) == (
        ["openai/small"], "2026-11-23", "7, one run")
    assert "temperature 0.0, max_tokens 512, seed 7" in found["decoding"]
    assert "dev: 40 items, 40 answered; tokens read 4000, written 800." in found["decoding"]
    assert "inspect_ai 0.3.285" in found["decoding"]


@pytest.mark.parametrize(("said", "stands"), [([], True), (["--saw-dev-gold", "no"], False)])
def test_a_model_may_have_seen_dev_gold_unless_its_user_knows_better(
    said: list[str], stands: bool, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(write_log(tmp_path / "log.eval", samples()), out, *said) == 0
    assert meta(out)["saw_dev_gold"] == ("yes" if stands else "no")
    assert ("nobody here knows what openai/small read" in capsys.readouterr().out) is stands


@pytest.mark.claim("Every row of an imported log has an answer or a named reason why not.")
def test_every_row_has_an_answer_or_a_named_reason(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, rows = samples(), made.neighbours()
    found[0] = sample(1, None, error={"message": "RateLimitError('429 slow down')"})
    found[1] = sample(2, "I'm sorry, but I can't help with that.")
    found[2] = sample(3, f"{answer(rows[2])}\n{answer(rows[3])}")
    found[3] = sample(4, None, limit={"type": "time", "limit": 5})
    found[4] = sample(5, "")
    found[5] = sample(6, "It is hard to say.")
    found[5]["output"]["choices"][0]["stop_reason"] = "content_filter"
    found[6] = sample(7, answer(rows[6]), error={"message": "the scorer broke"})
    del found[7]
    log = write_log(tmp_path / "log.eval", found)
    answers = tmp_path / "answers.jsonl"
    assert imported(log, out, "--unanswered", "8", "--answers", str(answers)) == 0
    said = capsys.readouterr().out
    for line in ("33 answered", "2 refusal: 2, 6", "1 RateLimitError: 1", "1 several: 3",
                 "1 limit time: 4", "1 empty: 5", "1 not asked: 8"):
        assert line in said
    assert main(["check", str(out)]) == 0
    lines = (out / "predictions.dev.tsv").read_text().splitlines()
    assert [number for number, line in enumerate(lines, start=1)
            if line.split("\t") != rows[number - 1]] == [1, 2, 3, 4, 5, 6, 8]
    assert "33 answered, 2 refusal, 1 RateLimitError, 1 empty" in meta(out)["decoding"]
    texts = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [texts[row]["answer"] for row in (0, 5)] == [None, "It is hard to say."]
    assert (texts[7]["item"], texts[7]["kind"]) == (8, "not asked")


def test_the_same_log_gives_the_same_bytes_and_another_one_overwrites_nothing(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / "log.eval", samples())
    assert imported(log, out) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert imported(log, out) == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert imported(write_log(tmp_path / "other.eval", samples(), model="another"), out) == 2
    assert "exists already and says something else" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_of_a_folder_the_last_resumption_of_a_run_is_taken_and_two_runs_are_told(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    write_log(logs / "a.eval", samples()[:3], created="2026-11-23T10:00:00+00:00")
    write_log(logs / "b.eval", samples(), created="2026-11-23T11:00:00+00:00")
    assert imported(logs, out) == 0
    write_log(logs / "c.eval", samples(), task_id="two")
    assert imported(logs, out) == 2
    assert "2 runs of explagraphs-practice dev in these logs; name one of: " in (
        capsys.readouterr().err)


@pytest.mark.parametrize(("changed", "said"), [
    ({"board": "explagraphs"}, "a log of explagraphs dev, not of explagraphs-practice dev"),
    ({"split": "test"}, "a log of explagraphs-practice test"),
    ({"inputs_sha256": "0" * 64}, "the items of explagraphs-practice dev have changed since"),
    ({"prompt": {"name": "none-such"}}, "has no prompt 'none-such'"),
    ({"prompt": None}, "it names no prompt"),
    ({"prompt": {"name": "reasoning", "version": "x"}}, "no version or digest of its prompt"),
])
def test_a_log_of_other_items_or_without_a_prompt_is_refused(
    changed: dict[str, Any], said: str, out: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"whyboard": {**made.about(), **changed}}
    log = write_log(tmp_path / "log.eval", samples(), metadata=told)
    assert imported(log, out) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(("found", "more", "said"), [
    (samples()[:30], (), "no sample of 10 items of 40: 31-40; finish the run: inspect eval-retry"),
    (samples()[:30], ("--unanswered", "31-39"), "no sample of 1 item of 40: 40"),
    (samples(), ("--unanswered", "4"), "--unanswered 4: the log has a sample of it"),
    (samples(), ("--unanswered", "x"), "--unanswered 'x': write numbers of items"),
    (samples()[:39], ("--unanswered", "40,41"), "--unanswered 41: explagraphs-practice dev has 40"),
    ([*samples(), sample(41, "x")], (), "item 41, but explagraphs-practice dev has 40"),
    ([*samples(), sample(3, "x", 2)], (), "2 epochs; a submission is one of them: --epoch 1"),
    (samples(), ("--epoch", "2"), "--epoch 2: the log has 1"),
    ([sample(number, None, error={"message": "APIConnectionError()"}) for number in range(1, 41)],
     (), "no answer to any of 40 items (40 APIConnectionError); see that the endpoint answers"),
    ([sample(1, "Hm.")], (), "no answer could be read (39 not asked, 1 unparsable)"),
    ([*samples()[:39], sample("1", "x")], (), "item 1 of epoch 1 for the second time"),
    ([*samples()[:39], sample(float("nan"), "x")], (), "whose id or epoch is no number above 0"),
    ([*samples()[:39], sample("../40", "x")], (), "whose id or epoch is no number above 0"),
    ([*samples()[:39], sample(10**400, "x")], (), "not JSON (parse error: integer overflow)"),
    ([*samples()[:39], 7], (), "'7', where an object or a list was expected"),
])
def test_a_log_that_leaves_items_unaccounted_for_is_refused(
    found: list[Any], more: tuple[str, ...], said: str, out: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(write_log(tmp_path / "log.eval", found), out, *more) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_a_log_of_several_epochs_gives_the_one_that_is_asked_for(out: Path, tmp_path: Path) -> None:
    found = [*samples(), *(sample(number, "Stance: support\nGraph: (a; b; c)", 2)
                           for number in range(1, 41))]
    log = write_log(tmp_path / "log.json", found)
    assert imported(log, out, "--epoch", "2") == 0
    assert (out / "predictions.dev.tsv").read_text() == "support\t(a; b; c)\n" * 40


@pytest.mark.parametrize(("content", "said"), [
    (b"{" * 100_000, "nested too deeply"),
    (b'{"eval": ' + b"[" * 200_000, "nested too deeply"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b"{}", "no entry 'eval'"),
    (b'{"eval": {"task": "other", "metadata": {"whyboard": 3}}}', "not one of this program"),
    (b'{"eval": {"task": "x\x1b[31m"}}', "not one of this program"),
    (b'{"eval": {}, "samples": [', "cut off or damaged"),
])
def test_a_hostile_json_log_is_a_fault_in_words(
    content: bytes, said: str, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.json"
    log.write_bytes(content)
    assert imported(log, out) == 2
    found = capsys.readouterr().err
    assert said in found or "not JSON" in found
    assert "\x1b" not in found
    assert not out.exists()


def test_an_endless_answer_is_cut_and_too_much_text_is_refused(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_answers, "LARGEST_ANSWER", 1000)
    endless = sample(40, "Stance: support\n" + "x" * 5000)
    endless["model_usage"] = {"m": {"input_tokens": float("inf"), "output_tokens": -5}, "n": 3}
    log = write_log(tmp_path / "log.eval", [*samples()[:39], endless])
    assert imported(log, out) == 0
    assert "1 cut-off: 40" in (said := capsys.readouterr().out)
    assert "tokens read 3900, written 780" in said
    monkeypatch.setattr(inspect_answers, "MOST_TEXT", 1000)
    assert imported(log, out) == 2
    assert "million characters of answers; split the log" in capsys.readouterr().err


@pytest.mark.parametrize("steps", [5, True, 1.5, "ask", {"solver": 3}, [3]])
def test_a_plan_without_a_list_of_steps_is_no_traceback(
    steps: Any, out: Path, tmp_path: Path
) -> None:
    log = write_log(tmp_path / "log.json", samples())
    found = json.loads(log.read_text())
    found["plan"]["steps"] = steps
    log.write_text(json.dumps(found))
    assert imported(log, out) == 0


def test_a_zip_of_a_later_version_and_a_device_are_faults_in_words(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / "log.eval", samples())
    content = bytearray(log.read_bytes())
    content[content.index(b"PK\1\2") + 6] = 255
    log.write_bytes(content)
    assert imported(log, out) == 2
    assert "no zip file" in capsys.readouterr().err
    assert imported(Path("/dev/zero"), out) == 2
    assert "not a regular file" in capsys.readouterr().err


def test_texts_are_not_written_into_the_submission_nor_over_it(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / "log.eval", samples())
    for place in (out / "answers.jsonl", out / "predictions.dev.tsv", tmp_path):
        assert imported(log, out, "--answers", str(place)) == 2
        assert "name another file" in capsys.readouterr().err
    assert not out.exists()


def test_foreign_text_in_a_log_reaches_no_terminal_and_no_field(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = samples()
    found[0] = sample(1, None, error={"message": "\x1b[31m::error::EvilError"})
    log = write_log(tmp_path / "log.eval", found, model="m\x1b[31m\n" + "x" * 500,
                    model_args={"model_path": "/home/someone/weights\x07"})
    assert imported(log, out) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "1 EvilError: 1" in said.out
    assert "/home/someone" not in (text := (out / "submission.yaml").read_text())
    assert "weights" in text
    assert main(["check", str(out)]) == 0


@pytest.mark.parametrize(("more", "field"), [
    ({"created": "yesterday"}, "date"),
    ({"model": "m\ufe0f"}, "system"),
    ({"metadata": {"whyboard": {**made.about(), "prompt": {
        "name": "reasoning", "version": 1, "digest": "x" * 64}}}}, "prompt"),
])
def test_what_a_log_says_that_no_submission_may_say_is_refused(
    more: dict[str, Any], field: str, out: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(write_log(tmp_path / "log.eval", samples(), **more), out) == 2
    said = capsys.readouterr().err
    assert "submission.yaml:" in said
    assert f"META-VALUE {field}: " in said
    assert not out.exists()


def test_a_run_that_was_cut_off_says_how_to_finish_it(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / "log.eval", samples())
    log.write_bytes(log.read_bytes()[:-200])
    assert imported(log, out) == 2
    assert "no zip file, one that is cut off" in capsys.readouterr().err


def test_importing_needs_no_inspect_ai(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.eval", samples())
    out = tmp_path / BOARD / "us" / "small"
    modules = loaded(
        "from scorer.cli import main\n"
        f"assert main(['import', 'inspect', {str(log)!r}, '--board', {BOARD!r}, '--split', 'dev', "
        f"'--boards', {str(Path('boards').resolve())!r}, '--out', {str(out)!r}]) == 0", tmp_path)
    assert not modules & (HEAVY - {"numpy", "ijson", "zstandard", "pydantic"})
