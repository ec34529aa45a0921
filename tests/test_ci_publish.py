"""What a scoring machine hands over is believed only where it agrees with the main branch."""

import datetime
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.ci import artifact, audit, comments, gold, plan, publish, score, states
from scorer.ci.artifact import Outcome
from scorer.ci.comments import text
from scorer.ci.errors import CODES, TryAgain
from scorer.ci.git import Added, Repository
from scorer.ci.github import LARGEST, MARK, GitHub, MergedPull, Passing
from scorer.ci.main_branch import CiJob, Main
from scorer.ci.recomputed import Recomputed
from scorer.ci.score import ScoringSettings
from scorer.ci.states import State
from scorer.ci.worker import WorkerOutcome, begin, blame
from scorer.engines.outcomes import OUT_OF_MEMORY, Failure, timed_out
from scorer.errors import DataError
from scorer.files import json_bytes
from scorer.models.machine import Machine
from scorer.models.registry import KNOWN
from scorer.results import files as results
from scorer.results.leaderboard import read as read_leaderboard
from scorer.submission import CONSTRAINED
from tests.ci_world import (
    ALICE,
    BEFORE,
    BOARD,
    MALLORY,
    MERGED_AT,
    ROOT,
    World,
    folder_of,
    git,
    good,
    mine,
)
from tests.effort import A_SECOND, within

pytestmark = pytest.mark.slow
BOARDS = ROOT / "boards"
LEDGERS = {f"ledger/{place.name}.jsonl" for place in (ROOT / "submissions").iterdir()
           if place.is_dir()}
"""Reference rows are submissions of their boards, and their first publication is told of them."""
BOARD_DOCUMENT = f"results/{BOARD}/leaderboard.dev.json"
CAROL = 1003
SEVENTH = MergedPull(7, ALICE, merged_at=MERGED_AT)


