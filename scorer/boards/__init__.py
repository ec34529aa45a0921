"""A board: one public leaderboard as data, read from ``boards/<board>/board.yaml``.

A research group adds a benchmark of explanation graphs by adding such a folder, without touching
Python. ``records.py`` says what a board is and how it is written, ``reading.py`` finds and reads
one.
"""

from __future__ import annotations

from scorer.boards.others import FILE_NAME as OTHERS
from scorer.boards.others import Others
from scorer.boards.reading import (
    FILE_NAME,
    for_task,
    load,
    load_all,
    read,
)
from scorer.boards.records import (
    LARGEST_GOLD,
    Acknowledged,
    Answers,
    Board,
    Download,
    Ratings,
    Split,
    ThirdParty,
    declaration,
)
from scorer.core.package_data import boards_folder, known_boards

__all__ = [
    "FILE_NAME", "LARGEST_GOLD", "OTHERS", "Acknowledged", "Answers", "Board", "Download",
    "Others", "Ratings", "Split", "ThirdParty", "boards_folder", "declaration", "for_task",
    "known_boards", "load", "load_all", "read",
]
