"""The commands that compute a row again, from the gold and its predictions. Pure.

They are for a checkout with the program installed, and write below ``again/``. CI runs them
(tests/test_reproduce.py).
"""

from __future__ import annotations

from shlex import quote

from scorer.boards import Board
from scorer.boards.submission import OWN, REFERENCE, THIRD_PARTY, null_name, relabelled_name
from scorer.core.results import Result

AGAIN = "again"
"""Where results are written."""
_FETCHED = ".whyboard/submissions"
"""Where ``scorer data fetch`` writes predictions by others."""
SHIPPED = ("structured", "label")
"""Systems whose weights come with the program, so that anybody can ask them again."""
_ENDPOINT = "endpoint"


def commands(board: Board, result: Result, commit: str = "") -> tuple[str, ...]:
    """The lines of a shell that compute the row of a result again.

    ``commit``: the one that brought the result, whose program, board and predictions are taken;
    else those at hand. Empty where only somebody else can: who holds the gold, or the weights of
    a system whose predictions may not be committed.
    """
    if board.split(result.split).gold != "public":
        return ()
    lines = [f"git switch --detach {quote(commit)}"] if commit else []
    if board.downloads:
        lines.append(f"scorer data fetch {board.id}")
    folder = f"{board.id}/{result.team}/{result.system}"
    if result.team == THIRD_PARTY:
        path = f"{_FETCHED}/{folder}"
    elif made := _baseline(board, result):
        path = f"{AGAIN}/submissions/{folder}"
        lines.append(f"scorer baseline {made} --out {AGAIN}/submissions")
    elif result.team == OWN and board.brought:
        arguments = _predicted(board, result)
        if arguments.partition(" ")[0] not in SHIPPED:
            return ()
        path = f"{AGAIN}/submissions/{folder}"
        lines.append(f"scorer predict {arguments} --board {board.id} "
                     f"--split {result.split} --out {path}")
    else:
        path = f"submissions/{folder}"
    # How models were run, their parts of the signature say. A judge behind an endpoint is asked
    # again by its file, which is no part of a result.
    behind = [name for name, tag in result.models.items() if _ENDPOINT in tag.split("-")]
    words = {word for name, tag in result.models.items() if name not in behind
             for word in tag.split("-")}
    options = " --models fetch" if words else ""
    options += "".join(f" --model {quote(name)}=endpoint:{quote(name)}.yaml" for name in behind)
    options += " --device cuda" if "padded" in words else ""
    return (*lines, f"scorer score {quote(path)} --results {AGAIN}{options}")


def _baseline(board: Board, result: Result) -> str:
    """What ``scorer baseline`` needs to write the row's predictions; empty if it does not."""
    if result.team != REFERENCE:
        return ""
    if result.system in board.task.baselines:
        return f"{result.system} --board {board.id} --split {result.split}"
    of = [row.system for row in board.third_party
          if null_name(THIRD_PARTY, row.system) == result.system]
    return f"--null-of {_FETCHED}/{board.id}/{THIRD_PARTY}/{of[0]}" if of else ""


def _predicted(board: Board, result: Result) -> str:
    """The system of a row of ours, and whose labels it took, if not its own."""
    labels = getattr(board.settings, "labels", None)
    if labels is None:
        return result.system
    for row in board.third_party:
        end = relabelled_name("", row.system, labels.name)
        if row.split == result.split and result.system.endswith(end):
            theirs = f"{_FETCHED}/{board.id}/{THIRD_PARTY}/{row.system}/predictions.{row.split}.tsv"
            return f"{result.system.removesuffix(end)} --labels {theirs}"
    return result.system