class Scored:
    """A merged submission, its plan, and what an honest machine hands over for it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.repository = Repository(world.origin)
        world.push(good("alice"))
        self.main = Main.read(self.repository, world.tip, BOARDS)
        self.plan = plan.make(self.main, world.folder / "home")
        [self.job] = self.plan.jobs
        self.handed = world.folder / "handed"
        settings = ScoringSettings(world.folder / "home", "no")
        assert score.run(self.plan, self.main, settings, self.handed) == []
        self.own = Recomputed(world.folder / "home")
        self.own.add(self.main, self.plan.jobs)

    def read(self, handed: Path) -> artifact.Outcome:
        """What the publisher makes of a folder of outcomes."""
        return artifact.read(handed, self.job, self.main.boards[BOARD],
                             own=self.own.known[self.job.key])


@pytest.fixture(scope="module")
def scored(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return Scored(World.of(seed, tmp_path_factory.mktemp("scored")))


@pytest.fixture
def handed(scored: Scored, tmp_path: Path) -> Path:
    """A copy that a test may falsify."""
    place = tmp_path / "handed"
    shutil.copytree(scored.handed, place)
    return place


@pytest.fixture
def world(scored: Scored, tmp_path: Path) -> Iterator[World]:
    made = World.of(scored.world.origin, tmp_path)
    with made.github():
        yield made


def derived(scored: Scored, handed: Path, **more: Any) -> publish.Publication:
    main = Main.read(scored.repository, scored.world.tip, BOARDS)
    return publish.derive(main, scored.plan, handed, **{"own": scored.own, **more})


def test_what_is_handed_over_is_published_as_it_is(scored: Scored, handed: Path) -> None:
    found = derived(scored, handed)
    assert set(found.files) == {scored.job.result_path, scored.job.items_path, BOARD_DOCUMENT,
                                *LEDGERS}
    assert any(row["key"].startswith("alice/")
               for row in json.loads(found.files[BOARD_DOCUMENT])["rows"])
    assert found.message() == "Publish results: 1 scored\n"


def at(*path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """A falsification: one value deep inside the outcome."""

    def falsify(document: dict[str, Any]) -> None:
        for name in path[:-1]:
            document = document[name]
        document[path[-1]] = value

    return falsify


DIFFERS = "RESULT-DIFFERS"
GED = ("result", "metrics", "GED")
FALSE: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {  # row 59
    "another key": (at("key", value="0" * 64), "RESULT-KEY"),
    "another schema": (at("schema", value=2), "RESULT-FORMAT"),
    "an unknown outcome": (at("outcome", value="great"), "RESULT-FORMAT"),
    "an extra field": (at("note", value="x"), "RESULT-FORMAT"),
    "an extra field of the result": (at("result", "note", value="x"), "RESULT-FORMAT"),
    "another team": (at("result", "team", value="bob"), "RESULT-KEY"),
    "another board version": (at("result", "board_version", value="9.9"), "RESULT-KEY"),
    "another scorer": (at("result", "scorer", "version", value="9.9"), "RESULT-KEY"),
    "other predictions": (at("result", "predictions", "sha256", value="0" * 64), "RESULT-KEY"),
    "other gold": (at("result", "gold", "sha256", value="0" * 64), "RESULT-KEY"),
    "a key that is not that of the result": (at("result", "key", value="0" * 64), "RESULT-KEY"),
    "an unknown model": (at("result", "models", value={"evil": "x"}), "RESULT-KEY"),
    "a value that its lift denies": (at(*GED, "value", value=100.0), "RESULT-FORMAT"),
    "a score of a hundred": (at(*GED, "passed", value={"value": 100.0, "n": 26}), DIFFERS),
    "a score below nothing": (at(*GED, "passed", value={"value": -0.1, "n": 26}), DIFFERS),
    "more bounds than items": (at(*GED, "flagged", value=41), DIFFERS),
    "a better score than its rows": (at("result", "metrics", "SA", value={
        "value": 0.5, "n": 40, "passed": {"value": None, "n": 26}, "flagged": 0,
        "signature": "x", "clustered_se": None, "clusters": 40,
        "interval": {"low": 0.4, "high": 0.6, "method": "t", "note": "", "level": 0.95},
        }), DIFFERS),
    "a narrower interval than its rows": (at(*GED, "interval", "high", value=0.5), DIFFERS),
    "another interval over what passed": (at(*GED, "passed", "interval", "note", value="gold"),
                                          DIFFERS),
    "text beside an interval": (at(*GED, "interval", "note", value="gold: cats"), DIFFERS),
    "more beliefs than items": (at(*GED, "clusters", value=41), DIFFERS),
    "more items than the split has": (at("result", "counts", "items", value=41), DIFFERS),
    "another signature": (at(*GED, "signature", value="GED|easy"), DIFFERS),
    "text in a reason": (at("result", "metrics", "G-BERTScore[minilm-l6]", "reason",
                            value="gold is \u202ehere"), "RESULT-LEAK"),
    "a rule nobody knows": (at("result", "counts", "broken", value={"CATS PURR": 1}),
                            DIFFERS),
}


@pytest.mark.claim("A false result from the scoring machine becomes an error, never a row.")
@pytest.mark.parametrize("case", FALSE)
def test_a_false_result_becomes_an_error_with_a_code(
    case: str, scored: Scored, handed: Path,
) -> None:
    falsify, code = FALSE[case]
    path = handed / f"{scored.job.key}.json"
    document = json.loads(path.read_bytes())
    falsify(document)
    path.write_bytes(json_bytes(document))
    found = scored.read(handed)
    assert (found.kind, found.reason, found.files) == ("error", code, {})


@pytest.mark.parametrize(("content", "code"), [
    (b"", "RESULT-FORMAT"), (b"[]", "RESULT-FORMAT"), (b'{"schema": NaN}', "RESULT-FORMAT"),
    (b'{"schema": 1, "schema": 1}', "RESULT-FORMAT"), (b"[" * 60_000, "RESULT-FORMAT"),
    (b"\xff", "RESULT-FORMAT"), (b" " * 70_000, "RESULT-MISSING"),
    (b'{"schema": 1, "n": ' + b"9" * 5000 + b"}", "RESULT-FORMAT"),
])
def test_a_file_that_is_no_outcome_is_refused(
    content: bytes, code: str, scored: Scored, handed: Path,
) -> None:
    (handed / f"{scored.job.key}.json").write_bytes(content)
    assert scored.read(handed)[:2] == ("error", code)


def test_rows_must_be_there_be_ours_and_give_the_totals(scored: Scored, handed: Path) -> None:
    path = handed / f"{scored.job.key}.items.tsv"
    lines = path.read_bytes().split(b"\n")
    head, one, two, *rest = lines
    for content, code in [
        ([head, two, *rest], "RESULT-DIFFERS"),
        ([head, one, two.replace(b"\t1\t", b"\t0.9\t", 1), *rest], "RESULT-DIFFERS"),
        ([head, one, one, two, *rest], "RESULT-DIFFERS"),
        ([head, two, one, *rest], "RESULT-FORMAT"),
        ([head + b"\tgold", one, two, *rest], "RESULT-FORMAT"),
        ([head, one + b"\tx", two, *rest], "RESULT-FORMAT"),
        ([head, one.replace(b"\t", b"\t<b>", 1), two, *rest], "RESULT-FORMAT"),
        ([head, one, two, *rest[:-1], b"\xff", b""], "RESULT-DIFFERS"),
    ]:
        path.write_bytes(b"\n".join(content))
        assert scored.read(handed)[:2] == ("error", code), content[:3]
    path.unlink()
    assert scored.read(handed)[:2] == ("error", "RESULT-MISSING")
    path.symlink_to("/etc/passwd")
    assert scored.read(handed)[:2] == ("error", "RESULT-MISSING")


def test_files_that_nobody_planned_are_not_looked_at(scored: Scored, handed: Path) -> None:
    wanted = derived(scored, handed).files
    (handed / f"{'f' * 64}.json").write_text("{}")
    (handed / "..evil").write_text("x")
    assert derived(scored, handed).files == wanted


CLOSED = """
import ctypes
from scorer.cli import main
assert main(["ci", "publish"]) == 3  # there is no plan
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))  # PR_GET_DUMPABLE
"""


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_workers_cannot_read_the_token_from_the_process_that_publishes() -> None:
    ran = subprocess.run([sys.executable, "-c", CLOSED], capture_output=True, text=True, check=True,
                         env={**os.environ, "WHYBOARD_PLAN": ""})
    assert ran.stdout == "0\n"


def test_publishing_twice_makes_no_second_commit(scored: Scored, world: World) -> None:
    place = world.repository()
    first, _ = publish.publish(place, scored.plan, scored.handed, BOARDS, own=scored.own)
    assert world.tip == first
    again, _ = publish.publish(place, scored.plan, scored.handed, BOARDS, own=scored.own)
    assert world.tip == first == again


def test_deleted_results_are_made_again_with_the_same_bytes(scored: Scored, world: World) -> None:
    place = world.repository()
    publish.publish(place, scored.plan, scored.handed, BOARDS, own=scored.own)
    tree = world.tree()
    removed = {scored.job.result_path: None, scored.job.items_path: None}
    world.push(removed)
    main = Main.read(Repository(world.origin), world.tip, BOARDS)
    again = plan.make(main, world.folder / "home")
    assert again.jobs == scored.plan.jobs
    publish.publish(place, again, scored.handed, BOARDS, own=scored.own)
    assert world.tree() == tree


def test_a_row_is_scored_again_when_its_tags_change(
    scored: Scored, world: World, handed: Path,
) -> None:
    publish.publish(world.repository(), scored.plan, scored.handed, BOARDS, own=scored.own)
    path = f"{folder_of('alice')}/submission.yaml"
    world.push({path: good("alice")[path] + f"tags: [{CONSTRAINED}]\n".encode()})
    main = Main.read(Repository(world.origin), world.tip, BOARDS)
    assert plan.make(main, world.folder / "home").jobs == scored.plan.jobs
    assert main.tags[scored.job.place] == (CONSTRAINED,)
    untagged = artifact.read(handed, scored.job, main.boards[BOARD],
                             own=scored.own.known[scored.job.key], tags=(CONSTRAINED,))
    assert (untagged.kind, untagged.reason) == ("error", "RESULT-KEY")


def test_a_result_of_bytes_that_are_no_longer_there_is_dropped(
    scored: Scored, world: World,
) -> None:
    path = f"{folder_of('alice')}/predictions.dev.tsv"
    world.push({path: mine("other")})
    place = world.repository()
    _, found = publish.publish(place, scored.plan, scored.handed, BOARDS, own=scored.own)
    assert found.outcomes == {}
    assert scored.job.result_path not in git(world.origin, "ls-tree", "-r", "--name-only", "main")


def test_a_lost_machine_is_forgiven_twice(scored: Scored, tmp_path: Path) -> None:
    main = Main.read(scored.repository, scored.world.tip, BOARDS)
    told = []
    for number in range(3):
        run = replace(scored.plan, commit=f"{number}" * 40)
        found = publish.derive(main, run, tmp_path / "nothing", failed=True)
        assert publish.derive(main, run, tmp_path / "nothing", failed=True).files == found.files
        told += [(outcome.kind, outcome.reason) for outcome in found.outcomes.values()]
    assert told == [("started", ""), ("started", ""), ("error", "SCORER-GAVE-UP")]


def test_a_scorer_that_could_not_run_at_all_costs_no_attempt(
    scored: Scored, tmp_path: Path,
) -> None:
    found = derived(scored, tmp_path / "nothing")
    assert set(found.files) == LEDGERS
    lines = [json.loads(line) for content in found.files.values() for line in content.splitlines()]
    assert {line["event"] for line in lines} == {"accepted"}


# ---- planning ------------------------------------------------------------------------------


def waiting(team: str, system: str, day: int, attempts: int = 0) -> State:
    job = CiJob(BOARD, team, system, "dev", f"{team}{system}".ljust(64, "0"), "0" * 64, "0" * 40,
                f"2026-01-{day:02}T00:00:00Z")
    return State(job, "queued", "", attempts)


def test_every_team_s_oldest_comes_before_any_team_s_second() -> None:
    found = [waiting("busy", f"s{number}", number + 1) for number in range(5)]
    found += [waiting("late", "s", 20), waiting("tried", "s", 1, attempts=1)]
    random.Random(3).shuffle(found)  # the order in which they are found does not matter
    order = [f"{state.job.team}/{state.job.system}" for state in plan.in_turn(found)]
    assert order == ["busy/s0", "late/s", "busy/s1", "busy/s2", "busy/s3", "busy/s4", "tried/s"]


def test_a_thousand_that_wait_are_planned_in_part_and_fit_an_output(
    scored: Scored, monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [waiting(f"team-{number % 40}", f"s{number}", 1) for number in range(1000)]
    monkeypatch.setattr(plan, "states", lambda *_: found)
    monkeypatch.setattr(plan, "broken_rule", lambda *_: None)
    made = within(A_SECOND, lambda: plan.make(scored.main, Path(), budget=10**9))
    assert (len(made.jobs), made.left) == (plan.MOST_JOBS, 1000 - plan.MOST_JOBS)
    assert len(json.dumps(made.to_json())) < 120_000
    assert len(plan.make(scored.main, Path(), budget=100).jobs) == 10


def test_planning_twice_gives_the_same_and_survives_the_way(scored: Scored) -> None:
    again = plan.make(scored.main, scored.world.folder / "home")
    assert again == scored.plan
    assert plan.from_json(json.loads(json.dumps(again.to_json()))) == again


def test_what_waits_for_gold_is_judged_and_rejected_if_it_is_faulty(
    scored: Scored, tmp_path: Path,
) -> None:
    world, boards = scored.world, tmp_path / "boards"
    shutil.copytree(BOARDS, boards)
    path = boards / BOARD / "board.yaml"
    hidden = path.read_text("utf-8").replace("rows: 40, gold: public", "rows: 40, gold: hidden")
    path.write_text(hidden, "utf-8")
    bad = good("bob", rows=b"maybe\t(a; b; c)\n" * 40)
    main = Main.read(scored.repository, world.commit(bad), boards)
    waits = [one for one in states.states(main) if one.job.team in ("alice", "bob")]
    assert [(one.name, one.reason) for one in waits] == [("valid", "waiting for gold")] * 2
    made = plan.make(main, tmp_path / "home")
    assert made.jobs == ()
    assert [(job.team, rule) for job, rule in made.rejected] == [("bob", "TSV-LABEL")]


@pytest.mark.parametrize("change", [
    {"team": "../x"}, {"team": 1}, {"key": "x"}, {"commit": "--x"}, {"date": "$(id)"},
    {"split": ""},
])
def test_a_plan_that_was_falsified_on_its_way_is_refused(
    change: dict[str, Any], scored: Scored,
) -> None:
    document = deepcopy(scored.plan.to_json())
    document["jobs"][0] |= change
    with pytest.raises(DataError, match="make one with: scorer ci plan"):
        plan.from_json(document)


# ---- scoring -------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "kind", "reason"), [
    (WorkerOutcome("error", "SCORER-FAULT"), "error", "SCORER-FAULT"),
    (WorkerOutcome("rejected", "TSV-LABEL"), "rejected", "TSV-LABEL"),
    (WorkerOutcome("again"), "started", ""),
    (OUT_OF_MEMORY, "started", ""),
    (timed_out(9), "error", "SCORER-TIME"),  # row 60
    (Failure("crash", "gold: cats purr", "gold: cats purr"), "error", "SCORER-KILLED"),
    (Failure("bug", "gold: cats purr", "gold: cats purr"), "error", "SCORER-FAULT"),
])
def test_each_class_of_failure_is_handed_over_as_such(
    answer: Any, kind: str, reason: str, scored: Scored, tmp_path: Path,
) -> None:
    def engine(_: Any, jobs: Any) -> Any:
        for job in jobs:
            begin(tmp_path / "out", job)
            yield job, answer

    again = score.run(scored.plan, scored.main, ScoringSettings(tmp_path / "home", "no"),
                      tmp_path / "out", engine)
    assert again == ([scored.job] if kind == "started" else [])
    found = scored.read(tmp_path / "out")
    assert (found.kind, found.reason) == (kind, reason)
    assert not [path for path in (tmp_path / "out").iterdir() if b"purr" in path.read_bytes()]


@pytest.mark.parametrize("here", [True, False])
def test_models_run_on_the_gpu_where_there_is_one(
    here: bool, monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: here)
    assert gold.device_of("auto", "auto") == ("cuda" if here else "cpu")
    assert gold.device_of("auto", "no") == "cpu"
    assert gold.device_of("cpu", "auto") == "cpu"
    assert gold.device_of("cuda", "auto") == "cuda"


def test_without_pytorch_nothing_asks_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scorer.models.batches", None)
    assert gold.device_of("auto", "auto") == "cpu"


def test_the_device_reaches_the_models_of_public_splits(scored: Scored, tmp_path: Path) -> None:
    """And the signature: a result tells on what it was measured."""
    asked = []

    def engine(make: Any, jobs: Any) -> Any:
        recipe = make.make
        models = gold.scorer(recipe.home, recipe.boards, recipe.models, device=recipe.device).models
        asked.append(models.tag("minilm-l6"))
        return iter([(job, WorkerOutcome("again")) for job in jobs])

    for device in ("cpu", "cuda"):
        score.run(scored.plan, scored.main, ScoringSettings(tmp_path / "home", device=device),
                  tmp_path / "out", engine)
    weights = KNOWN["minilm-l6"].weights
    assert weights is not None
    assert asked == [KNOWN["minilm-l6"].tag(weights, Machine(device)) for device in ("cpu", "cuda")]


@pytest.mark.parametrize(("fault", "wanted"), [
    (MemoryError("gold: cats purr"), "again"), (OSError("gold"), "again"),
    (DataError("gold"), "again"), (type("OutOfMemoryError", (RuntimeError,), {})("x"), "again"),
    (ValueError("gold: cats purr"), "error"), (SystemExit("gold"), "error"),
])
def test_an_exception_becomes_a_code_without_its_words(fault: BaseException, wanted: str) -> None:
    found = blame(fault)
    assert found.outcome == wanted
    assert "gold" not in repr(found)


# ---- telling -------------------------------------------------------------------------------


def test_one_comment_is_posted_then_edited_and_nobody_else_s_is_touched(world: World) -> None:
    world.say(7, f"{MARK}\nmine")
    assert [github(world).comment(SEVENTH, said) for said in ("one", "one", "two")] == [
        "posted", "same", "edited"]
    assert [comment["body"] for comment in world.comments] == [f"{MARK}\nmine", f"{MARK}\ntwo"]


def published(scored: Scored, world: World) -> Main:
    """The main branch after a run whose comments never came."""
    place = world.repository()
    commit, _ = publish.publish(place, scored.plan, scored.handed, BOARDS, own=scored.own)
    world.pulls[7] = {"merged": scored.job.commit, "author": ALICE}
    return Main.read(place, commit, BOARDS)


def github(world: World) -> GitHub:
    return GitHub(world.api, "o/r", "t", pause=0.01)


def test_a_comment_that_was_lost_is_made_good_by_the_next_run(scored: Scored, world: World) -> None:
    main, day = published(scored, world), scored.job.date[:10]
    comments.tell(main, [], day, github(world), "")
    comments.tell(main, [], day, github(world), "")
    [comment] = world.comments
    assert (comment["on"], "| GED (lower is better) | 0." in comment["body"]) == (7, True)
    world.comments[0]["body"] = f"{MARK}\nThe scoring machine failed; the next run tries again."
    comments.tell(main, [], day, github(world), "")
    assert "GED" in world.comments[0]["body"]


def test_a_result_that_somebody_spoilt_by_hand_is_told_and_stops_no_other_comment(
    scored: Scored, world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    main, path = published(scored, world), scored.job.result_path
    document = json.loads(world.file(path))
    document["metrics"]["GED"]["value"] = "high"
    world.push({path: json_bytes(document)})
    main.repository.fetch("main")
    spoilt = Main.read(main.repository, world.tip, BOARDS)
    known = [job for job, _ in comments.outcomes(main)]
    assert [job for job, _ in comments.outcomes(spoilt)] == [job for job in known
                                                             if job != scored.job]
    assert f"| {path}: no comment on it; not a result" in capsys.readouterr().out


def test_only_the_pull_requests_of_the_last_weeks_are_looked_at_again(
    scored: Scored, world: World,
) -> None:
    main = published(scored, world)
    merged = datetime.date.fromisoformat(scored.job.date[:10])
    for days, count in ((comments.DAYS + 1, 0), (comments.DAYS, 1)):
        comments.tell(main, [], str(merged + datetime.timedelta(days)), github(world), "")
        assert len(world.comments) == count
    world.comments.clear()
    comments.tell(main, [scored.job], "2099-01-01", github(world), "")
    assert len(world.comments) == 1


@pytest.mark.parametrize(("failures", "said", "pauses"), [
    *(([answer] * 3, "posted", [2, 2 * 2, 2 * 2 * 2]) for answer in (429, 500, 503, "reset")),
    (["wait 9", "wait 3600"], "posted", [9, 30]),  # as GitHub asks, within reason
    ([None, "lost"], "same", [2]),  # the comments are listed; the new one is taken, then silence
])
def test_a_busy_github_is_asked_again_and_gets_one_comment(
    failures: list[Any], said: str, pauses: list[float], world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("scorer.ci.github.time.sleep", waited.append)
    world.failures += failures
    assert GitHub(world.api, "o/r", "t").comment(SEVENTH, "one") == said
    assert (len(world.comments), waited) == (1, pauses)


def test_a_refusal_is_final_and_a_silent_github_is_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("scorer.ci.github.time.sleep", waited.append)
    world.failures += [403]
    with pytest.raises(TryAgain, match="GitHub answered 403 to GET issues/7/comments"):
        GitHub(world.api, "o/r", "t").comment(SEVENTH, "one")
    assert waited == []
    world.failures += [503] * 4
    with pytest.raises(Passing, match="GitHub answered 503"):
        GitHub(world.api, "o/r", "t").comment(SEVENTH, "one")
    assert waited == [2, 2 * 2, 2 * 2 * 2]


def test_no_answer_of_github_is_no_reason_not_to_publish(
    scored: Scored, world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    nobody = GitHub("http://127.0.0.1:9", "o/r", "t", pause=0.01)
    comments.tell(published(scored, world), [scored.job], "2026-01-01", nobody, "")
    assert "the next run comments on the rest" in capsys.readouterr().out


def test_one_pull_request_that_takes_no_comment_keeps_no_other_from_its_own(
    scored: Scored, world: World,
) -> None:
    """A conversation may be locked."""
    main = published(scored, world)
    world.failures += [None, None, 403]
    comments.tell(main, [scored.job], scored.job.date[:10], github(world), "")
    assert world.comments == []


def two_decided(scored: Scored, world: World) -> Main:
    """The main branch after what the seventh pull request brought was published, and a machine
    that was to score what the eighth brought was lost.
    """
    published(scored, world)
    world.push(good("bob"))
    place = world.repository()
    run = plan.make(Main.read(place, world.tip, BOARDS), world.folder / "home")
    commit, _ = publish.publish(place, run, world.folder / "nothing", BOARDS, failed=True)
    world.pulls[8] = {"merged": run.jobs[0].commit, "author": ALICE}
    return Main.read(place, commit, BOARDS)


def told(world: World) -> list[int]:
    """The pull requests that have a comment of ours."""
    return [comment["on"] for comment in world.comments
            if comment["user"]["login"] == "github-actions[bot]"]


WORST = "\N{GRINNING FACE}" * 65_536
"""A comment of as many bytes as one can have: two escapes of six for each character."""


def test_a_hundred_of_the_longest_comments_keep_no_pull_request_from_its_own(
    scored: Scored, world: World,
) -> None:
    main = two_decided(scored, world)
    for _ in range(100):
        world.say(7, WORST, at=BEFORE)
    comments.tell(main, [scored.job], scored.job.date[:10], github(world), "")
    assert told(world) == [7, 8]
    comments.tell(main, [scored.job], scored.job.date[:10], github(world), "")
    assert told(world) == [7, 8], "and no second one"


def test_where_ours_may_stand_behind_a_hundred_others_nothing_is_posted_again(
    scored: Scored, world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    main = two_decided(scored, world)
    for _ in range(100):
        world.say(7, WORST)
    for _ in range(2):
        comments.tell(main, [scored.job], scored.job.date[:10], github(world), "")
    assert told(world) == [8]
    assert "pull request 7 has 100 comments or more since its merge" in capsys.readouterr().out


def test_our_comment_is_found_among_thousands_that_came_later(world: World) -> None:
    assert github(world).comment(SEVENTH, "one") == "posted"
    for _ in range(3000):
        world.say(7, "Me too.")
    assert [github(world).comment(SEVENTH, said) for said in ("one", "two")] == ["same", "edited"]


@pytest.mark.parametrize("answers", [
    [b"[" + b" " * LARGEST + b"]"], [b"<html>"] * 4, [502] * 4, ["reset"] * 4,
])
def test_what_github_cannot_say_of_one_pull_request_is_that_one_s_trouble(
    answers: list[Any], scored: Scored, world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    main = two_decided(scored, world)
    world.failures += [None, *answers]
    comments.tell(main, [scored.job], scored.job.date[:10], github(world), "")
    assert told(world) == [8]
    assert "pull request 7: no comment; GitHub" in capsys.readouterr().out


def test_telling_ends_after_a_time(
    scored: Scored, world: World, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comments, "WITHIN", 0.0)
    comments.tell(two_decided(scored, world), [scored.job], scored.job.date[:10],
                  github(world), "")
    assert told(world) == [7]


# ---- whose team it is ----------------------------------------------------------------------


def queued(world: World) -> Main:
    return Main.read(Repository(world.origin), world.tip, BOARDS)


def made(world: World, asked: GitHub | None = None) -> plan.CiPlan:
    return plan.make(queued(world), world.folder / "home", github=asked or github(world))


def verdicts(found: plan.CiPlan) -> dict[str, str]:
    return {**{f"{job.team}/{job.system}": "score" for job in found.jobs},
            **{f"{job.team}/{job.system}": rule for job, rule in found.rejected}}


def test_the_owner_is_the_first_of_the_merges_even_if_only_the_stranger_is_decided(
    world: World, tmp_path: Path,
) -> None:
    world.merge(world.open(good("carol"), CAROL))
    world.merge(world.open(good("carol", "stolen"), MALLORY))
    found = publish.derive(queued(world), made(world), tmp_path / "nothing")
    assert [(job.system, outcome.reason) for job, outcome in found.outcomes.items()] == [
        ("stolen", "PR-OWNER")]
    assert json.loads(found.files["ledger/owners.jsonl"]) == {
        "schema": 1, "team": "carol", "id": CAROL}


def test_a_team_that_was_given_away_keeps_what_was_published(scored: Scored, world: World) -> None:
    world.merge(world.open(good("carol"), CAROL))
    first = made(world)
    line = f'{{"id": {MALLORY}, "schema": 1, "team": "carol"}}\n'.encode()
    [job] = [job for job in first.jobs if job.team == "carol"]
    told = json.dumps({"schema": 1, **job.line("published", result="0" * 64)}).encode() + b"\n"
    files = {"ledger/owners.jsonl": line, f"ledger/{BOARD}.jsonl": told}
    world.push(files)
    assert verdicts(made(world))["carol/a-system"] == "score"


def test_what_github_does_not_tell_is_left_for_the_next_run(world: World) -> None:
    world.merge(world.open(good("carol"), CAROL))
    nobody = GitHub("http://127.0.0.1:9", "o/r", "t", pause=0.01)
    found = made(world, nobody)
    assert (found.jobs, found.rejected, found.left) == ((), (), 2)
    assert len(made(world).jobs) == 2


# ---- telling, in words ---------------------------------------------------------------------


def test_a_comment_holds_numbers_codes_and_slugs(scored: Scored) -> None:
    outcomes = [artifact.Outcome("rejected", "TSV-LABEL"), artifact.Outcome("started"),
                *(artifact.Outcome("error", code) for code in CODES),
                *derived(scored, scored.handed).outcomes.values()]
    said = text([(scored.job, outcome) for outcome in outcomes], "javascript:alert(1)")
    assert "javascript" not in said
    assert "@" not in said
    assert "Rejected by `TSV-LABEL`: A label is not one of the board's labels." in said
    assert "GED|cost:unit" in said
    assert all(code in said for code in CODES)


# ---- looking again -------------------------------------------------------------------------


SURENESS = {"format": "sureness/1", "board": "no-board", "board_version": "0", "split": "test",
            "gold_sha256": "00" * 32, "people": None, "people_note": "nobody", "systems": {},
            "probabilities": {}, "probabilities_note": "none"}


def test_an_audit_names_what_was_altered_orphaned_or_left_waiting(
    scored: Scored, world: World,
) -> None:
    place = world.repository()
    publish.publish(place, scored.plan, scored.handed, BOARDS, own=scored.own)
    main = Main.read(Repository(world.origin), world.tip, BOARDS)
    assert list(audit.findings(main)) == []
    commit = world.commit({BOARD_DOCUMENT: b"{}", "results/no-board/leaderboard.dev.json": b"{}"})
    assert list(audit.findings(Main.read(Repository(world.origin), commit, BOARDS))) == [
        f"{BOARD_DOCUMENT}: not what the results give; the next publication writes it again",
        "results/no-board/leaderboard.dev.json: a leaderboard without results"]
    document = json.loads(world.file(scored.job.result_path))
    document["scorer"]["version"] = "9.9"
    commit = world.commit({
        scored.job.result_path: json_bytes(document),
        f"results/{BOARD}/ghost/a-system/dev.json": b"{}",
        f"results/{BOARD}/metric-agreement.json": b"{}",
        f"results/{BOARD}/another.json": b"{}",
        "results/no-board/metric-agreement.json": json_bytes(
            {"format": "metric-agreement/1", "splits": {}, "simulated": [], "rated": {}}),
        f"results/{BOARD}/sureness.dev.json": b"{}",
        f"results/{BOARD}/sureness.test.json": json_bytes(SURENESS | {"board": BOARD}),
        "results/no-board/sureness.test.json": json_bytes(SURENESS),
        "results/human/hamlet.json": json_bytes(
            {"format": "hamlet/1", "system": "a", "simulated": [], "rounds": []}),
        "results/human/human-results.json": b"[" * 100_000,
        "submissions/no-board/bob/a-system/predictions.dev.tsv": b"x",
    })
    main = Main.read(Repository(world.origin), commit, BOARDS)
    said = "\n".join(audit.findings(main))
    assert f"{scored.job.result_path}: published, and not there now as it was" in said
    assert "ghost/a-system/dev.json: a result without a submission" in said
    assert "ghost/a-system/dev.json: not of the format" in said
    assert f"results/{BOARD}/metric-agreement.json: not of the format: format: a key is" in said
    assert "results/no-board/metric-agreement.json: no board no-board" in said
    assert f"results/{BOARD}/sureness.dev.json: not of the format: format: a key is" in said
    assert (f"results/{BOARD}/sureness.test.json: it is of board version '0'; the board has "
            in said)
    assert f"--json results/{BOARD}/sureness.test.json" in said
    assert "results/no-board/sureness.test.json: no board no-board" in said
    assert f"results/{BOARD}/another.json: no place of a result" in said
    assert f"results/{BOARD}/another.json: not" not in said
    assert "hamlet.json" not in said
    assert "results/human/human-results.json: not of the format" in said
    assert "submissions/no-board/bob/a-system dev: no such board or split" in said


def test_a_submission_that_waits_too_long_is_stranded(
    scored: Scored, monkeypatch: pytest.MonkeyPatch,
) -> None:
    [found] = [one for one in states.states(scored.main) if one.job.team == "alice"]
    old = replace(found, job=replace(found.job, date="2020-01-01T00:00:00Z"))
    [said] = [line for line in audit.stranded(scored.main, [old]) if "queued" in line]
    assert said.endswith("days, 0 attempts")


def test_states_say_what_is_and_why(scored: Scored) -> None:
    found = {one.job.result_path: one for one in states.states(scored.main)}
    assert found[scored.job.result_path].name == "queued"
    reference = found[f"results/{BOARD}/reference/gold/dev.json"]
    assert (reference.name, reference.published) == ("scored", Added(
        git(scored.world.origin, "rev-parse", "main~1"), reference.job.date))
    document = states.status_json(list(found.values()), scored.main.commit)
    assert {row["state"] for row in document["submissions"]} == {"queued", "scored"}


def test_a_comment_says_ranks_p_against_the_leader_and_where_both_stand_side_by_side() -> None:
    path = ROOT / "results/explagraphs/third-party/t5/dev.json"
    job = CiJob("explagraphs", "third-party", "t5", "dev", "a" * 64, "b" * 64, "c" * 40, "")
    known = read_leaderboard(ROOT / "results/explagraphs/leaderboard.dev.json")
    rows = {row.key: row for row in known.rows}
    first, own = next(row for row in known.rows if row.rank), rows["third-party/t5"]
    ranked = sum(row.rank is not None for row in known.rows)
    outcome = Outcome("scored", result=results.read(path))
    said = text([(job, outcome)], "https://example.org/w/", lambda *_: known)
    assert own.rank
    assert (f"**Rank {own.rank[0]} to {own.rank[1]}** of {ranked} by StCA. It does not beat its "
            f"null. Against the leader, `{first.key}`: p < .001 by Holm. Side by side: "
            f"https://example.org/w/boards/explagraphs/dev/compare/?a=third-party/t5&b={first.key}"
            "\n\n| metric") in said
    assert "| StCA (higher is better) | 46.5 | " in said
    assert "Rank" not in text([(job, outcome)], "https://example.org/w/")
    leader = replace(job, team=first.key.split("/")[0], system=first.key.split("/")[1])
    assert "Against the second, " in text([(leader, outcome)], "", lambda *_: known)
