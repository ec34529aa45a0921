"""Two logs compared, or those of the same tasks in two folders: which samples both have, metric by
metric a test, and a report in 80 columns or as a document.

Each metric is tested by itself; then the p-values are corrected together.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scorer.core.errors import UsageError, counted, excerpt, printable
from scorer.core.results import Interval
from scorer.lab.logs import inspect_logs, lm_eval_logs
from scorer.lab.logs.gathering import Log
from scorer.lab.logs.reading import Budget, LogFault, clean
from scorer.scoring.leaderboard.numbers import p_cell, plain_p
from scorer.statistics import ALPHA, FEWEST, comparison, intervals
from scorer.statistics.comparison import Comparison
from scorer.statistics.paired import permutation_p
from scorer.statistics.pairwise import holm

MOST_LISTED, SHOWN = 20, 5
"""Logs of a task, and ids of samples, that are written out."""
_ELSE = "name two logs or two folders, or add --board and --split to compare submissions"


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
    budgets = Budget(), Budget()
    if not (a.is_dir() and b.is_dir()):
        return [(_log(a, budgets[0], cluster), _log(b, budgets[1], cluster))], []
    (one, notes_a), (two, notes_b) = _folder(a), _folder(b)
    both = [task for task in one if task in two]
    if not both:
        raise UsageError(f"no task has logs in both folders: A has {_tasks(one)}, B has "
                         f"{_tasks(two)}; name two logs, or run lm_eval with --log_samples")
    paths = [(_only(a, one, task), _only(b, two, task)) for task in both]
    alone = [f"only {side} has logs of {_tasks(names)}"
             for side, names in (("A", one.keys() - two.keys()), ("B", two.keys() - one.keys()))
             if names]
    return ([(_log(first, budgets[0], cluster), _log(second, budgets[1], cluster))
             for first, second in paths], [*notes_a, *notes_b, *alone])


def _folder(path: Path) -> tuple[Mapping[str, Mapping[Path, str]], Sequence[str]]:
    """What a folder has: task -> its logs and how each is described, samples of
    lm-evaluation-harness, else logs of inspect_ai; and notes."""
    samples = lm_eval_logs.found_in(path)
    if samples:
        return {task: {file: str(file)} for task, file in samples.items()}, []
    logs, notes = inspect_logs.found_in(path)
    if not logs:
        raise LogFault(str(path), "no logs", "\n".join([_ELSE, *notes]))
    return logs, notes


def _only(path: Path, logs: Mapping[str, Mapping[Path, str]], task: str) -> Path:
    """The one log of a task in a folder. Raises UsageError where there are several."""
    first, *more = logs[task]
    if more:
        named = f"the task {excerpt(task)}" if task else "a task that is not named"
        lines = [f"  {described}" for described in logs[task].values()]
        raise UsageError("\n".join([f"{path} has {len(lines)} logs of {named}; name one:",
                                    *lines[:MOST_LISTED]]))
    return first


def _log(path: Path, budget: Budget, cluster: str | None) -> Log:
    """The log at a path. Raises LogFault."""
    if path.suffix == ".jsonl":
        return lm_eval_logs.read(path, budget, cluster)
    if path.suffix in (".eval", ".json"):
        return inspect_logs.read(path, budget, cluster)
    raise LogFault(str(path), "neither .eval, .json nor .jsonl", _ELSE)


def _tasks(names: Iterable[str]) -> str:
    known = sorted(names)
    return ", ".join(known[:5]) + (
        f" and {len(known) - 5} more" if len(known) > 5 else "") or "none"


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
        if one and two and one != two]
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
            missing = [f"{side} {'ended with an error' if sample.failed else 'has no score'}"
                       for side, sample in (("A", a.samples[name]), ("B", b.samples[name]))
                       if metric not in sample.scores]
            if missing:
                left_out.setdefault("; ".join(missing), []).append(name)
            else:
                ids.append(name)
    flags = [log.higher[metric] for log in (a, b) if metric in log.higher]
    return PairedMetric(
        metric, tuple(ids), tuple(a.samples[name].scores[metric] for name in ids),
        tuple(b.samples[name].scores[metric] for name in ids),
        _clusters(a, b, ids) if clustered else None, not lower and all(flags), bool(flags) or lower,
        {why: tuple(names) for why, names in left_out.items()})


def _clusters(a: Log, b: Log, ids: Sequence[str]) -> tuple[str, ...]:
    """The cluster of each sample, which both logs must have alike."""
    odd = [name for name in ids if a.samples[name].cluster is None
           or a.samples[name].cluster != b.samples[name].cluster]
    if odd:
        raise UsageError(f"--cluster: {counted(len(odd), 'sample')} without that field, or with "
                         f"another value of it in B: {listed(odd)}; name a field that every "
                         "sample has, the same in both")
    return tuple(a.samples[name].cluster or "" for name in ids)


def _differ(text: str, other: str) -> bool:
    return bool(text and other and text != other)


# ---- tests and report ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Tested:
    """One metric of two logs."""

    paired: PairedMetric
    found: Comparison
    a: Interval
    b: Interval
    clusters: int | None
    """How many; None where samples are taken by themselves."""
    p_holm: float
    """``found.p``, corrected for as many metrics as were compared."""

    def verdict(self) -> str:
        """One sentence; the corrected p decides."""
        if self.found.better is not None and self.p_holm > ALPHA:
            return (f"no significant difference: {self.found.better} is ahead by itself "
                    f"(p = {self.found.p:.3f}), not among all metrics (Holm {self.p_holm:.3f})")
        if self.clusters is not None and self.found.n >= FEWEST and self.found.better is None:
            return f"no significant difference between {self.clusters} clusters"
        return comparison.verdict(self.found)

    def document(self) -> dict[str, Any]:
        """Its numbers and samples, for programs."""
        result, pair = self.found, self.paired
        return {
            **asdict(result), "interval": result.interval.to_json(),
            "difference": result.difference, "ties": result.ties,
            "wins": [pair.ids[row - 1] for row in result.wins],
            "losses": [pair.ids[row - 1] for row in result.losses],
            "a_interval": self.a.to_json(), "b_interval": self.b.to_json(), "p_holm": self.p_holm,
            "clusters": self.clusters, "verdict": self.verdict(),
            "better": "higher" if pair.higher else "lower", "better_said": pair.said,
            "left_out": {reason: list(ids) for reason, ids in pair.left_out.items()},
        }


def tested(pairs: Sequence[PairedMetric]) -> list[Tested]:
    """Every metric; scores that are all 0 or 1 get McNemar's test. Raises UsageError."""
    results = [_one(pair) for pair in pairs]
    corrected = holm([result.found.p for result in results])
    return [replace(result, p_holm=p) for result, p in zip(results, corrected, strict=True)]


