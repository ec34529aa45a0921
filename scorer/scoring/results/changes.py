"""Whether committed results stay what they were while no version says why they move. Pure.

A result before and after a change is compared number by number. A number may move by more than
``TOLERANCE`` only where the scorer, board, gold, judge or encoder is another one; a metric or a row
may disappear only then; a result never does: a withdrawn system keeps its page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    names = (path, path.removesuffix(".json") + ITEMS)
    for name, old, new in zip(names, before, after, strict=True):
        if old is not None and new is None:
            yield Problem(name, 1, 1, "RESULT-GONE", "a committed result disappears",
                          "results that stay", _WITHDRAW)
    both = None not in (before.items, after.items)
    old_result = (_read(before) if both else None) or _read(before._replace(items=None))
    if old_result is None or after.document is None:
        return
    new_result = _read(after._replace(items=None))
    moved: Iterable[Change] = ()
    if new_result is None or not new_result.metrics:
        moved = [(0, "RESULT-BROKEN", "no result can be read")]
    elif both and ((new_result := _read(after)) is None or not new_result.items):
        moved = [(1, "RESULT-BROKEN", "no items can be read")]
    else:
        moved = _moved(old_result, new_result)
    for file, rule, detail in moved:
        yield Problem(names[file], 1, 1, rule, detail, _SAME, _RESTORE)


def _read(files: ResultFiles) -> Result | None:
    try:
        return from_bytes(files.document, files.items or b"") if files.document else None
    except DataError:
        return None


Change = tuple[int, str, str]
"""In the result (0) or its items (1): the rule, and what moved."""


def _moved(old: Result, new: Result) -> Iterator[Change]:
    another = (old.scorer.version, old.gold.id, old.board_version) != (
        new.scorer.version, new.gold.id, new.board_version)

    def may_move(metric: str) -> bool:
        """Whether a version is another one; a metric's signature decides if it has one."""
        was, now = (_parts(side.metrics.get(metric)) for side in (old, new))
        return another if not now else any(
            key in was and key in now and was[key] != now[key] for key in VERSIONS)

    for metric, value in old.metrics.items():
        if may_move(metric):
            continue
        if metric not in new.metrics:
            yield 0, "RESULT-MOVED", f"{metric}: the metric is gone"
        elif change := _differing(value.to_json(), new.metrics[metric].to_json()):
            yield 0, "RESULT-MOVED", f"{metric}: {change}"
    if not another and (change := _differing(old.counts, new.counts)):
        yield 0, "RESULT-MOVED", f"counts: {change}"
    if len(old.items) != len(new.items):
        if old.items and not another:
            yield 1, "RESULT-GONE", f"{counted(len(old.items), 'row')} became {len(new.items)}"
        return
    (header, *before), (now_header, *after) = (
        lines_of(side.metrics, side.items) for side in (old, new))
    for at, name in enumerate(header if before else ()):
        place = now_header.index(name) if name in now_header else None
        moved = [row for row, (was, now) in enumerate(zip(before, after, strict=True), start=1)
                 if not _same(was[at], "" if place is None else now[place])]
        if moved and not may_move(name):
            yield (1, "RESULT-MOVED",
                   f"{name}: {counted(len(moved), 'row')} from row {moved[0]} on")


def _same(was: str, now: str) -> bool:
    """Whether two cells are the same, or numbers that hardly differ."""
    try:
        return was == now or abs(float(was) - float(now)) <= TOLERANCE + _FLOAT
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
