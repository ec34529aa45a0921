"""A damaged or forged artifact becomes an error with a code, and never a row."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import load_all
from scorer.core.files import json_bytes
from scorer.core.records import ItemScore
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci import publish
from scorer.pipeline.ci.main_branch import CiJob
from scorer.pipeline.ci.runner import CODES
from scorer.scoring.results import files as results
from scorer.scoring.results.files import Unscored
from scorer.scoring.summary import summarise
from tests import case_files
from tests.ci_world import ROOT, World, good
from tests.effort import A_SECOND, within
from tests.pipeline_world import DAY, main_of, scored, waiting

pytestmark = pytest.mark.slow
CASES: dict[str, dict[str, Any]] = case_files.read("forged_artifacts.yaml")


class Honest:
    """A merged submission and what an honest machine hands over for it."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.push(good("alice"))
        [self.job] = waiting(world)
        self.main = main_of(world)
        self.folder = scored(world)

    def read(self, folder: Path) -> Result | Unscored | None:
        return publish.read(folder, self.job, self.main, DAY)


@pytest.fixture(scope="module")
def honest(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Honest:
    return Honest(World.of(seed, tmp_path_factory.mktemp("honest")))


@pytest.fixture
def folder(honest: Honest, tmp_path: Path) -> Path:
    """A copy that a test may falsify."""
    return Path(shutil.copytree(honest.folder, tmp_path / "outcomes"))


def test_what_an_honest_machine_hands_over_is_taken_as_it_is(honest: Honest) -> None:
    result, (path, items) = honest.read(honest.folder), handed(honest.folder, honest.job)
    assert isinstance(result, Result)
    assert json_bytes(result.to_json()) == path.read_bytes()
    assert results.items_bytes(result) == items.read_bytes()


def handed(folder: Path, job: CiJob) -> tuple[Path, Path]:
    """The files of a result and of its items."""
    return folder / f"{job.key}.json", folder / f"{job.key}.items.tsv"


def put(document: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Set values by the paths that lead to them."""
    for path, value in values.items():
        *inside, last = path.split("/")
        target = document
        for name in inside:
            target = target[name]
        if value is None:
            del target[last]
        else:
            target[last] = value


def falsify(case: Mapping[str, Any], folder: Path, job: CiJob) -> None:
    path, items = handed(folder, job)
    document = json.loads(path.read_bytes())
    bleu = document["metrics"]["G-BLEU"]
    if "means" in case:
        bleu |= {"value": case["means"], "lift": case["means"] - bleu["null"]}
    if "nulls" in case:
        bleu |= {"null": case["nulls"], "lift": bleu["value"] - case["nulls"]}
    if "negative" in case:
        bleu["lift"] *= -1
    put(document, case.get("result", {}))
    path.write_bytes(json_bytes(document))
    if "error" in case:
        path.unlink()
        error = {"schema": 1, "key": job.key, "attempts": 1, "code": "SCORER-FAULT"}
        put(error, case["error"])
        (folder / f"{job.key}.error.json").write_bytes(json_bytes(error))
    if "document" in case:
        path.write_text(case["document"] * case.get("repeat", 1), "utf-8", "surrogateescape")
    if "file" in case:
        items.unlink()
        if case["file"] == "link":
            items.symlink_to("/etc/passwd")
    if "linked" in case:
        linked = folder / f"{job.key}{case['linked']}"
        linked.symlink_to(linked.rename(folder / "elsewhere"))
    if "astray" in case:
        astray = folder / f"{job.key}{case['astray']}"
        astray.unlink()
        astray.symlink_to("x" * 300)
    for name, file in (("text", path), ("items", items)):
        if name in case:
            old, new = (text.encode() for text in case[name])
            assert old in file.read_bytes()
            file.write_bytes(file.read_bytes().replace(old, new, 1))


@pytest.mark.claim("A forged result from the scoring machine becomes an error, never a row.")
@pytest.mark.parametrize("name", CASES)
def test_a_forged_artifact_is_refused_by_its_code(name: str, honest: Honest, folder: Path) -> None:
    falsify(CASES[name], folder, honest.job)
    assert refused(within(A_SECOND, lambda: honest.read(folder))) == CASES[name]["code"]


def refused(outcome: Result | Unscored | None) -> str | None:
    """The code of an error."""
    assert isinstance(outcome, Unscored)
    return outcome.code


def test_a_score_behind_a_closed_gate_is_refused_though_every_mean_is_that_of_the_items(
    honest: Honest, folder: Path,
) -> None:
    path, items = handed(folder, honest.job)
    result = results.from_bytes(path.read_bytes(), items.read_bytes())
    place = next(place for place, item in enumerate(result.items)
                 if item.verdict.annotation == "struct_incorrect")
    forged = [replace(item, scores={**item.scores, "G-BLEU": ItemScore(0.5)})
              if number == place else item for number, item in enumerate(result.items)]
    value = summarise(METRICS["G-BLEU"], [item.scores["G-BLEU"] for item in forged],
                      [item.verdict.annotation == "struct_correct" for item in forged],
                      range(len(forged)))
    old = result.metrics["G-BLEU"]
    new = old.replace(value=value.value, lift=value.value - old.null, interval=value.interval)
    result = result.replace(items=forged, metrics={**result.metrics, "G-BLEU": new})
    path.write_bytes(json_bytes(result.to_json()))
    items.write_bytes(results.items_bytes(result))
    assert refused(honest.read(folder)) == "RESULT-GATE"


def test_every_code_of_a_result_has_a_case() -> None:
    codes = {code for code in CODES if code.startswith("RESULT-")}
    assert {case["code"] for case in CASES.values()} | {"RESULT-GATE", "RESULT-LEAK"} == codes


def test_no_committed_result_of_a_practice_board_would_be_refused() -> None:
    boards = {board.id: board for board in load_all(ROOT / "boards")}
    for path in sorted((ROOT / "results").glob("*-practice/*/*/*.json")):
        result = results.read(path)
        publish.check_numbers(result, boards[result.board])
