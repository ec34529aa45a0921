"""A new board from a like one and a folder of data: ``scorer board new``.

What the data show is taken from them, the rest from the like board, and what only a person knows is
a placeholder that ``scorer board check`` names. All faults are listed at once, and nothing is
written unless all is well.

A file of declared fields is written as YAML that explains itself, every field with its meaning: the
other direction of ``schema.load``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic_core import to_jsonable_python

from scorer import boards
from scorer.boards import Board, Split
from scorer.boards.reading import PLACEHOLDER
from scorer.core.errors import DataError, Problem, SubmissionError, UsageError, counted
from scorer.core.files import new_folder, sha256_file, write_atomically
from scorer.core.reading.schema import Schema, describe, described, resolved
from scorer.core.reading.tsv import LARGEST_FILE, Problems, open_file, read_rows
from scorer.core.reading.values import SLUG, is_slug
from scorer.core.records import SPLITS
from scorer.metrics.catalogue import METRICS
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
    files: Mapping[str, bytes]
    """Of its folder of data, by name."""
    notes: tuple[str, ...]
    """What the data show, one line each."""


def new(name: str, like: Board, data: Path, *, values: Mapping[str, Any] | None = None,
        remarks: Mapping[str, str] | None = None) -> NewBoard:
    """The board ``name`` for ``data/train.tsv``, ``dev.tsv`` and ``test.tsv``, those there are.

    Files have the gold columns of the task, or its input columns alone: such a split waits for
    hidden gold. ``values`` are fields of board.yaml that are known, ``remarks`` comments on
    fields. Raises SubmissionError with every fault, UsageError if there is no file.
    """
    files = {split: data / f"{split}.tsv" for split in SPLITS if (data / f"{split}.tsv").is_file()}
    if not files:
        columns, optional = like.task.gold_columns
        must = columns[: len(columns) - optional]
        named = [*must, *(f"{column} (if any)" for column in columns[len(must) :])]
        raise UsageError(f"{data}: no data; put train.tsv, dev.tsv or test.tsv there, one item a "
                         f"line, columns: {', '.join(named)}")
    problems: list[Problem] = []
    if not is_slug(name):
        problems.append(Problem(name, 1, 1, "META-SLUG", "the board's name", SLUG.words,
                                "choose another name"))
    total = len(problems)
    settings, notes = like.task.fitted([row for path in files.values() for row in _raw(path)])
    made = replace(like, settings=settings)
    splits: dict[str, Split] = {}
    for split, path in files.items():
        splits[split], faults = _split(made.task, path)
        problems += sorted(faults.kept)
        total += faults.total
    if total:
        raise SubmissionError(problems, total)
    text = _text(name, made, {"splits": splits, **(values or {})}, remarks or {})
    return NewBoard(name, text, {path.name: path.read_bytes() for path in files.values()},
                    (*notes, *_sizes(splits)))


def write(board: NewBoard, folder: Path) -> Path:
    """Write the board below a folder of boards, whole or not at all; returns its folder.

    Raises UsageError if it is there already, SubmissionError if it could not be read there.
    """
    path = folder / board.name
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name, or remove it first")
    try:
        with new_folder(path) as made:
            write_atomically(made / boards.FILE_NAME, board.text.encode())
            for file, content in board.files.items():
                write_atomically(made / "data" / file, content)
            _, problems = boards.read(made, path.name)
            if problems:
                shown = str(path / boards.FILE_NAME)
                raise SubmissionError([replace(problem, path=shown) for problem in problems])
    except OSError as fault:
        raise DataError(f"{path}: cannot be written ({fault.strerror}); make room or choose "
                        "another folder") from fault
    return path


# ---- reading -------------------------------------------------------------------------------


def _raw(path: Path) -> list[list[str]]:
    """The fields of every line of a file, whatever is wrong with it."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE)
    text = content.decode("utf-8-sig", errors="replace")
    return [line.removesuffix("\r").split("\t") for line in text.split("\n") if line]


def _split(task: AnyTask, path: Path) -> tuple[Split, Problems]:
    """What a file is as a split of a board, and what is wrong with it."""
    names = task.input_columns
    columns, optional = task.gold_columns
    rows = _raw(path)
    blind = bool(rows) and all(len(row) == len(names) for row in rows)
    table = read_rows(open_file(path), names if blind else columns,
                      optional=0 if blind else optional)
    golds = 1
    if not blind:
        items = [task.read_gold(row, table.problems) for row in table.rows]
        golds = max((task.gold_count(gold) for gold in items if gold is not None), default=1)
    return Split(file=path.name, rows=len(table.rows), gold="hidden" if blind else "public",
                 sha256=sha256_file(path), golds=golds), table.problems


