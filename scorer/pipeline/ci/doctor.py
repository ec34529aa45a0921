"""What a maintainer's checkout lacks: ``scorer ci doctor``. What GitHub must know is set by
``.github/settings.sh``.
"""

from __future__ import annotations

from pathlib import Path

from scorer.boards import known_boards, load
from scorer.boards.reading import described, open_lines
from scorer.core.errors import WhyboardError
from scorer.core.files import HOME
from scorer.pipeline.ci import hidden_gold
from scorer.pipeline.ci.git import Repository
from scorer.scoring import gold_report

PLACEHOLDER = "@maintainers"
"""What CODEOWNERS says before somebody put an account or a team there."""


def findings(root: Path, home: Path | None = None) -> list[str]:
    """What is missing or wrong, one line each with what to do.

    ``home``: where fetched data lie, whose gold is held against the rules too.
    """
    home = home or root / HOME
    lines = _gold_in_git(root, home)
    for name in known_boards(root / "boards"):
        lines += _board(root, name, home)
    lines += [f"{page}:{line}: a text is still to be filled in"
              for page, line in open_lines(root)]
    owners = root / ".github" / "CODEOWNERS"
    if not owners.is_file() or PLACEHOLDER in owners.read_text("utf-8").split():
        lines.append(f".github/CODEOWNERS still says {PLACEHOLDER}; write your account or team")
    return lines


def _gold_in_git(root: Path, home: Path) -> list[str]:
    hidden = hidden_gold.all_inputs(root / "boards", home)
    return [f"{finding}; remove it from git and add it to .gitignore. If it was ever pushed, make "
            "new gold or a new key"
            for finding in hidden_gold.of_work_tree(Repository(root), hidden)]


def _board(root: Path, name: str, home: Path) -> list[str]:
    """What is wrong with a board, with its gold, and what of it waits for a person."""
    try:
        board = load(root / "boards" / name)
        faults = gold_report.board_faults(board, home)
    except WhyboardError as fault:
        return [f"board {name}: {str(fault).splitlines()[0]}"]
    return [*(f"board {name}: {fault.summary}; run: scorer board check {name}"
              for fault in faults),
            *described(root, board)]
