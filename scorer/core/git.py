"""Every call of git in this program: a folder, fixed words, what came back."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ADDRESS = r"https?://[A-Za-z0-9.-]+(?::\d+)?/[A-Za-z0-9._~/-]+"
"""What a browser opens of a repository."""
_HTTP = re.compile(r"(https?://)(?:[^/@]*@)?(.+)")
_SSH = re.compile(r"(?:ssh://(?:[^/@:]+@)?|[^/@:]+@)([A-Za-z0-9.-]+)(?::\d+/|[:/])(.+)")


def command(folder: Path, words: Sequence[str], settings: Sequence[str] = ()) -> list[str]:
    """The words of a call in a folder; paths in it are paths, never patterns."""
    chosen = [word for setting in settings for word in ("-c", setting)]
    return ["git", "-C", str(folder), "--literal-pathspecs", "--no-replace-objects", *chosen,
            *words]


def run(
    folder: Path, *words: str, stdin: bytes = b"", settings: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, however it ends.

    ``settings``: configuration for this call, ``name=value``. ``environment``: all of it; None for
    that of this process, with the configuration of the machine and its user. Raises OSError if
    there is no git.
    """
    return subprocess.run(  # noqa: S603  # fixed words
        command(folder, words, settings), input=stdin, capture_output=True, check=False,
        env=environment)


def begin(
    folder: Path, *words: str, stdin: int, settings: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Begin git, to read its answer block by block. ``stdin``: an open file of what it is asked."""
    return subprocess.Popen(  # noqa: S603  # fixed words
        command(folder, words, settings), stdin=stdin, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment)


def web_address(remote: str) -> str:
    """What a browser opens of what git clones from; empty for a folder or anything odd.

    A name, a password or a token in it is left out.

    >>> web_address("git@github.com:o/r.git"), web_address("https://me:token@example.org/g/o/r/")
    ('https://github.com/o/r', 'https://example.org/g/o/r')
    >>> web_address("ssh://git@example.org:22/o/r"), web_address("/srv/r.git")
    ('https://example.org/o/r', '')
    """
    if web := _HTTP.fullmatch(remote):
        url = web[1] + web[2]
    elif ssh := _SSH.fullmatch(remote):
        url = f"https://{ssh[1]}/{ssh[2]}"
    else:
        return ""
    url = url.rstrip("/").removesuffix(".git")
    return url if re.fullmatch(ADDRESS, url) else ""
