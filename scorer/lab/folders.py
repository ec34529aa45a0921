"""Folders that are written to: what may stand there already, and what a run was made with."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.submission import FILE_NAME, Meta, read_meta, slug_problems
from scorer.core.errors import NotMeasured, SubmissionError, UsageError
from scorer.core.reading.schema import of_node
from scorer.core.reading.strict import Node

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


# ---- what is trained --------------------------------------------------------------------------


MADE_WITH = ("torch", "transformers", "peft", "safetensors", "tokenizers")
MOST = 5
"""Differences that are named."""


def machine() -> str:
    """The machine's kind in words, such as ``2 CPU cores, x86_64``: no name, no path."""
    import torch

    if torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    return processor()


def processor() -> str:
    """The same where no accelerator is used."""
    return f"{len(os.sched_getaffinity(0))} CPU cores, {platform.machine()}"


def versions(names: Sequence[str] = MADE_WITH) -> dict[str, str]:
    """The libraries' versions. Raises NotMeasured for one that is missing."""
    numbers = {"python": platform.python_version()}
    for name in names:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError as missing:
            raise NotMeasured(f"training needs {name}: pip install 'whyboard[models]'") from missing
    return numbers


def check_same(folder: Path, what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UsageError, naming the differences, unless what lies in a folder is of the same."""
    changes = differences(then, now)
    if changes:
        raise UsageError(f"{folder}: {what} lies there, with {'; '.join(changes[:MOST])}; choose "
                         "another folder with --out, or remove that one")


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What has another value, at any depth.

    >>> differences({"seed": 5, "settings": {"epochs": 4, "rank": 8}},
    ...             {"seed": 6, "settings": {"epochs": 2, "rank": 8}, "base": "0" * 64})
    ['base none, now 000000000000...', 'seed 5, now 6', 'epochs 4, now 2']
    """
    changes = []
    for name in sorted({*then, *now}):
        before, other = then.get(name), now.get(name)
        if isinstance(before, Mapping) and isinstance(other, Mapping):
            changes += differences(before, other)
        elif before != other:
            changes.append(f"{name} {_shown(before)}, now {_shown(other)}")
    return changes


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = str(value)
    is_digest = len(text) == 64 and not {*text} - {*"0123456789abcdef"}
    return f"{text[:12]}..." if is_digest else text[:100]
