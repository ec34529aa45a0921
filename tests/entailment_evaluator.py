"""The numbers of EntailmentBank's own evaluator, beside ours, item by item.

    python -m tests.entailment_evaluator FOLDER

Needs a checkout of github allenai/entailment_bank at commit daac2fd, of which it runs
eval/run_scorer.py for task 2 on the released predictions of both systems and on gold itself, for
dev and test. What that imports and leaves and steps do not use is replaced: BLEURT and ROUGE, which
would score the texts of conclusions, and the tokenisers of transformers. Ends with status 1 where
an item differs by more than 1e-9.

One id stands twice in test, and the evaluator holds both items against the gold of the second. So
its numbers of test are printed as it gives them; compared are those that it gives when every item
has an id of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from scorer.cli import main
from scorer.models.registry import Models
from scorer.scoring.submissions import Scorer, open_submission

SYSTEMS = {"t5-11b": "T5_11B", "t5-large": "T5_large"}
METRICS = {"Leaves": "proof-leaves", "Steps": "proof-steps"}
STUBS = {
    "bleurt/__init__.py": "",
    "bleurt/score.py": "class BleurtScorer:\n"
                       "    def __init__(self, checkpoint): pass\n"
                       "    def score(self, **texts): return [-1.0]\n",
    "rouge.py": "class Rouge:\n"
                "    def __init__(self, **options): pass\n"
                "    def get_scores(self, *texts): return {'rouge-l': {'f': 0, 'p': 0, 'r': 0}}\n",
    "transformers.py": "BartTokenizer = T5Tokenizer = object\n",
}
DATA = Path("data/processed_data")
Numbers = tuple[float, float, float, float]
"""Precision, recall, F1 and all correct of one item."""


def released(checkout: Path, split: str, predictions: Path, folder: Path, *, own_ids: bool,
             ) -> list[dict[str, Numbers]]:
    """What the evaluator says of each item; ``own_ids``: whether every item is given its own."""
    for name, text in STUBS.items():
        _write(folder / "stubs" / name, text)
    for kind in ("slots/task_2-slots", "angles/task_2"):
        records = _records(checkout / DATA / kind / f"{split}.jsonl")
        for place, record in enumerate(records if own_ids else []):
            record["id"] += f"-{place}"
        _write(folder / DATA / kind / f"{split}.jsonl",
               "".join(json.dumps(record) + "\n" for record in records))
        _write(folder / DATA / kind / "train.jsonl", "")
    subprocess.run(
        [sys.executable, checkout / "eval/run_scorer.py", "--task", "task_2", "--split", split,
         "--prediction_file", predictions, "--output_dir", folder / "out"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
        env={**os.environ, "PYTHONPATH": f"{folder / 'stubs'}:{checkout}"})
    return [{name: (found["P"], found["R"], found["F1"], found["acc"])
             for name, kind in METRICS.items() for found in [record["metrics"][kind]]}
            for record in _records(folder / "out" / f"scores-{split}.json")]


def ours(home: Path, system: str, split: str) -> list[dict[str, Numbers]]:
    """What we say of each item."""
    sent = open_submission(home / "submissions" / "entailment-bank" / system)
    result = Scorer(Models(allowed=False), home).split(sent, split).result
    return [{name: (f1.parts["precision"], f1.parts["recall"], f1.value,
                    item.scores[f"{name}-AC"].value)
             for name in METRICS for f1 in [item.scores[f"{name}-F1"]]} for item in result.items]


def brought(checkout: Path, folder: Path) -> Path:
    """A home folder with the predictions of both systems and gold, from the checkout's files."""
    source, home = folder / "source", folder / "home"
    for split in ("dev", "test"):
        _write(source / f"task_2-{split}.jsonl",
               (checkout / DATA / "slots/task_2-slots" / f"{split}.jsonl").read_text())
        for name in SYSTEMS.values():
            _write(source / f"task_2-{split}.{name}.predictions.tsv",
                   predicted(checkout, split, name).read_text())
    for command in (["data", "fetch", "entailment-bank", "--from", str(source)],
                    ["baseline", "gold", "--board", "entailment-bank"]):
        assert main([*command, "--home", str(home)]) == 0
    return home


def predicted(checkout: Path, split: str, name: str) -> Path:
    """The released predictions of a system."""
    return (checkout / DATA / "predictions/emnlp_2021/task2" / name
            / f"{split}.32K_steps.predictions.tsv")


def gold_predicted(checkout: Path, split: str, folder: Path) -> Path:
    """Gold as if a system had predicted it."""
    records = _records(checkout / DATA / "slots/task_2-slots" / f"{split}.jsonl")
    return _write(folder / f"{split}.tsv", "".join(
        f"$proof$ = {record['proof'].strip()}\n" for record in records))


def compared(checkout: Path, folder: Path) -> Iterator[tuple[str, list[list[float]], list[int]]]:
    """For each system and split: its name, the evaluator's means, and the rows that differ."""
    home = brought(checkout, folder)
    for split in ("dev", "test"):
        files = {f"third-party/{system}": predicted(checkout, split, name)
                 for system, name in SYSTEMS.items()}
        files["reference/gold"] = gold_predicted(checkout, split, folder)
        for system, file in files.items():
            work = folder / split / system
            plain = released(checkout, split, file, work / "plain", own_ids=False)
            theirs = released(checkout, split, file, work / "own", own_ids=True)
            mine = ours(home, system, split)
            differ = [row for row, (one, other) in enumerate(zip(mine, theirs, strict=True), 1)
                      if any(abs(a - b) > 1e-9 for name in METRICS
                             for a, b in zip(one[name], other[name], strict=True))]
            yield f"{system} {split}", [_means(plain, name) for name in METRICS], differ


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _means(items: Sequence[dict[str, Numbers]], name: str) -> list[float]:
    return [fmean(numbers) for numbers in zip(*(item[name] for item in items), strict=True)]


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = False
    with tempfile.TemporaryDirectory() as scratch:
        for what, means, rows in compared(Path(sys.argv[1]).resolve(), Path(scratch)):
            wrong = wrong or bool(rows)
            print(what)
            for metric, (precision, recall, f1, correct) in zip(METRICS, means, strict=True):
                print(f"  {metric}: P {precision!r} R {recall!r} F1 {f1!r} correct {correct!r}")
            print(f"  ours differ in {f'rows {rows}' if rows else 'no row'}")
    sys.exit(wrong)
