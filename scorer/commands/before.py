"""What ``scorer predict`` checks before it works, and whether what it writes saw dev gold."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.boards.submission import Meta
    from scorer.lab.systems.records import Trained

FIELDS = {"title": "system", "team": "team", "date": "date"}
"""Options, and the fields of submission.yaml that they fill in."""
PREDICTIONS, OTHERS = ("labels", "graphs"), ("external", "knowledge", "inferences")
"""Options that name files: of predictions, and of anything else."""


def check_fields(given: argparse.Namespace) -> None:
    """Raise UsageError for an option that its field of submission.yaml would not hold."""
    from scorer.boards.submission import Meta
    from scorer.core.errors import UsageError
    from scorer.core.reading.schema import of_node
    from scorer.core.reading.strict_yaml import Node

    options = {name: option for option, name in FIELDS.items()
               if getattr(given, option) is not None}
    values = {name: Node(getattr(given, option), 1, 1) for name, option in options.items()}
    for problem in of_node(Meta, Node(values, 1, 1), "")[1]:
        name, _, found = problem.found.partition(": ")
        if name in options:
            raise UsageError(f"--{options[name]}: {found}; expected {problem.expected}; "
                             f"{problem.advice}")


def check_triplets(given: argparse.Namespace) -> None:
    """Raise UsageError unless ``--triplets`` can be written and harms no other file."""
    from scorer.core.errors import UsageError

    path = given.triplets
    if path is None:
        return
    if given.split[1:]:
        raise UsageError("--triplets FILE takes one split; ask for the splits one by one")
    place = path.resolve()
    above = next(one for one in place.parents if one.exists())
    others = [getattr(given, name) for name in (*PREDICTIONS, "knowledge")]
    fault = (
        "is a folder" if place.is_dir()
        else "would lie in the submission, where only predictions may" if
        place.is_relative_to(given.out.resolve())
        else "is read too" if place in [one.resolve() for one in others if one is not None]
        else "cannot be written" if not (above.is_dir() and os.access(above, os.W_OK)) else None)
    if fault:
        raise UsageError(f"--triplets {path}: {fault}; name another file")


def existing(folder: Path, wanted: Mapping[str, Any], date: str | None) -> Meta | None:
    """What a folder's submission.yaml says, if it has one.

    ``wanted``: fields that the new one will have; ``date``: that one, if it was asked for. Raises
    UsageError if the file says something else.
    """
    from scorer.boards.submission import FILE_NAME, read_meta

    path = folder / FILE_NAME
    if not (path.exists() or path.is_symlink()):
        return None
    found = read_meta(path, str(path))[0] if path.is_file() and not path.is_symlink() else None
    known = {**wanted, **({"date": date} if date else {})}
    if found is None or any(getattr(found, name) != value for name, value in known.items()):
        raise differs(path)
    return found


def differs(path: Path) -> Exception:
    """What is said of a submission.yaml that would be overwritten."""
    from scorer.core.errors import UsageError

    return UsageError(f"{path} exists already and says something else; choose another folder, or "
                      "remove it")


class Saw(NamedTuple):
    """Whether predictions saw dev gold."""

    value: str
    """As submission.yaml says it."""
    unknown: tuple[str, ...]
    """What nobody here knows the making of."""


def learned_from_train(one: Trained, board: Board, home: Path) -> bool:
    """Whether a model learned from the board's train split alone, or comes with the program."""
    from scorer.lab.systems import records

    ships = {records.read(folder).weights for folder in records.shipped().values()}
    train = _digest(board, "train", home) if "train" in board.splits else None
    return one.weights in ships or (train is not None and one.data.get("train") == train)


def saw_dev_gold(given: argparse.Namespace, board: Board, used: Sequence[Trained]) -> Saw:
    """No where that is known, or where nothing speaks against the user who says so; else yes.

    ``used``: models that were asked. Raises UsageError if the user says no and it is yes.
    """
    from scorer.core.errors import UsageError

    saw, unknown = list[str](), list[str]()
    golds = {_digest(board, name, given.home) for name in board.splits if name != "train"} - {None}
    for one in used:
        if one.trained_parameters and not learned_from_train(one, board, given.home):
            notes = saw if one.data.get("train") in golds else unknown
            notes.append(f"what {one.system} learned from")
    for name in PREDICTIONS:
        path = getattr(given, name)
        known = False if path is None else _saw(path, given.split)
        if known is not False:
            (saw if known else unknown).append(f"--{name} {path}")
    unknown += [f"--{name} {value}" for name in OTHERS
                if (value := getattr(given, name)) is not None
                and str(value) not in ("none", "retrieved")]
    if given.saw_dev_gold == "no" and saw:
        raise UsageError(f"--saw-dev-gold no, but dev gold is in {' and in '.join(saw)}; leave "
                         "the option out")
    return Saw(given.saw_dev_gold or ("yes" if saw or unknown else "no"), tuple(unknown))


def _digest(board: Board, split: str, home: Path) -> str | None:
    """SHA-256 of a split's gold; None if nobody here knows it."""
    from scorer.core.files import sha256_file

    asked = board.split(split)
    path = board.data_file(split, home) if asked.gold == "public" else None
    return asked.sha256 or (sha256_file(path) if path is not None else None)


def _saw(path: Path, splits: Sequence[str]) -> bool | None:
    """What is said beside a submission's predictions; None where nothing is."""
    from scorer.boards.submission import FILE_NAME, predictions_path, read_meta

    beside = path.parent / FILE_NAME
    if path not in [predictions_path(path.parent, split) for split in splits]:
        return None
    if not beside.is_file() or beside.is_symlink():
        return None
    found = read_meta(beside, str(beside))[0]
    return None if found is None else found.saw_dev_gold
