"""One file that outlives this repository: ``git archive``, the site, and digests of the rest.

``README.md`` says how to check, rebuild and complete it. Refused are keys, opened gold, files that
users fetch, by their digests, and pages of examples of such boards; data in any other form are not
known. Verifying hashes every file again, block by block; nothing is unpacked or written. Whoever
made an archive, it is sound or refused with a reason.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import struct
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from scorer import boards
from scorer.boards import Board
from scorer.core.errors import MOST_SHOWN, DataError, UsageError, excerpt
from scorer.core.files import COMMIT_FILE, sha256, write_atomically
from scorer.pipeline.ci.git import EXECUTABLE, FILE, Repository
from scorer.pipeline.ci.hidden_gold import held

TOP = "whyboard-archive"
"""The one folder an archive unpacks to."""
CHECKOUT, SITE = "checkout", "site"
"""Folders of an archive."""
MANIFEST = "MANIFEST"
MOST_BYTES = 4 * 1024**3
"""All files of an archive together."""
MOST_LISTED = 16 * 1024**2
"""Bytes of a MANIFEST: more than 100,000 files with names of 90 letters."""
LONGEST_NAME = 1_000
_PLAIN = (ZIP_STORED, ZIP_DEFLATED)
"""Ways to pack that unpack piece by piece; others unpack to any size at once."""
_BLOCK = 1024 * 1024
_LINE = re.compile(r"([0-9a-f]{64})  (.+)\n")
_UNREADABLE = (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError,
               zlib.error, struct.error, OverflowError)
"""What zipfile raises for bytes that are no archive, or only part of one."""
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file that is not of the commit: the same site gives the same bytes on any day."""
_STATUS = f"{SITE}/data/status.json"
"""The states of all submissions, which need the history of git; a built site has them."""


class SoundArchive(NamedTuple):
    """A sound archive."""

    files: int
    manifest: str
    """SHA-256 of its MANIFEST: what to keep elsewhere."""


# ---- making --------------------------------------------------------------------------------------


def make(root: Path, out: Path, site: Path | None = None) -> SoundArchive:
    """Write an archive of the commit of the checkout ``root`` to ``out``; the whole is in memory.

    ``site`` is a built site to put beside it. Uncommitted changes are left out. Raises DataError
    naming the keys, opened gold, fetched files and pages of their examples among its files.
    """
    repository = Repository(root, {"TZ": "UTC"})  # git writes local times into a zip
    oid = repository.commit("HEAD")
    for entry in repository.tree(oid):
        if entry.mode not in (FILE, EXECUTABLE):
            raise DataError(f"{entry.path}: a link or a submodule; replace it by a file")
    seconds = int(repository.line("show", "--no-patch", "--format=%ct", oid))
    day = datetime.fromtimestamp(seconds, UTC).date()  # it decides who is named on the site
    packed = io.BytesIO(repository.run(
        "archive", "--format=zip", f"--prefix={TOP}/{CHECKOUT}/", oid).stdout)
    with ZipFile(packed, "a") as archive:
        _add(archive, f"{CHECKOUT}/{COMMIT_FILE}", f"{oid}\n{day}\n".encode())
        for path, content in _site_files(site) if site is not None else ():
            _add(archive, path, content)
        known = _boards(archive)
        paths = {name.removeprefix(f"{TOP}/") for name in archive.namelist()}
        _add(archive, "README.md", _readme(oid, known, paths).encode())
        _add(archive, MANIFEST, _manifest(archive, known))
    verified = _verified(packed, out)
    write_atomically(out, packed.getvalue())
    return verified


def _add(archive: ZipFile, path: str, content: bytes) -> None:
    info = ZipInfo(f"{TOP}/{path}", _TIME)
    info.compress_type, info.external_attr = ZIP_DEFLATED, 0o100644 << 16
    archive.writestr(info, content)


