"""Files with a line for each reference of a context, where one for each context is expected."""

from __future__ import annotations

from scorer.errors import counted
from scorer.reading.tsv import File, ReadTable, read_lines

MOST = 100
"""Lines a context. A file with more is not looked at."""


def told(file: File, rows: int) -> ReadTable | None:
    """The refusal of a file with far more lines than contexts; None for other files.

    Without the lines that repeat the one before, a file with a line for each reference has about
    one for each context. Files with ids before the texts are others, and so are those with far more
    lines only because many are empty.
    """
    count = file.content.removesuffix(b"\n").count(b"\n") + 1
    if not 1.5 * rows <= count <= MOST * rows or b"\t" in file.content.partition(b"\n")[0]:
        return None
    found = read_lines(file)
    if len(found.lines) - found.lines.count(b"") < 1.5 * rows:
        return None
    runs = 1 + sum(one != before for before, one in zip(found.lines, found.lines[1:], strict=False))
    about = 10 * abs(runs - rows) <= rows
    fault, hint = ("TSV-ROWS references", "references") if about else ("TSV-ROWS", "perhaps")
    found.problems.say(rows + 1, 1, fault, hint, count=counted(count, "line"), rows=rows,
                       repeats=count - runs)
    return ReadTable((), (), found.problems)
