"""A board with hidden gold of which every row holds a word that stands nowhere else.

Whatever is written while the gold is used can then be searched for those words, for the key of the
envelope and for the identity. The works below are confined processes that fail in various ways.
"""

import hashlib
import json
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer import boards
from scorer.boards import Board
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.pipeline.hidden import sealed
from scorer.pipeline.hidden.scoring import HiddenJob, HiddenScoring
from scorer.pipeline.hidden.sealed import Envelope
from scorer.tasks.graphs.task import ExplanationGraphs
from tests.fakes import LetterEncoder, WordJudge

ROWS = 40
ALL_METRICS = tuple(use.metric for use in ExplanationGraphs.metrics
                    if METRICS[use.metric].function is not None)
PRACTICE = boards.boards_folder() / "explagraphs-practice"
MARK = "kanari"
"""How every canary begins."""


@dataclass(frozen=True)
class Canary:
    """The board, its gold and submissions, all below one folder."""

    root: Path
    board: Board
    gold: Envelope
    words: tuple[str, ...]
    jobs: tuple[HiddenJob, ...]

    @property
    def home(self) -> Path:
        """Where nothing fetched lies."""
        return self.root / "home"

    def leaks(self, *secrets: str, below: Sequence[Path] = ()) -> list[str]:
        """The files below the root, or other folders, in which anything secret stands."""
        wanted = [self.gold.key, *(word.encode() for word in (self.gold.key.hex(), *secrets))]
        return [str(path) for folder in (below or (self.root,)) for path in folder.rglob("*")
                if path.is_file() and self._shows(path.read_bytes(), wanted)]

    def _shows(self, content: bytes, secrets: Sequence[bytes]) -> bool:
        """Whether a canary, in letters of any case, or another secret stands in a file."""
        lower = content.lower()
        return any(secret in content or secret in lower for secret in secrets) or (
            MARK.encode() in lower and any(word.encode() in lower for word in self.words))


def word(row: int) -> str:
    """The canary of a row."""
    return MARK + hashlib.sha256(f"canary {row}".encode()).hexdigest()[:12]


def make(root: Path, submissions: int = 3) -> Canary:
    """Write the board ``canary`` and some submissions."""
    folder = root / "boards" / "canary"
    shutil.copytree(PRACTICE, folder)
    text = (folder / boards.FILE_NAME).read_text("utf-8").replace(
        "id: explagraphs-practice", "id: canary")
    start, end = text.index("metrics:\n"), text.index("ranking:")
    text = text[:start] + f"metrics: {json.dumps(ALL_METRICS)}\n" + text[end:].replace(
        "ranking: [StCA]", "ranking: [SA]", 1)
    line = next(line for line in text.split("\n") if line.startswith("  dev: "))
    text = text.replace(line, f"  dev: {{file: dev.tsv, rows: {ROWS}, gold: hidden}}")
    public = [row.split("\t") for row in
              (folder / "data" / "dev.tsv").read_text("utf-8").split("\n") if row]
    inputs = "".join("\t".join(row[:2]) + "\n" for row in public)
    (folder / "data" / "dev.tsv").write_text(inputs, "utf-8")
    golds = ["\t".join([*row[:3], f"({word(at)}; causes; {word(at)}b)(x; causes; {word(at)})"])
             for at, row in enumerate(public)]
    gold = sealed.new("canary", "dev", ("\n".join(golds) + "\n").encode())
    text = text.replace("gold: hidden}", f"gold: hidden, gold_hmac: {gold.hmac}}}")
    (folder / boards.FILE_NAME).write_text(text, "utf-8")
    jobs = tuple(_submit(root, public, at) for at in range(submissions))
    words = tuple(word(at) for at in range(ROWS))
    return Canary(root, boards.load(folder), gold, words, jobs)


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


@dataclass(frozen=True)
class WithFakes(HiddenScoring):
    """Scores with stand-ins for every model."""

    def __call__(self) -> Callable[[HiddenJob], bytes]:
        _fake_models()
        return super().__call__()


@dataclass(frozen=True)
class Failing(WithFakes):
    """The process says all it knows; then it never comes back for one system, and aborts for
    another, as C code does."""

    def answer(self, *asked: Any) -> bytes:
        shout(repr(self.gold.rows))
        if asked[-1].system == "system-1":
            time.sleep(600)
        if asked[-1].system == "system-2":
            os.abort()
        return super().answer(*asked)


def shout(text: str) -> None:
    """Say something in every way a library might."""
    print(text, flush=True)
    print(text, file=sys.stderr, flush=True)
    os.write(1, text.encode())
    os.write(2, text.encode())
    warnings.warn(text, stacklevel=2)


def _fake_models() -> None:
    def load(self: Models, name: str) -> object:
        return WordJudge(("counter", "support")) if name in ("seca", "ea") else LetterEncoder()

    Models.__call__ = load  # type: ignore[method-assign]
    Models.tag = lambda self, name: f"{name}-fake"  # type: ignore[method-assign]
