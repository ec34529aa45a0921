"""Believing nothing of what a scoring machine hands over: format, names, key, range, leaks.

Every fact that the main branch knows is compared with the main branch; what remains are numbers,
and they must lie where such numbers can lie and agree with each other.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scorer._version import __version__
from scorer.board import Board
from scorer.ci import gold, released
from scorer.ci.errors import CODES, Refused
from scorer.ci.state import LARGEST_RESULT, Job, is_current
from scorer.ci.worker import SCHEMA
from scorer.errors import DataError, NotMeasured
from scorer.files import json_bytes
from scorer.metrics.catalogue import METRICS
from scorer.records import Interval, Result
from scorer.results import files as results
from scorer.rules import CATALOGUE, lookup
from scorer.scoring.evaluate import GoldId, Session, gold_name, key
from scorer.scoring.summary import summarise
from scorer.submission import REFERENCE

LARGEST_ITEMS = 32 * 1024 * 1024
CLOSE = 1e-9
LAST_DIGIT = 2e-6
"""Of bounds that are rounded to 1e-6."""
_PLAIN = re.compile(r"[\x20-\x7e]{0,400}")


class Outcome(NamedTuple):
    """What a scoring machine says about one job, after it has been checked."""

    kind: str
    """``scored``, ``rejected``, ``error``, ``started`` (tried in vain) or ``untried``."""
    reason: str = ""
    files: Mapping[str, bytes] = {}
    """Paths of the repository and their content, if it was scored."""
    result: Result | None = None


def read(folder: Path, job: Job, board: Board,
         expected: released.Expected | None = None) -> Outcome:
    """The outcome of a job, an error with a code if what was handed over is not fit to print.

    ``expected``: what is known of the release of a hidden split.
    """
    try:
        return _outcome(folder, job, board, expected)
    except Refused as refused:
        return Outcome("error", str(refused))


def _outcome(folder: Path, job: Job, board: Board,
             expected: released.Expected | None) -> Outcome:
    path = folder / f"{job.key}.json"
    if not path.is_file() or path.is_symlink():
        return Outcome("untried")
    document = _json(_content(path, LARGEST_RESULT + 1024))
    kind = document.get("outcome")
    extra = {"scored": "result", "rejected": "rule", "error": "code", "started": None,
             "untried": None}
    if kind not in extra or document.get("schema") != SCHEMA:
        raise Refused("RESULT-FORMAT")
    if document.get("key") != job.key:
        raise Refused("RESULT-KEY")
    if set(document) - {"schema", "key", "outcome"} != {extra[kind]} - {None}:
        raise Refused("RESULT-FORMAT")
    if kind in ("started", "untried"):
        return Outcome(kind)
    if kind == "scored":
        return _scored(folder, document["result"], job, board, expected)
    reason = document[extra[kind] or ""]
    if not isinstance(reason, str) or not _known(kind, reason):
        raise Refused("RESULT-FORMAT")
    return Outcome(kind, reason)


def _known(kind: str, reason: str) -> bool:
    if kind == "error":
        return reason in CODES
    try:
        return lookup(reason).id in CATALOGUE and re.fullmatch(r"[A-Z-]{1,60}", reason) is not None
    except KeyError:
        return False


def _content(path: Path, most: int) -> bytes:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > most:
        raise Refused("RESULT-MISSING")
    return path.read_bytes()


def _json(content: bytes) -> dict[str, Any]:
    """Strict JSON: no NaN, no key twice, an object at the top."""

    def refuse(_: str) -> Any:
        raise ValueError("not a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    try:
        found = json.loads(content, parse_constant=refuse, object_pairs_hook=once)
    except (ValueError, RecursionError) as fault:
        raise Refused("RESULT-FORMAT") from fault
    if not isinstance(found, dict):
        raise Refused("RESULT-FORMAT")
    return found


def _scored(folder: Path, document: Any, job: Job, board: Board,
            expected: released.Expected | None) -> Outcome:
    _fits_schema(document)
    public = board.splits[job.split].gold == "public"
    lines: list[Any] = []
    items = b""
    if public:
        items = _content(folder / f"{job.key}.items.jsonl", LARGEST_ITEMS)
        lines = [_json(line) for line in items.removesuffix(b"\n").split(b"\n")]
    try:
        result = results.from_json(document, lines)
        again = results.items_bytes(result.items) if public else b""
    except (KeyError, TypeError, ValueError, AttributeError, DataError) as fault:
        raise Refused("RESULT-FORMAT") from fault
    if again != items or results.to_json(result) != document:
        raise Refused("RESULT-FORMAT")
    _is_of_main(document, result, job, board, public)
    if public:
        _in_range(document, result, job, board)
        _agrees_with_items(document, result, board.task.passed)
        beside = {job.items_path: items}
    else:
        released.check(document, job, expected)
        exact = _content(folder / f"{job.key}.exact.age", LARGEST_ITEMS)
        if not released.sealed(exact, result):
            raise Refused("RESULT-LEAK")
        beside = {job.sealed_path: exact}
    _shows_nothing(document, board, result)
    files = {job.result_path: json_bytes(document), **beside}
    return Outcome("scored", files=files, result=result)


def _fits_schema(document: Any) -> None:
    try:
        import jsonschema
    except ImportError as missing:
        raise DataError("publishing needs jsonschema: pip install 'whyboard[ci]'") from missing
    try:
        jsonschema.validate(document, results.schema())
    except (jsonschema.ValidationError, RecursionError) as fault:
        raise Refused("RESULT-FORMAT") from fault


def _is_of_main(document: Any, result: Result, job: Job, board: Board, public: bool) -> None:
    """Every fact that the main branch knows is as it is there."""
    names = (result.board, result.team, result.system, result.split)
    wanted = (job.board, job.team, job.system, job.split)
    described = board.splits[job.split]
    same = (
        names == wanted and result.task == board.task_name
        and is_current(document, board, job)
        and document["scorer"] == {"version": __version__}
        and document["gold"]["public"] is public
        and document["gold"].get("sha256") == (gold.sha256(board, job.split) if public else None)
        and document["gold"].get("hmac_sha256") == described.gold_hmac
        and document["gold"]["golds"] <= described.golds
        and document["gold"]["id"] == gold.identity(board, job.split)
        and document["predictions"]["rows"] == described.rows
        and tuple(result.metrics) == tuple(sorted(board.metrics))
        and document["key"] == key(result)
        and _errata_fit(document.get("errata"), job, board)
    )
    if not same:
        raise Refused("RESULT-KEY")


def _errata_fit(told: Any, job: Job, board: Board) -> bool:
    """Whether a result speaks of the errata of the main branch, and of no others."""
    applied = [erratum.id for erratum in gold.errata_of(board, job.split)]
    if not applied:
        return told is None
    pinned = board.splits[job.split].sha256 or ""
    return (told is not None and told["applied"] == applied
            and told["gold"] == gold_name(board, job.split, pinned)
            and told["without"].keys() == set(board.metrics))


def _in_range(document: Any, result: Result, job: Job, board: Board) -> None:
    rows = board.splits[job.split].rows
    counts = dict(result.counts)
    several = [*counts.pop("broken").values(), *counts.pop("strict").values()]
    several += [n for table in _tables(counts, board) for row in table.values()
                for n in row.values()]
    told = [counts.get(name, -1) for name in board.task.annotations]
    scored = len(result.items) if _is_partial(document) else rows
    if counts.get("items") != scored or sum(told) != scored or max([0, *several]) > scored:
        raise Refused("RESULT-RANGE")
    for name, value in document["metrics"].items():
        least, most = -1.0 if METRICS[name].model else 0.0, METRICS[name].highest
        if value["n"] != scored:
            raise Refused("RESULT-RANGE")
        for part, number in _numbers(value):
            lowest = -most if part == "lift" else least
            if part in ("n", "flagged", "clusters"):
                sound = 0 <= number <= rows
            else:
                sound = math.isfinite(number) and lowest <= number <= most + CLOSE
            if not sound:
                raise Refused("RESULT-RANGE")


def _is_partial(document: Any) -> bool:
    """Whether it is a row of ours that answers with gold, so that items may be left out."""
    return document["team"] == REFERENCE and "against" in document["gold"]


def _tables(counts: Mapping[str, Any], board: Board) -> list[Mapping[str, Mapping[str, int]]]:
    """The task's own tables of counts, whose names are all known beforehand."""
    wanted = board.task.tally(board.settings, (), ())
    if set(counts) != {"items", *board.task.annotations, *wanted}:
        raise Refused("RESULT-LEAK")
    found = [counts.get(name, {}) for name in wanted]
    for table, known in zip(found, wanted.values(), strict=True):
        if {row: {*cells} for row, cells in table.items()} != {
                row: {*cells} for row, cells in known.items()}:
            raise Refused("RESULT-LEAK")
    return found


