"""Committed results of every task would be believed by the publisher; false ones would not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer import board as boards
from scorer.ci import artifact
from scorer.ci.main_branch import Job
from scorer.ci.worker import SCHEMA
from scorer.results.files import items_path
from tests.judging import own_of

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parent.parent
RESULTS = [path for name in ("anli-practice", "anlg-practice", "explagraphs-practice")
           for path in sorted((ROOT / "results" / name / "reference").glob("*/*.json"))]
Falsify = Callable[[dict[str, Any]], None]


def outcome(path: Path, folder: Path, falsify: Falsify = lambda document: None,
            keep: Callable[[int], bool] = lambda row: True) -> tuple[str, str]:
    """What the publisher says of a committed result that a machine hands over."""
    document = json.loads(path.read_bytes())
    job = Job(document["board"], document["team"], document["system"], document["split"], "k" * 64,
              document["predictions"]["sha256"], "0" * 40, "2026-01-01")
    falsify(document)
    handed = {"schema": SCHEMA, "key": job.key, "outcome": "scored", "result": document}
    (folder / f"{job.key}.json").write_text(json.dumps(handed))
    lines = items_path(path).read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if keep(json.loads(line)["row"])]
    (folder / f"{job.key}.items.jsonl").write_text("".join(kept), "utf-8")
    found = artifact.read(folder, job, boards.load(document["board"]), own=own_of(job))
    return found.kind, found.reason


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: "/".join(path.parts[-4:]))
def test_a_committed_result_would_be_believed(path: Path, tmp_path: Path) -> None:
    assert outcome(path, tmp_path) == ("scored", "")


LABELS = ROOT / "results/anli-practice/reference/random/dev.json"
HELD_OUT = ROOT / "results/anlg-practice/reference/held-out-reference/dev.json"
COPY = ROOT / "results/anlg-practice/reference/copy-first/dev.json"


@pytest.mark.parametrize("falsify", [
    lambda counts: counts["slices"].update({"secret": {"items": 1, "right": 1}}),
    lambda counts: counts["confusion"]["1"].update({"3": 1}),
    lambda counts: counts.pop("confusion"),
    lambda counts: counts.update({"noise": 1}),
    lambda counts: counts["slices"]["as-long"].update({"items": 49}),
    lambda counts: counts["confusion"].update({"1": counts["confusion"]["2"]}),
])
def test_tables_of_counts_are_those_of_the_files(falsify: Falsify, tmp_path: Path) -> None:
    assert outcome(LABELS, tmp_path, lambda document: falsify(document["counts"])) == (
        "error", "RESULT-DIFFERS")


def test_items_may_be_left_out_only_of_a_row_that_answers_with_gold(tmp_path: Path) -> None:
    def fewer(document: dict[str, Any]) -> None:
        document["counts"] |= {"items": 39, "answered": 39}
        for value in document["metrics"].values():
            value |= {"n": 39, "passed": {"n": 39, "value": None}}

    assert outcome(COPY, tmp_path, fewer, lambda row: row != 40) == ("error", "RESULT-DIFFERS")
    assert outcome(HELD_OUT, tmp_path, keep=lambda row: row != 40)[0] == "error"
    assert outcome(HELD_OUT, tmp_path, lambda document: document["gold"].pop("against")) == (
        "error", "RESULT-DIFFERS")
