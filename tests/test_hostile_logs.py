"""Small logs that unpack to very much: refused with a reason, in little memory."""

import copy
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.harness_logs import BOARD, ROOT, about

MOST_MEMORY = 300
"""MiB of the whole process, of which 60 are the program's own."""
MIB = 2**20
LARGE = 270
"""MiB that would be too much if all of it were held."""
HEAD = {"version": 2, "status": "success", "eval": {
    "task": "t", "model": "m", "dataset": {"name": "made"}, "metadata": {"whyboard": about()}}}
pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(),
                                reason="Linux says what a process took at most")


def repeated(begin: bytes, block: bytes, size: int = 24 * MIB) -> Iterator[bytes]:
    yield begin
    for _ in range(size // len(block)):
        yield block


def numbered(begin: bytes, block: bytes, count: int, end: bytes = b"") -> Iterator[bytes]:
    yield begin
    for start in range(0, count, step := max(1, MIB // len(block))):
        yield b"".join(block % number for number in range(start, min(start + step, count)))
    yield end


def lists() -> Iterator[bytes]:
    return repeated(b'[{"id": 1, "target": [', b"[]," * (MIB // 3))


PROMPT = b'"' + 15 * MIB * b"\x7f" + "\U0001f600".encode() + b'"'
"""Characters that take four bytes each, and as many to be spelled out."""


def compared() -> dict[str, tuple[Iterable[bytes], str]]:
    """Samples that are not compared, and why."""
    return {
        "prompts": ([b'[{"id": 1, "input": [{"content": [', PROMPT, b",", PROMPT, b"]}]}]"],
                    "another.eval: cannot be read"),
        "lists": (lists(), "more than 50,000 values"),
        "texts": (repeated(b'[{"id": 1, "target": [', b'"' + MIB * b"x" + b'",'), "16 MiB of text"),
        "one text": (repeated(b'[{"id": "', MIB * b"x"), "a text, or blanks, of more than 16 MiB"),
        "blanks": (repeated(b"[", MIB * b" "), "a text, or blanks, of more than 16 MiB"),
        "depth": (repeated(b'[{"id": ', MIB * b"["), "nested too deeply"),
        "names": (numbered(b'[{"id": 1, "scores": {', b'"scorer %d": {"value": 1},', 60_000),
                  "more than 50,000 values"),
        # A scorer's name that stands before the names of its many values.
        "long names": (
            numbered(b'[{"id": 1, "scores": {"' + 4 * MIB * b"x" + b'": {"value": {', b'"%d": 1,',
                     40_000, b'"": 1}}}}]'), "one of more than 300 characters"),
        # Metrics that never have a score.
        "refusals": (
            numbered(b'[{"id": 1, "scores": {', b'"%d": {"value": null, "reason": "refusal"},',
                     10_000, b'"": {}}}]'), "more than 500 metrics"),
        "epochs": (numbered(b"[", b'{"id": 1, "epoch": "%d' + MIB * b"x" + b'"},', LARGE,
                            b'{"id": 1}]'), "an epoch that is no number"),
        "ids": (numbered(b"[", b'{"id": "%d' + 250 * "\U0001f600".encode() + b'"},', 20_000),
                "more than 4 million characters of ids and clusters"),
        "samples": (numbered(b"[", b'{"id": %d, "scores": {"m": {"value": {"a": 1, "b": 0}}}},',
                             101_000), "more than 100,000 samples"),
        "beside": (repeated(b'[{"id": 1, "events": ["', b'", "' + 1000 * b"x", LARGE * MIB),
                   "not JSON (parse error: premature EOF)")}


def packed(path: Path, *members: tuple[str, Iterable[bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as log:
        log.writestr("header.json", json.dumps(HEAD))
        for name, blocks in members:
            with log.open(name, "w", force_zip64=True) as member:
                member.writelines(blocks)
    return path


def bombs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Small logs that unpack to very much, and why each is not compared."""
    for name, (blocks, words) in compared().items():
        yield packed(folder / f"{name}.eval", ("summaries.json", blocks)), words
    plain, lines, log = (folder / name for name in ("plain.json", "line.jsonl", "zstandard.eval"))
    with plain.open("wb") as file:
        file.writelines([json.dumps({**HEAD, "samples": 0}).encode()[:-2], *lists()])
    lines.write_bytes(b'{"doc_id": 1, "metrics": ["acc"], "acc": 1, "target": ['
                      + b"[]," * (5 * MIB) + b"1]}\n")
    with zipfile.ZipFile(log, "w", pytest.importorskip("zipfile_zstd").ZIP_ZSTANDARD) as file:
        file.writestr("header.json", json.dumps(HEAD))
        file.writestr("summaries.json", b"".join(lists()))
    assert log.stat().st_size < MIB
    yield from ((path, "more than 50,000 values") for path in (plain, lines, log))


def endless_answers() -> Iterator[tuple[str, Iterable[bytes]]]:
    """Samples whose answers are a mebibyte each."""
    for number in range(1, 41):
        yield f"samples/{number}.json", [json.dumps({"id": number, "output": {
            "completion": MIB * "x", "choices": [{"message": {"content": "x"}}]}}).encode()]


def compare(log: Path) -> list[str]:
    return ["compare", str(log), "another.eval"]


def imported(log: Path) -> list[str]:
    return ["import", "inspect", str(log), "--board", BOARD, "--split", "dev", "--out",
            str(log.parent / BOARD / "us" / "small")]


PROGRAM = r"""
import contextlib, io, json, re, sys
from scorer.cli import main
for command in json.load(sys.stdin):
    with contextlib.redirect_stderr(io.StringIO()) as words:
        assert main(command) == 2, command
    print(json.dumps(words.getvalue()))
print(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])
"""
"""Prints why it refuses some commands, one after the other, and how many KiB it took at most."""


@pytest.mark.claim("No log, however small, makes a comparison or an import take much memory.")
@pytest.mark.slow
def test_small_logs_that_unpack_to_very_much_are_refused_in_little_memory(tmp_path):
    logs = [*bombs(tmp_path)]
    answers = packed(tmp_path / "answers.eval", *endless_answers())
    commands = json.dumps([*(compare(log) for log, _ in logs), imported(answers)])
    ran = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, input=commands,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    *messages, taken = ran.stdout.splitlines()
    for (log, words), message in zip([*logs, (answers, "32 million characters of answers")],
                                     messages, strict=True):
        assert words in message, log.name
    assert int(taken) / 2**10 <= MOST_MEMORY


VALUES = b'{"id": "%d", "events": [' + b"0," * 1000 + b"0]}"


def test_many_parts_of_a_log_have_the_bound_of_one(tmp_path, monkeypatch, fails):
    monkeypatch.setattr("scorer.lab.logs.reading.MOST_VALUES", 20_000)
    log = packed(tmp_path / "bomb.eval", *((f"samples/{number}.json", [VALUES % number])
                                           for number in range(30)))
    folder, lines = tmp_path / "logs", tmp_path / "bomb.jsonl"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.json").write_bytes(VALUES % number)
    lines.write_bytes(b'{"doc_id": 1, "metrics": []}\n' + 30_000 * b"\n")
    both = ["compare", str(folder), str(tmp_path)]
    for words in (compare(log), both, compare(lines), imported(folder)):
        fails(2, "more than 20,000 values", *words)


def test_lines_that_are_wrong_are_not_read_to_the_last(tmp_path, fails):
    lines = tmp_path / "bomb.jsonl"
    lines.write_bytes(100_000 * b"x\n")
    fails(2, "50 faults, perhaps others", *compare(lines))


def test_members_of_a_log_that_share_their_bytes_are_refused(tmp_path, fails):
    log = packed(tmp_path / "bomb.eval")
    content = json.dumps({"id": 1, "x": random.Random(1).randbytes(50_000).hex()})
    # Of members that zstandard packed only their places are looked at, not their names there.
    with zipfile.ZipFile(log, "a", pytest.importorskip("zipfile_zstd").ZIP_ZSTANDARD) as file:
        file.writestr("samples/1.json", content)
        for number in range(2, 20):
            again = copy.copy(file.getinfo("samples/1.json"))
            again.filename = f"samples/{number}.json"
            file.filelist.append(again)
    fails(2, "cannot be unpacked", *compare(log))


def test_more_bytes_than_a_log_may_have_are_not_unpacked(tmp_path, monkeypatch, fails):
    monkeypatch.setattr("scorer.lab.logs.reading.MOST_BYTES", MIB)
    log = packed(tmp_path / "bomb.eval", (
        "summaries.json", repeated(b'[{"x": ["', b'", "' + 1000 * b"x", 3 * MIB)))
    fails(2, "summaries.json: more than 0 GiB, unpacked", *compare(log))
