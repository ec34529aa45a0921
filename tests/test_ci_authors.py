"""What was merged although a check was red: who wrote it decides, and what was accepted before."""

import json
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scorer.ci import audit, plan, publish
from scorer.ci.errors import TryAgain
from scorer.ci.git import Repository
from scorer.ci.github import GitHub
from scorer.ci.ledger_checks import altered
from scorer.ci.main_branch import Main
from scorer.ci.plan import CiPlan
from scorer.ci.states import disowned_json
from scorer.errors import DataError
from scorer.files import sha256
from tests.ci_world import (
    ALICE,
    BOARD,
    GOLD,
    MALLORY,
    META,
    ROOT,
    World,
    folder_of,
    git,
    good,
    mine,
)

pytestmark = pytest.mark.slow
PREDICTIONS = f"{folder_of('alice')}/predictions.dev.tsv"
DESCRIPTION = f"{folder_of('alice')}/submission.yaml"
OTHER = {PREDICTIONS: mine("alice", "other")}
WITHDRAWN = {DESCRIPTION: (META + "withdrawn: Because I say so.\n").encode()}
CAROL = 1003


@pytest.fixture
def world(seed: Path, tmp_path: Path) -> Iterator[World]:
    """Alice's system is merged, by her pull request."""
    made = World.of(seed, tmp_path)
    with made.github():
        made.merge(made.open(good("alice")))
        yield made


def main_of(world: World) -> Main:
    return Main.read(Repository(world.origin), world.tip, ROOT / "boards")


def planned(world: World, *, asked: bool = True) -> CiPlan:
    """The plan of the branch as it is."""
    github = GitHub(world.api, "o/r", "t", pause=0.01) if asked else None
    return plan.make(main_of(world), world.folder / "home", github=github)


def told(world: World) -> CiPlan:
    """Plan and publish; nothing is handed over, so the ledger alone grows."""
    made = planned(world)
    place = world.repository()
    publish.publish(place, made, world.folder / "nothing", ROOT / "boards", pause=0)
    return made


def forced(world: World, files: Mapping[str, Any], author: int, **more: Any) -> str:
    """Merge a pull request whose check nobody looked at."""
    number = world.open(files, author)
    world.pulls[number] |= more
    return world.merge(number)


def teams(made: CiPlan) -> tuple[list[str], list[tuple[str, str]]]:
    """Whose submissions are scored, and whose are rejected by which rule."""
    return [job.team for job in made.jobs], [(job.team, rule) for job, rule in made.rejected]


def events(world: World) -> list[str]:
    return [line["event"] for line in world.ledger() if line.get("team") == "alice"]


def test_what_its_owner_brought_is_scored_and_accepted(world: World) -> None:
    assert teams(told(world)) == (["alice"], [])
    assert events(world) == ["accepted", "accepted"]
    assert list(altered(main_of(world))) == []


@pytest.mark.claim("A red pull request that is merged all the same changes nobody's row.")
def test_predictions_that_a_stranger_put_in_the_place_of_others_are_never_scored(
    world: World,
) -> None:
    forced(world, OTHER, MALLORY)  # before anything of the team was published
    assert teams(told(world)) == ([], [("alice", "PR-OWNER")])
    assert events(world) == ["accepted", "rejected"]  # the description, and these predictions
    forced(world, {PREDICTIONS: mine("alice")}, ALICE)
    assert teams(told(world)) == (["alice"], [])
    forced(world, {PREDICTIONS: mine("alice", "third")}, MALLORY)  # and after
    assert teams(planned(world)) == ([], [("alice", "PR-OWNER")])


def test_accepted_predictions_cannot_be_changed_by_their_owner_either(world: World) -> None:
    told(world)
    for number in range(3):
        forced(world, {PREDICTIONS: mine("alice", f"other-{number}")}, ALICE)
        assert teams(told(world)) == ([], [("alice", "PR-IMMUTABLE")])
    assert teams(planned(world, asked=False)) == ([], [])  # final for these bytes
    [finding] = altered(main_of(world))
    assert finding.startswith(f"{PREDICTIONS}: not the predictions that were accepted, changed in")
    forced(world, {PREDICTIONS: mine("alice")}, ALICE)
    assert teams(planned(world)) == (["alice"], [])


def test_without_github_accepted_predictions_stay_as_they_were_too(world: World) -> None:
    told(world)
    forced(world, OTHER, ALICE)
    assert teams(planned(world, asked=False)) == ([], [("alice", "PR-IMMUTABLE")])


