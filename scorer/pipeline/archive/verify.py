"""Verifying an archive: every file is hashed again, block by block; nothing is unpacked or written.

Whoever made it, it is either sound or refused with a reason: names that lead elsewhere, links,
encrypted or oddly compressed files and sizes without bound are not read.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from scorer.core.errors import MOST_SHOWN, DataError, excerpt
from scorer.core.files import sha256

TOP = "whyboard-archive"
"""The one folder an archive unpacks to."""
MANIFEST = "MANIFEST"
MOST_BYTES = 4 * 1024**3
"""All files of an archive together."""
MOST_LISTED = 16 * 1024**2
"""Bytes of a MANIFEST: more than 100,000 files with names of 90 letters."""
_BLOCK = 1024 * 1024
_LINE = re.compile(r"([0-9a-f]{64})  (.+)\n")
_ENCRYPTED = 0x1
LONGEST_NAME = 1_000
_UNREADABLE = (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError,
               zlib.error, struct.error, OverflowError)
"""What zipfile raises for bytes that are no archive, or only part of one."""


class SoundArchive(NamedTuple):
    """A sound archive."""

    files: int
    manifest: str
    """SHA-256 of its MANIFEST: what to keep elsewhere."""


def verify(path: Path) -> SoundArchive:
    """Hash every file again. Raises DataError naming what is missing, changed, too many, or odd."""
    try:
        with path.open("rb") as file:
            return verify_file(file, path)
    except OSError as fault:
        raise DataError(f"{path}: cannot be read ({fault.strerror})") from fault


def verify_file(file: IO[bytes], path: Path) -> SoundArchive:
    """The same of an open file; ``path`` is what it is called."""
    try:
        with ZipFile(file) as archive:
            faults = list(_odd_files(archive))
            listed = b"" if faults else archive.read(f"{TOP}/{MANIFEST}")
            digests = {} if faults else _digests(archive)
    except KeyError as fault:
        raise DataError(f"{path}: no MANIFEST; take another copy") from fault
    except _UNREADABLE as fault:
        raise DataError(f"{path}: not an archive that can be read ({type(fault).__name__}); take "
                        "another copy") from fault
    faults += [] if faults else _differences(digests, listed)
    if faults:
        rest = [f"and {len(faults) - MOST_SHOWN} more"] if len(faults) > MOST_SHOWN else []
        lines = "\n".join([*faults[:MOST_SHOWN], *rest])
        raise DataError(f"{path}: not as scorer archive writes it; take another copy:\n{lines}")
    return SoundArchive(len(digests), sha256(listed))


def files(archive: ZipFile) -> list[ZipInfo]:
    """Every file; folders are not listed in a MANIFEST."""
    return [info for info in archive.infolist() if not (info.is_dir() and info.file_size == 0)]


def _odd_files(archive: ZipFile) -> Iterator[str]:
    """What may not be read, one line each."""
    infos = files(archive)
    names = Counter(info.filename for info in archive.infolist())
    yield from (f"{excerpt(name)}: a folder that leads elsewhere" for name in names
                if name.endswith("/") and name != f"{TOP}/" and not _is_plain(name[:-1]))
    folders = {name[:at] for name in names if len(name) <= LONGEST_NAME
               for at, sign in enumerate(name) if sign == "/"}
    yield from (f"{excerpt(name)}: a file and a folder" for name in names if name in folders)
    yield from (f"{excerpt(name)}: {count} times" for name, count in names.items() if count > 1)
    yield from (f"{excerpt(info.filename)}: {reason}" for info in infos
                if (reason := _oddity(info)))
    size = sum(info.file_size for info in infos)
    if size > MOST_BYTES:
        yield f"{size} bytes in all; expected at most {MOST_BYTES}"


def _oddity(info: ZipInfo) -> str:
    """Why a file is not read; empty if it is."""
    if not _is_plain(info.filename):
        return f"a name that leads elsewhere; expected a file below {TOP}/"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "no plain file"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted"
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "compressed in another way than scorer archive does"
    if info.filename == f"{TOP}/{MANIFEST}" and info.file_size > MOST_LISTED:
        return f"{info.file_size} bytes; expected at most {MOST_LISTED}"
    return ""


def _is_plain(name: str) -> bool:
    """Whether a name means a file below the top folder, on every system."""
    top, *parts = name.split("/")
    return (top == TOP and bool(parts) and len(name) <= LONGEST_NAME and name.isprintable()
            and not set(name) & set('\\:') and not {"", ".", ".."} & set(parts))


def _digests(archive: ZipFile) -> dict[str, str]:
    """The SHA-256 of every file but the MANIFEST, by its name below the top folder."""
    digests = {}
    for info in files(archive):
        digest = hashlib.sha256()
        with archive.open(info) as content:
            while block := content.read(_BLOCK):
                digest.update(block)
        digests[info.filename.removeprefix(f"{TOP}/")] = digest.hexdigest()
    del digests[MANIFEST]
    return digests


def _differences(digests: Mapping[str, str], listed: bytes) -> list[str]:
    expected: dict[str, str] = {}
    for line in io.BytesIO(listed):
        match = _LINE.fullmatch(line.decode(errors="replace"))
        if match is None:
            return ["a MANIFEST that cannot be read"]
        expected[match[2]] = match[1]
    return [f"{excerpt(name)}: {reason}" for name in sorted(digests.keys() | expected.keys())
            if (reason := "missing" if name not in digests
                else "not in the MANIFEST" if name not in expected
                else "another SHA-256" if digests[name] != expected[name] else "")]
