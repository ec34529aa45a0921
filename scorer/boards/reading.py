"""Finding boards and reading ``board.yaml`` and ``site.yaml``, reporting every problem.

Fields that only a person can fill in begin with PLACEHOLDER until somebody does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

from scorer.boards import others
from scorer.boards.others import Others
from scorer.boards.policy import FEWEST_ITEMS, chosen
from scorer.boards.recipes import of_recipe
from scorer.boards.records import Board, declaration, undeclared
from scorer.core.errors import Problem, SubmissionError, UsageError, counted, excerpt
from scorer.core.package_data import boards_folder, known_boards
from scorer.core.reading import schema, strict
from scorer.core.reading.values import Choice, Integer, Items
from scorer.tasks.registry import TASKS

FILE_NAME = "board.yaml"


def read(folder: Path, name: str = "", *, third_party: bool = True,
         ) -> tuple[Board | None, list[Problem]]:
    """Read ``folder/board.yaml``: the board or None, and every problem found.

    ``name``: that of the folder which it becomes, if another than it lies in. ``third_party``:
    whether with what others.yaml beside it adds.
    """
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
    faults = [Problem(str(path), 1, 1, "META-VALUE", *misfit)
              for misfit in misfits(board, name or folder.resolve().name)]
    path = folder / others.FILE_NAME
    if third_party and path.is_file():
        predictions, problems = _parsed_others(path.read_bytes(), str(path))
        faults += problems
        if predictions is not None:
            faults += [Problem(str(path), 1, 1, "META-VALUE", *misfit)
                       for misfit in others.misfits(board, predictions)]
            board = board if faults else others.with_others(board, predictions)
    return (None if faults else board), faults


_parsed_others = lru_cache(maxsize=64)(partial(schema.load, Others))


@lru_cache(maxsize=64)
def _parsed(path: str, content: bytes) -> tuple[Board | None, Sequence[Problem]]:
    """The fields that some bytes have: parsed once, however often a run asks for them."""
    root, problems = strict.read_yaml(content, path)
    if root is None:
        return None, problems
    named = root.value.get("task") if isinstance(root.value, dict) else None
    if named is None or not isinstance(named.value, str) or named.value not in TASKS:
        node = named or root
        return None, [Problem(path, node.line, node.column, "META-VALUE", "no known task",
                              "task: one of " + ", ".join(TASKS), "name the task")]
    board, problems = schema.of_node(declaration(TASKS[named.value]), root, path)
    return board and undeclared(board), problems


def load(name_or_path: str | Path, folder: Path | None = None, *, third_party: bool = True,
         ) -> Board:
    """A board by its name (looked up in ``folder``) or by the path of its folder.

    ``third_party``: whether with predictions by others, which take as long to read as the rest.
    Raises SubmissionError with every problem if board.yaml is wrong, UsageError if there is none.
    """
    parent = folder or boards_folder()
    path = Path(name_or_path)
    if not (path / FILE_NAME).is_file():
        path = parent / str(name_or_path)
    if not (path / FILE_NAME).is_file():
        known = ", ".join(known_boards(parent)) or "none"
        raise UsageError(f"no board {excerpt(str(name_or_path))}; choose one of: {known}, "
                         "or give the path of a folder with a board.yaml")
    board, problems = read(path, third_party=third_party)
    if board is None:
        raise SubmissionError(problems)
    return board


def load_all(folder: Path) -> list[Board]:
    """Every board of a folder, by name. Raises SubmissionError if one is wrong."""
    return [load(name, folder) for name in known_boards(folder)]


def for_task(name: str, folder: Path | None = None) -> str:
    """A board's name for a task's name: its first board that is not for practice; else the name.

    One whose files come as the task has them goes before those that are made of other files.

    >>> for_task("explanation_graphs")
    'explagraphs'
    """
    if name not in TASKS:
        return name
    fitting = [board for board in load_all(folder or boards_folder())
               if board.task_name == name and not board.practice]
    unmade = [board for board in fitting if all(recipe.split for recipe in board.recipes)]
    return next((board.id for board in (*unmade, *fitting)), name)


TEAMS = "teams"
"""The folder beside those of boards in which the owners of teams stand."""


def misfits(board: Board, name: str) -> list[tuple[str, str, str]]:
    """What each field allows by itself, but the whole does not: (found, expected, advice)."""
    faults: list[tuple[str, str, str]] = []
    if board.id != name or board.id == TEAMS:
        faults.append((f"id {board.id}", f"the folder's name {name}, and not {TEAMS}",
                       "rename one of them"))
    usable = {use.metric for use in board.task.metrics}
    faults += [(f"metric {metric}", f"a metric of {board.task_name}", "remove it")
               for metric in board.metrics if metric not in usable]
    faults += [(f"{where} {metric}", "one of the board's metrics", "add it to metrics")
               for where, metrics in (("ranking metric", board.ranking), ("column", board.columns))
               for metric in metrics if metric not in board.metrics]
    faults += board.task.misfits(board.metrics)
    columns, _ = board.task.gold_columns
    faults += [(f"two columns {column}", "columns of different names", "rename one of them")
               for column, times in Counter(columns).items() if times > 1]
    for split, described in board.splits.items():
        if described.gold == "public" and described.file is None:
            faults.append((f"split {split} with public gold and no file", "a file",
                           "name its file"))
        if described.gold_hmac is not None and described.gold != "hidden":
            faults.append((f"gold_hmac of split {split}", "gold: hidden", "remove gold_hmac"))
        elif described.gold_hmac is not None and chosen(board.release, described.rows) is None:
            faults.append((
                f"a grid of {board.release.grid} points for {counted(described.rows, 'row')} in "
                f"split {split}", f"hidden gold of {FEWEST_ITEMS} rows or more, and a grid of at "
                "least 2 / rows", "write grid: auto, or add items"))
    brought = {download.path for download in board.downloads}
    wanted = {split.file for split in board.splits.values()} | {
        people.file for split in board.splits.values()
        for people in (split.ratings, split.answers) if people}
    for recipe in board.recipes:
        if recipe.to not in wanted or recipe.to in brought:
            faults.append((f"an import to {recipe.to}", "the file of a split, of its ratings or "
                           "its answers, that is no download", "mend the path"))
        faults += [(f"an import of {file}", "one of the downloads", "add it to downloads")
                   for file in recipe.files if file and file not in brought]
        faults += of_recipe(recipe)
    return faults


PLACEHOLDER = "To fill in:"
"""How such a value begins."""
_MARKUP = re.compile(r"[\s>*#-]*(?:<[a-z][^<>]*>)?")
"""What a line of a page may have before its words."""


def is_open(text: str) -> bool:
    """Whether a value still waits.

    >>> is_open("To fill in: who runs this board."), is_open("A board of ours.")
    (True, False)
    """
    return text.lstrip().startswith(PLACEHOLDER)


def open_fields(board: Board) -> Iterator[tuple[int, str]]:
    """The line and name of every open field of board.yaml, in the order of the file."""
    values = {name: value for name, value in vars(board).items() if isinstance(value, str)}
    reasons = {f"reason of {item.rule} in {item.split}": item.reason for item in board.acknowledged}
    waiting = [name for name, value in {**values, **reasons}.items() if is_open(value)]
    lines = (board.folder / FILE_NAME).read_text("utf-8").split("\n")
    keys = {line.partition(":")[0]: number for number, line in enumerate(lines, start=1)}
    yield from sorted((keys.get("acknowledged" if name in reasons else name, 1), name)
                      for name in waiting)


def open_lines(root: Path) -> Iterator[tuple[str, int]]:
    """The path and line of every open text of the pages in ``site/`` of a repository."""
    for path in sorted((root / "site").rglob("*.md")):
        lines = path.read_text("utf-8", errors="replace").split("\n")
        yield from ((path.relative_to(root).as_posix(), number)
                    for number, line in enumerate(lines, start=1)
                    if is_open(_MARKUP.sub("", line, count=1)))


def described(root: Path, board: Board) -> list[str]:
    """Open fields of a board, a sentence each, with the file as it is called in the repository."""
    path = board.folder / FILE_NAME
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    return [f"{shown}:{line}: {name} is still to be filled in"
            for line, name in open_fields(board)]


SITE_FILE = "site.yaml"
"""The boards that a site is about, in order."""


@dataclass(frozen=True)
class SiteFile:
    """What a site says of its boards."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    boards: Annotated[tuple[Annotated[str, Choice((), "known")], ...], Items(1),
                      "The main boards by their ids, in the order of the front page. Others that "
                      "are not for practice follow as guests."]


def main_boards(folder: Path, known: Sequence[str]) -> tuple[str, ...] | None:
    """Ids of the main boards in their order; None if a folder of boards has no such file.

    ``known``: ids of boards that are not for practice. Raises SubmissionError with every problem.
    """
    path = folder / SITE_FILE
    if not path.is_file():
        return None
    site, problems = schema.load(SiteFile, path.read_bytes(), str(path), known=known)
    if problems:
        raise SubmissionError(problems)
    return tuple(site.boards)
