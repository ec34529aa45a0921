"""Files of predictions: what is accepted, what is rejected, and where.

Cases are folders in ``cases/accepted`` and ``cases/rejected``; those that no such file can hold
(byte order marks, CR LF, control characters, invalid UTF-8, megabytes) stand in
``cases/bytes.yaml``.
"""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import input_texts
from scorer.core.errors import DataError, Problem, SubmissionError, printable
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import LARGEST_FIELD, File, open_file, read_rows
from scorer.scoring.checking import CheckReport
from tests.case_files import CASES, as_bytes, read
from tests.effort import A_SECOND, within
from tests.fuzz_helpers import (
    assert_fit_for_a_log,
    assert_inside,
    field_texts,
    graph_strings,
    hostile_bytes,
    judged,
    thorough,
    told,
)

COLUMNS = ("stance", "graph")
ROW = b"support\t(a; is a; b)"

WRITTEN = read("bytes.yaml")
TAMPERED = {name: (as_bytes(text), place) for name, (text, place) in WRITTEN["tampered"].items()}
NOTED = {name: (as_bytes(text), *more) for name, (text, *more) in WRITTEN["noted"].items()}
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "row 13: two million private characters": (
        lambda: "".join(map(chr, range(0xF0000, 0xFFFFE))).encode() * 32, "TSV-INVISIBLE"),
    **{name: (partial(as_bytes, text), fault) for name, (text, fault) in WRITTEN["hostile"].items()}
}
TIRING = {name: as_bytes(text) for name, text in WRITTEN["tiring"].items()}
UNSEEN = WRITTEN["unseen"]


@cache
def practice() -> Board:
    return boards.load("explagraphs-practice")


@cache
def eight_texts() -> tuple[tuple[str, ...], ...]:
    texts = input_texts(practice(), "dev", Path("nowhere"))
    assert texts is not None
    return texts[:8]


def check(content: bytes, rows: int | None = 1) -> CheckReport:
    return judged(practice(), content, rows=rows)


# ---- cases in files ------------------------------------------------------------------------


def cases(kind: str) -> list[str]:
    return sorted(path.parent.name for path in (CASES / kind).glob("*/expected.txt"))


def case_report(folder: Path) -> CheckReport:
    """What is said of the predictions of a case."""
    return judged(practice(), (folder / "predictions.tsv").read_bytes(), rows=8,
                  texts=eight_texts())


@pytest.mark.parametrize(("kind", "name"), [
    (kind, name) for kind in ("rejected", "accepted") for name in cases(kind)])
def test_a_file_is_rejected_or_accepted_as_its_folder_says(kind: str, name: str) -> None:
    report = case_report(CASES / kind / name)
    assert report.ok == (kind == "accepted")
    assert_fit_for_a_log(told(report))


def test_every_case_says_what_it_shows() -> None:
    for kind in ("accepted", "rejected"):
        folders = [path for path in (CASES / kind).iterdir() if path.is_dir()]
        assert sorted(path.name for path in folders) == cases(kind)
        for folder in folders:
            assert (folder / "README.md").read_text("utf-8").startswith("# "), folder


# ---- bytes that a case file cannot hold ----------------------------------------------------


@pytest.mark.parametrize("name", TAMPERED)
def test_bytes_that_are_no_text_are_rejected_at_their_place(name: str) -> None:
    content, place = TAMPERED[name]
    report = check(content)
    assert str(report.problems[0]).startswith(f"predictions.tsv:{place} ")
    for problem in report.problems:
        assert_inside(problem, content.removeprefix(b"\xef\xbb\xbf"))
    assert_fit_for_a_log(told(report))


@pytest.mark.parametrize(("rule", "code"), [
    (rule, code) for rule, codes in UNSEEN.items() for code in codes])
def test_a_character_that_is_not_seen_splits_no_row_and_is_rejected(rule: str, code: int) -> None:
    report = check(f"support\t(a{chr(code)}b; is a; c)\n".encode())
    [problem] = report.problems
    assert (problem.line, problem.column, problem.rule) == (1, 11, rule)
    assert f"U+{code:04X}" in problem.found


