"""Logs of inspect_ai of our tasks, by hand and by runs of it, and answers as models write them."""

import json
import os
import tomllib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from scorer.lab.harnesses.asking import asking

ROOT = Path(__file__).resolve().parent.parent
BOARD = "explagraphs-practice"
NEIGHBOUR = ROOT / "submissions" / BOARD / "reference" / "nearest-neighbour" / "predictions.dev.tsv"
"""Predictions that have something to score."""


def answer(columns: Sequence[str]) -> str:
    """A row of ExplaGraphs as a model writes it that is asked for lines."""
    return f"Stance: {columns[0]}\nGraph: {columns[1]}"


class Practice(NamedTuple):
    """A prompt, a committed system, and how a model writes a row of it that is asked so."""

    prompt: str
    system: str
    write: Callable[[Sequence[str]], str]


BOARDS = {
    BOARD: Practice("reasoning", "edited-gold", answer),
    "anli-practice": Practice("choice", "linear-chain", lambda row: row[0]),
    "anlg-practice": Practice("hypothesis", "nearest-neighbour",
                              lambda row: f"Hypothesis: {row[0]}"),
    "graph-stance-practice": Practice("label", "text-only", lambda row: row[0]),
    "explained-practice": Practice("label-first", "word-overlap",
                                   lambda row: f"Label: {row[0]}\nExplanation: {row[1]}")}


def rows_of(board: str, system: str) -> list[list[str]]:
    """The predictions of a committed system."""
    path = ROOT / "submissions" / board / "reference" / system / "predictions.dev.tsv"
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def neighbours() -> list[list[str]]:
    """The rows of the nearest neighbour."""
    return rows_of(BOARD, "nearest-neighbour")


@cache
def about(board: str = BOARD, split: str = "dev", prompt: str = "reasoning") -> Mapping[str, Any]:
    """What our task writes into a log."""
    return asking(board, split, prompt=prompt, examples=0, home=ROOT).described()


def sample(number: Any, text: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """One sample: the model's answer, or None if it gave none."""
    choice = {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}
    usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
    return {"id": number, "epoch": epoch, "input": "", "target": "", "output": (
                {"choices": []} if text is None else {"choices": [choice], "completion": text}),
            "model_usage": {"m": usage}, "scores": {"whyboard": {"value": float("nan")}}, **more}


def samples() -> list[dict[str, Any]]:
    """One for every item of dev, answered."""
    return [sample(number, answer(row)) for number, row in enumerate(neighbours(), start=1)]


def write_log(path: Path, samples: Sequence[Any], **more: Any) -> Path:
    """A log of the practice board, packed or not as its name says."""
    spec = {"task": "scorer/explagraphs_practice", "task_id": "one", "model": "openai/small",
            "created": "2026-11-23T23:59:00+00:00", "packages": {"inspect_ai": "0.3.285"},
            "metadata": {"whyboard": about()}, **more}
    head = {"version": 2, "status": "success", "eval": spec, "plan": {
        "steps": [{"solver": "ask"}], "config": {"temperature": 0.0, "max_tokens": 512, "seed": 7}}}
    return write(path, head, samples)


def write(path: Path, head: Mapping[str, Any], samples: Sequence[Any], *, summaries: bool = False,
          ) -> Path:
    """A log of inspect_ai, packed or not as its name says, with whole samples or summaries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps({**head, "samples": samples}, indent=2))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps(head))
        for name, content in ([("summaries", samples)] if summaries else
                              [(f"samples/{index}", one) for index, one in enumerate(samples)]):
            log.writestr(f"{name}.json", json.dumps(content))
    return path


def installed(folder: Path) -> dict[str, str]:
    """An environment in which our package is installed as pip does it: in ``site-packages``."""
    site = folder / "site-packages"
    about = site / "whyboard-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: whyboard\nVersion: 0\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = ["[inspect_ai]", *(f"{name} = {module}" for name, module
                               in project["entry-points"]["inspect_ai"].items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for name in ("scorer", "boards"):
        (site / name).symlink_to(ROOT / name)
    return {**os.environ, "PYTHONPATH": str(site)}


def evaluated(task: Any, **options: Any) -> Any:
    """The one log of ``inspect_ai.eval``, or of ``eval_retry`` where a log is named."""
    import inspect_ai

    run = inspect_ai.eval_retry if isinstance(task, str) else inspect_ai.eval
    # In a thread, for browser tests of the same process leave an event loop running in theirs.
    with ThreadPoolExecutor(1) as pool:
        [log] = pool.submit(run, task, **options).result()
    return log
