"""A batch of a hidden split that is killed anywhere ends in the same tree after the next run."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import hidden_world
from tests.ci_world import ALICE, MALLORY, Ran, Runner, killed
from tests.hidden_world import BOARD, SECRET, HiddenWorld

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow
GOLD = ("age:gold", SECRET)


class Undisturbed(NamedTuple):
    """Merged submissions of a hidden split, and what a run that nobody disturbs makes of them."""

    merged: HiddenWorld
    planned: Ran
    tree: str


def copied(merged: HiddenWorld, folder: Path) -> HiddenWorld:
    return HiddenWorld.of(merged.origin, folder, github=merged.github, made=merged.made,
                          program=merged.program)


@pytest.fixture(scope="module")
def undisturbed(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("hidden")
    for name in ("world", "again"):
        (folder / name).mkdir()
    start = hidden_world.make(seed, folder / "world", folder / "apart")
    for at, (team, author) in enumerate((("alice", ALICE), ("bob", MALLORY))):
        start.merge(start.open(start.submission(team, at, author), author))
    again = copied(start, folder / "again")
    with again.github.serving():
        ran = Runner(again, gold=GOLD).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    assert f"results/{BOARD}/bob/a-system/dev.json" in again.paths()
    return Undisturbed(start, ran["plan"], again.tree())


@pytest.fixture
def world(undisturbed: Undisturbed, tmp_path: Path) -> Iterator[HiddenWorld]:
    made = copied(undisturbed.merged, tmp_path)
    with made.github.serving():
        yield made


def runner(world: HiddenWorld, undisturbed: Undisturbed) -> Runner:
    return Runner(world, gold=GOLD, needs={"plan": undisturbed.planned})


@pytest.mark.parametrize("moment", [21, 24, 26])
def test_a_batch_killed_while_it_is_scored_ends_in_the_same_tree_after_the_next_run(
    moment: int, undisturbed: Undisturbed, world: HiddenWorld,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (world.folder / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(world.folder / "tmp"))
    tip = world.tip
    assert killed(runner(world, undisturbed), "score", moment)
    assert world.tip == tip
    assert world.leaks() == []
    Runner(world, run_id=200, gold=GOLD).score()
    assert world.tree() == undisturbed.tree


def test_a_batch_killed_while_it_is_published_ends_in_the_same_tree_after_the_next_run(
    undisturbed: Undisturbed, world: HiddenWorld,
) -> None:
    run, tip = runner(world, undisturbed), world.tip
    assert run.job("score.yml", "score").ok
    assert killed(run, "publish", 20)
    assert world.tip == tip
    Runner(world, run_id=200, gold=GOLD).score()
    assert world.tree() == undisturbed.tree
