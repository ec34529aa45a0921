"""Every call of git in this program: a folder, fixed words, what came back."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def command(folder: Path, words: Sequence[str], settings: Sequence[str] = ()) -> list[str]:
    """The words of a call in a folder; paths in it are paths, never patterns."""
    chosen = [word for setting in settings for word in ("-c", setting)]
    return ["git", "-C", str(folder), "--literal-pathspecs", "--no-replace-objects", *chosen,
            *words]


def run(
    folder: Path, *words: str, given: bytes = b"", settings: Sequence[str] = (),
    environment: Mapping[str, str] | None = None, seconds: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, however it ends.

    ``settings``: configuration for this call, ``name=value``. ``environment``: all of it; None for
    that of this process, with the configuration of the machine and its user. Raises OSError if
    there is no git, subprocess.TimeoutExpired if it takes longer than ``seconds``.
    """
    return subprocess.run(  # noqa: S603  # fixed words
        command(folder, words, settings), input=given, capture_output=True, check=False,
        timeout=seconds, env=environment)


def begin(
    folder: Path, *words: str, given: int, settings: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Begin git, to read its answer block by block. ``given``: an open file of what it is asked."""
    return subprocess.Popen(  # noqa: S603  # fixed words
        command(folder, words, settings), stdin=given, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment)
