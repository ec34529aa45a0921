"""Hidden gold in the pipeline: a generated board with its own keys, by the workflows' own lines.

Every row of the gold carries a canary; after each run every byte that was produced is searched.
"""

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scorer.pipeline.ci.score import left_over
from tests import hidden_world
from tests.ci_world import ALICE, MALLORY, Ran, Runner, killed
from tests.hidden_world import BOARD, GOLD, HiddenWorld

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow

TEAMS = {"plain": ("SA", "raises"), "judged": ("SeCA", "raises"), "aborting": ("GED", "aborts"),
         "leaving": ("GED", "exits")}
"""In which metric the scoring of a team's submission ends, and how."""
SHOUT = f"""\
        import contextlib, os, sys, warnings

        teams = {TEAMS!r}
        metric, end = teams.get(os.environ.get("TEAM"), ("", ""))

        def shout(asked: object, **given: object) -> None:
            text = repr(asked)
            print(text, flush=True)
            print(text, file=sys.stderr, flush=True)
            os.write(1, text.encode())
            os.write(2, text.encode())
            with contextlib.suppress(UserWarning):
                warnings.warn(text, stacklevel=1)
            if end == "aborts":
                os.abort()
            if end == "exits":
                sys.exit(text)
            raise ValueError(text)

        def stand_in(asked: Any, **given: object) -> Any:
            return [ItemScore(0.5, dict.fromkeys(self.parts, 0.5)) for _ in asked]

        if self.id == metric:
            shout(items, **options)
        named = any(isinstance(model, str) for model in options.values())
        function = stand_in if self.model and named else self.function
        return list(function(items, **options))
"""
"""What metrics become: for some teams one of them says all it was given in every way there is, then
ends badly. Those that need a model do without."""
PATCHES = (
    ("scorer/metrics/base.py", r"        return list\(self\.function\(items, \*\*options\)\)\n",
     SHOUT),
    ("scorer/pipeline/hidden/scoring.py", r"(?<=What may be published of one file.\"\"\"\n)",
     '        __import__("os").environ["TEAM"] = job.team\n'),
    ("scorer/scoring/evaluate.py", r"\(info\.id, pair\) not in self\.memory", "True"),
    ("scorer/models/registry.py", r"digest\(self\._source\(name\), self\._network\)", '"0" * 64'),
    ("scorer/models/registry.py", r"(?<=def __call__\(self, name: str\) -> Any:\n)",
     "        return name\n"),
)


def merged(world: HiddenWorld, team: str, at: int = 0, author: int = ALICE) -> int:
    number = world.open(world.submission(team, at, author), author)
    world.merge(number)
    return number


def document(world: HiddenWorld, team: str) -> Any:
    """The result of a team; None if there is none."""
    return world.json(f"results/{BOARD}/{team}/a-system/dev.json")


def code(world: HiddenWorld, team: str) -> str:
    """Why a team has no result, by the error file; empty if there is none."""
    error = world.json(f"results/{BOARD}/{team}/a-system/dev.error.json") or {}
    return str(error.get("code", ""))


def scored(world: HiddenWorld, *, site: bool = False, processes: bool = False) -> dict[str, Ran]:
    """A run in which every job ends well, and which shows no canary and no key."""
    ran = Runner(world, gold=GOLD, processes=processes).score(site=site)
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    (world.folder / "printed").write_text(printed(world, ran))
    assert world.leaks() == []
    return ran


def printed(world: HiddenWorld, ran: dict[str, Ran]) -> str:
    words = [job.log + job.summary + repr(job.outputs) for job in ran.values()]
    return "".join(words) + json.dumps(world.github.comments)


class Published(NamedTuple):
    """A submission whose pull request was checked, merged, scored and published."""

    world: HiddenWorld
    before: Path
    """The repository when it was merged."""
    checked: Ran
    ran: dict[str, Ran]


