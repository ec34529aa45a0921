"""Random input for property tests, the same on every run, and how a message must look.

``thorough`` sets how many examples a property sees. Nothing is stored and no example has a time
limit of its own, so a property neither remembers another machine's failure nor fails on a slow one.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from scorer.boards import Board
from scorer.core.errors import Problem
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import File
from scorer.core.records import Edge
from scorer.scoring.checking import CheckReport, check_file

RUNNER_COMMAND = re.compile(r"^\s*::|##\[")
"""What a workflow runner obeys: ``::`` at the start of a line, ``##[`` anywhere."""


def thorough(examples: int) -> Callable[[Any], Any]:
    """Run a property on this many examples, chosen alike every time; on the share of them that a
    quick profile has of the 100 that are usual."""
    share = settings.default.max_examples / 100
    return settings(max_examples=int(examples * share), derandomize=True, deadline=None,
                    database=None, suppress_health_check=list(HealthCheck))


SHARDS = (
    b"\t", b"\n", b"\r\n", b"\r", b"support", b"counter", b"Support", b"stance", b"graph", b"(",
    b")", b")(", b"; ", b";", b"(a; is a; b)", b" ", b"", b"\0", b"\x1b[31m", b"\x85", b"\xff",
    b"\xe9", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8",
    b"\xe2\x80\xae", b"\xe2\x80\x8b", b"\xf0\x9f\x98\x80", b"\xcc\x81", b"::error::x", b"##[error]",
    b'"', b"'", b"\\", b"\\t", b"#", b"NA", b"=1+1", b"${{ x }}", b"\x1a",
)
"""Pieces of which hostile files are made."""

hostile_bytes = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(SHARDS), max_size=40).map(b"".join),
)

field_texts = st.text(st.characters(codec="utf-8", exclude_characters="\t"), max_size=20).filter(
    lambda text: unwelcome_character(text) is None)
"""Text that may stand in a field."""


_CONCEPTS = st.sampled_from(["a", "b", "c", "d", "e", "f"])

edges = st.lists(
    st.builds(Edge, _CONCEPTS, st.sampled_from(["is a", "causes"]), _CONCEPTS), max_size=10
)
"""Edges over few concepts, so that cycles, repeats and several parts are common."""

graph_strings = st.lists(
    st.sampled_from(["(", ")", ")(", "; ", ";", " ", "a", "b c", "is a", "causes", "\u0130", "",
                     "(a; is a; b)", "(b; causes; c)", "(a;  is a; b )"]),
    max_size=14,
).map("".join)
"""Strings that are nearly graphs."""


def assert_fit_for_a_log(message: str) -> None:
    """A message is printable ASCII on lines of which none commands a workflow runner."""
    for line in message.split("\n"):
        assert line.isascii(), line
        assert line.isprintable(), ascii(line)
        assert not RUNNER_COMMAND.search(line), line


def assert_inside(problem: Problem, content: bytes) -> None:
    """The place that a problem names is one of the file's, or the one after a line's last."""
    lines = content.split(b"\n")
    assert 1 <= problem.line <= len(lines), problem
    width = len(lines[problem.line - 1].decode(errors="replace"))
    assert 1 <= problem.column <= width + 1, problem
    place = f"{problem.path}:{problem.line}:{problem.column} {problem.rule} "
    assert str(problem).startswith(place)


def judged(board: Board, content: bytes, *, rows: int | None = None,
           texts: Sequence[Sequence[str]] | None = None) -> CheckReport:
    """The report on some bytes as ``scorer check`` would give it on a file predictions.tsv."""
    return check_file(board, File(content, "predictions.tsv"), rows=rows, texts=texts)


def told(report: CheckReport) -> str:
    """Everything ``scorer check`` says about predictions, notes first."""
    return "\n".join([*(f"note: {note}" for note in report.notes), str(report)]) + "\n"
