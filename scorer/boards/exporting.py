"""A board taken elsewhere: its data as Parquet, Croissant and a dataset of the Hub.

Only data that a board carries and may show ever leave: a split leaves if its file lies beside
board.yaml, the board lets its items be shown and its licence is filled in. Gold leaves where it is
public, corrected by the errata that hold; else its columns are empty, whatever the file has there.

Formats: MLCommons' Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html)
and the Hub's documentation (github huggingface/hub-docs, docs/hub/eval-results.md of ``eval.yaml``,
docs/hub/datasets-manual-configuration.md of the card's ``configs``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer.boards import LARGEST_GOLD, Board, errata
from scorer.boards.golds import input_texts, read_golds
from scorer.boards.prompts import filled
from scorer.boards.reading import is_open
from scorer.core.errors import DataError, UsageError
from scorer.core.files import sha256
from scorer.core.reading.tsv import open_file, read_rows
from scorer.metrics.catalogue import METRICS

ROW = "row"
"""The column before the board's own: the item's number, from 1, as results name it."""


@dataclass(frozen=True)
class ExportedItems:
    """The items of one split."""

    split: str
    columns: tuple[str, ...]
    """The board's own columns, the same for every split."""
    optional: frozenset[str]
    """Those that may be empty, in any split."""
    rows: tuple[tuple[str | None, ...], ...]
    """The fields of every item, as many as there are columns."""
    gold: bool
    """Whether gold is among them."""
    sha256: str = ""
    """Digest of the gold, as results name it; empty without."""


def why_not(board: Board, split: str) -> str:
    """Why the items of a split may not be given away; empty if they may."""
    if board.examples != "public":
        return "board.yaml says that no item may be shown (examples: private)"
    if is_open(board.licence):
        return "the licence in board.yaml is still to be filled in"
    if _file(board, split) is None:
        return "its file is no part of the board's folder; each user brings it"
    return ""


def items_of(board: Board) -> tuple[ExportedItems, ...]:
    """Every split that may be given away, in the order of board.yaml; they have the same columns,
    without those that no row of any split has.

    Raises DataError if a file is not what the board says.
    """
    tables = [_items(board, split) for split in board.splits if not why_not(board, split)]
    width = max((len(row) for table in tables for row in table.rows), default=0)
    optional = frozenset[str]().union(*(table.optional for table in tables))
    return tuple(
        replace(table, columns=table.columns[:width], optional=optional,
                rows=tuple((*row, *[None] * (width - len(row))) for row in table.rows))
        for table in tables)


def _file(board: Board, split: str) -> Path | None:
    """The split's file beside board.yaml."""
    name = board.splits[split].file
    path = board.folder / "data" / name if name is not None else None
    return path if path is not None and path.is_file() else None


def _items(board: Board, split: str) -> ExportedItems:
    columns, further = board.task.gold_columns
    inputs = board.task.input_columns
    path = _file(board, split)
    assert path is not None
    if board.splits[split].gold != "public":
        texts = input_texts(board, split, board.folder) or ()
        return ExportedItems(split, tuple(columns), frozenset(columns) - set(inputs), texts,
                             gold=False)
    golds = read_golds(board, split, path)
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns, optional=further)
    rows = errata.corrected(table.rows, columns, golds.errata)
    return ExportedItems(split, tuple(columns), frozenset(columns[len(columns) - further:]),
                         tuple(row.fields for row in rows), gold=True, sha256=golds.sha256)


_CC = "https://creativecommons.org"
_KNOWN = {
    "cc0-1.0": (r"CC0(?: 1\.0)?", f"{_CC}/publicdomain/zero/1.0/"),
    "cc-by-4.0": (r"CC[ -]BY[ -]4\.0", f"{_CC}/licenses/by/4.0/"),
    "cc-by-sa-4.0": (r"CC[ -]BY-SA[ -]4\.0", f"{_CC}/licenses/by-sa/4.0/"),
    "cc-by-nc-4.0": (r"CC[ -]BY-NC[ -]4\.0", f"{_CC}/licenses/by-nc/4.0/"),
    "cc-by-nc-sa-4.0": (r"CC[ -]BY-NC-SA[ -]4\.0", f"{_CC}/licenses/by-nc-sa/4.0/"),
    "mit": (r"(?:The )?MIT(?: [Ll]icen[cs]e)?", "https://opensource.org/license/mit"),
    "apache-2.0": (r"Apache[ -](?:[Ll]icen[cs]e )?2\.0",
                   "https://www.apache.org/licenses/LICENSE-2.0"),
}


