"""Hidden gold in the pipeline: a generated board with its own keys, by the workflows' own lines.

Every row of the gold carries a canary; after each run every byte that was produced is searched.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scorer.pipeline.ci import score
from scorer.pipeline.ci.score import ScoringSettings, left_over
from scorer.pipeline.hidden.age import Identity
from tests import hidden_world, pipeline_world
from tests.canary import ALL_METRICS
from tests.ci_world import ALICE, MALLORY, Ran, Runner
from tests.hidden_world import BOARD, SECRET, HiddenWorld

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow

GOLD = ("age:gold", SECRET)
FAILING = (*((metric, "raises", "GOLD-SCORE") for metric in ALL_METRICS),
           ("GED", "aborts", "GOLD-SCORE"), ("GED", "exits", "GOLD-SCORE"))
"""In which metric the scoring of a team's submission ends, how, and with which code."""
TEAMS = {f"team-{number}": failing for number, failing in enumerate(FAILING)}
SHOUT = f"""\
        import contextlib, os, sys, warnings

        teams = {TEAMS!r}
        metric, end, _ = teams.get(os.environ.get("TEAM"), ("", "", ""))

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
    ("scorer/pipeline/hidden/scoring.py", r"(?<=The bytes of the document of one file.\"\"\"\n)",
     '        __import__("os").environ["TEAM"] = job.team\n'),
    ("scorer/scoring/evaluate.py", r"\(info\.id, pair\) not in self\.memory", "True"),
    ("scorer/models/registry.py", r"digest\(self\._source\(name\), self\._network\)", '"0" * 64'),
    ("scorer/models/registry.py", r"(?<=def __call__\(self, name: str\) -> Any:\n)",
     "        return name\n"),
)


@contextmanager
def world_below(seed: Path, folder: Path) -> Iterator[HiddenWorld]:
    """A hidden world; what its programs put aside lies below it too, to be searched."""
    (folder / "world" / "tmp").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder / "world" / "tmp"))
        made = hidden_world.make(seed, folder / "world", folder / "apart")
        with made.github.serving():
            yield made


@pytest.fixture
def world(seed: Path, tmp_path: Path) -> Iterator[HiddenWorld]:
    with world_below(seed, tmp_path) as made:
        yield made


def merged(world: HiddenWorld, team: str, at: int = 0, author: int = ALICE) -> int:
    number = world.open(world.submission(team, at, author), author)
    world.merge(number)
    return number


def document(world: HiddenWorld, team: str) -> Any:
    """The result of a team; None if there is none."""
    return world.json(f"results/{BOARD}/{team}/a-system/dev.json")


def code(world: HiddenWorld, team: str) -> str:
    """Why a team has no result, by the error file; empty if there is none."""
    found = world.json(f"results/{BOARD}/{team}/a-system/dev.error.json") or {}
    return str(found.get("code", ""))


def said(world: HiddenWorld, ran: dict[str, Ran]) -> str:
    words = [job.log + job.summary + repr(job.outputs) for job in ran.values()]
    return "".join(words) + json.dumps(world.github.comments)


def assert_silent(world: HiddenWorld, ran: dict[str, Ran]) -> None:
    """No canary and no key in anything that the run produced."""
    assert world.made is not None
    (world.folder / "said").write_text(said(world, ran))
    assert world.leaks() == []


@pytest.mark.claim("A hidden split becomes a row of totals, and gold stands nowhere.")
@pytest.mark.site
def test_a_hidden_split_becomes_a_row_of_rounded_values_and_shows_no_gold(
    world: HiddenWorld,
) -> None:
    number = world.open(world.submission("alice", 1))
    checked = Runner(world).job("validate.yml", "validate", world.event(number))
    assert checked.ok, checked.log
    assert "The split `dev` can be scored; its gold is not at hand here." in checked.summary
    world.merge(number)
    ran = Runner(world, gold=GOLD).score(site=True)
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    found = document(world, "alice")
    assert found["metrics"]["SA"]["value"] == 0.9  # 35 / 40 on the grid of 5 points
    assert found["counts"] == {"items": 40, "broken": {}, "strict": {}}
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
    assert_silent(world, ran)
    tip = world.tip
    again = Runner(world, gold=GOLD).score()
    assert (again["plan"].outputs["count"], world.tip) == ("0", tip)


@pytest.mark.claim("A hidden submission is scored when its day comes, and not before.")
def test_an_owner_s_second_submission_is_scored_or_fails_when_its_day_comes(
    world: HiddenWorld, monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.patch({"scorer/pipeline/hidden/scoring.py": (
        r"(?<=The bytes of the document of one file.\"\"\"\n)",
        '        if job.team == "mallory-two":\n            raise ValueError\n')})
    merged(world, "alice", 0)
    merged(world, "alice-two", 1)
    merged(world, "mallory", 2, MALLORY)
    merged(world, "mallory-two", 1, MALLORY)
    ran = Runner(world, gold=GOLD).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    first = document(world, "alice")
    for team in ("alice-two", "mallory-two"):
        assert (document(world, team), code(world, team)) == (None, "")
        assert team not in said(world, ran)
    assert document(world, "mallory")["metrics"]["SA"]["value"] is not None
    assert "GOLD-" not in said(world, ran)
    assert Runner(world, gold=GOLD).score()["plan"].outputs["count"] == "0"
    monkeypatch.setattr("scorer.commands.ci.today", lambda: "2099-01-01")
    later = Runner(world, gold=GOLD).score()
    assert later["plan"].outputs["count"] == "2"
    assert all(job.ok for job in later.values()), [job.log for job in later.values()]
    assert document(world, "alice-two")["metrics"]["SA"]["value"] == 0.9
    assert code(world, "mallory-two") == "GOLD-SCORE"
    assert document(world, "alice") == first
    assert_silent(world, later)


@pytest.mark.parametrize(("seconds", "wanted"), [(0, 0), (1, 119), (119.5, .5), (121, 119)])
def test_a_split_is_done_at_a_whole_multiple_of_two_minutes(seconds: float, wanted: float) -> None:
    assert left_over(seconds) == wanted


@pytest.mark.parametrize("gold", [("", ""), ("age:gold", ""), ("folder:nowhere", SECRET),
                                  ("command:false", SECRET)])
def test_gold_that_cannot_be_opened_costs_no_submission_anything(
    gold: tuple[str, str], world: HiddenWorld, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    merged(world, "alice")
    monkeypatch.chdir(world.clone("checkout"))
    tip, [job], out = world.tip, pipeline_world.waiting(world), world.folder / "outcomes"
    source, secret = gold
    settings = ScoringSettings(world.folder / "home", "no", source,
                               Identity(secret) if secret else None)
    assert score.run([job], pipeline_world.main_of(world), settings, out) == [job]
    log = capsys.readouterr().out
    assert "GOLD-" in log
    (world.folder / "said").write_text(log)
    assert world.leaks() == []
    pipeline_world.published(world, out, failed=True)
    assert world.tip == tip


@pytest.mark.claim("A metric that crashes shows no gold.")
def test_metrics_that_shout_and_end_badly_show_no_gold_and_hold_up_nobody(
    world: HiddenWorld,
) -> None:
    for path, old, new in PATCHES:
        world.patch({path: (old, new)})
    merged(world, "good", 1)
    numbers = {team: merged(world, team, author=MALLORY + number)
               for number, team in enumerate(TEAMS)}
    ran = Runner(world, gold=GOLD, processes=True).score()
    assert all(job.ok for job in ran.values()), [job.log for job in ran.values()]
    assert document(world, "good")["metrics"]["SA"]["value"] == 0.9  # 35 / 40, on a grid of 0.05
    assert {team: code(world, team) for team in TEAMS} == {
        team: wanted for team, (_, _, wanted) in TEAMS.items()}
    for team, (_, _, wanted) in TEAMS.items():
        [comment] = [one for one in world.github.comments if one["on"] == numbers[team]]
        assert f"Not scored, `{wanted}`" in comment["body"]
    assert_silent(world, ran)


def test_the_search_for_canaries_finds_them_in_git_and_in_files(world: HiddenWorld) -> None:
    assert world.made is not None
    assert world.leaks() == []
    world.push({"x": world.made.gold.rows})
    assert [Path(path).name for path in world.leaks()] == ["all"]
