"""Rows that no submitter sends: baselines, nulls of submissions, and predictions by others.

They are written as ordinary submissions under a reserved team, so that everything downstream
treats them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scorer.boards import Board, ThirdParty, submission
from scorer.boards.golds import input_texts, public_golds
from scorer.boards.submission import REFERENCE, THIRD_PARTY, Submission
from scorer.core.errors import DataError, NotMeasured, UsageError, excerpt
from scorer.core.files import write_together
from scorer.core.reading.tsv import rows_bytes
from scorer.scoring.checking import check_file
from scorer.tasks.registry import AnyBaseline

DATE = "2026-11-21"
"""The date of the rules by which reference rows are made; no clock enters a file."""


def write_submission(folder: Path, meta: Mapping[str, Any], predictions: Mapping[str, bytes]
                     ) -> Path:
    """Write a submission's folder; the predictions first, so that it is never seen without them."""
    files = {submission.predictions_path(folder, split): content
             for split, content in predictions.items()}
    write_together({**files, folder / submission.FILE_NAME: meta_bytes(meta)})
    return folder


def meta_bytes(meta: Mapping[str, Any]) -> bytes:
    """A submission.yaml of some fields."""
    return yaml.safe_dump({**meta}, sort_keys=False, allow_unicode=True, width=100).encode()


def predictions_bytes(board: Board, predictions: Sequence[Any]) -> bytes:
    """Predictions as the bytes of a predictions file: one row for every item, in order."""
    return rows_bytes(map(board.task.write_prediction, predictions))


def named(board: Board, names: Sequence[str]) -> list[AnyBaseline]:
    """A board's baselines by name, all if none is named. Raises UsageError for an unknown one."""
    known = board.task.baselines
    for name in names:
        if name not in known:
            raise UsageError(f"no baseline {excerpt(name)}; choose one of: {', '.join(known)}")
    return [known[name] for name in names or known]


def applicable(board: Board, baseline: AnyBaseline, split: str) -> bool:
    """Whether a baseline makes sense on a split."""
    described = board.splits.get(split)
    return (split != "train" and described is not None and described.gold == "public"
            and baseline.fits(board.settings)
            and (baseline.against is None or described.golds >= baseline.against.least))


def write_baseline(
    board: Board, baseline: AnyBaseline, splits: Sequence[str], home: Path, out: Path,
    models: Callable[[str], Any],
) -> Path:
    """Write one baseline for those of the splits that apply and whose gold is at hand.

    ``models`` gives an encoder by its name, or raises NotMeasured with the reason. Raises it too
    where there is no such split, or scikit-learn is missing.
    """
    train, predictions = _golds(board, "train", home), {}
    if train or not baseline.needs_train:
        options = {"encoder": models(baseline.encoder)} if baseline.encoder else {}
        for split in splits:
            items = _golds(board, split, home) if applicable(board, baseline, split) else ()
            if items and (baseline.against is None or any(map(baseline.against.gold, items))):
                try:
                    answers = baseline.predict(board.settings, train, items, **options)
                except ModuleNotFoundError as missing:
                    if not (missing.name or "").startswith("sklearn"):
                        raise
                    raise NotMeasured("scikit-learn is missing; run: pip install "
                                      "'whyboard[baselines]'") from missing
                predictions[split] = predictions_bytes(board, answers)
    if not predictions:
        raise NotMeasured(f"no split of {board.id} at hand to which it applies")
    title, description = baseline.said_of(board.settings)
    saw_gold = baseline.saw_gold or (baseline.trains and not train)
    return _write_reference(board, baseline.name, title, description, baseline.training_data,
                            saw_gold, predictions, out)


def null_of(board: Board, sent: Submission, home: Path) -> dict[str, bytes]:
    """The label-matched null of a submission: predictions files by split, of public gold at hand.

    Raises UsageError where there is none.
    """
    task = board.task
    if task.null_words is None:
        raise UsageError(f"the task of {board.id} has no null")
    predictions = {}
    for split in sent.splits:
        if items := _golds(board, split, home):
            texts = [item.texts for item in items]
            answers = check_file(board, sent.predictions(split), texts=texts).accepted()
            nulls = [*map(task.null, items, answers)]
            if None in nulls:
                raise UsageError(f"{sent.folder}: its predictions do not tell their null")
            predictions[split] = predictions_bytes(board, nulls)
    if not predictions:
        raise UsageError(f"no public gold at hand for {sent.folder}; fetch the data first")
    return predictions


def distinct_nulls(board: Board, others: Iterable[Submission], home: Path,
                   ) -> Iterator[tuple[Submission, dict[str, bytes]]]:
    """Submissions with their nulls; of those with equal ones the first alone."""
    known: list[dict[str, bytes]] = []
    for sent in others:
        null = null_of(board, sent, home)
        if null not in known:
            known.append(null)
            yield sent, null


def write_null_of(board: Board, sent: Submission, predictions: dict[str, bytes], out: Path) -> Path:
    """Write the null of a submission as a reference row of its own."""
    return _write_reference(
        board, submission.null_name(sent.team, sent.system),
        submission.null_title(sent.meta.system),
        f"Keeps the labels of {sent.meta.system} and chains the texts' first words into "
        "meaningless graphs.",
        "None beyond the system's own labels.", sent.meta.saw_dev_gold, predictions, out)


def _write_reference(board: Board, name: str, title: str, description: str, training_data: str,
                     saw_gold: bool, predictions: Mapping[str, bytes], out: Path) -> Path:
    meta = {
        "system": title, "team": "Reference", "date": DATE, "description": description,
        "training_data": training_data, "saw_dev_gold": "yes" if saw_gold else "no"}
    return write_submission(out / board.id / REFERENCE / name, meta, predictions)


def write_third_party(board: Board, row: ThirdParty, home: Path, out: Path) -> Path | None:
    """Write fetched predictions by others as a submission; None if they were not fetched.

    Raises DataError with every fault of a file that could not be scored.
    """
    path = home / "data" / board.id / row.path
    if not path.is_file():
        return None
    report = check_file(board, path, rows=board.split(row.split).rows,
                        texts=input_texts(board, row.split, home))
    if not report.ok:
        raise DataError("\n".join(report.errors))
    links = dict.fromkeys(item.source for item in board.third_party if item.system == row.system)
    meta = {
        "system": row.title, "team": "Predictions by others", "date": row.date,
        "description": row.description,
        "training_data": "See the source.", "saw_dev_gold": "yes" if row.saw_dev_gold else "no",
        "links": [{"title": link.title, "url": link.url} for link in links], "licence": row.licence,
    }
    folder = out / board.id / THIRD_PARTY / row.system
    return write_submission(folder, meta, {row.split: path.read_bytes()})


def _golds(board: Board, split: str, home: Path) -> tuple[Any, ...]:
    golds = public_golds(board, split, home) if split in board.splits else None
    return golds.items if golds is not None else ()