def test_a_file_that_was_rejected_for_its_faults_may_be_replaced_by_its_owner(world: World) -> None:
    forced(world, {PREDICTIONS: b"maybe\t(a; b; c)\n" * 40}, ALICE)
    assert teams(told(world)) == ([], [("alice", "TSV-LABEL")])
    assert events(world) == ["accepted", "rejected"]  # the description alone is accepted
    assert teams(planned(world)) == ([], [])  # final for these bytes
    forced(world, {PREDICTIONS: mine("alice")}, ALICE)
    assert teams(planned(world)) == (["alice"], [])


def test_maintainers_replace_predictions_and_the_ledger_says_so(world: World) -> None:
    told(world)
    commit = forced(world, OTHER, CAROL, trusted=True)
    assert teams(told(world)) == (["alice"], [])
    [line] = [line for line in world.ledger() if line["event"] == "replaced"]
    assert (line["team"], line["split"], line["commit"]) == ("alice", "dev", commit)
    assert list(altered(main_of(world))) == []


def test_a_removed_path_that_a_stranger_brings_again_is_not_the_first_owner_s_row(
    world: World,
) -> None:
    forced(world, dict.fromkeys(good("alice")), CAROL, trusted=True)
    forced(world, {**good("alice"), **OTHER}, MALLORY)
    assert teams(told(world)) == ([], [("alice", "PR-OWNER")])


def test_a_pull_request_that_was_merged_by_rebasing_has_an_author_too(world: World) -> None:
    head = world.commit(OTHER)
    world.push({"docs/x.md": b"x"}, head)
    world.pulls[99] = {"number": 99, "author": MALLORY, "merged": world.tip, "rebased": [head]}
    assert teams(planned(world)) == ([], [("alice", "PR-OWNER")])


@pytest.mark.claim("Nobody but its owner withdraws a system or names it anew.")
def test_a_description_by_a_stranger_has_no_effect(world: World) -> None:
    told(world)
    commit = forced(world, WITHDRAWN, MALLORY)
    assert teams(told(world)) == (["alice"], [])  # still waits to be scored: it is not withdrawn
    [line] = [line for line in world.ledger() if line["event"] == "disowned"]
    assert (line["team"], line["commit"]) == ("alice", commit)
    main = main_of(world)
    assert main.withdrawn == {}
    [finding] = altered(main)
    assert finding == (f"{DESCRIPTION}: written by another account than its team's in commit "
                       f"{commit[:12]}; restore it by a branch with the label maintenance")
    assert finding in list(audit.findings(main))
    assert list(disowned_json(main)) == [f"{BOARD}/alice/a-system"]


def test_a_stranger_does_not_take_a_withdrawal_back_either(world: World) -> None:
    told(world)
    forced(world, WITHDRAWN, ALICE)
    assert teams(told(world)) == ([], [])
    forced(world, {DESCRIPTION: META.encode()}, MALLORY)
    assert teams(told(world)) == ([], [])
    assert list(main_of(world).withdrawn.values()) == ["Because I say so."]
    forced(world, {DESCRIPTION: (META + "seeds: 3\n").encode()}, ALICE)
    assert teams(told(world)) == (["alice"], [])
    assert events(world)[-2:] == ["disowned", "restored"]


def test_while_github_is_silent_nothing_is_believed_and_nothing_lost(world: World) -> None:
    told(world)
    forced(world, WITHDRAWN, MALLORY)
    world.failures += [503] * 100
    assert teams(told(world)) == (["alice"], [])
    assert main_of(world).withdrawn == {}
    world.failures.clear()
    told(world)
    assert events(world)[-1] == "disowned"


def test_a_team_that_maintainers_began_is_closed_to_everybody_else(world: World) -> None:
    world.push(good("lab"))
    forced(world, good("lab", "second"), MALLORY)
    forced(world, {f"{folder_of('lab')}/submission.yaml":
                   (META + "withdrawn: Ha.\n").encode()}, MALLORY)
    forced(world, good("lab", "third"), CAROL, trusted=True)
    jobs, rejected = teams(told(world))
    assert (sorted(jobs), rejected) == (["alice", "lab", "lab"], [("lab", "PR-OWNER")])
    assert main_of(world).withdrawn == {}


