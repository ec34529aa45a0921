"""Whose turn is when on hidden splits."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.ci.main_branch import Main


def release_days(main: Main) -> dict[str, datetime.date]:
    """For each file of a hidden split that is on the main branch: the day of its value."""
    return {}
