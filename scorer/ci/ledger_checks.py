"""Whether the ledger is what it must be, and what the board was at any commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from scorer.ci import altered
from scorer.ci.git import Repository
from scorer.ci.ledger import SCORED, TOP
from scorer.ci.results_guard import rewritten
from scorer.ci.scope import Place
from scorer.ci.state import RESULTS, Main, result_documents


def findings(main: Main) -> Iterator[str]:
    """Everything that does not fit, one line each: git is the chain, so all of it is looked at."""
    yield from _repeated(main)
    yield from _history(main.repository, main.commit)
    yield from _results(main)
    yield from altered.findings(main)


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
            last[_path(line)] = line["result"]
    documents = result_documents(main)
    for path, key in sorted(last.items()):
        found = documents.get(path)
        if not isinstance(found, dict) or found.get("key") != key:
            yield f"{path}: not the result that the ledger says was published"


def _path(line: Any) -> str:
    return f"{RESULTS}/{line['board']}/{line['team']}/{line['system']}/{line['split']}.json"


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
                "withdrawn": withdrawn.get(Place(*path.split("/")[1:4])),
                "values": {name: value["value"] for name, value in document["metrics"].items()},
            })
    return rows
