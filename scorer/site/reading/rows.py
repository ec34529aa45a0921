"""One row for each system of a split: its results, its predictions and what it says of itself.

A result may lie in the checkout, in the home folder or in both, and counts only with the file of
predictions and the gold that were scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from scorer.boards.submission import FILE_NAME, Meta, read_meta
from scorer.boards.submission import read as read_submission
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import sha256_file
from scorer.core.reading.tsv import open_file
from scorer.core.records import ItemResult
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import PREVIEW, about
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from scorer.scoring.results.signature import parts
from scorer.site.reading.packed import Packed
from scorer.site.reading.reader import SiteReader
from scorer.site.records import Entry, SplitView
from scorer.site.workers import shared

MANY = 8
"""Rows that are worth another process."""


def entries(reader: SiteReader, view: SplitView, digest: str | None) -> Iterator[Entry]:
    """One entry for each system that has a result for this split, wherever the result lies."""
    board, split = view.board, view.name
    files: dict[tuple[str, str], list[Path]] = {}
    for folder in reader.places():
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
    folder = reader.submission(view.board.id, team, system)
    return _best_entry(reader, view, folder, paths, digest), reader.warnings


def _best_entry(reader: SiteReader, view: SplitView, folder: Path, paths: Sequence[Path],
                digest: str | None) -> Entry | None:
    """One submission's entry from all results there are for it, with its predictions."""
    file = folder / f"predictions.{view.name}.tsv"
    wanted = sha256_file(file) if file.is_file() else None
    pairs = [(path, result) for path in paths
             if (result := _result(reader, path, digest)) is not None]
    fitting = [pair for pair in pairs if pair[1].predictions.sha256 == wanted]
    if wanted is not None and pairs and not fitting:
        # what the pipeline published stands until it is replaced
        kept = reader.known_states is not None
        shown = "its row is shown without it" if kept else "its row is left out; score it again"
        reader.warn(f"{file}: not the file that was scored, so {shown}")
        if not kept:
            return None
    if not pairs:
        return None
    used = fitting or pairs
    path, result = max(used, key=lambda pair: _weight(pair[1], official=_official(reader, pair[0])))
    team, system = path.parent.parent.name, path.parent.name
    meta = _meta_of(reader, folder, path)
    entry = Entry(
        about(view.board, view.name, team, system, meta),
        _in_order(result, view.board.metrics).replace(team=team, system=system),
        preview=not _official(reader, path),
        anonymous=meta is not None and meta.anonymous(reader.day), past=_past(reader, paths),
        answers=file if fitting and result.items else None, folder=folder, result_path=path,
        committed=folder.is_relative_to(reader.root / "submissions"),
        commit=reader.commit_of(path))
    if entry.kind == PREVIEW and wanted is None:
        reader.warn(f"{path}: there is no {file.name} of this submission, so its row is left out; "
                    "score it again")
        return None
    return replace(entry, result=entry.result.replace(items=Packed.of(entry.result.items)))


def _in_order(result: Result, metrics: Sequence[str]) -> Result:
    """A result with its metrics in the order of its board, as all tables have them; files have
    them by name. Known ones that the board has no longer come last."""
    names = [*(name for name in metrics if name in result.metrics),
             *(name for name in result.metrics if name in METRICS and name not in metrics)]
    return result.replace(
        metrics={name: result.metrics[name] for name in names},
        items=tuple(ItemResult(item.row, item.verdict,
                               {name: item.scores[name] for name in names if name in item.scores},
                               item.edges) for item in result.items))


def with_answers(reader: SiteReader, view: SplitView) -> SplitView:
    """A split with the predictions of the rows whose answers are shown; others stay unread."""
    shown = {entry.key for entry in view.first(
        [entry for entry in view.entries if entry.answers and entry.result.items])}
    return replace(view, entries=tuple(
        _with_answers(reader, view, entry, entry.answers) if entry.answers and entry.key in shown
        else entry for entry in view.entries))


def _with_answers(reader: SiteReader, view: SplitView, entry: Entry, path: Path) -> Entry:
    predictions = reader.attempt(partial(_read_predictions, view, path))
    if predictions is None or len(predictions) != len(entry.result.items):
        return replace(entry, answers=None)
    items = _with_findings(view, predictions, entry.result.items)
    return replace(entry, predictions=Packed.of(predictions),
                   result=entry.result.replace(items=Packed.of(items)))


def _with_findings(view: SplitView, predictions: Sequence[Any], items: Sequence[ItemResult],
                   ) -> Sequence[ItemResult]:
    """Items with what their answers break, which files do not have, where gold is at hand."""
    task = view.board.task
    if len(view.golds) != len(items):
        return items
    return [replace(item, verdict=task.verdict(gold, prediction))
            for item, gold, prediction in zip(items, view.golds, predictions, strict=True)]


def _official(reader: SiteReader, path: Path) -> bool:
    """Whether a result is the repository's, not only of this machine."""
    return path.is_relative_to(reader.root / "results")


def _past(reader: SiteReader, paths: Sequence[Path]) -> tuple[past.Past, ...]:
    """The past values of one submission, of its official result if that has any."""
    first = sorted(paths, key=lambda path: not _official(reader, path))
    values = (reader.attempt(partial(past.read, path)) for path in first)
    return tuple(next((value for value in values if value), ()))


def _result(reader: SiteReader, path: Path, digest: str | None) -> Result | None:
    """A result, if it can be read and is against the gold with this digest."""
    result: Result | None = reader.attempt(partial(_signed, path))
    if result is None or digest in (None, result.gold.digest):
        return result
    reader.warn(f"{path}: scored against another gold file; score it again")
    return None


def _signed(path: Path) -> Result:
    """A result whose signatures can be taken apart."""
    result = results.read(path)
    try:
        for value in result.metrics.values():
            if value.signature:
                parts(value.signature)
    except DataError as fault:
        raise DataError(f"{path}: {fault}") from fault
    return result


def _weight(result: Result, *, official: bool) -> tuple[bool, int, bool]:
    """The greatest of these decides which result counts: an official one before all others, of
    several the one that measures most."""
    measured = sum(value.value is not None for value in result.metrics.values())
    return official, measured, bool(result.items)


def _digest(result: Result) -> str:
    return result.predictions.sha256


def _meta_of(reader: SiteReader, folder: Path, result: Path) -> Meta | None:
    """What a submission says of itself: in its folder, else beside its result where the repository
    may not have the predictions."""
    meta: Meta | None = None
    if (folder / FILE_NAME).is_file():
        meta = reader.attempt(partial(_meta, folder))
    beside = result.with_name(FILE_NAME)
    if meta is None and beside.is_file():
        meta = reader.attempt(partial(_meta, beside))
    return meta


def _meta(path: Path) -> Meta:
    """What a folder of a submission, or a description alone, says."""
    if path.is_dir():
        submission, problems = read_submission(path, reserved=True)
        meta = submission.meta if submission else None
    else:
        meta, problems = read_meta(path, str(path))
    if meta is None:
        raise SubmissionError(problems)
    return meta


def _read_predictions(view: SplitView, path: Path) -> list[Any]:
    board, task = view.board, view.board.task
    texts = [gold.texts for gold in view.golds]
    table = task.read_table(open_file(path), texts=texts)
    predictions = [task.read_prediction(row, table.problems) for row in table.rows]
    if table.problems.total:
        raise DataError(f"{path}: not a predictions file of {board.id}")
    return predictions
