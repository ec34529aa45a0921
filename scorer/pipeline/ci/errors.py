"""How the pipeline ends when it can neither finish nor blame anyone."""

from __future__ import annotations

from scorer.core.errors import WhyboardError


class TryAgain(WhyboardError):
    """The machine or the network failed; nothing is recorded and the next run takes it up."""

    exit_code = 75


class Refused(Exception):
    """What was handed over cannot be published; the argument is a public code."""


CODES = {
    "SCORER-FAULT": "The scorer failed on this submission; a new version of it tries again.",
    "SCORER-TIME": "Scoring this submission took too long.",
    "SCORER-KILLED": "Scoring this submission ended the process that did it, twice.",
    "GOLD-SCORE": "The scorer failed on this submission; nothing is said about it.",
    "GOLD-TIME": "Scoring this submission took too long.",
    "SCORER-GAVE-UP": "The scoring machine failed three times on this submission.",
    "RESULT-MISSING": "The result has no such file or a file that is too large.",
    "RESULT-FORMAT": "The result is not of the published format.",
    "RESULT-KEY": "The result is not that of the files on the main branch.",
    "RESULT-RANGE": "The result holds a number that cannot be.",
    "RESULT-DIFFERS": "The result says something else than its scores of items.",
    "RESULT-GATE": "An item that failed a gate has a score of its own.",
    "RESULT-LEAK": "The result holds what a hidden split must not show.",
}
"""Public codes of ``error`` outcomes. What a code says never depends on gold."""