@pytest.fixture(scope="module")
def published(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Published:
    world = hidden_world.make(seed, tmp_path_factory.mktemp("hidden"))
    number = world.open(world.submission("alice", 1))
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    world.merge(number)
    before = Path(shutil.copytree(world.origin, world.folder / "before.git"))
    return Published(world, before, checked, scored(world, site=True))


def another(published: Published, folder: Path, origin: Path) -> HiddenWorld:
    """The same board, from a repository as it was."""
    first = published.world
    world = HiddenWorld.of(origin, folder, made=first.made, program=first.program)
    world.github.pulls = dict(first.github.pulls)
    return world


@pytest.fixture
def world(published: Published, tmp_path: Path) -> HiddenWorld:
    """A repository to which the first submission is merged, and not scored."""
    return another(published, tmp_path, published.before)


@pytest.mark.claim("A hidden split becomes a row of totals, and gold stands nowhere.")
@pytest.mark.site
def test_a_hidden_split_becomes_a_row_of_rounded_values_and_shows_no_gold(
    published: Published,
) -> None:
    world, _, checked, _ = published
    assert checked.ok, checked.log
    assert "The split `dev` can be scored; its gold is not at hand here." in checked.summary
    assert document(world, "alice")["metrics"]["SA"]["value"] == 0.9  # 35 / 40, by 5 points
    assert [path for path in world.paths() if path.startswith(f"results/{BOARD}/alice")] == [
        f"results/{BOARD}/alice/a-system/dev.json"]
    [row] = world.json(f"results/{BOARD}/leaderboard.dev.json")["rows"]
    assert {name: value["v"] for name, value in row["values"].items()
            if value["v"] is not None} == {"SA": 0.9}
    [comment] = world.github.comments
    assert "| SA (higher is better) | 90.0 |" in comment["body"]
    site = world.folder / "runner-site.yml-build" / "work" / "_site"
    assert (site / f"boards/{BOARD}/systems/alice--a-system/index.html").is_file()
    assert not list(site.rglob("*.age"))
    tip = world.tip
    assert (scored(world)["plan"].outputs["count"], world.tip) == ("0", tip)


@pytest.mark.claim("A hidden submission is scored when its day comes, and not before.")
def test_an_owner_s_second_submission_is_scored_or_fails_when_its_day_comes(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = another(published, tmp_path, published.world.origin)
    world.patch({"scorer/pipeline/hidden/scoring.py": (
        r"(?<=What may be published of one file.\"\"\"\n)",
        '        if job.team == "failing":\n            raise ValueError\n')})
    first = document(world, "alice")
    merged(world, "second", 1)
    merged(world, "failing", 2)
    early = scored(world)
    assert early["plan"].outputs["count"] == "0"
    for team in ("second", "failing"):
        assert (document(world, team), code(world, team)) == (None, "")
        assert team not in printed(world, early)
    monkeypatch.setattr("scorer.commands.ci.today", lambda: "2099-01-01")
    assert scored(world)["plan"].outputs["count"] == "2"
    assert document(world, "second")["metrics"]["SA"]["value"] == 0.9
    assert code(world, "failing") == "GOLD-SCORE"
    assert document(world, "alice") == first


@pytest.mark.parametrize(("seconds", "wanted"), [(0, 0), (1, 119), (119.5, .5), (121, 119)])
def test_a_split_is_done_at_a_whole_multiple_of_two_minutes(seconds: float, wanted: float) -> None:
    assert left_over(seconds) == wanted


@pytest.mark.claim("A metric that crashes shows no gold.")
def test_metrics_that_shout_and_end_badly_show_no_gold_and_hold_up_nobody(
    world: HiddenWorld,
) -> None:
    for path, old, new in PATCHES:
        world.patch({path: (old, new)})
    numbers = {team: merged(world, team, author=MALLORY + number)
               for number, team in enumerate(TEAMS)}
    scored(world, processes=True)
    assert document(world, "alice")["metrics"]["SA"]["value"] == 0.9
    for team, number in numbers.items():
        assert code(world, team) == "GOLD-SCORE"
        assert "Not scored, `GOLD-SCORE`" in world.github.on(number)[0]


def test_a_batch_killed_anywhere_ends_in_the_same_tree_after_the_next_run(
    published: Published, world: HiddenWorld,
) -> None:
    tip, run = world.tip, Runner(world, gold=GOLD, needs={"plan": published.ran["plan"]})
    for moment in (11, 14):  # while gold is open, and before the outcome gets its name
        assert killed(run, "score", moment)
        assert world.tip == tip
        assert world.leaks() == []
    scored(world)
    assert world.tree() == published.world.tree()


def test_the_search_for_canaries_finds_them_in_git(world: HiddenWorld) -> None:
    assert world.made is not None
    assert world.leaks() == []
    world.push({"x": world.made.gold.rows})
    assert [Path(path).name for path in world.leaks()] == ["objects-0"]
