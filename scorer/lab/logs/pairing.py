"""Which logs are compared: two that are named, or those of the same tasks in two folders.

Then which samples both have, and what was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import UsageError, counted, excerpt
from scorer.lab.logs import inspect_logs, lm_eval_logs
from scorer.lab.logs.gathering import Log, Sample
from scorer.lab.logs.reading import Budget, LogFault

MOST_LISTED = 20
"""Logs of a task that are written out."""
_ELSE = "name two logs or two folders, or add --board and --split to compare submissions"


class _Folder(NamedTuple):
    """What a folder has: task -> its logs and how each is described; and notes."""

    path: Path
    logs: Mapping[str, Mapping[Path, str]]
    notes: Sequence[str]

    def of(self, task: str) -> Path:
        """The one log of a task that it has. Raises UsageError where there are several."""
        first, *more = logs = self.logs[task]
        if more:
            lines = [f"  {described}" for described in logs.values()][:MOST_LISTED]
            lines += [f"  and {len(logs) - MOST_LISTED} more"] if len(logs) > MOST_LISTED else []
            raise UsageError("\n".join([
                f"{self.path} has {len(logs)} logs of {_task(task)}; name one:", *lines]))
        return first


def looks_like_a_log(path: Path) -> bool:
    """Whether a path is, or holds, what may be a log."""
    return path.suffix in (".eval", ".json", ".jsonl") or (
        path.is_dir() and any((*path.glob("samples_*.jsonl"), *path.glob("*/samples_*.jsonl"),
                               *path.glob("*.eval"), *path.glob("*.json"))))


def chosen(a: Path, b: Path, cluster: str | None) -> tuple[list[tuple[Log, Log]], list[str]]:
    """The logs that two paths name: two logs, or those of every task that two folders have; and
    what a reader should know of the choice.

    Raises UsageError.
    """
    if a == b:
        raise UsageError(f"{a} twice; name two logs")
    budgets = Budget(), Budget()
    if not (a.is_dir() and b.is_dir()):
        return [(_log(a, budgets[0], cluster), _log(b, budgets[1], cluster))], []
    one, two = _folder(a), _folder(b)
    both = [task for task in one.logs if task in two.logs]
    if not both:
        raise UsageError(f"no task has logs in both folders: A has {_tasks(one.logs)}, B has "
                         f"{_tasks(two.logs)}; name two logs, or run lm_eval with --log_samples")
    paths = [(one.of(task), two.of(task)) for task in both]
    alone = [f"only {side} has logs of {_tasks(names)}"
             for side, names in (("A", one.logs.keys() - two.logs.keys()),
                                 ("B", two.logs.keys() - one.logs.keys())) if names]
    return ([(_log(first, budgets[0], cluster), _log(second, budgets[1], cluster))
             for first, second in paths], [*one.notes, *two.notes, *alone])


def _folder(path: Path) -> _Folder:
    """The logs of a folder: samples of lm-evaluation-harness, else logs of inspect_ai."""
    samples = lm_eval_logs.found_in(path)
    if samples:
        return _Folder(path, {task: {file: str(file)} for task, file in samples.items()}, [])
    logs, notes = inspect_logs.found_in(path)
    if not logs:
        raise LogFault(str(path), "no logs", "\n".join([_ELSE, *notes]))
    return _Folder(path, logs, notes)


def _log(path: Path, budget: Budget, cluster: str | None) -> Log:
    """The log at a path. Raises LogFault."""
    if path.suffix == ".jsonl":
        return lm_eval_logs.read(path, budget, cluster)
    if path.suffix in (".eval", ".json"):
        return inspect_logs.read(path, budget, cluster)
    raise LogFault(str(path), "neither .eval, .json nor .jsonl", _ELSE)


def _task(task: str) -> str:
    return f"the task {excerpt(task)}" if task else "a task that is not named"


def _tasks(names: Iterable[str]) -> str:
    known = sorted(names)
    return ", ".join(known[:5]) + (
        f" and {len(known) - 5} more" if len(known) > 5 else "") or "none"


SHOWN = 5
"""Ids that are written out; the rest are counted."""


@dataclass(frozen=True)
class PairedMetric:
    """One metric on the samples that have it in both logs."""

    metric: str
    ids: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    clusters: tuple[str, ...] | None
    higher: bool
    """Whether higher is better."""
    said: bool
    """Whether a log or the user says so; else it is taken for granted."""
    left_out: Mapping[str, tuple[str, ...]]
    """Why -> ids that both logs have, but not both a score."""


def listed(ids: Sequence[str]) -> str:
    """The first ids, and how many more there are.

    >>> listed(["1", "2"]), listed("abcdefg")
    ('1, 2', 'a, b, c, d, e and 2 more')
    """
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(name if len(name) <= 40 else f"{name[:40]}..." for name in ids[:SHOWN]) + more


def check(a: Log, b: Log) -> None:
    """Raise UsageError, with every reason, for two logs that are not of the same task and data."""
    faults = [
        f"different {what}: A {excerpt(one)}, B {excerpt(two)}"
        for what, one, two in (("harnesses", a.harness, b.harness), ("tasks", a.task, b.task),
                               ("datasets", a.dataset, b.dataset))
        if one and two and one != two
    ]
    both = [name for name in a.samples if name in b.samples]
    if not both:
        faults.append(f"no sample is in both: A has {listed(list(a.samples))}; "
                      f"B has {listed(list(b.samples))}")
    for index, what in enumerate(("document (doc_hash)", "target")):
        other = [name for name in both if _differ(a.samples[name].content[index],
                                                  b.samples[name].content[index])]
        if other:
            faults.append(f"{counted(len(other), 'sample')} of the same id with another {what}: "
                          f"{listed(other)}")
    if faults:
        raise UsageError("\n".join([*faults, "two logs are compared only where they are of the "
                                    "same task and data; name two such logs"]))


def notes(a: Log, b: Log) -> list[str]:
    """What a reader should know of two logs of one task."""
    lines = [f"{side}: {note}" for side, log in (("A", a), ("B", b)) for note in log.notes]
    if a.version != b.version and a.version and b.version:
        lines.append(f"different versions of the task: A {excerpt(a.version)}, "
                     f"B {excerpt(b.version)}")
    for side, source, other in (("A", a, b), ("B", b, a)):
        alone = [name for name in source.samples if name not in other.samples]
        if alone:
            lines.append(f"{counted(len(alone), 'sample')} only in {side}, left out: "
                         f"{listed(alone)}")
    both = [name for name in a.samples if name in b.samples]
    ids = [name for name in both if _differ(a.samples[name].prompt, b.samples[name].prompt)]
    if ids:
        lines.append(f"different prompts for {counted(len(ids), 'sample')}: {listed(ids)}")
    return lines


def paired(a: Log, b: Log, wanted: Sequence[str], *, lower: Sequence[str], clustered: bool,
           ) -> tuple[list[PairedMetric], dict[str, str]]:
    """The metrics that both logs have, and why each of the others is not compared.

    ``wanted``: those to compare, by full name or without the filter after the comma; none: all.
    ``lower``: those of which the user says that lower is better. ``clustered``: whether every
    sample must have its cluster. Raises UsageError for a name that neither log has.
    """
    every = dict.fromkeys([*a.metrics, *b.metrics, *a.unusable, *b.unusable])
    chosen = [name for name in every if not wanted or _named(name, wanted)]
    for name in (*wanted, *lower):
        if not any(_named(metric, [name]) for metric in every):
            raise UsageError(f"no metric {excerpt(name)}; choose from: "
                             f"{', '.join(list(every)[:20])}")
    pairs, why = [], {}
    for metric in chosen:
        reasons = [f"{side}: {log.unusable[metric]}" if metric in log.unusable else
                   f"{side} does not have it" for side, log in (("A", a), ("B", b))
                   if metric in log.unusable or metric not in log.metrics]
        reason = reasons[0] if reasons else ""
        pair = None if reason else _pair(a, b, metric, _named(metric, lower), clustered)
        if pair is None or not pair.ids:
            why[metric] = reason or "no sample has it in both logs"
        else:
            pairs.append(pair)
    return pairs, why


def _named(metric: str, names: Sequence[str]) -> bool:
    return metric in names or metric.partition(",")[0] in names


def _pair(a: Log, b: Log, metric: str, lower: bool, clustered: bool) -> PairedMetric:
    ids, left_out = [], dict[str, list[str]]()
    for name in a.samples:
        if name in b.samples:
            missing = [*_missing("A", a.samples[name], metric),
                       *_missing("B", b.samples[name], metric)]
            if missing:
                left_out.setdefault("; ".join(missing), []).append(name)
            else:
                ids.append(name)
    flags = [log.higher[metric] for log in (a, b) if metric in log.higher]
    return PairedMetric(
        metric, tuple(ids), tuple(a.samples[name].scores[metric] for name in ids),
        tuple(b.samples[name].scores[metric] for name in ids),
        _clusters(a, b, ids) if clustered else None, not lower and all(flags), bool(flags) or lower,
        {why: tuple(names) for why, names in left_out.items()},
    )


def _missing(side: str, sample: Sample, metric: str) -> Iterator[str]:
    if metric not in sample.scores:
        yield f"{side} {'ended with an error' if sample.failed else 'has no score'}"


def _clusters(a: Log, b: Log, ids: Sequence[str]) -> tuple[str, ...]:
    """The cluster of each sample, which both logs must have alike."""
    faults = []
    for side, log in (("A", a), ("B", b)):
        without = [name for name in ids if log.samples[name].cluster is None]
        if without:
            faults.append(f"--cluster: {counted(len(without), 'sample')} of {side} without that "
                          f"field: {listed(without)}; name a field that every sample has")
    other = [name for name in ids if a.samples[name].cluster != b.samples[name].cluster]
    if other and not faults:
        one, two = (log.samples[other[0]].cluster or "" for log in (a, b))
        faults.append(f"--cluster: {counted(len(other), 'sample')} of another cluster in B: "
                      f"{listed(other)} (the first: A {excerpt(one)}, B {excerpt(two)}); name a "
                      "field that is the same in both")
    if faults:
        raise UsageError("\n".join(faults))
    return tuple(a.samples[name].cluster or "" for name in ids)


def _differ(text: str, other: str) -> bool:
    return bool(text and other and text != other)
