"""The folder of a submission that answers are written to: what may stand there already."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.submission import FILE_NAME, Meta, read_meta, slug_problems
from scorer.core.errors import SubmissionError, UsageError
from scorer.core.reading.schema import of_node
from scorer.core.reading.strict_yaml import Node

FIELDS = {"system": "title", "team": "team", "date": "date"}
"""Fields of submission.yaml, and the options that fill them in."""


def check_folder(folder: Path, board: Board) -> None:
    """Raise an error unless the folder is one of a submission to the board."""
    path = folder.resolve()
    if path.parent.parent.name != board.id:
        raise UsageError(f"{folder}: no folder of a submission to {board.id}; with --out "
                         f"name submissions/{board.id}/<team>/<system>")
    problems = slug_problems(path.parent.name, path.name, str(folder), reserved=True)
    if problems:
        raise SubmissionError(problems)


def check_fields(values: Mapping[str, str | None]) -> None:
    """Raise UsageError for a value, by its field, that submission.yaml would not hold."""
    known = {name: Node(value, 1, 1) for name, value in values.items() if value is not None}
    for problem in of_node(Meta, Node(known, 1, 1), "")[1]:
        name, _, detail = problem.found.partition(": ")
        if name in known:
            raise UsageError(f"--{FIELDS[name]}: {detail}; expected {problem.expected}; "
                             f"{problem.advice}")


def existing(folder: Path, wanted: Mapping[str, Any]) -> Meta | None:
    """What a folder's submission.yaml says, if it has one.

    ``wanted``: fields that the new one will have. Raises UsageError if it says something else.
    """
    path = folder / FILE_NAME
    if not (path.exists() or path.is_symlink()):
        return None
    meta = read_meta(path, str(path))[0] if path.is_file() and not path.is_symlink() else None
    if meta is None or any(getattr(meta, name) != value for name, value in wanted.items()):
        raise differs(path)
    return meta


def differs(path: Path) -> UsageError:
    """What is said of a submission.yaml that would be overwritten."""
    return UsageError(f"{path} exists already and says something else; choose another folder, or "
                      "remove it")


def check_outside(option: str, path: Path, submission: Path) -> None:
    """Raise UsageError for a file to write that is a folder or would lie in the submission."""
    fault = ("is a folder" if path.is_dir() else "would lie in the submission, where only "
             "predictions may" if path.resolve().is_relative_to(submission.resolve()) else None)
    if fault:
        raise UsageError(f"{option} {path}: {fault}; name another file")
