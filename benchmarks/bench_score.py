"""``scorer score`` against the released ``metrics/eval.py``, as whole programs.

``eval.py`` runs unmodified from a checkout given by ``--reference``; only ``bert_score.score`` is
pointed at the same local MiniLM files, because it asks for roberta-large. Both programs are
started cold; the median wall time, CPU time and peak memory of a few runs are compared.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

RUNS = 3
FURTHER = 10

DRIVER = """
import runpy, sys, bert_score
model, script, *arguments = sys.argv[1:]
original = bert_score.score
if model == "none":
    import torch
    def score(cands, refs, **_):
        return None, None, torch.ones(len(cands))
else:
    def score(cands, refs, **_):
        return original(cands, refs, model_type=model, num_layers=6, idf=False)
bert_score.score = score
sys.path.insert(0, script.rpartition("/")[0])
sys.argv = [script, *arguments]
runpy.run_path(script, run_name="__main__")
"""


class Cost(NamedTuple):
    """What one run of a program took."""

    wall: float
    cpu: float
    memory: float
    """Peak resident memory in MiB."""


def measure(command: Sequence[str], runs: int = RUNS) -> Cost:
    """Medians over some runs of a command; raises if it fails."""
    costs = [_once(command) for _ in range(runs)]
    return Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))


def _once(command: Sequence[str]) -> Cost:
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{command}: {said.read().decode(errors='replace')[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def run(data_dir: Path | None, reference: Path | None = None) -> list[dict[str, Any]]:
    """Rows (name, ours, theirs, ratio, unit, note); needs the official dev data.

    ``reference``: a checkout of github swarnaHub/ExplaGraphs; without it only ours is measured.
    """
    if data_dir is None:
        return []
    predictions = data_dir / "third-party" / "max-margin.dev.predictions.tsv"
    gold = data_dir / "dev.tsv"
    theirs = _reference(reference, predictions, gold, "model") if reference else None
    bare = _reference(reference, predictions, gold, "none") if reference else None
    with_null = measure(_ours(predictions, gold))
    alone = measure([*_ours(predictions, gold), "--no-null"])
    light = measure([*_ours(predictions, gold), "--models", "no", "--no-null"])
    light_null = measure([*_ours(predictions, gold), "--models", "no"])
    return [
        *_rows("cold, all metrics with MiniLM", alone, theirs, "no null, as the reference"),
        *_rows("cold, all metrics with MiniLM, and the null", with_null, theirs,
               "two sets of predictions against one"),
        *_rows("cold, without G-BERTScore", light, theirs, "their time is that of the whole"),
        *_rows("cold, without G-BERTScore on either side", light, bare,
               "their bert_score.score replaced by a constant; still imported"),
        *_rows("cold, without G-BERTScore, and the null", light_null, theirs,
               "their time is that of the whole"),
        *_further(predictions, gold, theirs),
    ]


def _ours(predictions: Path, gold: Path) -> list[str]:
    return [sys.executable, "-m", "scorer", "score", str(predictions), "--task", "explagraphs",
            "--gold", str(gold)]


def _reference(checkout: Path, predictions: Path, gold: Path, model: str) -> Cost:
    from scorer.models.encoders import KNOWN
    from scorer.models.sources import locate

    folder = str(locate(KNOWN["minilm-l6"].source)) if model == "model" else "none"
    with tempfile.TemporaryDirectory() as scratch:
        return measure([
            sys.executable, "-W", "ignore", "-c", DRIVER, folder,
            str(checkout / "metrics" / "eval.py"), "--pred_file", str(predictions),
            "--gold_file", str(gold), "--relations_file", str(gold.parent / "relations.txt"),
            "--eval_annotated_file", str(Path(scratch) / "annotations.tsv"),
        ])


def _further(predictions: Path, gold: Path, theirs: Cost | None) -> list[dict[str, Any]]:
    """What one more submission costs in a run: ten files that share no edge with one another."""
    with tempfile.TemporaryDirectory() as scratch:
        relations = (gold.parent / "relations.txt").read_text("utf-8").split("\n")
        files = [_variant(Path(scratch), predictions, relations, n) for n in range(FURTHER)]
        many = [str(path) for path in files]
        one = measure([*_many(many[:1], gold)])
        all_of_them = measure([*_many(many, gold)])
    share = [(b - a) / (FURTHER - 1) for a, b in zip(one, all_of_them, strict=True)]
    cost = Cost(share[0], share[1], all_of_them.memory)
    return _rows(f"each further submission of {FURTHER} in one run, with null", cost, theirs,
                 "Max-Margin with every relation moved on by one, two ...: no edge in common")


def _many(files: Sequence[str], gold: Path) -> list[str]:
    base = _ours(Path(files[0]), gold)
    return [*base[:4], *files, *base[5:]]


def _variant(folder: Path, predictions: Path, relations: Sequence[str], shift: int) -> Path:
    """The predictions with every relation replaced by the one ``shift`` places on in the list."""
    following = dict(zip(relations, [*relations[shift:], *relations[:shift]], strict=True))
    text = re.sub(
        r"; ([a-z ]+); ", lambda m: f"; {following.get(m[1], m[1])}; ",
        predictions.read_text("utf-8"),
    )
    path = folder / f"{shift}.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def _rows(name: str, ours: Cost, theirs: Cost | None, note: str) -> list[dict[str, Any]]:
    return [
        {
            "name": f"scorer score: {name}, {what}",
            "ours": mine,
            "theirs": None if theirs is None else theirs[place],
            "ratio": None if theirs is None else theirs[place] / mine,
            "unit": unit,
            "note": note,
        }
        for place, (what, unit, mine) in enumerate(
            (("wall", "s", ours.wall), ("CPU", "s", ours.cpu), ("peak memory", "MiB", ours.memory))
        )
    ]
