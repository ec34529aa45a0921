"""Self-service by pull request, and the ledger that tells of it: real git, the workflows' lines."""

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from scorer.ci import generated
from scorer.ci.git import Repository
from scorer.cli import main
from tests.ci_world import ALICE, BOARD, META, Runner, World, folder_of, git, good

pytestmark = pytest.mark.slow
DESCRIPTION = f"{folder_of('alice')}/submission.yaml"
FILE = f"ledger/{BOARD}.jsonl"


@pytest.fixture(scope="module")
def published(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Alice's system is on the board."""
    made = World.of(seed, tmp_path_factory.mktemp("published"))
    with made.github():
        made.merge(made.open(good("alice")))
        Runner(made).score()
    return made


@pytest.fixture
def world(published: World, tmp_path: Path) -> Iterator[World]:
    made = World.of(published.origin, tmp_path, pulls=dict(published.pulls))
    with made.github():
        yield made


def described(change: str, by: int = ALICE, *, to: str = META) -> tuple[dict[str, bytes], int]:
    return {DESCRIPTION: (to + change).encode()}, by


def events(world: World) -> list[tuple[str, str]]:
    """What the ledger says of alice, without what it says of scores."""
    return [(line["event"], line.get("reason", "")) for line in world.ledger()
            if line.get("team") == "alice" and line["event"] not in ("published", "rescored")]


def state_of_alice(world: World) -> str:
    place = world.clone("status")
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(["ci", "status", "--root", str(place)]) == 0
    [mine] = [row for row in json.loads(said.getvalue())["submissions"] if row["team"] == "alice"]
    return str(mine["state"])


@pytest.mark.claim("An owner withdraws a system, and takes that back, by a pull request "
                   "of one file.")
def test_the_owner_withdraws_and_comes_back_by_pull_requests_of_one_file(world: World) -> None:
    number = world.open(*described("withdrawn: The training data held the test items.\n"))
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    assert checked.ok, checked.log
    merged = world.merge(number)
    Runner(world).score()
    assert state_of_alice(world) == "withdrawn"
    assert events(world)[-1] == ("withdrawn", "The training data held the test items.")
    [line] = [line for line in world.ledger() if line["event"] == "withdrawn"]
    assert line["commit"] == merged
    assert json.loads(world.file(f"results/{BOARD}/alice/a-system/dev.json"))["team"] == "alice"
    world.merge(world.open(*described("")))
    Runner(world).score()
    assert state_of_alice(world) == "published"
    assert [event for event, _ in events(world)] == ["accepted", "accepted", "withdrawn",
                                                    "restored"]


def test_a_new_name_is_told_with_the_old_one(world: World) -> None:
    world.merge(world.open(*described("", to=META.replace("A system", "A better name"))))
    Runner(world).score()
    [line] = [line for line in world.ledger() if line["event"] == "relabelled"]
    assert (line["from"]["name"], line["name"]) == ("A system", "A better name")


def test_who_wants_to_be_anonymous_is_named_in_no_line(world: World) -> None:
    world.merge(world.open(*described("anonymous_until: 2030-01-01\n",
                                      to=META.replace("A team", "Secret team"))))
    Runner(world).score()
    assert b"Secret team" not in world.file(FILE)
    assert state_of_alice(world) == "published"


def test_a_decided_dispute_is_told_once(world: World) -> None:
    said = (b"schema: 1\nsplit: dev\nrow: 2\nfound: A concept could be shorter.\n"
            b"decision: declined\nreason: Taste is no error.\n")
    world.push({f"boards/{BOARD}/errata/0001-dev-2.yaml": said})
    for _ in range(2):
        Runner(world).score()
        [line] = [line for line in world.ledger() if line["event"] == "erratum"]
        assert (line["id"], line["split"], line["row"], line["decision"], line["reason"]) == (
            "0001-dev-2", "dev", 2, "declined", "Taste is no error.")


@pytest.mark.claim("An accepted erratum scores every row again, withdrawn ones too, and each has "
                   "its values under both golds.")
def test_an_accepted_erratum_scores_every_row_again_under_both_golds(world: World) -> None:
    """Row 2 of dev gets the other stance; alice has withdrawn her system."""
    path = f"results/{BOARD}/alice/a-system/dev.json"
    before = json.loads(world.file(path))
    board = world.file(f"boards/{BOARD}/board.yaml").decode()
    stance = world.file(f"boards/{BOARD}/data/dev.tsv").decode().splitlines()[1].split("\t")[2]
    other = "counter" if stance == "support" else "support"
    said = ("schema: 1\nsplit: dev\nrow: 2\nfound: It is the other stance.\n"
            "decision: accepted\nreason: Both adjudicators say so.\nsince: \"1.1\"\n"
            f"change: {{stance: {other}}}\n")
    new = world.push({
        DESCRIPTION: (META + "withdrawn: Broken.\n").encode(),
        f"boards/{BOARD}/errata/0001-dev-2.yaml": said.encode(),
        f"boards/{BOARD}/board.yaml": board.replace('version: "1.0"', 'version: "1.1"').encode()})
    ran = Runner(world).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    after = json.loads(world.file(path))
    assert after["board_version"] == "1.1"
    assert after["gold"]["id"] != before["gold"]["id"]
    assert after["errata"]["applied"] == ["0001-dev-2"]
    assert after["errata"]["without"]["SA"] == before["metrics"]["SA"]["value"]
    moved = abs(after["metrics"]["SA"]["value"] - before["metrics"]["SA"]["value"])
    assert moved == pytest.approx(1 / after["metrics"]["SA"]["n"])
    assert state_of_alice(world) == "withdrawn"
    [told] = [line for line in world.ledger() if line["event"] == "erratum"]
    assert (told["since"], told["commit"]) == ("1.1", new)


def test_running_again_tells_nothing_twice(world: World) -> None:
    world.merge(world.open(*described("withdrawn: Broken.\n")))
    Runner(world).score()
    tip = world.tip
    Runner(world).score()
    assert world.tip == tip


def checkout(world: World) -> Path:
    return world.clone("checkout")


def test_an_untouched_ledger_holds(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "verify", "--root", str(checkout(world))]) == 0
    assert capsys.readouterr().out.endswith("and all of it holds\n")


