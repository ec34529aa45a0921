"""A new board from a like one and a folder of data: ``scorer board new``.

Asks nothing: what the data show is taken from them, the rest from the like board, and what only a
person knows is a placeholder that ``scorer board check`` names. All faults are told at once, and
nothing is written unless all is well.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scorer import board as boards
from scorer.adopting.written import commented
from scorer.board import Board, Split
from scorer.board.open_fields import PLACEHOLDER
from scorer.errors import DataError, Problem, SubmissionError, UsageError, counted
from scorer.files import sha256_file, write_atomically
from scorer.metrics.catalogue import METRICS
from scorer.reading.fields import is_slug, slug
from scorer.reading.tsv import LARGEST_FILE, ReadTable, read_file
from scorer.records import SPLITS
from scorer.tasks.registry import AnyTask

_PLACEHOLDERS = {
    "summary": "what a system is given and what it must answer, in one or two sentences.",
    "licence": "what may be done with the data, and who says so.",
    "attribution": "the line below every example: name, authors, licence.",
    "citation": "BibTeX to cite when the board is used.",
}


@dataclass(frozen=True)
class NewBoard:
    """A board that is not written yet."""

    name: str
    text: str
    """Of board.yaml."""
    files: Mapping[str, Path]
    """Data files by their splits."""
    found: tuple[str, ...]
    """What the data said, one line each."""
    more: Mapping[str, bytes] = field(default_factory=dict)
    """Further files of its data, by name."""


@dataclass
class _Found:
    """What was read of the data, and everything wrong with it."""

    splits: dict[str, Split] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, problems: Sequence[Problem], total: int) -> None:
        self.problems += problems
        self.total += total


def new(name: str, like: Board, data: Path, *, values: Mapping[str, Any] | None = None,
        remarks: Mapping[str, str] | None = None) -> NewBoard:
    """The board ``name`` for ``data/train.tsv``, ``dev.tsv`` and ``test.tsv``, those there are.

    Files have the gold columns of the task, or its input columns alone: such a split waits for
    hidden gold. ``values`` are fields of board.yaml that are known, ``remarks`` comments on
    fields. Raises SubmissionError with every fault, UsageError if there is no file.
    """
    files = {split: data / f"{split}.tsv" for split in SPLITS if (data / f"{split}.tsv").is_file()}
    if not files:
        raise UsageError(f"{data}: no data; put train.tsv, dev.tsv or test.tsv there, one item a "
                         f"line, columns: {_columns(like.task, like.settings)}")
    found = _Found()
    if not is_slug(name):
        found.add([Problem(name, 1, 1, "META-SLUG", "the board's name", slug().describe(),
                           "choose another name")], 1)
    rows = [row for path in files.values() for row in _looked_at(path)]
    fitted = like.task.fitted(like.settings, rows)
    for split, path in files.items():
        _read(like.task, fitted.settings, split, path, found)
    if found.total:
        raise SubmissionError(found.problems, found.total)
    said = [*fitted.found, *_about(found)]
    text = _text(name, like, fitted.settings, {"splits": found.splits, **(values or {})},
                 remarks or {})
    return NewBoard(name, text, files, tuple(said))


def write(board: NewBoard, folder: Path) -> Path:
    """Write the board below a folder of boards, whole or not at all; returns its folder.

    Raises UsageError if it is there already.
    """
    place = folder / board.name
    if place.exists():
        raise UsageError(f"{place} exists already; choose another name, or remove it first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as stage:
            made = Path(stage) / board.name
            write_atomically(made / boards.FILE_NAME, board.text.encode())
            (made / "data").mkdir()
            for split, path in board.files.items():
                shutil.copyfile(path, made / "data" / f"{split}.tsv")
            for file, content in board.more.items():
                write_atomically(made / "data" / file, content)
            _check(made, place)
            made.rename(place)
    except OSError as fault:
        raise DataError(f"{place}: cannot be written ({fault.strerror}); make room or choose "
                        "another folder") from fault
    return place


def _check(made: Path, place: Path) -> None:
    """Raise SubmissionError, as if the board stood in its place, if it could not be read there."""
    _, problems = boards.read(made)
    if problems:
        shown = str(place / boards.FILE_NAME)
        raise SubmissionError([replace(problem, path=shown) for problem in problems])


# ---- reading -------------------------------------------------------------------------------


def _looked_at(path: Path) -> list[list[str]]:
    """The fields of every line of a file, whatever is wrong with it."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE)
    text = content.decode("utf-8-sig", errors="replace")
    return [line.removesuffix("\r").split("\t") for line in text.split("\n") if line]


