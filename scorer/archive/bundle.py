"""An archive as bytes: packed alike from the same files wherever and whenever, and verified.

The same version of zlib gives the same bytes; ``MANIFEST`` is the same whatever compresses it.
Of all that a tar file may hold, only what ``pack`` writes is read: so whoever made an archive,
verifying it takes little memory, and what unpacks from it are the files that were verified.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from scorer.archive.contents import Member
from scorer.errors import MOST_SHOWN, DataError, UsageError, excerpt
from scorer.files import sha256

TOP = "whyboard-archive"
"""The one folder an archive unpacks to."""
MANIFEST = "MANIFEST"
MOST_BYTES = 4 * 1024**3
"""All files of an archive together."""
MOST_LISTED = 16 * 1024**2
"""Bytes of a MANIFEST: more than 100,000 files with names of 90 letters."""
LONGEST = 1000
"""Bytes of a file's name below ``TOP``."""
_LIMITS = f"at most {MOST_BYTES // 1024**3} GiB and a MANIFEST of {MOST_LISTED // 1024**2} MiB"
_TIME = 315_532_800
"""1980-01-01, the earliest that zip files know, so that wheels can be built from what is unpacked.
"""
_MODES = {False: 0o644, True: 0o755}
"""Whether a file is a program -> its mode."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?: *\..*)?", re.IGNORECASE)
"""What Windows takes for a device."""
_LINE = re.compile(r"([0-9a-f]{64})  (.+)\n")
_LONG_NAME = re.compile(rb"([0-9]{1,4}) path=(.*)\n", re.DOTALL)
"""The one record that tarfile adds for a name that is long or not ASCII."""
_BLOCK = 1024 * 1024


class _BadArchive(Exception):
    """What an archive holds and may not hold."""


class Verified(NamedTuple):
    """A sound archive."""

    files: int
    manifest: str
    """SHA-256 of its MANIFEST: what to keep elsewhere."""


def manifest(members: Iterable[Member]) -> bytes:
    """A line for each file as ``sha256sum`` writes them, sorted by path."""
    lines = sorted((member.path, sha256(member.content)) for member in members)
    return "".join(f"{digest}  {path}\n" for path, digest in lines).encode()


def pack(members: Sequence[Member]) -> bytes:
    """A tar.gz of some files and their manifest. Raises UsageError for what ``verify`` refuses."""
    for member in members:
        if not _is_plain(member.path):
            raise UsageError(f"{excerpt(member.path)}: no name for an archive; rename the file")
    for one, other in _clashes([MANIFEST, *(member.path for member in members)]):
        raise UsageError(f"{excerpt(one)} and {excerpt(other)}: the same name, or a file and a "
                         "folder, on some systems; rename one of them")
    listed = manifest(members)
    size = len(listed) + sum(len(member.content) for member in members)
    if len(listed) > MOST_LISTED or size > MOST_BYTES:
        raise UsageError(f"{len(members)} files of {size} bytes; an archive takes {_LIMITS}; "
                         "leave out the site, or what the commit need not hold")
    packed = io.BytesIO()
    everything = [*members, Member(MANIFEST, listed)]
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file, \
            tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in sorted(everything):
            archive.addfile(_head(member), io.BytesIO(member.content))
    return packed.getvalue()


def _head(member: Member) -> tarfile.TarInfo:
    head = tarfile.TarInfo(f"{TOP}/{member.path}")
    head.size, head.mtime = len(member.content), _TIME
    head.mode = _MODES[member.executable]
    return head


def _is_plain(path: str) -> bool:
    """Whether a name is the same file below the same folder on every system."""
    return (path.isprintable() and not set(path) & set('\\:*?"<>|')
            and len(path.encode()) <= LONGEST
            and not any(part == "" or part[-1] in ". " or _DEVICES.fullmatch(part)
                        for part in path.split("/")))


def _clashes(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names that on some system are one file, or a file and the folder of another.

    Systems differ in whether they tell ``A`` from ``a``, and one form of ``é`` from another.
    """
    for one, other in pairwise(sorted(paths, key=_folded)):
        known, parts = _folded(one).split("\0"), _folded(other).split("\0")
        alike = next((at for at, pair in enumerate(zip(known, parts, strict=False))
                      if pair[0] != pair[1]), min(len(known), len(parts)))
        if alike == len(known) or one.split("/")[:alike] != other.split("/")[:alike]:
            yield one, other


def _folded(path: str) -> str:
    """The same for names that some system takes for one; a folder's files follow its own name."""
    folded = unicodedata.normalize("NFD", path).casefold()
    return unicodedata.normalize("NFD", folded).replace("/", "\0")


