"""The numbers of e-CARE's own evaluator beside ours.

    python -m tests.e_care_evaluator FOLDER

Needs a checkout of github Waste-Wood/e-CARE at commit c3b5264, nltk, and rouge 1.0.1. It runs
causal_reasoning.py and conceptual_explanation_generation.py as they are on rows that the program
writes for dev_full.jsonl, and on premises as explanations. Ends with status 1 where a number
differs by more than 1e-9.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import scorer
from scorer import boards
from scorer.boards.golds import needed_golds
from scorer.cli import main
from scorer.tasks.texts.items import LABELS, Gold, Prediction
from scorer.tasks.texts.task import ExplainedChoices

ROWS = ("majority", "word-overlap", "other-explanation")
JSONLINES = """\
import json
def open(path, mode):
    return map(json.loads, __builtins__["open"](path))
"""
"""Stands for the package jsonlines, of which the evaluator uses this."""
METRICS = ("accuracy", "BLEU-letters", "ROUGE-L-recall")


def golds(checkout: Path, home: Path) -> tuple[Gold, ...]:
    """The items of dev, made of the checkout."""
    assert main(["data", "fetch", "e-care", "--from", str(checkout / "dataset"),
                 "--home", str(home)]) == 0
    board = boards.load("e-care")
    return needed_golds(board, "dev", home).items


def released(checkout: Path, predictions: list[Prediction], folder: Path) -> list[float]:
    """What the evaluator prints: accuracy, average BLEU, ROUGE-L."""
    (folder / "jsonlines.py").write_text(JSONLINES)
    gold = checkout / "dataset" / "dev_full.jsonl"
    found: list[float] = []
    for script, answers, names in (
        ("causal_reasoning", [LABELS.index(one.label) for one in predictions], ["accuracy"]),
        ("conceptual_explanation_generation", [one.text for one in predictions],
         ["bleu", "rouge-l"]),
    ):
        (folder / "predictions.json").write_text(json.dumps(
            {f"dev-{place}": answer for place, answer in zip(ids(gold), answers, strict=True)}))
        subprocess.run(
            [sys.executable, "-W", "ignore", checkout / f"{script}.py", "predictions.json", gold],
            cwd=folder, check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"})
        written = "prediction" if len(names) == 1 else "evaluation_metrics"
        [file] = folder.glob(f"{written}_{script}.json")
        found += [json.loads(file.read_text())[name] for name in names]
    return found


def ids(gold: Path) -> list[int]:
    """The numbers of the items, of which some are left out."""
    return [int(json.loads(line)["index"].removeprefix("dev-"))
            for line in gold.read_text().splitlines()]


def ours(items: tuple[Gold, ...], predictions: list[Prediction]) -> list[float]:
    """The same numbers by this program."""
    result = scorer.score(
        [[one.label, one.text] for one in predictions],
        [[*item.texts, item.label, *item.references] for item in items],
        board="e-care", metrics=METRICS)
    return [float(result.metrics[name].value or 0) for name in METRICS]


def compared(checkout: Path) -> bool:
    """Print both for every row; whether they are equal."""
    settings, equal = boards.load("e-care").settings, True
    with tempfile.TemporaryDirectory() as scratch:
        items = golds(checkout, Path(scratch))
        rows = {name: ExplainedChoices.baselines[name].predict(settings, [], items)
                for name in ROWS}
        rows["premises"] = [Prediction(LABELS[0], item.given[0]) for item in items]
        for name, predictions in rows.items():
            theirs = released(checkout, predictions, Path(scratch))
            mine = ours(items, predictions)
            same = all(abs(a - b) <= 1e-9 for a, b in zip(theirs, mine, strict=True))
            print(name, dict(zip(METRICS, theirs, strict=True)), "equal" if same else mine)
            equal = equal and same
    return equal


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(not compared(Path(sys.argv[1]).resolve()))
