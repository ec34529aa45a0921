"""Which answers to a closed batch count: ``batches/<batch>.closed.json``.

A batch is open until that file lies beside it; its own bytes stay as they are, for answers name
their digest. Closing names each sound file of answers by its digest, in the order in which the
files count. What is merged later, or changed since, lies in the repository and counts nowhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from scorer.core import git
from scorer.core.errors import Problem
from scorer.core.reading import strict_json
from scorer.core.reading.schema import of_node
from scorer.people.forms import BATCHES
from scorer.people.records import Annotation, Closing, CountedFile

SUFFIX = ".closed.json"


def path_of(annotations: Path, batch: str) -> Path:
    """Where it lies."""
    return annotations / BATCHES / f"{batch}{SUFFIX}"


def read(path: Path, batch: str, sha256: str, shown: str) -> tuple[Closing | None, list[Problem]]:
    """What closed a batch of some digest; None, and no problem, while it is open.

    ``shown``: the path in messages.
    """
    if not path.is_file():
        return None, []
    root, problems = strict_json.read(path.read_bytes(), shown)
    if root is None:
        return None, problems
    found, problems = of_node(Closing, root, shown)
    if found is None:
        return None, problems
    if (found.batch, found.batch_sha256) != (batch, sha256):
        return None, [Problem(shown, 1, 1, "META-VALUE",
                              "the closing of another batch, or of other bytes",
                              f"batch {batch} with SHA-256 {sha256[:12]}...",
                              "bring back the batch as it was answered")]
    return found, []


def content(batch: str, sha256: str, answers: Iterable[CountedFile]) -> bytes:
    """The file's bytes."""
    document = Closing("annotation-closing/1", batch, sha256, tuple(answers))
    return (json.dumps(asdict(document), indent=1) + "\n").encode()


def in_order(annotations: Sequence[Annotation], merged: Mapping[str, int]) -> list[Annotation]:
    """Answers in the order in which they count: merged first, first.

    ``merged``: of :func:`merge_order`. The time in a file is its author's word, so it decides only
    between files that were merged together, or are not committed.
    """
    return sorted(annotations, key=lambda one: (
        merged.get(one.annotator, len(merged)), one.exported, one.annotator))


def merge_order(folder: Path) -> dict[str, int]:
    """The position, by annotator, of the commit of the branch that last added each file of a
    folder; nothing without git or history."""
    try:
        ran = git.run(folder, "log", "--first-parent", "-m", "--reverse", "--no-renames",
                      "--diff-filter=A", "--name-only", "--format=%x01", "-z", "--", ".")
    except OSError:
        return {}
    found: dict[str, int] = {}
    for position, commit in enumerate(ran.stdout.split(b"\1")):
        for name in re.findall(rb"([a-z0-9-]+)\.tsv\0", commit):
            found[name.decode()] = position
    return found