def verify(path: Path) -> Verified:
    """Hash every file again. Raises DataError naming what is missing, changed, too many, too large
    or no plain file."""
    try:
        with gzip.open(path) as stream:
            found, listed = _read(stream)
    except _BadArchive as fault:
        raise DataError(f"{path}: {fault}; take another copy") from fault
    except (OSError, EOFError, tarfile.TarError, UnicodeError, zlib.error) as fault:
        raise DataError(f"{path}: not an archive that can be read ({type(fault).__name__}); take "
                        "another copy") from fault
    wanted = _parsed(path, listed)
    faults = list(_differences(found, wanted))
    if faults:
        rest = [f"and {len(faults) - MOST_SHOWN} more"] if len(faults) > MOST_SHOWN else []
        told = "\n".join([*faults[:MOST_SHOWN], *rest])
        raise DataError(f"{path}: not as its MANIFEST says; take another copy:\n{told}")
    return Verified(len(found), sha256(listed))


def _read(stream: gzip.GzipFile) -> tuple[dict[str, str], bytes]:
    """The digest of each file, and the manifest."""
    found: dict[str, str] = {}
    listed: bytes | None = None
    size, lines = 0, 0
    for name, length in _heads(stream):
        if name in found or (name == MANIFEST and listed is not None):
            raise _BadArchive(f"{excerpt(name)}: twice")
        size += length
        lines += 64 + len(f"  {name}\n".encode()) if name != MANIFEST else 0
        if lines > MOST_LISTED or size > MOST_BYTES:
            raise _BadArchive(f"{excerpt(name)}: too large or one too many; expected {_LIMITS}")
        if name == MANIFEST:
            listed = b"".join(_blocks(stream, length))
            continue
        digest = hashlib.sha256()
        for block in _blocks(stream, length):
            digest.update(block)
        found[name] = digest.hexdigest()
    for one, other in _clashes([MANIFEST, *found]):
        raise _BadArchive(f"{excerpt(one)} and {excerpt(other)}: the same name, or a file and a "
                          "folder, on some systems; expected names that differ on all")
    return found, listed or b""


def _heads(stream: gzip.GzipFile) -> Iterator[tuple[str, int]]:
    """Name and length of each file, whose content has to be read before the next."""
    while any(block := _exactly(stream, tarfile.BLOCKSIZE)):
        head = _head_of(block)
        name = head.name
        if head.type == tarfile.XHDTYPE:
            name = _long_name(b"".join(_blocks(stream, _length(head, 2 * LONGEST))))
            head = _head_of(_exactly(stream, tarfile.BLOCKSIZE))
        if head.type != tarfile.REGTYPE:
            raise _BadArchive(f"{excerpt(name)}: no plain file; expected nothing else")
        if head.mode not in _MODES.values() or head.uid or head.gid or head.uname or head.gname:
            raise _BadArchive(f"{excerpt(name)}: of mode {head.mode:o} and owner "
                              f"{excerpt(head.uname or str(head.uid))}; expected 644 or 755, and "
                              "nobody")
        below = name.removeprefix(f"{TOP}/")
        if below == name or not _is_plain(below):
            raise _BadArchive(f"{excerpt(name)}: a name that leads elsewhere; expected a file "
                              f"below {TOP}/")
        yield below, _length(head, MOST_LISTED if below == MANIFEST else MOST_BYTES)
    rest = stream.read(_BLOCK)
    if any(rest) or stream.read(1):
        raise _BadArchive("more after the end; expected nothing")


def _head_of(block: bytes) -> tarfile.TarInfo:
    if block[257:265] != tarfile.POSIX_MAGIC:
        raise tarfile.ReadError("of another kind")  # programs differ in what its fields mean
    return tarfile.TarInfo.frombuf(block, "utf-8", "strict")


def _length(head: tarfile.TarInfo, most: int) -> int:
    if not 0 <= head.size <= most:
        raise _BadArchive(f"{excerpt(head.name)}: of {head.size} bytes; expected at most {most}")
    return head.size


def _long_name(record: bytes) -> str:
    found = _LONG_NAME.fullmatch(record)
    if found is None or int(found[1]) != len(record):
        raise _BadArchive(f"{excerpt(record.decode(errors='replace'))}: said of a file; expected "
                          "its name alone")
    return found[2].decode()


def _blocks(stream: gzip.GzipFile, length: int) -> Iterator[bytes]:
    """The next bytes, in blocks, and the zeros after them left out."""
    for start in range(0, length, _BLOCK):
        yield _exactly(stream, min(_BLOCK, length - start))
    _exactly(stream, -length % tarfile.BLOCKSIZE)


def _exactly(stream: gzip.GzipFile, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


def _parsed(path: Path, listed: bytes) -> dict[str, str]:
    wanted: dict[str, str] = {}
    for line in io.BytesIO(listed):
        match = _LINE.fullmatch(line.decode(errors="replace"))
        if match is None or match[2] in wanted:
            wanted.clear()
            break
        wanted[match[2]] = match[1]
    if not wanted:
        raise DataError(f"{path}: no MANIFEST that can be read; take another copy")
    return wanted


def _differences(found: Mapping[str, str], wanted: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(found.keys() | wanted.keys()):
        if name not in found:
            yield f"{name}: missing"
        elif name not in wanted:
            yield f"{name}: not in the MANIFEST"
        elif found[name] != wanted[name]:
            yield f"{name}: another SHA-256"
