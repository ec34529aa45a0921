"""Two logs or more compared, metric by metric: tests, and a report in 80 columns or as a document.

Each metric is tested by itself; then the p-values are corrected together.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scorer.core.errors import UsageError, counted, printable
from scorer.core.results import Interval
from scorer.lab.logs.gathering import Log
from scorer.lab.logs.pairing import PairedMetric, check, chosen, listed, notes, paired
from scorer.lab.logs.reading import clean
from scorer.scoring.leaderboard.numbers import p_cell, plain_p
from scorer.statistics import ALPHA, FEWEST, comparison, intervals
from scorer.statistics.comparison import Comparison
from scorer.statistics.paired import permutation_p
from scorer.statistics.pairwise import holm


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
            "schema": 1,
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
