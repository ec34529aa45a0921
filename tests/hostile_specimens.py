"""What strangers send, row by row of ``test_hostile_rows.ROWS``, for ``judging`` to judge.

Most of it stands in the tables of other test modules; what only their functions say is made here
once more, as whole files. Pull requests are judged in ``test_ci_validate``.
"""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import Main
from scorer.pipeline.ci.score import begin
from tests.ci_world import BOARD, GOLD, ROOT, World
from tests.test_ci_artifact import CASES as FORGED
from tests.test_ci_artifact import falsify
from tests.test_strict_yaml import DEEP, REFUSED
from tests.test_submission import META_FAULTS, replaced, with_line
from tests.test_tsv import CASES, HOSTILE, TAMPERED, TIRING


class Specimen(NamedTuple):
    """What one judge of ``judging`` is given, and whether it must find faults; None: either."""

    call: Sequence[Any]
    refused: bool | None


SOUND = GOLD.read_bytes()


def instead(text: str) -> bytes:
    """Good predictions but for the first row."""
    return text.encode() + b"\n" + SOUND.partition(b"\n")[2]


PREDICTIONS: dict[int, tuple[bytes, bool]] = {
    1: (SOUND, False),
    4: (SOUND.replace(b"\n", b"\r\n"), False),
    6: (b"\xef\xbb\xbf" + SOUND, False),
    11: (instead("support\t(a\u2028b\x0b; is a; c)"), True),
    12: (instead("support\t(a\u202eb; is a; c)"), True),
    13: (instead("support\t(a\u200bb\U000e0041; is a; c)"), True),
    14: (instead("\uff53upport\t(a; is a; b)"), True),
    20: (b"\n".join(SOUND.splitlines()[::-1]), False),
    27: (instead("support\t(a; not  desires; b)(b; IS A; c)(c; causez; d)"), False),
    29: (instead(f"support\t({' ' * 9}; is a; {'w ' * 40})(...; is a; a|b;c)"), False),
    35: (instead("support\t(EOF; ghadelimiter_0; key=value)"), False),
    54: (b"\n".join([*SOUND.splitlines()[1:], SOUND.splitlines()[0]]), False),
}
"""Predictions of rows that no table has: the bytes, and whether they must be refused."""


def _predictions(row: int, places: Sequence[str]) -> Iterator[tuple[bytes, int | None, bool]]:
    """Files of predictions: the bytes, how many rows there must be, whether refused."""
    if row in PREDICTIONS:
        content, refused = PREDICTIONS[row]
        yield content, 40, refused
    for place in places:
        if "::" not in place and not place.startswith("pulls/"):
            yield (CASES / place / "predictions.tsv").read_bytes(), 8, "rejected" in place
    if row == 57:
        yield b"x\ty\n" * 65_536, None, True
    mark = f"row {row}:"
    yield from ((content, 1, True) for name, (content, _) in TAMPERED.items() if mark in name)
    yield from ((make(), 40, True) for name, (make, _) in HOSTILE.items() if mark in name)
    for name, graph in TIRING.items():
        if mark in name:
            yield (b"support\t" + graph + b"\n") * 16, 16, False


def _metadata(row: int) -> Iterator[tuple[str | bytes, bool | None]]:
    """Descriptions of a system, and whether they must be refused."""
    yield from ((text, True) for name, (text, _) in META_FAULTS.items() if f"row {row}:" in name)
    if row == 45:
        yield from ((text, True) for text, _ in REFUSED.values())
        yield from ((text, True) for text in DEEP.values())
    elif row == 46:
        yield with_line("links: [{title: x, url: 'file:///etc/passwd'}]"), True
        yield with_line("authors: [" + ", ".join(f"a{at}" for at in range(9_000)) + "]"), True
    elif row == 75:
        for letter in "\u2800\U0001bca0\U0001d159\u3164\u034f":
            yield replaced("team", f'"a{letter}b"'), True
            yield replaced("team", f'"{letter}"'), True


class Sender:
    """Writes specimens below a folder, some of them for a repository of our own."""

    def __init__(self, folder: Path, seed: Path) -> None:
        self.folder, self.world = folder, World.of(seed, folder)

    def specimens(self, row: int, places: Sequence[str]) -> Iterator[Specimen]:
        """Everything that a row of the list sends. ``places``: where the list says it is tested."""
        for content, rows, refused in _predictions(row, places):
            yield Specimen(["check", self._file(content), rows], refused)
        for text, wrong in _metadata(row):
            content = text if isinstance(text, bytes) else text.encode()
            yield Specimen(["meta", self._file(content)], wrong)
        if row == 52:
            yield Specimen(["stale", "mallory", "a-system"], False)
        elif row in (59, 60):
            yield from self._handed(row)

    def _handed(self, row: int) -> Iterator[Specimen]:
        """Falsified outcomes of a committed submission, or that of a run which was killed."""
        main = Main.read(Repository(self.world.origin), self.world.tip, ROOT / "boards")
        job = next(job for job in main.jobs
                   if job.board == BOARD and (ROOT / job.items_path).is_file())
        forged = [case for case in FORGED.values() if "items" not in case]  # those of other items
        for number, case in enumerate(forged if row == 59 else [{}]):
            folder = self.folder / f"handed-{row}-{number}"
            folder.mkdir()
            if row == 60:
                begin(folder, job)
            else:
                shutil.copy(ROOT / job.result_path, folder / f"{job.key}.json")
                shutil.copy(ROOT / job.items_path, folder / f"{job.key}.items.tsv")
                falsify(case, folder, job)
            yield Specimen(["result", str(folder), asdict(job), str(self.world.origin),
                            self.world.tip], row == 59)

    def _file(self, content: bytes) -> str:
        path = self.folder / hashlib.sha256(content).hexdigest()
        path.write_bytes(content)
        return str(path)
