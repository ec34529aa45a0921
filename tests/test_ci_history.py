"""Turns on hidden splits, from the main branch of a real repository."""

import datetime
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import case_files, hidden_world
from tests.ci_world import ALICE, git, owned
from tests.hidden_world import BOARD, HiddenWorld
from tests.pipeline_world import main_of

pytest.importorskip("pyrage")
CASES: dict[str, Any] = case_files.read("turns.yaml")
DAY = 24 * 60 * 60
START = 1_800_000_000
"""When the first of these commits is made."""


class History:
    """A hidden board whose main branch gets files day by day."""

    def __init__(self, world: HiddenWorld, patch: pytest.MonkeyPatch) -> None:
        self.world, self.patch = world, patch

    def on(self, day: int, files: Mapping[str, Any] | None = None) -> None:
        """Merge files on a day, so many after the first; later commits are of that day too."""
        for who in ("AUTHOR", "COMMITTER"):
            self.patch.setenv(f"GIT_{who}_DATE", f"{START + day * DAY} +0000")
        if files:
            self.world.push(files)

    @property
    def days(self) -> dict[str, int]:
        """The day of each file that is there, by its team and system."""
        first = datetime.datetime.fromtimestamp(START, datetime.UTC).date()
        return {"/".join(Path(path).parts[2:4]): (day - first).days
                for path, day in main_of(self.world).release_days.items()}

    @property
    def turns(self) -> list[str]:
        """The team and system of each turn, in order."""
        return ["/".join(Path(turn.path).parts[2:4])
                for turn in main_of(self.world).turns.get((BOARD, "dev"), ())]

    def check(self, case: Mapping[str, Any]) -> None:
        """Merge what a case says, and compare what follows."""
        for merge in case["merges"]:
            files: dict[str, Any] = {}
            for team, accounts in merge.get("owners", {}).items():
                files |= owned(team, *accounts)
            for name in merge.get("sends", ()):
                files |= sent(name)
            files |= {f"submissions/{path}": None for path in merge.get("gone", ())}
            for path, content in merge.get("files", {}).items():
                mode, text = content if isinstance(content, list) else ("100644", content)
                files[f"submissions/{path}"] = mode, text if mode == "160000" else os.fsencode(text)
            self.on(merge["day"], files)
        assert self.days == case["days"]
        assert self.turns == case.get("turns", self.turns)


def sent(name: str, content: bytes = b"rows\n") -> dict[str, bytes]:
    """Predictions, whatever they are: everything that is merged takes a turn."""
    return {f"submissions/{BOARD}/{name}/predictions.dev.tsv": content}


@pytest.fixture(scope="module")
def seeded(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> HiddenWorld:
    return hidden_world.make(seed, tmp_path_factory.mktemp("history"))


@pytest.fixture
def history(seeded: HiddenWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    return History(HiddenWorld.of(seeded.origin, tmp_path, made=seeded.made), monkeypatch)


@pytest.mark.parametrize("name", CASES["waits"])
def test_days_follow_from_merges_and_owners(name: str, history: History) -> None:
    history.check(CASES["waits"][name])


@pytest.mark.claim("Editing the owners of a team wins no turn on a hidden split.")
@pytest.mark.parametrize("name", CASES["taken out"])
def test_who_is_taken_out_of_a_team_still_shares_its_turns(name: str, history: History) -> None:
    history.check(CASES["taken out"][name])


@pytest.mark.claim("A withdrawn or removed file keeps its turn.")
@pytest.mark.parametrize("name", CASES["gone"])
def test_a_file_that_is_gone_keeps_its_turn(name: str, history: History) -> None:
    history.check(CASES["gone"][name])


def test_the_same_bytes_have_one_turn_and_others_at_their_path_another(history: History) -> None:
    history.on(0, owned("alice", ALICE) | sent("alice/a"))
    history.on(1, dict.fromkeys(sent("alice/a")))
    history.on(40, sent("alice/a"))
    assert history.days == {"alice/a": 0}, "a merge that was reverted and came again"
    history.on(41, sent("alice/a", b"other rows\n"))
    assert history.days == {"alice/a": 41}
    assert history.turns == ["alice/a", "alice/a"]


def test_turns_follow_the_merges_whatever_commits_say_of_themselves(history: History) -> None:
    world, start = history.world, history.world.tip
    history.on(5, owned("alice", ALICE) | sent("alice/a"))
    history.on(0)
    tip, branch = world.tip, world.commit(sent("alice/early"), start)
    history.on(6)
    tree = git(world.origin, "merge-tree", "--write-tree", tip, branch)
    merge = git(world.origin, "commit-tree", tree, "-p", tip, "-p", branch, stdin=b"Merge\n")
    git(world.origin, "update-ref", "refs/heads/main", merge)
    assert history.turns == ["alice/a", "alice/early"]
    assert history.days == {"alice/a": 5, "alice/early": 33}
