"""The one comment on a pull request: what it says, that it is one, and that none waits for it."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.core.files import json_bytes
from scorer.pipeline.ci.comments import MARK, comment, numbers, post, why
from scorer.pipeline.ci.main_branch import ERROR, ITEMS, CiJob, Main, State
from scorer.pipeline.ci.runner import CODES
from scorer.scoring.results import files as results
from scorer.scoring.results.leaderboard import read as read_leaderboard
from tests.ci_world import BOARD, GOLD, ROOT, World, good
from tests.pipeline_world import DAY, main_of, published, scored

pytestmark = pytest.mark.slow
SCORED = f"results/{BOARD}/reference/edited-gold/dev"


@pytest.fixture
def world(seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World.of(seed, tmp_path)
    monkeypatch.setenv("PATH", f"{made.github.folder}:{os.environ['PATH']}")
    return made


def two_decided(world: World) -> tuple[Main, list[CiJob]]:
    """A branch with a row that the first pull request brought, and a failure of the second's."""
    for team in ("alice", "bob"):
        world.merge(world.open(good(team, rows=GOLD.read_bytes())))
    document = {**json.loads(world.file(f"{SCORED}.json")), "team": "alice", "system": "a-system"}
    jobs = [job for job in main_of(world).jobs if job.team in ("alice", "bob")]
    world.push({jobs[0].result(): json_bytes(document),
                jobs[0].result(ITEMS): world.file(f"{SCORED}.items.tsv"),
                jobs[1].result(ERROR): json_bytes(jobs[1].unscored().to_json())})
    return main_of(world), jobs


def test_every_pull_request_of_a_run_gets_one_comment_that_a_second_run_repeats(
    world: World,
) -> None:
    main, jobs = two_decided(world)
    for _ in range(2):
        comment(main, jobs, DAY, "o/r", "https://board.example.org")
    [row], [lost] = world.github.on(1), world.github.on(2)
    assert "| GED (lower is better) | 0." in row
    assert f"https://board.example.org/boards/{BOARD}/dev/ (shown after" in row
    assert "The scoring machine failed; the next run tries again." in lost


def test_a_commit_of_no_pull_request_gets_no_comment(world: World) -> None:
    world.push(good("alice", rows=GOLD.read_bytes().replace(b"support", b"great", 1)))
    published(world, scored(world))
    main = main_of(world)
    comment(main, main.jobs, DAY, "o/r", "")
    assert world.github.comments == []


@pytest.mark.parametrize("message", [
    "Merge pull request #2 from mallory/x(#1)\n\nMend x (#1)\n", "Mend x\nMend y (#1)\n",
    "(#1)\n", "Mend x (#0)\n"], ids=range(4))
def test_what_a_stranger_writes_names_no_pull_request(message: str, world: World) -> None:
    world.merge(world.open(good("alice", rows=GOLD.read_bytes())), message)
    published(world, scored(world))
    main = main_of(world)
    comment(main, main.jobs, DAY, "o/r", "")
    assert world.github.comments == []


def test_a_document_that_somebody_spoilt_by_hand_stops_no_other_comment(
    world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    _, jobs = two_decided(world)
    world.push({f"results/{BOARD}/leaderboard.dev.json": b"{}"})
    comment(main_of(world), jobs, DAY, "o/r", "")
    assert [number for number in world.github.pulls if world.github.on(number)] == [2]
    assert f"{jobs[0]}: no comment; " in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["<html>", "403", "late"])
def test_what_github_cannot_say_of_one_pull_request_is_that_one_s_trouble(
    answer: str, world: World, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main, jobs = two_decided(world)
    monkeypatch.setattr("scorer.pipeline.ci.comments.ANSWER_WITHIN", 3.0)
    world.github.fail(answer)
    comment(main, jobs, DAY, "o/r", "")
    assert [number for number in world.github.pulls if world.github.on(number)] == [2]
    assert "no comment; GitHub" in capsys.readouterr().out


def test_our_comment_is_edited_and_nobody_else_s_is_touched_however_many_there_are(
    world: World,
) -> None:
    world.github.say(7, f"{MARK}\nmine", *["Me too."] * 150)
    assert [post("o/r", 7, body) for body in ("one", "one", "two")] == ["posted", "same", "edited"]
    assert world.github.on(7) == [f"{MARK}\ntwo"]
    assert world.github.comments[0]["body"] == f"{MARK}\nmine"


JOB = CiJob("explagraphs", "third-party", "t5", "dev", "a" * 64, "b" * 64, "c" * 40, "")


def test_a_comment_holds_numbers_codes_and_slugs() -> None:
    states = [State(JOB, "rejected", "TSV-LABEL", 1), State(JOB, "queued", "", 1),
              *(State(JOB, "error", code, 1) for code in CODES)]
    body = "\n".join(map(why, states))
    assert "@" not in body
    assert "Rejected by `TSV-LABEL`: A label is not one of the board's labels." in body
    assert all(code in body for code in CODES)


def test_a_comment_says_ranks_p_against_the_leader_and_where_both_stand_side_by_side() -> None:
    known = read_leaderboard(ROOT / "results/explagraphs/leaderboard.dev.json")
    result = results.read(ROOT / "results/explagraphs/third-party/t5/dev.json")
    rows = {one.key: one for one in known.rows}
    first, own = next(one for one in known.rows if one.rank), rows["third-party/t5"]
    ranked = sum(one.rank is not None for one in known.rows)
    body = "\n".join(numbers(JOB, result, known, "https://example.org/w/"))
    assert own.rank
    assert (f"**Rank {own.rank[0]} to {own.rank[1]}** of {ranked} by StCA. It does not beat its "
            f"null. Against the leader, `{first.key}`: p < .001 by Holm. Side by side: "
            f"https://example.org/w/boards/explagraphs/dev/compare/?a=third-party/t5&b={first.key}"
            "\n\n| metric") in body
    assert "| StCA (higher is better) | 46.5 | " in body
    team, system = first.key.split("/")
    leader = replace(JOB, team=team, system=system)
    assert "Against the second, " in "".join(numbers(leader, result, known, ""))
