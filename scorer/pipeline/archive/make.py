"""Making an archive: ``git archive`` of a commit, perhaps a built site, and the digests of all.

It says of itself what it is: ``archive.json`` for programs, ``README.md`` for people.

Not in it may be keys, opened gold, fetched data, and scores of items on hidden gold.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from string import Template
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from scorer import boards
from scorer.boards import Board
from scorer.core.errors import MOST_SHOWN, DataError, UsageError
from scorer.core.files import COMMIT_FILE, json_bytes, sha256, write_atomically
from scorer.pipeline.archive.verify import MANIFEST, TOP, SoundArchive, files, verify_file
from scorer.pipeline.ci.git import EXECUTABLE, FILE, Repository
from scorer.pipeline.ci.hidden_gold import held

CHECKOUT, SITE = "checkout", "site"
"""Folders of an archive."""

_BATCH = re.compile(rf"{CHECKOUT}/annotations/batches/[a-z0-9-]+\.json")
_PRIVATE = frozenset({".whyboard", ".git", "_outcomes"})
"""Folders of fetched data, caches and what the scoring job hands over."""


class Refusals:
    """What is wrong with files of an archive, by the boards of its commit."""

    def __init__(self, boards: Sequence[Board]) -> None:
        self._fetched: dict[str, str] = {}
        """By digest: the board of each file that a user brings, or that is made of them."""
        self._private = [pattern for board in boards for pattern in _rows(board)]
        self._absent = {board.id for board in boards if board.brought}
        for board in reversed(boards):  # of several boards with one file the first is named
            made = {recipe.to for recipe in board.recipes}
            digests = [download.sha256 for download in board.downloads]
            digests += [split.sha256 for split in board.splits.values()
                        if split.sha256 and split.file in made]
            self._fetched |= dict.fromkeys(digests, board.id)

    def of(self, path: str, content: bytes) -> Iterator[str]:
        """What a file is that may not be passed on, and what to do; nothing if it may."""
        board = self._fetched.get(sha256(content))
        if _PRIVATE & set(PurePosixPath(path).parts[:-1]):
            yield f"{path}: of a folder that never leaves this machine; remove it from git"
        elif secret := held(content, ()):
            yield (f"{path}: holds {secret}; remove it from git, then make a new key, or seal the "
                   "gold with scorer gold seal")
        elif board is not None:
            yield f"{path}: data of {board}, which may not be passed on; remove it"
        elif (origin := _board_of_batch(path, content)) in self._absent:
            yield (f"{path}: items of {origin}, whose data may not be passed on; remove the batch")
        else:
            yield from (f"{path}: {reason}" for pattern, reason in self._private
                        if pattern.fullmatch(path))


def _board_of_batch(path: str, content: bytes) -> str:
    """The board whose items a batch for annotators holds; empty if it is none."""
    if not _BATCH.fullmatch(path):
        return ""
    try:
        return str(json.loads(content)["board"])
    except (ValueError, LookupError, TypeError):
        return ""


def _rows(board: Board) -> Iterator[tuple[re.Pattern[str], str]]:
    """Where rows of a board would lie whose data may not be passed on."""
    name = re.escape(board.id)
    if board.brought:
        yield (re.compile(rf"{CHECKOUT}/boards/{name}/data/.*"),
               f"data of {board.id}, which may not be passed on; remove it")
        yield (re.compile(rf"{SITE}/(?:boards/{name}/[a-z]+/\d+/.*|"
                          rf"data/{name}/[a-z]+/index\.json)"),
               f"an example of {board.id}, whose data may not be passed on; build the site without "
               "them: scorer site build --home EMPTY-FOLDER")
    hidden = [split for split, how in board.splits.items() if how.gold == "hidden"]
    if hidden:
        yield (re.compile(rf"{CHECKOUT}/results/{name}/.*/(?:{'|'.join(hidden)})\.items\.tsv"),
               f"scores of items of {board.id}, whose gold is hidden; remove it")


_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file that is not of the commit: the same site gives the same bytes on any day."""


