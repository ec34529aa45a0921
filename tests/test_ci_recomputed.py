"""The publisher scores again what it is handed: once, within limits, and only where gold is."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.ci import plan, publish, recomputed, score
from scorer.ci.git import Repository
from scorer.ci.main_branch import Main
from scorer.ci.recomputed import Recomputed
from scorer.ci.score import ScoringSettings
from scorer.files import json_bytes
from tests.ci_world import BOARD, ROOT, World, git, good
from tests.test_errata import ACCEPTED, disputed, other

pytestmark = pytest.mark.slow


class Handed:
    """Two merged submissions, and what an honest machine hands over for them."""

    def __init__(self, world: World, boards: Path = ROOT / "boards") -> None:
        self.world, self.boards = world, boards
        self.home, self.folder = world.folder / "home", world.folder / "handed"
        for team in ("alice", "bob"):
            world.push(good(team))
        found = plan.make(self.main, self.home)
        mine = tuple(job for job in found.jobs if job.team in ("alice", "bob"))
        self.plan = replace(found, jobs=mine)
        assert score.run(self.plan, self.main, ScoringSettings(self.home, "no"), self.folder) == []

    @property
    def main(self) -> Main:
        return Main.read(Repository(self.world.origin), self.world.tip, self.boards)

    def derived(self, **more: Any) -> publish.Publication:
        return publish.derive(self.main, self.plan, self.folder, home=self.home, **more)


@pytest.fixture(scope="module")
def handed(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Handed:
    return Handed(World.of(seed, tmp_path_factory.mktemp("handed")))


@pytest.fixture(scope="module")
def own(handed: Handed) -> Recomputed:
    """What the publisher computes of both, computed once."""
    made = Recomputed(handed.home)
    made.add(handed.main, handed.plan.jobs)
    return made


def kinds(found: publish.Publication) -> list[tuple[str, str]]:
    return [(outcome.kind, outcome.reason) for outcome in found.outcomes.values()]


def written(found: publish.Publication) -> set[str]:
    """Of single submissions: the leaderboard is made of them all."""
    return {path for path in found.files if path.startswith("results/")
            and "/leaderboard." not in path}


def test_what_takes_too_long_is_an_error_and_never_a_row(handed: Handed) -> None:
    found = handed.derived(own=Recomputed(handed.home, longest=0.001))
    assert kinds(found) == [("error", "RESULT-UNCHECKED")] * 2
    assert written(found) == set()


def test_what_there_is_no_time_for_is_published_by_the_next_run(
    handed: Handed, capsys: pytest.CaptureFixture[str],
) -> None:
    found = handed.derived(own=Recomputed(handed.home, all_together=0))
    first, second = handed.plan.jobs
    assert written(found) == {first.result_path, first.items_path}
    assert f"{second.place.path} dev: not computed in time" in capsys.readouterr().out


def test_nothing_is_computed_again_when_the_main_branch_moves_on(
    handed: Handed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World.of(handed.world.origin, tmp_path)
    computed, run = [], recomputed.local.run
    lost, push = [], Repository.push

    def counted(make: Any, jobs: Any, **limits: Any) -> Any:
        computed.append([job.team for job in jobs])
        return run(make, jobs, **limits)

    def overtaken(self: Repository, *words: Any) -> bool:
        if len(lost) < 2:
            lost.append(world.commit({f"note-{len(lost)}": b""}))
            git(world.origin, "update-ref", "refs/heads/main", lost[-1])
        return push(self, *words)

    monkeypatch.setattr(recomputed.local, "run", counted)
    monkeypatch.setattr(Repository, "push", overtaken)
    commit, _ = publish.publish(world.repository(), handed.plan, handed.folder,
                                handed.boards, home=handed.home, pause=0.01)
    assert (world.tip, len(lost)) == (commit, 2)
    assert computed == [["alice", "bob"]]


@pytest.fixture
def elsewhere(handed: Handed, tmp_path: Path) -> Handed:
    """The same on a board whose data may not be committed, and are not fetched yet."""
    shutil.copytree(handed.boards, tmp_path / "boards")
    shutil.move(tmp_path / "boards" / BOARD / "data", tmp_path / "data")
    made = object.__new__(Handed)
    made.__dict__ |= handed.__dict__ | {"boards": tmp_path / "boards", "home": tmp_path / "home"}
    return made


def test_what_has_no_gold_at_hand_waits_for_the_next_run(
    elsewhere: Handed, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    found = elsewhere.derived()
    assert (kinds(found), written(found)) == ([], set())
    assert "its board's data are not at hand; the next run" in capsys.readouterr().out
    shutil.copytree(tmp_path / "data", elsewhere.home / "data" / BOARD)
    assert kinds(elsewhere.derived()) == [("scored", "")] * 2


def test_data_that_are_not_the_board_s_count_as_a_failure_of_the_machine(
    elsewhere: Handed, tmp_path: Path,
) -> None:
    shutil.copytree(tmp_path / "data", elsewhere.home / "data" / BOARD)
    (elsewhere.home / "data" / BOARD / "dev.tsv").write_text("other\n")
    assert kinds(elsewhere.derived()) == [("started", "")] * 2


def test_a_forged_result_keeps_no_honest_one_from_being_published(
    handed: Handed, own: Recomputed, tmp_path: Path,
) -> None:
    alice, bob = handed.plan.jobs
    shutil.copytree(handed.folder, tmp_path / "handed")
    document = json.loads((handed.folder / f"{bob.key}.json").read_bytes())
    document["result"]["metrics"]["SA"]["flagged"] = 1
    (tmp_path / "handed" / f"{bob.key}.json").write_bytes(json_bytes(document))
    found = publish.derive(handed.main, handed.plan, tmp_path / "handed", own=own)
    assert kinds(found) == [("scored", ""), ("error", "RESULT-DIFFERS")]
    assert written(found) == {alice.result_path, alice.items_path}


def test_values_without_errata_are_computed_too(seed: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "boards", tmp_path / "boards")
    board = disputed(tmp_path / "boards", "1.0")
    erratum = ACCEPTED.format(row=1, since="1.1", stance=other(board, 1))
    disputed(tmp_path / "boards", "1.1", r_1=erratum)
    made = Handed(World.of(seed, tmp_path), tmp_path / "boards")
    own = Recomputed(made.home)
    assert kinds(made.derived(own=own)) == [("scored", "")] * 2
    path = made.folder / f"{made.plan.jobs[0].key}.json"
    document = json.loads(path.read_bytes())
    document["result"]["errata"]["without"]["SA"] = 0.5
    path.write_bytes(json_bytes(document))
    assert kinds(made.derived(own=own)) == [("error", "RESULT-DIFFERS"), ("scored", "")]


def test_hidden_gold_is_not_looked_for(handed: Handed) -> None:
    own = Recomputed(handed.home)
    board = handed.main.boards[BOARD]
    secret = replace(board.splits["dev"], gold="hidden")
    main = handed.main
    main.boards[BOARD] = replace(board, splits={**board.splits, "dev": secret})
    own.add(main, handed.plan.jobs)
    assert own.known == {}


@pytest.mark.parametrize(("text", "other"), [
    ('"outcome": "scored"', '"outcome": []'), ('"outcome": "scored"', '"outcome": {}'),
    ('"value": 1.0', f'"value": {10**400}'),
])
def test_an_outcome_of_another_type_stops_no_other(
    text: str, other: str, handed: Handed, own: Recomputed, tmp_path: Path,
) -> None:
    _, forged = handed.plan.jobs
    folder = shutil.copytree(handed.folder, tmp_path / "handed")
    path = folder / f"{forged.key}.json"
    said = json.dumps(json.loads(path.read_bytes()))
    assert text in said
    path.write_text(said.replace(text, other, 1))
    found = publish.derive(handed.main, handed.plan, folder, own=own)
    assert kinds(found) == [("scored", ""), ("error", "RESULT-FORMAT")]
