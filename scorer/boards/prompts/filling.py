"""Templates: text in which ``{name}`` stands for something, filled once and strictly.

A line that begins with ``[name] `` stands only where ``{name}`` is not empty, one that begins with
``[no_name] `` only where it is. Braces of their own are doubled, ``{{`` and ``}}``. What is
inserted is never looked at again, so a text that contains ``{name}`` or ``[name]`` stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from scorer.core.errors import excerpt

NO = "no_"
_NAME = r"[a-z][a-z0-9_]*"
_HOLE = re.compile(rf"\{{\{{|\}}\}}|\{{({_NAME})\}}|[{{}}]")
_CONDITION = re.compile(rf"\[({_NAME})\](?: |$)")


class Wrong(NamedTuple):
    """A fault of a template: the line, one-based, what was found and what was expected."""

    line: int
    found: str
    expected: str


def faults(template: str, known: Collection[str]) -> list[Wrong]:
    """What a template names that nobody fills, and braces that stand alone.

    >>> faults("{texts} {label", ["texts"])
    [Wrong(line=1, found="'{' that names nothing", expected='{name}, or {{ and }} for braces')]
    """
    found = []
    for number, line in enumerate(template.split("\n"), start=1):
        condition = _CONDITION.match(line)
        if condition is not None and condition[1] not in known and (
                condition[1].removeprefix(NO) not in known):
            found.append(Wrong(number, f"condition {excerpt(condition[0].strip())}",
                               _one_of(known)))
        for hole in _HOLE.finditer(line):
            if hole[1] is None and hole[0] in "{}":
                found.append(Wrong(number, f"{hole[0]!r} that names nothing",
                                   "{name}, or {{ and }} for braces"))
            elif hole[1] is not None and hole[1] not in known:
                found.append(Wrong(number, f"placeholder {excerpt(hole[0])}", _one_of(known)))
    return found


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
