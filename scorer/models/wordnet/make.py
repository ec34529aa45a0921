"""Make the file that METEOR reads out of WordNet's own: ``scorer data fetch wordnet``.

Those are taken out of packages and archives by name; Debian's ``wordnet-base`` is unpacked here, so
nobody needs to be root. Wherever they come from, what is made is the same bytes, checked by digest;
WordNet's licence permits it. Beside it WordNet's own files lie in ``corpora/wordnet``.
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
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from scorer.core.errors import DataError
from scorer.core.files import sha256, write_atomically
from scorer.models.wordnet import DIGEST, FILE, PARTS, folder

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


def find(source: Path | None, download: Download) -> dict[str, bytes]:
    """The twelve wanted files by name. Raises DataError if they cannot be had.

    ``source``: a folder, a .deb, .tar.* or .zip file; else Debian's package, as
    installed or by ``apt-get download``, and where there is none, the official archive.
    """
    try:
        if source is None and (INSTALLED / "data.noun").is_file():
            source = INSTALLED
        if source is not None and source.is_dir():
            files = {file.name: file.read_bytes() for file in source.rglob("*")
                     if file.name in WANTED}
        elif source is None:
            files = _unpack(_debian() or download(OFFICIAL))
        else:
            files = _unpack(source.read_bytes())
    except (OSError, ValueError, EOFError, HTTPException, lzma.LZMAError, zlib.error,
            subprocess.SubprocessError, tarfile.TarError, zipfile.BadZipFile) as fault:
        raise DataError(f"WordNet cannot be had ({type(fault).__name__}: {fault}); {ADVICE}"
                        ) from fault
    missing = sorted(WANTED - set(files))
    if missing:
        raise DataError(f"WordNet's files lack {', '.join(missing)}; {ADVICE}")
    return files


def _debian() -> bytes | None:
    """Debian's package, if there is an apt-get that brings it."""
    if (apt := shutil.which("apt-get")) is None:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([apt, "download", "-q", PACKAGE], cwd=scratch,  # noqa: S603
                       check=False, capture_output=True, timeout=600)
        return next((path.read_bytes() for path in Path(scratch).glob("*.deb")), None)


def _unpack(content: bytes) -> dict[str, bytes]:
    """The wanted files of a package or an archive, by their names alone: nothing is extracted."""
    if content.startswith(_AR_MAGIC):  # deb(5) describes the format
        at = len(_AR_MAGIC)
        while at < len(content):
            header = content[at : at + _AR_HEADER]
            size = int(header[48:58])
            at += _AR_HEADER
            if header.startswith(b"data.tar"):
                return _unpack(content[at : at + size])
            at += size + size % 2
        raise ValueError("no data.tar in the package")
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as zipped:
            return {PurePosixPath(info.filename).name: zipped.read(info)
                    for info in zipped.infolist()
                    if PurePosixPath(info.filename).name in WANTED and info.file_size < _LARGEST}
    files = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            name = PurePosixPath(member.name).name
            if name in WANTED and member.size < _LARGEST and (
                    file := archive.extractfile(member)):
                files[name] = file.read()
    return files


def fetch(home: Path, *, source: Path | None, download: Download) -> Path:
    """Bring WordNet 3.0 to ``home``; returns the path of the file that is read.

    ``source``: as ``find`` takes it. Raises DataError if the files cannot be had or are not
    WordNet 3.0.
    """
    files = find(source, download)
    try:
        content = compile_lines(files)
    except (ValueError, IndexError) as fault:
        raise DataError(f"WordNet's files are damaged ({fault}); {ADVICE}") from fault
    if sha256(content) != DIGEST:
        raise DataError(f"not WordNet 3.0: {FILE} would have SHA-256 {sha256(content)[:12]}..., "
                        f"expected {DIGEST[:12]}...; {ADVICE}")
    root = folder(home)
    for name, text in files.items():
        write_atomically(root / "corpora" / "wordnet" / name, text)
    write_atomically(root / FILE, content)
    return root / FILE


def compile_lines(files: Mapping[str, bytes]) -> bytes:
    """The lines of ``WordNet.of_lines``, sorted. Raises ValueError if a file is damaged."""
    lines: list[str] = []
    for letter, part in PARTS.items():
        lines += _names(letter, files[f"index.{part}"], files[f"data.{part}"])
        exceptions = files[f"{part}.exc"].decode("ascii").splitlines()
        lines += {form: f"!{letter} {form}\t{' '.join(bases)}"
                  for form, *bases in map(str.split, exceptions)}.values()
    return ("\n".join(sorted(lines)) + "\n").encode()


def _names(letter: str, index: bytes, data: bytes) -> Iterator[str]:
    """``n dog<TAB>names`` for every entry of an index; wndb(5WN) describes both files."""
    for line in index.decode("ascii").split("\n"):
        if not line or line.startswith(" "):
            continue  # the licence
        lemma, _, count, pointers, *rest = line.split()
        offsets = rest[int(pointers) + 2 :]
        if len(offsets) != int(count):
            raise ValueError(f"{lemma} has {len(offsets)} senses, not {count}")
        names = set()
        for offset in offsets:
            start = int(offset)
            fields = data[start : data.index(b"\n", start)].decode("ascii").split()
            if fields[0] != offset:
                raise ValueError(f"no synset at {offset}")
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            names |= {word.partition("(")[0] for word in words}  # without a marker such as (p)
        yield f"{letter} {lemma}\t{' '.join(sorted(name for name in names if '_' not in name))}"
