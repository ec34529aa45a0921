"""Runs over many submissions: failures, kills at any point, shards, and resuming."""

import json
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scorer.boards.submission import SubmissionName
from scorer.cli import main
from scorer.core.errors import DataError, UsageError
from scorer.models.registry import Models
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Make, run_inline
from scorer.scoring.runs import Done, Shard, SplitJob, shard
from tests.engine_targets import Ill
from tests.run_helpers import (
    NO_MODELS,
    ROOT,
    SUBMISSIONS,
    arguments,
    rows_tree,
    score,
    stopped,
)

pytestmark = pytest.mark.whole

PRACTICE = "explagraphs-practice/reference"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run that nothing happened to."""
    out = tmp_path_factory.mktemp("whole") / "results"
    score(run_inline, out)
    return rows_tree(out)


def failing(system: str, failure: Failure) -> Any:
    """An engine to which one system's jobs always fail in one way."""

    def run(
        make: Make[SplitJob, Done], jobs: Sequence[SplitJob]
    ) -> Iterator[tuple[SplitJob, Done | Failure]]:
        work = make()
        for job in jobs:
            yield job, failure if job.name.system == system else work(job)

    return run


def copied(tmp_path: Path, *systems: str) -> list[Path]:
    """Copies of submissions that may be changed."""
    there = tmp_path / "submissions" / PRACTICE
    return [shutil.copytree(SUBMISSIONS / system, there / system) for system in systems]


def spoil(folder: Path, old: str, new: str) -> None:
    """Change the predictions of dev."""
    path = folder / "predictions.dev.tsv"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


# ---- engines ---------------------------------------------------------------------------------


@pytest.mark.claim("One worker or several write the same bytes.")
@pytest.mark.slow
def test_every_engine_writes_the_same_bytes(whole: dict[str, bytes], tmp_path: Path) -> None:
    score(partial(local.run, seconds=600, size=2), tmp_path)
    assert rows_tree(tmp_path) == whole