def _one(pair: PairedMetric) -> Tested:
    binary = {*pair.a, *pair.b} <= {0.0, 1.0}
    result = comparison.compare(pair.a, pair.b, binary=binary,
                                better="higher" if pair.higher else "lower")
    if pair.clusters is None:
        return Tested(pair, result, _interval(pair.a, binary), _interval(pair.b, binary), None,
                      result.p)
    keys, indices = np.unique(np.array(pair.clusters), return_inverse=True)
    if len(keys) < 2:
        raise UsageError("--cluster: every sample has the same value; name another field")
    apart = np.array(pair.a) - np.array(pair.b)
    p = permutation_p(np.bincount(indices, weights=apart).astype(np.float64))
    by = [_clustered(values, pair.clusters) for values in (apart.tolist(), pair.a, pair.b)]
    low, high = by[0].low, by[0].high
    margin = (high - low) / 2 if low is not None and high is not None else 0.0
    result = replace(result, interval=by[0], test="permutation", p=p, p_mid=None, effect=None,
                     needed=margin)
    return Tested(pair, result, by[1], by[2], len(keys), p)


def _interval(values: Sequence[float], binary: bool) -> Interval:
    if binary:
        return intervals.of_items(values, binary=True)
    inside = min(values) >= 0 and max(values) <= 1
    return intervals.mean(values, within=(0.0, 1.0) if inside else (-math.inf, math.inf))


def _clustered(values: Sequence[float], clusters: Sequence[str]) -> Interval:
    """The t interval of a mean by the clustered standard error, with clusters - 1 degrees."""
    estimate = intervals.clustered(values, clusters)
    middle = math.fsum(values) / len(values)
    if not estimate.se:
        return intervals.none("every cluster has the same score")
    margin = intervals.t_factor(estimate.clusters) * estimate.se
    return intervals.made(middle - margin, middle + margin, "t", f"{estimate.clusters} clusters")


_WIDTH = 80


@dataclass(frozen=True)
class Report:
    """What was compared."""

    logs: Sequence[tuple[Log, Log]]
    results: Sequence[Tested]
    notes: Sequence[str]
    why: dict[str, str]
    """Metrics that were not compared, and the reason."""

    def text(self) -> str:
        """The comparison, in 80 columns."""
        a, b = self.logs[0]
        many = (counted(len(self.logs), "task") if len(self.logs) > 1
                else a.task or "task not named")
        lines = [f"{many} ({a.harness})", f"  A  {_side(a, self.logs)}",
                 f"  B  {_side(b, self.logs)}", ""]
        if len(self.results) > 1:
            lines += [*_overview(self.results), ""]
        for result in self.results:
            lines += [*_block(result), ""]
        if self.notes or self.why:
            lines += ["notes", *(_wrapped(note) for note in self.notes),
                      *(_wrapped(f"{metric} not compared: {reason}")
                        for metric, reason in self.why.items()), ""]
        taken = [entry.paired.metric for entry in self.results if not entry.paired.said]
        lines.append(_foot(taken, len(self.results)))
        return printable("\n".join(lines))

    def document(self) -> dict[str, Any]:
        """Every number and every sample, for programs."""
        return {
            "schema": 2,
            "harness": self.logs[0][0].harness,
            "tasks": [{"task": a.task, **{side: {
                "path": log.path, "model": log.model, "version": log.version,
                "samples": len(log.samples),
                "alone": [name for name in log.samples if name not in other.samples],
            } for side, log, other in (("a", a, b), ("b", b, a))}} for a, b in self.logs],
            "metrics": {result.paired.metric: result.document() for result in self.results},
            "not_compared": self.why,
            "notes": list(self.notes),
        }