def _numbers(value: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for part, number in value.items():
        if isinstance(number, Mapping):
            yield from _numbers(number)
        elif isinstance(number, int | float):
            yield part, number


def _agrees_with_items(document: Any, result: Result, passing: str) -> None:
    """The totals are those of the rows, and intervals are those of the rows."""
    n, rows = result.counts["items"], [item.row for item in result.items]
    partial = _is_partial(document) and rows == sorted(set(rows)) and len(rows) == n
    if rows != list(range(1, n + 1)) and not partial:
        raise Refused("RESULT-RANGE")
    passed = [item.verdict.annotation == passing for item in result.items]
    for name, value in result.metrics.items():
        if value.value is None:
            continue
        try:
            made = summarise(METRICS[name], [item.scores[name] for item in result.items], passed,
                             range(n))
        except (ArithmeticError, KeyError, TypeError, ValueError) as fault:
            raise Refused("RESULT-FORMAT") from fault
        if not (math.isclose(made.value or 0.0, value.value, abs_tol=CLOSE)
                and _same(made.interval, value.interval)
                and _same(made.passed_interval, value.passed_interval)):
            raise Refused("RESULT-RANGE")


def _same(one: Interval | None, other: Interval | None) -> bool:
    """Whether two intervals are the same but for the last digit of their bounds."""
    if one is None or other is None:
        return one is other
    return (replace(one, low=None, high=None) == replace(other, low=None, high=None)
            and all(math.isclose(a, b, abs_tol=LAST_DIGIT) if a is not None and b is not None
                    else a is b for a, b in ((one.low, other.low), (one.high, other.high))))


def _shows_nothing(document: Any, board: Board, result: Result) -> None:
    """No text that nobody wrote down before: signatures are recomputed, reasons are plain."""
    session = Session(board, _no_model, _no_tag)
    told = document["gold"]
    identity = GoldId(told.get("sha256") or told.get("hmac_sha256", ""), told["golds"],
                      against=told.get("against", ""))
    for name, value in result.metrics.items():
        known = METRICS[name].model is None and value.value is not None
        if known and value.signature != session.signature(name, identity):
            raise Refused("RESULT-KEY")
        texts = (value.signature, value.reason or "")
        if not all(_PLAIN.fullmatch(text) for text in texts):
            raise Refused("RESULT-LEAK")
    counted = [*result.counts["broken"], *result.counts["strict"]]
    found = [*counted, *(finding.rule for item in result.items
                         for finding in (*item.verdict.broken, *item.verdict.strict))]
    if not all(_known("rejected", rule) for rule in found):
        raise Refused("RESULT-LEAK")


def _no_model(name: str) -> Any:
    raise NotMeasured(name)


def _no_tag(name: str) -> str:
    raise NotMeasured(name)
