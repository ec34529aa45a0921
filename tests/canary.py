"""A board with hidden gold of which every row holds a word that stands nowhere else.

Whatever is written while the gold is used can then be searched for those words, for the key of the
envelope and for the identity.
"""

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer import boards
from scorer.boards import Board
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.hidden import sealed
from scorer.pipeline.hidden.scoring import HiddenJob
from scorer.pipeline.hidden.sealed import Envelope
from scorer.tasks.graphs.task import ExplanationGraphs

ROWS = 40
ALL_METRICS = tuple(use.metric for use in ExplanationGraphs.metrics
                    if METRICS[use.metric].function is not None)
PRACTICE = boards.boards_folder() / "explagraphs-practice"
MARK = "kanari"
"""How every canary begins."""
WORDS = tuple(MARK + hashlib.sha256(f"canary {row}".encode()).hexdigest()[:12]
              for row in range(ROWS))
"""The canary of each row."""


@dataclass(frozen=True)
class Canary:
    """The board, its gold and submissions, all below one folder."""

    root: Path
    board: Board
    gold: Envelope
    jobs: tuple[HiddenJob, ...]

    @property
    def home(self) -> Path:
        """Where nothing fetched lies."""
        return self.root / "home"

    def shows(self, text: str, *secrets: str) -> list[str]:
        """The canaries and other secrets that stand in a text."""
        return [word for word in (*WORDS, self.gold.key.hex(), *secrets) if word in text]

    def leaks(self, *secrets: str, below: Path | None = None) -> list[str]:
        """The files below the root, or another folder, in which anything secret stands."""
        wanted = [self.gold.key, *(word.encode() for word in (self.gold.key.hex(), *secrets))]
        return [str(path) for path in (below or self.root).rglob("*")
                if path.is_file() and _holds(path.read_bytes(), wanted)]


def _holds(content: bytes, secrets: Sequence[bytes]) -> bool:
    """Whether a canary, in letters of any case, or another secret stands in a file."""
    lower = content.lower()
    return any(secret in content or secret in lower for secret in secrets) or (
        MARK.encode() in lower and any(word.encode() in lower for word in WORDS))


def make(root: Path, submissions: int = 3) -> Canary:
    """Write the board ``canary`` and some submissions."""
    folder = root / "boards" / "canary"
    shutil.copytree(PRACTICE, folder)
    text = (folder / boards.FILE_NAME).read_text("utf-8").replace(
        "id: explagraphs-practice", "id: canary")
    start, end = text.index("metrics:\n"), text.index("ranking:")
    text = text[:start] + f"metrics: {json.dumps(ALL_METRICS)}\n" + text[end:].replace(
        "ranking: [StCA]", "ranking: [SA]", 1)
    public = [row.split("\t") for row in
              (folder / "data" / "dev.tsv").read_text("utf-8").split("\n") if row]
    inputs = "".join("\t".join(row[:2]) + "\n" for row in public)
    (folder / "data" / "dev.tsv").write_text(inputs, "utf-8")
    golds = "".join("\t".join([*row[:3], f"({word}; causes; {word}b)(x; causes; {word})"]) + "\n"
                    for word, row in zip(WORDS, public, strict=True))
    gold = sealed.new("canary", "dev", golds.encode())
    line = next(line for line in text.split("\n") if line.startswith("  dev: "))
    (folder / boards.FILE_NAME).write_text(text.replace(
        line, f"  dev: {{file: dev.tsv, rows: {ROWS}, gold: hidden, gold_hmac: {gold.hmac}}}"))
    jobs = tuple(_submit(root, public, at) for at in range(submissions))
    return Canary(root, boards.load(folder), gold, jobs)


def _submit(root: Path, public: Sequence[Sequence[str]], at: int) -> HiddenJob:
    """A submission with the right labels but for ``5 * at`` rows, and the public graphs."""
    other = {"support": "counter", "counter": "support"}
    lines = [f"{other[row[2]] if number < 5 * at else row[2]}\t{row[3]}\n"
             for number, row in enumerate(public)]
    folder = root / "submissions" / "canary" / "team" / f"system-{at}"
    folder.mkdir(parents=True)
    path = folder / "predictions.dev.tsv"
    path.write_text("".join(lines), "utf-8")
    shutil.copy(boards.boards_folder().parent / "submissions" / "explagraphs-practice"
                / "reference" / "edited-gold" / "submission.yaml", folder)
    return HiddenJob("team", f"system-{at}", str(path), "2026-11-20")
