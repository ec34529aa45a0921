"""Leaderboards and their rows in the formats of others: tables for spreadsheets, data frames and
papers; of one row its badge, its citation, eval results of the Hugging Face Hub, and the row as
Every Eval Ever has it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from unicodedata import east_asian_width

import yaml

from scorer.boards.exporting import hub_dataset, task_id
from scorer.core.files import sha256
from scorer.core.records import ItemResult
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.leaderboard.numbers import number, rank_text
from scorer.scoring.results.leaderboard import Column, Kind, LeaderboardDocument, Row, Value
from scorer.site.records import Entry, SplitView
from scorer.site.text import MINUS, csv_cell, latex, one_line, slug, xml
from scorer.site.views.registry import view_of

Cell = str | int | float | None
_MISSING = frozenset(("", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind",
                      "1.#qnan", "<na>", "n/a", "na", "nan", "none", "null"))
"""What pandas reads as a missing value, in small letters."""
_ROW = ("key", "title", "by", "kind", "rank_first", "rank_last")
_VALUE = ("value", "low", "high", "null", "lift")
_TIDY = ("board", "split", "row", "title", "kind", "column", *_VALUE, "p_vs_null", "n",
         "rank_first", "rank_last")
_PAIR = ("board", "split", "column", "a", "b", "a_only", "b_only", "p", "p_holm")


def _lines(view: SplitView) -> Iterator[Row]:
    """The rows of a document, then those published elsewhere as if they were such rows."""
    for row in view.document.rows:
        entry = view.by_key[row.key]
        yield row.replace(title=entry.title, by=entry.by)
    for _, rows in groupby(view.document.published, key=lambda row: row.source):
        for at, published in enumerate(rows, start=1):
            yield Row.model_construct(
                key=f"published/{published.source}/{at}", kind="published",
                title=published.system, by=published.by,
                values={name: Value(v=value) for name, value in published.values.items()})


def _numbers(value: Value | None) -> list[Cell]:
    if value is None:
        return [None] * len(_VALUE)
    return [value.v, *(value.ci or (None, None)), value.null, value.lift]


def leaderboard_csv(view: SplitView) -> bytes:
    """``leaderboard.csv``: a line for each system."""
    columns = [column.id for column in view.document.columns]
    head = [f"{name} {what}" if what != "value" else name for name in columns for what in _VALUE]
    return _csv([*_ROW, *head], (
        [line.key, line.title, line.by, line.kind, *(line.rank or (None, None)),
         *(cell for name in columns for cell in _numbers(line.values.get(name)))]
        for line in _lines(view)))


def results_csv(views: Iterable[SplitView]) -> bytes:
    """``data/results.csv``: a line for each value of each system of every leaderboard."""
    return _csv(_TIDY, (
        [view.board.id, view.name, line.key, line.title, line.kind, name,
         *_numbers(value), value.vs_null.p if value.vs_null else None, value.n,
         *(value.rank or (None, None))]
        for view in views for line in _lines(view)
        for name, value in line.values.items() if value.v is not None))


def pairs_csv(views: Iterable[SplitView]) -> bytes:
    """``data/pairs.csv``: a line for each two systems that were compared, on each column."""
    return _csv(_PAIR, ([view.board.id, view.name, *line]
                        for view in views for line in _pairs(view.document)))


def _pairs(document: LeaderboardDocument) -> Iterator[list[Cell]]:
    by = document.pairs.by if document.pairs else ""
    for both, pair in document.every_pair.items():
        yield [by, *both, *pair]
    for name, pairs in document.close_pairs.items():
        if name != by:
            for both, (*_, p, first, second) in pairs.items():
                yield [name, *both, first, second, p, None]


def _csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(csv_cell, head))
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().encode()


def _cell(cell: Cell) -> Cell:
    """Numbers as they are; a text so that it is a text, in a spreadsheet and in pandas."""
    if not isinstance(cell, str):
        return cell
    text = csv_cell(one_line(cell, 2000))
    return f"'{text}" if text.strip().lower() in _MISSING and text else text


# ---- LaTeX ---------------------------------------------------------------------------------------


def leaderboard_tex(view: SplitView) -> bytes:
    """``leaderboard.tex``: a whole ``tabular`` for booktabs, reference rows below the systems.

    Bold: not significantly worse than the best. Needs no package but booktabs.
    """
    columns = [column for column in view.document.columns if not column.unmeasured]
    arrows = {"higher": r"$\uparrow$", "lower": r"$\downarrow$"}
    heads = [f"{latex(column.id)} {arrows[column.better]}" for column in columns]
    rows = view.document.rows
    blocks = [[_tex_row(view, row, columns) for row in rows
               if (row.kind == "reference") == reference] for reference in (False, True)]
    title = f"{view.board.title} {view.name}"
    lines = [f"% {one_line(title)}; \\usepackage{{booktabs}}; bold: not significantly worse than "
             "the best",
             f"\\begin{{tabular}}{{ll{'r' * len(columns)}}}", r"\toprule",
             _tex_line(["System", "Rank", *heads]), r"\midrule",
             "\n\\midrule\n".join("\n".join(block) for block in blocks if block), r"\bottomrule",
             r"\end{tabular}"]
    return "\n".join([*filter(None, lines), ""]).encode()


def _tex_row(view: SplitView, row: Row, columns: Sequence[Column]) -> str:
    rank = "--".join(dict.fromkeys(map(str, row.rank or ())))
    cells = []
    for column in columns:
        value = row.values.get(column.id)
        if value is None or value.v is None:
            cells.append("--")
        else:
            text = number(float(value.v), column).replace(MINUS, "$-$")
            cells.append(f"\\textbf{{{text}}}" if value.top else text)
    title = latex(view.title(row.key))
    # After a line's end LaTeX reads "[" and "*" as its arguments.
    return _tex_line([f"{{}}{title}" if title[:1] in ("[", "*") else title, rank, *cells])


def _tex_line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


# ---- one row: badge, citation, the Hub ----------------------------------------------------------

LONGEST = 48
"""Characters of one half; the rest is counted in words."""
_CHARACTER = 6.6
"""Pixels of one character of the badge's font; ``textLength`` makes it so in any other font."""
_PAD, _HEIGHT = 7, 20


