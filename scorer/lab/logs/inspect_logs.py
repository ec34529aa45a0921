"""Logs of inspect_ai: ``.eval``, a zip file that is unpacked piece by piece, and ``.json``.

To compare, ``summaries.json`` of a packed log is read, which has every sample's scores without its
messages; where a run was cut off, and in old logs, the samples. Scores are taken as inspect_ai's
own metrics take them: ``C`` is 1, an entry of an object is a metric of its own, NaN is not scored.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer.core.errors import excerpt
from scorer.lab.logs import reading
from scorer.lab.logs.log import LONGEST_NAME, Log, digest
from scorer.lab.logs.reading import (
    Budget,
    LogFault,
    LogFaults,
    Readable,
    Shape,
    clean,
    object_of,
)

LARGEST_DIRECTORY = 8 * 2**20
"""Bytes of a zip's list of members."""
WINDOW = 2**25
"""Bytes that a packed member may refer back to."""
ZSTANDARD = 93
"""How inspect_ai packs by now (zip's number of the method)."""


class LogArchive:
    """A zip file, open; a context manager."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path, self._budget = path, budget
        self._faults: tuple[type[Exception], ...] = (
            zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError,
            NotImplementedError, struct.error)
        self._file = _Bounded(reading.opened(path).detach())  # type: ignore[attr-defined]
        self._left = path.stat().st_size
        try:
            self._zip = zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, OSError, ValueError, struct.error, OverflowError,
                NotImplementedError):
            self._file.close()
            raise LogFault(str(path), "no zip file, one that is cut off, or one with too many "
                           "members", "copy the log again, or name the log of one run") from None
        self.names = frozenset(self._zip.namelist())

    def __enter__(self) -> LogArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def entries(self, name: str, shape: Mapping[str, Shape]) -> Iterator[tuple[str, Any]]:
        """What ``reading.entries`` gives of a member. Raises LogFault if it cannot be unpacked."""
        where = f"{self.path}/{name}"
        info = self._zip.getinfo(name)
        try:
            with self._opened(info) as member:
                yield from reading.entries(member, where, shape, self._budget)
        except self._faults as fault:
            if isinstance(fault, LogFault):
                raise
            raise LogFault(where, "cannot be unpacked (damaged, encrypted, or packed in another "
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
            raise reading.missing_extra(
                f"{self.path}/{info.filename}", "packed with zstandard, which this Python does "
                "not read", f"pip install 'whyboard[logs]', or {_convert(self.path)}") from None
        if info.flag_bits & 1:
            raise zipfile.BadZipFile
        self._file.seek(info.header_offset)
        name, extra = struct.unpack("<26xHH", self._file.read(30))
        self._file.seek(name + extra, io.SEEK_CUR)
        self._faults += (zstandard.ZstdError,)
        decoder = zstandard.ZstdDecompressor(max_window_size=WINDOW)
        part: Any = _Part(self._file, info.compress_size)
        return decoder.stream_reader(part, read_across_frames=True)


class _Part:
    """So many bytes of a file from where it stands."""

    def __init__(self, file: Readable, left: int) -> None:
        self._file, self._left = file, left

    def read(self, size: int) -> bytes:
        content = self._file.read(min(size, self._left))
        self._left -= len(content)
        return content


class _Bounded(io.BufferedReader):
    """A file that never gives more than so many bytes at once, such as a zip's list of members."""

    def read(self, size: int | None = -1) -> bytes:
        """Raises OSError beyond LARGEST_DIRECTORY."""
        count = LARGEST_DIRECTORY + 1 if size is None or size < 0 else size
        if count > LARGEST_DIRECTORY + 1:
            raise OSError("too much at once")
        return super().read(count)


def _convert(path: Path) -> str:
    return f"convert it: inspect log convert --to json --output-dir DIR {path}"


