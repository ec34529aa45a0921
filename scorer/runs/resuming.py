"""Whether a result that is already there is what scoring again would give, byte for byte.

Where there is any doubt the answer is no, and the submission is scored again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scorer.errors import NotMeasured, WhyboardError
from scorer.files import json_bytes, sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.records import MetricValue, Result
from scorer.results import files as results
from scorer.scoring.evaluate import clusters_of, count, key
from scorer.scoring.submissions import Scorer, SplitGold
from scorer.scoring.summary import summarise
from scorer.submission import Submission


def is_done(scorer: Scorer, sent: Submission, split: str, folder: Path) -> bool:
    """Whether ``folder`` holds the result of these bytes, this gold, these models and options.

    Loads the models that the result needs, because a model that is not to be had would give another
    result. Raises WhyboardError where scoring would too.
    """
    path = results.result_path(folder, sent.board, sent.team, sent.system, split)
    if not path.is_file():
        return False
    try:
        found = results.read(path)
        whole = path.read_bytes() == json_bytes(results.to_json(found))
    except WhyboardError:
        return False
    gold = scorer.gold_for(sent, split)
    return (whole and _is_its_place(scorer, sent, split, found)
            and _is_its_provenance(sent, split, found, gold)
            and _items_agree(scorer, sent, found, gold, path)
            and _metrics_agree(scorer, sent, split, found, gold))


def _is_its_place(scorer: Scorer, sent: Submission, split: str, found: Result) -> bool:
    board = scorer.board(sent)
    return (
        (found.board, found.board_version, found.task, found.team, found.system, found.split)
        == (board.id, board.version, board.task_name, sent.team, sent.system, split)
    )


def _is_its_provenance(sent: Submission, split: str, found: Result, gold: SplitGold) -> bool:
    known = found.provenance
    return bool(
        known["predictions"]
        == {"sha256": sha256_file(sent.predictions(split)), "rows": len(gold.texts)}
        and known["gold"]["sha256"] == gold.id.sha256
        and known["gold"]["golds"] == gold.id.golds
        and known["gold"].get("against", "") == gold.id.against
        and tuple(known.get("tags", ())) == sent.meta.tags
        and known["key"] == key(found)
    )


def _items_agree(
    scorer: Scorer, sent: Submission, found: Result, gold: SplitGold, path: Path
) -> bool:
    """Whether the file of items is whole and its means are the result's."""
    lines = results.items_path(path)
    if not lines.is_file() or lines.read_bytes() != results.items_bytes(found.items):
        return False
    board = scorer.board(sent)
    verdicts = [item.verdict for item in found.items]
    passed = [verdict.annotation == board.task.passed for verdict in verdicts]
    clusters = clusters_of(board, gold.items)
    if (tuple(item.row for item in found.items) != gold.rows
            or count(board, gold.items, verdicts) != found.counts):
        return False
    for name, value in found.metrics.items():
        scores = [item.scores.get(name) for item in found.items]
        if value.value is None:
            continue
        if any(score is None for score in scores):
            return False
        known = [score for score in scores if score is not None]
        made = summarise(METRICS[name], known, passed, clusters)
        if replace(made, signature=value.signature, null=value.null,
                   versus_null=value.versus_null) != value:
            return False
    return True


def _metrics_agree(
    scorer: Scorer, sent: Submission, split: str, found: Result, gold: SplitGold
) -> bool:
    """Whether the same metrics would be measured now, under the same signatures."""
    session = scorer.session(scorer.board(sent))
    if set(found.metrics) != set(session.metrics or session.board.metrics):
        return False
    digest = found.provenance["predictions"]["sha256"]
    taken = scorer.earlier(session, gold, sent, split, digest)
    for name, value in found.metrics.items():
        if name in taken:
            if value != taken[name].value:
                return False
        elif not _would_be(scorer, name, value, gold, sent):
            return False
    return True


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
        return value.value is None and value.reason == str(reason) and value.n == len(gold.items)
    task = session.board.task
    if task.null_told and value.value is None:
        return model is None and value.n == len(gold.items)
    with_null = scorer.with_null and task.has_null
    return (value.value is not None and value.signature == signature
            and (task.null_told or (value.null is not None) == with_null))
