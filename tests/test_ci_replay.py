"""The whole way of a submission, with the workflows' own lines: pull request, check, merge, row.

Nothing here is imported from the pipeline but the YAML reader: lines are run as they stand in
``.github/workflows``, in a checkout of a bare repository that holds this program.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.ci_world import ALICE, BOARD, MALLORY, Ran, Runner, World, folder_of, good, killed, mine
from tests.fuzz_helpers import RUNNER_COMMAND

pytestmark = pytest.mark.slow


@pytest.fixture
def world(seed: Path, tmp_path: Path) -> Iterator[World]:
    made = World.of(seed, tmp_path)
    with made.github():
        yield made


def result(world: World, team: str, system: str = "a-system") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(world.file(f"results/{BOARD}/{team}/{system}/dev.json"))
    return found


class Undisturbed(NamedTuple):
    """Two submissions of the very same predictions, and what an undisturbed run makes of them."""

    world: World
    """After the run."""
    before: Path
    """The repository when both were merged."""
    pulls: dict[int, dict[str, Any]]
    checked: Ran
    """How the first was validated."""
    merged: str
    """Its merge commit."""
    ran: dict[str, Ran]
    tree: str
    """Of the main branch after the run."""


@pytest.fixture(scope="module")
def undisturbed(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Undisturbed]:
    world = World.of(seed, tmp_path_factory.mktemp("undisturbed"))
    with world.github():
        first, second = (world.open(good(team, rows=mine("both"))) for team in ("alice", "bob"))
        checked = Runner(world).job("validate.yml", "validate", world.event(first))
        merged, _ = world.merge(first), world.merge(second)
        before = world.folder / "before.git"
        shutil.copytree(world.origin, before)
        ran = Runner(world).score(site=True)
        assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
        yield Undisturbed(world, before, world.pulls, checked, merged, ran, world.tree())


@pytest.mark.claim("A pull request becomes a published row by the workflows' own lines, "
                   "replayed with real git.")
@pytest.mark.site
def test_a_good_submission_becomes_a_published_row(undisturbed: Undisturbed) -> None:
    world, checked = undisturbed.world, undisturbed.checked
    assert checked.ok, checked.log
    assert f"`{folder_of('alice')}` can be scored" in checked.summary
    assert "| GED | 0." in checked.summary
    assert "EG-DISCONNECTED 8" in checked.summary
    found = result(world, "alice")
    assert found["team"] == "alice"
    items = world.file(f"results/{BOARD}/alice/a-system/dev.items.tsv").decode().splitlines()
    assert len(items) == 1 + 40, "a header, and a line an item"
    [line] = [line for line in world.outcomes() if line["team"] == "alice"]
    assert (line["event"], line["commit"], line["result"]) == (
        "published", undisturbed.merged, found["key"])
    assert json.loads(world.file("ledger/owners.jsonl").splitlines()[0]) == {
        "schema": 1, "team": "alice", "id": ALICE}
    [comment] = [comment for comment in world.comments if comment["on"] == 1]
    assert re.search(r"\| GED \(lower is better\) \| 0\.\d{3} \| 0\.\d{3} to 0\.\d{3} \|",
                     comment["body"])
    assert "https://board.example.org/boards/explagraphs-practice/" in comment["body"]


@pytest.mark.site
def test_two_teams_with_the_very_same_predictions_are_two_rows(undisturbed: Undisturbed) -> None:
    world = undisturbed.world
    assert [line["team"] for line in world.outcomes()] == ["alice", "bob"]
    assert result(world, "alice")["metrics"] == result(world, "bob")["metrics"]


@pytest.mark.site
def test_the_built_site_shows_the_new_row_and_every_state(undisturbed: Undisturbed) -> None:
    world = undisturbed.world
    site = world.folder / "runner-site.yml-build" / "work" / "_site"
    [row] = [row for row in json.loads(
        (site / "data" / BOARD / "dev" / "leaderboard.json").read_text())["rows"]
        if "alice" in json.dumps(row)]
    assert row
    status = json.loads((site / "data" / "status.json").read_text())
    [mine] = [entry for entry in status["submissions"] if entry["team"] == "alice"]
    assert mine["state"] == "published"
    assert mine["published"]["commit"] == world.tip
    page = (site / "submissions" / "index.html").read_text()
    assert "alice/a-system" in page
    assert world.tip[:12] in page


@pytest.mark.site
def test_running_again_changes_nothing(undisturbed: Undisturbed) -> None:
    world, tip = undisturbed.world, undisturbed.world.tip
    ran = Runner(world).score()
    assert ran["plan"].outputs["count"] == "0"
    assert ran["publish"].ok
    assert "score" not in ran
    assert world.tip == tip
    assert len(world.comments) == 2


@pytest.mark.claim("A submission that takes too much memory ends alone, by the rule of a lost "
                   "machine; the others are published.")
@pytest.mark.skipif(sys.platform != "linux", reason="no other Python platform limits memory")
def test_a_submission_that_takes_too_much_memory_is_given_up_and_the_others_go_on(
    world: World,
) -> None:
    eats = '        if job.team == "glutton":\n            bytearray(3 * 2**30)\n'
    world.patch({"scorer/ci/worker.py": (r"(?<=begin\(self\.out, job\)\n)", eats)})
    for team in ("glutton", "alice"):
        world.merge(world.open(good(team)))
    runner = Runner(world, memory="1")
    for _ in range(3):
        ran = runner.score()
        assert ran["score"].codes[-1] == 75, ran["score"].log
        assert ran["publish"].ok, ran["publish"].log
    told = {team: [(line["event"], line.get("code")) for line in world.outcomes()
                   if line["team"] == team] for team in ("alice", "glutton")}
    assert told == {"alice": [("published", None)],
                    "glutton": [*[("attempt", None)] * 3, ("error", "SCORER-GAVE-UP")]}


def test_a_bad_submission_is_told_why_and_is_rejected_if_it_is_merged_all_the_same(
    world: World,
) -> None:
    rows = good("mallory")[f"{folder_of('mallory')}/predictions.dev.tsv"]
    bad = rows.replace(b"support", b"::error::x ${{ secrets.X }}", 1)
    number = world.open(good("mallory", rows=bad), MALLORY)
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    assert checked.codes == [2]
    assert "**TSV-LABEL**" in checked.summary
    commands = [line for line in checked.log.splitlines() if RUNNER_COMMAND.search(line)]
    assert len(commands) == 1
    assert commands[0].startswith(
        "::error file=submissions/explagraphs-practice/mallory/a-system/predictions.dev.tsv,line=")
    assert "pwned" not in checked.log + checked.summary
    world.merge(number)
    ran = Runner(world).score()
    assert ran["plan"].outputs["count"] == "0"
    [line] = world.outcomes()
    assert (line["event"], line["rule"]) == ("rejected", "TSV-LABEL")
    assert "Rejected by `TSV-LABEL`" in world.comments[0]["body"]
    tip = world.tip
    Runner(world).score()
    assert world.tip == tip


def test_a_stranger_in_a_team_whose_first_one_waits_is_told_so_twice_and_gets_no_row(
    world: World,
) -> None:
    world.merge(world.open(good("alice")))
    number = world.open(good("alice", "stolen"), MALLORY)
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    assert (checked.codes, "**PR-OWNER**" in checked.summary) == ([2], True)
    world.merge(number)
    ran = Runner(world).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    assert {(line["system"], line["event"], line.get("rule")) for line in world.outcomes()} == {
        ("a-system", "published", None), ("stolen", "rejected", "PR-OWNER")}
    assert json.loads(world.file("ledger/owners.jsonl"))["id"] == ALICE
    [said] = [comment["body"] for comment in world.comments if comment["on"] == number]
    assert "Rejected by `PR-OWNER`" in said


def test_a_pull_request_without_a_submission_has_nothing_to_validate(world: World) -> None:
    number = world.open({"docs/note.md": b"A note.\n", "scorer/records.py": b"raise SystemExit\n"})
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    assert checked.ok
    assert "Nothing to validate" in checked.summary


@pytest.mark.claim("A changed workflow beside a submission is refused and never run.")
def test_a_workflow_changed_beside_a_submission_is_refused_and_never_run(world: World) -> None:
    number = world.open({**good("mallory"), ".github/workflows/validate.yml": b"on: push\n",
                         "scorer/ci/validate.py": b"print('pwned')\n"}, MALLORY)
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    assert checked.codes == [2]
    assert "**PR-SCOPE** `2 changes outside of the submission`" in checked.summary
    assert "pwned" not in checked.log


@pytest.fixture
def merged(undisturbed: Undisturbed, tmp_path: Path) -> Iterator[World]:
    """The same two submissions before any run."""
    made = World.of(undisturbed.before, tmp_path, pulls=undisturbed.pulls)
    with made.github():
        yield made


@pytest.mark.claim("A publisher killed at any moment leaves nothing half done; the next "
                   "run ends the same.")
# Of each submission the worker writes *started*; then, here: items, outcome.
@pytest.mark.parametrize(("job", "where", "after"), [
    ("score", "temp", 1), ("score", "rename", 2), ("score", "temp", 3), ("publish", "push", 0),
])
@pytest.mark.site
def test_a_run_killed_anywhere_ends_in_the_same_tree_after_the_next(
    undisturbed: Undisturbed, merged: World, job: str, where: str, after: int,
) -> None:
    runner, tip = Runner(merged, needs={"plan": undisturbed.ran["plan"]}), merged.tip
    if job == "publish":
        assert runner.job("score.yml", "score").ok
    killed(runner, job, where, after)
    assert merged.tip == tip
    # The machine is gone: nothing was handed over, no later job was run.
    Runner(merged, run_id=200).score()
    assert result(merged, "alice")["team"] == "alice"
    assert merged.tree() == undisturbed.tree


@pytest.mark.site
def test_what_a_killed_batch_had_finished_is_published_and_the_rest_comes_next(
    undisturbed: Undisturbed, merged: World,
) -> None:
    runner = Runner(merged, needs={"plan": undisturbed.ran["plan"]})
    killed(runner, "score", "temp", 3)
    runner.job("score.yml", "publish")
    assert [(line["event"], line["team"]) for line in merged.outcomes()] == [
        ("published", "alice"), ("attempt", "bob")]
    Runner(merged, run_id=200).score()
    assert [line["event"] for line in merged.outcomes()] == ["published", "attempt", "published"]


@pytest.mark.site
def test_a_machine_that_is_lost_three_times_ends_in_an_error(merged: World) -> None:
    for number in range(3):
        runner = Runner(merged, run_id=300 + number)
        runner.job("score.yml", "plan")
        killed(runner, "score", "temp", 0)
        runner.job("score.yml", "publish")
    told = [(line["team"], line.get("number"), line.get("code")) for line in merged.outcomes()]
    # The one that was tried goes behind the one that was not.
    assert told == [("alice", 1, None), ("bob", 1, None), ("alice", 2, None)]


@pytest.mark.claim("Sixteen publishers at once lose nothing.")
def test_sixteen_publishers_at_once_lose_nothing(world: World) -> None:
    teams = [f"team-{number}" for number in range(16)]
    for team in teams:
        world.push(good(team))
    place = world.clone("planner")
    program = [sys.executable, "-m", "scorer", "ci"]
    made = subprocess.run([*program, "plan"], cwd=place, capture_output=True, check=True, text=True)
    plan = json.loads(made.stdout.partition("plan=")[2].partition("\n")[0])
    assert len(plan["jobs"]) == 16
    from scorer.ci import plan as planning
    from scorer.ci import publish, score
    from scorer.ci.git import Repository
    from scorer.ci.main_branch import Main

    whole = planning.from_json(plan)
    main = Main.read(Repository(place), whole.commit, place / "boards")
    settings = score.ScoringSettings(place / "home", "no")
    assert not score.run(whole, main, settings, place / "handed")
    clones = [world.repository(f"publisher-{number}") for number in range(16)]

    def one(number: int) -> str:
        alone = planning.CiPlan(whole.commit, (whole.jobs[number],))
        commit, _ = publish.publish(clones[number], alone, place / "handed",
                                    place / "boards", pause=0.5)
        return commit

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(one, range(16)))
    assert {result(world, team)["team"] for team in teams} == set(teams)
    assert {line["team"] for line in world.outcomes()} == set(teams)
    assert len(world.outcomes()) == 16
