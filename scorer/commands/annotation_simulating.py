"""``scorer annotations simulate``: rehearse a batch."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import options, running
from scorer.commands.options import Action, option

if TYPE_CHECKING:
    from scorer.annotations.records import Form
    from scorer.annotations.simulating import Simulation
    from scorer.annotations.validate import Workplace

MOST = 100
"""Simulated annotators of one call."""
Opened = Callable[[argparse.Namespace], "Workplace"]


def actions(folder: Any, opened: Opened) -> tuple[Action, ...]:
    """The action. ``folder``: the option that names the folder of annotations; ``opened``
    reads it."""
    return (
        Action("simulate", "answer batches by drawn numbers, to rehearse the way to the pages",
               partial(_simulate, opened),
               "scorer annotations simulate verify-1 --annotators 3\n"
               "scorer annotations simulate verify-1 --rulings", (
                   option("batch", nargs="+", help="open batches; with --rulings, closed ones"),
                   option("--annotators", type=running.count, default=3, metavar="N",
                          help="so many, called simulated-1, simulated-2 ... (default: 3); each "
                          "item is answered by as many of them as it needs"),
                   option("--items", type=running.count, metavar="N",
                          help="answer the first N items of each batch (default: all)"),
                   option("--seed", type=int, default=1, help="what they say (default: 1)"),
                   option("--exported", metavar="TIME", help="when the first hands in, as "
                          "2026-11-21T03:50:00Z; the others follow by the minute (default: now)"),
                   option("--truth", type=Path, metavar="FILE", help="what is true of items that "
                          "are no board's: a gold file of their texts, label and graph"),
                   option("--written", type=Path, metavar="FILE", help="what there is to write, "
                          "where items are written: lines of a batch's text, the new item's texts, "
                          "and the label that people would give these"),
                   option("--rulings", action="store_true", help="settle what annotators of closed "
                          "batches disagree on instead"),
                   folder, options.boards, options.home)),
    )


def _simulate(opened: Opened, given: argparse.Namespace) -> int:
    """0 after writing the answers, or rulings, of simulated annotators."""
    from scorer.annotations import references, simulating
    from scorer.annotations.records import CLOSED, OPEN
    from scorer.errors import UsageError

    if given.annotators > MOST:
        raise UsageError(f"--annotators {given.annotators}: at most {MOST}; name fewer")
    workplace = opened(given)
    told = references.told_in(given.truth) if given.truth else {}
    writings = references.writings_in(given.written) if given.written else []
    told |= {one.texts: references.Reference(one.label, ()) for one in writings}
    known = references.References(workplace, partial(_golds, given), told)
    times = _times(given.exported, given.annotators)
    files: dict[Path, bytes] = {}
    for name in given.batch:
        batch = workplace.chosen(name, CLOSED if given.rulings else OPEN)
        one = simulating.Simulation(workplace, batch, known, given.seed, writings)
        files |= (_rulings(one, times[0]) if given.rulings
                  else _answers(one, given.annotators, times, given.items))
    _write(workplace, files, given.annotators)
    return 0


def _golds(given: argparse.Namespace, name: str, split: str) -> Any:
    from scorer import board as boards
    from scorer.annotations import making

    board = boards.load(name, given.boards)
    return board, making.golds_of(board, split, given.home)


def _times(first: str | None, count: int) -> list[str]:
    """When each annotator hands in. Raises UsageError for what is no time."""
    from datetime import UTC, datetime, timedelta

    from scorer.errors import UsageError, excerpt

    shape = "%Y-%m-%dT%H:%M:%SZ"
    try:
        start = datetime.now(UTC)
        if first:
            start = datetime.strptime(first, shape).replace(tzinfo=UTC)
        return [(start + timedelta(minutes=minute)).strftime(shape) for minute in range(count)]
    except (ValueError, OverflowError) as fault:
        raise UsageError(f"--exported {excerpt(str(first))}: no time in UTC such as "
                         "2026-11-21T03:50:00Z") from fault


def _answers(one: Simulation, annotators: int, times: Sequence[str], items: int | None
             ) -> dict[Path, bytes]:
    from scorer.annotations import sheets

    return {_path(one, one.form, annotation.annotator): sheets.content(
                one.form, one.batch, annotation)
            for annotation in one.annotations(annotators, times, items)}


def _rulings(one: Simulation, time: str) -> dict[Path, bytes]:
    from scorer.annotations import people, sheets, simulating

    form = next(form for form in one.workplace.forms.values() if form.adjudicates)
    found = simulating.rulings(one)
    if not found:
        print(f"{one.batch.name}: nothing to settle")
        return {}
    who = f"{people.SIMULATED}maintainer"
    return {_path(one, form, who): sheets.rulings_content(form, one.batch, who, time, found)}


def _path(one: Simulation, form: Form, who: str) -> Path:
    return one.workplace.folder / Path(form.path(one.batch.name, who)).relative_to("annotations")


def _write(workplace: Workplace, files: dict[Path, bytes], annotators: int) -> None:
    """Write files of simulated annotators, and their mark. Raises UsageError where one is there."""
    from scorer.errors import UsageError
    from scorer.files import write_atomically

    there = [path for path in files if path.exists() or path.is_symlink()]
    if there:
        raise UsageError(f"{there[0]} is there already; remove it first, or take another batch")
    if files:
        _mark(workplace, annotators)
    for file, content in files.items():
        write_atomically(file, content)
        print(f"{file}: simulated")


def _mark(workplace: Workplace, annotators: int) -> None:
    """Say of these annotators in annotators.yml that they are simulated."""
    from scorer.annotations import people, simulating
    from scorer.errors import DataError, UsageError
    from scorer.files import write_atomically

    listed, path = workplace.people, workplace.folder / people.FILE_NAME
    new = [login for number in range(1, annotators + 1)
           if (login := simulating.login(number)) not in listed]
    if not new:
        return
    before = path.read_bytes() if path.exists() else b""
    lines = "".join(f"{login}: {{simulated: yes}}\n" for login in new)
    end = b"\n" if before and not before.endswith(b"\n") else b""
    write_atomically(path, before + end + lines.encode())
    try:
        people.read(workplace.folder)
    except DataError as fault:
        write_atomically(path, before)
        raise UsageError(f"{path} is not written a line a login; add these lines yourself: "
                         f"{'; '.join(lines.splitlines())}") from fault
