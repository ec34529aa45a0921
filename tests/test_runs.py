"""Runs over many submissions: failures, kills at any point, shards, and resuming."""

import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scorer.boards.submission import SubmissionName
from scorer.cli import main
from scorer.core.errors import DataError, NotMeasured, UsageError
from scorer.models.registry import Models
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Make
from scorer.scoring.submissions import Done, SplitJob, run_inline, shard
from tests.fakes import LetterEncoder
from tests.run_helpers import NO_MODELS, ROOT, SUBMISSIONS, arguments, rows_tree, score, stopped

pytestmark = pytest.mark.whole

PRACTICE = "explagraphs-practice/reference"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run that nothing happened to."""
    out = tmp_path_factory.mktemp("whole") / "results"
    score(run_inline, out)
    return rows_tree(out)


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


# ---- failures --------------------------------------------------------------------------------


def of(tree: dict[str, bytes], *places: str) -> dict[str, bytes]:
    """The files of some systems, or of splits of theirs."""
    return {name: content for name, content in tree.items()
            if any(f"/{place}" in name for place in places)}


def failing(make: Make[SplitJob, Done], jobs: Sequence[SplitJob],
            ) -> Iterator[tuple[SplitJob, Done | Failure]]:
    """An engine to which every job fails."""
    for job in jobs:
        yield job, Failure("memory", "no memory", "Traceback: engine.py")


def test_a_result_outlives_a_failure_unless_it_is_of_other_predictions(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    log = tmp_path / "logs" / "log"
    for engine in (failing, run_inline):
        out, [folder] = tmp_path / engine.__name__ / "out", copied(
            tmp_path / engine.__name__, "gold")
        score(run_inline, out, folders=[folder])
        spoil(folder, "causes", "is a")
        if engine is run_inline:
            (folder / "submission.yaml").write_text("system: [\n")
        score(engine, out, folders=[folder], log=log)
        assert rows_tree(out) == of(whole, "gold/test.")
    assert "gold dev: no memory\nTraceback: engine.py" in log.read_text()


def every(folder: Path) -> list[str]:
    """The words that score every submission below a folder into ``out``."""
    return ["score", "--all", "--engine", "inline", "--models", "no", "--quiet", *(
        f"--{name}={folder / name}" for name in ("submissions", "home")), f"--results={folder}/out"]


def test_one_faulty_split_does_not_take_the_other_along(
    whole: dict[str, bytes], tmp_path: Path, fails: Callable[..., None]
) -> None:
    [folder] = copied(tmp_path, "gold")
    (folder / "predictions.dev.tsv").write_text("x\n")
    fails(2, f"{folder}: {folder / 'predictions.dev.tsv'}:1:1 TSV-COLUMNS 1 column; expected 2",
          *every(tmp_path))
    assert rows_tree(tmp_path / "out") == of(whole, "gold/test.")


def test_gold_that_is_not_at_hand_is_reported_once(tmp_path: Path, fails: Callable[..., None],
                                                   ) -> None:
    shutil.copytree(SUBMISSIONS / "gold", tmp_path / "submissions" / "explagraphs" / "t" / "s")
    fails(3, "explagraphs dev: dev.tsv is not on this machine; run: scorer data fetch explagraphs "
          "(1 submission not scored)\n", *every(tmp_path))
    assert not (tmp_path / "out").exists()


def test_a_folder_whose_board_lacks_a_metric_is_named_and_the_others_are_scored(
    tmp_path: Path, fails: Callable[..., None],
) -> None:
    [graphs] = copied(tmp_path, "gold")
    other = shutil.copytree(ROOT / "submissions/anli-practice/reference/random",
                            tmp_path / "submissions/anli-practice/reference/random")
    fails(2, f" (not scored: {other})\n", "score", str(graphs), str(other), "--metrics", "SA",
          "--results", str(tmp_path / "out"), "--home", str(tmp_path / "home"), "--models", "no")
    assert [name.partition("/")[0] for name in rows_tree(tmp_path / "out") if "/dev.json" in name
            ] == ["explagraphs-practice"]


# ---- kills -----------------------------------------------------------------------------------


@pytest.mark.claim("A run killed in the middle and begun again ends in the same bytes.")
@pytest.mark.slow
@pytest.mark.parametrize(("number", "when", "engine", "more"), [
    (2, "before", "inline", []), (4, "after", "local", ["--resume"]),
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
    folders = [SUBMISSIONS / "gold", SUBMISSIONS / "null"]
    every = score(run_inline, tmp_path, folders=folders).keys()
    dev = tmp_path / PRACTICE / "gold" / "dev.json"
    items = dev.with_suffix(".items.tsv")
    of_null = (tmp_path / PRACTICE / "null" / "dev.json").read_bytes()
    older = {**json.loads(dev.read_bytes()), "board_version": "0.9", "key": 64 * "0"}
    for path, content in ((dev, b"{"), (dev, None), (items, None), (items, b""), (dev, of_null),
                          (dev, json.dumps(older).encode())):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        outcomes = score(run_inline, tmp_path, resume=True, folders=folders)
        assert every - left(outcomes) == {("gold", "dev")}
        again = rows_tree(tmp_path)  # with, at last, what the older version gave
        assert {name: again[name] for name in of(whole, "gold/", "null/")} == of(
            whole, "gold/", "null/")


def test_other_predictions_metrics_or_options_are_scored_again(tmp_path: Path) -> None:
    [folder] = copied(tmp_path, "gold")

    def unchanged(**options: Any) -> set[str]:
        scorer, expected = replace(NO_MODELS, **options), tmp_path / "expected"
        outcomes = score(run_inline, tmp_path / "out", scorer=scorer, resume=True, folders=[folder])
        shutil.rmtree(expected, ignore_errors=True)
        score(run_inline, expected, scorer=scorer, folders=[folder])
        assert rows_tree(tmp_path / "out") == rows_tree(expected)
        return {split for _, split in left(outcomes)}

    assert unchanged() == set()
    spoil(folder, "causes", "is a")
    assert unchanged() == {"test"}
    assert unchanged(with_null=False) == set()
    assert unchanged(metrics=("SA", "StCA")) == set()
    assert unchanged(metrics=("SA", "StCA")) == {"dev", "test"}
    assert unchanged(metrics=("SA", "GED")) == set()
    assert unchanged(reuse=ROOT / "results") == set()


class FewModels(Models):
    """MiniLM alone, whose place an encoder of letters takes; or no room for any model."""

    def __init__(self, room: bool = True) -> None:
        super().__init__()
        self.room = room

    def __call__(self, name: str) -> LetterEncoder:
        if not self.room:
            raise NotMeasured("no room") from MemoryError()
        if name != "minilm-l6":
            raise NotMeasured(f"no {name} here")
        return LetterEncoder()


def test_a_value_of_a_model_stays_and_one_that_can_now_be_had_is_scored(tmp_path: Path) -> None:
    scorer, out = replace(NO_MODELS, models=FewModels()), tmp_path / "out"
    folders = [SUBMISSIONS / "null"]
    assert not left(score(run_inline, out, folders=folders))
    assert not left(score(run_inline, out, scorer=scorer, folders=folders, resume=True))
    measured = rows_tree(out)
    for one in (scorer, NO_MODELS):
        assert left(score(run_inline, out, scorer=one, folders=folders, resume=True))
    assert rows_tree(out) == measured


def test_a_model_for_which_there_is_no_room_is_never_published_as_not_measured(
    tmp_path: Path
) -> None:
    scorer, folders = replace(NO_MODELS, models=FewModels(room=False)), [SUBMISSIONS / "null"]
    with pytest.raises(DataError, match="not enough memory to load the model minilm-l6"):
        score(run_inline, tmp_path / "out", scorer=scorer, folders=folders)
    with pytest.raises(MemoryError, match="no room for what"):
        score(run_inline, tmp_path / "out", scorer=replace(scorer, reuse=tmp_path), folders=folders)
    assert rows_tree(tmp_path / "out") == {}


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no other Python platform limits memory")
def test_a_model_that_a_worker_s_memory_does_not_hold_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not enough memory to load the model minilm-l6"):
        score(partial(local.run, seconds=600, memory=0.3), tmp_path / "out",
              scorer=replace(NO_MODELS, models=Models()), folders=[SUBMISSIONS / "null"])


# ---- shards ----------------------------------------------------------------------------------


def test_shards_are_disjoint_and_make_up_the_whole(whole: dict[str, bytes], tmp_path: Path) -> None:
    parts = []
    for number in (1, 2):
        out = tmp_path / str(number)
        assert main(arguments(out, "--shard", f"{number}/2", "--engine", "inline")) == 0
        parts.append(rows_tree(out))
    assert not parts[0].keys() & parts[1].keys()
    assert parts[0] | parts[1] == whole
    names = [SubmissionName("board", "team", f"system-{number}") for number in range(300)]
    for count in (1, 2, 7):
        sizes = [sum(map(shard(f"{number}/{count}"), names)) for number in range(1, count + 1)]
        assert sum(sizes) == len(names)
        assert min(sizes) > 300 / count / 2
    # sha256("b/t/s") = ...1 modulo 4, so it is of the second part, whatever the machine
    assert [shard(f"{number}/4")(SubmissionName("b", "t", "s")) for number in (1, 2, 3, 4)] == [
        False, True, False, False]


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1 / 2"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"write I/N, part I of N, such as 1/4 \.\.\. 4/4"):
        shard(text)


# ---- rescore and score as commands -----------------------------------------------------------


def test_rescore_computes_what_was_ever_scored_and_names_what_is_not_at_hand(
    whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, wanted = tmp_path / "results", of(whole, "gold/", "null/")

    def rescore(*more: str) -> int:
        return main(["rescore", "--results", str(results), "--home", str(tmp_path / "home"),
                     "--submissions", str(ROOT / "submissions"), "--models", "no", "--engine",
                     "inline", *more])

    for name in (f"{PRACTICE}/gold/dev.json", f"{PRACTICE}/null/test.json"):
        (results / name).parent.mkdir(parents=True)
        (results / name).write_text("{}")
    assert rescore() == 0
    assert capsys.readouterr().out == "4 results computed again\n"
    assert rows_tree(results) == wanted
    gone = results / "explagraphs-practice" / "gone" / "s" / "dev.json"
    gone.parent.mkdir(parents=True)
    gone.write_text("{}")
    assert rescore("--out", str(tmp_path / "out")) == 3
    assert capsys.readouterr().err == ("explagraphs-practice/gone/s: its predictions are not at "
                                       "hand, so its results stay as they are\n")
    assert gone.read_text() == "{}"
    assert rows_tree(tmp_path / "out") == wanted


def test_a_fault_of_all_splits_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(SUBMISSIONS / "gold"), "--metrics", "Nope", "--no-save"]) == 2
    assert capsys.readouterr().err.count("has no metric 'Nope'") == 1


def test_two_folders_of_one_system_are_refused(tmp_path: Path, fails: Callable[..., None]) -> None:
    [folder] = copied(tmp_path, "gold")
    fails(2, "have the same board, team and system", "score",
          *map(str, (folder, SUBMISSIONS / "gold")))
