"""Files at the edge: digests, and writes that are never seen half done.

What is not whole yet lies beside what it will become, under a name that no reader takes for a file
of ours: see PARTIAL. Who writes it holds a lock on it. The lock ends with its process, however that
ends, so one without was left behind. Where there are no locks, age tells.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scorer.core.errors import DataError

HOME = ".whyboard"
COMMIT_FILE = "COMMIT"
"""Names the commit of an unpacked archive, which has no ``.git``."""
HAS_LOCKS = find_spec("fcntl") is not None
"""Windows has none that end with a process."""
SUFFIX = ".partial"
PARTIAL = re.compile(rf"\..+\.[a-z0-9_]{{8}}{re.escape(SUFFIX)}")
"""How every file and folder is called that is not whole yet."""
LONGEST_WRITE = 60 * 60
"""Seconds after which it is abandoned where the file system has no locks."""


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


def write_atomically(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write to a temporary file beside ``path``, flush it to disk, then rename it into place.

    ``content``: all of it, or its pieces, each written before the next is made. Raises DataError
    if the machine does not let us.
    """
    write_together({path: content})


def write_together(files: Mapping[Path, bytes | Iterable[bytes]]) -> None:
    """Write files that belong together: no one is renamed into place before all are on disk.

    Only a process that is killed between two renames leaves some of them, whole; to write the same
    again completes them. Raises DataError if the machine does not let us.
    """
    with ExitStack() as stack:
        staged = {path: stack.enter_context(_staged(path, content))
                  for path, content in files.items()}
        for path, temporary in staged.items():
            with writing(path):
                temporary.replace(path)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which becomes ``path`` at the end, or is gone with all that is in it.

    Raises DataError if the machine does not let us.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep_once(path.parent)
        stage = Path(tempfile.mkdtemp(SUFFIX, f".{path.name}.", path.parent))
    try:
        with holding(stage, wait=True, shown=path):
            yield stage
            with writing(path):
                stage.chmod(0o755)
                stage.rename(path)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def listed(folder: Path) -> list[Path]:
    """What lies in a folder, by name, but for what is not whole yet."""
    return sorted(path for path in folder.iterdir() if not PARTIAL.fullmatch(path.name))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in words that the machine does not let us write a file or folder: raises DataError."""
    try:
        yield
    except OSError as fault:
        message = f"{path}: cannot be written ({_reason(fault)})"
        raise DataError(f"{message}; make room or choose another folder") from fault


def _reason(fault: OSError) -> str:
    """Why, in words; where many files were to be copied, why the first was not.

    >>> _reason(shutil.Error([("a", "b", "[Errno 28] No space left on device"), ("c", "d", "")]))
    'No space left on device'
    """
    if isinstance(fault, shutil.Error) and isinstance(fault.args[0], list):
        return re.sub(r"\A\[Errno \d+\] ", "", fault.args[0][0][-1])
    return fault.strerror or str(fault)


@contextmanager
def _staged(path: Path, content: bytes | Iterable[bytes]) -> Iterator[Path]:
    """A temporary file beside ``path`` that holds all of the content, on disk; it goes unless it
    was renamed."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep_once(path.parent)
        while True:
            handle, name = tempfile.mkstemp(SUFFIX, f".{path.name}.", path.parent)
            temporary = Path(name)
            # Somebody may remove it after it is made and before it is locked.
            if locked(handle, wait=True) is None or lies_at(handle, temporary):
                break
            os.close(handle)
    try:
        # Where there are no locks, no file is renamed while it is open.
        with writing(path), open(handle, "wb", closefd=not HAS_LOCKS) as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(handle)
            temporary.chmod(0o644)
        yield temporary
    finally:
        if HAS_LOCKS:
            os.close(handle)
        temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what killed runs left half written in a folder of ours, if there is one."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if PARTIAL.fullmatch(path.name):
            _remove_abandoned(path)


_sweep_once = cache(sweep)
"""Before the first write of this process into a folder."""


def _remove_abandoned(path: Path) -> None:
    """Remove what is not whole, unless a living process is writing it."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            free = locked(handle, wait=False)
            if free and lies_at(handle, path):
                _remove(path)
        finally:
            os.close(handle)
        if free is None and time.time() - path.stat().st_mtime > LONGEST_WRITE:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def locked(handle: int, *, wait: bool) -> bool | None:
    """Lock an open file or folder until it is closed or this process ends.

    False if another process has it locked; None if the machine or the file system has no locks.
    """
    if not HAS_LOCKS:
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@contextmanager
def holding(folder: Path, *, wait: bool, shown: Path | None = None) -> Iterator[bool]:
    """Have a folder, which is made, to ourselves.

    Gives whether it is ours: False if another process has it. ``shown``: what messages name.
    Raises DataError if the machine does not let us.
    """
    with writing(shown or folder):
        ours, handle = _held(folder, wait)
    try:
        yield ours
    finally:
        if handle is not None:
            os.close(handle)


def _held(folder: Path, wait: bool) -> tuple[bool, int | None]:
    """Whether a folder could be locked, and it, open; None where there are no locks."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        if not HAS_LOCKS:
            return True, None
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # removed by whoever had it
            continue
        if locked(handle, wait=wait) is False:
            return False, handle
        if lies_at(handle, folder):
            return True, handle
        os.close(handle)


def lies_at(handle: int, path: Path) -> bool:
    """Whether an open file or folder is still what lies at a path."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def json_bytes(document: Any) -> bytes:
    """JSON as we store it: sorted keys, two blanks, UTF-8, final newline, no NaN."""
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()
