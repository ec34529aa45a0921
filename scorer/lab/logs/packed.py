"""Members of a packed log, a zip file of inspect_ai, unpacked piece by piece."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer.lab.logs.reading import Budget, LogFault, Readable, Shape, entries, opened

LARGEST_DIRECTORY = 8 * 2**20
"""Bytes of a zip's list of members."""
WINDOW = 2**25
"""Bytes that a packed member may refer back to."""
ZSTANDARD = 93
"""How inspect_ai packs by now (zip's number of the method)."""


def is_packed(path: Path) -> bool:
    """Whether a log is a zip file. Raises LogFault for what is no regular file."""
    if path.suffix == ".eval":
        return True
    with opened(path) as file:
        return zipfile.is_zipfile(file)


class Packed:
    """A zip file, open; a context manager."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path, self._budget = path, budget
        self._file = _Bounded(opened(path).detach())  # type: ignore[attr-defined]
        self._left = path.stat().st_size
        try:
            self._zip = zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, OSError, ValueError, struct.error, OverflowError,
                NotImplementedError):
            self._file.close()
            raise LogFault(str(path), "no zip file, one that is cut off, or one with too many "
                           "members", "copy the log again, or name the log of one run") from None
        self.names = frozenset(self._zip.namelist())

    def __enter__(self) -> Packed:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def entries(self, name: str, shape: Mapping[str, Shape]) -> Iterator[tuple[str, Any]]:
        """What ``reading.entries`` gives of a member. Raises LogFault if it cannot be unpacked."""
        place = f"{self.path}/{name}"
        info = self._zip.getinfo(name)
        try:
            with self._opened(info) as member:
                yield from entries(member, place, shape, self._budget)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError,
                NotImplementedError, struct.error) as fault:
            if isinstance(fault, LogFault):
                raise
            raise LogFault(place, "cannot be unpacked (damaged, encrypted, or packed in another "
                           "way)", _convert(self.path)) from None

    def _opened(self, info: zipfile.ZipInfo) -> Any:
        self._left -= info.compress_size
        if self._left < 0:  # each is read once, so some share bytes
            raise zipfile.BadZipFile
        if info.compress_type == ZSTANDARD:
            return self._zstandard(info)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile
        return self._zip.open(info)

    def _zstandard(self, info: zipfile.ZipInfo) -> Any:
        try:
            import zstandard
        except ImportError:
            raise LogFault(
                f"{self.path}/{info.filename}", "packed with zstandard, which this Python does "
                "not read", f"pip install 'whyboard[logs]', or {_convert(self.path)}") from None
        if info.flag_bits & 1:
            raise zipfile.BadZipFile
        self._file.seek(info.header_offset)
        name, extra = struct.unpack("<26xHH", self._file.read(30))
        self._file.seek(name + extra, io.SEEK_CUR)
        decoder = zstandard.ZstdDecompressor(max_window_size=WINDOW)
        part: Any = _Part(self._file, info.compress_size)
        return _Zstandard(decoder.stream_reader(part, read_across_frames=True),
                          zstandard.ZstdError)


class _Part:
    """So many bytes of a file from where it stands."""

    def __init__(self, file: Readable, left: int) -> None:
        self._file, self._left = file, left

    def read(self, size: int) -> bytes:
        content = self._file.read(min(size, self._left))
        self._left -= len(content)
        return content


class _Zstandard:
    """A reader of zstandard whose faults are those of zlib."""

    def __init__(self, reader: Any, fault: type[Exception]) -> None:
        self._reader, self._fault = reader, fault

    def __enter__(self) -> _Zstandard:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def read(self, size: int) -> bytes:
        try:
            return bytes(self._reader.read(size))
        except self._fault as fault:
            raise zlib.error from fault


class _Bounded(io.BufferedReader):
    """A file that never gives more than so many bytes at once, such as a zip's list of members."""

    def read(self, size: int | None = -1) -> bytes:
        """Raises OSError beyond LARGEST_DIRECTORY."""
        asked = LARGEST_DIRECTORY + 1 if size is None or size < 0 else size
        if asked > LARGEST_DIRECTORY + 1:
            raise OSError("too much at once")
        return super().read(asked)


def _convert(path: Path) -> str:
    return f"convert it: inspect log convert --to json --output-dir DIR {path}"
