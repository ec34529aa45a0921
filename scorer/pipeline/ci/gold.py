"""Which splits can be scored, which gold they name, and the scorer of public gold.

Hidden gold itself is opened by ``score.py`` alone, in the scoring job.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scorer.boards import Board, errata
from scorer.boards import fetching as data
from scorer.core.errors import WhyboardError
from scorer.models.registry import Models
from scorer.scoring.evaluate import gold_name
from scorer.scoring.submissions import Scorer


def is_hidden(board: Board, split: str) -> bool:
    """Whether a split is scored against hidden gold, which the board names by its digest."""
    described = board.splits[split]
    return described.gold == "hidden" and described.gold_hmac is not None


def identity(board: Board, split: str) -> str | None:
    """The id of a split's gold as results name it, or None if the board does not pin it."""
    described = board.splits[split]
    digest = described.gold_hmac if described.gold == "hidden" else sha256(board, split)
    return gold_name(board, split, digest) if digest is not None else None


def sha256(board: Board, split: str) -> str | None:
    """The digest of public gold as its errata leave it; None if the board does not pin the file."""
    pinned = board.splits[split].sha256
    if pinned is None:
        return None
    entries, _ = errata.read(board)  # what cannot be read stops scoring, which says why
    return errata.digest(pinned, errata.applied(board, entries, split))


def model_options(models: str, device: str = "cpu") -> dict[str, Any]:
    """Options of Models; ``models``: ``auto``, ``no`` or ``fetch``."""
    return {"allowed": models != "no", "network": models == "fetch", "device": device}


def scorer(home: Path, boards: Path | None, models: str, metrics: tuple[str, ...] = (),
           device: str = "cpu") -> Scorer:
    """The scorer of a run."""
    return Scorer(Models(**model_options(models, device), home=home), home, boards, metrics)


def fetch_public(boards: Iterable[Board], home: Path) -> None:
    """Bring official data that may not be committed; says which boards stay without.

    ``boards``: those that are needed, for each host may let us wait. Pinned by digest; a host that
    does not answer in time is no fault.
    """
    for board in boards:
        if not board.downloads or data.complete(board, home):
            continue
        try:
            data.fetch(board, home)
        except WhyboardError as fault:
            print(f"| without the data of {board.id}: {ascii(str(fault))[:300]}", file=sys.stderr)
