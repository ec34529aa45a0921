"""What a prompt is: the fields of ``prompt.yaml``, and the templates beside it.

In a template ``{name}`` stands for something, filled once and strictly. A line that begins with
``[name] `` stands only where ``{name}`` is not empty, one that begins with ``[no_name] `` only
where it is. Braces of their own are doubled, ``{{`` and ``}}``. What is inserted is never looked at
again, so a text that contains ``{name}`` or ``[name]`` stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from scorer.core.errors import excerpt
from scorer.core.reading.values import Choice, Decimal, Integer, Slug, Text, YesNo

FILE_NAME = "prompt.yaml"
SYSTEM, USER, ANSWER = "system.txt", "user.txt", "answer.txt"
REQUIRED, OPTIONAL = (FILE_NAME, USER, ANSWER), (SYSTEM,)
"""The files of a prompt's folder; it has no others."""
FIXED, SIMILAR = "fixed", "similar"
CHOICES = (FIXED, SIMILAR)
"""How examples are chosen: the same for all items, or like each item."""
MOST_EXAMPLES = 64


class Message(NamedTuple):
    """One message of a chat."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: str


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How answers are best decoded."""

    temperature: Annotated[float, Decimal(2), "The suggested temperature."]
    max_tokens: Annotated[int, Integer(1, 100_000), "The most tokens that an answer may have; what "
                          "is longer is cut off."]


@dataclass(frozen=True, kw_only=True)
class Header:
    """The fields of ``prompt.yaml``."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    name: Annotated[Slug, "The prompt's name; equals the folder's."]
    version: Annotated[int, Integer(1, 10_000), "Raised whenever a file of the folder changes."]
    title: Annotated[str, Text(80), "What it asks for, in a few words."]
    answer: Annotated[str, Text(20, r"[a-z]+", "a form of answers"), "The form in which a model is "
                      "asked to answer, one that the task reads: `lines`, `whole` or `code`."]
    examples: Annotated[int, Integer(0, MOST_EXAMPLES), "How many examples are shown unless a run "
                        "says otherwise."]
    choice: Annotated[str, Choice(CHOICES), "How they are chosen: `fixed`, the same for all items; "
                      "`similar`, those most like the item."]
    decoding: Annotated[Decoding, "Suggested decoding."]
    default: Annotated[bool, YesNo(), "Whether it is the one where no prompt is named."] = False


@dataclass(frozen=True, kw_only=True)
class Prompt(Header):
    """A prompt as read: its header, its templates and what names it exactly."""

    digest: str
    """SHA-256 over the names and bytes of its files."""
    templates: Mapping[str, str]
    """``user.txt``, ``answer.txt`` and perhaps ``system.txt``."""
    origin: str
    """``scorer`` if it comes with the program, else the board whose host added it."""

    @property
    def reference(self) -> str:
        """Name, version and the beginning of the digest, as logs and pages show them."""
        return f"{self.name} v{self.version} (SHA-256 {self.digest[:12]})"


NO = "no_"
_NAME = r"[a-z][a-z0-9_]*"
_HOLE = re.compile(rf"\{{\{{|\}}\}}|\{{({_NAME})\}}|[{{}}]")
_CONDITION = re.compile(rf"\[({_NAME})\](?: |$)")


class Wrong(NamedTuple):
    """A fault of a template: the line, one-based, what was found and what was expected."""

    line: int
    found: str
    expected: str


def faults_of(template: str, known: Collection[str]) -> list[Wrong]:
    """What a template names that nobody fills, and braces that stand alone.

    >>> faults_of("{texts} {label", ["texts"])
    [Wrong(line=1, found="'{' that names nothing", expected='{name}, or {{ and }} for braces')]
    """
    faults = []
    for number, line in enumerate(template.split("\n"), start=1):
        condition = _CONDITION.match(line)
        if condition is not None and condition[1] not in known and (
                condition[1].removeprefix(NO) not in known):
            faults.append(Wrong(number, f"condition {excerpt(condition[0].strip())}",
                                _one_of(known)))
        for hole in _HOLE.finditer(line):
            if hole[1] is None and hole[0] in "{}":
                faults.append(Wrong(number, f"{hole[0]!r} that names nothing",
                                    "{name}, or {{ and }} for braces"))
            elif hole[1] is not None and hole[1] not in known:
                faults.append(Wrong(number, f"placeholder {excerpt(hole[0])}", _one_of(known)))
    return faults


def _one_of(known: Collection[str]) -> str:
    return "one of: " + ", ".join(f"{{{name}}}" for name in sorted(known))


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its values, without line ends at its end.

    >>> filled("[label] {label}?\\n[no_label] Why?\\n", {"label": "{colour}"})
    '{colour}?'
    """
    lines = (_line(line, values) for line in template.split("\n"))
    return "\n".join(line for line in lines if line is not None).rstrip("\n")


def _line(line: str, values: Mapping[str, str]) -> str | None:
    condition = _CONDITION.match(line)
    if condition is not None:
        name = condition[1]
        stands = bool(values[name]) if name in values else not values[name.removeprefix(NO)]
        if not stands:
            return None
        line = line[condition.end():]
    return _HOLE.sub(lambda hole: values[hole[1]] if hole[1] else hole[0][:1], line)
