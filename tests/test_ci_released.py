"""A machine that lies about a hidden split: only the released form, on its day, is taken."""

import json
import math
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from scorer import board as boards
from scorer.board.policy import Policy
from scorer.ci import artifact, hidden, history, plan, publish, released, score
from scorer.ci.git import Repository
from scorer.ci.main_branch import Main
from scorer.ci.released import Expected
from scorer.files import json_bytes
from scorer.hidden.age import Identity, seal
from scorer.hidden.exact import NOT_OF_ITEMS, unmeasured
from scorer.hidden.release.decisions import NEAR, NOT_BETTER, Decision
from scorer.models.encoders import KNOWN as ENCODERS
from scorer.models.machine import MACHINES, Machine
from scorer.models.registry import KNOWN
from scorer.results import files as results
from scorer.results import past
from scorer.scoring.evaluate import key
from tests import hidden_world
from tests.ci_world import ALICE
from tests.hidden_world import BOARD, SECRET, HiddenWorld
from tests.test_ci_publish import at

pytest.importorskip("pyrage")
pytestmark = pytest.mark.slow
DAY = "2099-01-01"
ROBERTA = ENCODERS["roberta-large"]
BOARD_OF_TEXTS = boards.load(boards.boards_folder() / "anlg-practice")


Falsify = Callable[[dict[str, Any]], object]


