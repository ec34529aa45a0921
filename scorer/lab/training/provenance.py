"""What a run is made of and on, as its record says: settings, libraries, machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from scorer.core.errors import NotMeasured, UsageError

MADE_WITH = ("torch", "transformers", "peft", "safetensors", "tokenizers")
MOST = 5
"""Differences that are named."""


def machine() -> str:
    """The machine's kind in words, such as ``2 CPU cores, x86_64``: no name, no path."""
    import torch

    if torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    return processor()


def processor() -> str:
    """The same where no accelerator is used."""
    return f"{len(os.sched_getaffinity(0))} CPU cores, {platform.machine()}"


def versions(names: Sequence[str] = MADE_WITH) -> dict[str, str]:
    """The libraries' versions. Raises NotMeasured for one that is missing."""
    numbers = {"python": platform.python_version()}
    for name in names:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError as missing:
            raise NotMeasured(f"training needs {name}: pip install 'whyboard[models]'") from missing
    return numbers


def check_same(folder: Path, what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UsageError, naming the differences, unless what lies in a folder is of the same."""
    changes = differences(then, now)
    if changes:
        raise UsageError(f"{folder}: {what} lies there, with {'; '.join(changes[:MOST])}; choose "
                         "another folder with --out, or remove that one")


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What has another value, at any depth.

    >>> differences({"seed": 5, "settings": {"epochs": 4, "rank": 8}},
    ...             {"seed": 6, "settings": {"epochs": 2, "rank": 8}, "base": "0" * 64})
    ['base none, now 000000000000...', 'seed 5, now 6', 'epochs 4, now 2']
    """
    changes = []
    for name in sorted({*then, *now}):
        before, other = then.get(name), now.get(name)
        if isinstance(before, Mapping) and isinstance(other, Mapping):
            changes += differences(before, other)
        elif before != other:
            changes.append(f"{name} {_shown(before)}, now {_shown(other)}")
    return changes


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = str(value)
    is_digest = len(text) == 64 and not {*text} - {*"0123456789abcdef"}
    return f"{text[:12]}..." if is_digest else text[:100]
