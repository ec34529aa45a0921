"""How long it takes to plan on a main branch of a thousand teams: all that ``scorer ci plan`` does.

Each team came by a commit of its own, with a description and predictions for dev and test; nine in
ten are scored already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorer.core import git
from scorer.core.files import json_bytes, sha256

TEAMS = 1000
RUNS = 3
BOARD = "explagraphs-practice"
SENT = Path("submissions", BOARD, "reference", "edited-gold")
RESULTS = Path("results", BOARD, "reference", "edited-gold")


def run(teams: int = TEAMS) -> list[dict[str, Any]]:
    """Rows (name, ours, theirs, ratio, unit, note)."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git.run(root, "init", "--quiet", "--initial-branch=main")
        git.run(root, "fast-import", "--quiet", stdin=b"".join(_commits(teams)))
        (root / "boards").symlink_to(Path("boards").resolve())
        seconds = min(_planned(root) for _ in range(RUNS))
    note = f"{teams} teams, {3 * teams} files, one in ten unscored; the least of {RUNS} runs"
    return [{"name": "plan", "ours": seconds, "theirs": None, "ratio": None, "unit": "s",
             "note": note}]


def _commits(teams: int) -> Iterator[bytes]:
    """The branch, as ``git fast-import`` reads it."""
    for number in range(teams):
        yield (f"commit refs/heads/main\ncommitter a <a@example.org> {1_700_000_000 + number} +0000"
               "\ndata 1\n.\n").encode()
        for path, content in _files(number):
            yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"


def _files(number: int) -> Iterator[tuple[str, bytes]]:
    """What one team's commit brings, and its results if it is scored."""
    name = f"{BOARD}/team-{number}/a-system"
    yield f"submissions/{name}/submission.yaml", (SENT / "submission.yaml").read_bytes()
    for split in ("dev", "test"):
        rows = (SENT / f"predictions.{split}.tsv").read_bytes()
        rows = rows.replace(b"(", f"({number} ".encode(), 1)
        yield f"submissions/{name}/predictions.{split}.tsv", rows
        if number % 10:
            result = json.loads((RESULTS / f"{split}.json").read_bytes())
            result["predictions"]["sha256"] = sha256(rows)
            yield f"results/{name}/{split}.json", json_bytes(result)
            yield f"results/{name}/{split}.items.tsv", (RESULTS / f"{split}.items.tsv").read_bytes()


def _planned(root: Path) -> float:
    """Seconds of one plan."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "scorer", "ci", "plan", "--root", root], check=True,
                   capture_output=True, env={**os.environ, "PYTHONPATH": str(Path().resolve())})
    return time.perf_counter() - begun