def test_reserved_teams_are_closed_as_well(world: World) -> None:
    forced(world, good("human"), MALLORY)
    assert ("human", "PR-OWNER") in teams(planned(world))[1]


@pytest.mark.parametrize("team", ["Team_X", "x" * 41, "t\xe9am", "a\nb"])
def test_a_folder_that_is_no_slug_stops_nobody_and_is_named(team: str, world: World) -> None:
    forced(world, good(team), MALLORY)
    made = planned(world)
    assert plan.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert teams(made) == (["alice"], [])
    told(world)
    assert len([one for one in altered(main_of(world))
                if one.endswith(": no file of a submission; remove it")]) == 2
    forced(world, dict.fromkeys(good(team)), CAROL, trusted=True)
    again = planned(world)
    assert plan.from_json(json.loads(json.dumps(again.to_json()))) == again
    told(world)
    assert list(altered(main_of(world))) == []


@pytest.mark.parametrize("files", [
    {DESCRIPTION: b"[not: yaml"}, {DESCRIPTION: None}, {DESCRIPTION: b"\0" * 70_000},
    {f"{folder_of('alice')}/notes.txt": b"x"},
])
def test_what_a_stranger_puts_beside_predictions_rejects_them_for_no_longer_than_it_is_there(
    files: dict[str, Any], world: World,
) -> None:
    forced(world, files, MALLORY)
    told(world)
    forced(world, {DESCRIPTION: META.encode(), **{path: None for path in files
                                                  if path != DESCRIPTION}}, CAROL, trusted=True)
    assert teams(planned(world)) == (["alice"], [])


def test_bytes_that_a_stranger_brought_first_are_not_their_owner_s_fault(world: World) -> None:
    second = {f"{folder_of('alice')}/predictions.test.tsv":
              GOLD.with_name("predictions.test.tsv").read_bytes().replace(b"(", b"(my ", 1)}
    forced(world, second, MALLORY)
    assert teams(told(world)) == (["alice"], [("alice", "PR-OWNER")])
    forced(world, dict.fromkeys(second), CAROL, trusted=True)
    forced(world, second, ALICE)
    assert teams(planned(world)) == (["alice", "alice"], [])


def test_an_owner_may_write_what_a_stranger_wrote(world: World) -> None:
    told(world)
    for files, author, trusted in ((WITHDRAWN, ALICE, False),
                                   ({DESCRIPTION: META.encode()}, MALLORY, False),
                                   (WITHDRAWN, CAROL, True),
                                   ({DESCRIPTION: META.encode()}, ALICE, False)):
        forced(world, files, author, trusted=trusted)
        told(world)
    assert main_of(world).withdrawn == {}
    assert list(altered(main_of(world))) == []


def test_an_audit_names_what_was_replaced_before_the_ledger_spoke_of_it(world: World) -> None:
    commit = forced(world, OTHER, MALLORY)
    told(world)
    [finding] = altered(main_of(world))
    assert finding.startswith(f"{PREDICTIONS}: changed in commit {commit[:12]}, which the ledger")


FORGED: dict[str, dict[str, Any]] = {
    "predictions that maintainers are said to have replaced": {
        "event": "replaced", "split": "dev", "predictions": sha256(OTHER[PREDICTIONS])},
    "a withdrawal": {"event": "withdrawn", "reason": "Ha.", "name": "A system", "by": "A team"},
}


@pytest.mark.claim("A red pull request that changes the ledger or a result stops the pipeline "
                   "until it is undone.")
@pytest.mark.parametrize("name", [*FORGED, "an owner", "a result"])
def test_nothing_is_planned_while_a_stranger_s_line_stands_in_the_ledger(
    name: str, world: World,
) -> None:
    told(world)
    path = f"ledger/{BOARD}.jsonl" if name in FORGED else "ledger/owners.jsonl"
    line = {"schema": 1, "team": "alice", "id": MALLORY}
    if name in FORGED:
        line = {"schema": 1, "board": BOARD, "team": "alice", "system": "a-system",
                "commit": world.tip, **FORGED[name]}
    before = world.file(path) if path in git(world.origin, "ls-tree", "-r", "--name-only",
                                             "main").split() else None
    files = {path: (before or b"") + json.dumps(line).encode() + b"\n"}
    if name == "a result":
        path, before = f"results/{BOARD}/alice/a-system/dev.json", None
        files = {path: b"{}"}
    commit = forced(world, {**files, **OTHER}, MALLORY)
    with pytest.raises(DataError, match=rf"{path}: changed by pull request \d+ in commit "
                                        rf"{commit[:12]}, and only the pipeline may"):
        planned(world)
    forced(world, {path: before, PREDICTIONS: mine("alice")}, CAROL, trusted=True)
    assert teams(planned(world)) == (["alice"], [])


