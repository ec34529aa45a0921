"""What the program says of the cases of faults, in files; ``python -m tests.expected`` writes them.

A message's sentences stand here and nowhere else: other tests ask for the rule, the line and the
column. So whoever words a message anew runs that command and reads the difference.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import yaml

from scorer.scoring.checking import CheckReport
from tests import test_check, test_leaderboard, test_task_files, test_tsv
from tests.fuzz_helpers import told
from tests.test_published import CASES as PUBLISHED
from tests.test_published import board_with
from tests.test_published import told as told_of_published

MESSAGES = test_tsv.CASES / "messages.yaml"
"""Of the cases that tests hold in tables: what is said, by table and case."""


def texts() -> Iterator[tuple[Path, str]]:
    """Every file of expected words, and what the program says now."""
    for kind in ("accepted", "rejected"):
        for path in sorted((test_tsv.CASES / kind).glob("*/predictions.tsv")):
            yield path.with_name("expected.txt"), told(test_tsv.case_report(path.parent))
    with tempfile.TemporaryDirectory() as place:
        for case in PUBLISHED:
            folder = Path(place) / case.name
            folder.mkdir()
            board = board_with((case / "published.yaml").read_text("utf-8"), folder)
            yield case / "expected.txt", told_of_published(board)
        yield MESSAGES, yaml.safe_dump(
            {table: dict(found(Path(place))) for table, found in TABLES.items()},
            sort_keys=False, allow_unicode=True, width=100)


def _bytes(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name, (content, _) in test_tsv.TAMPERED.items():
        yield name, _said(test_tsv.check(content))[:3]
    for name, (content, rows, _) in test_tsv.NOTED.items():
        yield name, _said(test_tsv.check(content, rows))
    for rows in (1, 3, 10):
        yield f"two rows of {rows}", _said(test_tsv.check(test_tsv.ROW + b"\n" + test_tsv.ROW,
                                                          rows))


def _graphs(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for table in (test_check.BREAKS, test_check.STRICT):
        for name, (graph, *_) in table.items():
            found = test_check.findings(graph)
            yield name, [f"{one.rule} {one.detail}" for one in (*found.broken, *found.strict)]


def _task_files(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name, case in test_task_files.CASES.items():
        if case.found:
            yield name, _said(test_task_files.checked(case)[0])


def _verdicts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name, case in test_leaderboard.VERDICTS.items():
        found = test_leaderboard.of_case(case)
        yield name, [f"{code}: {text}" for code, text in test_leaderboard.sentences(found).items()]


def _said(report: CheckReport) -> list[str]:
    return [str(one).partition(":")[2] for one in (*report.notes, *report.problems)]


Table = Callable[[Path], Iterator[tuple[str, list[str]]]]
TABLES: Mapping[str, Table] = {"bytes of any file": _bytes, "graphs": _graphs,
                               "files of tasks": _task_files, "verdicts": _verdicts}


def main() -> int:
    """Write every file that says something else, and name it."""
    for path, text in texts():
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
