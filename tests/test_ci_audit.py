"""The weekly look at the main branch names what is not as the pipeline leaves it."""

import json
from pathlib import Path

import pytest

from scorer.core.files import json_bytes
from scorer.pipeline.ci import audit
from tests.ci_world import BOARD, GOLD, World, folder_of, git, good
from tests.pipeline_world import main_of, published, scored

pytestmark = pytest.mark.slow
RESULT = f"results/{BOARD}/alice/a-system/dev.json"
LEADERBOARD = f"results/{BOARD}/leaderboard.dev.json"


@pytest.fixture(scope="module")
def sound(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A branch with two published rows."""
    world = World.of(seed, tmp_path_factory.mktemp("sound"))
    world.push(good("alice") | good("zoe"))
    published(world, scored(world))
    return world


@pytest.fixture
def world(sound: World, tmp_path: Path) -> World:
    return World.of(sound.origin, tmp_path)


def findings(world: World) -> str:
    """Without scoring anything again."""
    main = main_of(world)
    return "\n".join(line for check in audit.CHECKS for line in check(main))


def test_nothing_is_found_where_all_is_well(sound: World) -> None:
    assert findings(sound) == ""


def test_what_was_orphaned_or_left_is_named(world: World) -> None:
    world.push({
        f"results/{BOARD}/ghost/a-system/dev.json": b"{}",
        f"results/{BOARD}/another.json": b"{}",
        "submissions/no-board/bob/a-system/predictions.dev.tsv": b"x",
        f"{folder_of('alice')}/submission.yaml": b"team: Alice\nteam: Alice\n",
        "submissions/teams/zoe.yaml": b"owners: [zoe#1]\nowners: [zoe#1]\n",
    })
    lines = findings(world)
    for line in (
        "ghost/a-system/dev.json: a result without a submission",
        f"{folder_of('alice')}/submission.yaml: cannot be read",
        "submissions/teams/zoe.yaml:2:1 META-YAML the key 'owners' a second time",
        f"results/{BOARD}/another.json: not a result's path",
        "submissions/no-board/bob/a-system dev: no such board or split",
    ):
        assert line in lines


def test_documents_are_what_the_data_give(world: World) -> None:
    world.push({LEADERBOARD: b"{}", "results/no-board/leaderboard.dev.json": b"{}"})
    assert list(audit.outdated_leaderboards(main_of(world))) == [
        f"{LEADERBOARD}: not what the results give; the next publication writes it again",
        "results/no-board/leaderboard.dev.json: a leaderboard without results"]


def test_a_submission_that_waits_too_long_is_named(world: World) -> None:
    commit = world.commit(good("bob", rows=GOLD.read_bytes()))
    tree = git(world.origin, "rev-parse", f"{commit}^{{tree}}")
    for date in ("2030-01-01T00:00:00Z", "2030-01-05T00:00:00Z"):
        made = git(world.origin, "commit-tree", tree, "-p", world.tip,
                   stdin=b"Later\n", env={"GIT_COMMITTER_DATE": date})
        git(world.origin, "update-ref", "refs/heads/main", made)
    assert f"{folder_of('bob')} dev: queued for 4 days, 0 attempts" in findings(world)


@pytest.mark.claim("New rows of public gold are scored again every week, and other numbers named.")
def test_a_new_row_with_another_number_is_named(world: World) -> None:
    document = json.loads(world.file(RESULT))
    document["metrics"]["SA"]["value"] -= 0.1
    world.push({RESULT: json_bytes(document)})
    [line] = audit.scored_again(main_of(world), world.folder / "home")
    assert line.startswith(f"{RESULT}: scored again, SA: value 0.9 becomes 1.0")
