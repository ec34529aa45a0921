"""From a queue to the main branch: what is scored when, what is written, and how often it is tried.
"""

import errno
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.boards.submission import CONSTRAINED
from scorer.core.errors import DataError
from scorer.core.files import json_bytes
from scorer.pipeline.ci import publish, score
from scorer.pipeline.ci.main_branch import CiJob, State, in_turn
from scorer.pipeline.ci.publish import WorkflowRun
from scorer.pipeline.ci.runner import TryAgain
from scorer.pipeline.ci.score import AGAIN, ScoringSettings, begin, blame
from scorer.scoring.engines.outcomes import OUT_OF_MEMORY, Failure, timed_out
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from tests.ci_world import BOARD, ROOT, World, folder_of, good, mine
from tests.pipeline_world import (
    DAY,
    main_of,
    names,
    published,
    run_of,
    scored,
    waiting,
    workers,
)

pytestmark = pytest.mark.slow
RESULT = f"results/{BOARD}/alice/a-system/dev.json"
ITEMS, ERROR, PAST = (RESULT.removesuffix(".json") + end
                      for end in (".items.tsv", ".error.json", ".past.jsonl"))
LEADERBOARD = f"results/{BOARD}/leaderboard.dev.json"
META_PATH = f"{folder_of('alice')}/submission.yaml"
NOTHING = Path("nothing")


