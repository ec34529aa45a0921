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
from scorer.lab.logs.log import Log
from scorer.lab.logs.reading import Budget, LogFault, clean
from scorer.scoring.leaderboard.numbers import p_cell, plain_p
from scorer.statistics import ALPHA, FEWEST, comparison, intervals
from scorer.statistics.comparison import Comparison
from scorer.statistics.ranks import holm
from scorer.statistics.resampling import permutation_p

MOST_LISTED, SHOWN = 20, 5
"""Logs of a task, and ids of samples, that are written out."""
_ELSE = "name two logs or two folders, or add --board and --split to compare submissions"


def looks_like_a_log(path: Path) -> bool:
    """Whether a path is, or may hold, a log."""
    return path.suffix in (".eval", ".json", ".jsonl") or path.is_dir()


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
    return listed(sorted(names)) or "none"


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


def _differ(text: str, other: str) -> bool:
    return bool(text and other and text != other)


# ---- tests and report ----------------------------------------------------------------------------


@dataclass(frozen=True)
class MetricTest:
    """One metric of two logs, on the samples that have it in both."""

    metric: str
    ids: Sequence[str]
    higher: bool
    """Whether higher is better."""
    known: bool
    """Whether a log or the user says so; else it is taken for granted."""
    left_out: Mapping[str, Sequence[str]]
    """Why -> ids that both logs have, but not both a score."""
    result: Comparison
    a: Interval
    b: Interval
    clusters: int | None
    """How many; None where samples are taken by themselves."""
    p_holm: float
    """``result.p``, corrected for as many metrics as were compared."""

    def verdict(self) -> str:
        """One sentence; the corrected p decides."""
        if self.result.better is not None and self.p_holm > ALPHA:
            return (f"no significant difference: {self.result.better} is ahead by itself "
                    f"(p = {self.result.p:.3f}), not among all metrics (Holm {self.p_holm:.3f})")
        if self.clusters is not None and self.result.n >= FEWEST and self.result.better is None:
            return f"no significant difference between {self.clusters} clusters"
        return comparison.verdict(self.result)

    def named(self, rows: Sequence[int]) -> list[str]:
        """The ids of samples by their one-based rows."""
        return [self.ids[row - 1] for row in rows]

    def document(self) -> dict[str, Any]:
        """Its numbers and samples, for programs."""
        result = self.result
        return {
            **asdict(result), "interval": result.interval.to_json(),
            "difference": result.difference, "ties": result.ties,
            "wins": self.named(result.wins), "losses": self.named(result.losses),
            "a_interval": self.a.to_json(), "b_interval": self.b.to_json(), "p_holm": self.p_holm,
            "clusters": self.clusters, "verdict": self.verdict(),
            "better": "higher" if self.higher else "lower", "better_said": self.known,
            "left_out": self.left_out,
        }


def _tested(a: Log, b: Log, metric: str, *, lower: bool, clustered: bool) -> MetricTest | None:
    """A metric that both logs have; None where no sample has it in both.

    Scores that are all 0 or 1 get McNemar's test. ``lower``: whether the user says that lower is
    better. ``clustered``: whether every sample must have its cluster. Raises UsageError.
    """
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
    if not ids:
        return None
    flags = [log.higher[metric] for log in (a, b) if metric in log.higher]
    higher, known = not lower and all(flags), bool(flags) or lower
    one, two = ([log.samples[name].mean(metric) for name in ids] for log in (a, b))
    binary = {*one, *two} <= {0.0, 1.0}
    result = comparison.compare(one, two, binary=binary, better="higher" if higher else "lower")
    if not clustered:
        return MetricTest(metric, ids, higher, known, left_out, result, _interval(one, binary),
                          _interval(two, binary), None, result.p)
    clusters = _clusters(a, b, ids)
    apart = np.array(one) - np.array(two)
    indices = np.unique(clusters, return_inverse=True)[1]
    by_cluster = np.bincount(indices, weights=apart).astype(np.float64)
    if len(by_cluster) < 2:
        raise UsageError("--cluster: every sample has the same value; name another field")
    interval, of_a, of_b = (_clustered(values, clusters) for values in (apart.tolist(), one, two))
    margin = 0.0 if interval.low is None or interval.high is None else (
        interval.high - interval.low) / 2
    result = replace(result, interval=interval, test="permutation", p=permutation_p(by_cluster),
                     p_mid=None, effect=None, needed=margin)
    return MetricTest(metric, ids, higher, known, left_out, result, of_a, of_b, len(by_cluster),
                      result.p)