def _site_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a built site. Raises UsageError if there is none, or if it holds a link."""
    if not (folder / "index.html").is_file():
        raise UsageError(f"{folder}: no built site; make it with: scorer site build --out {folder}")
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise UsageError(f"{path}: a link; build the site again")
        if path.is_file():
            yield f"{SITE}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _boards(archive: ZipFile) -> list[Board]:
    """The boards of the commit, which need not be those of this program."""
    with tempfile.TemporaryDirectory() as folder:
        for name in archive.namelist():
            _, _, *parts = name.split("/")
            if parts[:1] == ["boards"] and parts[2:] == [boards.FILE_NAME]:
                write_atomically(Path(folder, *parts[1:]), archive.read(name))
        return boards.load_all(Path(folder))


def _manifest(archive: ZipFile, known: Sequence[Board]) -> bytes:
    """A line for each file as ``sha256sum`` writes them, sorted by path.

    Raises DataError naming keys, opened gold, files that users fetch and pages of their examples.
    """
    fetched, lines, faults = _fetched(known), dict[str, str](), list[str]()
    private = "|".join(re.escape(board.id) for board in known if board.brought)
    examples = re.compile(rf"{SITE}/(?:boards/({private})/[a-z]+/\d+/.*|"
                          rf"data/({private})/[a-z]+/index\.json)")
    for info in _files(archive):
        path, content = info.filename.removeprefix(f"{TOP}/"), archive.read(info)
        lines[path] = digest = sha256(content)
        if secret := held(content, ()):
            faults.append(f"{path}: holds {secret}; remove it from git, then make a new key, or "
                          "seal the gold with scorer gold seal")
        elif digest in fetched:
            faults.append(f"{path}: data of {fetched[digest]}, which may not be passed on; remove "
                          "it")
        elif private and (example := examples.fullmatch(path)):
            faults.append(f"{path}: an example of {example[1] or example[2]}, whose data may not "
                          "be passed on; build the site without them: scorer site build --home "
                          "EMPTY-FOLDER")
    if faults:
        raise DataError("nothing is archived:\n" + "\n".join(faults[:MOST_SHOWN]))
    return "".join(f"{lines[path]}  {path}\n" for path in sorted(lines)).encode()


def _fetched(known: Sequence[Board]) -> dict[str, str]:
    """By digest, the board of each file that a user brings, or that is made of such files."""
    digests: dict[str, str] = {}
    for board in reversed(known):  # of several boards with one file the first is named
        made = {recipe.to for recipe in board.recipes}
        digests |= {download.sha256: board.id for download in board.downloads}
        digests |= {split.sha256: board.id for split in board.splits.values()
                    if split.sha256 and split.file in made}
    return digests


def _readme(commit: str, known: Sequence[Board], paths: Set[str]) -> str:
    """How to check, rebuild and complete the archive."""
    rows = [f"| `{board.id}` | `{download.path}` | <{download.url}> | `{download.sha256}` |"
            for board in known for download in board.downloads if download.url]
    own = f"{CHECKOUT}/scorer/__init__.py" in paths
    return Template(Path(__file__).with_suffix(".md").read_text("utf-8")).substitute(
        commit=commit,
        site=f", the built site in `{SITE}/`" if f"{SITE}/index.html" in paths else "",
        status=f" --status ../{_STATUS}" if _STATUS in paths else "",
        needed="the packages that `locks/demo.txt` pins" if own else
        "the packages that `locks/ci.txt` pins, and the program, which is not here: "
        "`requirements.txt` names its version",
        data="\n".join(rows) or "| every board carries its data | | | |")


# ---- verifying -----------------------------------------------------------------------------------


def verify(path: Path) -> SoundArchive:
    """Hash every file again. Raises DataError naming what is missing, changed, too many, or odd."""
    try:
        with path.open("rb") as file:
            return _verified(file, path)
    except OSError as fault:
        raise DataError(f"{path}: cannot be read ({fault.strerror})") from fault


def _verified(file: IO[bytes], path: Path) -> SoundArchive:
    """The same of an open file; ``path`` is what it is called."""
    listed, digests = b"", dict[str, str]()
    try:
        with ZipFile(file) as archive:
            faults = list(_oddities(archive.infolist()))
            if not faults:
                listed = archive.read(f"{TOP}/{MANIFEST}")
                for info in _files(archive):
                    digest = hashlib.sha256()
                    with archive.open(info) as content:
                        for block in iter(lambda: content.read(_BLOCK), b""):
                            digest.update(block)
                    digests[info.filename.removeprefix(f"{TOP}/")] = digest.hexdigest()
                del digests[MANIFEST]
                faults = list(_differences(digests, listed))
    except KeyError as fault:
        raise DataError(f"{path}: no MANIFEST; take another copy") from fault
    except _UNREADABLE as fault:
        raise DataError(f"{path}: not an archive that can be read ({type(fault).__name__}); take "
                        "another copy") from fault
    if faults:
        lines = "\n".join(faults[:MOST_SHOWN])
        raise DataError(f"{path}: not as scorer archive writes it; take another copy:\n{lines}")
    return SoundArchive(len(digests), sha256(listed))


def _files(archive: ZipFile) -> list[ZipInfo]:
    """Every file; folders are not listed in a MANIFEST."""
    return [info for info in archive.infolist() if not (info.is_dir() and info.file_size == 0)]


def _oddities(infos: Sequence[ZipInfo]) -> Iterator[str]:
    """What may not be read or unpacked, one line each."""
    for name, count in Counter(info.filename for info in infos).items():
        if count > 1:
            yield f"{excerpt(name)}: {count} times"
    places = sorted((info.filename.removesuffix("/").split("/"), info.is_dir()) for info in infos)
    for (above, is_folder), (below, _) in pairwise(places):
        if not is_folder and below[: len(above)] == above:
            yield f"{excerpt('/'.join(above))}: a file and a folder"
    for info in infos:
        top, *parts = info.filename.removesuffix("/").split("/")
        if (top != TOP or not info.filename.isprintable() or set(info.filename) & set("\\:")
                or {"", ".", ".."} & set(parts) or len(info.filename) > LONGEST_NAME):
            yield f"{excerpt(info.filename)}: a name that leads elsewhere"
        elif (stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR)
              or (info.is_dir() and info.file_size)):
            yield f"{excerpt(info.filename)}: no plain file"
        elif info.compress_type not in _PLAIN:
            yield f"{excerpt(info.filename)}: compressed in another way than scorer archive does"
        elif info.filename == f"{TOP}/{MANIFEST}" and info.file_size > MOST_LISTED:
            yield f"{MANIFEST}: {info.file_size} bytes; expected at most {MOST_LISTED}"
    size = sum(info.file_size for info in infos)
    if size > MOST_BYTES:
        yield f"{size} bytes in all; expected at most {MOST_BYTES}"


def _differences(digests: Mapping[str, str], listed: bytes) -> Iterator[str]:
    expected: dict[str, str] = {}
    for line in io.BytesIO(listed):
        match = _LINE.fullmatch(line.decode(errors="replace"))
        if match is None:
            yield "a MANIFEST that cannot be read"
            return
        expected[match[2]] = match[1]
    for name in sorted({**digests, **expected}):
        if name not in digests:
            yield f"{excerpt(name)}: missing"
        elif name not in expected:
            yield f"{excerpt(name)}: not in the MANIFEST"
        elif digests[name] != expected[name]:
            yield f"{excerpt(name)}: another SHA-256"
