"""A row as Every Eval Ever has it (github evaleval/every_eval_ever, schema 0.2): log and samples.

The log is one JSON document a row, with one result for each metric that was measured. The samples
are one line for each item and each metric that was measured and scores an item 0 or 1, which is
what ``is_correct`` means there; a board without such a metric has none.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scorer.core.files import sha256
from scorer.core.records import ItemResult
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.leaderboard.about import Kind
from scorer.scoring.results.leaderboard import Value
from scorer.site.boards.leaderboards import Leaderboard
from scorer.site.records import Entry, SplitView
from scorer.site.text import one_line, slug
from scorer.site.views.registry import view_of

SCHEMA_VERSION = "0.2.2"
"""The version of the schema at commit 9bce413, which the documents keep to."""

_RELATION: dict[Kind, str] = {
    "scored": "third_party", "third-party": "third_party", "reference": "first_party",
    "preview": "first_party"}


class Publisher(NamedTuple):
    """Who publishes, and as of when."""

    name: str
    url: str
    """The site's root, with a final slash."""
    seconds: int
    """The date of the built commit, in seconds since 1970."""


def every_eval_ever(publisher: Publisher, known: Leaderboard, entry: Entry, samples: bool,
                    ) -> tuple[bytes, bytes]:
    """The log of a row and its samples. ``samples``: whether its items may be given away.

    They carry the items' texts and gold graphs, so ask for them only where the data's licence lets
    us; without public gold there are none in any case.
    """
    view = known.view
    shown = samples and bool(view.golds) and bool(entry.predictions) and bool(entry.result.items)
    lines = _lines(publisher, view, entry) if shown else b""
    log = _log(publisher, known, entry)
    if lines:
        log["detailed_evaluation_results"] = {
            "format": "jsonl", "file_path": _samples_path(view, entry),
            "hash_algorithm": "sha256", "checksum": sha256(lines), "total_rows": lines.count(b"\n"),
        }
    document = json.dumps(log, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return document.encode(), lines


def _samples_path(view: SplitView, entry: Entry) -> str:
    """``data/<collection>/<developer>/<model>/<uuid>_samples.jsonl``.

    That project's datastore asks for random UUIDs; ours has that form and is made from what the row
    is.
    """
    row = json.dumps([view.board.id, view.name, entry.key, entry.result.key])
    name = uuid.UUID(bytes=hashlib.sha256(row.encode()).digest()[:16], version=4)
    return f"data/whyboard-{view.board.id}/{entry.team}/{entry.system}/{name}_samples.jsonl"


def _evaluation_id(publisher: Publisher, view: SplitView, entry: Entry) -> str:
    return f"whyboard-{view.board.id}-{view.name}/{entry.key}/{publisher.seconds}"


def _result_id(metric: str, view: SplitView) -> str:
    return f"{view.board.id}.{view.name}.{slug(metric)}"


def _log(publisher: Publisher, known: Leaderboard, entry: Entry) -> dict[str, Any]:
    view, result, row = known.view, entry.result, known.row(entry)
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": _evaluation_id(publisher, view, entry),
        "retrieved_timestamp": str(publisher.seconds),
        "source_metadata": {
            "source_name": f"{publisher.name}: {view.board.title}",
            "source_type": "evaluation_run",
            "source_organization_name": publisher.name,
            "source_organization_url": publisher.url,
            "evaluator_relationship": _RELATION[entry.kind],
            "additional_details": {"page": publisher.url + view.system_path(entry)},
        },
        "eval_library": {
            "name": "whyboard",
            "version": result.scorer.version,
            "additional_details": {"result_key": result.key,
                                   "board_version": result.board_version},
        },
        "model_info": {
            "name": one_line(entry.title),
            "id": entry.key,
            "developer": one_line(entry.by),
            "additional_details": {
                **{name.replace(" ", "_"): one_line(text, 2000)
                   for name, text in entry.facts.items()},
                "deployment_type": "unknown", "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _evaluation(view, METRICS[name], value, cell, float(cell.v))
            for name, value in result.metrics.items()
            if (cell := row.values.get(name)) is not None and cell.v is not None
        ],
    }


def _evaluation(
    view: SplitView, metric: MetricInfo, value: MetricValue, cell: Value, score: float
) -> dict[str, Any]:
    beside: dict[str, Any] = {**value.parts, "null": cell.null, "lift": cell.lift,
                              "mean_over_passed": cell.passed, "grid": value.grid}
    return {
        "evaluation_result_id": _result_id(metric.id, view),
        "evaluation_name": f"{view.board.id}.{view.name}",
        "source_data": _source(view),
        "metric_config": {
            "evaluation_description": metric.summary,
            "metric_id": f"{view.board.task_name}.{slug(metric.id)}",
            "metric_name": metric.title,
            "metric_unit": "proportion",
            "lower_is_better": metric.better == "lower",
            "score_type": "continuous",
            "min_score": metric.lowest, "max_score": metric.highest,
            "additional_details": {"definition": metric.definition,
                                   "signature": value.signature},
        },
        "score_details": {
            "score": score,
            "details": {name: json.dumps(number) for name, number in beside.items()
                        if number is not None},
            "uncertainty": {"num_samples": cell.n or 0, **_interval(cell)},
        },
    }


def _interval(cell: Value) -> dict[str, Any]:
    """The 95 % interval, where there is one."""
    if not cell.ci:
        return {}
    low, high = cell.ci
    return {"confidence_interval": {"lower": low, "upper": high, "confidence_level": 0.95,
                                    "method": cell.method or ""}}


def _source(view: SplitView) -> dict[str, Any]:
    details = {"split": view.name, "items": str(view.split.rows), "licence": view.board.licence,
               **({"sha256": view.split.sha256} if view.split.sha256 else {})}
    urls = [link.url for link in view.board.links]
    kind: dict[str, Any] = {"source_type": "url", "url": urls} if urls else {"source_type": "other"}
    return {"dataset_name": view.board.id, **kind, "additional_details": details}


# ---- samples -------------------------------------------------------------------------------------


def _lines(publisher: Publisher, view: SplitView, entry: Entry) -> bytes:
    about: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": _evaluation_id(publisher, view, entry),
        "model_id": entry.key,
        "evaluation_name": f"{view.board.id}.{view.name}",
        "interaction_type": "single_turn",
    }
    binary = [metric for metric in entry.result.metrics if METRICS[metric].binary]
    return "".join(
        json.dumps(about | line, ensure_ascii=False, allow_nan=False) + "\n"
        for gold, prediction, item in
        zip(view.golds, entry.predictions, entry.result.items, strict=True)
        for line in _of_item(view, gold, prediction, item, binary)
    ).encode()


def _of_item(
    view: SplitView, gold: Any, prediction: Any, item: ItemResult, binary: Sequence[str]
) -> Iterator[dict[str, Any]]:
    raw = "\n".join(gold.texts)
    example_view = view_of(view.board)
    reference, answer = example_view.references(gold), example_view.answer(prediction)
    broken = sorted({finding.rule for finding in item.verdict.broken})
    text = json.dumps({"raw": raw, "reference": reference}, sort_keys=True, separators=(",", ":"))
    for metric in binary:
        if metric in item.scores:
            score = item.scores[metric].value
            yield {
                "evaluation_result_id": _result_id(metric, view),
                "sample_id": f"{view.name}-{item.row}",
                "sample_hash": sha256(text.encode()),
                "input": {"raw": raw, "reference": reference},
                "output": {"raw": [answer]},
                "answer_attribution": [{
                    "turn_idx": 0, "source": "output.raw", "extracted_value": answer,
                    "extraction_method": "columns of the predictions file", "is_terminal": True,
                }],
                "evaluation": {"score": score, "is_correct": score == 1.0},
                "metadata": {"annotation": item.verdict.annotation, "broken": " ".join(broken)},
            }