MOST_LOGS = 1_000
"""Logs of a folder."""
NO_LOG = "expected a log of inspect_ai (.eval, or .json of it)"
SUFFIXES = (".eval", ".json")
NAME = "whyboard"
"""Of our scorer, of its metric, and of the entry of a log's metadata that our tasks write."""
_SAMPLES = "samples"
_STARTS = ("header.json", "_journal/start.json")
_SUMMARIES = "summaries.json"
_HEAD: Mapping[str, Shape] = {
    "status": {}, "invalidated": {}, "higher_is_better": {},
    "plan": {"steps": {"*": {"solver": {}}}, "config": True}, "eval": {
        "task": {}, "task_id": {}, "task_version": {}, "model": {}, "created": {},
        "model_args": {"model_path": {}}, "dataset": {"name": {}}, "packages": {"inspect_ai": {}},
        "config": {"epochs_reducer": True},
        "metadata": {"higher_is_better": True, NAME: True}}}
_PARTS: Mapping[str, Shape] = {"*": {"*": {}, "content": True}}
"""Of messages the content; texts stay as they are."""


def found_in(folder: Path) -> tuple[dict[str, dict[Path, str]], list[str]]:
    """Task -> its logs in a folder, each with its description, and what was left out and why; links
    are not followed.

    Raises LogFault for a folder with more than MOST_LOGS.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES
                   and path.is_file() and not path.is_symlink())
    if len(files) > MOST_LOGS:
        raise LogFault(str(folder), f"more than {MOST_LOGS} logs", "name one log")
    logs: dict[str, dict[Path, str]] = {}
    left_out = []
    budget = Budget()
    for path in files:
        head: Mapping[str, Any] = {}
        try:
            head = head_of(path, budget)
        except LogFault as fault:
            if budget.spent:
                raise
            if path.suffix == ".eval":
                left_out.append(f"left out: {fault}")
        spec = head.get("eval")
        if isinstance(spec, dict):
            model = _text(spec.get("model")) or "model not named"
            logs.setdefault(_text(spec.get("task")), {})[path] = clean(
                f"{path} ({model}, {_text(head.get('status', 'started'))})")
    return logs, left_out


def head_of(path: Path, budget: Budget, *, whole: bool = False) -> Mapping[str, Any]:
    """What a log says of its run, as far as it stands before the samples; ``whole``: of a log that
    has its end. Raises LogFault."""
    head: dict[str, Any] = {}
    for _, key, value in _parts(path, None, budget):
        head[key] = value
        if not whole and {"eval", "status"} <= head.keys():
            break
    return head


def samples_of(path: Path, head: dict[str, Any], sample: Mapping[str, Shape], faults: LogFaults, *,
               budget: Budget, summaries: bool = False) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The samples of a log with their places; ``head`` gets what the log says of its run.

    ``sample``: what is held of one. ``summaries``: whether those of a packed log will do. Raises
    LogFault.
    """
    for where, key, value in _parts(path, sample, budget, summaries):
        if key != _SAMPLES:
            head[key] = value
        elif isinstance(value, dict):
            yield where, value
        elif value is not None:
            faults.add(where, "a sample that is no object", NO_LOG)


def spec_of(path: Path, head: Mapping[str, Any]) -> Mapping[str, Any]:
    """A log's own account of the run. Raises LogFault where there is none."""
    if not isinstance(head.get("eval"), dict):
        raise LogFault(str(path), "no entry 'eval'", NO_LOG)
    spec: Mapping[str, Any] = head["eval"]
    return spec