class Scored:
    """Two merged submissions of one owner, and what an honest machine hands over for them."""

    def __init__(self, seed: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.world: HiddenWorld = hidden_world.make(seed, folder / "w", folder / "apart")
        for number, team in enumerate(("alice", "alice-two")):
            self.world.push(self.world.submission(team, number))
        place = self.place = self.world.clone("checkout")
        monkeypatch.chdir(place)
        self.main = Main.read(Repository(place), self.world.tip, place / "boards")
        self.home = folder / "home"
        today = self.main.jobs()[-1].date[:10]
        self.plan = replace(plan.make(self.main, self.home, day=today),
                            owners={"alice": ALICE, "alice-two": ALICE})
        self.handed = folder / "handed"
        monkeypatch.setattr(hidden, "PACE", 0.0)
        settings = score.ScoringSettings(self.home, "no", "age:gold", Identity(SECRET))
        mine = [job for job in self.plan.jobs if job.board == BOARD]
        self.plan = replace(self.plan, jobs=tuple(mine))
        assert score.run(self.plan, self.main, settings, self.handed) == []
        self.jobs = {job.team: job for job in mine}
        past = history.of_split(self.main, self.main.boards[BOARD], "dev", self.plan, self.home)
        self.expected = Expected(past, today)

    def read(self, handed: Path, team: str = "alice", **changes: Any) -> artifact.Outcome:
        return artifact.read(handed, self.jobs[team], self.main.boards[BOARD],
                             replace(self.expected, **changes))


@pytest.fixture(scope="module")
def scored(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = tmp_path_factory.mktemp("released")
    (folder / "w").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        return Scored(seed, folder, patch)


def rewritten(scored: Scored, handed: Path, team: str, change: Falsify) -> artifact.Outcome:
    """What is made of the outcome of a team's submission with a changed result."""
    path = handed / f"{scored.jobs[team].key}.json"
    document = json.loads(path.read_bytes())
    change(document["result"])
    path.write_bytes(json_bytes(document))
    return scored.read(handed, team)


@pytest.fixture
def handed(scored: Scored, tmp_path: Path) -> Path:
    place = tmp_path / "handed"
    shutil.copytree(scored.handed, place)
    return place


def test_what_is_released_or_held_is_taken_with_its_sealed_scores(
    scored: Scored, handed: Path,
) -> None:
    for team, answer in (("alice", "released"), ("alice-two", "held")):
        found = scored.read(handed, team)
        assert found.kind == "scored", found
        wanted = ["dev.json", "dev.exact.age"] if answer == "released" else ["dev.json"]
        assert [Path(path).name for path in found.files] == wanted
        assert found.result is not None
        assert found.result.provenance["release"]["answer"] == answer


@pytest.mark.parametrize(("falsify", "code"), [
    (at("metrics", "SA", "value", value=0.87), "RESULT-RANGE"),
    (at("metrics", "SA", "value", value=1.05), "RESULT-RANGE"),
    (at("metrics", "SA", "grid", value=0.001), "RESULT-RANGE"),
    (at("metrics", "SA", "n", value=39), "RESULT-RANGE"),
    (at("metrics", "SA", "null", value=0.5), "RESULT-FORMAT"),
    (at("metrics", "SA", "signature", value="kanari"), "RESULT-KEY"),
    (at("metrics", "SA", value={"value": None, "n": 40, "reason": "kanari"}), "RESULT-LEAK"),
    (at("metrics", "SA", value={"value": 0.9, "n": 40, "signature": "SA"}), "RESULT-FORMAT"),
    (at("counts", "broken", value={"EG-CYCLE": 3}), "RESULT-LEAK"),
    (at("release", "day", value="2000-01-01"), "RESULT-KEY"),
    (at("release", "answer", value="held"), "RESULT-KEY"),
    (at("release", value={}), "RESULT-FORMAT"),
    (at("gold", "hmac_sha256", value="0" * 64), "RESULT-KEY"),
    (at("metrics", "SeCA", "reason", value="kanari"), "RESULT-LEAK"),
    (at("models", value={"kanari": "kanari"}), "RESULT-KEY"),
    (at("gold", "public", value=True), "RESULT-FORMAT"),
])
def test_anything_else_than_the_released_form_is_refused(
    falsify: Falsify, code: str, scored: Scored, handed: Path,
) -> None:
    found = rewritten(scored, handed, "alice", falsify)
    assert (found.kind, found.reason, found.files) == ("error", code, {})


SHOWN = {"value": 0.9, "n": 40, "grid": 0.05, "signature": "StCA"}
WITHHELD = {"value": None, "n": 40, "reason": Policy().withheld}


@pytest.mark.parametrize("metrics", [
    {"StCA": SHOWN}, {"StCA": SHOWN, "SA": WITHHELD}, {"SA": WITHHELD},
    {"GED": {**WITHHELD, "reason": Policy(values=2).withheld}},
], ids=["two", "another", "none", "a reason of another policy"])
def test_other_values_than_those_the_board_releases_are_refused(
    metrics: dict[str, Any], scored: Scored, handed: Path,
) -> None:
    def falsify(result: dict[str, Any]) -> None:
        told = [name for name, value in result["metrics"].items() if value["value"] is not None]
        assert told == ["SA"]
        result["metrics"] |= metrics

    assert rewritten(scored, handed, "alice", falsify).reason == "RESULT-LEAK"


def test_what_is_held_does_not_say_that_it_is_withheld(scored: Scored, handed: Path) -> None:
    falsify = at("metrics", "StCA", "reason", value=Policy().withheld)
    assert rewritten(scored, handed, "alice-two", falsify).reason == "RESULT-LEAK"


@pytest.mark.parametrize(("team", "falsify"), [
    *(("alice-two", at("metrics", metric, "reason", value="kanari"))
      for metric in ("SA", "SeCA", "EA")),
    ("alice-two", at("metrics", "SeCA", "reason", value=unmeasured("SeCA"))),
    ("alice-two", at("gold", "against", value="kanari")),
    ("alice-two", at("models", value={ROBERTA.name: ROBERTA.tag("0" * 12, Machine())})),
    ("alice", at("models", value={ROBERTA.name: "kanari"})),
    ("alice", at("models", value={ROBERTA.name: ROBERTA.tag("kanari", Machine())})),
])
def test_neither_what_is_held_nor_what_is_released_says_a_word_of_its_own(
    team: str, falsify: Falsify, scored: Scored, handed: Path,
) -> None:
    def with_its_key(result: dict[str, Any]) -> None:
        falsify(result)
        result["key"] = key(results.from_json(result, []))

    assert rewritten(scored, handed, team, with_its_key).reason == "RESULT-LEAK"


@pytest.mark.parametrize("name", KNOWN)
def test_what_a_model_is_called_in_a_signature_has_the_form_that_is_taken(name: str) -> None:
    for machine in MACHINES:
        tag = KNOWN[name].tag("0123456789abcdef", machine)
        assert re.fullmatch(released._TAG_OF.format(re.escape(name)), tag)


def decided(document: dict[str, Any], word: str, reason: Any) -> dict[str, Any]:
    """A result for which there is another answer, consistent in itself."""
    metrics = {name: {"value": None, "n": 40, "reason": reason} for name in document["metrics"]}
    return {**document, "metrics": metrics, "release": {**document["release"], "answer": word}}


def test_only_an_earlier_submission_is_named_as_near(scored: Scored, handed: Path) -> None:
    """The second names the first, and may; the first must not name the second, nor itself."""
    path = handed / f"{scored.jobs['alice'].key}.json"
    document = json.loads(path.read_bytes())
    for name in ("alice-two/a-system", "alice/a-system"):
        reason = Decision(NEAR, date(2026, 1, 1), name).reason
        path.write_bytes(json_bytes({
            **document, "result": decided(document["result"], NEAR, reason)}))
        assert scored.read(handed).reason == "RESULT-LEAK"
    path = handed / f"{scored.jobs['alice-two'].key}.json"
    document = json.loads(path.read_bytes())
    path.write_bytes(json_bytes({**document, "result": decided(document["result"], NEAR, reason)}))
    assert scored.read(handed, "alice-two", as_of=DAY).kind == "scored"


@pytest.mark.parametrize(("ladder", "said"), [(False, "RESULT-KEY"), (True, "")])
def test_nothing_is_no_better_on_a_board_without_a_ladder(
    ladder: bool, said: str, scored: Scored, handed: Path,
) -> None:
    path = handed / f"{scored.jobs['alice'].key}.json"
    document = json.loads(path.read_bytes())
    reason = Decision(NOT_BETTER, date(2026, 1, 1)).reason
    path.write_bytes(json_bytes({
        **document, "result": decided(document["result"], NOT_BETTER, reason)}))
    past = scored.expected.history
    board = replace(past.board, release=replace(past.board.release, ladder=ladder))
    assert scored.read(handed, history=replace(past, board=board)).reason == said


def test_a_metric_that_cannot_have_exact_scores_says_only_that() -> None:
    said = {(metric, reason): released.may_be_left_out(metric, reason, BOARD_OF_TEXTS)
            for metric in ("BLEU-4", "ROUGE-L", "METEOR")
            for reason in (NOT_OF_ITEMS, "not measured: wordnet was not at hand", None)}
    assert [pair for pair, may in said.items() if may] == [
        ("BLEU-4", NOT_OF_ITEMS), ("METEOR", "not measured: wordnet was not at hand")]


def test_values_are_not_taken_before_their_day_nor_held_after_it(
    scored: Scored, handed: Path,
) -> None:
    assert scored.read(handed, as_of="2000-01-01").reason == "RESULT-KEY"
    assert scored.read(handed, "alice-two", as_of=DAY).reason == "RESULT-KEY"


def test_values_that_were_published_earlier_count_in_the_query_ledger(
    scored: Scored, handed: Path,
) -> None:
    """Two older results are kept or stand there still: what is published now is the third."""
    job = scored.jobs["alice"]
    document = json.loads((handed / f"{job.key}.json").read_bytes())["result"]
    first, second = ({**document, "key": digit * 64} for digit in "12")
    tip = scored.world.commit({job.past_path: past.extended(b"", past.of(first)),
                               job.result_path: json_bytes(second)})
    main = replace(scored.main, commit=tip, repository=Repository(scored.world.origin))
    for now, answers in ((document, 3), (second, 2)):
        files = replace(scored.expected.history, main=main).files({job.result_path: now})
        [told] = map(json.loads, files[f"ledger/queries.{BOARD}.dev.jsonl"].splitlines())
        assert (told["answers"], told["bits"]) == (
            answers, round(answers * (1 + math.log2(21)), 3))


@pytest.mark.parametrize("scores", [1, 40, 40 * 9 + 16 * 1024 // 8, 40 * 9 + 10 * 64 * 1024])
def test_sealed_scores_are_as_long_as_scores_are(scores: int, scored: Scored, handed: Path) -> None:
    path = handed / f"{scored.jobs['alice'].key}.exact.age"
    path.write_bytes(seal(bytes(8 * scores + 1), [Identity(SECRET).recipient]))
    metrics = len(scored.expected.history.board.metrics)
    fits = 40 <= scores < 40 * metrics + 16 * 1024 // 8
    assert scored.read(handed).reason == ("" if fits else "RESULT-LEAK")


@pytest.mark.parametrize("content", [
    None, b"", b"kanari", b"age-encryption.org/v1\n" * 10_000,
    b"age-encryption.org/v1\n" + b"support counter " * 100,
    seal(bytes(1000), [Identity(SECRET).recipient] * 2),
    seal(bytes(64 * 1024), [Identity(SECRET).recipient]) + b"support counter "[:16],
])
def test_scores_that_are_not_sealed_are_refused(
    content: bytes | None, scored: Scored, handed: Path,
) -> None:
    path = handed / f"{scored.jobs['alice'].key}.exact.age"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    wanted = "RESULT-MISSING" if content is None else "RESULT-LEAK"
    assert scored.read(handed).reason == wanted


def test_a_hidden_result_that_nothing_is_known_of_is_refused(scored: Scored, handed: Path) -> None:
    board = scored.main.boards[BOARD]
    assert artifact.read(handed, scored.jobs["alice"], board).reason == "RESULT-KEY"


def test_publisher_and_scorer_write_the_same_query_ledger(scored: Scored, handed: Path) -> None:
    found = publish.derive(scored.main, scored.plan, handed, home=scored.home)
    name = f"{BOARD}.dev.jsonl"
    [told] = [json.loads(line) for line in found.files[f"ledger/queries.{name}"].splitlines()]
    assert (told["answer"], told["answers"], told["bits"]) == (
        "released", 1, round(1 + math.log2(21), 3))
    entries = found.files[f"ledger/history.{name}"].decode().splitlines()
    assert [json.loads(line)["team"] for line in entries] == ["alice", "alice-two"]


def test_the_device_reaches_the_models_of_hidden_splits(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def split(*_: Any, work: Any, **more: Any) -> Any:
        asked.append(work.models)
        return []

    monkeypatch.setattr("scorer.hidden.scoring.score_split", split)
    monkeypatch.setattr(hidden, "PACE", 0.0)
    monkeypatch.chdir(scored.place)
    settings = score.ScoringSettings(scored.home, "auto", "age:gold", Identity(SECRET), "cuda")
    score.run(scored.plan, scored.main, settings, tmp_path / "out")
    assert asked == [{"allowed": True, "network": False, "device": "cuda"}]
