"""One row for each system of a split: its results, its predictions and what it says of itself.

A result may lie in the checkout, in the home folder or in both, and counts only with the file of
predictions and the gold that were scored.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from scorer.boards.submission import Meta, predictions_path
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.core.reading.tsv import open_file
from scorer.core.records import ItemResult
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import PREVIEW, about
from scorer.scoring.leaderboard.files import description, descriptions
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from scorer.site.reading.repository import SiteReader
from scorer.site.records import Entry, SplitView
from scorer.site.workers import shared

BLOCK = 40
"""Values in one block."""
MANY = 8
"""Rows of a split; fewer are not worth another process."""
Value = TypeVar("Value", covariant=True)


def entries(reader: SiteReader, view: SplitView, digest: str | None) -> Iterator[Entry]:
    """One entry for each system that has a result for this split, wherever the result lies."""
    board, split = view.board, view.name
    files: dict[tuple[str, str], list[Path]] = {}
    for folder in reversed(reader.places()):  # an official result counts before another
        for path in sorted((folder / "results" / board.id).glob(f"*/*/{split}.json")):
            files.setdefault((path.parent.parent.name, path.parent.name), []).append(path)
    jobs = [partial(_entry, reader, view, team, system, paths, digest)
            for (team, system), paths in sorted(files.items())]
    for entry, warnings in shared(jobs, reader.processes if len(jobs) >= MANY else 1):
        for warning in warnings:
            reader.warn(warning)
        if entry is not None:
            yield entry


def _entry(whole: SiteReader, view: SplitView, team: str, system: str, paths: Sequence[Path],
           digest: str | None) -> tuple[Entry | None, list[str]]:
    """The entry of a system, and what was left out of it; of any process."""
    reader = replace(whole, warnings=[])
    return _best_entry(reader, view, team, system, paths, digest), reader.warnings


def _best_entry(reader: SiteReader, view: SplitView, team: str, system: str,
                paths: Sequence[Path], digest: str | None) -> Entry | None:
    """One submission's entry from the first of its results that is of the file of its predictions,
    else from the first."""
    folder = reader.submission(view.board.id, team, system)
    file = predictions_path(folder, view.name)
    wanted = sha256_file(file) if file.is_file() else None
    known = [(path, result) for path in paths
             if (result := _result(reader, path, digest)) is not None]
    if not known:
        return None
    fitting = [pair for pair in known if pair[1].predictions.sha256 == wanted]
    if wanted is not None and not fitting:
        # what the pipeline published stands until it is replaced
        kept = reader.known_states is not None
        shown = "its row is shown without it" if kept else "its row is left out; score it again"
        reader.warn(f"{file}: not the file that was scored, so {shown}")
        if not kept:
            return None
    path, result = (fitting or known)[0]
    official = path.is_relative_to(reader.root / "results")
    readable: Iterator[Meta | None] = (
        reader.attempt(description, file) for file in descriptions(folder, path))
    meta = next(filter(None, readable), None)
    replaced = (reader.attempt(past.read, path) for path in paths)
    names = [name for name in result.metrics if name in METRICS]
    names.sort(key=[*view.board.metrics, *names].index)
    result = result.replace(team=team, system=system, items=Packed.of(result.items),
                            metrics={name: result.metrics[name] for name in names})
    entry = Entry(
        about(view.board, result, meta, reader.day), result, preview=not official,
        past=next(filter(None, replaced), ()),
        answers=file if fitting and result.items else None, folder=folder, result_path=path,
        committed=folder.is_relative_to(reader.root / "submissions"))
    if entry.kind == PREVIEW and wanted is None:
        reader.warn(f"{path}: there is no {file.name} of this submission, so its row is left out; "
                    "score it again")
        return None
    return entry


def _result(reader: SiteReader, path: Path, digest: str | None) -> Result | None:
    """A result against the gold with this digest."""
    result: Result | None = reader.attempt(results.read, path)
    if result is not None and digest not in (None, result.gold.digest):
        reader.warn(f"{path}: scored against another gold file; score it again")
        return None
    return result


def with_answers(reader: SiteReader, view: SplitView) -> SplitView:
    """A split with the predictions of the rows whose answers are shown; others stay unread."""
    shown = {entry.key for entry in view.first(
        [entry for entry in view.entries if entry.answers and entry.result.items])}
    return replace(view, entries=tuple(
        _with_answers(reader, view, entry, entry.answers) if entry.answers and entry.key in shown
        else entry for entry in view.entries))


def _with_answers(reader: SiteReader, view: SplitView, entry: Entry, path: Path) -> Entry:
    """A row with its predictions, and with what they break where gold is at hand: files of items
    do not have that."""
    items: Sequence[ItemResult] = entry.result.items
    predictions = reader.attempt(_read_predictions, view, path)
    if predictions is None or len(predictions) != len(items):
        return replace(entry, answers=None)
    if len(view.golds) == len(items):
        verdict = view.board.task.verdict
        items = [replace(item, verdict=verdict(gold, prediction))
                 for item, gold, prediction in zip(items, view.golds, predictions, strict=True)]
    return replace(entry, predictions=Packed.of(predictions),
                   result=entry.result.replace(items=Packed.of(items)))


def _read_predictions(view: SplitView, path: Path) -> list[Any]:
    board, task = view.board, view.board.task
    texts = [gold.texts for gold in view.golds]
    table = task.read_table(open_file(path), texts=texts)
    predictions = [task.read_prediction(row, table.problems) for row in table.rows]
    if table.problems.total:
        raise DataError(f"{path}: not a predictions file of {board.id}")
    return predictions


# ---- values of a split's items in less memory ----------------------------------------------------


class Packed(Sequence[Value]):
    """A sequence that cannot change, pickled and compressed in blocks.

    A large board has half a million items over all its systems; as objects they fill gigabytes. At
    hand as objects are the last block of each sequence, and the last four sequences that somebody
    went through.
    """

    def __init__(self, blocks: Sequence[bytes], length: int) -> None:
        self._blocks = blocks
        self._length = length
        self._last: tuple[int, Sequence[Any]] = (-1, ())

    @classmethod
    def of(cls, values: Sequence[Value]) -> Packed[Value]:
        """The same values, packed."""
        if isinstance(values, Packed):
            return values
        starts = range(0, len(values), BLOCK)
        return cls([zlib.compress(pickle.dumps(tuple(values[start : start + BLOCK])), 1)
                    for start in starts], len(values))

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self[position] for position in range(self._length)[place])
        number, place = divmod(range(self._length)[place], BLOCK)
        last = self._last
        if last[0] != number:
            last = self._last = number, self._unpacked(number)
        return last[1][place]

    def __iter__(self) -> Iterator[Value]:
        return iter(_whole(self))

    def _unpacked(self, number: int) -> Sequence[Any]:
        values: Sequence[Any] = pickle.loads(  # noqa: S301  # what this process packed
            zlib.decompress(self._blocks[number]))
        return values


@lru_cache(maxsize=4)
def _whole(values: Packed[Value]) -> Sequence[Value]:
    """All values of a sequence; whoever goes through them often does it one system at a time."""
    return [value for number in range(len(values._blocks)) for value in values._unpacked(number)]
