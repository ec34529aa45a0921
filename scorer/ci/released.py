"""What may be published of hidden gold."""

from __future__ import annotations

from typing import Any

from scorer.ci import history
from scorer.ci.errors import Refused
from scorer.ci.main_branch import CiJob, Main


def check(document: Any, job: CiJob, main: Main, day: str) -> None:
    """Raises Refused unless a document is what may be released of a job by a day."""
    turn = history.release_days(main).get(job.path)
    if turn is None or str(turn) > day:
        raise Refused("RESULT-LEAK")
