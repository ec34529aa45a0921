"""Croissant 1.0: what a data set is and how to read its files, as JSON-LD.

The format is MLCommons' (https://docs.mlcommons.org/croissant/docs/croissant-spec.html).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scorer.boards import Board
from scorer.boards.exporting.items import ROW, ExportedItems, licence
from scorer.core.files import sha256

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_OF_CROISSANT = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)
"""Terms that the vocabulary of Croissant has and schema.org has not."""
_YEAR = re.compile(r"\byear\s*=\s*[{\"]?(\d{4})\b")
"""The year of what a board asks to cite, in BibTeX."""
CONTEXT: Mapping[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/", "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/", "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _OF_CROISSANT},
}


def croissant(board: Board, items: Sequence[ExportedItems], files: Mapping[str, tuple[str, bytes]],
              *, url: str = "") -> bytes:
    """The metadata of a board's data: a file and a set of records for each split.

    ``files``: of each split, where its Parquet file is (an address, or a path from where this
    document lies) and its content. ``url``: the board's page.
    """
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": board.id,
        "alternateName": board.title,
        "description": " ".join(board.summary.split()),
        "version": _version(board.version),
        "license": licence(board.licence).url or " ".join(board.licence.split()),
        "creditText": board.attribution,
        "citeAs": board.citation.strip(),
        **({"datePublished": year[1]} if (year := _YEAR.search(board.citation)) else {}),
        **({"url": url} if url else {}),
        **({"sameAs": [link.url for link in board.links]} if board.links else {}),
        "distribution": [_file(item, *files[item.split]) for item in items],
        "recordSet": [_records(board, item) for item in items],
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _version(version: str) -> str:
    """Three numbers, as the specification wants them.

    >>> _version("1.0"), _version("2.1.3.4")
    ('1.0.0', '2.1.3')
    """
    return ".".join([*version.split("."), "0", "0"][:3])


def _file(data: ExportedItems, where: str, content: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject", "@id": f"{data.split}.parquet", "name": f"{data.split}.parquet",
        "description": f"The {data.split} split: {len(data.rows)} items"
                       f"{'' if data.gold else ', without gold'}.",
        "contentUrl": where, "contentSize": f"{len(content)} B",
        "encodingFormat": "application/x-parquet", "sha256": sha256(content),
    }


def _records(board: Board, data: ExportedItems) -> dict[str, Any]:
    inputs = board.task.input_columns
    usage = {name: "input" if name in inputs else "gold" if data.gold else "gold, not public: empty"
            for name in data.columns}
    return {
        "@type": "cr:RecordSet", "@id": data.split, "name": data.split,
        "description": f"One record an item of the {data.split} split.",
        "key": {"@id": f"{data.split}/{ROW}"},
        "field": [_field(data, ROW, "sc:Integer", "The item's number, from 1."),
                  *(_field(data, name, "sc:Text", f"Column of the board: {what}.")
                    for name, what in usage.items())],
    }


def _field(data: ExportedItems, name: str, kind: str, description: str) -> dict[str, Any]:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name)
    return {
        "@type": "cr:Field", "@id": f"{data.split}/{plain}", "name": name,
        "description": description, "dataType": kind,
        "source": {"fileObject": {"@id": f"{data.split}.parquet"}, "extract": {"column": name}},
    }