@pytest.mark.claim("Every edit of what the ledger told is found.")
@pytest.mark.parametrize(("path", "old", "new", "said"), [
    (FILE, '"event": "published"', '"event": "rejected", "rule": "X"', "an old line is gone"),
    (FILE, None, None, "an old line is gone"),
    (f"results/{BOARD}/alice/a-system/dev.json", '"key": "', '"key": "f', "not the result that"),
    (f"{folder_of('alice')}/predictions.dev.tsv", "support", "counter", "not the predictions"),
])
def test_every_edit_of_what_was_told_is_found(
    world: World, capsys: pytest.CaptureFixture[str], path: str, old: str | None, new: str | None,
    said: str,
) -> None:
    place = checkout(world)
    text = (place / path).read_text("utf-8")
    (place / path).write_text("" if old is None else text.replace(old, str(new), 1), "utf-8")
    before = git(place, "rev-parse", "HEAD")
    git(place, "commit", "--quiet", "--all", "--message=Edit")
    assert main(["ledger", "verify", "--root", str(place)]) == 3
    assert said in capsys.readouterr().out
    if path == FILE:
        [problem] = generated.moved(Repository(place), before, "HEAD")
        assert (problem.path, problem.rule) == (FILE, "LEDGER-REWRITTEN")


def test_the_board_can_be_seen_as_of_any_commit(
    world: World, capsys: pytest.CaptureFixture[str],
) -> None:
    place = checkout(world)

    def teams(at: str) -> list[str]:
        assert main(["ledger", "board", "--root", str(place), "--board", BOARD, "--split", "dev",
                     "--at", at]) == 0
        return [line.split("/")[0] for line in capsys.readouterr().out.splitlines()[1:]]

    assert "alice" in teams("HEAD")
    first = git(place, "rev-list", "--max-parents=0", "HEAD")
    assert "alice" not in teams(first)
    assert "reference" in teams(first)


@pytest.mark.claim("A new scorer version keeps the old values beside the new ones.")
def test_a_new_scorer_version_keeps_the_old_values_and_says_so(world: World) -> None:
    """The version that the runner's checkout carries is raised, as a release would."""
    place = world.clone("release")
    version = place / "scorer" / "_version.py"
    version.write_text(version.read_text().replace("0.2.0", "0.3.0"))
    git(place, "commit", "--quiet", "--all", "--message=Release")
    git(place, "push", "--quiet", "origin", "HEAD:main")
    before = json.loads(world.file(f"results/{BOARD}/alice/a-system/dev.json"))
    ran = Runner(world).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    [line] = world.file(f"results/{BOARD}/alice/a-system/dev.past.jsonl").decode().splitlines()
    past = json.loads(line)
    assert past["made_by"]["scorer"] == "0.2.0"
    assert past["values"]["GED"] == before["metrics"]["GED"]["value"]
    assert [line["event"] for line in world.outcomes() if line["team"] == "alice"] == [
        "published", "rescored"]