def _clusters(a: Log, b: Log, ids: Sequence[str]) -> list[str]:
    """The cluster of each sample, which both logs must have alike."""
    odd = [name for name in ids if a.samples[name].cluster is None
           or a.samples[name].cluster != b.samples[name].cluster]
    if odd:
        raise UsageError(f"--cluster: {counted(len(odd), 'sample')} without that field, or with "
                         f"another value of it in B: {listed(odd)}; name a field that every "
                         "sample has, the same in both")
    return [a.samples[name].cluster or "" for name in ids]


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
    results: Sequence[MetricTest]
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
        taken = [result.metric for result in self.results if not result.known]
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
            "metrics": {result.metric: result.document() for result in self.results},
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
    results: list[MetricTest] = []
    why: dict[str, str] = {}
    for one, two in logs:
        check(one, two)
        task = f"{one.task}: " if len(logs) > 1 else ""
        remarks += [f"{task}{note}" for note in notes(one, two)]
        every = dict.fromkeys([*one.metrics, *two.metrics, *one.unusable, *two.unusable])
        for name in (*metrics, *lower):
            if not any(_named(metric, [name]) for metric in every):
                raise UsageError(f"no metric {excerpt(name)}; choose from: "
                                 f"{', '.join(list(every)[:20])}")
        for metric in every:
            if metrics and not _named(metric, metrics):
                continue
            missing = [f"{side}: {log.unusable[metric]}" if metric in log.unusable else
                       f"{side} does not have it" for side, log in (("A", one), ("B", two))
                       if metric not in log.metrics]
            result = None if missing else _tested(
                one, two, metric, lower=_named(metric, lower), clustered=bool(cluster))
            if result is not None:
                results.append(replace(result, metric=task + metric))
            else:
                why[task + metric] = (*missing, "no sample has it in both logs")[0]
    if not results or (metrics and why):
        raise UsageError("\n".join([f"{metric} cannot be compared: {reason}"
                                    for metric, reason in why.items()]
                                   or ["no metric in both logs; score both in the same way",
                                       *map(clean, remarks)]))
    corrected = holm([result.result.p for result in results])
    return Report(logs, [replace(result, p_holm=p) for result, p
                         in zip(results, corrected, strict=True)], remarks, why)


def _named(metric: str, names: Sequence[str]) -> bool:
    """Whether a metric is among some names, in full or without the filter after the comma."""
    return metric in names or metric.partition(",")[0] in names


def _side(log: Log, logs: Sequence[object]) -> str:
    path = log.path if len(logs) == 1 else str(Path(log.path).parent)
    return f"{path}{f'{chr(10)}     {log.model}' if log.model else ''}"


def _overview(results: Sequence[MetricTest]) -> list[str]:
    wide = min(36, max(len(result.metric) for result in results))
    lines = [f"  {'metric':{wide}}{'A':>9}{'B':>9}{'A - B':>10}{'p':>8}{'Holm':>8}"]
    for test in results:
        name, result = test.metric, test.result
        name = name if len(name) <= wide else f"...{name[3 - wide:]}"
        lines.append(f"  {name:{wide}}{_n(result.a):>9}{_n(result.b):>9}"
                     f"{_n(result.difference, '+'):>10}{p_cell(result.p):>8}"
                     f"{p_cell(test.p_holm):>8}")
    return lines


def _n(value: float, sign: str = "") -> str:
    return f"{value:{sign}.4f}" if abs(value) < 1000 else f"{value:{sign}.4g}"


def _block(test: MetricTest) -> list[str]:
    result = test.result
    clusters = f", {test.clusters} clusters" if test.clusters else ""
    lines = [f"{test.metric}: {counted(result.n, 'sample')}{clusters}"
             f"{'' if test.higher else ', lower is better'}"]
    for name, value, interval, sign in (
            ("A", result.a, test.a, ""), ("B", result.b, test.b, ""),
            ("A - B", result.difference, result.interval, "+")):
        bounds = (f"no interval: {interval.note}" if interval.low is None or interval.high is None
                  else f"95 % {_n(interval.low, sign)} to {_n(interval.high, sign)}")
        lines.append(f"  {name:6}{_n(value, sign):>10}  {bounds}")
    mid = "" if result.p_mid is None else f" (mid-p {p_cell(result.p_mid)})"
    kind = "exact McNemar" if result.test == "mcnemar" else "paired permutation"
    lines += [f"  {kind}: {plain_p(result.p)}{mid}; "
              f"A better on {len(result.wins)}, B on {len(result.losses)}, "
              f"equal on {result.ties}",
              f"  {test.verdict()}"]
    lines += [_wrapped(f"{side} better: {listed(test.named(rows))}")
              for side, rows in (("A", result.wins), ("B", result.losses)) if rows]
    lines += [_wrapped(f"left out, {why}: {listed(ids)}") for why, ids in test.left_out.items()]
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
