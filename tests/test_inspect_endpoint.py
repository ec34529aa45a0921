"""inspect_ai against a server on this machine that misbehaves, a kill, and a folder of weights."""

import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from scorer.cli import main
from scorer.lab.harnesses.asking import asking
from tests.harness_logs import BOARD, answer, evaluated, installed, neighbours
from tests.loopback import JudgeServer, Reply, Request, serving
from tests.tiny_systems import tiny_gpt2

pytest.importorskip("openai")
pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore"),
              pytest.mark.usefixtures("streams_of_a_harness")]

ROOT = Path(__file__).resolve().parent.parent
INSPECT = Path(sys.executable).with_name("inspect")
MODEL = "openai-api/local/small"
Answering = Callable[[int, int], Reply | None]


def completion(text: str | None, stop: str = "stop") -> Reply:
    """A whole completion with its tokens."""
    return Reply(json.dumps({
        "id": "x", "object": "chat.completion", "created": 1, "model": "small",
        "choices": [{"index": 0, "finish_reason": stop,
                     "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59}}).encode())


@contextmanager
def answering(by_item: Answering, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    """A server that answers as the nearest neighbour does, or as ``by_item(item, attempt)`` says.
    """
    asked = asking(BOARD, "dev", prompt="reasoning", examples=0, home=ROOT)
    items = {asked.messages(number)[-1].content: number for number in range(1, 41)}
    rows, attempts = neighbours(), Counter[int]()

    def reply(request: Request, _: int) -> Reply:
        item = items[request.user]
        attempts[item] += 1
        return by_item(item, attempts[item]) or completion(answer(rows[item - 1]))

    with serving(reply) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        yield server


def command(logs: Path, out: Path, *more: str) -> list[str]:
    return ["import", "inspect", str(logs), "--board", BOARD, "--split", "dev", "--out",
            str(out / BOARD / "us" / "small"), "--date", "2026-11-23", *more]


def run(logs: Path, **options: Any) -> Any:
    """The log of a run in this process."""
    from scorer.lab.harnesses.inspect_tasks import TASKS

    return evaluated(TASKS["explagraphs_practice"](prompt="reasoning", examples=0),
                     log_dir=str(logs), display="none", **{"model": MODEL, **options})


TOO_MANY = Reply(b'{"error": {"message": "slow down"}}', 429, {"Retry-After": "0"})
SILENT = Reply(b"", pause=600)
"""Longer than any test; the server's threads end with the process."""
MISBEHAVING: dict[int, Callable[[int], Reply | None]] = {
    1: lambda attempt: TOO_MANY if attempt < 2 else None,
    2: lambda attempt: Reply(b'{"choices', promised=500) if attempt == 1 else None,
    3: lambda attempt: Reply(b'{"choices": [{"mess'),
    5: lambda attempt: completion("", "content_filter"),
    6: lambda attempt: Reply(b"busy", 503) if attempt == 1 else None,
    7: lambda attempt: completion(""),
    8: lambda attempt: Reply(b'{"error": {"message": "no such parameter"}}', 400),
    9: lambda attempt: completion("Stance: support\nGraph: (cats; is", "length"),
    10: lambda attempt: TOO_MANY}


@pytest.fixture
def hasty(monkeypatch):
    """No pause between the tries of a request."""
    from inspect_ai.model import _retry
    from tenacity import wait_none

    monkeypatch.setattr(_retry, "wait_exponential_jitter", lambda **_: wait_none())


@pytest.mark.claim("An endpoint that misbehaves leaves an answer or a named reason in every row.")
@pytest.mark.usefixtures("hasty")
def test_an_endpoint_that_misbehaves_leaves_an_answer_or_a_named_reason_in_every_row(
    tmp_path, monkeypatch, capsys
):
    with answering(lambda item, attempt: MISBEHAVING.get(item, lambda _: None)(attempt),
                   monkeypatch):
        assert len(run(tmp_path / "logs", max_retries=2).samples) == 40
    assert main(command(tmp_path / "logs", tmp_path)) == 0
    kinds = {line.split(":")[0].strip(): line.partition(": ")[2].partition(";")[0]
             for line in capsys.readouterr().out.splitlines()[1:]}
    assert "34 answered" in kinds
    assert (kinds["1 refusal"], kinds["1 empty"], kinds["1 cut-off"]) == ("5", "7", "9")
    reasons = {item: kind.partition(" ")[2] for kind, items in kinds.items()
               for item in items.split(", ")}
    assert [reasons[item] for item in ("3", "8", "10")] == [
        "JSONDecodeError", "BadRequestError", "RateLimitError"]
    out = tmp_path / BOARD / "us" / "small"
    assert main(["check", str(out)]) == 0
    rows = (out / "predictions.dev.tsv").read_text().splitlines()
    assert [number for number, line in enumerate(rows, start=1)
            if line.split("\t") != neighbours()[number - 1]] == [3, 5, 7, 8, 9, 10]


def program(folder: Path, server: JudgeServer) -> dict[str, str]:
    """An environment with the commands ``inspect`` and ``scorer``."""
    env = installed(folder)
    (folder / "bin").mkdir()
    (folder / "bin" / "inspect").symlink_to(INSPECT)
    scorer = folder / "bin" / "scorer"
    scorer.write_text(f"#!/bin/sh\nexec {sys.executable} -m scorer \"$@\"\n")
    scorer.chmod(0o755)
    return {**env, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LOCAL_BASE_URL": server.url,
            "LOCAL_API_KEY": "none", "INSPECT_DISPLAY": "none", "HOME": str(folder),
            "WHYBOARD_HOME": str(folder / "home")}


def holds_samples(logs: Path) -> bool:
    """Whether the log that is being written has some already."""
    for path in logs.glob("*.eval"):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as log:
            return any(name.startswith("samples/") for name in log.namelist())
    return False


def test_a_run_that_is_killed_and_resumed_gives_the_same_bytes(tmp_path, monkeypatch, fails):
    answered, hangs, resumed = Counter[int](), Event(), Event()

    def reply(item: int, attempt: int) -> Reply | None:
        if not resumed.is_set() and sum(answered.values()) >= 25:
            hangs.set()
            return SILENT
        answered[item] += 1
        return None

    logs, whole = tmp_path / "killed", tmp_path / "whole"
    with answering(reply, monkeypatch) as server:
        running = subprocess.Popen(
            [str(INSPECT), "eval", "scorer/explagraphs_practice", "--model", MODEL, "-T",
             "prompt=reasoning", "-T", "examples=0", "--max-connections", "4", "--log-buffer", "1",
             "--log-dir", str(logs)], env=program(tmp_path, server), cwd=tmp_path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not hangs.wait(0.1) or not holds_samples(logs):
            assert running.poll() is None, "it ended before it was killed"
        running.send_signal(signal.SIGKILL)
        running.wait()
        resumed.set()
        before = sum(answered.values())
        [log] = logs.glob("*.eval")
        fails(2, "", *command(logs, tmp_path / "cut off"))
        evaluated(str(log), log_dir=str(logs), display="none")
        assert sum(answered.values()) - before < 40  # what was answered is not asked again
        run(whole)
    folders = []
    for folder in (logs, whole):
        assert main(command(folder, folder / "out")) == 0
        folders.append({path.name: path.read_bytes()
                        for path in (folder / "out" / BOARD / "us" / "small").iterdir()})
    assert folders[0] == folders[1]


@pytest.mark.claim("The page on models leads from an endpoint to a checked, scored submission.")
def test_the_page_leads_from_an_endpoint_to_a_checked_submission_with_its_score(tmp_path):
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    five_minutes = page.partition("## Five minutes")[2].partition("\n## ")[0]
    [install, *blocks] = re.findall(r"```sh\n(.*?)```", five_minutes, re.DOTALL)
    assert install.split() == ["pip", "install", "'whyboard[inspect]'"]
    address = "http://127.0.0.1:8000/v1"
    assert address in blocks[0]
    rows = iter(neighbours() * 2)
    with serving(lambda *_: completion(answer(next(rows)))) as server:
        script = "set -e\n" + "".join(blocks).replace(address, server.url)
        ran = subprocess.run(["bash", "-c", script], env=program(tmp_path, server), cwd=tmp_path,
                             capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "40 answered" in ran.stdout
    assert "can be scored on explagraphs-practice dev" in ran.stdout
    assert re.search(r"StCA +\d+\.\d", ran.stdout)


@pytest.mark.models
def test_a_model_in_a_folder_is_asked_by_the_same_task(tmp_path, capsys, monkeypatch):
    hub = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)  # else the hub is asked for a minute
    folder = tiny_gpt2(tmp_path / "tiny-model", ["support counter"], 300)
    log = run(tmp_path / "logs", model="hf/local", max_tokens=8, seed=5, limit=4, model_args={
        "model_path": str(folder), "device": "cpu", "do_sample": False})
    assert (log.status, len(log.samples)) == ("success", 4)
    assert all(sample.output.completion for sample in log.samples)
    assert main(command(tmp_path / "logs", tmp_path, "--unanswered", "5-40")) == 2
    assert "no answer could be read (" in (text := capsys.readouterr().err)  # it writes nonsense
    assert "36 not asked" in text
