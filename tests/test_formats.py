"""Every format has a schema, and real files of it fit."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from scorer.core.reading.schema import Format
from scorer.core.results import PUBLISHED, Result
from scorer.people import published
from scorer.pipeline.ci.git import FILE, Touch
from scorer.pipeline.ci.main_branch import CiJob, State, row_json
from scorer.pipeline.ci.runner import CODES
from scorer.site.formats import FORMATS
from scorer.site.reading.states import read

ROOT = Path(__file__).resolve().parent.parent
BY_NAME = {one.name: one for one in FORMATS}
JOB = CiJob("b", "t", "s", "dev", "k" * 64, "f" * 64, "c" * 40, "2026-01-31T00:00:00Z")
DRAFT = jsonschema.Draft202012Validator


@cache
def validator(name: str) -> Any:
    return DRAFT(BY_NAME[name].document())


def fits(name: str, document: Any) -> None:
    validator(name).validate(document)


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_schema_is_one_and_says_what_it_is(one: Format) -> None:
    document = one.document()
    DRAFT.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["title"]


def test_the_decoder_takes_what_the_published_schema_takes() -> None:
    """Half a thousand results, each with one key gone or another value at one place."""
    whole = json.loads((ROOT / "results/explagraphs-practice/reference/edited-gold/dev.json")
                       .read_bytes())
    whole["metrics"] = {"G-BLEU": whole["metrics"]["G-BLEU"]}
    whole["metrics"]["hidden"] = {"value": 0.5, "grid": 0.05, "n": 40, "signature": "s"}
    seen = set()
    for document in changed(whole):
        takes = validator("result").is_valid(document)
        try:
            Result.model_validate(document, context=PUBLISHED)
        except ValidationError:
            assert not takes, document
        else:
            assert takes, document
        seen.add(takes)
    assert seen == {True, False}


def changed(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in paths(whole):
        for value in (None, -1, True, "", "x", 0.5, [], {}, {"more": 1}, ...):
            copy = json.loads(json.dumps(whole))
            inner = copy
            for name in path[:-1]:
                inner = inner[name]
            inner.pop(path[-1]) if value is ... else inner.update({path[-1]: value})
            yield copy


def paths(document: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in document.items():
        yield (*above, name)
        if isinstance(value, dict):
            yield from paths(value, (*above, name))


@pytest.mark.whole
def test_committed_results_fit() -> None:
    """One document of each board and kind, the longest: the reader takes all, and as the schema."""
    longest: dict[tuple[str, str], Path] = {}
    for path in sorted((ROOT / "results").rglob("*.json"), key=lambda path: path.stat().st_size):
        known = published.at(path.relative_to(ROOT).as_posix())
        other = "leaderboard" if path.name.startswith("leaderboard.") else "result"
        board = path.relative_to(ROOT).parts[1]
        longest[known.name if known else other, board] = path
    for (name, _), path in longest.items():
        fits(name, json.loads(path.read_bytes()))
    assert {name for name, _ in longest} >= {"leaderboard", "result", "hamlet"}


def test_committed_boards_and_submissions_fit() -> None:
    """Their texts are typed by the reader, so numbers and flags are what YAML says."""
    for path in sorted((ROOT / "boards").glob("*/board.yaml")):
        board = yaml.safe_load(path.read_text("utf-8"))
        settings = board["settings"]  # null is a name for us and nothing for other readers
        board["settings"] = {name or "null": value for name, value in settings.items()}
        fits(f"board.{board['task']}", board)
    paths = sorted((ROOT / "submissions").rglob("submission.yaml"))
    assert paths
    for path in paths:
        text = json.dumps(yaml.safe_load(path.read_text("utf-8")), default=str)  # days are text
        fits("submission", json.loads(text) | {"saw_dev_gold": True})  # 'yes' is text to others


def test_a_status_of_every_state_fits() -> None:
    names = BY_NAME["status"].document()["$defs"]["SubmissionState"]["properties"]["state"]["enum"]
    brought = {JOB.result(): [Touch("c" * 40, JOB.date, 0, FILE, "d" * 40)]}
    document = {"schema": 1, "commit": "c" * 40, "codes": CODES, "submissions": [
        row_json(State(JOB, name, "why"), brought) for name in names]}
    fits("status", document)
    assert [row.state for row in read(document).rows] == names
    with pytest.raises(jsonschema.ValidationError):
        fits("status", {**document, "schema": 2})