@pytest.fixture(scope="module")
def merged(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A submission, merged and scored; its outcomes lie in the folder ``outcomes``."""
    world = World.of(seed, tmp_path_factory.mktemp("merged"))
    world.push(good("alice"))
    scored(world)
    return world


@pytest.fixture
def outcomes(merged: World) -> Path:
    return merged.folder / "outcomes"


@pytest.fixture
def world(merged: World, tmp_path: Path) -> World:
    """A copy before it is published."""
    return World.of(merged.origin, tmp_path)


# ---- the queue -----------------------------------------------------------------------------


def state(team: str, system: str, day: int, attempts: int = 0) -> State:
    job = CiJob(BOARD, team, system, "dev", f"{team}{system}".ljust(64, "0"), "0" * 64, "0" * 40,
                f"2026-01-{day:02}T00:00:00Z")
    return State(job, "queued", "", attempts)


def test_every_team_s_oldest_comes_before_any_team_s_second() -> None:
    states = [state("busy", "s2", 3), state("tried", "s", 1, attempts=1), state("busy", "s0", 1),
              state("late", "s", 20), state("busy", "s1", 2)]
    assert names(in_turn(states)) == ["busy/s0", "late/s", "busy/s1", "busy/s2", "tried/s"]


def test_a_run_takes_an_hour_s_worth_and_no_more_than_150(world: World) -> None:
    jobs = in_turn([state(f"team-{number}", "s", 1) for number in range(1000)])
    main = main_of(world)
    assert len(main.batch(jobs)) == 150
    board = main.boards[BOARD]
    large = replace(board.splits["dev"], rows=3600)
    main.boards[BOARD] = replace(board, splits={**board.splits, "dev": large})
    assert len(main.batch(jobs)) == 4


def test_states_say_what_is_and_why(world: World) -> None:
    world.push({META_PATH: good("alice")[META_PATH] + b"withdrawn: A bug.\n",
                "submissions/no-board/bob/a-system/predictions.dev.tsv": b"x"})
    states = {one.job.result(): one for one in main_of(world).states(DAY)}
    assert (states[RESULT].name, states[RESULT].reason) == ("withdrawn", "A bug.")
    assert states[f"results/{BOARD}/reference/edited-gold/dev.json"].name == "scored"
    assert states["results/no-board/bob/a-system/dev.json"].name == "received"


# ---- scoring -------------------------------------------------------------------------------


def reason(folder: Path, job: CiJob) -> dict[str, Any]:
    """Why a job has no result."""
    document = json.loads((folder / f"{job.key}.error.json").read_bytes())
    assert document | {"schema": 1, "key": job.key, "attempts": 1} == document
    return {name: document[name] for name in ("rule", "code") if name in document}


def test_rules_that_need_no_author_are_asked_again(world: World) -> None:
    rows = mine("mallory")
    files: dict[str, Any] = {
        "rows": rows.replace(b"support", b"great", 1), "mode": ("100755", rows),
        "extra": rows.replace(b"(", b"(e", 1), "changed": rows.replace(b"(", b"(c", 1)}
    for system, content in files.items():
        world.push({**good("mallory", system),
                    f"{folder_of('mallory', system)}/predictions.dev.tsv": content})
    world.push({f"{folder_of('mallory', 'extra')}/run.py": b"print()\n",
                f"{folder_of('mallory', 'changed')}/predictions.dev.tsv": mine("mallory", "new")})
    jobs, out = waiting(world), scored(world)
    assert {job.system: reason(out, job)["rule"] for job in jobs if job.team == "mallory"} == {
        "rows": "TSV-LABEL", "mode": "PR-MODE", "extra": "PR-FILE", "changed": "PR-IMMUTABLE"}


@pytest.mark.parametrize(("fault", "code"), [
    (MemoryError(), ""), (OSError(errno.ENOSPC, "full"), ""),
    (ValueError("s3cret"), "SCORER-FAULT"),
    (type("OutOfMemoryError", (RuntimeError,), {})(), ""),
])
def test_a_fault_becomes_a_code(fault: Exception, code: str) -> None:
    assert blame(fault) == ({"code": code} if code else AGAIN)


@pytest.mark.parametrize(("failure", "code"), [
    (timed_out(9), "SCORER-TIME"), (OUT_OF_MEMORY, ""),
    (Failure("crash", "s3cret"), "SCORER-KILLED"), (Failure("bug", "s3cret"), "SCORER-FAULT"),
])
def test_a_worker_that_fails_leaves_a_code(
    failure: Failure, code: str, world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    [job], out = waiting(world), world.folder / "out"
    with workers(lambda _, jobs: [(one, failure) for one in jobs]):
        unscored = score.run([job], main_of(world), ScoringSettings(Path(), "no"), out)
    assert unscored == ([] if code else [job])
    assert (reason(out, job)["code"] if code else "") == code
    assert "s3cret" not in capsys.readouterr().out


def test_a_full_disk_is_the_machine_s_fault_and_leaves_no_half_file(world: World) -> None:
    resource = pytest.importorskip("resource")
    [job], out = waiting(world), world.folder / "out"
    answer = results.read(ROOT / "results" / BOARD / "reference" / "null" / "dev.json")
    before, main = resource.getrlimit(resource.RLIMIT_FSIZE), main_of(world)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with (workers(lambda *_: [(job, answer)]),
              pytest.raises(TryAgain, match="cannot be written")):
            score.run([job], main, ScoringSettings(Path(), "no"), out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(out.iterdir()) == []


def test_a_result_is_never_handed_over_without_its_items(world: World, outcomes: Path) -> None:
    [job], out = waiting(world), world.folder / "out"
    result = results.from_bytes(*((outcomes / f"{job.key}{end}").read_bytes()
                                  for end in (".json", ".items.tsv")))
    begin(out, job)
    (out / f"{job.key}.items.tsv" / "in the way").mkdir(parents=True)
    with pytest.raises(DataError, match="cannot be written"):
        score.write(out, job, result)
    assert not (out / f"{job.key}.json").exists()


# ---- publishing ----------------------------------------------------------------------------


def test_a_result_its_items_and_the_leaderboard_come_in_one_commit(
    world: World, outcomes: Path,
) -> None:
    publication = published(world, outcomes)
    assert set(publication.files) == {RESULT, ITEMS, LEADERBOARD}
    assert publication.message() == "Publish results: 1 scored\n"
    assert "alice/a-system" in [row["key"] for row in world.json(LEADERBOARD)["rows"]]
    assert waiting(world) == []


def test_a_description_that_cannot_be_read_keeps_no_other_row_from_the_leaderboard(
    world: World, outcomes: Path,
) -> None:
    published(world, outcomes)
    world.push({META_PATH: b"team: [\n", LEADERBOARD: None})
    published(world, outcomes)
    assert "alice/a-system" in [row["key"] for row in world.json(LEADERBOARD)["rows"]]


def test_a_row_is_scored_again_when_its_tags_change_and_when_it_is_removed(
    world: World, outcomes: Path,
) -> None:
    published(world, outcomes)
    world.push({META_PATH: good("alice")[META_PATH] + f"tags: [{CONSTRAINED}]\n".encode()})
    assert names(waiting(world)) == ["alice/a-system"]
    world.push({META_PATH: good("alice")[META_PATH], RESULT: None})
    assert names(waiting(world)) == ["alice/a-system"]


def test_what_a_result_said_under_another_version_is_kept_beside_the_new_one(
    world: World, outcomes: Path,
) -> None:
    published(world, outcomes)
    old = world.json(RESULT)
    old["scorer"]["version"] = "0.0.1"
    world.push({RESULT: json_bytes(old)})
    published(world, outcomes)
    [line] = past.parse(world.file(PAST))
    assert (line.made_by["scorer"], line.key) == ("0.0.1", old["key"])


def test_a_result_of_bytes_that_are_no_longer_there_is_dropped(
    world: World, outcomes: Path,
) -> None:
    planned = world.tip
    world.push({f"{folder_of('alice')}/predictions.dev.tsv": mine("other")})
    assert published(world, outcomes, planned).outcomes == {}
    assert RESULT not in world.paths()


def test_a_machine_that_is_lost_three_times_is_given_up_until_somebody_tries_again(
    world: World, outcomes: Path,
) -> None:
    for attempt in (1, 2, 3):
        planned = world.tip
        for _ in range(2):  # a publisher that is run again counts no second attempt
            published(world, NOTHING, planned, failed=True)
        assert world.json(ERROR)["attempts"] == attempt
    assert world.json(ERROR)["code"] == "SCORER-GAVE-UP"
    assert waiting(world) == []
    assert names(waiting(world, retry_errors=True)) == ["alice/a-system"]
    published(world, outcomes, retry_errors=True)
    assert RESULT in world.paths()
    assert ERROR not in world.paths()


def test_a_job_that_was_begun_and_not_ended_counts_and_goes_to_the_end_of_the_queue(
    world: World, tmp_path: Path,
) -> None:
    world.push(good("bob"))
    folder = tmp_path / "begun"
    alice, _ = waiting(world)
    begin(folder, alice)
    published(world, folder, failed=True)
    assert names(waiting(world)) == ["bob/a-system", "alice/a-system"]
    assert world.json(ERROR) == {"schema": 1, "key": alice.key, "attempts": 1}


def test_a_scorer_that_could_not_begin_costs_no_attempt(world: World) -> None:
    tip = world.tip
    published(world, NOTHING)
    assert world.tip == tip


def test_a_rejected_submission_gets_its_rule_until_its_bytes_change(world: World) -> None:
    path = f"{folder_of('alice')}/predictions.dev.tsv"
    world.push({path: None})
    world.push({path: mine("alice").replace(b"support", b"great", 1)})
    published(world, scored(world))
    assert world.json(ERROR)["rule"] == "TSV-LABEL"
    assert waiting(world) == []
    world.push({path: None})
    world.push({path: mine("alice")})
    assert names(waiting(world)) == ["alice/a-system"]


@pytest.mark.claim("Publishers at once lose nothing.")
def test_publishers_at_once_lose_nothing(world: World) -> None:
    teams = [f"team-{number}" for number in range(3)]
    for team in teams:
        world.push(good(team))
    folder = scored(world, "all")
    whole = run_of(world, folder)
    clones = [world.repository(f"publisher-{number}") for number in range(4)]

    def one(number: int) -> None:
        alone = world.folder / f"alone-{number}"
        alone.mkdir()
        for file in folder.glob(f"{whole.jobs[number].key}.*"):
            (alone / file.name).hardlink_to(file)
        publish.publish(WorkflowRun(replace(whole.planned, repository=clones[number]), DAY, alone))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(one, range(4)))
    assert waiting(world) == []
    rows = {row["key"] for row in world.json(LEADERBOARD)["rows"]}
    assert rows >= {f"{team}/a-system" for team in (*teams, "alice")}
