"""Whyboard's scorer: check and score explanations, as a library and as a program.

``scorer.check`` and ``scorer.score`` take plain lists; everything else is for the program. Nothing
heavy is imported here.
"""

from scorer._version import __version__
from scorer.api import check, score
from scorer.errors import DataError, SubmissionError, UsageError, WhyboardError

__all__ = [
    "DataError",
    "SubmissionError",
    "UsageError",
    "WhyboardError",
    "__version__",
    "check",
    "score",
]
