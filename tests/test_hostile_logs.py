"""Small logs that unpack to very much: refused with a reason, in little memory."""

import copy
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from scorer.cli import main
from tests.harness_logs import BOARD, ROOT, about

MOST_MEMORY = 300
"""MiB of the whole process, of which 60 are the program's own."""
MIB = 2**20
HEAD = {"version": 2, "status": "success", "eval": {
    "task": "t", "model": "m", "dataset": {"name": "made"}, "metadata": {"whyboard": about()}}}

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(),
                                reason="Linux says what a process took at most")

Blocks = Callable[[], Iterator[bytes]]


def repeated(begin: bytes, block: bytes, size: int = 24 * MIB) -> Blocks:
    def blocks() -> Iterator[bytes]:
        yield begin
        for _ in range(size // len(block)):
            yield block
    return blocks


def many_samples() -> Iterator[bytes]:
    yield b"["
    for start in range(0, 110_000, 10_000):
        yield b"".join(b'{"id": "%d", "target": "t%d", "scores": {"m": {"value": '
                       b'{"a": 1, "b": 0}}}},' % (number, number)
                       for number in range(start, start + 10_000))


def many_names() -> Iterator[bytes]:
    yield b'[{"id": 1, "scores": {'
    for start in range(0, 60_000, 10_000):
        yield b"".join(b'"scorer %d": {"value": 1},' % number
                       for number in range(start, start + 10_000))


def long_names() -> Iterator[bytes]:
    """A scorer's name that stands before the names of its many values."""
    yield b'[{"id": 1, "scores": {"' + 4 * MIB * b"x" + b'": {"value": {'
    yield b",".join(b'"%d": 1' % number for number in range(40_000)) + b"}}}}]"


def refusals() -> Iterator[bytes]:
    """Metrics that never have a score."""
    yield b"["
    for start in range(0, 200_000, 1000):
        yield b'{"id": %d, "scores": {' % start + b",".join(
            b'"%d": {"value": null, "reason": "refusal"}' % number
            for number in range(start, start + 1000)) + b"}},"


def epochs() -> Iterator[bytes]:
    yield b"["
    for number in range(330):
        yield b'{"id": 1, "epoch": "%d' % number + MIB * b"x" + b'"},'
    yield b'{"id": 1}]'


def long_ids() -> Iterator[bytes]:
    for start in range(0, 100_000, 1000):
        yield (b"," if start else b"[") + ",".join(
            f'{{"id": "{number}{250 * chr(0x1F600)}"}}'
            for number in range(start, start + 1000)).encode()
    yield b"]"


COMPARED: dict[str, tuple[Blocks, str]] = {
    "lists": (repeated(b'[{"id": 1, "target": [', b"[]," * (MIB // 3)), "more than 50,000 values"),
    "texts": (repeated(b'[{"id": 1, "target": [', b'"' + MIB * b"x" + b'",'), "16 MiB of text"),
    "one text": (repeated(b'[{"id": "', MIB * b"x"), "a text, or blanks, of more than 16 MiB"),
    "blanks": (repeated(b"[", MIB * b" "), "a text, or blanks, of more than 16 MiB"),
    "depth": (repeated(b'[{"id": ', MIB * b"["), "nested too deeply"),
    "names": (many_names, "more than 50,000 values"),
    "long names": (long_names, "one of more than 300 characters"),
    "refusals": (refusals, "more than 500 metrics"),
    "epochs": (epochs, "an epoch that is no number"),
    "ids": (long_ids, "more than 4 million characters of ids and clusters"),
    "samples": (many_samples, "more than 100,000 samples"),
    "beside": (repeated(b'[{"id": 1, "events": ["', b'", "' + 1000 * b"x", 330 * MIB),
               "not JSON (parse error: premature EOF)"),
}


def packed(path: Path, *members: tuple[str, Blocks]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as log:
        log.writestr("header.json", json.dumps(HEAD))
        for name, blocks in members:
            with log.open(name, "w", force_zip64=True) as member:
                for block in blocks():
                    member.write(block)
    return path


def refused(commands: Sequence[Sequence[object]]) -> tuple[list[str], int]:
    """What one process of the program says of logs that it must refuse, one after the other, and
    how many MiB it took at most."""
    code = ("import contextlib, io, json, re, sys\nfrom scorer.cli import main\n"
            "for command in json.load(sys.stdin):\n"
            "    with contextlib.redirect_stderr(io.StringIO()) as said:\n"
            "        assert main(command) == 2, command\n"
            "    print(json.dumps(said.getvalue()))\n"
            "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])")
    given = json.dumps([[*map(str, command)] for command in commands])
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, input=given,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    *said, taken = ran.stdout.splitlines()
    return [json.loads(line) for line in said], int(taken) // 2**10


def bombs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Small logs that unpack to very much, and why each is not compared."""
    for name, (blocks, said) in COMPARED.items():
        yield packed(folder / f"{name}.eval", ("summaries.json", blocks)), said
    lists = repeated(b'[{"id": 1, "target": [', b"[]," * (MIB // 3))
    plain, lines = folder / "plain.json", folder / "line.jsonl"
    with plain.open("wb") as file:
        file.write(json.dumps({**HEAD, "samples": 0}).encode()[:-2])
        file.writelines(lists())
    yield plain, "more than 50,000 values"
    lines.write_bytes(b'{"doc_id": 1, "metrics": ["acc"], "acc": 1, "target": ['
                      + b"[]," * (5 * MIB) + b"1]}\n")
    yield lines, "more than 50,000 values"
    method = pytest.importorskip("zipfile_zstd").ZIP_ZSTANDARD
    log = folder / "zstandard.eval"
    with zipfile.ZipFile(log, "w", method) as packed_log:
        packed_log.writestr("header.json", json.dumps(HEAD))
        packed_log.writestr("summaries.json", b"".join(lists()))
    assert log.stat().st_size < MIB
    yield log, "more than 50,000 values"


@pytest.mark.claim("No log, however small, makes a comparison or an import take much memory.")
@pytest.mark.slow
def test_small_logs_that_unpack_to_very_much_are_refused_in_little_memory(tmp_path: Path) -> None:
    logs = [*bombs(tmp_path)]
    answers = packed(tmp_path / "answers.eval", *endless_answers())
    said, taken = refused([
        *(["compare", log, tmp_path / "other.eval"] for log, _ in logs),
        ["import", "inspect", answers, "--board", BOARD, "--split", "dev", "--out",
         tmp_path / BOARD / "us" / "small"]])
    for (log, reason), message in zip(
            [*logs, (answers, "32 million characters of answers")], said, strict=True):
        assert reason in message, log.name
    assert taken <= MOST_MEMORY


VALUES = b'{"id": "%d", "events": [' + b"0," * 1000 + b"0]}"


def test_many_parts_of_a_log_have_the_bound_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scorer.lab.logs.reading.MOST_VALUES", 20_000)
    names = [(f"samples/{number}.json", repeated(VALUES % number, b" ", 1))
             for number in range(100)]
    log, folder, lines = (packed(tmp_path / "bomb.eval", *names), tmp_path / "logs",
                          tmp_path / "bomb.jsonl")
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.json").write_bytes(VALUES % number)
    lines.write_bytes(b'{"doc_id": 1, "metrics": []}\n' + 30_000 * b"\n")
    for path in (log, folder, lines):
        assert main(["compare", str(path), str(tmp_path / "other.eval")]) == 2
        assert "more than 20,000 values" in capsys.readouterr().err
    assert main(["import", "inspect", str(folder), "--board", BOARD, "--split", "dev", "--out",
                 str(tmp_path / BOARD / "us" / "small")]) == 2
    assert "more than 20,000 values" in capsys.readouterr().err


def test_lines_that_are_wrong_are_not_read_to_the_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "bomb.jsonl"
    lines.write_bytes(100_000 * b"x\n")
    assert main(["compare", str(lines), str(tmp_path / "other.jsonl")]) == 2
    assert "950 more faults, perhaps others" in capsys.readouterr().err


def test_members_of_a_log_that_share_their_bytes_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "bomb.eval"
    with zipfile.ZipFile(log, "w") as file:
        file.writestr("header.json", json.dumps(HEAD))
        file.writestr("samples/1.json", b'{"id": 1}' + 100_000 * b" ")
        info = file.getinfo("samples/1.json")
        for number in range(2, 20):
            again = copy.copy(info)
            again.filename = f"samples/{number}.json"
            file.filelist.append(again)
    assert main(["compare", str(log), str(tmp_path / "other.eval")]) == 2
    assert "cannot be unpacked" in capsys.readouterr().err


def endless_answers() -> Iterator[tuple[str, Blocks]]:
    """Samples whose answers are a mebibyte each."""
    for number in range(1, 41):
        text = json.dumps({"id": number, "output": {"completion": MIB * "x", "choices": [
            {"message": {"content": "x"}}]}}).encode()
        yield f"samples/{number}.json", repeated(text, b" ", 1)


def test_more_bytes_than_a_log_may_have_are_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scorer.lab.logs.reading.MOST_BYTES", MIB)
    log = packed(tmp_path / "bomb.eval", (
        "summaries.json", repeated(b'["', b'", "' + 1000 * b"x", 3 * MIB)))
    assert main(["compare", str(log), str(tmp_path / "other.eval")]) == 2
    assert "summaries.json: more than 0 GiB, unpacked" in capsys.readouterr().err
