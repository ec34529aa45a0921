"""What strangers send, row by row of ``test_hostile_rows.ROWS``, and what judges it.

Most of it stands in the tables of other test modules; what only their functions say is made here
once more, as whole files. Pull requests are judged in ``test_ci_validate``, artifacts in
``test_ci_artifact``.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from scorer import boards
from scorer.boards import submission
from scorer.boards.golds import input_texts
from scorer.core.errors import report
from scorer.core.reading import schema
from scorer.scoring.checking import check_file
from tests.case_files import read
from tests.ci_world import GOLD
from tests.test_strict_yaml import DEEP, REFUSED
from tests.test_submission import META_FAULTS, replaced, with_line
from tests.test_tsv import CASES, HOSTILE, TAMPERED, TIRING, practice


class Specimen(NamedTuple):
    """What judges something and counts its faults, and whether there must be some; None: either."""

    judge: Callable[[], int]
    refused: bool | None


def specimens(row: int, places: Sequence[str], path: Path) -> Iterator[Specimen]:
    """Everything that a row of the list sends, one after another written to ``path``. ``places``:
    where the list says it is tested."""
    for content, rows, refused in _predictions(row, places):
        path.write_bytes(content)
        yield Specimen(partial(_check, path, rows), refused)
    for text, wrong in _metadata(row):
        content = text if isinstance(text, bytes) else text.encode()
        yield Specimen(partial(_meta, content), wrong)


@cache
def _texts() -> tuple[tuple[str, ...], ...]:
    return input_texts(practice(), "dev", boards.boards_folder()) or ()


def _check(path: Path, rows: int | None) -> int:
    """Faults of predictions as ``scorer check`` judges and words them; texts where all fit."""
    fits = rows is not None and rows <= len(_texts())
    judged = check_file(practice(), path, texts=_texts()[:rows] if fits else None)
    assert str(judged)
    return judged.total


def _meta(content: bytes) -> int:
    """Faults of a submission.yaml."""
    _, problems = schema.load(submission.Meta, content, "m")
    assert report(problems, len(problems)) is not None
    return len(problems)


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


def _kibibytes(name: str) -> int:
    """The memory that this process has (``VmRSS``), or had at most (``VmHWM``)."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if name in line]
    return int(line.split()[1])


if __name__ == "__main__":  # judges all, in a process of its own
    before = _kibibytes("VmRSS")
    for number, where in read("hostile.yaml").items():
        for specimen in specimens(number, where, Path(sys.argv[1])):
            specimen.judge()
    print(_kibibytes("VmHWM") - before)
