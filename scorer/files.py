"""Files at the edge: digests, and writes that are never seen half done."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from scorer.errors import DataError

HOME = ".whyboard"
COMMIT_FILE = "COMMIT"
"""Names the commit of an unpacked archive, which has no ``.git``."""


def home_folder() -> Path:
    """Where fetched data lie unless told otherwise: $WHYBOARD_HOME, else ``.whyboard`` here."""
    return Path(os.environ.get("WHYBOARD_HOME", HOME))


def sha256(content: bytes) -> str:
    """The SHA-256 digest as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_file(path: Path) -> str:
    """The SHA-256 digest of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_atomically(path: Path, content: bytes) -> None:
    """Write to a temporary file beside ``path``, flush it to disk, then rename it into place.

    Raises DataError if the machine does not let us.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content)
    except OSError as fault:
        said = f"{path}: cannot be written ({fault.strerror or fault})"
        raise DataError(f"{said}; make room or choose another folder") from fault


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def json_bytes(document: Any) -> bytes:
    """JSON as we store it: sorted keys, two blanks, UTF-8, final newline, no NaN."""
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()
