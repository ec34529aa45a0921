"""A split of a board as tasks of lm-evaluation-harness: a YAML file each, and a module that leads
to ``lm_eval_tasks``. No item is written: the data are read where they lie when the tasks are run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer import boards
from scorer.boards import Board
from scorer.boards.prompts.records import SYSTEM as SYSTEM_FILE
from scorer.core.errors import NotMeasured, UsageError
from scorer.lab.harnesses.asking import Asking
from scorer.lab.harnesses.lm_eval_tasks import (
    CONTEXT,
    ENDINGS,
    PROMPT,
    SYSTEM,
    TARGET,
    identity,
    of_whole_split,
)
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.tasks.answers import ANSWERED

PREFIX = "whyboard_"
"""How every name begins: of tasks, of their tag, and of the files."""


class Folder(NamedTuple):
    """What is written."""

    files: Mapping[str, bytes]
    tag: str
    """Runs every task of the board."""
    tasks: tuple[str, ...]
    left_out: Mapping[str, str]
    """Metrics of the board that no task has, and why."""


def folder(asked: Asking, home: Path, learn_from: Path | None = None) -> Folder:
    """The files for one split and prompt. Raises UsageError where gold is not public."""
    board, split = asked.items.board, asked.items.split
    if asked.items.gold is None:
        raise UsageError(f"gold of {board.id} {split} is not public, so nothing can be scored "
                         f"outside; scorer import inspect makes submissions for such splits")
    left_out = {name: why for name in board.metrics if (why := _why_not(name, home))}
    metrics = [name for name in board.metrics if name not in left_out]
    tag = PREFIX + _name(board.id)
    module = f"{tag}_{split}_{_name(asked.prompt.name)}"
    files = {f"{module}.py": _module(asked, metrics, home, learn_from),
             f"{module}.yaml": _yaml(_generation(asked, tag, module, metrics))}
    tasks = [module]
    if board.task.endings(asked.items.texts[0]) is not None:
        tasks.append(f"{tag}_{split}_likelihood")
        files[f"{tasks[-1]}.yaml"] = _yaml(_likelihood(asked, tag, module, tasks[-1], metrics))
    return Folder(files, tag, tuple(tasks), left_out)


def _why_not(metric: str, home: Path) -> str:
    info = METRICS[metric]
    if info.function is None:
        return info.uncomputed()
    if info.encoder is not None or info.judge is not None:
        return "needs a model"
    try:
        if info.model is not None:
            Models(home=home)(info.model)
    except NotMeasured as reason:
        return str(reason)
    return ""


def _name(text: str) -> str:
    """A name of ours as part of a task's, which is a module's name too.

    >>> _name("G-BERTScore[minilm-l6]")
    'g_bertscore_minilm_l6'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


# ---- the module ------------------------------------------------------------------------------


def _module(
    asked: Asking, metrics: Sequence[str], home: Path, learn_from: Path | None
) -> bytes:
    board = asked.items.board
    how = {"examples": asked.examples.count, "choice": asked.examples.choice,
           "learn_from": None if learn_from is None else str(learn_from.resolve()),
           "home": str(home.resolve()), "expected": identity(asked)}
    lines = [
        f'"""Board {board.id}, split {asked.items.split}, prompt {asked.prompt.reference}.',
        "", "Written by scorer export lm-eval; whyboard must be installed where lm_eval runs.",
        '"""', "", "from scorer.lab.harnesses.lm_eval_tasks import BoardTask", "",
        "task = BoardTask(",
        f"    {_place(board)!r}, {asked.items.split!r}, {asked.prompt.name!r},",
        f"    {metrics!r},",
        *(f"    {name}={value!r}," for name, value in how.items()), ")",
        "dataset, generated, likelier = task.dataset, task.generated, task.likelier",
        *(f"{_name(name)} = task.whole({name!r})" for name in metrics
          if of_whole_split(METRICS[name])),
    ]
    return ("\n".join(lines) + "\n").encode()


def _place(board: Board) -> str:
    """The board's name, or the path of its folder if it does not come with the program."""
    own = boards.boards_folder().resolve() / board.id
    return board.id if board.folder.resolve() == own else str(board.folder.resolve())


# ---- the YAML files --------------------------------------------------------------------------


class _Function(str):
    """A function that a YAML file names."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes the tag of such names."""


_Dumper.add_representer(
    _Function, lambda dumper, value: dumper.represent_scalar("!function", str(value)))


def _yaml(task: Mapping[str, Any]) -> bytes:
    head = "# Written by scorer export lm-eval from board.yaml and the prompt.\n"
    return (head + yaml.dump(task, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)
            ).encode()


def _generation(
    asked: Asking, tag: str, module: str, metrics: Sequence[str]
) -> dict[str, Any]:
    """A model writes an answer, which is read as every answer to the prompt is."""
    decoding = asked.prompt.decoding
    metric_list = [*_metrics(module, metrics),
                   {"metric": ANSWERED, "aggregation": "mean", "higher_is_better": True}]
    return {
        **_head(asked, tag, module, module),
        "output_type": "generate_until",
        **({"description": "{{" + SYSTEM + "}}"} if SYSTEM_FILE in asked.prompt.templates else {}),
        "doc_to_text": PROMPT,
        "doc_to_target": TARGET,
        "generation_kwargs": {
            "until": [], "do_sample": decoding.temperature > 0,
            "temperature": float(decoding.temperature), "max_gen_toks": decoding.max_tokens},
        "process_results": _Function(f"{module}.generated"),
        "metric_list": metric_list,
        "metadata": {**_metadata(asked), "prompt": asked.prompt.reference,
                     "examples": asked.examples.count, "choice": asked.examples.choice},
    }


def _likelihood(
    asked: Asking, tag: str, module: str, name: str, metrics: Sequence[str]
) -> dict[str, Any]:
    """Of the endings of a text the likelier one is the answer; no prompt is asked."""
    return {
        **_head(asked, tag, module, name),
        "output_type": "multiple_choice",
        "doc_to_text": CONTEXT,
        "doc_to_choice": ENDINGS,
        "doc_to_target": TARGET,
        "process_results": _Function(f"{module}.likelier"),
        "metric_list": _metrics(module, metrics),
        "metadata": _metadata(asked),
    }


def _head(asked: Asking, tag: str, module: str, name: str) -> dict[str, Any]:
    return {"task": name, "tag": tag, "custom_dataset": _Function(f"{module}.dataset"),
            "test_split": asked.items.split, "num_fewshot": 0}


def _metrics(module: str, metrics: Sequence[str]) -> list[dict[str, Any]]:
    return [{"metric": name,
             "aggregation": (_Function(f"{module}.{_name(name)}")
                             if of_whole_split(METRICS[name]) else "mean"),
             "higher_is_better": METRICS[name].better == "higher"} for name in metrics]


def _metadata(asked: Asking) -> dict[str, Any]:
    return {"version": asked.items.board.version, "board": asked.items.board.id,
            "split": asked.items.split}