def row_badge(view: SplitView, row: Row) -> bytes:
    """SVG of our own: the column that orders the board, else the first with a value."""
    texts = values(view.document, row)
    by = view.document.order.by
    column = by if by in texts else next(iter(texts), None)
    value = f"{column} {texts[column]}" if column else "not measured"
    rank = f", rank {rank_text(row.rank)}" if row.rank and column == by else ""
    return badge(f"{view.board.title} {view.name}", f"{value}{rank}")


def values(document: LeaderboardDocument, row: Row) -> dict[str, str]:
    """A row's values by column, as people read them."""
    return {name: number(float(value.v), document.by_id[name])
            for name, value in row.values.items() if value.v is not None}


def badge(left: str, right: str) -> bytes:
    """Two texts side by side. White on #454545 and #0b5394: contrast 9.6 and 7.8 to 1."""
    halves = [one_line(text, LONGEST) for text in (left, right)]
    # Wide characters take two.
    lengths = [max(1, round((len(text) + sum(east_asian_width(char) in "WF" for char in text))
                            * _CHARACTER)) for text in halves]
    widths = [length + 2 * _PAD for length in lengths]
    title = xml(": ".join(halves))
    starts = (0, widths[0])
    boxes = "".join(
        f'<rect x="{x}" width="{width}" height="{_HEIGHT}" fill="{fill}"/>'
        for x, width, fill in zip(starts, widths, ("#454545", "#0b5394"), strict=True))
    texts = "".join(
        f'<text x="{x + _PAD}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">'
        f"{xml(text)}</text>"
        for x, length, text in zip(starts, lengths, halves, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="{_HEIGHT}" '
        f'role="img" aria-label="{title}"><title>{title}</title>{boxes}'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{texts}</g></svg>\n"
    ).encode()


def bibtex(site_url: str, view: SplitView, entry: Entry) -> bytes:
    """The row as ``@misc``, then the board's own citation.

    The key is ``whyboard-<board>-<split>-<team>-<system>``. An author stands in two pairs of
    braces: one name, however many words it has.
    """
    result = entry.result
    fields = {
        "title": f"{{{latex(entry.title)} on {latex(view.board.title)} ({view.name})}}",
        "author": f"{{{latex(entry.by)}}}",
        **({"year": entry.date[:4]} if entry.date[:4].isdigit() else {}),
        "howpublished": f"\\url{{{site_url}{view.system_path(entry)}}}",
        "note": latex(f"Board {view.board.id} {result.board_version}, scored with Whyboard "
                      f"{result.scorer.version}"),
    }
    key = "-".join(("whyboard", view.board.id, view.name, entry.team, entry.system))
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", "", view.board.citation.strip(), ""]).encode()


_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The one in C, which every wheel has, is ten times as fast and writes the same."""
_ADVICE = ("# The board names no dataset of the Hub: replace OWNER by the owner of one that is\n"
           "# registered as a benchmark.\n")


def eval_results(site_url: str, view: SplitView, entry: Entry) -> bytes:
    """``.eval_results/*.yaml`` of a model: one entry for each metric that was measured.

    The format is that of the Hub's documentation (github huggingface/hub-docs,
    docs/hub/eval-results.md): a list of entries, each with ``dataset.id``, ``dataset.task_id`` and
    ``value``. A number's metric has no field of its own there, so each metric is a task
    ``<split>-<metric>``. ``notes`` is the value's signature.

    ``date`` is when the predictions were made; it is left out where only a month is known.
    """
    dataset = hub_dataset(view.board)
    entries: list[dict[str, Any]] = [
        {
            "dataset": {"id": dataset or f"OWNER/{view.board.id}",
                        "task_id": task_id(view.name, metric)},
            "value": value.value,
            **({"date": entry.date} if len(entry.date) == len("2026-01-31") else {}),
            "source": {"url": site_url + view.system_path(entry),
                       "name": one_line(f"{entry.title} on {view.board.title}")},
            "notes": value.signature,
        }
        for metric, value in entry.result.metrics.items() if value.value is not None
    ]
    text = yaml.dump(entries, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=1000)
    return (("" if dataset else _ADVICE) + text).encode()


# ---- Every Eval Ever (github evaleval/every_eval_ever): log and samples --------------------------
#
# The log is one JSON document a row, with one result for each metric that was measured. The samples
# are one line for each item and each metric that was measured and scores an item 0 or 1, which is
# what ``is_correct`` means there; a board without such a metric has none.

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


def every_eval_ever(publisher: Publisher, view: SplitView, entry: Entry, samples: bool,
                    ) -> tuple[bytes, bytes]:
    """The log of a row and its samples. ``samples``: whether these are asked for, with gold and
    predictions at hand.

    They carry the items' texts and gold graphs, so ask for them only where the data's licence lets
    us.
    """
    lines = _samples(publisher, view, entry) if samples else b""
    log = _log(publisher, view, entry)
    if lines:
        # data/<collection>/<developer>/<model>/<uuid>_samples.jsonl. That project's datastore asks
        # for random UUIDs; ours has that form and is made from what the row is.
        row = json.dumps([view.board.id, view.name, entry.key, entry.result.key])
        name = uuid.UUID(bytes=hashlib.sha256(row.encode()).digest()[:16], version=4)
        folder = f"data/whyboard-{view.board.id}/{entry.team}/{entry.system}"
        log["detailed_evaluation_results"] = {
            "format": "jsonl", "file_path": f"{folder}/{name}_samples.jsonl",
            "hash_algorithm": "sha256", "checksum": sha256(lines), "total_rows": lines.count(b"\n"),
        }
    document = json.dumps(log, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return document.encode(), lines


def _evaluation_id(publisher: Publisher, view: SplitView, entry: Entry) -> str:
    return f"whyboard-{view.board.id}-{view.name}/{entry.key}/{publisher.seconds}"


def _result_id(metric: str, view: SplitView) -> str:
    return f"{view.board.id}.{view.name}.{slug(metric)}"


def _log(publisher: Publisher, view: SplitView, entry: Entry) -> dict[str, Any]:
    result, row = entry.result, view.row(entry)
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
    interval = {"confidence_interval": {
        "lower": cell.ci[0], "upper": cell.ci[1], "confidence_level": 0.95,
        "method": cell.method or ""}} if cell.ci else {}
    urls = [link.url for link in view.board.links]
    return {
        "evaluation_result_id": _result_id(metric.id, view),
        "evaluation_name": f"{view.board.id}.{view.name}",
        "source_data": {
            "dataset_name": view.board.id,
            **({"source_type": "url", "url": urls} if urls else {"source_type": "other"}),
            "additional_details": {
                "split": view.name, "items": str(view.split.rows), "licence": view.board.licence,
                **({"sha256": view.split.sha256} if view.split.sha256 else {})},
        },
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
            "uncertainty": {"num_samples": cell.n or 0, **interval},
        },
    }


def _samples(publisher: Publisher, view: SplitView, entry: Entry) -> bytes:
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
    reference = example_view.gold_lines(view.board, gold)
    answer = example_view.line(view.board, prediction)
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