def test_a_ledger_that_changed_after_the_plan_is_planned_again(world: World) -> None:
    made = planned(world)
    line = b'{"schema": 1, "team": "alice", "id": 6666}\n'
    forced(world, {"ledger/owners.jsonl": line}, MALLORY)
    with pytest.raises(TryAgain, match="the next run plans again"):
        publish.publish(world.repository(), made, world.folder / "nothing",
                        ROOT / "boards", pause=0)


def test_of_two_pull_requests_that_became_one_commit_the_first_counts(world: World) -> None:
    """GitHub calls a pull request merged, too, that somebody opened with the same commits."""
    number = world.open(good("bob"), CAROL)
    copy = world.open({}, MALLORY, head=world.pulls[number]["head"])
    world.pulls = {copy: world.pulls[copy], number: world.pulls[number]}
    world.pulls[copy]["merged"] = world.merge(number)
    assert planned(world).owners["bob"] == CAROL


def test_an_audit_names_what_vanished_unless_maintainers_removed_it(world: World) -> None:
    commit = forced(world, dict.fromkeys(good("alice")), MALLORY)
    told(world)
    assert list(altered(main_of(world))) == [
        f"{path}: removed in commit {commit[:12]}, which the ledger does not record; restore it by "
        "a branch with the label maintenance" for path in sorted(good("alice"))]
    forced(world, good("alice"), CAROL, trusted=True)
    assert list(altered(main_of(world))) != []  # until the next run knows who that was
    told(world)
    assert list(altered(main_of(world))) == []
    forced(world, dict.fromkeys(good("alice")), CAROL, trusted=True)
    told(world)
    assert events(world)[-2:] == ["removed", "removed"]
    assert list(altered(main_of(world))) == []


@pytest.mark.parametrize("line", [
    b"\xff\xfe", b"[" * 100_000, b"[1]", b'{"schema": 1, "event": ["accepted"]}',
    b'{"schema": 1, "event": "accepted"}', b'{"schema": 1, "event": "rejected", "board": "x"}',
    b'{"schema": 1, "event": "published", "board": "x", "team": "y", "system": "z", "split": 1, '
    b'"key": "k", "result": "r"}',
    b"1" * 5000,
])
def test_a_line_that_is_none_of_the_ledger_s_is_named(line: bytes, world: World) -> None:
    good_line = b'{"schema": 1, "event": "accepted", "board": "x", "team": "y", "system": "z"}\n'
    files = {f"ledger/{BOARD}.jsonl": good_line + line + b"\n"}
    world.push(files)
    with pytest.raises(DataError, match=rf"ledger/{BOARD}\.jsonl:2: (no line|of another schema)"):
        main_of(world)


@pytest.mark.parametrize("line", [b'{"schema": 1, "team": "x"}', b'{"schema": 1, "team": "x", '
                                  b'"id": true}', b'{"schema": 1, "team": ["x"], "id": 1}'])
def test_a_line_about_an_owner_that_says_none_is_named(line: bytes, world: World) -> None:
    world.push({"ledger/owners.jsonl": line + b"\n"})
    with pytest.raises(DataError, match=r"ledger/owners\.jsonl:1: "):
        main_of(world)


def test_a_team_is_given_away_by_one_more_line(world: World) -> None:
    lines = b"".join(json.dumps({"schema": 1, "team": "alice", "id": account}).encode() + b"\n"
                     for account in (ALICE, CAROL))
    world.push({"ledger/owners.jsonl": lines})
    forced(world, good("alice", "second"), CAROL)
    assert teams(planned(world)) == (["alice"], [("alice", "PR-OWNER")])


def test_a_plan_holds_one_file_of_predictions_at_a_time(world: World) -> None:
    """Forty files of 4 MB are read; the most that is held is little more than one."""
    size = 4_000_000
    files = {f"{folder_of(f'team-{number}')}/predictions.dev.tsv": b"%d" % number * size
             for number in range(10)}
    world.push(files)
    main = main_of(world)
    tracemalloc.start()
    found = main.jobs()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) > 10
    assert most < size
