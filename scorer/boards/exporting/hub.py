"""A board's data as a dataset of the Hugging Face Hub: a folder that can be pushed as it is.

Formats: the Hub's documentation (github huggingface/hub-docs, docs/hub/eval-results.md of
``eval.yaml``, docs/hub/datasets-manual-configuration.md of the card's ``configs``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import yaml

from scorer.boards import Board
from scorer.boards.exporting.croissant import croissant
from scorer.boards.exporting.items import ROW, ExportedItems, check_any, items_of, licence
from scorer.core.errors import DataError
from scorer.metrics.catalogue import METRICS

FRAMEWORK = "whyboard"
"""The program whose numbers a result must hold, as eval.yaml calls it."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**9, "100K<n<1M"))
_DATASETS = "https://huggingface.co/datasets/"


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
    return f"{split}-{re.sub(r'[^a-z0-9]+', '-', metric.lower()).strip('-')}"


def has_parquet() -> bool:
    """Whether Parquet can be written here."""
    return find_spec("pyarrow") is not None


def parquet(board: Board, items: ExportedItems, *, optional: frozenset[str]) -> bytes:
    """One row an item: ``row`` (int32) and the board's columns (UTF-8), null where there is none.

    ``optional``: the columns that may be null; the same for all splits of a board, so that their
    files have one schema. The file's metadata name board, version and split. The same input gives
    the same bytes with one version of pyarrow. Raises DataError without pyarrow.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise DataError("Parquet needs the parquet extra (pyarrow is missing): "
                        "pip install 'whyboard[parquet]'") from missing
    details = {"board": board.id, "version": board.version, "split": items.split,
               **({"gold": items.sha256} if items.sha256 else {})}
    schema = pa.schema(
        [pa.field(ROW, pa.int32(), nullable=False),
         *(pa.field(name, pa.string(), nullable=name in optional) for name in items.columns)],
        metadata={"whyboard": json.dumps(details, sort_keys=True)})
    columns = list(zip(*items.rows, strict=True)) or [()] * len(items.columns)
    table = pa.Table.from_arrays(
        [pa.array(values, field.type)
         for values, field in zip([range(1, len(items.rows) + 1), *columns], schema, strict=True)],
        schema=schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, version="2.6", compression="snappy")
    return bytes(sink.getvalue())


def parquet_files(board: Board, items: Sequence[ExportedItems]) -> dict[str, bytes]:
    """The Parquet file of each split, all with one schema. Raises DataError without pyarrow."""
    optional = frozenset[str]().union(*(item.optional for item in items))
    return {item.split: parquet(board, item, optional=optional) for item in items}


def dataset_files(board: Board) -> dict[str, bytes]:
    """Every file of the dataset by its path.

    Raises UsageError if nothing of the board may be given away, DataError without pyarrow.
    """
    check_any(board)
    items = items_of(board)
    files = parquet_files(board, items)
    named = hub_dataset(board)
    page = f"{_DATASETS}{named}" if named else next((link.url for link in board.links), "")
    at = {split: (f"data/{split}.parquet", content) for split, content in files.items()}
    return {
        "README.md": card(board, items),
        "croissant.json": croissant(board, items, at, url=page),
        "eval.yaml": eval_yaml(board, items),
        **dict(at.values()),
    }


def eval_yaml(board: Board, items: Sequence[ExportedItems]) -> bytes:
    """What makes the dataset a benchmark of the Hub: a task for each metric on each split that can
    be scored, which are the tasks that ``eval-results.yaml`` of our rows names."""
    return _yaml({
        "name": board.title,
        "description": " ".join(board.summary.split()),
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": task_id(item.split, metric), "config": "default", "split": item.split}
                  for item in items if board.splits[item.split].gold != "reported"
                  for metric in board.metrics],
    })


def card(board: Board, items: Sequence[ExportedItems]) -> bytes:
    """The dataset's card: which file is which split, for programs; the rest for people."""
    known = licence(board.licence)
    size = sum(len(item.rows) for item in items)
    head = {
        "pretty_name": board.title,
        "license": known.id,
        **({} if known.url else {"license_name": "see-below"}),
        "size_categories": [next(name for most, name in _SIZES if size < most)],
        "tags": [FRAMEWORK, "benchmark"],
        "configs": [{"config_name": "default", "data_files": [
            {"split": item.split, "path": f"data/{item.split}.parquet"} for item in items]}],
    }
    return b"---\n" + _yaml(head) + b"---\n\n" + _text(board, items).encode()


def _text(board: Board, items: Sequence[ExportedItems]) -> str:
    inputs = set(board.task.input_columns)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", board.citation)), default=0))
    splits = [f"| {item.split} | {len(item.rows)} | {'public' if item.gold else 'not public'} |"
              for item in items]
    columns = [f"| `{ROW}` | integer | the item's number, from 1 |",
               *(f"| `{name}` | text | {'input' if name in inputs else 'gold'}"
                 f"{', may be null' if any(name in item.optional for item in items) else ''} |"
                 for name in items[0].columns)]
    links = [f"- [{_plain(link.title)}]({link.url})" for link in board.links]
    metrics = [f"- `{name}`: {METRICS[name].summary}" for name in board.metrics]
    parts = [
        [f"# {_plain(board.title)}"], [_plain(board.summary)],
        ["| split | items | gold |", "|---|---|---|", *splits],
        ["| column | type | what it is |", "|---|---|---|", *columns],
        ["## Metrics"], metrics,
        [f"`scorer score FOLDER` of Whyboard computes them on board `{board.id}`, version "
         f"{board.version}."],
        *([["## Links"], links] if links else []),
        ["## Licence"], [_plain(board.licence)], [_plain(board.attribution)],
        ["## Citation"], [f"{fence}bibtex", board.citation.strip(), fence],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _plain(text: str) -> str:
    """A text on one line in which Markdown finds no link, tag or emphasis."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))


def _yaml(value: Any) -> bytes:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1000).encode()
