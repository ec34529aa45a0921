"""Make the file that METEOR reads out of WordNet's own: ``scorer data fetch wordnet``.

Those are taken out of packages and archives by name; Debian's ``wordnet-base`` is unpacked here, so
nobody needs to be root. Wherever they come from, what is made is the same bytes, checked by digest;
WordNet's licence permits it. Beside it the files lie as nltk wants them, with the list of names
that Debian leaves out: with ``NLTK_DATA`` set to the folder, nltk 3.4.5 reads this WordNet.
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


# lexnames(5WN): the files of WordNet's authors, in the order of their numbers.
_LEXNAMES = (
    ("adj", 3, "all pert"),
    ("adv", 4, "all"),
    ("noun", 1, "Tops act animal artifact attribute body cognition communication event feeling "
     "food group location motive object person phenomenon plant possession process quantity "
     "relation shape state substance time"),
    ("verb", 2, "body change cognition communication competition consumption contact creation "
     "emotion motion perception possession social stative weather"),
    ("adj", 3, "ppl"),
)


def fetch(home: Path, *, source: str | None, download: Download) -> Path:
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
    for name, text in {**files, "lexnames": lexnames()}.items():
        write_atomically(root / "corpora" / "wordnet" / name, text)
    write_atomically(root / FILE, content)
    return root / FILE


def lexnames() -> bytes:
    """The file of that name, which Debian leaves out: number, name and part of speech.

    >>> lexnames().decode().split("\\n")[3]
    '03\\tnoun.Tops\\t1'
    """
    names = [f"{kind}.{name}\t{number}"
             for kind, number, names in _LEXNAMES for name in names.split()]
    return "".join(f"{number:02d}\t{name}\n" for number, name in enumerate(names)).encode()


def compile_lines(files: Mapping[str, bytes]) -> bytes:
    """The lines of ``WordNet.of_lines``, sorted. Raises ValueError if a file is damaged."""
    lines = [line for letter, part in PARTS.items()
             for line in (*_names(letter, files[f"index.{part}"], files[f"data.{part}"]),
                          *_exceptions(letter, files[f"{part}.exc"]))]
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
        names = {name for offset in offsets for name in _synset(data, offset)}
        yield f"{letter} {lemma}\t{' '.join(sorted(name for name in names if '_' not in name))}"


def _synset(data: bytes, offset: str) -> Iterator[str]:
    """The names of the synset at an offset, without a marker such as ``(p)``."""
    start = int(offset)
    fields = data[start : data.index(b"\n", start)].decode("ascii").split()
    if fields[0] != offset:
        raise ValueError(f"no synset at {offset}")
    words = int(fields[3], 16)
    return (name.partition("(")[0] for name in fields[4 : 4 + 2 * words : 2])


def _exceptions(letter: str, content: bytes) -> Iterator[str]:
    forms = {form: bases for form, *bases in map(str.split, content.decode("ascii").splitlines())}
    return (f"!{letter} {form}\t{' '.join(bases)}" for form, bases in forms.items())
