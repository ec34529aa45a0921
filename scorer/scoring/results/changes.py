"""Whether committed results stay what they were while no version says why they move. Pure.

Two sets of documents, before and after a change, are compared number by number. A number may move
by more than ``TOLERANCE`` only where the scorer, board, gold, judge or encoder is another one; a
metric or a row may disappear only then; a result never does: a withdrawn system keeps its page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorer.core.errors import DataError, Problem, counted
from scorer.scoring.results.files import from_json
from scorer.scoring.results.signature import parts

TOLERANCE = 1e-6
VERSIONS = ("scorer", "board", "gold", "judge", "encoder")
"""Parts of a signature: where one of them is another, a value may move."""
ITEMS = ".items.tsv"
_FLOAT = 1e-12
"""What a difference of two numbers that were rounded to 1e-6 may have beyond it."""
_MOST_NAMED = 3
_SAME = f"the same within {TOLERANCE}, or another {', '.join(VERSIONS[:-1])} or {VERSIONS[-1]}"
_RESTORE = "raise the version of what changed and score again, or restore the file"
_WITHDRAW = "restore the file; a system is withdrawn in its submission.yaml"

Documents = Mapping[str, Any]
"""By path: a result's JSON, or the bytes of its items; None for what cannot be read."""


def findings(before: Documents, after: Documents) -> Iterator[Problem]:
    """Every committed result that moves without a reason, in the order of the paths.

    ``before`` and ``after`` need to hold only what differs between them.
    """
    for path in sorted(before):
        if path not in after:
            yield Problem(path, 1, 1, "RESULT-GONE", "a committed result disappears",
                          "results that stay", _WITHDRAW)
            continue
        result = path.removesuffix(ITEMS) + ".json" if path.endswith(ITEMS) else path
        versions = _Versions(before.get(result), after.get(result))
        look = _items if path.endswith(ITEMS) else _result
        for rule, detail in look(before[path], after[path], versions):
            yield Problem(path, 1, 1, rule, detail, _SAME, _RESTORE)


class _Versions:
    """What two documents of one result say they were computed with."""

    def __init__(self, old: Any, new: Any) -> None:
        self.new = new
        self._metrics = _section(old, "metrics"), _section(new, "metrics")
        stated = [(_section(side, "scorer").get("version"), _section(side, "gold").get("id"),
                   side.get("board_version") if isinstance(side, dict) else None)
                  for side in (old, new)]
        self.another = any(isinstance(was, str) and isinstance(now, str) and was != now
                           for was, now in zip(*stated, strict=True))
        """Whether scorer, board or gold is another one for the whole result."""

    def another_for(self, metric: str) -> bool:
        """Whether a version of one metric is another one; its signature decides if it has one."""
        old, new = (_parts(side.get(metric)) for side in self._metrics)
        if not new:
            return self.another
        return any(key in old and key in new and old[key] != new[key] for key in VERSIONS)


def _result(old: Any, new: Any, versions: _Versions) -> Iterator[tuple[str, str]]:
    if not _readable(new):
        yield "RESULT-BROKEN", "no result can be read"
        return
    before, after = _section(old, "metrics"), _section(new, "metrics")
    for metric in before:
        if versions.another_for(metric):
            continue
        if metric not in after:
            yield "RESULT-MOVED", f"{metric}: the metric is gone"
        elif change := _differing(before[metric], after[metric]):
            yield "RESULT-MOVED", f"{metric}: {change}"
    counts = (_section(side, "counts") for side in (old, new))
    if not versions.another and (change := _differing(*counts)):
        yield "RESULT-MOVED", f"counts: {change}"


def _readable(document: Any, items: bytes = b"") -> bool:
    """Whether documents are a whole result; a version explains other numbers, not none."""
    try:
        return bool(from_json(document, items).metrics)
    except DataError:
        return False


def _items(old: Any, new: Any, versions: _Versions) -> Iterator[tuple[str, str]]:
    """Rows against rows, a column at a time."""
    readable = isinstance(new, bytes) and bool(new) and (
        versions.new is None or _readable(versions.new, new))
    if not readable:
        yield "RESULT-BROKEN", "no items can be read"
        return
    before, after = _columns(old), _columns(new)
    rows = [len(side.get("row", ())) for side in (before, after)]
    if rows[0] != rows[1]:
        if not versions.another:
            yield "RESULT-GONE", f"{counted(rows[0], 'row')} became {rows[1]}"
        return
    for name, cells in before.items():
        moved = [row for row, (was, now) in enumerate(
            zip(cells, after.get(name, ("",) * len(cells)), strict=True), start=1)
            if was != now and not _close(was, now)]
        if moved and not versions.another_for(name):
            yield "RESULT-MOVED", f"{name}: {counted(len(moved), 'row')} from row {moved[0]} on"


def _columns(content: Any) -> dict[str, tuple[str, ...]]:
    """The cells below each name of a table's header; none of what is no table."""
    text = content.decode(errors="replace") if isinstance(content, bytes) else ""
    lines = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    names, rows = lines[0], [line for line in lines[1:] if len(line) == len(lines[0])]
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}


def _close(was: str, now: str) -> bool:
    """Whether two cells are numbers that hardly differ."""
    try:
        return abs(float(was) - float(now)) <= TOLERANCE + _FLOAT
    except ValueError:
        return False


def _differing(old: Any, new: Any) -> str:
    """The numbers of ``old`` that are not in ``new`` as they were, in words; empty if all are."""
    after = dict(_numbers(new))
    changes = [f"{name} {was} becomes {after.get(name, 'nothing')}"
               for name, was in _numbers(old)
               if name not in after or not abs(after[name] - was) <= TOLERANCE + _FLOAT]
    rest = [f"and {len(changes) - _MOST_NAMED} more"] if len(changes) > _MOST_NAMED else []
    return ", ".join([*changes[:_MOST_NAMED], *rest])


def _numbers(node: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a document, by the names that lead to it."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _numbers(value, f"{name} {key}".strip())
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield name, node


def _section(document: Any, name: str) -> dict[str, Any]:
    """An object inside a document; empty if there is none."""
    value = document.get(name) if isinstance(document, dict) else None
    return value if isinstance(value, dict) else {}


def _parts(metric: Any) -> dict[str, str]:
    """The parts of a metric's signature; empty if it has none that can be read."""
    signature = metric.get("signature") if isinstance(metric, dict) else None
    try:
        return parts(signature) if isinstance(signature, str) else {}
    except DataError:
        return {}
