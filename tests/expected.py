"""What the program says of the cases of faults, in files; ``python -m tests.expected`` writes them.

A message's sentences stand here and nowhere else: other tests ask for the rule, the line and the
column. So whoever words a message anew runs that command and reads the difference.
"""

import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from scorer.people.validate import check_file as check_annotations
from scorer.scoring.checking import CheckReport
from tests import (
    test_annotation_files,
    test_annotation_forms,
    test_board,
    test_board_import,
    test_check,
    test_cli,
    test_leaderboard,
    test_others,
    test_schema,
    test_strict_yaml,
    test_submission,
    test_task_files,
    test_tsv,
)
from tests.annotation_world import handed_in, made
from tests.case_files import CASES
from tests.fuzz_helpers import told
from tests.test_published import CASES as PUBLISHED
from tests.test_published import board_with
from tests.test_published import told as told_of_published

MESSAGES = CASES / "messages.yaml"
"""Of the cases that tests hold in tables: what is said, by table and case."""


def texts() -> Iterator[tuple[Path, str]]:
    """Every file of expected words, and what the program says now."""
    for kind in ("accepted", "rejected"):
        for path in sorted((CASES / kind).glob("*/predictions.tsv")):
            yield path.with_name("expected.txt"), told(test_tsv.case_report(path.parent))
    with tempfile.TemporaryDirectory() as place:
        for case in PUBLISHED:
            folder = Path(place) / case.name
            folder.mkdir()
            board = board_with((case / "published.yaml").read_text("utf-8"), folder)
            yield case / "expected.txt", told_of_published(board)
        yield MESSAGES, yaml.safe_dump(
            {table: dict(found(Path(tempfile.mkdtemp(dir=place))))
             for table, found in TABLES.items()},
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


def _yaml(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name, (content, _) in test_strict_yaml.REFUSED.items():
        yield name, [str(test_strict_yaml.refusal(content)).partition(":")[2]]


def _imports(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for case in test_board_import.FAULTS:
        yield case["case"], test_board_import.faults(folder, case["recipe"], case["files"])
    yield from test_board_import.misfits(folder)


def _others(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for number, case in enumerate(test_others.CASES["faults"]):
        yield case["case"], test_others.faults(folder / f"fault-{number}", case)
    yield from test_others.misfits(folder)


def _commands(folder: Path) -> Iterator[tuple[str, list[str]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(test_cli.folder_of_commands(folder))
        patch.setenv("WHYBOARD_HOME", str(folder / "home"))
        for command in (words for listed in test_cli.UNUSABLE.values() for words in listed):
            yield command, test_cli.run(*shlex.split(command)).err.splitlines()


def _metadata(folder: Path) -> Iterator[tuple[str, list[str]]]:
    yield from ((name, test_submission.words_of(name)) for name in test_submission.META_FAULTS)


def _task_files(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name, case in test_task_files.CASES.items():
        if case.found:
            yield name, _said(test_task_files.checked(case))


def _verdicts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for name, case in test_leaderboard.VERDICTS.items():
        found = test_leaderboard.of_case(case)
        yield name, [f"{code}: {text}" for code, text in test_leaderboard.sentences(found).items()]


def _said(report: CheckReport) -> list[str]:
    return [str(one).partition(":")[2] for one in (*report.notes, *report.problems)]


def _annotations(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for number, (name, case) in enumerate(test_annotation_files.FILES.items()):
        place = made(folder / f"file-{number}")
        checked = check_annotations(place, handed_in(place, case), author=case.get("author"),
                                    handed_in=True)
        if checked.kept:
            yield name, [str(line).removeprefix(f"{checked.path}:")
                         for line in checked.lines()]


def _batches(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for number, ((part, name), case) in enumerate(test_annotation_files.BATCHES.items()):
        found = test_annotation_files.problems_of(made(folder / f"batch-{number}"), part, case)
        yield f"{part}: {name}", [str(one).partition(".json:")[2] for one in found]


def _forms(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for number, (name, case) in enumerate(test_annotation_forms.REFUSED.items()):
        found = test_annotation_forms.problems_of(folder / f"form-{number}", case)
        yield name, [str(one).partition(".yaml:")[2] for one in found]


Table = Callable[[Path], Iterator[tuple[str, list[str]]]]
TABLES: Mapping[str, Table] = {"bytes of any file": _bytes, "graphs": _graphs, "YAML": _yaml,
                               "files of tasks": _task_files, "verdicts": _verdicts,
                               "values": lambda _: test_schema.all_refused(),
                               "board.yaml": test_board.wrong, "submission.yaml": _metadata,
                               "imports": _imports, "predictions by others": _others,
                               "commands": _commands, "annotators' files": _annotations,
                               "annotators' batches": _batches, "annotators' forms": _forms}


def main() -> int:
    """Write every file that says something else, and name it."""
    for path, text in texts():
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
