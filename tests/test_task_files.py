"""What tasks find in files of predictions and rows of gold, score, and which settings they refuse.

The cases stand in ``cases/task_files.yaml`` and ``cases/task_scores.yaml``.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some

import scorer
from scorer import boards
from scorer.boards import Board
from scorer.boards.reading import misfits
from scorer.core.reading.tsv import File, Problems, Row
from scorer.core.rules import CATALOGUE
from scorer.scoring.checking import CheckReport, check_file
from scorer.tasks.graph_labels.task import Opposites
from scorer.tasks.graphs.graph_items import Labels
from scorer.tasks.texts.items import Slice
from tests import case_files
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside
from tests.values import near

WORLDS = case_files.read("task_files.yaml")


class Case(NamedTuple):
    """A file, and what is found in it."""

    board: Board
    content: bytes
    rows: int
    items: list[list[str]] | None
    found: list[str]
    answers: list[str] | None


def record(obs1: Any, obs2: str, texts: object, model: str = "m") -> str:
    """One of aNLG's official JSON lines."""
    return json.dumps({"obs1": str(obs1), "obs2": obs2, "generations": {model: texts}})


def content(file: str | list[Any]) -> bytes:
    if isinstance(file, list):
        return "\n".join(one if isinstance(one, str) else record(*one) for one in file).encode()
    return str(case_files.expanded(file)).encode()


def read_cases() -> Iterator[tuple[str, Case]]:
    for world in WORLDS:
        board, items = boards.load(world["board"]), world.get("items")
        for name, case in world.get("files", {}).items():
            yield f"{board.id}: {name}", Case(
                board, content(case["file"]), world.get("rows") or len(items), items,
                case.get("found", []), case.get("answers"))


CASES = dict(read_cases())


def checked(case: Case) -> CheckReport:
    return check_file(case.board, File(case.content, "p"), rows=case.rows, texts=case.items)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_file_is_read_or_refused_with_its_lines(case: Case) -> None:
    report = checked(case)
    assert [f"{one.line}:{one.column} {one.rule}" for one in (*report.notes, *report.problems)
            ] == case.found
    if case.answers is not None:
        assert report.ok
        assert ["\t".join(case.board.task.write_prediction(one)) for one in report.predictions
                ] == case.answers
    for note in (*report.notes, report):
        assert_fit_for_a_log(str(note))


def test_every_rule_of_texts_has_a_case() -> None:
    seen = {found.split()[1] for case in CASES.values() for found in case.found}
    assert {rule for rule in CATALOGUE if rule.startswith("ART-")} <= seen


@pytest.mark.parametrize(("more", "found"), [
    ("9" * 5000, []), ("[" * 99 + "]" * 99, []),
    ("[" * 100 + "]" * 100, [(2, "ART-JSON")]), ("[" * 5000 + "]" * 5000, [(2, "ART-JSON")]),
], ids=["a long number", "99 lists", "100 lists", "5,000 lists"])
def test_what_else_a_record_holds_is_ignored_down_to_a_hundredth_level(
    more: str, found: list[tuple[int, str]]
) -> None:
    lines = f'{record("A", "B", ["x"])}\n{record("C", "D", ["x"])[:-1]}, "more": {more}}}\n'
    report = check_file(boards.load("anlg-practice"), File(lines.encode()), rows=2,
                        texts=[("A", "B"), ("C", "D")])
    assert [(one.line, one.rule) for one in report.problems] == found


def test_a_file_of_far_too_many_records_is_refused_in_one_sentence() -> None:
    file = File((record("a", "b", ["x"]) + "\n").encode() * (2 * 5 * 40 + 1002))
    report = check_file(boards.load("anlg-practice"), file, rows=40)
    assert [(one.line, one.rule) for one in report.problems] == [(5 * 40 + 1, "TSV-ROWS")]


PIECES = ["1", "2", "3", "4", "\t", "\n", "x", " ", "{", "}", '"obs1"', ":", "[", "]", "\ud7ff",
          "context_id\thypothesis\n", record("A", "B", ["x"]), record("C", "D", [1]),
          record("E", "F", ["\x00"]), '{"generations": ' + "[" * 2000]


@given(some.lists(some.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_judged_and_its_faults_lie_in_the_file(text: str) -> None:
    contexts = [("A", "B"), ("C", "D"), ("E", "F")]
    table = boards.load("anlg-practice").task.read_table(File(text.encode()), rows=3,
                                                         texts=contexts)
    for problem in table.problems.kept:
        assert_fit_for_a_log(str(problem))
        assert_inside(problem, text.encode())
    if not table.problems.total and table.lines is None:  # else their number is judged later
        assert [row.place for row in table.rows] == [1, 2, 3]


SCORES = case_files.read("task_scores.yaml")


@pytest.mark.parametrize("case", SCORES.values(), ids=SCORES)
def test_rows_have_the_scores_of_their_case(case: dict[str, Any]) -> None:
    golds = case.get("golds") or [case["gold"] for _ in case["rows"] if "gold" in case] or [
        ["a belief", "an argument", "(a; causes; b)", label] for label in case["labels"]]
    found = scorer.score(case["rows"], golds, board=case["board"], null=True,
                         metrics=[*case["metrics"]]).metrics
    for metric, wanted in case["metrics"].items():
        assert near({key: found[metric].to_json().get(key) for key in wanted}, wanted), metric


@pytest.mark.parametrize(("board", "row", "found"), [
    (world["board"], row, found) for world in WORLDS
    for row, found in world.get("gold", {}).items()])
def test_a_row_of_gold_that_lacks_something_is_refused(
    board: str, row: str, found: list[str]
) -> None:
    problems = Problems("gold.tsv")
    assert boards.load(board).task.read_gold(Row(1, tuple(row.split("\t"))), problems) is None
    assert [f"{one.column} {one.rule}" for one in problems.kept] == found


@pytest.mark.parametrize(("board", "change", "found"), [
    ("anli-practice", {"slices": (Slice("as-long", ("x",)),)}, "two slices as-long"),
    ("explained-practice", {"choices": ("first", "label")}, "two columns label"),
    ("explained-practice", {"given": ("premise", "hypothesis1")}, "two columns hypothesis1"),
    ("explained-practice", {"null": "hypothesis1"}, "the null hypothesis1"),
    ("graph-stance-practice", {"texts": ("claim", "graph")}, "two columns graph"),
    ("graph-stance-practice", {"texts": ("stance_without_graph",)},
     "two columns stance_without_graph"),
    ("graph-stance-practice", {"labels": Labels("label", ("yes", "-"))}, "the label -"),
    ("graph-stance-practice", {"opposites": (Opposites("is a", "x"), Opposites("is a", "not"))},
     "relation 'is a' twice in opposites"),
    ("graph-stance-practice", {"opposites": (Opposites("Is a", "is not a"),)}, "relation 'Is a'"),
])
def test_settings_that_do_not_fit_together_are_named(
    board: str, change: dict[str, Any], found: str
) -> None:
    described = boards.load(board)
    assert described.task.misfits([]) == []
    changed = replace(described, settings=replace(described.settings, **change))
    assert [what for what, *_ in misfits(changed, board)] == [found]