def _parts(path: Path, sample: Mapping[str, Shape] | None, budget: Budget, summaries: bool = False,
           ) -> Iterator[tuple[str, str, Any]]:
    """Place, name and value of what a log begins with, and of every sample, named ``samples``.

    ``sample``: what is held of one; None: no samples.
    """
    if path.suffix != ".eval":
        shape = _HEAD if sample is None else {**_HEAD, _SAMPLES: {"*": sample}}
        with reading.opened(path) as file:
            yield from _numbered(
                str(path), reading.entries(file, str(path), shape, budget, _SAMPLES))
        return
    with LogArchive(path, budget) as packed:
        start = next((name for name in _STARTS if name in packed.names), None)
        if start is None:
            raise LogFault(str(path), "a zip file without header.json", NO_LOG)
        for name, value in packed.entries(start, _HEAD):
            yield f"{path}/{start}", name, value
        if sample is not None and summaries and _SUMMARIES in packed.names:
            yield from _numbered(f"{path}/{_SUMMARIES}", packed.entries(_SUMMARIES, {"*": sample}))
        elif sample is not None:
            for name in sorted(packed.names):
                if name.startswith("samples/") and name.endswith(".json"):
                    yield f"{path}/{name}", _SAMPLES, dict(packed.entries(name, sample))


def _numbered(where: str, pairs: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    number = 0
    for name, value in pairs:
        number += name in (_SAMPLES, "")
        yield f"{where}, sample {number}", name or _SAMPLES, value


def read(path: Path, budget: Budget, cluster: str | None = None) -> Log:
    """A log; ``cluster``: a field of the samples' metadata. Raises LogFault."""
    log, head = Log(path, "inspect_ai", budget, cluster), dict[str, Any]()
    sample: Mapping[str, Shape] = {
        "id": {}, "epoch": {}, "error": {}, "target": _PARTS, "input": _PARTS,
        "scores": {"*": {"value": {"*": {}}}},
        "metadata": {} if cluster is None else {cluster: True}}
    for where, held in samples_of(path, head, sample, log.faults, budget=budget, summaries=True):
        _take(log, where, held)
    if "higher_is_better" in head:
        raise LogFault(str(path), "results of lm-evaluation-harness, which have no samples",
                       "name its folder, or samples_*.jsonl (--log_samples)")
    spec = spec_of(path, head)
    status = head.get("status", "started")
    if status != "success":
        log.notes.append(f"its run did not end well (status {excerpt(str(status), 20)})")
    if head.get("invalidated") is True:
        log.notes.append("it has samples that were marked as invalid")
    reducers = object_of(spec.get("config")).get("epochs_reducer") or ["mean"]
    if reducers != ["mean"]:
        log.notes.append(f"its own epochs were reduced by {excerpt(str(reducers), 40)}; "
                         "here by their mean")
    log.end(task=spec.get("task"), version=spec.get("task_version"), model=spec.get("model"),
            dataset=object_of(spec.get("dataset")).get("name"),
            higher=object_of(spec.get("metadata")).get("higher_is_better"))
    return log


def _take(log: Log, where: str, sample: Mapping[str, Any]) -> None:
    epoch = sample.get("epoch", 1)
    if isinstance(epoch, bool) or not isinstance(epoch, int) or abs(epoch) > 10**12:
        log.faults.add(where, "an epoch that is no number", "epochs are counted from 1")
        return
    log.add(
        where, sample.get("id"), f"epoch {epoch}", _scores(object_of(sample.get("scores"))),
        content=("", _digest(sample, "target")), prompt=_digest(sample, "input"),
        fields=sample.get("metadata"), failed=sample.get("error") is not None)


def _scores(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Metric -> value."""
    values: dict[str, Any] = {}
    for name, score in scores.items():
        inner = object_of(score).get("value")
        scorer = name[:LONGEST_NAME + 1]  # what is longer is refused
        if isinstance(inner, dict):
            values |= {f"{scorer}/{key}": item for key, item in inner.items()}
        elif isinstance(inner, list):
            values |= {f"{scorer}[{index}]": item for index, item in enumerate(inner)}
        else:
            values[scorer] = inner
    return values


def _digest(sample: Mapping[str, Any], key: str) -> str:
    """Of a text, several, or messages, whose text counts; empty where there is none."""
    held = sample.get(key)
    if held is None:
        return ""
    return digest([part.get("content") if isinstance(part, dict) else part for part in held]
                  if isinstance(held, list) else held)


def _text(value: Any) -> str:
    return "" if value is None else str(value)[:200]