def _read(task: AnyTask, settings: Any, split: str, path: Path, found: _Found) -> None:
    """Add a split, or what is wrong with its file."""
    names = task.input_columns(settings)
    columns, optional = task.gold_columns(settings)
    looked = _looked_at(path)
    blind = bool(looked) and all(len(row) == len(names) for row in looked)
    table = read_file(path, names if blind else columns, optional=0 if blind else optional)
    golds = 1 if blind else _golds(task, settings, table, found)
    found.add(sorted(table.problems.kept), table.problems.total)
    found.splits[split] = Split(
        file=f"{split}.tsv", rows=len(table.rows), gold="hidden" if blind else "public",
        sha256=sha256_file(path), golds=golds)


def _golds(task: AnyTask, settings: Any, table: ReadTable, found: _Found) -> int:
    """How many gold answers an item has, at most; faults go to the table's problems."""
    most = 1
    for row in table.rows:
        gold = task.read_gold(settings, row, table.problems)
        if gold is not None:
            most = max(most, task.gold_count(gold))
    return most


def _columns(task: AnyTask, settings: Any) -> str:
    columns, optional = task.gold_columns(settings)
    must = columns[: len(columns) - optional]
    return ", ".join([*must, *(f"{name} (if any)" for name in columns[len(must) :])])


def _about(found: _Found) -> Iterator[str]:
    for name, split in found.splits.items():
        told = {1: "", 2: ", up to two golds an item"}.get(split.golds,
                                                         f", up to {split.golds} golds an item")
        if split.gold == "hidden":
            told = ", without gold: it waits for hidden gold (scorer handbook seal-your-labels)"
        yield f"{name}: {counted(split.rows, 'item')}{told}"


# ---- writing -------------------------------------------------------------------------------


def _text(name: str, like: Board, settings: Any, known: Mapping[str, Any],
          remarks: Mapping[str, str]) -> str:
    metrics = [metric for metric in like.metrics if _usable(like.task, settings, metric)]
    ranking = [metric for metric in like.ranking if metric in metrics] or metrics[:1]
    values = {
        "schema": 1, "id": name, "version": "1.0", "task": like.task_name,
        "title": name.replace("-", " ").capitalize(),
        **{field: f"{PLACEHOLDER} {what}" for field, what in _PLACEHOLDERS.items()},
        "links": (), "metrics": metrics, "ranking": ranking, "practice": False,
        "settings": settings, "downloads": (),
        "acknowledged": (), "release": like.release, "people": like.people,
        **known,
    }
    head = (f"# The board {name}, made like {like.id} by `scorer board new`. Edit it freely, then: "
            f"scorer board check {name}\n")
    return head + commented(boards.declaration(like.task), values,
                            {**_remarks(metrics), **remarks})


def _usable(task: AnyTask, settings: Any, metric: str) -> bool:
    """Whether a metric brings no misfit with it."""
    return len(task.misfits(settings, [metric])) <= len(task.misfits(settings, []))


def _remarks(metrics: Sequence[str]) -> dict[str, str]:
    judged = [metric for metric in metrics if METRICS[metric].judge]
    if not judged:
        return {}
    return {"metrics": f"{' and '.join(judged)} come from judges trained on another benchmark: "
            "measure one on your data first (scorer judge evaluate), or remove them."}
