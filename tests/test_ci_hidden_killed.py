"""A batch of a hidden split that is killed anywhere ends in the same tree after the next run."""

from pathlib import Path

import pytest

from tests import hidden_world
from tests.ci_world import ALICE, MALLORY, Runner, killed
from tests.hidden_world import BOARD, SECRET, HiddenWorld

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow
GOLD = ("age:gold", SECRET)


def test_a_batch_killed_anywhere_ends_in_the_same_tree_after_the_next_run(
    seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("merged", "undisturbed", "killed/tmp"):
        (tmp_path / name).mkdir(parents=True)
    merged = hidden_world.make(seed, tmp_path / "merged", tmp_path / "apart")
    for at, (team, author) in enumerate((("alice", ALICE), ("bob", MALLORY))):
        merged.merge(merged.open(merged.submission(team, at, author), author))
    undisturbed, world = (
        HiddenWorld.of(merged.origin, tmp_path / name, github=merged.github, made=merged.made,
                       program=merged.program) for name in ("undisturbed", "killed"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "killed" / "tmp"))
    with merged.github.serving():
        ran = Runner(undisturbed, gold=GOLD).score()
        assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
        assert f"results/{BOARD}/bob/a-system/dev.json" in undisturbed.paths()
        tip, run = world.tip, Runner(world, gold=GOLD, needs={"plan": ran["plan"]})
        for moment in (21, 24, 26):
            assert killed(run, "score", moment)
            assert world.tip == tip
            assert world.leaks() == []
        assert run.job("score.yml", "score").ok
        assert killed(run, "publish", 20)
        assert world.tip == tip
        Runner(world, run_id=200, gold=GOLD).score()
    assert world.tree() == undisturbed.tree()
