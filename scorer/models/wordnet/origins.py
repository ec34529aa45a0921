"""WordNet's own files, wherever they come from, taken out of packages and archives by name.

Debian's package ``wordnet-base`` is unpacked here, so nobody needs to be root.
"""

from __future__ import annotations

import io
import lzma
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from scorer.errors import DataError
from scorer.models.wordnet import PARTS

OFFICIAL = "https://wordnetcode.princeton.edu/3.0/WordNet-3.0.tar.gz"
PACKAGE = "wordnet-base"
INSTALLED = Path("/usr/share/wordnet")
"""Where that package lies once it is installed."""

WANTED = frozenset(
    name.format(part) for part in PARTS.values() for name in ("index.{}", "data.{}", "{}.exc")
)
_LARGEST = 64 * 1024 * 1024
_AR_MAGIC, _AR_HEADER = b"!<arch>\n", 60

Download = Callable[[str], bytes]
"""Brings the content of a URL. Raises OSError, ValueError or HTTPException."""

ADVICE = (f"fetch Debian's package {PACKAGE} (version 1:3.0) or {OFFICIAL} yourself, then run: "
           "scorer data fetch wordnet --from FILE")


def find(source: str | None, download: Download) -> dict[str, bytes]:
    """The twelve wanted files by name. Raises DataError if they cannot be had.

    ``source``: a folder, a .deb, .tar.* or .zip file, or a URL of one; else Debian's package, as
    installed or by ``apt-get download``, and where there is none, the official archive.
    """
    try:
        if source is None:
            files = _usual(download)
        else:
            files = _unpack(download(source)) if "://" in source else _files(Path(source))
    except (OSError, ValueError, EOFError, HTTPException, lzma.LZMAError, zlib.error,
            subprocess.SubprocessError, tarfile.TarError, zipfile.BadZipFile) as fault:
        raise DataError(f"WordNet cannot be had ({type(fault).__name__}: {fault}); {ADVICE}"
                        ) from fault
    missing = sorted(WANTED - set(files))
    if missing:
        raise DataError(f"WordNet's files lack {', '.join(missing)}; {ADVICE}")
    return files


def _usual(download: Download) -> dict[str, bytes]:
    if (INSTALLED / "data.noun").is_file():
        return _files(INSTALLED)
    if apt := shutil.which("apt-get"):
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([apt, "download", "-q", PACKAGE], cwd=scratch,  # noqa: S603
                           check=False, capture_output=True, timeout=600)
            for path in Path(scratch).glob("*.deb"):
                return _files(path)
    return _unpack(download(OFFICIAL))


def _files(path: Path) -> dict[str, bytes]:
    """The wanted files of a folder, however deep, or of an archive."""
    if not path.is_dir():
        return _unpack(path.read_bytes())
    return {file.name: file.read_bytes() for file in path.rglob("*") if file.name in WANTED}


def _unpack(content: bytes) -> dict[str, bytes]:
    """The wanted files of a package or an archive, by their names alone: nothing is extracted."""
    if content.startswith(_AR_MAGIC):
        return _unpack(_member(content, b"data.tar"))
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {PurePosixPath(info.filename).name: archive.read(info)
                    for info in archive.infolist()
                    if PurePosixPath(info.filename).name in WANTED and info.file_size < _LARGEST}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {PurePosixPath(member.name).name: _content(archive, member) for member in archive
                if PurePosixPath(member.name).name in WANTED and member.size < _LARGEST}


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    if file is None:
        raise ValueError(f"{member.name} is no file")
    with file:
        return file.read()


def _member(archive: bytes, name: bytes) -> bytes:
    """The first member of an ar archive whose name begins so; deb(5) describes the format."""
    at = len(_AR_MAGIC)
    while at < len(archive):
        header = archive[at : at + _AR_HEADER]
        size = int(header[48:58])
        at += _AR_HEADER
        if header.startswith(name):
            return archive[at : at + size]
        at += size + size % 2
    raise ValueError(f"no {name.decode()} in the package")