class Licence(NamedTuple):
    """A licence that the Hub knows, or ``other``."""

    id: str
    url: str


def licence(text: str) -> Licence:
    """The licence that a text begins with and says nothing but words of explanation after.

    A text that names two is ``other``: which one holds is for people to say.

    >>> licence("CC0 1.0: do with it what you like.").id
    'cc0-1.0'
    >>> licence("MIT licence in one place, CC BY-SA 4.0 in another.").id
    'other'
    """
    words = " ".join(text.split())
    named = [name for name, (pattern, _) in _KNOWN.items()
             if re.search(rf"(?<![\w-]){pattern}(?![\w-])", words)]
    if len(named) == 1 and re.match(rf"{_KNOWN[named[0]][0]}(?:[.:,;]|$)", words):
        return Licence(named[0], _KNOWN[named[0]][1])
    return Licence("other", "")


# ---- Croissant -----------------------------------------------------------------------------------

_CONTEXT = Path(__file__).with_name("croissant_context.json")
"""The terms of a document, of which schema.org has not all."""
_YEAR = re.compile(r"\byear\s*=\s*[{\"]?(\d{4})\b")
"""The year of what a board asks to cite, in BibTeX."""


def croissant(board: Board, items: Sequence[ExportedItems], files: Mapping[str, tuple[str, bytes]],
              *, url: str = "") -> bytes:
    """The metadata of a board's data: a file and a set of records for each split.

    ``files``: of each split, where its Parquet file is (an address, or a path from where this
    document lies) and its content. ``url``: the board's page.
    """
    document = {
        "@context": json.loads(_CONTEXT.read_bytes()),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": board.id,
        "alternateName": board.title,
        "description": " ".join(board.summary.split()),
        "version": ".".join([*board.version.split("."), "0", "0"][:3]),  # three numbers are wanted
        "license": licence(board.licence).url or " ".join(board.licence.split()),
        "creditText": board.attribution,
        "citeAs": board.citation.strip(),
        **({"datePublished": year[1]} if (year := _YEAR.search(board.citation)) else {}),
        **({"url": url} if url else {}),
        **({"sameAs": [link.url for link in board.links]} if board.links else {}),
        "distribution": [_file_object(item, *files[item.split]) for item in items],
        "recordSet": [_records(board, item) for item in items],
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _file_object(data: ExportedItems, where: str, content: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject", "@id": f"{data.split}.parquet", "name": f"{data.split}.parquet",
        "description": f"The {data.split} split: {len(data.rows)} items"
                       f"{'' if data.gold else ', without gold'}.",
        "contentUrl": where, "contentSize": f"{len(content)} B",
        "encodingFormat": "application/x-parquet", "sha256": sha256(content),
    }


def _records(board: Board, data: ExportedItems) -> dict[str, Any]:
    def field(name: str, kind: str, description: str) -> dict[str, Any]:
        return {
            "@type": "cr:Field", "@id": f"{data.split}/{re.sub('[^A-Za-z0-9]+', '-', name)}",
            "name": name, "description": description, "dataType": kind,
            "source": {"fileObject": {"@id": f"{data.split}.parquet"}, "extract": {"column": name}},
        }

    gold = "gold" if data.gold else "gold, not public: empty"
    return {
        "@type": "cr:RecordSet", "@id": data.split, "name": data.split,
        "description": f"One record an item of the {data.split} split.",
        "key": {"@id": f"{data.split}/{ROW}"},
        "field": [field(ROW, "sc:Integer", "The item's number, from 1."), *(
            field(name, "sc:Text", "Column of the board: "
                  f"{'input' if name in board.task.input_columns else gold}.")
            for name in data.columns)],
    }


# ---- the Hub -------------------------------------------------------------------------------------

FRAMEWORK = "whyboard"
"""The program whose numbers a result must hold, as eval.yaml calls it."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**9, "100K<n<1M"))
_DATASETS = "https://huggingface.co/datasets/"
_CARD = Path(__file__).with_name("dataset_card.md")


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


def parquet_files(board: Board, items: Sequence[ExportedItems]) -> dict[str, bytes]:
    """The Parquet file of each split, one row an item: ``row`` (int32) and the board's columns
    (UTF-8), null where there is none.

    All have one schema. A file's metadata name board, version and split. The same input gives the
    same bytes with one version of pyarrow. Raises DataError without pyarrow.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise DataError("Parquet needs the parquet extra (pyarrow is missing): "
                        "pip install 'whyboard[parquet]'") from missing
    files = {}
    for item in items:
        details = {"board": board.id, "version": board.version, "split": item.split,
                   **({"gold": item.sha256} if item.sha256 else {})}
        fields = [pa.field(ROW, pa.int32(), nullable=False), *(
            pa.field(name, pa.string(), nullable=name in item.optional) for name in item.columns)]
        schema = pa.schema(fields, metadata={"whyboard": json.dumps(details, sort_keys=True)})
        columns = list(zip(*item.rows, strict=True)) or [()] * len(item.columns)
        values = [range(1, len(item.rows) + 1), *columns]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(
            [pa.array(cells, field.type) for cells, field in zip(values, schema, strict=True)],
            schema=schema), sink, version="2.6", compression="snappy")
        files[item.split] = bytes(sink.getvalue())
    return files


