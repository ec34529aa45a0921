"""What a language model reads before it writes: Bhagavatula et al., ICLR 2020, appendix A.7."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.errors import UsageError
from scorer.core.files import sha256
from scorer.core.reading.tsv import open_file

RELATIONS = ("xIntent", "xNeed", "xAttr", "xEffect", "xWant", "xReact", "oReact", "oWant",
             "oEffect")
"""Of ATOMIC, in the order in which a file of inferences has them, for either observation."""
COUNT = 2 * len(RELATIONS)
OBSERVATIONS, TEXTS, VECTORS, FIXED = "observations", "comet-text", "comet-vectors", "fixed"
INPUTS = (OBSERVATIONS, TEXTS, VECTORS, FIXED)
"""By the names that ``--inputs`` takes."""
HYPOTHESIS = "<h>"
TAGS = ("<o1>", "</o1>", "<o2>", "</o2>", HYPOTHESIS)
LARGEST = 1024 * 1024 * 1024

Context = tuple[str, str]
Inferences = Mapping[Context, Any]
"""Of a context, ``COUNT`` phrases, or an array of shape (COUNT, width)."""


def tags(inputs: str) -> list[str]:
    """The tokens that a tokenizer has to learn."""
    if inputs == FIXED:
        return []
    own = [f"<{end}{name}-{place}>" for place in (1, 2) for name in RELATIONS for end in ("", "/")]
    return [*TAGS, *(own if inputs == TEXTS else [])]


def prompt(inputs: str, context: Context, inferences: Sequence[str] = ()) -> str:
    """What stands before the hypothesis.

    >>> prompt("observations", ("Ann left.", "Ann cried."))
    '<o1>Ann left.</o1><o2>Ann cried.</o2><h>'
    >>> prompt("fixed", ("Ann left.", "Ann cried."))
    'Ann left. Ann cried. Because,'
    """
    obs1, obs2 = context
    if inputs == FIXED:
        return f"{obs1} {obs2} Because,"
    story = "".join(
        f"<{name}>{text}</{name}>" for name, text in zip(
            [f"{one}-{place}" for place in (1, 2) for one in RELATIONS], inferences, strict=True)
    ) if inputs == TEXTS else ""
    return f"{story}<o1>{obs1}</o1><o2>{obs2}</o2>{HYPOTHESIS}"


def read(inputs: str, path: Path | None, contexts: Sequence[Context]) -> tuple[Inferences, str]:
    """The inferences of some contexts and the SHA-256 of their file; none if none are used.

    Raises UsageError if a file is missing, not wanted, or of another form or number of rows.
    """
    if inputs not in (TEXTS, VECTORS):
        if path is not None:
            raise UsageError(f"--inputs {inputs} reads no inferences; leave --inferences out")
        return {}, ""
    if path is None:
        raise UsageError(f"--inputs {inputs} needs --inferences FILE: for every context "
                         f"{COUNT} inferences, {', '.join(RELATIONS)} of the first observation, "
                         "then of the second")
    content = open_file(path, largest=LARGEST).content
    rows = _texts(path, content) if inputs == TEXTS else _vectors(path)
    if len(rows) != len(contexts):
        raise UsageError(f"{path}: {len(rows)} rows; expected {len(contexts)}, one for every "
                         "context in order")
    return dict(zip(contexts, rows, strict=True)), sha256(content)


def _texts(path: Path, content: bytes) -> list[list[str]]:
    rows = [line.split("\t") for line in content.decode("utf-8", "replace").splitlines()]
    for number, row in enumerate(rows, start=1):
        if len(row) != COUNT:
            raise UsageError(f"{path}:{number}: {len(row)} columns; expected {COUNT} phrases with "
                             "tabs between")
    return rows


def _vectors(path: Path) -> NDArray[np.float32]:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as fault:
        raise UsageError(f"{path}: no array that numpy saved (.npy)") from fault
    fits = isinstance(found, np.ndarray) and found.ndim == 3 and found.dtype.kind == "f"
    if not fits or found.shape[1] != COUNT or not found.shape[2]:
        raise UsageError(f"{path}: expected one array of floats (.npy) of shape (contexts, "
                         f"{COUNT}, width)")
    vectors: NDArray[np.float32] = found.astype(np.float32)
    return vectors
