"""Items as a Parquet file."""

from __future__ import annotations

import json
from importlib.util import find_spec

from scorer.boards import Board
from scorer.boards.exporting.items import ROW, ExportedItems
from scorer.core.errors import DataError


def there() -> bool:
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