@pytest.mark.parametrize("text", [
    "\ufffd", "\u00a0", "\u3000", "\ufe0f", "\u0301", "\u0378", "\U0001f468\U0001f3fd", "\ufb01",
], ids=ascii)
def test_a_strange_but_visible_character_is_text(text: str) -> None:
    # U+FFFD is what a byte-level model writes; which code points are unassigned depends on the
    # interpreter, so U+0378 is accepted as every other one.
    assert unwelcome_character(text) is None
    assert check(f"support\t(a{text}b; is a; c)\n".encode()).ok


def test_each_kind_of_unwelcome_character_of_a_line_is_reported_once() -> None:
    report = check("support\t\x1b\x1b\u202e\x07\x1b".encode())
    assert [(one.column, one.found[-4:]) for one in report.problems] == [
        (9, "001B"), (11, "202E"), (12, "0007")]


# ---- leniency, with a note -----------------------------------------------------------------


@pytest.mark.parametrize("name", NOTED)
def test_what_a_program_may_add_is_accepted_with_a_note(name: str) -> None:
    content, rows, place = NOTED[name]
    report = check(content, rows=rows)
    assert report.ok
    [note] = report.notes
    assert str(note).startswith(f"predictions.tsv:{place} ")


def test_the_same_rows_are_read_whatever_ends_the_lines() -> None:  # rows 1, 2, 4, 6
    wanted = [("support", "a"), ("counter", "b")]
    for content in (b"support\ta\ncounter\tb\n", b"support\ta\ncounter\tb",
                    b"support\ta\r\ncounter\tb\r\n", b"\xef\xbb\xbfsupport\ta\r\ncounter\tb"):
        table = read_rows(File(content), COLUMNS)
        assert [row.fields for row in table.rows] == wanted
        assert not table.problems.total


# ---- size and time -------------------------------------------------------------------------

@pytest.mark.claim("A file made to exhaust the reader is refused within a second.")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_rejected_within_a_second(name: str) -> None:
    make, words = HOSTILE[name]
    content = make()
    report = within(A_SECOND, lambda: check(content, rows=40))
    assert any(words in str(problem) for problem in report.problems)
    assert_fit_for_a_log(told(report))


@pytest.mark.parametrize("name", TIRING)
def test_a_graph_as_large_as_a_field_is_judged_in_a_fraction_of_a_second(name: str) -> None:
    graph = TIRING[name]
    assert len(graph) <= LARGEST_FIELD
    texts = [("the belief has some words", "the argument too")] * 4
    content = (b"support\t" + graph + b"\n") * 4
    report = within(2 * A_SECOND, lambda: judged(practice(), content, rows=4, texts=texts))
    assert report.ok
    assert all(report.broken)
    assert max(len(findings) for findings in report.broken + report.strict) < 100


def test_fifty_errors_are_shown_and_all_are_counted() -> None:  # row 57
    report = check(b"x\ty\n" * 6_553, rows=None)
    assert (len(report.problems), report.total) == (50, 6_553)
    lines = str(report).split("\n")
    assert len(lines) == 51
    assert lines[0].startswith("predictions.tsv:1:1 TSV-LABEL stance 'x'")
    assert lines[-1] == "6553 errors, the first 50 shown"


