"""A log, taken in sample by sample: epochs averaged, numbers apart from what is none."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from scorer.core.errors import excerpt
from scorer.lab.logs.reading import Budget, LogFault, LogFaults, clean

MOST_METRICS = 500
LONGEST_NAME = 300
"""Characters of an id, a metric or a cluster."""
LARGEST_SCORE = 1e12

_AS_NUMBERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0,
               "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

Harness = Literal["inspect_ai", "lm-evaluation-harness"]


class Sample(NamedTuple):
    """One sample of a log, its epochs taken together."""

    scores: Mapping[str, float]
    """Metric -> mean over the epochs that have a score."""
    content: tuple[str, str]
    """Digests of the document and of its target; empty where the log has none."""
    prompt: str
    """Digest of what the model was asked; empty where the log has none."""
    cluster: str | None
    """The value of the field that was asked for; None where the sample has none."""
    failed: bool
    """Whether an epoch of it ended with an error."""


@dataclass(frozen=True)
class Log:
    """One run of one task."""

    path: str
    harness: Harness
    task: str
    """Empty where the log does not say."""
    version: str
    model: str
    dataset: str
    samples: Mapping[str, Sample]
    """By id, in the log's order."""
    metrics: tuple[str, ...]
    """Every metric with a number for some sample."""
    higher: Mapping[str, bool]
    """Whether higher is better, for the metrics of which the log says so."""
    unusable: Mapping[str, str]
    """Metrics without a score of single samples, and why."""
    notes: tuple[str, ...]


class NotAScore(ValueError):
    """A value that is no score of a single sample; the message says what it is."""


def as_score(value: Any) -> float | None:
    """A sample's value as a number, as inspect_ai itself maps it; None: not scored.

    ``C``, ``P``, ``I`` and ``N`` are 1, 1/2, 0 and 0; yes, true, no and false as well as numbers in
    words may be written in any case. NaN stands for a sample without a score. Raises NotAScore.

    >>> as_score("P"), as_score(True), as_score("0.25"), as_score(float("nan"))
    (0.5, 1.0, 0.25, None)
    """
    if value is None:
        return None
    number = value
    if isinstance(value, str):
        number = _AS_NUMBERS.get(value, _AS_NUMBERS.get(value.lower()))
        if number is None and len(value) < 40:
            with suppress(ValueError):
                number = float(value)
    if not isinstance(number, int | float):
        kind = (f"the words {excerpt(value, 30)}" if isinstance(value, str) else
                "a list" if isinstance(value, list) else "an object")
        raise NotAScore(f"{kind}, where a number, C, P, I, N, yes or no was expected")
    if isinstance(number, float) and math.isnan(number):
        return None
    if abs(number) > LARGEST_SCORE:
        raise NotAScore("infinite or beyond 1e12")
    return float(number)


def digest(value: Any) -> str:
    """Short, equal for equal values; of long text only the beginning, which every form keeps."""
    parts = value if isinstance(value, list) else [value]
    text = "\0".join(repr(part)[:500] for part in parts[:100])
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(slots=True)
class _Epochs:
    """What a sample's epochs, or filters, say."""

    content: tuple[str, str]
    prompt: str
    cluster: str | None
    failed: bool = False
    scores: dict[str, list[float]] = field(default_factory=dict)


class Gathering:
    """One log, while it is read."""

    def __init__(self, path: str, cluster: str | None, budget: Budget) -> None:
        self.path = path
        self._budget = budget
        self.higher: dict[str, bool] = {}
        self.notes: list[str] = []
        self.faults = LogFaults()
        self._field = cluster
        self._seen: set[tuple[str, str]] = set()
        self._samples: dict[str, _Epochs] = {}
        self._names: set[str] = set()
        self._metrics: dict[str, str] = {}
        self._unusable: dict[str, str] = {}

    def add(self, where: str, sample: Any, part: str, scores: Mapping[str, Any], *,
            content: tuple[str, str] = ("", ""), prompt: str = "", fields: Any = None,
            failed: bool = False) -> None:
        """One sample's scores.

        ``part``: its epoch or filter; a sample has each once. ``fields``: where the cluster's field
        is looked for.
        """
        self._budget.take("samples", where)
        if isinstance(sample, bool) or not isinstance(sample, int | str):
            kind = ("missing" if sample is None else
                    f"{type(sample).__name__} {excerpt(str(sample), 30)}")
            self.faults.add(where, f"the id is {kind}", "ids are whole numbers or text")
            return
        name = clean(str(sample)) if isinstance(sample, str) or abs(sample) < 10**30 else ""
        if not 0 < len(name) <= LONGEST_NAME:
            self.faults.add(where, "an id that is empty or too long",
                            f"ids have 1 to {LONGEST_NAME} characters")
            return
        if (name, part) in self._seen:
            twice = f"sample {excerpt(name)} stands there twice{part and f' ({part})'}"
            self.faults.add(where, twice, "a log has each once; name the log of one run")
            return
        self._seen.add((name, part))
        held = self._samples.get(name)
        if held is None:
            known = isinstance(fields, dict) and self._field in fields
            cluster = clean(str(fields[self._field])[:LONGEST_NAME]) if known else None
            held = self._samples[name] = _Epochs(content, prompt, cluster)
            self._budget.take("letters", where, len(name + (held.cluster or "")))
        elif held.content != content:
            self.faults.add(where, f"sample {excerpt(name)} has two documents or targets",
                            "name the log of one run")
        held.failed |= failed
        for metric, value in scores.items():
            self._keep(where, name, held.scores, clean(metric), value)

    def _keep(self, where: str, name: str, held: dict[str, list[float]], metric: str, value: Any,
              ) -> None:
        self._names.add(metric)
        if len(metric) > LONGEST_NAME or len(self._names) > MOST_METRICS:
            raise LogFault(where, f"more than {MOST_METRICS} metrics, or one of more than "
                           f"{LONGEST_NAME} characters", "name a log with fewer")
        try:
            score = as_score(value)
        except NotAScore as why:
            self._unusable.setdefault(metric, f"sample {excerpt(name)} has {why}")
            return
        if score is None:
            return
        self._budget.take("scores", where)
        held.setdefault(self._metrics.setdefault(metric, metric), []).append(score)

    def directions(self, higher: Any) -> None:
        """Take whether higher is better from a mapping of metrics, without their filters."""
        for metric in self._metrics if isinstance(higher, dict) else ():
            direction = higher.get(metric.partition(",")[0])
            if isinstance(direction, bool):
                self.higher[metric] = direction

    def log(self, harness: Harness, *, task: str, version: str, model: str, dataset: str) -> Log:
        """What was taken in. Raises UsageError with every fault."""
        self.faults.raise_if_any()
        if not self._samples:
            raise LogFault(self.path, "no samples",
                           "log them (lm_eval: --log_samples; inspect: no --no-log-samples)")
        self._seen.clear()
        samples: dict[str, Sample] = {}
        for name in [*self._samples]:
            held = self._samples.pop(name)  # so that the scores are not held twice
            scores = {metric: math.fsum(values) / len(values)
                      for metric, values in held.scores.items()}
            samples[name] = Sample(scores, held.content, held.prompt, held.cluster, held.failed)
        metrics = tuple(metric for metric in self._metrics if metric not in self._unusable)
        return Log(
            self.path, harness, clean(task), clean(version), clean(model), clean(dataset), samples,
            metrics, self.higher, self._unusable, tuple(self.notes))
