"""An archive as bytes: packed alike from the same files wherever and whenever, and verified.

The same version of zlib gives the same bytes; ``MANIFEST`` is the same whatever compresses it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.archive.contents import Member
from scorer.errors import MOST_SHOWN, DataError, UsageError, excerpt
from scorer.files import sha256

TOP = "whyboard-archive"
"""The one folder an archive unpacks to."""
MANIFEST = "MANIFEST"
_TIME = 315_532_800
"""1980-01-01, the earliest that zip files know, so that wheels can be built from what is unpacked.
"""
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_BLOCK = 1024 * 1024


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
    """A tar.gz of some files and their manifest. Raises UsageError for a path it cannot list."""
    for member in members:
        if "\n" in member.path or "\\" in member.path or not member.path.isprintable():
            raise UsageError(f"{excerpt(member.path)}: no name for an archive; rename the file")
    packed = io.BytesIO()
    everything = [*members, Member(MANIFEST, manifest(members))]
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file, \
            tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in sorted(everything):
            archive.addfile(_head(member), io.BytesIO(member.content))
    return packed.getvalue()


def _head(member: Member) -> tarfile.TarInfo:
    head = tarfile.TarInfo(f"{TOP}/{member.path}")
    head.size, head.mtime = len(member.content), _TIME
    head.mode = 0o755 if member.executable else 0o644
    return head


def verify(path: Path) -> Verified:
    """Hash every file again. Raises DataError naming what is missing, changed or too many."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            found, listed = _read(archive)
    except (OSError, EOFError, tarfile.TarError, zlib.error) as fault:
        raise DataError(f"{path}: not an archive that can be read ({type(fault).__name__}); take "
                        "another copy") from fault
    wanted = _parsed(path, listed)
    faults = list(_differences(found, wanted))
    if faults:
        rest = [f"and {len(faults) - MOST_SHOWN} more"] if len(faults) > MOST_SHOWN else []
        told = "\n".join([*faults[:MOST_SHOWN], *rest])
        raise DataError(f"{path}: not as its MANIFEST says; take another copy:\n{told}")
    return Verified(len(found), sha256(listed))


def _read(archive: tarfile.TarFile) -> tuple[dict[str, str], bytes]:
    """The digest of each file, and the manifest. Raises TarError for anything but plain files."""
    found: dict[str, str] = {}
    listed = b""
    for head in archive:
        name = head.name.removeprefix(f"{TOP}/")
        file = archive.extractfile(head) if head.isreg() else None
        if file is None or name == head.name or ".." in name.split("/") or name in found:
            raise tarfile.TarError(head.name)
        if name == MANIFEST:
            listed = file.read()
            continue
        digest = hashlib.sha256()
        while block := file.read(_BLOCK):
            digest.update(block)
        found[name] = digest.hexdigest()
    return found, listed


def _parsed(path: Path, listed: bytes) -> dict[str, str]:
    lines = listed.decode(errors="replace").split("\n")[:-1]
    matched = [_LINE.fullmatch(line) for line in lines]
    wanted = {match[2]: match[1] for match in matched if match is not None}
    if not lines or len(wanted) < len(lines):
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
