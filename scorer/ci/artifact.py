"""Believing nothing of what a scoring machine hands over: format, names, key, leaks, numbers.

Every fact that the main branch knows is compared with the main branch. Numbers on public gold are
compared with the publisher's own (``agreement.py``), those on hidden gold with what may be released
(``released.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer._version import __version__
from scorer.board import Board
from scorer.ci import agreement, gold, released
from scorer.ci.agreement import Own
from scorer.ci.errors import CODES, Refused
from scorer.ci.main_branch import LARGEST_RESULT, CiJob, is_current
from scorer.ci.worker import SCHEMA
from scorer.errors import NotMeasured
from scorer.files import json_bytes
from scorer.hidden.release.decisions import SCORED
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.results import files as results
from scorer.results.items import LARGEST as LARGEST_ITEMS
from scorer.rules import CATALOGUE, lookup
from scorer.scoring.evaluate import GoldId, Session, key

_PLAIN = re.compile(r"[\x20-\x7e]{0,400}")


class Outcome(NamedTuple):
    """What a scoring machine says about one job, after it has been checked."""

    kind: str
    """``scored``, ``rejected``, ``error``, ``started`` (tried in vain) or ``untried``."""
    reason: str = ""
    files: Mapping[str, bytes] = {}
    """Paths of the repository and their content, if it was scored."""
    result: Result | None = None


def read(folder: Path, job: CiJob, board: Board, expected: released.Expected | None = None,
         own: Own | Outcome | None = None, tags: Sequence[str] | None = None) -> Outcome:
    """The outcome of a job, an error with a code if what was handed over is not fit to print.

    ``expected``: what is known of the release of a hidden split. ``own``: what the publisher
    computed of a submission with public gold, or what there is to say instead of that; with
    neither, a score counts as untried. ``tags``: those of the submission, if they are known.
    """
    try:
        return _outcome(folder, job, board, expected, own, tags)
    except Refused as refused:
        return Outcome("error", str(refused))


def says(folder: Path, job: CiJob) -> str:
    """The kind of outcome that a file gives itself, of which nothing has been checked."""
    try:
        return str((_document(folder, job) or {}).get("outcome"))
    except Refused:
        return ""


def _document(folder: Path, job: CiJob) -> dict[str, Any] | None:
    """What was handed over for a job; None if there is no such file."""
    path = folder / f"{job.key}.json"
    if not path.is_file() or path.is_symlink():
        return None
    return _json(_content(path, LARGEST_RESULT + 1024))


def _outcome(folder: Path, job: CiJob, board: Board, expected: released.Expected | None,
             own: Own | Outcome | None, tags: Sequence[str] | None) -> Outcome:
    document = _document(folder, job)
    if document is None:
        return Outcome("untried")
    kind = document.get("outcome")
    extra = {"scored": "result", "rejected": "rule", "error": "code", "started": None,
             "untried": None}
    if not isinstance(kind, str) or kind not in extra or document.get("schema") != SCHEMA:
        raise Refused("RESULT-FORMAT")
    if document.get("key") != job.key:
        raise Refused("RESULT-KEY")
    if set(document) - {"schema", "key", "outcome"} != {extra[kind]} - {None}:
        raise Refused("RESULT-FORMAT")
    if kind in ("started", "untried"):
        return Outcome(kind)
    if kind == "scored":
        return _scored(folder, document["result"], job, board, expected, own, tags)
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


def _scored(folder: Path, document: Any, job: CiJob, board: Board,
            expected: released.Expected | None, own: Own | Outcome | None,
            tags: Sequence[str] | None) -> Outcome:
    if results.misfit(document):
        raise Refused("RESULT-FORMAT")
    public = board.splits[job.split].gold == "public"
    items = _content(folder / f"{job.key}.items.tsv", LARGEST_ITEMS) if public else b""
    rows = board.splits[job.split].rows if public else None
    result = _parsed(document, items, rows)
    _is_of_main(document, result, job, board, public, tags)
    if public:
        if not isinstance(own, Own):
            return own or Outcome("untried")
        result = agreement.agreed(result, board, own)
        document = results.to_json(result)
        beside = {job.items_path: results.items_bytes(result)}
    else:
        released.check(document, job, expected)
        beside = {}
        if document["release"]["answer"] in SCORED:
            exact = _content(folder / f"{job.key}.exact.age", LARGEST_ITEMS)
            if not released.sealed(exact, result):
                raise Refused("RESULT-LEAK")
            beside = {job.sealed_path: exact}
    _shows_nothing(document, board, result)
    files = {job.result_path: json_bytes(document), **beside}
    return Outcome("scored", files=files, result=result)


def _parsed(document: Any, items: bytes, rows: int | None) -> Result:
    """The result of a document and the bytes of its items, which say nothing else than it does.

    ``rows``: so many items there are at most, and more are not even read; None where none may be
    seen.
    """
    public = rows is not None
    if rows is not None and items.count(b"\n") > 1 + rows:
        raise Refused("RESULT-DIFFERS")
    try:
        result = results.from_json(document, items)
        same = ((results.items_bytes(result) if public else b"") == items
                and json_bytes(results.to_json(result)) == json_bytes(document))
    except Exception as fault:  # only reads what a stranger wrote, which can break it in any way
        raise Refused("RESULT-FORMAT") from fault
    if not same:
        raise Refused("RESULT-FORMAT")
    return result


def _is_of_main(document: Any, result: Result, job: CiJob, board: Board, public: bool,
                tags: Sequence[str] | None) -> None:
    """Every fact that the main branch knows is as it is there."""
    names = (result.board, result.team, result.system, result.split)
    wanted = (job.board, job.team, job.system, job.split)
    described = board.splits[job.split]
    same = (
        names == wanted and result.task == board.task_name
        and is_current(document, board, job, tags)
        and document["scorer"] == {"version": __version__}
        and document["gold"]["public"] is public
        and document["gold"].get("sha256") == (gold.sha256(board, job.split) if public else None)
        and document["gold"].get("hmac_sha256") == described.gold_hmac
        and document["gold"]["golds"] <= described.golds
        and document["gold"]["id"] == gold.identity(board, job.split)
        and document["predictions"]["rows"] == described.rows
        and tuple(result.metrics) == tuple(sorted(board.metrics))
        and document["key"] == key(result)
        and (public or {"errata", "tags"}.isdisjoint(document))
    )
    if not same:
        raise Refused("RESULT-KEY")


def _shows_nothing(document: Any, board: Board, result: Result) -> None:
    """No text that nobody wrote down before: signatures are recomputed, reasons are plain."""
    session = Session(board, _no_model, document["models"].__getitem__)
    told = document["gold"]
    identity = GoldId(told.get("sha256") or told.get("hmac_sha256", ""), told["golds"],
                      against=told.get("against", ""))
    for name, value in result.metrics.items():
        model = METRICS[name].model
        if model is not None and model not in document["models"] and value.value is not None:
            raise Refused("RESULT-KEY")
        if value.value is not None and value.signature != session.signature(name, identity):
            raise Refused("RESULT-KEY")
        texts = (value.signature, value.reason or "")
        if not all(_PLAIN.fullmatch(text) for text in texts):
            raise Refused("RESULT-LEAK")


def _no_model(name: str) -> Any:
    raise NotMeasured(name)
