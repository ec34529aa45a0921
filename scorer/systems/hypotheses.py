"""Files of labelled pairs of hypotheses, read as pools for the filter, and written again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import UsageError, report
from scorer.reading.tsv import Problems, open_file, read_rows
from scorer.systems.adversaries import Candidate
from scorer.systems.filtering import Pair, Pool
from scorer.tasks.anli.records import LABELS, Gold, Settings
from scorer.tasks.anli.task import AbductiveInference

LARGEST = 256 * 1024 * 1024
"""The train split of ART has 40 MB."""
TASK = AbductiveInference()


@dataclass(frozen=True)
class Hypotheses:
    """Every distinct hypothesis of every context, and which are plausible."""

    ids: tuple[str, ...]
    """The id of each context: that of its first pair."""
    pools: tuple[Pool, ...]
    """One a context, in order of its first pair."""
    candidates: tuple[Candidate, ...]


def read(path: Path, labels: Path | None = None) -> Hypotheses:
    """The pools of a gold file, or of JSON lines and their labels.

    Contexts are equal where both observations are. A hypothesis that is plausible in one pair of a
    context and implausible in another is in neither pool; a context with an empty pool is left out.
    Raises UsageError or DataError for a file that is none.
    """
    golds = _golds(path, labels)
    groups: dict[tuple[str, str], list[Gold]] = {}
    for gold in golds:
        groups.setdefault((gold.obs1, gold.obs2), []).append(gold)
    ids, pools, candidates = [], [], list[Candidate]()
    for context, pairs in groups.items():
        sides = [dict.fromkeys(pair.hypotheses[side] for pair in pairs) for side in (0, 1)]
        plausible, implausible = ([text for text in one if text not in other]
                                  for one, other in (sides, sides[::-1]))
        if not plausible or not implausible:
            continue
        first = len(candidates)
        candidates += [Candidate(context, text) for text in (*plausible, *implausible)]
        places = range(first, len(candidates))
        pools.append(Pool(tuple(places[: len(plausible)]), tuple(places[len(plausible) :])))
        ids.append(pairs[0].story_id)
    if not pools:
        raise UsageError(f"{path}: no context has a plausible and an implausible hypothesis; name "
                         "a file of labelled pairs")
    return Hypotheses(tuple(ids), tuple(pools), tuple(candidates))


def _golds(path: Path, labels: Path | None) -> list[Gold]:
    file = open_file(path, largest=LARGEST)
    if labels is not None:
        content = TASK.gold_of(Settings(), {
            "items": file.content, "labels": open_file(labels, largest=LARGEST).content})
        file = type(file)(content, file.shown, LARGEST)
    table = read_rows(file, TASK.gold_columns(Settings())[0])
    problems: Problems = table.problems
    golds = [TASK.read_gold(Settings(), row, problems) for row in table.rows]
    if problems.total:
        raise UsageError(report(problems.kept, problems.total))
    return [gold for gold in golds if gold is not None]


def written(read: Hypotheses, pairs: Sequence[Pair], seed: int) -> bytes:
    """One pair of each context as a gold file; which comes first is drawn."""
    chance = random.Random(seed)  # noqa: S311 a fixed draw, no secret
    lines = []
    for name, pair in zip(read.ids, pairs, strict=True):
        texts = [read.candidates[place].text for place in pair]
        label = chance.choice(LABELS)
        ordered = texts if label == LABELS[0] else texts[::-1]
        context = read.candidates[pair.plausible].context
        lines.append("\t".join((name, *context, *ordered, label)) + "\n")
    return "".join(lines).encode()
