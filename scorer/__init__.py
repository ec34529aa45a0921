"""Whyboard's scorer: check and score explanations, as a library and as a program.

``scorer.check`` and ``scorer.score`` take plain lists, ``scorer.load_results`` a folder of results;
everything else is for the program. Nothing heavy is imported here, and what these need only when
they are asked for.
"""

from typing import TYPE_CHECKING, Any

from scorer._version import __version__
from scorer.core import renamed
from scorer.core.errors import DataError, SubmissionError, UsageError, WhyboardError

if TYPE_CHECKING:
    from scorer.api import check, score
    from scorer.scoring.results.files import load_results

__all__ = [
    "DataError",
    "SubmissionError",
    "UsageError",
    "WhyboardError",
    "__version__",
    "check",
    "load_results",
    "score",
]

renamed.install()


def __getattr__(name: str) -> Any:
    if name == "load_results":
        from scorer.scoring.results import files

        return files.load_results
    if name not in ("check", "score"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from scorer import api

    return getattr(api, name)
