"""Whether committed results stay what they were while no version says why they move. Pure.

A result before and after a change is compared number by number. A number may move by more than
``TOLERANCE`` only where the scorer, board, gold, judge or encoder is another one; a metric or a row
may disappear only then; a result never does: a withdrawn system keeps its page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.core.errors import DataError, Problem, counted
from scorer.core.results import MetricValue, Result
from scorer.scoring.results.files import from_bytes, lines_of
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


class ResultFiles(NamedTuple):
    """The bytes of a result and of its items; None where there is no such file."""

    document: bytes | None
    items: bytes | None = None


def findings(path: str, before: ResultFiles, after: ResultFiles) -> Iterator[Problem]:
    """What of the committed result at ``path`` moves without a reason. What could not be read
    before has nothing that moves."""
    items = path.removesuffix(".json") + ITEMS
    for name, old, new in zip((path, items), before, after, strict=True):
        if old is not None and new is None:
            yield Problem(name, 1, 1, "RESULT-GONE", "a committed result disappears",
                          "results that stay", _WITHDRAW)
    if before.document is None or after.document is None:
        return
    both = None not in (before.items, after.items)
    known = (_read(before.document, before.items) if both else None) or _read(before.document)
    if known is None:
        return
    if (result := _read(after.document)) is None or not result.metrics:
        yield Problem(path, 1, 1, "RESULT-BROKEN", "no result can be read", _SAME, _RESTORE)
    elif both and ((result := _read(after.document, after.items)) is None or not result.items):
        yield Problem(items, 1, 1, "RESULT-BROKEN", "no items can be read", _SAME, _RESTORE)
    else:
        for name, rule, detail in _moved(known, result):
            yield Problem(items if name == ITEMS else path, 1, 1, rule, detail, _SAME, _RESTORE)


def _read(document: bytes, items: bytes | None = None) -> Result | None:
    try:
        return from_bytes(document, items or b"")
    except DataError:
        return None


def _moved(old: Result, new: Result) -> Iterator[tuple[str, str, str]]:
    """The end of the file's name, the rule, and what moved."""
    another = any(was != now for was, now in (
        (old.scorer.version, new.scorer.version), (old.gold.id, new.gold.id),
        (old.board_version, new.board_version)))

    def may_move(metric: str) -> bool:
        """Whether a version is another one; a metric's signature decides if it has one."""
        was, now = (_parts(side.metrics.get(metric)) for side in (old, new))
        return another if not now else any(
            key in was and key in now and was[key] != now[key] for key in VERSIONS)

    for metric, value in old.metrics.items():
        if may_move(metric):
            continue
        if metric not in new.metrics:
            yield ".json", "RESULT-MOVED", f"{metric}: the metric is gone"
        elif change := _differing(value.to_json(), new.metrics[metric].to_json()):
            yield ".json", "RESULT-MOVED", f"{metric}: {change}"
    if not another and (change := _differing(old.counts, new.counts)):
        yield ".json", "RESULT-MOVED", f"counts: {change}"
    if len(old.items) != len(new.items):
        if old.items and not another:
            yield (ITEMS, "RESULT-GONE",
                   f"{counted(len(old.items), 'row')} became {len(new.items)}")
        return
    before, after = (_columns(lines_of(side.metrics, side.items)) for side in (old, new))
    for name, cells in before.items():
        moved = [row for row, (was, now) in enumerate(
            zip(cells, after.get(name, ("",) * len(cells)), strict=True), start=1)
            if was != now and not _close(was, now)]
        if moved and not may_move(name):
            yield (ITEMS, "RESULT-MOVED",
                   f"{name}: {counted(len(moved), 'row')} from row {moved[0]} on")


def _columns(lines: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The cells below each name of a table's header."""
    names, *rows = lines
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
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _numbers(value, f"{name} {key}".strip())
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield name, node


def _parts(value: MetricValue | None) -> dict[str, str]:
    """The parts of a metric's signature; empty if it has none that can be read."""
    try:
        return parts(value.signature) if value and value.signature else {}
    except DataError:
        return {}
