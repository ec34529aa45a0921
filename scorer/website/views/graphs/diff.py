"""What became of an edge, as pages say it."""

from __future__ import annotations

from scorer.tasks.graphs.diff import Status

SYMBOLS: dict[Status, str] = {
    "kept": "=",
    "changed": "~",
    "reversed": "\u21c5",
    "extra": "+",
    "missing": "\u2212",
}
"""The mark of each status; a reader who sees no colour reads these."""

MEANINGS: dict[Status, str] = {
    "kept": "as in gold",
    "changed": "other relation in gold",
    "reversed": "the other way round in gold",
    "extra": "not in gold",
    "missing": "only in gold",
}
