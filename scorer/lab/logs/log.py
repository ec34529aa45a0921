"""A log, taken in sample by sample: epochs together, numbers apart from what is none."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from scorer.core.errors import excerpt
from scorer.lab.logs.reading import Budget, LogFault, LogFaults, clean

MOST_METRICS = 500
LONGEST_NAME = 300
"""Characters of an id, a metric or a cluster."""
LARGEST_SCORE = 1e12

_AS_NUMBERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0,
               "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

Harness = Literal["inspect_ai", "lm-evaluation-harness"]


@dataclass(slots=True)
class Sample:
    """One sample of a log, its epochs or filters taken together."""

    content: tuple[str, str]
    """Digests of the document and of its target; empty where the log has none."""
    prompt: str
    """Digest of what the model was asked; empty where the log has none."""
    cluster: str | None
    """The value of the field that was asked for; None where the sample has none."""
    failed: bool = False
    """Whether an epoch of it ended with an error."""
    scores: dict[str, list[float]] = field(default_factory=dict)
    """Metric -> the scores of the epochs that have one."""

    def mean(self, metric: str) -> float:
        """The mean over the epochs that have a score. Raises KeyError where none has."""
        scores = self.scores[metric]
        return math.fsum(scores) / len(scores)


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


class Log:
    """One run of one task."""

    task = version = model = dataset = ""
    """Empty where the log does not say."""

    def __init__(self, path: Path, harness: Harness, budget: Budget, cluster: str | None) -> None:
        """Nothing is read yet. ``cluster``: a field whose samples belong together."""
        self.path, self.harness = clean(str(path)), harness
        self.samples: dict[str, Sample] = {}
        """By id, in the log's order."""
        self.higher: dict[str, bool] = {}
        """Whether higher is better, for the metrics of which the log says so."""
        self.unusable: dict[str, str] = {}
        """Metrics without a score of single samples, and why."""
        self.notes: list[str] = []
        self.faults = LogFaults()
        self._budget, self._field = budget, cluster
        self._seen: set[tuple[str, str]] = set()
        self._scored: dict[str, bool] = {}
        """Metric -> whether some sample has a number."""

    @property
    def metrics(self) -> list[str]:
        """Every metric with a number for some sample, and nothing but numbers."""
        return [metric for metric, scored in self._scored.items()
                if scored and metric not in self.unusable]

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
        held = self.samples.get(name)
        if held is None:
            known = isinstance(fields, dict) and self._field in fields
            cluster = clean(str(fields[self._field])[:LONGEST_NAME]) if known else None
            held = self.samples[name] = Sample(content, prompt, cluster)
            self._budget.take("letters", where, len(name + (held.cluster or "")))
        elif held.content != content:
            self.faults.add(where, f"sample {excerpt(name)} has two documents or targets",
                            "name the log of one run")
        held.failed |= failed
        for metric, value in scores.items():
            self._keep(where, name, held, sys.intern(clean(metric)), value)

    def _keep(self, where: str, name: str, held: Sample, metric: str, value: Any) -> None:
        self._scored.setdefault(metric, False)
        if len(metric) > LONGEST_NAME or len(self._scored) > MOST_METRICS:
            raise LogFault(where, f"more than {MOST_METRICS} metrics, or one of more than "
                           f"{LONGEST_NAME} characters", "name a log with fewer")
        try:
            score = as_score(value)
        except NotAScore as why:
            self.unusable.setdefault(metric, f"sample {excerpt(name)} has {why}")
            return
        if score is None:
            return
        self._budget.take("scores", where)
        self._scored[metric] = True
        if metric in held.scores:
            held.scores[metric].append(score)
        else:
            held.scores[metric] = [score]  # smaller than a list that grew

    def end(self, *, task: Any, version: Any, model: Any, dataset: Any, higher: Any) -> None:
        """Take what the log says of its run; all samples were added.

        ``higher``: whether higher is better, by metrics without their filters. Raises UsageError
        with every fault.
        """
        self.faults.raise_if_any()
        if not self.samples:
            raise LogFault(self.path, "no samples",
                           "log them (lm_eval: --log_samples; inspect: no --no-log-samples)")
        self._seen.clear()
        self.task, self.version, self.model, self.dataset = (
            clean(str(text)[:200]) if isinstance(text, str | int | float) else ""
            for text in (task, version, model, dataset))
        for metric in self._scored if isinstance(higher, dict) else ():
            direction = higher.get(metric.partition(",")[0])
            if isinstance(direction, bool):
                self.higher[metric] = direction
