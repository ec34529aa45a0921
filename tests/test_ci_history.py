"""Turns on hidden splits, from the main branch of a real repository."""

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import hidden_world
from tests.ci_world import ALICE, MALLORY, git, owned
from tests.hidden_world import BOARD, HiddenWorld
from tests.pipeline_world import main_of

pytest.importorskip("pyrage")
DAY = 24 * 60 * 60
START = 1_800_000_000
"""When the first of these commits is made."""


class History:
    """A hidden board whose main branch gets files day by day."""

    def __init__(self, world: HiddenWorld, patch: pytest.MonkeyPatch) -> None:
        self.world, self.patch = world, patch

    def at(self, day: int) -> None:
        """Let the next commits be of the day that is so many days after the first."""
        for who in ("AUTHOR", "COMMITTER"):
            self.patch.setenv(f"GIT_{who}_DATE", f"{START + day * DAY} +0000")

    def on(self, day: int, *files: Mapping[str, Any]) -> None:
        """Merge files on a day, one commit each."""
        self.at(day)
        for each in files:
            self.world.push(each)

    @property
    def days(self) -> dict[str, int]:
        """The day of each file that is there, by its team and system."""
        first = datetime.datetime.fromtimestamp(START, datetime.UTC).date()
        return {"/".join(Path(path).parts[2:4]): (day - first).days
                for path, day in main_of(self.world).release_days.items()}

    @property
    def merged(self) -> list[str]:
        """The team and system of each turn, in order."""
        main = main_of(self.world)
        return ["/".join(Path(turn.path).parts[2:4])
                for turn in main.turns(main.boards[BOARD], "dev")]


def sent(team: str, system: str = "a", content: bytes = b"rows\n") -> dict[str, bytes]:
    """Predictions, whatever they are: everything that is merged takes a turn."""
    return {f"submissions/{BOARD}/{team}/{system}/predictions.dev.tsv": content}


@pytest.fixture(scope="module")
def seeded(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> HiddenWorld:
    return hidden_world.make(seed, tmp_path_factory.mktemp("history"))


@pytest.fixture
def history(seeded: HiddenWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    return History(HiddenWorld.of(seeded.origin, tmp_path, made=seeded.made), monkeypatch)


def test_an_owner_s_teams_wait_for_each_other_and_nobody_else_does(history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice"))
    history.on(1, owned("second", ALICE) | sent("second"))
    history.on(2, owned("mallory", MALLORY) | sent("mallory"))
    history.on(3, sent("alice", "b"))
    assert history.days == {"alice/a": 0, "second/a": 28, "mallory/a": 2, "alice/b": 56}


@pytest.mark.claim("Editing the owners of a team wins no turn on a hidden split.")
def test_who_is_taken_out_of_a_team_still_shares_its_turns(history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice"))
    history.on(1, owned("alice", MALLORY), sent("alice", "b"))
    history.on(2, owned("again", ALICE) | sent("again"))
    history.on(3, owned("other", MALLORY) | sent("other"))
    assert history.days == {"alice/a": 0, "alice/b": 28, "again/a": 56, "other/a": 84}


def test_owners_who_come_later_change_no_earlier_day(history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice"))
    history.on(0, owned("mallory", MALLORY) | sent("mallory"))
    history.on(1, owned("alice", ALICE, MALLORY), sent("alice", "b"))
    assert history.days == {"alice/a": 0, "mallory/a": 0, "alice/b": 28}


@pytest.mark.claim("A withdrawn or removed file keeps its turn.")
@pytest.mark.parametrize("gone", [
    sent("alice") | {f"submissions/{BOARD}/alice/a/submission.yaml": b"x: y\n"},
    dict.fromkeys(sent("alice")), dict.fromkeys([*sent("alice"), *owned("alice", ALICE)]),
], ids=["withdrawn", "removed", "removed with its owners"])
def test_a_file_that_is_gone_keeps_its_turn(gone: dict[str, Any], history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice"))
    history.on(1, gone)
    history.on(2, sent("alice", "b"))
    assert history.days["alice/b"] == 28


def test_the_same_bytes_have_one_turn_and_others_at_their_path_another(history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice"))
    history.on(1, dict.fromkeys(sent("alice")))
    history.on(40, sent("alice"))
    assert history.days == {"alice/a": 0}, "a merge that was reverted and came again"
    history.on(41, sent("alice", content=b"other rows\n"))
    assert history.days == {"alice/a": 41}
    assert history.merged == ["alice/a", "alice/a"]


def test_turns_follow_the_merges_whatever_commits_say_of_themselves(history: History) -> None:
    world, start = history.world, history.world.tip
    history.on(5, owned("alice", ALICE) | sent("alice"))
    history.at(0)
    tip, branch = world.tip, world.commit(sent("alice", "early"), start)
    history.at(6)
    tree = git(world.origin, "merge-tree", "--write-tree", tip, branch)
    merge = git(world.origin, "commit-tree", tree, "-p", tip, "-p", branch, stdin=b"Merge\n")
    git(world.origin, "update-ref", "refs/heads/main", merge)
    assert history.merged == ["alice/a", "alice/early"]
    assert history.days == {"alice/a": 5, "alice/early": 33}


@pytest.mark.parametrize("file", [
    b"owners: [alice#x]\n", b"\xff", ("160000", "1" * 40)],
    ids=["no number", "no text", "a submodule"])
def test_owners_that_nobody_can_read_leave_the_team_as_it_is(file: Any, history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice"))
    history.on(1, {"submissions/teams/alice.yaml": file})
    history.on(2, sent("alice", "b"))
    assert history.days == {"alice/a": 0, "alice/b": 28}


def test_a_team_without_owners_is_a_group_by_itself(history: History) -> None:
    history.on(0, sent("reference") | sent("whyboard"), sent("reference", "b"))
    assert history.days == {"reference/a": 0, "whyboard/a": 0, "reference/b": 28}


def test_other_splits_boards_and_kinds_of_file_take_no_turn(history: History) -> None:
    other = "submissions/explagraphs-practice/alice/a/predictions.dev.tsv"
    path = f"submissions/{BOARD}/alice/a"
    history.on(0, {other: b"x\n", f"{path}/predictions.test.tsv": b"x\n",
                   f"{path}/submission.yaml": b"x: y\n",
                   f"{path}/predictions.dev.tsv": ("120000", b"elsewhere")})
    assert history.merged == []