@pytest.mark.parametrize("name", ["none.tsv", "::error::x\ny", "a\x1b[2J", "##[group]x", "."])
def test_a_file_that_cannot_be_opened_is_no_command_to_a_log(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read") as raised:
        open_file(tmp_path / name)
    assert_fit_for_a_log(str(raised.value))


# ---- rows ----------------------------------------------------------------------------------


def test_the_number_of_rows_is_judged_beside_every_other_fault() -> None:  # row 19
    faults = b"Support\t\n" * 60
    report = check(faults, rows=40)
    assert report.total == 61
    assert any(p.rule == "TSV-ROWS" for p in check(b"Support\t\n\nx\n", rows=9).problems)
    assert check(b"", rows=9).total == 1
    assert check(ROW + b"\n" + ROW, rows=None).ok


def test_a_header_is_found_in_any_capitals_and_only_on_the_first_line() -> None:  # row 18
    header = check(b"Stance\tGRAPH\n" + ROW)
    assert [p.rule for p in header.problems] == ["TSV-HEADER"]
    later = check(ROW + b"\nstance\tgraph\n", rows=2)
    assert [(p.line, p.rule) for p in later.problems] == [(2, "TSV-LABEL")]


def test_optional_last_columns_may_be_absent_and_the_message_says_both_numbers() -> None:
    table = read_rows(File(b"a\tb\nc\nd\te\tf\n"), ("one", "two"), optional=1)
    assert [row.fields for row in table.rows] == [("a", "b"), ("c",)]
    [problem] = table.problems.kept
    assert (problem.line, problem.found, problem.expected) == (
        3, "3 columns", "1 or 2 columns (one, two)"
    )


# ---- properties ----------------------------------------------------------------------------


@pytest.mark.claim("Any bytes as a predictions file are read or refused, and every error points "
                   "into the file.")
@thorough(400)
@given(hostile_bytes, st.sampled_from([1, 2, 3]), st.integers(0, 1))
def test_reading_any_bytes_is_total_repeatable_and_points_into_the_file(
    content: bytes, width: int, optional: int
) -> None:
    columns = ("stance", "graph", "third")[:width]
    table = read_rows(File(content), columns, optional=min(optional, width - 1))
    again = read_rows(File(content), columns, optional=min(optional, width - 1))
    assert (table.rows, table.notes, table.problems.kept) == (
        again.rows, again.notes, again.problems.kept
    )
    assert len(table.problems.kept) == min(table.problems.total, 50)
    stripped = content.removeprefix(b"\xef\xbb\xbf")
    for problem in [*table.problems.kept, *table.notes]:
        assert_inside(problem, stripped)
        assert_fit_for_a_log(str(problem))
    lines = stripped.removesuffix(b"\n").split(b"\n")
    if not table.problems.total:
        assert [row.line for row in table.rows] == list(range(1, len(lines) + 1))
    for row in table.rows:
        assert "\t".join(row.fields).encode() == lines[row.line - 1].removesuffix(b"\r")


@thorough(200)
@given(hostile_bytes, st.integers(0, 4))
def test_checking_any_bytes_never_fails(content: bytes, rows: int) -> None:
    report = judged(practice(), content, rows=rows, texts=[("a b", "c d")] * rows)
    assert report.ok == (report.total == 0)
    assert_fit_for_a_log(told(report))


@pytest.mark.claim("Nothing that a graph says refuses a file; only bytes and columns do.")
@thorough(100)
@given(st.lists(st.one_of(graph_strings, field_texts), min_size=1, max_size=4))
def test_nothing_that_a_graph_says_rejects_a_file(graphs: list[str]) -> None:
    content = "".join(f"counter\t{graph}\n" for graph in graphs).encode()
    report = judged(practice(), content, rows=len(graphs), texts=eight_texts()[: len(graphs)])
    assert report.ok
    assert report.rows == len(graphs)


# ---- words ---------------------------------------------------------------------------------


@pytest.mark.claim("No text of a submission moves a terminal or commands a workflow runner.")
@thorough(300)
@given(st.text() | hostile_bytes.map(lambda content: content.decode(errors="surrogateescape")))
def test_whatever_is_printed_neither_moves_a_terminal_nor_commands_a_runner(text: str) -> None:
    shown = printable(text)
    assert all(line.isprintable() for line in shown.split("\n"))
    assert "##[" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert printable(shown) == shown


@pytest.mark.parametrize("name", ["::error::x\ny", "\u202etsv.exe", "##[group]x"])
def test_not_even_the_name_of_a_file_reaches_a_log_raw(name: str) -> None:
    problem = Problem(name, 1, 1, "R", "f", "e", "a")
    assert_fit_for_a_log(str(SubmissionError([problem])))
    assert "\n" not in str(problem)
