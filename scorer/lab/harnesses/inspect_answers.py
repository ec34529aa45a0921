"""What a log of inspect_ai says of a task of ours: the model's answers, read within bounds.

inspect_ai is not needed. A log is a stranger's file: its faults have positions. Scores in it
are not read, for answers are read and scored again by us.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core.errors import UsageError, counted, excerpt
from scorer.lab.logs import reading
from scorer.lab.logs.inspect_logs import NAME, SUFFIXES, samples_of, spec_of
from scorer.lab.logs.reading import Budget, LogFault, LogFaults, Shape, clean, object_of

LONGEST_ERROR = 80
"""Characters of an error's name."""
LARGEST_ANSWER = 2**20
"""Characters of an answer; what is longer is cut there."""
MOST_TEXT = 32 * 2**20
"""Characters of all answers of a log."""
CUT = ("max_tokens", "model_length")
"""Why a model stopped, if its answer is cut off."""

_SAMPLE: Mapping[str, Shape] = {
    "id": {}, "epoch": {}, "limit": {"type": {}}, "error": {"message": {}}, "model_usage": True,
    "output": {"completion": {}, "choices": {"*": {"stop_reason": {}}}}}
_ERROR = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]*(?:Error|Exception|Timeout|Refusal|NoAnswer)\b")


class ModelAnswer(NamedTuple):
    """What a model said to one item in one epoch."""

    text: str | None
    """None if it never answered."""
    cut: bool
    """Whether its provider says that the answer was cut off."""
    refused: bool
    """Whether its provider says that it refused."""
    error: str
    """Why there is no answer, in a word; empty if there is one."""
    tokens: tuple[int, int]
    """Read and written."""


@dataclass(frozen=True)
class AnswerLog:
    """A log of one run of a task of ours."""

    path: str
    about: Mapping[str, Any]
    """What our task wrote down of the board and the prompt."""
    spec: Mapping[str, Any]
    """The log's own account of the run."""
    plan: Mapping[str, Any]
    samples: Mapping[tuple[int, int], ModelAnswer]
    """By item and epoch."""

    @property
    def epochs(self) -> tuple[int, ...]:
        """Those that some item has."""
        return tuple(sorted({epoch for _, epoch in self.samples}))

    @property
    def created(self) -> str:
        """When the run began, in ISO 8601; empty where the log does not say."""
        return text_of(self.spec, "created")


def find(path: Path) -> list[Path]:
    """The logs that a path names: itself, or those of a folder."""
    if not path.is_dir():
        return [path]
    logs = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file())
    if not logs:
        raise UsageError(f"{path}: no log (.eval or .json) in this folder; name the folder that "
                         "`inspect eval` wrote with --log-dir")
    return logs


def read(path: Path, budget: Budget) -> AnswerLog:
    """A log.

    Raises LogFault for a log of something else, and where there are too many samples or too much
    text, else UsageError with every fault.
    """
    head: dict[str, Any] = {}
    answers: dict[tuple[int, int], ModelAnswer] = {}
    faults, letters = LogFaults(), 0
    for where, sample in samples_of(path, head, _SAMPLE, faults, budget=budget):
        if "eval" in head:
            about_of(path, head)
        number, epoch = _whole(sample.get("id")), _whole(sample.get("epoch", 1))
        if number is None or epoch is None:
            faults.add(where, "a sample whose id or epoch is no number above 0",
                       "ids are the numbers of the items, as our tasks write them")
        elif (number, epoch) in answers:
            faults.add(where, f"item {number} of epoch {epoch} for the second time",
                       "name the log of one run")
        else:
            answer = answers[number, epoch] = _answer(sample)
            letters += len(answer.text or "")
            if len(answers) > reading.MOST_SAMPLES or letters > MOST_TEXT:
                raise LogFault(where, f"more than {reading.MOST_SAMPLES:,} samples, or "
                               f"{MOST_TEXT >> 20} million characters of answers", "split the log")
    about = about_of(path, head)
    faults.raise_if_any()
    return AnswerLog(clean(str(path)), about, head["eval"], object_of(head.get("plan")), answers)


def about_of(path: Path, head: Mapping[str, Any]) -> Mapping[str, Any]:
    """What our task wrote down. Raises LogFault for a log of something else."""
    spec = spec_of(path, head)
    about = object_of(object_of(spec.get("metadata")).get(NAME))
    if not about:
        raise LogFault(str(path), f"task {excerpt(text_of(spec, 'task'))} is not one of this "
                       "program", "run: inspect eval scorer/<board> --model ...")
    return about


def _answer(sample: Mapping[str, Any]) -> ModelAnswer:
    output = object_of(sample.get("output"))
    choices = output.get("choices")
    choice = object_of(choices[0]) if isinstance(choices, list) and choices else None
    tokens = _tokens(sample.get("model_usage"))
    if choice is None:
        return ModelAnswer(None, False, False, _why(sample), tokens)
    stop = choice.get("stop_reason")
    refused = stop == "content_filter"
    text = text_of(output, "completion", LARGEST_ANSWER + 1)
    return ModelAnswer(text[:LARGEST_ANSWER], stop in CUT or len(text) > LARGEST_ANSWER, refused,
                       "", tokens)


def _why(sample: Mapping[str, Any]) -> str:
    """Why an item has no answer: the name of the error, or the limit that was passed."""
    limit = object_of(sample.get("limit")).get("type")
    if isinstance(limit, str) and limit:
        return f"limit {excerpt(limit, 20)[1:-1]}"
    message = text_of(object_of(sample.get("error")), "message")
    named = _ERROR.findall(message[:2000].replace("\\n", " "))
    return str(named[-1])[:LONGEST_ERROR] if named else "error" if message else "no output"


def _tokens(usage: Any) -> tuple[int, int]:
    """Tokens read and written, over all models that a sample asked."""
    each = [object_of(value) for value in object_of(usage).values()]
    read = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    return (sum(_whole(counts.get(name)) or 0 for counts in each for name in read),
            sum(_whole(counts.get("output_tokens")) or 0 for counts in each))


def _whole(value: Any) -> int | None:
    """A number of items, epochs or tokens; None for what is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value < 10**12 else None


def text_of(record: Mapping[str, Any], key: str, longest: int = 5000) -> str:
    """A text of a log, cut; empty for what is none."""
    held = record.get(key)
    return held[:longest] if isinstance(held, str) else ""


def listed(numbers: list[int]) -> str:
    """Numbers as people write them: runs as ``from-to``, the first ten of them.

    >>> listed([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in runs[:10]]
    more = sum(b - a + 1 for a, b in runs[10:])
    return ", ".join(shown) + (f" and {counted(more, 'item')} more" if more else "")
