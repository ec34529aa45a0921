"""The whole way of a submission, by the workflows' own lines: pull request, check, merge, row.

Every line is run as it stands in ``.github/workflows``, in a checkout of a bare repository that
holds this program.
"""

import json
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer.pipeline.hidden import sealed
from tests.ci_world import BOARD, MALLORY, Ran, Runner, World, folder_of, git, good, killed, mine

pytestmark = [pytest.mark.slow, pytest.mark.site]
KILLS = 6


@pytest.fixture
def world(seed: Path, tmp_path: Path) -> World:
    return World.of(seed, tmp_path)


def result(world: World, team: str, end: str = ".json") -> Any:
    return world.json(f"results/{BOARD}/{team}/a-system/dev{end}")


class Undisturbed(NamedTuple):
    """Two submissions of the very same predictions, and what an undisturbed run makes of them."""

    world: World
    before: Path
    """The repository when both were merged."""
    ran: dict[str, Ran]
    tree: str
    """Of the main branch after the run."""


@pytest.fixture(scope="module")
def undisturbed(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The maintainers' page, step by step."""
    world = World.of(seed, tmp_path_factory.mktemp("undisturbed"))
    # Two teams open a pull request each, at the same time, with the very same predictions.
    pulls = [world.open(good(team, rows=mine("both"))) for team in ("alice", "bob")]
    # The check reads what each would become, scores it without models, and is green.
    for pull, team in zip(pulls, ("alice", "bob"), strict=True):
        check = Runner(world, processes=team == "alice").job("validate.yml", "validate",
                                                             world.event(pull))
        assert check.ok, check.log
        assert f"`{folder_of(team)}` can be scored" in check.summary
        assert "| GED (lower is better) | 0." in check.summary
    # A maintainer merges both.
    for pull in pulls:
        world.merge(pull)
    before = world.folder / "before.git"
    shutil.copytree(world.origin, before)
    # The push to main starts score.yml: plan, score, publish, site.
    ran = Runner(world).score(site=True)
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    assert ran["plan"].outputs["count"] == "2"
    return Undisturbed(world, before, ran, world.tree())


@pytest.mark.claim("A pull request becomes a published row by the workflows' own lines, "
                   "replayed with real git.")
def test_two_good_submissions_become_two_published_rows(undisturbed: Undisturbed) -> None:
    world = undisturbed.world
    # One commit brings both results, their items and the leaderboard.
    changed = git(world.origin, "diff-tree", "-r", "--name-only", "main~1", "main").splitlines()
    assert changed == [f"results/{BOARD}/{name}" for name in (
        "alice/a-system/dev.items.tsv", "alice/a-system/dev.json",
        "bob/a-system/dev.items.tsv", "bob/a-system/dev.json", "leaderboard.dev.json")]
    assert result(world, "alice")["metrics"] == result(world, "bob")["metrics"]
    # Each pull request has one comment with its numbers and its place on the site.
    for number in (1, 2):
        [comment] = world.github.on(number)
        assert re.search(r"\| GED \(lower is better\) \| 0\.\d{3} \| 0\.\d{3} to 0\.\d{3} \|",
                         comment)
        assert f"https://board.example.org/boards/{BOARD}/dev/" in comment
    # The site shows the rows, and that they are published.
    site = world.folder / "runner-site.yml-build" / "work" / "_site"
    rows = json.loads((site / "data" / BOARD / "dev" / "leaderboard.json").read_text())["rows"]
    assert all(f'"{team}/a-system"' in json.dumps(rows) for team in ("alice", "bob"))
    status = json.loads((site / "data" / "status.json").read_text())["submissions"]
    assert [entry["published"]["commit"] for entry in status
            if entry["team"] in ("alice", "bob")] == [world.tip] * 2
    assert "alice/a-system" in (site / "submissions" / "index.html").read_text()


@pytest.fixture
def merged(undisturbed: Undisturbed, tmp_path: Path) -> World:
    """The same two submissions before any run."""
    return World.of(undisturbed.before, tmp_path)


def check_whole(world: World) -> None:
    """The branch holds every result with its items, and the leaderboard that they give, or none."""
    git(world.origin, "fsck", "--no-dangling")
    rows = world.file(f"results/{BOARD}/leaderboard.dev.json").decode()
    for team in ("alice", "bob"):
        there = [f"results/{BOARD}/{team}/a-system/dev{end}" in world.paths()
                 for end in (".json", ".items.tsv")]
        assert there in ([False, False], [True, True])
        assert there[0] == (f"{team}/a-system" in rows)


@pytest.mark.claim("A run killed at any moment leaves nothing half done; the next one ends the "
                   "same.")
def test_killed_runs_leave_nothing_half_done_and_the_next_ends_the_same(
    undisturbed: Undisturbed, merged: World,
) -> None:
    rng, kills = random.Random(10), 0
    for number in range(KILLS):
        runner = Runner(merged, needs={"plan": undisturbed.ran["plan"]}, run_id=200 + number)
        if number % 2:
            shutil.copytree(undisturbed.world.folder / "artifact-101", merged.folder / "artifact")
            runner.artifacts["outcomes-${{ github.run_id }}-${{ github.run_attempt }}"] = (
                merged.folder / "artifact")
        job, last = ("publish", 45) if number % 2 else ("score", 15)
        kills += killed(runner, job, rng.randint(1, last))
        shutil.rmtree(merged.folder / "artifact", ignore_errors=True)
        check_whole(merged)
        for path in merged.folder.glob("runner-score.yml-score/work/_outcomes/[!.]*.json"):
            json.loads(path.read_bytes())
    assert kills >= KILLS - 2
    ran = Runner(merged, run_id=300).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    assert merged.tree() == undisturbed.tree


def test_a_worker_that_prints_all_it_knows_prints_no_secret(world: World) -> None:
    pytest.importorskip("pyrage")
    identity = sealed.new_identity().splitlines()[-1]
    tells = ("            import os, sys\n            everything = repr(dict(os.environ)) * 2\n"
             "            print(everything)\n            print(everything, file=sys.stderr)\n"
             "            raise ValueError(everything)\n")
    world.patch({"scorer/pipeline/ci/score.py": (r"(?<=begin\(self\.out, job\)\n)", tells)})
    world.merge(world.open(good("alice")))
    ran = Runner(world, gold=("", identity)).score()
    assert result(world, "alice", ".error.json")["code"] == "SCORER-FAULT"
    shown = "".join(one.log + one.summary + str(one.outputs) for one in ran.values()).encode()
    shown += b"".join(path.read_bytes() for path in world.folder.glob("artifact-*/*"))
    assert [word for word in ("PATH", identity, "t0ken", "k3y") if word.encode() in shown] == []


@pytest.mark.claim("A submission that takes too much memory ends alone, by the rule of a lost "
                   "machine; the others are published.")
@pytest.mark.skipif(sys.platform != "linux", reason="no other Python platform limits memory")
def test_a_submission_that_takes_too_much_memory_is_given_up_and_the_others_go_on(
    world: World,
) -> None:
    eats = '            if job.team == "glutton":\n                bytearray(3 * 2**30)\n'
    world.patch({"scorer/pipeline/ci/score.py": (r"(?<=begin\(self\.out, job\)\n)", eats)})
    for team in ("glutton", "alice"):
        world.merge(world.open(good(team)))
    ran = Runner(world, memory="1").score()
    assert ran["score"].codes[-1] == 75, ran["score"].log
    assert ran["publish"].ok, ran["publish"].log
    assert result(world, "alice")["team"] == "alice"
    assert result(world, "glutton", ".error.json")["attempts"] == 1


@pytest.mark.claim("A changed workflow beside a submission is refused and never run.")
def test_a_workflow_changed_beside_a_submission_is_refused_and_never_run(world: World) -> None:
    number = world.open({**good("mallory", author=MALLORY),
                         ".github/workflows/validate.yml": b"on: push\n",
                         "scorer/__init__.py": b"print('pwned')\n"}, MALLORY)
    checked = Runner(world, processes=True).job("validate.yml", "validate", world.event(number))
    assert checked.codes == [2]
    assert "**PR-SCOPE**" in checked.summary
    assert "pwned" not in checked.log
