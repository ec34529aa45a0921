"""How much faster our graph edit distance is than networkx, and how slow its slowest pair is.

    python -m benchmarks.bench_ged [FOLDER WITH dev.tsv]

Both sides run in this process on the same pairs, and their distances are compared. Times are
process time; ours are the median of several runs over all pairs, networkx' one run. networkx gets
only pairs it can finish: gold graphs whose numbers of edges multiply to at most LIMIT. Without a
folder, the graphs are those of the practice board.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scorer.metrics.ged import DEFAULT_BUDGET, edit_distance, normalised_distance
from tests.fixtures.ged.record import PRACTICE, graphs, reference
from tests.ged_pairs import Chance, Pair, Triple, edited, hard

PAIRS = 150
LIMIT = 49
OUR_RUNS = 7
HARD_PAIRS = 500
HARD_RUNS = 3
HOSTILE_EDGES = 100_000
CONSTANT = 17


def run(data_dir: Path | None) -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note; no theirs where networkx would not end.

    ``data_dir`` holds the dev.tsv of ExplaGraphs; without it, the practice board's is taken.
    """
    folder, source = (PRACTICE, "practice") if data_dir is None else (data_dir, "dev")
    golds = graphs(folder / "dev.tsv")
    return [
        _against_networkx(f"unrelated {source} graphs", _unrelated(golds)),
        _against_networkx(f"{source} graphs with 1 or 2 edits", _near(golds)),
        *_hard(),
        _hostile(golds[0]),
    ]


def _unrelated(golds: Sequence[list[Triple]]) -> list[Pair]:
    chance = Chance(2)
    pairs: list[Pair] = []
    while len(pairs) < PAIRS:
        one, other = chance.one(golds), chance.one(golds)
        if one != other and len(one) * len(other) <= LIMIT:
            pairs.append((one, other))
    return pairs


def _near(golds: Sequence[list[Triple]]) -> list[Pair]:
    return [(gold, edited(gold, seed, 1 + seed % 2)) for seed, gold in enumerate(golds)]


def _against_networkx(name: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    ours = [edit_distance(*pair) for pair in pairs]
    mine = _median(lambda: [edit_distance(*pair) for pair in pairs], OUR_RUNS)
    other, theirs = [], []
    for pair in pairs:
        start = time.process_time()
        theirs.append(reference(*pair))
        other.append(time.process_time() - start)
    differ = sum(a.value != b or not a.exact for a, b in zip(ours, theirs, strict=True))
    return {
        "name": f"GED, {len(pairs)} {name}",
        "ours": mine * 1000,
        "theirs": sum(other) * 1000,
        "ratio": sum(other) / mine,
        "unit": "ms",
        "note": f"against networkx {_version()}; {differ} distances differ; "
        f"theirs per pair: median {statistics.median(other) * 1000:.1f}, "
        f"slowest {max(other) * 1000:.0f}",
    }


def _hard() -> list[dict[str, Any]]:
    """Connected graphs of 8 by 12 edges, of adversarial kinds; the slowest, and one given up."""
    pairs = [hard(seed) for seed in range(HARD_PAIRS)]
    found = [edit_distance(*pair) for pair in pairs]
    times = [_median(partial(edit_distance, *pair), HARD_RUNS) for pair in pairs]
    flagged = sum(not result.exact for result in found)
    most = max(result.expansions for result in found)
    note = f"{flagged} flagged; at most {most} of {DEFAULT_BUDGET} expansions"
    given_up = hard(1, 16, 24)
    result = edit_distance(*given_up)
    return [
        _ours(f"GED, {HARD_PAIRS} pairs of 8 x 12 edges, mean", statistics.mean(times), note),
        _ours(f"GED, {HARD_PAIRS} pairs of 8 x 12 edges, slowest", max(times), note),
        _ours(
            "GED, one pair of 16 x 24 edges",
            _median(lambda: edit_distance(*given_up), HARD_RUNS),
            f"exact: {result.exact}, {result.expansions} expansions",
        ),
    ]


def _hostile(gold: Sequence[Triple]) -> dict[str, Any]:
    pred = [(f"c{number}", "is a", f"c{number + 1}") for number in range(HOSTILE_EDGES)]
    seconds = _median(lambda: normalised_distance(gold, pred, constant=CONSTANT), HARD_RUNS)
    value = normalised_distance(gold, pred, constant=CONSTANT)
    return _ours(f"GED share, {HOSTILE_EDGES} predicted edges", seconds,
                 f"value {value.value:g}, {value.expansions} expansions")


def _ours(name: str, seconds: float, note: str) -> dict[str, Any]:
    return {
        "name": name,
        "ours": seconds * 1000,
        "theirs": None,
        "ratio": None,
        "unit": "ms",
        "note": note,
    }


def _median(work: Callable[[], object], runs: int) -> float:
    """Seconds of process time."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def _version() -> str:
    from importlib.metadata import version

    return version("networkx")


def main() -> None:
    """Print the rows as a table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for row in run(folder):
        theirs = (
            ""
            if row["theirs"] is None
            else f"theirs {row['theirs']:9.1f} {row['unit']}   {row['ratio']:6.1f}x"
        )
        print(f"{row['name']:48} ours {row['ours']:8.2f} {row['unit']}   {theirs:30} {row['note']}")


if __name__ == "__main__":
    main()
