"""What R4C's own evaluator says of the predictions that its authors released.

``cases/r4c.yaml`` has this program's output. Needs a work tree of github naoya-i/r4c
at bb016c7, and pulp, editdistance and tqdm, which none of our environments has; takes two minutes:

    python tests/r4c_evaluator.py CHECKOUT PREDICTIONS               # the program as released
    python tests/r4c_evaluator.py CHECKOUT PREDICTIONS --in-order    # without its shuffling
    python tests/r4c_evaluator.py CHECKOUT PREDICTIONS --in-order --board FOLDER

PREDICTIONS: bm_core or oracle. FOLDER: ``data/r4c`` of a home folder after ``scorer data fetch
r4c``; the texts are then those of our rows, in which a few signs are replaced.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

IN_ORDER = """
import random, runpy, sys
random.sample = lambda numbers, count: list(numbers)[:count]
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
OURS = {"bm_core": "core", "oracle": "oracle"}


def derivation(graph: str) -> list[tuple[str, int, list[str]]]:
    """A graph of our rows as the evaluator reads it, from which article it came aside."""
    return [("", 0, edge.split("; ")) for edge in graph[1:-1].split(")(")]


def rows_of(folder: Path, predictions: str, written: Path) -> tuple[Path, Path]:
    """Our rows of gold and predictions as files of R4C's; what is not answered is left out."""
    golds = [line.split("\t") for line in (folder / "dev.tsv").read_text().splitlines()]
    answers = (folder / "third-party" / f"{OURS[predictions]}.dev.tsv").read_text().splitlines()
    label, prediction = written / "label.json", written / "prediction.json"
    label.write_text(json.dumps({name: list(map(derivation, graphs)) for name, *graphs in golds}))
    prediction.write_text(json.dumps({"re": {
        name: derivation(answer) for (name, *_), answer in zip(golds, answers, strict=True)
        if answer != "-"}}))
    return label, prediction


def main() -> None:
    """Print precision, recall and F1 of entities, relations and both, as the evaluator does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("predictions", choices=OURS)
    parser.add_argument("--in-order", action="store_true")
    parser.add_argument("--board", type=Path)
    asked = parser.parse_args()
    label = asked.checkout / "corpus" / "dev_csf.json"
    prediction = asked.checkout / "prediction" / f"{asked.predictions}.json"
    with tempfile.TemporaryDirectory() as written:
        if asked.board:
            label, prediction = rows_of(asked.board, asked.predictions, Path(written))
        ran = subprocess.run(
            [sys.executable, *(["-c", IN_ORDER] if asked.in_order else []),
             str(asked.checkout / "src" / "r4c_evaluate.py"), "--prediction", str(prediction),
             "--label", str(label), "--ignore-missing"], stdout=subprocess.PIPE, check=True)
    print(ran.stdout.decode().splitlines()[-1])  # below what its solver prints


if __name__ == "__main__":
    main()
