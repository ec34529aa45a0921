"""Merged files that are not as they were merged, and of which the ledger does not say why."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.ci.git import FILE
from scorer.ci.ledger import FINAL, REMOVED
from scorer.ci.scope import CONTRACT, described, shown
from scorer.ci.state import Main

RESTORE = "restore it by a branch with the label maintenance"


def findings(main: Main) -> Iterator[str]:
    """One line each, in the order of the paths: what changed, in which commit, what to do.

    The ledger speaks of a file when it is known who merged it, and only then. What came to the
    branch since it last spoke is of interest only if it took the place of something merged.
    """
    lines = main.ledger.lines()
    told = {line.get("commit") for line in lines if line["event"] not in FINAL}
    removed = {(line["path"], line["commit"]) for line in lines if line["event"] == REMOVED}
    foreign = {one.path for one in main.disowned}
    present = {entry.path for entry in main.entries if entry.mode == FILE}
    strange = {entry.path for entry in main.entries} - {CONTRACT}
    right, wrong = _compared(main)
    for path, touches in sorted(main.touches.items()):
        last = touches[-1]
        if described(path) is None:
            if path in strange:
                yield f"{shown(path)}: no file of a submission; remove it"
            continue
        at = f"in commit {last.commit[:12]}"
        if path not in present:
            if (path, last.commit) not in removed:
                yield f"{path}: removed {at}, which the ledger does not tell; {RESTORE}"
        elif path in foreign:
            yield f"{path}: written by another account than its team's {at}; {RESTORE}"
        elif path in wrong:
            yield f"{path}: not the predictions that were accepted, changed {at}; {RESTORE}"
        elif len(touches) > 1 and path not in right and last.commit not in told:
            yield (f"{path}: changed {at}, which the ledger does not tell; it does when the next "
                   f"run knows who did that, else {RESTORE}")


def _compared(main: Main) -> tuple[set[str], set[str]]:
    """Paths of predictions that the ledger says count, and of others in the place of such."""
    accepted = main.ledger.accepted()
    known = [(job.path, accepted[job.name]["predictions"] == job.predictions)
             for job in main.jobs() if job.name in accepted]
    return {path for path, same in known if same}, {path for path, same in known if not same}
