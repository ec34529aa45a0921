"""Whether the ledger is what it must be, and what the board was at any commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from scorer.ci.generated import rewritten
from scorer.ci.git import FILE, Repository
from scorer.ci.ledger import FINAL, REMOVED, SCORED, TOP
from scorer.ci.main_branch import RESULTS, Main, result_documents
from scorer.ci.scope import CONTRACT, described, shown
from scorer.submission import SubmissionName

RESTORE = "restore it by a branch with the label maintenance"


def findings(main: Main) -> Iterator[str]:
    """Everything that does not fit, one line each: git is the chain, so all of it is looked at."""
    yield from _repeated(main)
    yield from _history(main.repository, main.commit)
    yield from _results(main)
    yield from altered(main)


def _repeated(main: Main) -> Iterator[str]:
    for path, lines in sorted(main.ledger.files.items()):
        for line, times in Counter(lines).items():
            if times > 1:
                yield f"{path}: a line stands there {times} times: {line[:80]}"


def _history(repository: Repository, commit: str) -> Iterator[str]:
    """Every commit of the branch that touched the ledger or past values, against the one before."""
    listed = repository.run("log", "--first-parent", "--format=%H %P", commit, "--", TOP,
                            RESULTS).stdout.decode().split("\n")
    for line in listed:
        made, *parents = line.split()[:2] or [""]
        if parents:
            for problem in rewritten(repository, parents[0], made):
                yield f"{problem.path}:{problem.line}: {problem.found} in commit {made[:12]}"


def _results(main: Main) -> Iterator[str]:
    """The last published key of each split against the committed result."""
    last: dict[str, Any] = {}
    for line in main.ledger.lines():
        if line["event"] in SCORED:
            names = (line["board"], line["team"], line["system"], line["split"])
            last[f"{RESULTS}/{'/'.join(names)}.json"] = line["result"]
    documents = result_documents(main)
    for path, key in sorted(last.items()):
        found = documents.get(path)
        if not isinstance(found, dict) or found.get("key") != key:
            yield f"{path}: not the result that the ledger says was published"


def as_of(main: Main, board: str, split: str) -> list[dict[str, Any]]:
    """The rows of a board at a commit: team, system, values, whether withdrawn; by their names."""
    rows, withdrawn = [], main.withdrawn
    for path, document in sorted(result_documents(main).items()):
        if not isinstance(document, dict) or "metrics" not in document:
            continue
        if (document["board"], document["split"]) == (board, split):
            rows.append({
                "team": document["team"], "system": document["system"],
                "board_version": document["board_version"],
                "scorer": document["scorer"]["version"], "key": document["key"],
                "withdrawn": withdrawn.get(SubmissionName(*path.split("/")[1:4])),
                "values": {name: value["value"] for name, value in document["metrics"].items()},
            })
    return rows


def altered(main: Main) -> Iterator[str]:
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
                yield f"{path}: removed {at}, which the ledger does not record; {RESTORE}"
        elif path in foreign:
            yield f"{path}: written by another account than its team's {at}; {RESTORE}"
        elif path in wrong:
            yield f"{path}: not the predictions that were accepted, changed {at}; {RESTORE}"
        elif len(touches) > 1 and path not in right and last.commit not in told:
            yield (f"{path}: changed {at}, which the ledger does not record; it will once the "
                   f"next run knows who did that, else {RESTORE}")


def _compared(main: Main) -> tuple[set[str], set[str]]:
    """Paths of predictions that the ledger says count, and of others in the place of such."""
    accepted = main.ledger.accepted()
    known = [(job.path, accepted[job.name]["predictions"] == job.predictions)
             for job in main.jobs() if job.name in accepted]
    return {path for path, same in known if same}, {path for path, same in known if not same}
