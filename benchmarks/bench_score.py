"""``scorer score`` against the released ``metrics/eval.py``, as whole programs.

``eval.py`` runs unmodified from a checkout given by ``--reference``; only ``bert_score.score`` is
pointed at the same local MiniLM files, because it asks for roberta-large. This interpreter needs
what it imports: ``pip install bert_score spacy``. Ours computes the metrics that ``eval.py`` prints
and G-ROUGE-L. Both programs are started cold, in turns, after one run of each that is not counted;
medians of wall time, CPU time and peak memory are compared, and the least are named.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.bench_imports import environment

RUNS = 5
FURTHER = 10
PRINTED = ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED", "G-BERTScore[minilm-l6]")
"""What ``eval.py`` computes; SeCA and EA take further scripts of the authors."""

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


class Costs(NamedTuple):
    """What some runs of a program took."""

    median: Cost
    least: Cost


def measure(commands: Mapping[str, Sequence[str]], runs: int = RUNS) -> dict[str, Costs]:
    """The costs of commands that run in turns, by their names; raises if one fails."""
    for command in commands.values():
        _once(command)
    taken: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            taken[name].append(_once(command))
    return {name: Costs(Cost(*map(statistics.median, zip(*costs, strict=True))),
                        Cost(*map(min, zip(*costs, strict=True))))
            for name, costs in taken.items()}


ONCE = """
import json, os, subprocess, sys, tempfile, time
with tempfile.TemporaryFile() as printed:
    start = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdout=printed, stderr=printed)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    printed.seek(0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(printed.read()[-2000:].decode(errors="replace"))
print(json.dumps([wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""
"""Runs a command from a small process: a child's peak memory is at least that of its parent."""


def _once(command: Sequence[str]) -> Cost:
    process = subprocess.run([sys.executable, "-c", ONCE, *command], env=environment(),
                             capture_output=True, text=True, check=False)
    if process.returncode:
        raise RuntimeError(f"{command}: {process.stderr}")
    return Cost(*json.loads(process.stdout))


def run(data_dir: Path | None, reference: Path | None = None) -> list[dict[str, Any]]:
    """Rows (name, ours, theirs, ratio, unit, note); needs the official dev data.

    ``reference``: a checkout of github swarnaHub/ExplaGraphs; without it only ours is measured.
    """
    if data_dir is None:
        return []
    predictions = data_dir / "third-party" / "max-margin.dev.predictions.tsv"
    gold = data_dir / "dev.tsv"
    with tempfile.TemporaryDirectory() as scratch:
        ours = _ours(predictions, gold)
        light = [*ours, "--models", "no"]
        commands = {
            **(_references(reference, predictions, gold, Path(scratch)) if reference else {}),
            "light": [*light, "--no-null"],
            "light, null": light,
            "whole": [*ours, *_only(), "--no-null"],
            "whole, null": [*ours, *_only()],
            "judges": _at_a_new_home([*ours, "--no-null"], scratch),
            **_further(predictions, gold, Path(scratch)),
        }
        found = measure(commands)
    theirs, bare = found.get("theirs"), found.get("theirs, bare")
    return [
        *_rows("cold, all metrics of eval.py with MiniLM", found["whole"], theirs,
               "no null, as the reference"),
        *_rows("cold, all metrics of eval.py with MiniLM, and the null", found["whole, null"],
               theirs, "two sets of predictions against one"),
        *_rows("cold, without G-BERTScore on either side", found["light"], bare,
               "no null; their bert_score.score replaced by a constant, still imported"),
        *_rows("cold, without G-BERTScore on either side, and the null", found["light, null"],
               bare, "two sets of predictions against one"),
        *_rows("cold, SeCA and EA by the embedded judges too", found["judges"], None,
               "no null, nothing cached; eval.py has no such metrics"),
        *_rows(f"each further submission of {FURTHER} in one run, with null",
               _share(found["one"], found["many"]), theirs,
               "Max-Margin with every relation moved on by one, two ...: no edge in common"),
    ]


def _ours(predictions: Path, gold: Path) -> list[str]:
    return [sys.executable, "-m", "scorer", "score", str(predictions), "--task", "explagraphs",
            "--gold", str(gold)]


def _at_a_new_home(command: Sequence[str], scratch: str) -> list[str]:
    """A command that finds no answer of a judge kept by another run."""
    return ["sh", "-c", 'exec "$@" --home "$(mktemp -d "$0/XXXXXX")"', scratch, *command]


def _only() -> list[str]:
    return ["--metrics", ",".join(PRINTED)]


def _references(checkout: Path, predictions: Path, gold: Path, scratch: Path,
                ) -> dict[str, list[str]]:
    """The reference with MiniLM, and with a constant in its place."""
    from scorer.models.known import ENCODERS
    from scorer.models.sources import locate

    model = str(locate(str(ENCODERS["minilm-l6"].source)))
    return {
        name: [
            sys.executable, "-W", "ignore", "-c", DRIVER, folder,
            str(checkout / "metrics" / "eval.py"), "--pred_file", str(predictions),
            "--gold_file", str(gold), "--relations_file", str(gold.parent / "relations.txt"),
            "--eval_annotated_file", str(scratch / "annotations.tsv"),
        ]
        for name, folder in (("theirs", model), ("theirs, bare", "none"))
    }


def _further(predictions: Path, gold: Path, scratch: Path) -> dict[str, list[str]]:
    """Runs of one file, and of ten that share no edge with one another."""
    relations = (gold.parent / "relations.txt").read_text("utf-8").split("\n")
    files = [_variant(scratch, predictions, relations, n) for n in range(FURTHER)]
    many = [str(path) for path in files]
    return {"one": _many(many[:1], gold), "many": _many(many, gold)}


def _share(one: Costs, many: Costs) -> Costs:
    """What each further one costs."""
    shares = (Cost((b.wall - a.wall) / (FURTHER - 1), (b.cpu - a.cpu) / (FURTHER - 1), b.memory)
              for a, b in zip(one, many, strict=True))
    return Costs(*shares)


def _many(files: Sequence[str], gold: Path) -> list[str]:
    base = _ours(Path(files[0]), gold)
    return [*base[:4], *files, *base[5:], *_only()]


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


def _rows(name: str, ours: Costs, theirs: Costs | None, note: str) -> list[dict[str, Any]]:
    rows = []
    for place, (what, unit) in enumerate((("wall", "s"), ("CPU", "s"), ("peak memory", "MiB"))):
        mine, other = ours.median[place], None if theirs is None else theirs.median[place]
        least = f"{ours.least[place]:.3g}" + (
            "" if theirs is None else f" against {theirs.least[place]:.3g}")
        rows.append({
            "name": f"scorer score: {name}, {what}", "ours": mine, "theirs": other,
            "ratio": None if other is None else other / mine, "unit": unit,
            "note": note if what == "peak memory" else f"{note}; least: {least}",
        })
    return rows
