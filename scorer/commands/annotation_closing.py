"""``scorer annotations close`` and ``withdraw``: end a batch, and take answers back after that."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.annotations.records import Batch, CountedFile
    from scorer.annotations.validate import Workplace

Opened = Callable[[argparse.Namespace], "Workplace"]


def actions(folder: Any, opened: Opened) -> tuple[Action, ...]:
    """The two actions. ``folder``: the option that names the folder of annotations; ``opened``
    reads it."""
    return (
        Action("close", "end batches: their answers are published, and new ones refused",
               partial(_close, opened), "scorer annotations close verify-1", (
                   option("batch", nargs="+", help="open batches"), folder)),
        Action("withdraw", "take an annotator's answers back, out of a closed batch too",
               partial(_withdraw, opened), "scorer annotations withdraw verify-1 octo-cat", (
                   option("batch", help="the batch"),
                   option("login", help="whose answers to it"), folder)),
    )


def _close(opened: Opened, given: argparse.Namespace) -> int:
    """0 after closing the batches."""
    from scorer.annotations.records import OPEN

    workplace = opened(given)
    for batch in [workplace.chosen(name, OPEN) for name in given.batch]:
        _close_batch(workplace, batch)
    return 0


def _close_batch(workplace: Workplace, batch: Batch) -> None:
    from scorer.annotations import closing
    from scorer.annotations.coverage import coverage
    from scorer.annotations.records import CountedFile
    from scorer.errors import counted
    from scorer.files import sha256_file

    folder, far = workplace.folder_of(batch), coverage(workplace, batch)
    answers = closing.in_order(workplace.annotations(batch),
                               closing.merge_order(folder) if folder.is_dir() else {})
    path = _write(workplace, batch, [
        CountedFile(one.annotator, sha256_file(folder / f"{one.annotator}.tsv"))
        for one in answers])
    print(f"{path}: closed; {far.finished} of {far.items} items have the {far.needed} answers "
          "that they need")
    if far.refused:
        print(f"{batch.name}: {counted(far.refused, 'file')} with errors will not count")


def _write(workplace: Workplace, batch: Batch, answers: list[CountedFile]) -> str:
    """Write which files count in a batch; returns where."""
    from scorer.annotations import closing
    from scorer.files import write_atomically

    path = closing.path_of(workplace.folder, batch.name)
    write_atomically(path, closing.content(batch.name, batch.sha256, answers))
    return str(path)


def _withdraw(opened: Opened, given: argparse.Namespace) -> int:
    """0 after taking the file away, and before that its name out of what counts."""
    from scorer.errors import UsageError, excerpt

    workplace = opened(given)
    batch, problems = workplace.batch(given.batch)
    if batch is None:
        found = problems[0].found if problems else "no such batch"
        raise UsageError(f"batch {excerpt(given.batch)}: {found}; name a sound one")
    named = list(batch.closing.answers) if batch.closing else []
    left = [one for one in named if one.annotator != given.login]
    file = next((path for path in workplace.files(batch) if path.stem == given.login), None)
    if file is None and left == named:
        raise UsageError(f"batch {batch.name} has no answers of {excerpt(given.login)}; those of "
                         f"{', '.join(path.stem for path in workplace.files(batch)) or 'nobody'}")
    if left != named:
        print(f"{_write(workplace, batch, left)}: without {given.login}")
    if file is not None:
        file.unlink()
        print(f"{file}: removed; figures change with the next scorer annotations aggregate")
    return 0
