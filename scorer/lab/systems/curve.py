"""How well a system does after learning from so many items: means of several runs, and pairs.

Where a train split is at hand each run learns from it and answers the whole of dev. Elsewhere each
run learns from four fifths of dev and answers the last fifth, so that five runs answer every item
once: a table, and no row of a leaderboard.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.boards import Board
from scorer.core.files import json_bytes, sha256, write_atomically
from scorer.lab.systems import records
from scorer.lab.systems.records import Data, Question, TrainingRequest
from scorer.lab.systems.registry import System
from scorer.statistics.intervals import clustered, t_factor

FILE = "curve.json"
FOLDS = 5


class CurveData(NamedTuple):
    """What one run learns from, and what it is asked."""

    run: int
    """From 1."""
    data: Data
    asked: tuple[int, ...]
    """Indices of items of the measured split."""


def lessons(train: Data | None, measured: Data, items: int | None, runs: int, seed: int
            ) -> Iterator[CurveData]:
    """The runs; those with fewer items learn from a part of what those with more learn from.

    No group of items is both learned from and asked about, nor partly learned from unless the
    number of items ends within it. ``items``: at most so many, None: all.
    """
    source = train or measured
    order = _drawn(source, f"{seed}")
    folds = max(FOLDS, runs)
    for run in range(runs):
        indices = [index for index, gold in enumerate(measured.golds)
                   if train or order[measured.group(gold)] % folds == run]
        left = [gold for gold in source.golds if train or order[source.group(gold)] % folds != run]
        drawn = _drawn(source, f"{seed} {run}")
        left.sort(key=lambda gold: drawn[source.group(gold)])
        some = left[:items]
        digest = sha256(f"{source.sha256} {seed} {run} {folds if not train else 0} {len(some)}"
                        .encode())
        yield CurveData(run + 1, source._replace(golds=some, sha256=digest), tuple(indices))


def _drawn(data: Data, salt: str) -> dict[str, int]:
    """The groups of items in an order that the salt decides."""
    names = {data.group(gold) for gold in data.golds}
    drawn = sorted(names, key=lambda name: hashlib.sha256(f"{salt}\n{name}".encode()).digest())
    return {name: index for index, name in enumerate(drawn)}


@dataclass(frozen=True)
class Curve:
    """A system trained several times, by form and items; ``request.out`` holds every run."""

    system: System
    board: Board
    measured: Data
    """Dev."""
    train: Data | None
    """None: each run learns from the other folds of what is measured."""
    request: TrainingRequest
    runs: int

    def points(self, variants: Sequence[tuple[int | None, str | None]]) -> Iterator[dict[str, Any]]:
        """Each point as soon as it is measured and written to ``curve.json``.

        ``variants``: numbers of items and forms; None: all, and no form.
        """
        settings = {
            "system": self.system.name, "board": self.board.id, "split": "dev",
            "learned_from": "train" if self.train else "folds", "runs": self.runs,
            "seed": self.request.seed, "encoder": self.request.encoder,
            "every_weight": self.request.every_weight, "epochs": self.request.epochs,
        }
        groups = [self.measured.group(gold) for gold in self.measured.golds]
        first: dict[int | None, Mapping[int, float]] = {}
        done: list[dict[str, Any]] = []
        for items, form in variants:
            right, entry = self._point(items, form)
            entry |= {"form": form, "items": items, "asked": len(right),
                      "right": round(sum(right.values()) / len(right), 6),
                      "interval": _interval(right, groups)}
            if first.setdefault(items, right) is not right:
                other = first[items]
                pairs = {index: value - other[index] for index, value in right.items()
                         if index in other}
                entry["against_first"] = round(sum(pairs.values()) / len(pairs), 6)
                entry["against_first_interval"] = _interval(pairs, groups)
            done.append(entry)
            write_atomically(self.request.out / FILE, json_bytes({**settings, "points": done}))
            yield entry

    def _point(self, items: int | None, form: str | None
               ) -> tuple[Mapping[int, float], dict[str, Any]]:
        """The share of the runs that answered an item right, by its index; and what is known of the
        runs."""
        task, module = self.board.task, self.system.loaded()
        values = defaultdict[int, list[bool]](list)
        shares, learned, seconds = [], 0, 0
        for lesson in lessons(self.train, self.measured, items, self.runs, self.request.seed):
            out = (self.request.out / (form or self.system.name) / f"{items or 'all'}"
                   / f"{lesson.run}")
            trained = module.fit(self.system.name, lesson.data, self.request._replace(
                out=out, seed=self.request.seed + lesson.run - 1,
                options={"form": form} if form else {}))
            trained = trained.model_copy(update={"part_of": "train" if self.train else "dev"})
            records.write(out, trained)
            golds = [self.measured.golds[position] for position in lesson.asked]
            answers = module.predict(out, trained, Question(
                self.measured.settings, [gold.texts for gold in golds])).predictions
            right = [bool(task.verdict(gold, answer).annotation == task.passed)
                     for gold, answer in zip(golds, answers, strict=True)]
            for index, verdict in zip(lesson.asked, right, strict=True):
                values[index].append(verdict)
            shares.append(sum(right) / len(right))
            learned += trained.items
            seconds += trained.seconds
        return ({key: sum(results) / len(results) for key, results in sorted(values.items())},
                {"learned": round(learned / self.runs),
                 "runs": [round(share, 6) for share in shares], "seconds": seconds})


def _interval(values: Mapping[int, float], groups: Sequence[str]) -> list[float] | None:
    """Of the mean at 95 %, by groups; None of one group. ``values``: by an item's index."""
    estimate = clustered([*values.values()], [groups[value] for value in values])
    if estimate.se is None:
        return None
    mean, wide = sum(values.values()) / len(values), t_factor(estimate.clusters) * estimate.se
    return [round(mean - wide, 6), round(mean + wide, 6)]
