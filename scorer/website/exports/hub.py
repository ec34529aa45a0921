"""A row as evaluation results of the Hugging Face Hub: ``.eval_results/*.yaml`` of a model.

The format is that of the Hub's documentation (github huggingface/hub-docs,
docs/hub/eval-results.md): a list of entries, each with ``dataset.id``, ``dataset.task_id`` and
``value``. A number's metric has no field of its own there, so each metric is a task
``<split>-<metric>``.
"""

from __future__ import annotations

from typing import Any

import yaml

from scorer.board import Board
from scorer.metrics.catalogue import METRICS
from scorer.website.exports.words import one_line, system_url
from scorer.website.records import Entry, SplitView
from scorer.website.text import slug

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The one in C, which every wheel has, is ten times as fast and writes the same."""
_DATASETS = "https://huggingface.co/datasets/"
_ADVICE = ("# The board names no dataset of the Hub: replace OWNER by the owner of one that is\n"
           "# registered as a benchmark.\n")


def hub_dataset(board: Board) -> str | None:
    """The id of the Hub dataset that a board links to, if it does.

    A link leads to one if it is ``https://huggingface.co/datasets/<owner>/<name>``.
    """
    for link in board.links:
        parts = link.url.removeprefix(_DATASETS).strip("/").split("/")
        if link.url.startswith(_DATASETS) and len(parts) == 2:
            return "/".join(parts)
    return None


def task_id(split: str, metric: str) -> str:
    """The task that stands for a metric on a split.

    >>> task_id("dev", "G-BERTScore[minilm-l6]")
    'dev-g-bertscore-minilm-l6'
    """
    return f"{split}-{slug(metric)}"


def eval_results(site_url: str, view: SplitView, entry: Entry) -> bytes:
    """One entry for each metric that was measured; ``notes`` is the value's signature.

    ``date`` is when the predictions were made; it is left out where only a month is known.
    """
    dataset = hub_dataset(view.board)
    found: list[dict[str, Any]] = [
        {
            "dataset": {"id": dataset or f"OWNER/{view.board.id}",
                        "task_id": task_id(view.name, metric)},
            "value": value.value,
            **({"date": entry.date} if len(entry.date) == len("2026-01-31") else {}),
            "source": {"url": system_url(site_url, view, entry),
                       "name": one_line(f"{entry.title} on {view.board.title}")},
            "notes": value.signature,
        }
        for metric in METRICS
        if (value := entry.result.metrics.get(metric)) is not None and value.value is not None
    ]
    text = yaml.dump(found, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=1000)
    return (("" if dataset else _ADVICE) + text).encode()
