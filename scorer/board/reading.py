"""Finding a board and reading its ``board.yaml``, with every problem told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from scorer.board.format import declaration
from scorer.board.misfits import misfits
from scorer.board.records import Board
from scorer.errors import Problem, SubmissionError, UsageError, excerpt
from scorer.reading import fields, strict_yaml
from scorer.tasks.registry import TASKS, AnyTask

FILE_NAME = "board.yaml"


def read(folder: Path) -> tuple[Board | None, list[Problem]]:
    """Read ``folder/board.yaml``: the board or None, and every problem found."""
    path = folder / FILE_NAME
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise UsageError(f"{path}: cannot be read ({fault.strerror}); "
                         "name a board or a folder with a board.yaml") from fault
    board, problems = _parsed(str(path), content)
    if board is None:
        return None, list(problems)
    board = replace(board, folder=folder)
    found = [Problem(str(path), 1, 1, "META-VALUE", *said) for said in misfits(board)]
    return (None if found else board), found


@lru_cache(maxsize=64)
def _parsed(path: str, content: bytes) -> tuple[Board | None, Sequence[Problem]]:
    """The fields that some bytes have: parsed once, however often a run asks for them."""
    root, problems = strict_yaml.read(content, path)
    if root is None:
        return None, problems
    task = _task_of(root, path, problems)
    if task is None:
        return None, problems
    return fields.load(declaration(task), content, path)


def _task_of(root: strict_yaml.Node, path: str, problems: list[Problem]) -> AnyTask | None:
    named = root.value.get("task") if isinstance(root.value, dict) else None
    if named is not None and isinstance(named.value, str) and named.value in TASKS:
        return TASKS[named.value]
    place = named or root
    problems.append(Problem(path, place.line, place.column, "META-VALUE", "no known task",
                            "task: one of " + ", ".join(TASKS), "name the task"))
    return None


def boards_folder() -> Path:
    """The boards that come with this program: in a checkout, or carried in the wheel."""
    package = Path(__file__).parent.parent
    carried = package / "_boards"
    return carried if carried.is_dir() else package.parent / "boards"


def load(name_or_path: str | Path, folder: Path | None = None) -> Board:
    """A board by its name (looked up in ``folder``) or by the path of its folder.

    Raises SubmissionError with every problem if board.yaml is wrong, UsageError if there is none.
    """
    place = folder or boards_folder()
    path = Path(name_or_path)
    if not (path / FILE_NAME).is_file():
        path = place / str(name_or_path)
    if not (path / FILE_NAME).is_file():
        known = ", ".join(known_boards(place)) or "none"
        raise UsageError(f"no board {excerpt(str(name_or_path))}; choose one of: {known}, "
                         "or give the path of a folder with a board.yaml")
    board, problems = read(path)
    if board is None:
        raise SubmissionError(problems)
    return board


def known_boards(folder: Path) -> list[str]:
    """The names of the boards in a folder."""
    return sorted(path.parent.name for path in folder.glob(f"*/{FILE_NAME}"))


def for_task(name: str, folder: Path | None = None) -> str:
    """A board's name for a task's name: its first board that is not for practice; else the name.

    >>> for_task("explanation_graphs")
    'explagraphs'
    """
    if name not in TASKS:
        return name
    place = folder or boards_folder()
    described = [load(known, place) for known in known_boards(place)]
    fitting = [board.id for board in described if board.task_name == name and not board.practice]
    return fitting[0] if fitting else name