def _sizes(splits: Mapping[str, Split]) -> Iterator[str]:
    for name, split in splits.items():
        more = {1: "", 2: ", up to two golds an item"}.get(split.golds,
                                                           f", up to {split.golds} golds an item")
        if split.gold == "hidden":
            more = ", without gold: it waits for hidden gold (scorer handbook hidden-gold)"
        yield f"{name}: {counted(split.rows, 'item')}{more}"


# ---- writing -------------------------------------------------------------------------------


def _text(name: str, like: Board, known: Mapping[str, Any], remarks: Mapping[str, str]) -> str:
    task = like.task
    metrics = [metric for metric in like.metrics  # those that bring no misfit with them
               if len(task.misfits([metric])) <= len(task.misfits([]))]
    ranking = [metric for metric in like.ranking if metric in metrics] or metrics[:1]
    if judged := [metric for metric in metrics if METRICS[metric].judge]:
        remarks = {"metrics": f"{' and '.join(judged)} come from judges trained on another "
                   "benchmark: measure one on your data first (scorer judge evaluate), or remove "
                   "them.", **remarks}
    values = {
        "schema": 1, "id": name, "version": "1.0", "task": like.task_name,
        "title": name.replace("-", " ").capitalize(),
        **{field: f"{PLACEHOLDER} {what}" for field, what in _PLACEHOLDERS.items()},
        "links": (), "metrics": metrics, "ranking": ranking, "practice": False,
        "settings": like.settings, "downloads": (),
        "acknowledged": (), "release": like.release, "people": like.people,
        **known,
    }
    head = (f"# The board {name}, made like {like.id} by `scorer board new`. Edit it freely, then: "
            f"scorer board check {name}\n")
    return head + commented(boards.declaration(type(task)), values, remarks)


WIDTH = 96


class _Dumper(yaml.SafeDumper):
    """Writes yes and no, and text of several lines as such."""


_Dumper.add_representer(bool, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:bool", "yes" if value else "no"))
_Dumper.add_representer(str, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:str", value, style="|" if "\n" in value else None))


def commented(kind: type, values: Any, remarks: Mapping[str, str] | None = None) -> str:
    """The fields of a record with their values, each below a comment that says what it means.

    ``values`` is a mapping or an object with one attribute a field; what is optional and None is
    shown as a comment. ``remarks`` says more of a field, by its name.
    """
    whole = described(kind)
    return _fields(whole, whole, to_jsonable_python(values), remarks or {})


def _fields(record: Schema, whole: Schema, values: Mapping[str, Any], remarks: Mapping[str, str]
            ) -> str:
    text = ""
    for name, field in resolved(record, whole)["properties"].items():
        schema, value = resolved(field, whole), values.get(name)
        for comment in (schema["description"], remarks.get(name, "")):
            lines = textwrap.wrap(comment, WIDTH, initial_indent="# ", subsequent_indent="# ")
            text += "".join(f"{line}\n" for line in lines)
        if value is None:
            text += f"# {name}:  # {describe(schema, whole)}\n"
        elif "properties" in schema:
            key = _dump({name: {}}).partition(":")[0]
            text += f"{key}:\n{textwrap.indent(_fields(schema, whole, value, {}), '  ')}"
        else:
            text += _dump({name: _short(schema, whole, value)})
    return text


def _dump(document: Any) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def _short(schema: Schema, whole: Schema, value: Any) -> Any:
    """A value without what is optional and says nothing new."""
    schema = resolved(schema, whole)
    if "properties" in schema:
        short = {name: _short(field, whole, value[name])
                 for name, field in schema["properties"].items()
                 if value.get(name) is not None}
        return {name: part for name, part in short.items() if name in schema["required"]
                or part != schema["properties"][name].get("default")}
    word, *several = schema.get("anyOf", (schema,))
    if "const" in word and not value:
        return word["const"]
    if isinstance(value, list):
        return [_short([word, *several][-1]["items"], whole, part) for part in value]
    if isinstance(value, Mapping):
        return {key: _short(schema["additionalProperties"], whole, part)
                for key, part in value.items()}
    return value
