"""Finding a board and reading its ``board.yaml``, with every problem told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from scorer.board.format import declaration
from scorer.board.policy import FEWEST_ITEMS, chosen
from scorer.board.recipes import (
    CSV,
    JSON,
    JSONL,
    KEY,
    LISTING,
    OUTER,
    STEPS,
    TRIPLES,
    TSV,
    Recipe,
    Source,
)
from scorer.board.records import Board, Split
from scorer.errors import Problem, SubmissionError, UsageError, counted, excerpt
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
    return fields.of_node(declaration(task), root, path)


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
    return min(fitting, key=lambda board: bool(board.recipes)).id if fitting else name


LEDGER_FILES = ("history", "owners", "queries")
"""What files of the ledger are called beside those of boards."""


def misfits(board: Board) -> list[tuple[str, str, str]]:
    """What each field allows by itself, but the whole does not: (found, expected, advice)."""
    found: list[tuple[str, str, str]] = []
    if board.id != board.folder.resolve().name:
        found.append((f"id {board.id}", f"the folder's name {board.folder.resolve().name}",
                      "rename one of them"))
    if board.id in LEDGER_FILES:
        found.append((f"id {board.id}", "a name that no other file of the ledger has",
                      f"choose another than {', '.join(LEDGER_FILES)}"))
    usable = {use.metric for use in board.task.metrics}
    for metric in [*board.metrics, *board.ranking]:
        if metric not in usable:
            found.append((f"metric {metric}", f"a metric of {board.task_name}", "remove it"))
    found += [(f"ranking metric {metric}", "one of the board's metrics", "add it to metrics")
              for metric in board.ranking if metric not in board.metrics]
    found += board.task.misfits(board.settings, board.metrics)
    columns, _ = board.task.gold_columns(board.settings)
    found += [(f"two columns {name}", "columns of different names", "rename one of them")
              for name in dict.fromkeys(columns) if list(columns).count(name) > 1]
    found += [(f"split {name} with public gold and no file", "a file", "name its file")
              for name, split in board.splits.items()
              if split.gold == "public" and split.file is None]
    found += [fault for name, split in board.splits.items()
              for fault in _of_hidden(board, name, split)]
    found += [(f"third-party predictions for {row.split}", "a split of the board",
               "add it to splits") for row in board.third_party if row.split not in board.splits]
    found += [(f"an import for {one.split}", "a split of the board", "add it to splits")
              for one in board.imports if one.split not in board.splits]
    for one in board.imports:
        given = tuple(file.role for file in one.files)
        if given not in board.task.gold_roles:
            known = " or ".join(" + ".join(together) for together in board.task.gold_roles)
            found.append((f"an import of {' + '.join(given)}", known, "name all roles, in order"))
    named = [(one.split, one.rule) for one in board.acknowledged]
    found += [(f"gold of {split} acknowledged", "a split with public gold", "remove it")
              for split, _ in dict.fromkeys(named)
              if split not in board.splits or board.splits[split].gold != "public"]
    found += [(f"{rule} of {split} acknowledged twice", "one entry a split and rule",
               "put them together") for (split, rule), times in Counter(named).items() if times > 1]
    found += [(f"people's answers to {name}", "a board that asks for a label", "remove them")
              for name, split in board.splits.items() if split.answers and not board.labels]
    return found + _of_recipes(board)


def _of_recipes(board: Board) -> list[tuple[str, str, str]]:
    """The same for the files that are made of downloads."""
    brought = {one.path for one in board.downloads}
    wanted = {split.file for split in board.splits.values()} | {
        row.path for row in board.third_party} | {
        people.file for split in board.splits.values()
        for people in (split.ratings, split.answers) if people}
    places = [recipe.to for recipe in board.recipes]
    found = [(f"an import to {place} twice", "one a file", "remove one of them")
             for place, times in Counter(places).items() if times > 1]
    for recipe in board.recipes:
        if recipe.to not in wanted or recipe.to in brought:
            found.append((f"an import to {recipe.to}", "the file of a split, of its ratings or "
                          "its answers, or the path of predictions by others, that is no download",
                          "mend the path"))
        found += [(f"an import of {name}", "one of the downloads", "add it to downloads")
                  for name in recipe.files if name not in brought]
        found += _of_paths(recipe) + _of_columns(recipe)
        for source in (recipe.source, *(one.source for one in recipe.join)):
            found += _of_source(source)
    return found


def _of_paths(recipe: Recipe) -> list[tuple[str, str, str]]:
    """The same for paths that lead into other records, and the names by which they do."""
    names = [one.name for one in recipe.join]
    found = [(f"two joins {name}", "joins of different names", "rename one of them")
             for name in dict.fromkeys(names) if names.count(name) > 1
             or f"@{name}" in (KEY, OUTER)]
    around, *others = ([OUTER[1:]] if one.each else []
                       for one in (recipe.source, *(one.source for one in recipe.join)))
    led = [*((one.each or one.field, [*around, *names]) for one in recipe.columns),
           *((one.field, around) for one in recipe.where),
           *((one.matches, around) for one in recipe.join),
           *((one.key, other) for one, other in zip(recipe.join, others, strict=True))]
    return found + [
        (f"field {path}", "@key, @record where the source has `each`, or behind @ the name of a "
         "join where a column is taken from it", "mend the path") for path, known in led
        if path[0] == "@" and path != KEY and path[1:].partition(".")[0] not in known]


def _of_columns(recipe: Recipe) -> list[tuple[str, str, str]]:
    """The same for fields of columns that do not go together."""
    counts = {TRIPLES: (0, 3), LISTING: (0, 1, 2)}
    found = []
    for one in recipe.columns:
        if (one.form == STEPS) != (one.steps is not None):
            found.append((f"column {one.name} of form {one.form}",
                          "the field steps, and no other form's",
                          "add steps, or choose another form"))
        found += [(f"column {one.name} with `optional` and {more}",
                   "optional columns by themselves", "remove one of them")
                  for more in ("default", "each")
                  if one.optional and getattr(one, more) is not None]
        if len(one.parts) not in counts.get(one.form, (0,)):
            found.append((
                f"{counted(len(one.parts), 'part')} in column {one.name} of form {one.form}",
                "three for triples, one or two for a listing, none for another form",
                "mend parts"))
    return found


def _of_source(source: Source) -> list[tuple[str, str, str]]:
    """The same for what a source's format has no use for."""
    given = (("records", source.records, (JSON,)), ("each", source.each, (JSON, JSONL)),
             ("header", source.header, (TSV, CSV)), ("quotes", source.quotes, (TSV, CSV)))
    return [(f"{name} of a source of format {source.format}",
             f"that field for {' or '.join(formats)} alone", "remove it, or mend the format")
            for name, value, formats in given if value and source.format not in formats]


def _of_hidden(board: Board, name: str, split: Split) -> list[tuple[str, str, str]]:
    """The same for the hidden gold of one split."""
    if split.gold_hmac is None:
        return []
    if split.gold != "hidden":
        return [(f"gold_hmac of split {name}", "gold: hidden", "remove gold_hmac")]
    if chosen(board.release, split.rows) is not None:
        return []
    if split.rows < FEWEST_ITEMS:
        return [(f"hidden gold of {split.rows} rows in split {name}", f"at least {FEWEST_ITEMS}",
                 "make the gold public, or add items")]
    return [(f"a grid of {board.release.grid} points for {split.rows} rows in split {name}",
             "at least 2 / rows", "write grid: auto")]
