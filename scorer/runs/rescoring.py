"""Computing results again without losing what they said: ranks before, and past values kept."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.errors import DataError
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.results import files as results
from scorer.results import past
from scorer.results.past import Past, Rank
from scorer.results.ranks import compared_row, comparison_groups

Key = tuple[str, str, str, str]
"""Board, team, system and split."""
Ranks = Mapping[Key, Mapping[str, Rank]]


def key_of(result: Result) -> Key:
    """Which row of which split a result is."""
    return result.board, result.team, result.system, result.split


def ranks(rows: Iterable[Result], withdrawn: Collection[tuple[str, str, str]] = ()) -> Ranks:
    """The rank intervals of rows on the metrics that no judge gives, each comparison at 5 %.

    Metrics that this version does not know any more give none.
    ``withdrawn``: board, team and system of rows without a rank. Rows without their items (hidden
    gold) have none either, and nobody has one with fewer than 100 items.
    """
    splits: dict[tuple[str, str], list[Result]] = {}
    for result in rows:
        splits.setdefault((result.board, result.split), []).append(result)
    ranked: dict[Key, dict[str, Rank]] = {}
    for split in splits.values():
        for metric in dict.fromkeys(name for row in split for name in row.metrics):
            if metric in METRICS and METRICS[metric].judge is None:
                for key, rank in _of_metric(metric, split, withdrawn).items():
                    ranked.setdefault(key, {})[metric] = rank
    return ranked


def _of_metric(metric: str, rows: Iterable[Result], withdrawn: Collection[tuple[str, str, str]],
               ) -> dict[Key, Rank]:
    named = {"/".join(key_of(row)): row for row in rows if metric in row.metrics}
    compared = [compared_row(name, row.team, row, metric, row.metrics[metric].n,
                         withdrawn=(row.board, row.team, row.system) in withdrawn)
            for name, row in named.items()]
    return {key_of(named[name]): (rank.first, rank.last)
            for group in comparison_groups(compared, METRICS[metric])
            for name, rank in group.ranks.holm.items()}


def replaced(document: Any, new: Result) -> Past | None:
    """What a result's document said, without ranks, if ``new`` was made with something newer.

    None if it was made with the same, whichever metrics were asked for, or is of other predictions:
    these are no past of the new ones.
    """
    try:
        old, bytes_of_old = past.of(document), document["predictions"]["sha256"]
    except (KeyError, TypeError, AttributeError):
        return None  # not a result: nothing that could be shown
    same_row = bytes_of_old == new.provenance["predictions"]["sha256"]
    now = past.made_by(results.to_json(new))
    other = any(now.get(name, what) != what for name, what in old.made_by.items())
    return old if same_row and other else None


@dataclass
class ResultsFolder:
    """A folder in which one run replaces results; what they said is kept beside them."""

    path: Path
    _ranks: Ranks | None = None
    """Those before the first result of the run was replaced."""

    def write(self, new: Result) -> Path:
        """Write a result; what it replaces is kept if that was made with something older."""
        path = results.result_path(self.path, new.board, new.team, new.system, new.split)
        try:
            old = replaced(json.loads(path.read_bytes()), new) if path.is_file() else None
        except ValueError:
            old = None
        if old is not None:
            if self._ranks is None:
                self._ranks = ranks(_readable(self.path))
            past.keep(path, old, self._ranks.get(key_of(new), {}))
        results.write(new, self.path)
        return path


def _readable(folder: Path) -> Iterable[Result]:
    """Every result below a folder that can be read."""
    for path in sorted(folder.glob("*/*/*/*.json")):
        try:
            yield results.read(path)
        except DataError:
            continue
