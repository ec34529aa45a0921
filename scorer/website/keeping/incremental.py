"""What an earlier build made of the same input, so that it is not made again.

A file is kept by the digest of everything that it is made from: our own code, the templates, the
libraries that render, the theme's page, the items, what was said of them. So nothing can be out of
date, and a build with kept files gives the same bytes as one without. What a build did not use is
removed at its end.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import platform
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from scorer.board import boards_folder
from scorer.files import write_atomically
from scorer.website.keeping import stored

Value = TypeVar("Value")

PLACE = Path("cache") / "site"
"""Where files are kept, below the home folder."""
NOTES = "outputs"
"""Where it is noted, below that, what was written into which folder."""
LIBRARIES = ("jinja2", "markupsafe", "networkx", "numpy", "pyvis", "scipy")


class Kept:
    """Files of earlier builds below ``folder``; without a folder everything is made afresh.

    ``code`` is part of every key: a digest of what makes things from records.
    """

    def __init__(self, folder: Path | None = None, code: str = "") -> None:
        self.folder = folder
        self.code = code
        self.used: set[str] = set()

    def key(self, *parts: object) -> str:
        """A digest of plain records, by their ``repr``; "" where nothing is kept."""
        if self.folder is None:
            return ""
        return hashlib.sha256("\0".join([self.code, *map(repr, parts)]).encode()).hexdigest()

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """What was made for a key, or what ``make`` makes now; never kept for the key ""."""
        if self.folder is None or not key:
            return make()
        self.use(key)
        place = self._place(self.folder, key)
        try:
            return place.read_bytes()
        except OSError:
            content = make()
            write_atomically(place, content)
            return content

    @cached_property
    def pairs(self) -> ChainMap[str, float]:
        """Numbers about pairs of rows: those of this build, and before them those of the last."""
        before = self.get(self.key("pairs"), lambda: b"{}")
        return ChainMap({}, json.loads(before))

    def value(self, kind: type[Value], key: str, make: Callable[[], Value]) -> Value:
        """The same of a record of ours of this type; see ``stored``."""
        if self.folder is None or not key:
            return make()
        content = self.get(key, lambda: json.dumps(
            stored.plain(make()), allow_nan=False, separators=(",", ":")).encode())
        read: stored.Read = stored.reader(kind)  # type: ignore[arg-type]  # types are hashable
        found: Value = read(json.loads(content))
        return found

    def has(self, key: str) -> bool:
        """Whether something was kept for a key."""
        return self.folder is not None and bool(key) and self._place(self.folder, key).is_file()

    @staticmethod
    def _place(folder: Path, key: str) -> Path:
        return folder / key[:2] / key

    def put(self, key: str, content: bytes) -> None:
        """Keep something for a key, whatever was kept for it."""
        if self.folder is not None:
            self.use(key)
            write_atomically(self._place(self.folder, key), content)

    def use(self, key: str) -> None:
        """Say that what was made for a key is still wanted, though nobody has to read it now."""
        self.used.add(key)

    def notes(self, out: Path) -> Path | None:
        """Where it is noted what was written into a folder; None where nothing is kept."""
        if self.folder is None:
            return None
        return self.folder / NOTES / f"{hashlib.sha256(str(out).encode()).hexdigest()}.json"

    def finish(self) -> None:
        """Keep what was learned of pairs, and remove what this build did not use."""
        if self.folder is not None and self.folder.is_dir():
            if self.pairs.maps[0] != self.pairs.maps[1]:
                self.put(self.key("pairs"),
                         json.dumps(self.pairs.maps[0], separators=(",", ":")).encode())
            for path in self.folder.glob("??/*"):
                if path.name not in self.used:
                    path.unlink(missing_ok=True)  # another build may be at it


class Compiled(BytecodeCache):
    """Our own templates as Python compiled them, which takes as long as to render them all.

    They are kept together, because a build that changes little uses few of them.
    """

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.key = kept.key("templates")
        self.found: dict[str, bytes] = marshal.loads(  # noqa: S302  # what we compiled ourselves
            kept.get(self.key, lambda: marshal.dumps({})))
        self.new = False

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was kept, if anything was."""
        found = self.found.get(bucket.key + bucket.checksum)
        if found is not None:
            bucket.code = marshal.loads(found)  # noqa: S302  # what we compiled ourselves

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Note what was compiled."""
        self.found[bucket.key + bucket.checksum] = marshal.dumps(bucket.code)
        self.new = True

    def finish(self) -> None:
        """Keep it."""
        if self.new:
            self.kept.put(self.key, marshal.dumps(self.found))


def code_digest(templates: Iterable[Path]) -> str:
    """Everything besides the site's data that decides what a page looks like.

    Examples that explain metrics are made of the practice boards that come with the program.
    """
    package = Path(__file__).resolve().parents[2]
    files = [package.rglob("*.py"), boards_folder().glob("*-practice/**/*.*"),
             *(folder.rglob("*.html") for folder in templates)]
    return digest_of(LIBRARIES, [path for found in files for path in sorted(found)])


def digest_of(libraries: Iterable[str], files: Iterable[Path]) -> str:
    """Of Python's and the libraries' versions, and of the names and contents of files."""
    found = hashlib.sha256(platform.python_version().encode())
    for name in libraries:
        found.update(f"{name} {version(name)}\n".encode())
    for path in files:
        content = path.read_bytes()
        found.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return found.hexdigest()