def dataset_files(board: Board, folder: str = "data/", page: str = "") -> dict[str, bytes]:
    """Every file of the dataset by its path; ``folder``: of Parquet files, or its whole address;
    ``page``: what the metadata name as the dataset's, else where it is on the Hub or a link leads.

    Raises UsageError if nothing of the board may be given away, DataError without pyarrow.
    """
    items = items_of(board)
    if not items:
        reasons = "; ".join(f"{split}: {why_not(board, split)}" for split in board.splits)
        raise UsageError(f"no data of board {board.id} may be given away. {reasons}")
    files = parquet_files(board, items)
    named = hub_dataset(board)
    known = f"{_DATASETS}{named}" if named else next((link.url for link in board.links), "")
    at = {split: (f"{folder}{split}.parquet", content) for split, content in files.items()}
    return {
        **dict(at.values()),
        "README.md": card(board, items),
        "croissant.json": croissant(board, items, at, url=page or known),
        "eval.yaml": eval_yaml(board, items),
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
    """``dataset_card.md``, filled."""
    def kind(name: str) -> str:
        return ("input" if name in board.task.input_columns else "gold") + (
            ", may be null" if name in items[0].optional else "")

    return filled(_CARD.read_text("utf-8"), {
        "title": _plain(board.title), "summary": _plain(board.summary), "board": board.id,
        "version": board.version, "licence": _plain(board.licence),
        "attribution": _plain(board.attribution), "citation": board.citation.strip(),
        "fence": "`" * max(3, 1 + max(map(len, re.findall("`+", board.citation)), default=0)),
        "splits": "\n".join(f"| {item.split} | {len(item.rows)} | "
                            f"{'public' if item.gold else 'not public'} |" for item in items),
        "columns": "\n".join(f"| `{name}` | text | {kind(name)} |" for name in items[0].columns),
        "metrics": "\n".join(f"- `{name}`: {METRICS[name].summary}" for name in board.metrics),
        "links": "\n".join(f"- [{_plain(link.title)}]({link.url})" for link in board.links),
    }) + "\n"


def _plain(text: str) -> str:
    """A text on one line in which Markdown finds no link, tag or emphasis."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))


def _yaml(value: Any) -> bytes:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1000).encode()
