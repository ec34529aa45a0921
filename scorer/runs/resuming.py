"""Whether a result that is already there is what scoring again would give.

Where there is any doubt the answer is no, and the submission is scored again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scorer._version import __version__
from scorer.errors import NotMeasured, WhyboardError
from scorer.files import json_bytes, sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.records import MetricValue, Result
from scorer.results import files as results
from scorer.scoring.evaluate import gold_name, key
from scorer.scoring.submissions import Scorer, SplitGold
from scorer.scoring.summary import disagreements
from scorer.submission import Submission


def is_done(scorer: Scorer, sent: Submission, split: str, folder: Path) -> bool:
    """Whether ``folder`` holds the result of these bytes, this gold, these models and options.

    Loads the models that the result needs, because a model that is not to be had would give another
    result. Raises WhyboardError where scoring would too.
    """
    path = results.result_path(folder, sent.board, sent.team, sent.system, split)
    found = _whole(path) if path.is_file() else None
    if found is None:
        return False
    gold = scorer.gold_for(sent, split)
    return (found.provenance["key"] == _key(scorer, sent, split, found, gold)
            and tuple(found.provenance.get("tags", ())) == sent.meta.tags
            and tuple(item.row for item in found.items) == gold.rows
            and not disagreements(found, scorer.board(sent).task.passed)
            and _metrics_agree(scorer, sent, found, gold))


def _whole(path: Path) -> Result | None:
    """A result in its own place that writing it again gives, byte for byte; else None."""
    try:
        found = results.read(path)
        written = json_bytes(results.to_json(found)), results.items_bytes(found)
        there = path.read_bytes(), results.items_path(path).read_bytes()
    except (WhyboardError, OSError, LookupError):
        return None
    place = (found.board, found.team, found.system, f"{found.split}.json")
    return found if written == there and path.parts[-4:] == place else None


def _key(scorer: Scorer, sent: Submission, split: str, found: Result, gold: SplitGold) -> str:
    """The key that a new result would have with the models of an old one."""
    board = scorer.board(sent)
    return key(replace(found, board_version=board.version, split=split, provenance={
        **found.provenance, "gold": {"id": gold_name(board, split, gold.id.sha256)},
        "predictions": {"sha256": sha256_file(sent.predictions(split))},
        "scorer": {"version": __version__}}))


def _metrics_agree(scorer: Scorer, sent: Submission, found: Result, gold: SplitGold) -> bool:
    """Whether the same metrics would be measured now, under the same signatures."""
    session = scorer.session(scorer.board(sent))
    return (set(found.metrics) == set(session.metrics or session.board.metrics)
            and all(_would_be(scorer, name, value, gold, sent)
                    for name, value in found.metrics.items()))


def _would_be(
    scorer: Scorer, name: str, value: MetricValue, gold: SplitGold, sent: Submission
) -> bool:
    """Whether a metric would now be measured, or not be measured, as it was then."""
    session, model = scorer.session(scorer.board(sent)), METRICS[name].model
    try:
        if model is not None:
            scorer.model(model)
        signature = session.signature(name, gold.id)
    except NotMeasured as reason:
        return value.reason == str(reason)
    if value.value is None:
        return model is None  # the predictions are the same, and so is what lacks in them
    task = session.board.task
    return value.signature == signature and (
        task.null_told or (value.null is not None) == (scorer.with_null and task.has_null))
