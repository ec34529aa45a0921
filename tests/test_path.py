"""The path of a score: what ``scorer score FOLDER`` enters, as docs/architecture.md prints it.

A real run is walked with ``sys.setprofile``, after one that has imported everything. From the
first call of the command into another room until the last result is written, every call between two
files of ours counts, generators and properties included. ``ANSWER`` names what is left out: core
(values and reading), tasks, metrics, models and statistics, which answer whoever asks. Every other
file is a step of the page's table, or stands there beside the one step that asks it.
"""

import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest

from scorer import cli
from scorer.commands import score

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "scorer"
FOLDER = ROOT / "submissions" / "explagraphs-practice" / "reference" / "gold"
BOARD = ROOT / "boards" / "explagraphs-practice"
ANSWER = ("core", "tasks", "metrics", "models", "statistics")
MOST_STEPS = 10


class Walk(NamedTuple):
    """What a run did."""

    calls: list[tuple[str, str]]
    """Caller and callee, files below ``scorer/``, in the order of their first time."""
    opened: Counter[Path]


class Steps(NamedTuple):
    """The table of the page."""

    files: list[str]
    asked: dict[str, str]
    """File -> the step that asks it."""


@pytest.fixture(scope="module")
def steps() -> Steps:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("<!-- path -->")[2].partition("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[2:-1]]
            for line in table.splitlines() if re.match(r"\| \d", line)]
    names = [re.findall(r"`scorer/([^`]+)`", cell) for _, _, *cells in rows for cell in cells]
    first = [re.findall(r"`scorer/([^`]+)`", row[0])[0] for row in rows]
    return Steps(first, {one: step for step, asks in zip(first, names, strict=True)
                         for one in asks})


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    out = tmp_path_factory.mktemp("path")
    arguments = ["score", str(FOLDER), "--models", "no", "--quiet", "--results"]
    assert cli.main([*arguments, str(out / "before")]) == 0  # imports everything
    calls: dict[tuple[str, str], None] = {}
    opened: Counter[Path] = Counter()
    walking = [False]

    def note(frame: FrameType, event: str, _: Any) -> None:
        callee = ours(frame.f_code) if event == "call" else None
        above = frame.f_back
        while callee and above is not None and ours(above.f_code) is None:
            above = above.f_back
        caller = ours(above.f_code) if callee and above is not None else None
        if caller is not None and callee is not None and caller != callee:
            calls[caller, callee] = None

    def opening(event: str, values: tuple[Any, ...]) -> None:
        if event == "open" and walking[0] and isinstance(values[0], str | Path):
            opened[Path(values[0]).resolve()] += 1

    def parsed(*values: Any, **options: Any) -> Any:
        walking[0] = True
        sys.setprofile(note)
        try:
            return scored(*values, **options)
        finally:
            sys.setprofile(None)

    scored = score._score_folders
    sys.addaudithook(opening)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score, "_score_folders", parsed)
        assert cli.main([*arguments, str(out / "after")]) == 0
    walking[0] = False
    own = Path(__file__).name
    return Walk([call for call in calls if own not in call], opened)


def ours(code: CodeType) -> str | None:
    """A file of ours below the package; None for other code, and for what runs at import."""
    return None if code.co_name == "<module>" else below_package(code.co_filename)


@cache
def below_package(filename: str) -> str | None:
    path = Path(filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else None


def answers(file: str) -> bool:
    """Whether a file only answers."""
    return file.partition("/")[0] in ANSWER


@pytest.mark.claim("Scoring a folder takes ten steps that a page lists, each calling only later "
                   "ones.")
def test_a_score_enters_the_files_that_the_page_lists_and_no_others(
    walk: Walk, steps: Steps
) -> None:
    entered = {file for call in walk.calls for file in call if not answers(file)}
    assert entered == {*steps.files, *steps.asked}
    assert len(steps.files) <= MOST_STEPS


def test_a_step_calls_later_steps_and_answers_call_none(walk: Walk, steps: Steps) -> None:
    order = steps.files
    for caller, callee in walk.calls:
        assert not answers(caller) or answers(callee), f"{caller} calls {callee}"
        if caller in order and callee in order:
            assert order.index(caller) < order.index(callee), f"{caller} calls {callee}"
        if caller in steps.asked:
            assert answers(callee), f"{caller} is asked and calls {callee}"


def test_submission_board_and_gold_are_opened_once(walk: Walk) -> None:
    wanted = [FOLDER / "submission.yaml", BOARD / "board.yaml"]
    wanted += [place / f"{name}.tsv" for place, names in (
        (FOLDER, ("predictions.dev", "predictions.test")), (BOARD / "data", ("dev", "test")))
        for name in names]
    read = {path: count for path, count in walk.opened.items()
            if path.is_relative_to(FOLDER) or path.is_relative_to(BOARD)}
    assert read == dict.fromkeys(map(Path.resolve, wanted), 1)
