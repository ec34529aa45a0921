"""Which logs are compared: two that are named, or those of the same tasks in two folders."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import UsageError, excerpt
from scorer.lab.logs import inspect_logs, lm_eval_logs
from scorer.lab.logs.gathering import Log
from scorer.lab.logs.reading import Budget, LogFault

MOST_LISTED = 20
"""Logs of a task that are written out."""
_ELSE = "name two logs, or add --board and --split to compare submissions"


class Chosen(NamedTuple):
    """Two logs of each task, and what a reader should know of the choice."""

    pairs: list[tuple[Log, Log]]
    notes: list[str]


class _Folder(NamedTuple):
    """What a folder has: task -> its logs, how each is described, and notes."""

    path: Path
    logs: Mapping[str, Sequence[Path]]
    described: Mapping[Path, str]
    notes: Sequence[str]

    def of(self, task: str) -> Path:
        """The one log of a task. Raises UsageError, with the list, where there are several."""
        if task not in self.logs:
            raise LogFault(str(self.path), f"no log of {_named(task)}; it has {_tasks(self.logs)}",
                           "name two logs of one task")
        logs = self.logs[task]
        if len(logs) > 1:
            lines = [f"  {self.described[path]}" for path in logs[:MOST_LISTED]]
            lines += [f"  and {len(logs) - MOST_LISTED} more"] if logs[MOST_LISTED:] else []
            raise UsageError("\n".join([
                f"{self.path} has {len(logs)} logs of {_named(task)}; name one:", *lines]))
        return logs[0]


def looks_like_a_log(path: Path) -> bool:
    """Whether a path is, or holds, what may be a log."""
    return path.suffix in (".eval", ".json", ".jsonl") or (
        path.is_dir() and any((*path.glob("samples_*.jsonl"), *path.glob("*/samples_*.jsonl"),
                               *path.glob("*.eval"), *path.glob("*.json"))))


def chosen(a: Path, b: Path, cluster: str | None) -> Chosen:
    """The logs that two paths name: two logs, a log and that of its task in a folder, or those of
    every task that two folders have. Raises UsageError."""
    if a == b:
        raise UsageError(f"{a} twice; name two logs")
    budgets = Budget(), Budget()
    one, two = (_folder(path) if path.is_dir() else _log(path, budget, cluster)
                for path, budget in zip((a, b), budgets, strict=True))
    if isinstance(one, Log) and isinstance(two, Log):
        return Chosen([(one, two)], [])
    if isinstance(one, Log):
        assert isinstance(two, _Folder)
        return Chosen([(one, _beside(one, two, budgets[1], cluster))], [*two.notes])
    if isinstance(two, Log):
        return Chosen([(_beside(two, one, budgets[0], cluster), two)], [*one.notes])
    both = [task for task in one.logs if task in two.logs]
    if not both:
        raise UsageError(f"no task has logs in both folders: A has {_tasks(one.logs)}, B has "
                         f"{_tasks(two.logs)}; name two logs, or run lm_eval with --log_samples")
    paths = [(one.of(task), two.of(task)) for task in both]
    alone = [f"only {side} has logs of {_tasks(names)}"
             for side, names in (("A", one.logs.keys() - two.logs.keys()),
                                 ("B", two.logs.keys() - one.logs.keys())) if names]
    return Chosen([(_log(first, budgets[0], cluster), _log(second, budgets[1], cluster))
                   for first, second in paths],
                  [*one.notes, *two.notes, *alone])


def _beside(log: Log, folder: _Folder, budget: Budget, cluster: str | None) -> Log:
    """The log of the same task in a folder."""
    only = not log.task and len(folder.logs) == 1
    return _log(folder.of(next(iter(folder.logs)) if only else log.task), budget,
                cluster)


def _folder(path: Path) -> _Folder:
    """The logs of a folder: samples of lm-evaluation-harness, else logs of inspect_ai."""
    samples = lm_eval_logs.found_in(path)
    if samples:
        return _Folder(path, {task: [file] for task, file in samples.items()}, {}, [])
    logs, notes = inspect_logs.found_in(path)
    if not logs:
        raise LogFault(str(path), "no logs", "\n".join([_ELSE, *notes]))
    return _Folder(path, {task: [one.path for one in listed] for task, listed in logs.items()},
                   {one.path: str(one) for listed in logs.values() for one in listed}, notes)


def _log(path: Path, budget: Budget, cluster: str | None) -> Log:
    """The log at a path. Raises LogFault."""
    if path.suffix == ".jsonl":
        return lm_eval_logs.read(path, budget, cluster)
    if path.suffix in (".eval", ".json"):
        return inspect_logs.read(path, budget, cluster)
    raise LogFault(str(path), "neither .eval, .json nor .jsonl", _ELSE)


def _named(task: str) -> str:
    """A task in messages."""
    return f"the task {excerpt(task)}" if task else "a task that is not named"


def _tasks(names: Collection[str] | Iterable[str]) -> str:
    known = sorted(names)
    return ", ".join(known[:5]) + (
        f" and {len(known) - 5} more" if len(known) > 5 else "") or "none"