def make(root: Path, out: Path, *, commit: str = "HEAD", site: Path | None = None) -> SoundArchive:
    """Write an archive of a commit of the checkout ``root`` to ``out``; the whole is in memory.

    ``site`` is a built site to put beside it. Uncommitted changes are left out. Raises DataError
    naming every file that may not be passed on.
    """
    repository = Repository(root, {"TZ": "UTC"})  # git writes local times into a zip
    oid = repository.commit(commit)
    for entry in repository.tree(oid):
        if entry.mode not in (FILE, EXECUTABLE):
            raise DataError(f"{entry.path}: a link or a submodule; replace it by a file")
    seconds = int(repository.run("show", "--no-patch", "--format=%ct", oid).stdout)
    day = datetime.fromtimestamp(seconds, UTC).date()  # it decides who is named on the site
    packed = io.BytesIO(repository.run(
        "archive", "--format=zip", f"--prefix={TOP}/{CHECKOUT}/", oid).stdout)
    with ZipFile(packed, "a") as archive:
        _add(archive, f"{CHECKOUT}/{COMMIT_FILE}", f"{oid}\n{day}\n".encode())
        for path, content in _site_files(site) if site is not None else ():
            _add(archive, path, content)
        known = _boards(archive)
        paths = {name.removeprefix(f"{TOP}/") for name in archive.namelist()}
        about = describe(oid, known, paths)
        _add(archive, "archive.json", json_bytes(about))
        _add(archive, "README.md", readme(about, paths).encode())
        _add(archive, MANIFEST, _manifest(archive, Refusals(known)))
    verified = verify_file(packed, out)
    write_atomically(out, packed.getvalue())
    return verified


def _add(archive: ZipFile, path: str, content: bytes) -> None:
    info = ZipInfo(f"{TOP}/{path}", _TIME)
    info.compress_type = ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
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


def _manifest(archive: ZipFile, refusals: Refusals) -> bytes:
    """A line for each file as ``sha256sum`` writes them, sorted by path.

    Raises DataError naming the files that may not be passed on.
    """
    lines: list[tuple[str, str]] = []
    faults: list[str] = []
    for info in files(archive):
        path, content = info.filename.removeprefix(f"{TOP}/"), archive.read(info)
        faults += refusals.of(path, content)
        lines.append((path, f"{sha256(content)}  {path}\n"))
    if faults:
        raise DataError("nothing is archived:\n" + "\n".join(faults[:MOST_SHOWN]))
    return "".join(line for _, line in sorted(lines)).encode()


def _boards(archive: ZipFile) -> list[Board]:
    """The boards of the commit, which need not be those of this program."""
    with tempfile.TemporaryDirectory() as folder:
        for name in archive.namelist():
            _, _, *parts = name.split("/")
            if parts[:1] == ["boards"] and parts[2:] == [boards.FILE_NAME]:
                write_atomically(Path(folder, *parts[1:]), archive.read(name))
        return boards.load_all(Path(folder))


_STATUS = f"{SITE}/data/status.json"
"""The states of all submissions, which need the history of git; a built site has them."""


def describe(commit: str, boards: Sequence[Board], paths: Set[str]) -> dict[str, Any]:
    """The document of ``archive.json``: the data of every board by their digests, here or not."""
    return {"schema": 1, "commit": commit,
            "boards": {board.id: _board(board, paths) for board in boards}}


def _board(board: Board, paths: Set[str]) -> dict[str, Any]:
    return {
        "version": board.version,
        "licence": board.licence,
        "splits": {
            name: {"rows": split.rows, "gold": split.gold, "file": split.file,
                   "sha256": split.sha256, "gold_hmac": split.gold_hmac,
                   "here": f"{CHECKOUT}/boards/{board.id}/data/{split.file}" in paths}
            for name, split in board.splits.items()
        },
        "downloads": [{"path": download.path, "url": download.url or "", "sha256": download.sha256}
                      for download in board.downloads],
    }


def readme(about: Mapping[str, Any], paths: Set[str]) -> str:
    """How to check, rebuild and complete the archive."""
    rows = [f"| `{name}` | `{download['path']}` | <{download['url']}> | `{download['sha256']}` |"
            for name, board in about["boards"].items() for download in board["downloads"]
            if download["url"]]
    own = f"{CHECKOUT}/scorer/__init__.py" in paths
    return Template((Path(__file__).parent / "README.md").read_text("utf-8")).substitute(
        commit=about["commit"],
        site=f", the built site in `{SITE}/`" if f"{SITE}/index.html" in paths else "",
        status=f" --status ../{_STATUS}" if _STATUS in paths else "",
        needed="the packages that `locks/demo.txt` pins" if own else
        "the packages that `locks/ci.txt` pins, and the program, which is not here: "
        "`requirements.txt` names its version",
        data="\n".join(rows) or "| every board carries its data | | | |")