def compare(a: Path, b: Path, *, metrics: Sequence[str], lower: Sequence[str],
            cluster: str | None) -> Report:
    """Compare every metric, or ``metrics``, that two logs have, sample by sample.

    ``lower``: metrics that are better when lower. ``cluster``: a field whose samples belong
    together. Raises UsageError.
    """
    logs, remarks = chosen(a, b, cluster)
    pairs: list[PairedMetric] = []
    why: dict[str, str] = {}
    for one, two in logs:
        check(one, two)
        task = f"{one.task}: " if len(logs) > 1 else ""
        remarks += [f"{task}{note}" for note in notes(one, two)]
        matches, reasons = paired(one, two, metrics, lower=lower, clustered=bool(cluster))
        pairs += [replace(pair, metric=task + pair.metric) for pair in matches]
        why |= {f"{task}{metric}": reason for metric, reason in reasons.items()}
    if not pairs or (metrics and why):
        raise UsageError("\n".join([f"{metric} cannot be compared: {reason}"
                                    for metric, reason in why.items()]
                                   or ["no metric in both logs; score both in the same way",
                                       *map(clean, remarks)]))
    return Report(logs, tested(pairs), remarks, why)


def _side(log: Log, logs: Sequence[object]) -> str:
    path = log.path if len(logs) == 1 else str(Path(log.path).parent)
    return f"{path}{f'{chr(10)}     {log.model}' if log.model else ''}"


def _overview(results: Sequence[Tested]) -> list[str]:
    wide = min(36, max(len(result.paired.metric) for result in results))
    lines = [f"  {'metric':{wide}}{'A':>9}{'B':>9}{'A - B':>10}{'p':>8}{'Holm':>8}"]
    for row in results:
        name = row.paired.metric
        name = name if len(name) <= wide else f"...{name[3 - wide:]}"
        lines.append(f"  {name:{wide}}{_n(row.found.a):>9}{_n(row.found.b):>9}"
                     f"{_n(row.found.difference, '+'):>10}{p_cell(row.found.p):>8}"
                     f"{p_cell(row.p_holm):>8}")
    return lines


def _n(value: float, sign: str = "") -> str:
    return f"{value:{sign}.4f}" if abs(value) < 1000 else f"{value:{sign}.4g}"


def _block(entry: Tested) -> list[str]:
    result, pair = entry.found, entry.paired
    clusters = f", {entry.clusters} clusters" if entry.clusters else ""
    lines = [f"{pair.metric}: {counted(result.n, 'sample')}{clusters}"
             f"{'' if pair.higher else ', lower is better'}"]
    for name, value, interval, sign in (
            ("A", result.a, entry.a, ""), ("B", result.b, entry.b, ""),
            ("A - B", result.difference, result.interval, "+")):
        bounds = (f"no interval: {interval.note}" if interval.low is None or interval.high is None
                  else f"95 % {_n(interval.low, sign)} to {_n(interval.high, sign)}")
        lines.append(f"  {name:6}{_n(value, sign):>10}  {bounds}")
    mid = "" if result.p_mid is None else f" (mid-p {p_cell(result.p_mid)})"
    test = "exact McNemar" if result.test == "mcnemar" else "paired permutation"
    lines += [f"  {test}: {plain_p(result.p)}{mid}; "
              f"A better on {len(result.wins)}, B on {len(result.losses)}, "
              f"equal on {result.ties}",
              f"  {entry.verdict()}"]
    lines += [_wrapped(f"{side} better: {listed([pair.ids[row - 1] for row in rows])}")
              for side, rows in (("A", result.wins), ("B", result.losses)) if rows]
    lines += [_wrapped(f"left out, {why}: {listed(ids)}") for why, ids in pair.left_out.items()]
    return lines


def _wrapped(line: str) -> str:
    return textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    ",
                         break_on_hyphens=False)


def _foot(taken: Sequence[str], metrics: int) -> str:
    text = "Tests are two-sided; intervals are for new samples of the same kind. "
    if metrics > 1:
        text += "Verdicts use p corrected by Holm for all metrics shown. "
    if taken:
        which = f" for {listed(taken)}" if len(taken) < metrics else ""
        text += (f"The logs do not say whether higher is better{which}; we assume so (else "
                 "--lower METRIC). ")
    return textwrap.fill(f"{text}See: scorer handbook statistics", _WIDTH)