@pytest.mark.slow
def test_a_submission_that_ends_its_worker_is_reported_and_the_rest_go_on(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    def engine(make: Any, jobs: Any) -> Any:
        return local.run(Ill(make, "second-gold", "segfault"), jobs, seconds=600)

    log = tmp_path / "log"
    outcomes = score(engine, tmp_path / "out", log=log,
                     folders=[SUBMISSIONS / "null", SUBMISSIONS / "second-gold"])
    assert [(name, answer.code) for name, answer in outcomes.items()
            if isinstance(answer, Failure)] == [(("second-gold", "test"), "crash")]
    assert rows_tree(tmp_path / "out") == {
        name: content for name, content in whole.items() if "/null/" in name}
    assert "engine_targets.py" in log.read_text()


# ---- failures --------------------------------------------------------------------------------

FULL = Failure("memory", "scoring it took more memory than there is")


def test_a_result_outlives_a_failure_unless_it_is_of_other_predictions(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    [folder] = copied(tmp_path, "gold")
    score(run_inline, tmp_path / "out", folders=[folder])
    spoil(folder, "causes", "is a")
    score(failing("gold", FULL), tmp_path / "out", folders=[folder])
    left_over = {name: content for name, content in whole.items() if "/gold/test." in name}
    assert rows_tree(tmp_path / "out") == left_over
    (folder / "submission.yaml").write_text("system: [\n")
    assert score(run_inline, tmp_path / "out", folders=[folder]) == {}
    assert rows_tree(tmp_path / "out") == left_over


def test_one_faulty_split_does_not_take_the_other_along(
    whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [folder] = copied(tmp_path, "gold")
    (folder / "predictions.dev.tsv").write_text("x\n")
    assert main(["score", "--all", "--engine", "inline", "--results", str(tmp_path / "out"),
                 "--submissions", str(tmp_path / "submissions"), "--home", str(tmp_path / "home"),
                 "--models", "no", "--quiet"]) == 2
    assert f"{folder}: {folder / 'predictions.dev.tsv'}:1:1 TSV-COLUMNS 1 column; expected 2" in (
        capsys.readouterr().err)
    assert rows_tree(tmp_path / "out") == {
        name: content for name, content in whole.items() if "/gold/test." in name}


def test_gold_that_is_not_at_hand_is_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "submissions" / "explagraphs" / "t" / "s"
    shutil.copytree(SUBMISSIONS / "gold", folder)
    code = main(["score", "--all", "--results", str(tmp_path / "out"), "--submissions",
                 str(tmp_path / "submissions"), "--home", str(tmp_path), "--models", "no"])
    assert code == 3
    assert capsys.readouterr().err == (
        "explagraphs dev: dev.tsv is not on this machine; run: scorer data fetch explagraphs "
        "(1 submission not scored)\n")
    assert not (tmp_path / "out").exists()


# ---- kills -----------------------------------------------------------------------------------


@pytest.mark.claim("A run killed in the middle and begun again ends in the same bytes.")
@pytest.mark.slow
@pytest.mark.parametrize(("number", "when", "engine", "more"), [
    (1, "before", "inline", ["--resume"]), (2, "before", "inline", []),
    (4, "after", "local", ["--resume"]),
])
def test_killed_around_a_rename_and_run_again_the_final_bytes_are_the_same(
    number: int, when: str, engine: str, more: list[str], whole: dict[str, bytes], tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    ran = stopped(signal.SIGKILL, number, when, *arguments(out, "--engine", engine))
    assert ran.returncode == -signal.SIGKILL
    half = [name for name in rows_tree(out) if Path(name).name.startswith(".")]
    assert len(half) == number % 2 + (when == "before")  # items go first, then their result
    assert main(arguments(out, "--engine", "inline", *more)) == 0
    assert rows_tree(out) == whole


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_nothing(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    def engine(make: Any, jobs: Any) -> Any:
        return local.run(Ill(make, "null", f"kill-once {tmp_path / 'killed'}"), jobs, seconds=600)

    score(engine, tmp_path / "out")
    assert (tmp_path / "killed").exists()
    assert rows_tree(tmp_path / "out") == whole


@pytest.mark.slow
def test_ctrl_c_leaves_whole_files_and_no_process(whole: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = stopped(signal.SIGINT, 4, "after", *arguments(out))
    assert (ran.stderr, ran.returncode) == ("stopped\n", 130)
    assert 0 < len(rows_tree(out)) < len(whole)
    assert rows_tree(out).items() <= whole.items()


# ---- resuming --------------------------------------------------------------------------------


def left(outcomes: Any) -> set[tuple[str, str]]:
    """The systems and splits whose results were left as they were."""
    return {name for name, answer in outcomes.items() if answer.result is None}


def test_what_is_there_and_fits_is_left_and_the_rest_is_scored_again(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    every = score(run_inline, tmp_path).keys()
    assert left(score(run_inline, tmp_path, resume=True)) == every
    dev = tmp_path / PRACTICE / "gold" / "dev.json"
    items = dev.with_suffix(".items.tsv")
    older = json.loads(dev.read_bytes())
    for path, content in (
            (dev, b"{"), (dev, None), (items, None), (items, b""),
            (dev, (tmp_path / PRACTICE / "null" / "dev.json").read_bytes()),
            (dev, json.dumps({**older, "board_version": "0.9", "key": 64 * "0"}).encode())):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        assert every - left(score(run_inline, tmp_path, resume=True)) == {("gold", "dev")}
        if path == items or content is None or b"0.9" not in content:
            assert rows_tree(tmp_path) == whole


def test_other_predictions_metrics_or_options_are_scored_again(tmp_path: Path) -> None:
    [folder] = copied(tmp_path, "gold")

    def unchanged(**options: Any) -> set[str]:
        scorer = replace(NO_MODELS, **options)
        outcomes = score(run_inline, tmp_path / "out", scorer=scorer, resume=True,
                         folders=[folder])
        expected = tmp_path / "expected"
        shutil.rmtree(expected, ignore_errors=True)
        score(run_inline, expected, scorer=scorer, folders=[folder])
        assert rows_tree(tmp_path / "out") == rows_tree(expected)
        return {split for _, split in left(outcomes)}

    assert unchanged() == set()
    assert unchanged() == {"dev", "test"}
    spoil(folder, "causes", "is a")
    assert unchanged() == {"test"}
    assert unchanged(with_null=False) == set()
    assert unchanged(metrics=("SA", "StCA")) == set()
    assert unchanged(metrics=("SA", "StCA")) == {"dev", "test"}
    assert unchanged(metrics=("SA", "GED")) == set()
    assert unchanged(reuse=ROOT / "results") == set()


@pytest.mark.models
def test_a_value_of_a_model_stays_and_one_that_can_now_be_had_is_scored(tmp_path: Path) -> None:
    scorer, out = replace(NO_MODELS, models=Models()), tmp_path / "out"
    folders = copied(tmp_path, "null")
    (folders[0] / "predictions.test.tsv").unlink()
    assert not left(score(run_inline, out, folders=folders))
    assert not left(score(run_inline, out, scorer=scorer, folders=folders, resume=True))
    measured = rows_tree(out)
    for one in (scorer, NO_MODELS):
        assert left(score(run_inline, out, scorer=one, folders=folders, resume=True))
    assert rows_tree(out) == measured


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no other Python platform limits memory")
def test_a_model_for_which_there_is_no_room_is_never_published_as_not_measured(
    tmp_path: Path
) -> None:
    scorer, folders = replace(NO_MODELS, models=Models()), copied(tmp_path, "null")
    (folders[0] / "predictions.test.tsv").unlink()
    engine = partial(local.run, seconds=600, memory=0.3)
    with pytest.raises(DataError, match="not enough memory to load the model minilm-l6"):
        score(engine, tmp_path / "out", scorer=scorer, folders=folders)
    assert rows_tree(tmp_path / "out") == {}
    scorer = replace(scorer, reuse=tmp_path)
    outcomes = score(engine, tmp_path / "out", scorer=scorer, folders=folders)
    failures = outcomes.values()
    assert [answer.code for answer in failures if isinstance(answer, Failure)] == ["memory"]


# ---- shards ----------------------------------------------------------------------------------


def test_shards_are_disjoint_and_make_up_the_whole(
    whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    together: dict[str, bytes] = {}
    for number in (1, 2):
        out = tmp_path / str(number)
        assert main(arguments(out, "--shard", f"{number}/2", "--engine", "inline")) == 0
        assert not together.keys() & rows_tree(out).keys()
        together |= rows_tree(out)
    assert together == whole
    capsys.readouterr()


def test_every_submission_is_of_one_shard_whatever_the_machine() -> None:
    places = [SubmissionName("board", "team", f"system-{number}") for number in range(300)]
    for count in (1, 2, 7):
        sizes = [sum(Shard(number, count).has(place) for place in places)
                 for number in range(1, count + 1)]
        assert sum(sizes) == len(places)
        assert min(sizes) > 300 / count / 2
    # sha256("b/t/s") = ...1 modulo 4, so it is of the second part
    assert [Shard(number, 4).has(SubmissionName("b", "t", "s")) for number in (1, 2, 3, 4)] == [
        False, True, False, False]


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1 / 2"])
def test_a_shard_that_is_none_is_told(text: str) -> None:
    with pytest.raises(UsageError, match=r"write I/N, part I of N, such as 1/4 \.\.\. 4/4"):
        shard(text)


# ---- rescore and score as commands -----------------------------------------------------------


def rescore(tmp_path: Path, *more: str) -> list[str]:
    return ["rescore", "--results", str(tmp_path / "results"), "--home", str(tmp_path / "home"),
            "--submissions", str(ROOT / "submissions"), "--models", "no", *more]


def test_rescore_computes_what_was_ever_scored_and_nothing_else(
    whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (f"{PRACTICE}/gold/dev.json", f"{PRACTICE}/null/test.json"):
        (tmp_path / "results" / name).parent.mkdir(parents=True)
        (tmp_path / "results" / name).write_text("{}")
    assert main(rescore(tmp_path, "--engine", "inline")) == 0
    assert capsys.readouterr().out == "4 results computed again\n"
    wanted = {name: content for name, content in whole.items() if place_in(name, "gold", "null")}
    assert rows_tree(tmp_path / "results") == wanted
    assert main(rescore(tmp_path, "--out", str(tmp_path / "out"), "--engine", "inline")) == 0
    assert rows_tree(tmp_path / "out") == wanted


def place_in(name: str, *systems: str) -> bool:
    return Path(name).parent.name in systems


def test_rescore_says_what_is_not_at_hand_and_leaves_its_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results" / "explagraphs-practice" / "gone" / "s" / "dev.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert main(rescore(tmp_path)) == 3
    assert capsys.readouterr().err == ("explagraphs-practice/gone/s: its predictions are not at "
                                       "hand, so its results stay as they are\n")
    assert path.read_text() == "{}"


UNUSABLE = {
    "--resume goes with --all and --results DIR": ["score", "--all", "--resume"],
    "--address and --gpus are of the engine ray; say --engine ray": [
        "score", "--all", "--engine", "local", "--address", "head:1"],
    "--memory and --workers need workers; say --engine local": [
        "score", str(SUBMISSIONS / "gold"), "--memory", "2"],
    "--shard '9/4': write I/N, part I of N, such as 1/4 ... 4/4": [
        "score", "--all", "--shard", "9/4", "--submissions", str(ROOT / "submissions")],
    "none: no such folder; name one with --results": ["rescore", "--results", "none"],
}


@pytest.mark.parametrize("words", UNUSABLE)
def test_options_that_do_not_go_together_are_told(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(UNUSABLE[words]) == 2
    assert capsys.readouterr().err == f"{words}\n"


def test_two_folders_of_one_place_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [folder] = copied(tmp_path, "gold")
    assert main(["score", str(folder), str(SUBMISSIONS / "gold")]) == 2
    assert "have the same board, team and system" in capsys.readouterr().err
