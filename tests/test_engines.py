"""Engines: jobs whose workers die, hang or run out of memory, and all the others."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

from scorer._version import __version__
from scorer.core.errors import DataError
from scorer.scoring.engines import local, ray
from scorer.scoring.engines.outcomes import OUT_OF_MEMORY, Failure, Quiet
from scorer.scoring.submissions import run_inline
from tests import engine_targets
from tests.engine_targets import Loud, kind_of, make
from tests.run_helpers import children, command_line

MB = 1_000_000
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="no other Python platform limits memory")


def run(jobs: Sequence[str], **options: Any) -> dict[str, Any]:
    """The answers of the local engine, without the process that gave them."""
    answers = dict(local.run(make, jobs, **{"seconds": 600.0, **options}))
    assert set(answers) == set(jobs)
    return {job: answer if isinstance(answer, Failure) else answer.partition(" ")[2]
            for job, answer in answers.items()}


NAMES = {"GITHUB_TOKEN": False, "ACTIONS_RUNTIME_URL": False, "SSH_AUTH_SOCK": False,
         "WHYBOARD_GOLD_SOURCE": False, "AWS_SECRET_ACCESS_KEY": False, "some_apikey": False,
         "TOKENIZERS_PARALLELISM": True, "KEYBOARD": True, "WHYBOARD_HOME": True}


def test_a_worker_has_our_settings_and_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, "ours")
    assert run([f"variable {name}" for name in NAMES]) == {
        f"variable {name}": "ours" if kept else "None" for name, kept in NAMES.items()}
    assert all(os.environ[name] == "ours" for name in NAMES)


@pytest.mark.claim("A submission that crashes its worker stops no other.")
@pytest.mark.slow
@LINUX
def test_a_job_that_goes_wrong_fails_in_its_own_way_and_the_others_go_on() -> None:
    eat, crashed = f"eat {900 * MB}", "scoring it ended the process that did it, twice"
    answers = run(["a", "segfault", "kill", eat, "bug", "fault", "b"], memory=0.5)
    assert (answers["a"], answers["b"]) == ("a", "b")
    assert answers["fault"] == Failure("submission", "a fault of the user")
    assert run(["hang"], seconds=1) == {"hang": Failure("timeout",
                                                        "scoring it took longer than 1 s")}
    for job, code, exit_code, message, words in (
        ("segfault", "crash", 1, crashed, "was killed by SIGSEGV"),
        ("kill", "crash", 1, crashed, "was killed by SIGKILL"),
        (eat, "memory", 3, OUT_OF_MEMORY.message, "MemoryError"),
        ("bug", "bug", 1, "the program failed on it (ValueError)", "in /the/code"),
    ):
        failure = answers[job]
        assert (failure.code, failure.exit_code, failure.message) == (code, exit_code, message)
        assert words in failure.log


@LINUX
def test_what_earlier_jobs_left_in_memory_is_not_a_job_s_fault() -> None:
    jobs = [f"leave {350 * MB}", f"eat {350 * MB}"]
    assert run(jobs, memory=0.5) == {job: job for job in jobs}


def test_one_worker_does_every_job_in_order_and_a_new_one_makes_a_second_attempt(
    tmp_path: Path
) -> None:
    jobs = ["a", "b", f"kill-once {tmp_path / 'killed'}", "c"]
    answers = list(local.run(make, jobs, seconds=600))
    assert [job for job, _ in answers] == jobs
    first, second, third, last = (str(answer).partition(" ")[0] for _, answer in answers)
    assert first == second != third == last


@pytest.mark.slow
def test_a_recipe_that_cannot_be_made_stops_the_run_with_its_reason_if_there_is_a_job() -> None:
    assert list(local.run(engine_targets.make_nothing, [], seconds=60)) == []
    with pytest.raises(DataError, match="no oven"):
        list(local.run(engine_targets.make_nothing, ["a"], seconds=60))
    with pytest.raises(DataError, match="3 workers in a row died before the first job: the worker "
                       "process was killed by SIGKILL"):
        list(local.run(engine_targets.make_and_die, ["a"], seconds=60))


def test_jobs_are_taken_as_workers_are_free() -> None:
    taken = []

    def jobs() -> Iterator[str]:
        for number in range(1000):
            taken.append(number)
            yield f"job {number}"

    answers = local.run(make, jobs(), seconds=60, size=2)
    for _ in range(5):
        next(answers)
    answers.close()
    assert len(taken) <= 7


def test_a_large_answer_comes_whole_and_a_kill_while_it_is_sent_harms_nobody_else() -> None:
    large = f"large {20 * MB}"
    jobs = ["kill-while-sending", large, *(f"job {number}" for number in range(9))]
    answers = run(jobs, size=2)
    assert answers.pop("kill-while-sending").code == "crash"
    assert len(answers.pop(large)) == 20 * MB
    assert answers == {job: job for job in jobs[2:]}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends after its job")
def test_a_killed_run_takes_its_workers_along() -> None:
    program = ("from scorer.scoring.engines import local\nfrom tests.engine_targets import make\n"
               "for job, answer in local.run(make, ['a', 'hang', 'hang'], seconds=60, size=2):\n"
               "    print(answer, flush=True)")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as ran:
        assert ran.stdout is not None
        ran.stdout.readline()
        workers = children(ran.pid)
        ran.kill()
    assert len(workers) >= 2
    while any(map(command_line, workers)):  # until the last one has ended
        time.sleep(0.05)


@pytest.mark.slow
def test_an_abandoned_run_leaves_no_process() -> None:
    import multiprocessing

    before = set(multiprocessing.active_children())
    answers = local.run(make, ["a", "hang", "b"], seconds=60, size=2)
    next(answers)
    del answers
    assert set(multiprocessing.active_children()) <= before


def test_a_machine_that_begins_no_process_is_named_as_the_reason(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(process: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(SpawnProcess, "start", refuse)
    with pytest.raises(BlockingIOError):
        run(["a", "b"], size=2)


def test_inline_a_bug_keeps_its_traceback_and_a_fault_of_the_user_is_an_answer() -> None:
    answers = run_inline(make, ["fault", "bug"])
    assert next(answers) == ("fault", Failure("submission", "a fault of the user"))
    with pytest.raises(ValueError, match="in /the/code"):
        next(answers)


# ---- Ray -------------------------------------------------------------------------------------


def test_ray_that_is_missing_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DataError, match=r"^the engine ray needs the ray extra \(Ray is not "
                                        r"installed\): pip install 'whyboard\[ray\]'$"):
        list(ray.run(make, ["a"], seconds=60))


@pytest.mark.parametrize(("changed", "words"), [
    ({"version": "0.0.0"}, r"has whyboard \S+, the machine that sends jobs 0.0.0; install the"),
    ({"folder": "/none"}, "has no folder /none; a worker needs the same"),
])
def test_a_machine_of_another_version_or_without_the_folder_stops_the_run(
    changed: dict[str, str], words: str,
) -> None:
    driver = ray._Driver(__version__, str(Path.cwd()), b"run", 60, None)._replace(**changed)
    _, failure = ray._do(driver, make, "a")
    assert isinstance(failure, Failure)
    assert failure.exit_code == 3
    assert re.search(words, failure.message)


@pytest.mark.parametrize("address", ["head", "localhost:x", "localhost:70000", "127.0.0.1:1"])
def test_an_address_at_which_there_is_no_cluster_is_refused(address: str) -> None:
    with pytest.raises(DataError, match=rf"the Ray cluster at '{address}' cannot be reached \(.*; "
                       "write auto or HOST:PORT"):
        list(ray.run(make, ["a"], seconds=60, address=address))


# ---- silent workers ------------------------------------------------------------------------


@pytest.mark.parametrize(("recipe", "wanted"), [
    (Loud(), {"a": "a", "bug": "ValueError", "exit": "SystemExit", "memory": OUT_OF_MEMORY}),
    (Loud(broken=True), {"a": "ValueError", "bug": "ValueError"}),
])
def test_a_quiet_worker_gives_answers_and_classes_of_faults_and_no_word_more(
    recipe: Loud, wanted: dict[str, object], capfd: pytest.CaptureFixture[str],
) -> None:
    found = dict(local.run(Quiet(recipe, kind_of), list(wanted), seconds=60))
    assert found == wanted
    assert "purr" not in "".join(capfd.readouterr()) + repr(found)
