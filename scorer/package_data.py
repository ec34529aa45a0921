"""Files that lie at the top of the repository and that the program needs wherever it is installed.

In a checkout they are taken from there; the wheel carries them in ``scorer/_repository``.
"""

from __future__ import annotations

from pathlib import Path

_CARRIED = Path(__file__).parent / "_repository"


def path(name: str) -> Path:
    """Where a file or folder of the repository lies: ``templates``, ``site``, ``CHANGELOG.md`` ...

    >>> path("templates").is_dir(), path("mkdocs.yml").is_file()
    (True, True)
    """
    return (_CARRIED if _CARRIED.is_dir() else Path(__file__).parent.parent) / name
