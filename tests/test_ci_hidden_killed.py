"""A batch of a hidden split that is killed anywhere ends in the same tree after the next run."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from scorer.hidden import exact
from scorer.hidden.age import Identity
from tests import hidden_world
from tests.ci_world import ALICE, MALLORY, Ran, Runner, git, killed
from tests.hidden_world import BOARD, SECRET, HiddenWorld, git_bytes

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow
GOLD = ("age:gold", SECRET)
SEALED = ".exact.age"


class Undisturbed(NamedTuple):
    """Merged submissions of a hidden split, and what a run that nobody disturbs makes of them."""

    merged: HiddenWorld
    seed: Path
    planned: Ran
    tree: dict[str, object]


def tree_of(world: HiddenWorld) -> dict[str, object]:
    """Every path with its object; of sealed scores what was sealed, for sealing is never twice the
    same."""
    found: dict[str, object] = {}
    for line in git(world.origin, "ls-tree", "-r", "main").splitlines():
        words, _, path = line.partition("\t")
        oid = words.split(" ")[2]
        found[path] = oid
        if path.endswith(SEALED):
            told = git_bytes(world.origin, f"{oid}\n".encode()).split(b"\n", 1)[1]
            found[path] = exact.from_bytes(Identity(SECRET).open(told[:-1], ""))
    return found


def copied(merged: HiddenWorld, seed: Path, folder: Path) -> HiddenWorld:
    return HiddenWorld.of(seed, folder, pulls=merged.pulls, made=merged.made)


@pytest.fixture(scope="module")
def undisturbed(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("hidden")
    for name in ("world", "again"):
        (folder / name).mkdir()
    start = hidden_world.make(seed, folder / "world", folder / "apart")
    for at, (team, author) in enumerate((("alice", ALICE), ("bob", MALLORY))):
        start.merge(start.open(start.submission(team, at), author))
    again = copied(start, start.origin, folder / "again")
    with again.github():
        ran = Runner(again, gold=GOLD).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    return Undisturbed(start, start.origin, ran["plan"], tree_of(again))


@pytest.fixture
def world(undisturbed: Undisturbed, tmp_path: Path) -> Iterator[HiddenWorld]:
    made = copied(undisturbed.merged, undisturbed.seed, tmp_path)
    with made.github():
        yield made


# What this process writes: two times untried, two times started, then for each submission its
# sealed scores and its result, the query ledger, and for each the sealed scores and the outcome.
UNTRIED, STARTED, HALF, HANDED = 1, 3, 6, 10


@pytest.mark.parametrize(("job", "where", "after"), [
    ("score", "temp", UNTRIED), ("score", "temp", STARTED), ("score", "rename", HALF),
    ("score", "temp", HANDED), ("score", "rename", HANDED), ("publish", "push", 0),
])
def test_a_hidden_batch_killed_anywhere_ends_in_the_same_tree_after_the_next_run(
    undisturbed: Undisturbed, world: HiddenWorld, job: str, where: str, after: int,
) -> None:
    runner, tip = Runner(world, gold=GOLD, needs={"plan": undisturbed.planned}), world.tip
    if job == "publish":
        assert runner.job("score.yml", "score").ok
    killed(runner, job, where, after)
    assert world.tip == tip
    # The machine is gone: nothing was handed over, no later job was run.
    Runner(world, run_id=200, gold=GOLD).score()
    assert f"results/{BOARD}/bob/a-system/dev{SEALED}" in undisturbed.tree
    assert tree_of(world) == undisturbed.tree


def test_what_a_killed_batch_left_shows_no_gold(
    undisturbed: Undisturbed, world: HiddenWorld, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (world.folder / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(world.folder / "tmp"))
    runner = Runner(world, gold=GOLD, needs={"plan": undisturbed.planned})
    killed(runner, "score", "rename", HALF)
    runner.job("score.yml", "publish")
    assert {line["event"] for line in world.outcomes()} == {"attempt"}
    assert world.leaks() == []
