"""Compare the released ExplaGraphs code with ours, item by item.

    python -m benchmarks.replication --python PYTHON --reference CHECKOUT [--data DIR] [--sets N]

``--python``: an interpreter with requirements.txt of this folder; ``--reference``: a checkout of
github swarnaHub/ExplaGraphs at 67ecab1; ``--data``: a folder with the official dev.tsv, else the
practice board's gold is edited. Exit code 1 if anything differs by more than 1e-6.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.replication.comparing import (
    TOLERANCE,
    Difference,
    difference,
    ours,
    released,
    summed,
)
from benchmarks.replication.inputs import GoldRow, predictions, second_golds
from scorer import boards

SPLIT = "dev"


def parser() -> argparse.ArgumentParser:
    """What may be asked for."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.replication", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--python", required=True, help="an interpreter with the pinned libraries")
    asked.add_argument("--reference", type=Path, required=True, help="the released code")
    asked.add_argument("--data", type=Path, help="a folder with the official dev.tsv")
    asked.add_argument("--sets", type=int, default=10, help="files of predictions (default: 10)")
    asked.add_argument("--seed", type=int, default=1, help="of the first (default: 1)")
    return asked


def main(arguments: list[str] | None = None) -> int:
    """Run it; every third set of predictions is scored against two golds an item."""
    given = parser().parse_args(arguments)
    board = boards.load("explagraphs" if given.data else "explagraphs-practice")
    gold = given.data / "dev.tsv" if given.data else board.data_file(SPLIT, Path())
    assert gold is not None
    rows = [GoldRow(*line.split("\t")[:4])
            for line in gold.read_text("utf-8").rstrip("\n").split("\n")]
    relations = board.settings.graph.relations
    found: list[Difference] = []
    with tempfile.TemporaryDirectory() as scratch:
        listed = Path(scratch) / "relations.txt"
        listed.write_text("\n".join(relations), encoding="utf-8")
        for place, seed in enumerate(range(given.seed, given.seed + given.sets)):
            two = place % 3 == 2
            folder = Path(scratch) / str(seed)
            folder.mkdir()
            predicted, golds = folder / "predictions.tsv", folder / "gold.tsv"
            predicted.write_text(predictions(rows, relations, seed), encoding="utf-8")
            golds.write_text(
                second_golds(rows, relations, seed) if two
                else "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
            theirs = released(given.python, given.reference, predicted, golds, listed,
                              folder / "released.json", two_golds=two)
            if not found:
                print(", ".join(f"{name} {it}" for name, it in theirs["versions"].items()))
            found.append(difference(ours(board, predicted, golds), theirs))
            print(f"seed {seed}, {1 + two} gold: {found[-1]}", flush=True)
    total = summed(found)
    print(f"all {given.sets} sets: {total}")
    return int(not total.within(TOLERANCE))


if __name__ == "__main__":
    sys.exit(main())
